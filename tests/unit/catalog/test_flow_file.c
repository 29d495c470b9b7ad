/* Flow files: reading, writing, and loading from folders of packs. */
#include "catalog_test.h"

#include "vesper/condition.h"
#include "vesper/ref.h"

#define HEAD                                                                                       \
	"---\nflow: hubs\nabout: Prices of hubs.\nexamples:\n  - What do hubs cost?\n"             \
	"agent: price_agent\npermission: chat:read\nanswer: model\norder: 3\n---\n"
#define LINES                                                                                      \
	"# all of them\n"                                                                          \
	"do all get_price hub=\"W \\\"1\\\"\" year=2024 hours=[1, 2] since=today-7d \\\n"          \
	"   firm=true if not (missing market or missing year)\n\n"                                 \
	"ask hub single from all.rows value=Hub label=Price group=Cost \"Which?\" "                \
	"hint=\"One of them\" skip=\"The first\" = {all.rows[0].Hub}\n"                            \
	"ask hour multiple 1..3 \"Which hours?\"\n"                                                \
	"ask since date between 2020-01-01 and today \"Since when?\" if all.row_count > 1\n"       \
	"do one get_price market={all.rows[0].Hub?} above={all.row_count}\n"                       \
	"show Card rows={one.rows} title=\"Of {filter.market}\" total={one.row_count?} if "        \
	"one.row_count > 0\n"                                                                      \
	"say \"**{one.row_count}** in {filter.market}[[, {one.rows[0].Price?}]]\"\n"               \
	"suggest primary \"More\" -> \"What does {all.rows[0].Hub} cost?\" if one.outcome in "     \
	"(rows, 'no data')\n"                                                                      \
	"suggest secondary \"Less\" -> \"What does E1 cost?\"\n"

#define PATH "prompts/energy/flow/hubs.flow"

static struct arena *arena;

static struct flow_def read_flow(const char *text)
{
	struct flow_def f;
	struct err e = {0};

	if (!flow_read(catalog, "energy", PATH, text, arena, &f, &e))
		fail_msg("%s", e.text);
	return f;
}

static int set_up_flows(void **state)
{
	set_up(state);
	arena = arena_new(1 << 22);
	temp_root_write(&root, "config/energy/components.json",
			"{\"Card\": {\"about\": \"A card\", \"props\": {\"title\": {\"type\": "
			"\"text\"}, \"total\": {\"type\": \"integer\"}, \"rows\": {\"type\": "
			"\"table\", \"columns\": {\"Hub\": \"text\"}}}, \"layout\": [{\"text\": "
			"\"title\"}], \"text\": \"A card\"}}");
	load();
	return 0;
}

static int tear_down_flows(void **state)
{
	arena_free(&arena);
	return tear_down(state);
}

static void reads_every_kind_of_line(void **state)
{
	const struct flow_def f = read_flow(HEAD LINES);
	const struct flow_line *l = f.lines;

	(void)state;
	assert_string_equal(f.name, "hubs");
	assert_string_equal(f.about, "Prices of hubs.");
	assert_string_equal(f.examples[0], "What do hubs cost?");
	assert_string_equal(f.agent, "price_agent");
	assert_string_equal(f.permission, "chat:read");
	assert_true(f.by_model);
	assert_int_equal(f.order, 3);
	assert_int_equal(f.line_count, 9);

	assert_ptr_equal(l[0].tool, catalog_tool(catalog, "get_price"));
	assert_int_equal(l[0].line, 12);
	assert_string_equal(json_string_value(json_object_get(l[0].values, "hub")), "W \"1\"");
	assert_int_equal(json_array_size(json_object_get(l[0].values, "hours")), 2);
	assert_int_equal(l[0].when->term_count, 2);

	assert_int_equal(l[1].line, 15);
	assert_string_equal(l[1].filter, "hub");
	assert_string_equal(l[1].options->table, "rows");
	assert_string_equal(l[1].options->group, "Cost");
	assert_string_equal(l[1].hint, "One of them");
	assert_string_equal(l[1].skip, "The first");
	assert_string_equal(ref_of(l[1].skip_value), "all.rows[0].Hub");
	assert_int_equal(l[2].input, ASK_MULTIPLE);
	assert_int_equal(l[2].max, 3);
	assert_string_equal(l[3].last, "today");

	assert_ptr_equal(flow_task(&f, "one"), &l[4]);
	assert_ptr_equal(flow_ask(&f, "hub"), &l[1]);
	assert_null(flow_task(&f, "two"));
	assert_int_equal(l[5].kind, FLOW_SHOW);
	assert_string_equal(l[5].id, "show1");
	assert_string_equal(l[5].component, "Card");
	assert_string_equal(ref_of(json_object_get(l[5].values, "rows")), "one.rows");
	assert_int_equal(l[5].when->term_count, 1);
	assert_true(l[7].primary);
	assert_string_equal(l[7].label, "More");
	assert_false(l[8].primary);
}

static void written_flow_is_read_back_unchanged(void **state)
{
	const struct flow_def f = read_flow(HEAD LINES);
	const char *text = flow_text(&f, arena);
	const struct flow_def reread = read_flow(text);

	(void)state;
	assert_string_equal(flow_text(&reread, arena), text);
	assert_string_equal(reread.hash, f.hash);
	assert_int_equal(reread.line_count, f.line_count);
	assert_null(strstr(text, "# all"));
}

/* Blanks, comments and line ends do not change a flow. */
static void ignores_blanks_and_comments(void **state)
{
	const struct flow_def f = read_flow(HEAD "do a get_price hub=E1 if a2.row_count > 1\n"
						 "do a2 get_price hub=W1\n");
	const struct flow_def other = read_flow(
		HEAD "\t# first\r\ndo\ta\tget_price  hub=E1 \\\r\n if a2.row_count > 1\r\n"
		     "\r\ndo a2 get_price hub=\"W1\"");
	const struct flow_def another = read_flow(HEAD "do a get_price hub=E1\n");

	(void)state;
	assert_string_equal(other.hash, f.hash);
	assert_string_not_equal(another.hash, f.hash);
}

static void catalogue_contains_flows(void **state)
{
	const char *before = arena_strdup(arena, catalog->hash);

	(void)state;
	assert_int_equal(catalog->flow_count, 0);
	temp_root_write(&root, PATH, HEAD LINES);
	temp_root_write(&root, "prompts/energy/flow/early.flow",
			"---\nflow: early\nabout: x\nagent: price_agent\norder: 1\n---\n"
			"do a get_price hub=E1\n");
	load();
	assert_int_equal(catalog->flow_count, 2);
	assert_string_equal(catalog->flows[0].name, "early");
	assert_ptr_equal(catalog_flow(catalog, "hubs"), &catalog->flows[1]);
	assert_null(catalog_flow(catalog, "late"));
	assert_string_not_equal(catalog->hash, before);
	assert_rejected(PATH, HEAD "do a get_weather\n",
			PATH ":11: unknown tool or agent get_weather");
	assert_rejected(PATH, HEAD "do a get_price hub=E1\nsay \"\xc3\"", "not valid UTF-8");
	/* Some editors write a byte order mark. */
	temp_root_write(&root, PATH, "\xef\xbb\xbf" HEAD LINES);
	load();
	temp_root_write(&root, PATH, HEAD LINES);
	assert_rejected("prompts/energy/flow/notes.md", "x", "not a .flow file");
}

static void flow_requires_permissions_of_its_tools(void **state)
{
	static const char *const reader[] = {"chat:use", "chat:read", NULL};
	struct principal who = {.tenant = "x", .user = "u", .permissions = reader};
	struct catalog_view view;

	(void)state;
	temp_root_write(&root, PATH, HEAD LINES);
	load();
	who.permission_count = 2;
	catalog_for(catalog, &who, arena, &view);
	assert_int_equal(view.flow_count, 1);
	assert_ptr_equal(view.flows[0], &catalog->flows[0]);
	who.permission_count = 1;
	catalog_for(catalog, &who, arena, &view);
	assert_int_equal(view.flow_count, 0);
	catalog_for_all(catalog, arena, &view);
	assert_int_equal(view.flow_count, 1);
}

#define FLOW_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_flows, tear_down_flows)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(reads_every_kind_of_line),
		FLOW_TEST(written_flow_is_read_back_unchanged),
		FLOW_TEST(ignores_blanks_and_comments),
		FLOW_TEST(catalogue_contains_flows),
		FLOW_TEST(flow_requires_permissions_of_its_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
