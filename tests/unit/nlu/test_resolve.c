/* What two packs of one list call by the same words is asked about, never guessed. */
#include "route_bench.h"
#include "small_root.h"

#define REGISTRY "{\"packs\": [{\"name\": \"inn\"}, {\"name\": \"farm\"}]}\n"

#define INN                                                                                        \
	"{\"views\": [{\"name\": \"dbo.stays\", \"about\": \"stays\"}],\n \"dimensions\": [\n"     \
	"  {\"name\": \"house\", \"values\": [\"Old Mill\", \"Lakeside\", \"Orchard\"]}]}\n"
#define INN_ALIASES "{\"house\": [{\"text\": \"the mill\", \"value\": \"Old Mill\"}]}\n"
#define INN_TOOL                                                                                   \
	"-- tool: get_guests\n-- about: Guests of a house in a year.\n"                            \
	"-- permission: chat:read\n"                                                               \
	"-- param house text required entity=house Where\n"                                        \
	"-- param year int optional min=2000 max=2100 Which year\n"                                \
	"-- column \"Guests\" type=int\n"                                                          \
	"SELECT COUNT(*) AS \"Guests\" FROM dbo.stays s WHERE s.tenant_id = :tenant_id\n"          \
	"AND s.house = :house\n--? year: AND s.year = :year\n"
#define INN_DOMAIN                                                                                 \
	"---\nagent: inn_agent\nintent: stays\nabout: Guests of the houses.\n"                     \
	"tools:\n  - get_guests\n---\nYou know guests.\n"

#define FARM                                                                                       \
	"{\"views\": [{\"name\": \"dbo.crops\", \"about\": \"crops\"}],\n \"dimensions\": [\n"     \
	"  {\"name\": \"field\", \"values\": [\"Lakeside\", \"Hill\"]},\n"                         \
	"  {\"name\": \"house\", \"values\": [\"Old Mill\", \"Mill Barn\", \"orchard\"]}]}\n"
#define FARM_ALIASES                                                                               \
	"{\"house\": [{\"text\": \"the mill\", \"value\": \"Mill Barn\"}],\n"                      \
	" \"field\": [{\"text\": \"far behind the old brick works\", \"value\": \"Hill\"}]}\n"
#define FARM_TOOL                                                                                  \
	"-- tool: get_harvest\n-- about: Harvest of a field in a year, in tons of crops.\n"        \
	"-- permission: chat:read\n"                                                               \
	"-- param field text required entity=field Where\n"                                        \
	"-- param year int optional min=2000 max=2100 Which year\n"                                \
	"-- column \"Tons\" type=int\n"                                                            \
	"SELECT SUM(c.tons) AS \"Tons\" FROM dbo.crops c WHERE c.tenant_id = :tenant_id\n"         \
	"AND c.field = :field\n--? year: AND c.year = :year\n"
#define FARM_DOMAIN                                                                                \
	"---\nagent: farm_agent\nintent: crops\nabout: Harvest of the fields.\n"                   \
	"tools:\n  - get_harvest\n---\nYou know crops.\n"

struct fixture {
	struct temp_root root;
	struct bench bench;
	struct arena *arena;
	struct catalog_view may;
	json_t *standing;
	struct understanding u;
};

static void open_packs(struct fixture *f, const char *const *names)
{
	const char *const roots[] = {f->root.path, NULL};
	struct pack_list list;
	struct packs *packs;
	struct err e = {0};

	if (!packs_read(roots, f->arena, &packs, &e) ||
	    !packs_list(packs, names, f->arena, &list, &e))
		fail_msg("%s", e.text);
	bench_open_packs(&f->bench, roots, &list);
	f->bench.who.permissions = catalog_role(f->bench.catalog, "reader");
	f->bench.who.permission_count = 2;
	catalog_for(f->bench.catalog, &f->bench.who, f->arena, &f->may);
}

static int set_up(void **state)
{
	static const char *const names[] = {"inn", "farm", NULL};
	struct fixture *f = mem_alloc(sizeof(*f));

	f->root = small_root_new();
	f->arena = arena_new(1 << 24);
	temp_root_write(&f->root, "config/packs.json", REGISTRY);
	temp_root_write(&f->root, "config/inn/catalogue.json", INN);
	temp_root_write(&f->root, "config/inn/entities.json", INN_ALIASES);
	temp_root_write(&f->root, "config/inn/words.json", SMALL_WORDS);
	temp_root_write(&f->root, "sql/inn/stays/get_guests.sql", INN_TOOL);
	temp_root_write(&f->root, "prompts/inn/stays.md", INN_DOMAIN);
	temp_root_write(&f->root, "config/farm/catalogue.json", FARM);
	temp_root_write(&f->root, "config/farm/entities.json", FARM_ALIASES);
	temp_root_write(&f->root, "sql/farm/crops/get_harvest.sql", FARM_TOOL);
	temp_root_write(&f->root, "prompts/farm/crops.md", FARM_DOMAIN);
	open_packs(f, names);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	json_decref(f->standing);
	bench_close(&f->bench);
	temp_root_free(&f->root);
	arena_free(&f->arena);
	mem_free(f);
	return 0;
}

static const struct understanding *ask(struct fixture *f, const char *question, json_t *edits)
{
	struct nlu_input in = {.question = question,
			       .may = &f->may,
			       .today = {2026, 2, 27},
			       .session_context = f->standing,
			       .edited_filters = edits ? json_own(f->arena, edits) : NULL};

	nlu_understand(f->bench.nlu, &in, f->arena, &f->u);
	return &f->u;
}

/* As a turn does it: what was understood stands, with what was asked. */
static void stand(struct fixture *f)
{
	json_decref(f->standing);
	f->standing = standing_of(&f->u);
}

static void check_asked(struct fixture *f, const char *question, const char *filter,
			const char *first, const char *second)
{
	const struct understanding *u = ask(f, question, NULL);

	if (!u->ask.text)
		fail_msg("\"%s\" is not asked about", question);
	assert_true(u->confidence >= NLU_CONFIDENT);
	assert_int_equal(u->tool_count, 0);
	assert_string_equal(u->ask.filter, filter);
	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, first);
	assert_string_equal(u->ask.options[1].value, second);
	assert_non_null(strstr(u->ask.text, u->ask.options[0].label));
	assert_non_null(strstr(u->ask.text, u->ask.options[1].label));
	stand(f);
}

static void check_call(struct fixture *f, const char *tool, const char *param, const char *value)
{
	const struct understanding *u = &f->u;

	if (u->ask.text)
		fail_msg("%s", u->ask.text);
	assert_int_equal(u->tool_count, 1);
	assert_string_equal(u->tools[0].name, tool);
	assert_string_equal(args_text(&u->tools[0].args, param, f->arena), value);
}

static void two_values_of_one_dimension(void **state)
{
	struct fixture *f = *state;

	check_asked(f, "Guests of the mill in 2025", "house", "Old Mill", "Mill Barn");
	ask(f, "2", NULL);
	check_call(f, "get_guests", "house", "Mill Barn");
	assert_string_equal(args_text(&f->u.tools[0].args, "year", f->arena), "2025");
	ask(f, "", json_pack("{s:s}", "house", "Old Mill"));
	check_call(f, "get_guests", "house", "Old Mill");
}

static void name_spelled_differently_by_packs(void **state)
{
	check_asked(*state, "Guests of Orchard in 2025", "house", "Orchard", "orchard");
}

static void two_dimensions(void **state)
{
	struct fixture *f = *state;

	check_asked(f, "Guests of Lakeside in 2025", "meaning", "house=Lakeside", "field=Lakeside");
	ask(f, "1", NULL);
	check_call(f, "get_guests", "house", "Lakeside");
	assert_string_equal(args_text(&f->u.tools[0].args, "year", f->arena), "2025");
	ask(f, "", json_pack("{s:s}", "meaning", "house=Lakeside"));
	check_call(f, "get_guests", "house", "Lakeside");

	json_decref(f->standing);
	f->standing = NULL;
	check_asked(f, "Harvest of Lakeside in 2025", "meaning", "house=Lakeside",
		    "field=Lakeside");
	ask(f, "Lakeside (field)", NULL);
	check_call(f, "get_harvest", "field", "Lakeside");
}

static void rejects_choice_that_was_not_offered(void **state)
{
	struct fixture *f = *state;

	check_asked(f, "Guests of Lakeside in 2025", "meaning", "house=Lakeside", "field=Lakeside");
	ask(f, "", json_pack("{s:s}", "meaning", "house=Nowhere"));
	assert_int_equal(f->u.tool_count, 0);
	assert_true(f->u.ask.unknown);
	ask(f, "", json_pack("{s:s}", "meaning", "planet=Mars"));
	assert_int_equal(f->u.tool_count, 0);
}

static void question_may_name_dimension(void **state)
{
	struct fixture *f = *state;

	ask(f, "Guests of the house Lakeside in 2025", NULL);
	check_call(f, "get_guests", "house", "Lakeside");
	ask(f, "Harvest of field Lakeside in 2025", NULL);
	check_call(f, "get_harvest", "field", "Lakeside");
	ask(f, "Guests of Old Mill in 2025", NULL);
	check_call(f, "get_guests", "house", "Old Mill");
}

/* A choice says what is wanted: it would say the opposite of what was asked. */
static void exclusion_is_asked_without_options(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = ask(f, "Guests in 2025 except for Lakeside", NULL);

	assert_int_equal(u->tool_count, 0);
	assert_non_null(u->ask.text);
	assert_non_null(strstr(u->ask.text, "Lakeside (house)"));
	assert_non_null(strstr(u->ask.text, "Lakeside (field)"));
	assert_int_equal(u->ask.option_count, 0);
}

/* No name has as many words. */
static void finds_long_alias(void **state)
{
	struct fixture *f = *state;

	ask(f, "Harvest far behind the old brick works in 2025", NULL);
	check_call(f, "get_harvest", "field", "Hill");
	ask(f, "Harvest of the old brick works far behind in 2025", NULL);
	check_call(f, "get_harvest", "field", "Hill");
}

static void one_pack_alone_is_clear(void **state)
{
	static const char *const inn[] = {"inn", NULL};
	struct fixture *f = *state;

	bench_close(&f->bench);
	open_packs(f, inn);
	ask(f, "Guests of the mill in 2025", NULL);
	check_call(f, "get_guests", "house", "Old Mill");
	ask(f, "Guests of Lakeside in 2025", NULL);
	check_call(f, "get_guests", "house", "Lakeside");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_values_of_one_dimension),
		TEST(name_spelled_differently_by_packs),
		TEST(two_dimensions),
		TEST(rejects_choice_that_was_not_offered),
		TEST(question_may_name_dimension),
		TEST(exclusion_is_asked_without_options),
		TEST(finds_long_alias),
		TEST(one_pack_alone_is_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
