#include "know_catalog.h"

#include "recording_db.h"
#include "vesper/limits.h"
#include "vesper/log.h"

/* Names come from a scripted warehouse: what is asked, what is learned, what a failure changes. */

static const struct param_def stock_params[] = {
	TEXT("item", .entity = "item", .about = "Item"),
	TEXT("grade", .entity = "grade", .about = "Grade"),
	TEXT("rack", .entity = "rack", .about = "Rack"),
};
static const struct tool_def stock_tools[] = {
	TOOL("get_stock", stock_params, price_agents, .about = "Stock of items.")};
static const struct dimension_def stock_dimensions[] = {
	{.name = "item", .filter = "item", .label = "item", .view = "dbo.stock", .column = "name"},
	{.name = "grade",
	 .filter = "grade",
	 .label = "grade",
	 .view = "dbo.stock",
	 .column = "grade",
	 .values = grades},
	{.name = "unused", .filter = "u", .label = "unused", .view = "dbo.stock", .column = "u"},
	{.name = "rack",
	 .filter = "rack",
	 .label = "rack",
	 .view = "dbo.racks",
	 .column = "Rack No"},
};
static const struct catalog stock = {.tools = stock_tools,
				     .tool_count = COUNT(stock_tools),
				     .dimensions = stock_dimensions,
				     .dimension_count = COUNT(stock_dimensions)};
static const char *const tenants[] = {"acme", "vesper", NULL};

struct names_test {
	struct loop *loop;
	struct recording_db recorded;
	struct db *warehouse;
	struct know *know;
	struct know_refresh *refresh;
	struct arena *arena;
};

static int setup(void **state)
{
	struct names_test *t = mem_alloc(sizeof(*t));
	struct err e;

	log_setup(LOG_ERROR, LOG_TEXT);
	assert_true(loop_new(&t->loop, &e));
	recording_db_init(&t->recorded, t->loop);
	t->warehouse = db_from_driver(&recording_db_driver, &t->recorded, DIALECT_SQLITE);
	t->know = know_new(&stock);
	t->refresh = know_refresh_new(t->loop, t->warehouse, tenants);
	t->arena = arena_new(1 << 20);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct names_test *t = *state;

	know_refresh_free(&t->refresh);
	know_free(&t->know);
	db_close(&t->warehouse);
	loop_turn(t->loop);
	loop_free(&t->loop);
	recording_db_deinit(&t->recorded);
	arena_free(&t->arena);
	mem_free(t);
	return 0;
}

static void run(struct names_test *t)
{
	for (int i = 0; i < 20; i++)
		loop_turn(t->loop);
}

static const char *resolve(struct names_test *t, const char *tenant, const char *dimension,
			   const char *text)
{
	struct know_match m;

	struct principal who = {.user = "u", .tenant = tenant};

	return know_resolve(t->know, &who, dimension, text, NULL, t->arena, &m) ? m.value
										: "unknown";
}

static void each_tenant_learns_its_own(void **state)
{
	struct names_test *t = *state;

	recording_db_table(&t->recorded, "Value", "Anvil", "Bellows", NULL);
	recording_db_table(&t->recorded, "Value", "North 1", NULL);
	recording_db_table(&t->recorded, "Value", "Telltale", NULL);
	recording_db_table(&t->recorded, "Value", NULL);
	know_refresh_use(t->refresh, t->know);
	assert_int_equal(t->recorded.queries, 1); /* one at a time */
	assert_string_equal(t->recorded.tenant, "acme");
	assert_non_null(strstr(t->recorded.statements[0].text, "t.name"));
	run(t);
	assert_int_equal(t->recorded.queries, 4);
	assert_string_equal(t->recorded.tenant, "vesper");
	assert_non_null(strstr(t->recorded.statements[0].text, "t.\"Rack No\""));
	assert_string_equal(t->recorded.statements[0].values[0].text, "vesper");
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "acme", "item", "telltale"), "unknown");
	assert_string_equal(resolve(t, "acme", "rack", "north-1"), "North 1");
	assert_string_equal(resolve(t, "vesper", "item", "telltale"), "Telltale");
	assert_string_equal(resolve(t, "vesper", "item", "anvil"), "unknown");
	assert_string_equal(resolve(t, "vesper", "rack", "any"), "any");
}

static void a_dead_warehouse_changes_nothing(void **state)
{
	static const char *const known[] = {"Anvil"};
	struct names_test *t = *state;
	struct err down = {0};

	err_set(&down, ERR_UPSTREAM, "no such file");
	t->recorded.err = &down;
	assert_true(know_learn(t->know, "acme", "item", known, 1));
	know_refresh_use(t->refresh, t->know);
	run(t);
	assert_int_equal(t->recorded.queries, 2); /* one a tenant: the others would fail too */
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "vesper", "item", "anvil"), "anvil");
}

static void a_cut_list_is_not_learned(void **state)
{
	struct names_test *t = *state;

	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	t->recorded.tables[0]->truncated = true;
	know_refresh_use(t->refresh, t->know);
	run(t);
	assert_string_equal(resolve(t, "acme", "item", "bellows"), "bellows");
}

static void another_knowledge_starts_anew(void **state)
{
	struct names_test *t = *state;
	struct know *other = know_new(&stock);

	know_refresh_use(t->refresh, t->know);
	know_refresh_use(t->refresh, other);
	assert_int_equal(t->recorded.cancelled, 1);
	know_free(&t->know);
	t->know = other;
	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	run(t);
	assert_int_equal(t->recorded.queries, 5);
	assert_string_equal(resolve(t, "acme", "item", "anvl"), "Anvil");
}

static void freeing_ends_the_query(void **state)
{
	struct names_test *t = *state;

	know_refresh_use(t->refresh, t->know);
	know_refresh_free(&t->refresh);
	assert_int_equal(t->recorded.cancelled, 1);
	run(t);
	assert_int_equal(t->recorded.queries, 1);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_tenant_learns_its_own), TEST(a_dead_warehouse_changes_nothing),
		TEST(a_cut_list_is_not_learned),  TEST(another_knowledge_starts_anew),
		TEST(freeing_ends_the_query),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
