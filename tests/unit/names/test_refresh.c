#include "names_test.h"

#include <unistd.h>

#include "recording_db.h"
#include "sources_of.h"
#include "refresh_int.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"

/* Loading names from a scripted warehouse: queries, loaded names, and failures. */

static const struct param_def stock_params[] = {
	TEXT("item", .entity = "item", .about = "Item"),
	TEXT("grade", .entity = "grade", .about = "Grade"),
	TEXT("rack", .entity = "rack", .about = "Rack"),
};
static const struct tool_def stock_tools[] = {
	TOOL("get_stock", stock_params, price_agents, .index = 0, .about = "Stock of items.")};
static const struct dimension_def stock_dimensions[] = {
	{.name = "item",
	 .index = 0,
	 .filter = "item",
	 .label = "item",
	 .view = "dbo.stock",
	 .source = SOURCE_WAREHOUSE,
	 .column = "name"},
	{.name = "grade",
	 .index = 1,
	 .filter = "grade",
	 .label = "grade",
	 .view = "dbo.stock",
	 .source = SOURCE_WAREHOUSE,
	 .column = "grade",
	 .values = grades},
	{.name = "unused",
	 .index = 2,
	 .filter = "u",
	 .label = "unused",
	 .view = "dbo.stock",
	 .source = SOURCE_WAREHOUSE,
	 .column = "u"},
	{.name = "rack",
	 .index = 3,
	 .filter = "rack",
	 .label = "rack",
	 .view = "dbo.racks",
	 .source = SOURCE_WAREHOUSE,
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
	struct entity_index *index;
	struct name_refresh *refresh;
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
	t->index = entity_index_new(&stock);
	t->refresh =
		name_refresh_new(&(struct name_refresh_options){.loop = t->loop,
								.sources = sources_of(t->warehouse),
								.tenants = tenants,
								.interval_ms = 1000000});
	t->arena = arena_new(1 << 20);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct names_test *t = *state;

	name_refresh_free(&t->refresh);
	entity_index_free(&t->index);
	db_close(&t->warehouse);
	sources_free();
	loop_run_once(t->loop);
	loop_free(&t->loop);
	recording_db_deinit(&t->recorded);
	arena_free(&t->arena);
	mem_free(t);
	return 0;
}

/* Runs until `queries` queries were sent and no worker job is running. */
static void run(struct names_test *t, int queries)
{
	for (int i = 0; i < 2000; i++) {
		loop_run_once(t->loop);
		if (t->recorded.queries >= queries && !t->recorded.running && !t->refresh->job)
			return;
		usleep(1000);
	}
	fail_msg("%d queries, not %d", t->recorded.queries, queries);
}

static const char *resolve(struct names_test *t, const char *tenant, const char *dimension,
			   const char *text)
{
	struct name_match m;

	struct principal who = {.user = "u", .tenant = tenant};

	return entity_index_resolve(t->index, &who, dimension, text, NULL, t->arena, &m) ? m.value
	       : m.is_not_loaded ? "not read"
				 : "unknown";
}

static void each_tenant_loads_its_own_names(void **state)
{
	struct names_test *t = *state;

	recording_db_table(&t->recorded, "Value", "Anvil", "Bellows", NULL);
	recording_db_table(&t->recorded, "Value", "Base", "Special", NULL);
	recording_db_table(&t->recorded, "Value", "North 1", NULL);
	recording_db_table(&t->recorded, "Value", "Telltale", NULL);
	name_refresh_set_index(t->refresh, t->index);
	assert_int_equal(t->recorded.queries, 1); /* one at a time */
	assert_string_equal(t->recorded.tenant, "acme");
	assert_non_null(strstr(t->recorded.statements[0].text, "t.name"));
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "not read");
	run(t, 6);
	assert_int_equal(t->recorded.queries, 6);
	assert_string_equal(t->recorded.tenant, "vesper");
	assert_non_null(strstr(t->recorded.statements[0].text, "t.\"Rack No\""));
	assert_string_equal(t->recorded.statements[0].values[0].text, "vesper");
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "acme", "item", "telltale"), "unknown");
	assert_string_equal(resolve(t, "acme", "grade", "special"), "Special");
	assert_string_equal(resolve(t, "vesper", "grade", "special"), "unknown");
	assert_string_equal(resolve(t, "acme", "rack", "north-1"), "North 1");
	assert_string_equal(resolve(t, "vesper", "item", "telltale"), "Telltale");
	assert_string_equal(resolve(t, "vesper", "item", "anvil"), "unknown");
	assert_string_equal(resolve(t, "vesper", "rack", "any"),
			    "unknown"); /* no rack has this name */
}

static enum health_state state_of_acme;
static void on_check(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)owner;
	(void)note;
	if (strcmp(check, "names:acme") == 0)
		state_of_acme = state;
}

static enum health_state health_of_acme(void)
{
	state_of_acme = HEALTH_DOWN;
	health_each(on_check, NULL);
	return state_of_acme;
}

static void unavailable_warehouse_keeps_names(void **state)
{
	static const char *const known[] = {"Anvil"};
	struct names_test *t = *state;
	struct err down = {0};

	err_set(&down, ERR_UPSTREAM, "no such file");
	t->recorded.err = &down;
	assert_true(entity_index_load(t->index, "acme", "item", known, 1));
	name_refresh_set_index(t->refresh, t->index);
	run(t, 4); /* two per tenant: further ones would fail too */
	assert_int_equal(t->recorded.queries, 4);
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "vesper", "item", "anvil"), "not read");
	assert_int_equal(health_of_acme(), HEALTH_DEGRADED);
	t->recorded.err = NULL;
	name_refresh_set_index(t->refresh, t->index);
	run(t, 10);
	assert_int_equal(health_of_acme(), HEALTH_OK);
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "unknown");
}

/* Two dimensions with separate sources; `far` records the queries of the second. */
struct two_sources {
	struct recording_db far;
	struct db *far_db;
	struct source *items[2];
	struct source_table table;
	struct dimension_def dimensions[4];
	struct catalog catalog;
};

static const char *const acme_alone[] = {"acme", NULL};

static void open_two(struct names_test *t, struct two_sources *two)
{
	recording_db_init(&two->far, t->loop);
	two->far_db = db_from_driver(&recording_db_driver, &two->far, DIALECT_POSTGRES);
	two->items[0] = db_source(t->warehouse, SOURCE_WAREHOUSE, NULL);
	two->items[1] = db_source(two->far_db, "far", NULL);
	two->table = (struct source_table){two->items, 2};
	two->catalog = stock;
	memcpy(two->dimensions, stock_dimensions, sizeof(two->dimensions));
	two->dimensions[3].source = "far"; /* racks */
	two->catalog.dimensions = two->dimensions;
	name_refresh_free(&t->refresh);
	entity_index_free(&t->index);
	t->index = entity_index_new(&two->catalog);
	t->refresh = name_refresh_new(&(struct name_refresh_options){.loop = t->loop,
								     .sources = &two->table,
								     .tenants = acme_alone,
								     .interval_ms = 1000000});
}

static void close_two(struct names_test *t, struct two_sources *two)
{
	name_refresh_free(&t->refresh);
	entity_index_free(&t->index);
	for (size_t i = 0; i < 2; i++)
		two->items[i]->close(two->items[i]);
	db_close(&two->far_db);
	recording_db_deinit(&two->far);
}

static void reads_each_dimension_from_its_source(void **state)
{
	struct names_test *t = *state;
	struct two_sources two;

	open_two(t, &two);
	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	recording_db_table(&two.far, "Value", "North 1", NULL);
	name_refresh_set_index(t->refresh, t->index);
	while (!entity_index_loaded(t->index, "acme"))
		loop_run_once(t->loop);
	assert_int_equal(t->recorded.queries, 2);
	assert_int_equal(two.far.queries, 1);
	assert_non_null(strstr(two.far.statements[0].text, "\"Rack No\""));
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "acme", "rack", "north 1"), "North 1");
	close_two(t, &two);
}

/* Questions about the other sources are answered; the names of this one are retried early. */
static void unavailable_source_does_not_delay_others(void **state)
{
	struct names_test *t = *state;
	struct two_sources two;
	struct err down = {0};

	err_set(&down, ERR_UPSTREAM, "no server");
	open_two(t, &two);
	two.far.err = &down;
	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	name_refresh_set_index(t->refresh, t->index);
	while (!entity_index_loaded(t->index, "acme"))
		loop_run_once(t->loop);
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "Anvil");
	assert_string_equal(resolve(t, "acme", "rack", "north 1"), "not read");
	assert_int_equal(health_of_acme(), HEALTH_DEGRADED);
	two.far.err = NULL;
	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	recording_db_table(&two.far, "Value", "North 1", NULL);
	for (int i = 0; i < 5000 && two.far.queries < 2; i++) {
		loop_run_once(t->loop);
		usleep(1000);
	}
	for (int i = 0; i < 2000 && health_of_acme() != HEALTH_OK; i++) {
		loop_run_once(t->loop);
		usleep(1000);
	}
	assert_string_equal(resolve(t, "acme", "rack", "north 1"), "North 1");
	close_two(t, &two);
}

/* If it is the only source with names, questions wait for it. */
static void waits_for_unavailable_only_source(void **state)
{
	struct names_test *t = *state;
	struct two_sources two;
	struct err down = {0};

	err_set(&down, ERR_UPSTREAM, "no server");
	open_two(t, &two);
	two.far.err = t->recorded.err = &down;
	name_refresh_set_index(t->refresh, t->index);
	for (int i = 0; i < 200; i++) {
		loop_run_once(t->loop);
		usleep(500);
	}
	assert_false(entity_index_loaded(t->index, "acme"));
	close_two(t, &two);
}

static void does_not_load_truncated_page(void **state)
{
	struct names_test *t = *state;

	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	t->recorded.tables[0]->truncated = true;
	name_refresh_set_index(t->refresh, t->index);
	run(t, 6);
	assert_string_equal(resolve(t, "acme", "item", "anvil"), "not read");
	assert_int_equal(health_of_acme(), HEALTH_DEGRADED);
}

static void new_book_gets_previous_names(void **state)
{
	struct names_test *t = *state;
	struct entity_index *other = entity_index_new(&stock);

	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	name_refresh_set_index(t->refresh, t->index);
	run(t, 6);
	name_refresh_set_index(t->refresh, other);
	entity_index_free(&t->index);
	t->index = other;
	assert_string_equal(resolve(t, "acme", "item", "anvl"), "Anvil");
	recording_db_table(&t->recorded, "Value", "Bellows", NULL);
	run(t, 12);
	assert_string_equal(resolve(t, "acme", "item", "anvl"), "unknown");
	assert_string_equal(resolve(t, "acme", "item", "bellows"), "Bellows");
}

static bool knows(const struct entity_index *b, const char *tenant, const char *item)
{
	struct principal who = {.user = "u", .tenant = tenant};
	struct arena *a = arena_new(1 << 20);
	struct name_match m;
	bool known = entity_index_resolve(b, &who, "item", item, NULL, a, &m);

	arena_free(&a);
	return known;
}

/* It starts with the tenant's previous names, and no other tenant's names are reloaded. */
static void sets_book_of_one_tenant(void **state)
{
	struct names_test *t = *state;
	struct entity_index *own = entity_index_new(&stock);

	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	recording_db_table(&t->recorded, "Value", NULL);
	recording_db_table(&t->recorded, "Value", NULL);
	recording_db_table(&t->recorded, "Value", "Telltale", NULL);
	name_refresh_set_index(t->refresh, t->index);
	run(t, 6);
	name_refresh_set_tenant_book(t->refresh, "vesper", own);
	assert_true(knows(own, "vesper", "telltale"));
	assert_false(knows(own, "acme", "anvil"));
	recording_db_table(&t->recorded, "Value", "Bellows", NULL);
	run(t, 7);
	assert_string_equal(t->recorded.tenant, "vesper");
	run(t, 9);
	for (int i = 0; i < 20; i++)
		loop_run_once(t->loop);
	assert_int_equal(t->recorded.queries, 9);
	assert_true(knows(own, "vesper", "bellows"));
	assert_false(knows(t->index, "vesper", "bellows"));
	assert_true(knows(t->index, "acme", "anvil"));
	name_refresh_set_index(t->refresh, t->index);
	entity_index_free(&own);
}

static void loads_book_added_during_a_round(void **state)
{
	struct names_test *t = *state;
	struct entity_index *acme = entity_index_new(&stock), *again = entity_index_new(&stock);

	name_refresh_set_index(t->refresh, t->index);
	for (int i = 0; i < 2000 && !(t->recorded.running && t->recorded.queries == 4); i++) {
		loop_run_once(t->loop);
		usleep(t->recorded.running ? 0 : 1000);
	}
	assert_string_equal(t->recorded.tenant, "vesper");
	name_refresh_set_tenant_book(t->refresh, "acme",
				     acme); /* its names were already loaded in this round */
	name_refresh_set_tenant_book(t->refresh, "vesper",
				     again); /* the running query belongs to the old index */
	assert_int_equal(t->recorded.cancelled, 1);
	recording_db_table(&t->recorded, "Value", "Telltale", NULL);
	recording_db_table(&t->recorded, "Value", NULL);
	recording_db_table(&t->recorded, "Value", NULL);
	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	run(t, 10);
	assert_int_equal(t->recorded.queries, 10);
	assert_true(knows(again, "vesper", "telltale"));
	assert_true(knows(acme, "acme", "anvil"));
	name_refresh_set_index(t->refresh, t->index);
	entity_index_free(&acme);
	entity_index_free(&again);
}

static void new_book_cancels_the_query(void **state)
{
	struct names_test *t = *state;

	name_refresh_set_index(t->refresh, t->index);
	name_refresh_set_index(t->refresh, t->index);
	assert_int_equal(t->recorded.cancelled, 1);
	run(t, 7);
	assert_int_equal(t->recorded.queries, 7);
}

static void free_cancels_the_query(void **state)
{
	struct names_test *t = *state;

	name_refresh_set_index(t->refresh, t->index);
	name_refresh_free(&t->refresh);
	assert_int_equal(t->recorded.cancelled, 1);
	for (int i = 0; i < 20; i++)
		loop_run_once(t->loop);
	assert_int_equal(t->recorded.queries, 1);
}

static void on_round(void *owner)
{
	*(bool *)owner = true;
}

/* The worker's job is awaited and freed, without a callback. */
static void free_cancels_the_job(void **state)
{
	struct names_test *t = *state;
	bool is_done = true;

	recording_db_table(&t->recorded, "Value", "Anvil", NULL);
	name_refresh_on_round(t->refresh, on_round, &is_done);
	/* A fast worker may end within one loop iteration; then the test is repeated. */
	while (!t->refresh->job) {
		if (is_done)
			name_refresh_set_index(t->refresh, t->index);
		is_done = false;
		loop_run_once(t->loop);
	}
	name_refresh_free(&t->refresh);
	assert_null(t->refresh);
	assert_int_equal(t->recorded.cancelled, 0);
}

/* ---- watermarks and pages ---- */

static const struct param_def region_params[] = {
	TEXT("place", .entity = "place", .about = "Place")};
static const struct tool_def region_tools[] = {
	TOOL("get_places", region_params, price_agents, .index = 0, .about = "Places.")};
static const struct dimension_def region_dimensions[] = {
	{.name = "area",
	 .index = 0,
	 .filter = "area",
	 .label = "area",
	 .view = "dbo.p",
	 .source = SOURCE_WAREHOUSE,
	 .column = "area"},
	{.name = "place",
	 .index = 1,
	 .filter = "place",
	 .label = "place",
	 .view = "dbo.p",
	 .source = SOURCE_WAREHOUSE,
	 .column = "name",
	 .parent = "area",
	 .watermark = "id"},
};
static const struct catalog places = {.tools = region_tools,
				      .tool_count = COUNT(region_tools),
				      .dimensions = region_dimensions,
				      .dimension_count = COUNT(region_dimensions)};
static const char *const one_tenant[] = {"acme", NULL};

static int setup_places(void **state)
{
	struct names_test *t;

	setup(state);
	t = *state;
	name_refresh_free(&t->refresh);
	entity_index_free(&t->index);
	t->index = entity_index_new(&places);
	t->refresh =
		name_refresh_new(&(struct name_refresh_options){.loop = t->loop,
								.sources = sources_of(t->warehouse),
								.tenants = one_tenant,
								.interval_ms = 50});
	return 0;
}

static void mark(struct names_test *t, const char *rows, const char *newest)
{
	struct table *table = table_new(4096);
	const char **cells = arena_alloc(table->arena, 2 * sizeof(*cells));

	cells[0] = arena_strdup(table->arena, rows);
	cells[1] = arena_strdup(table->arena, newest);
	table->column_count = 2;
	table->row_count = 1;
	table->rows = arena_alloc(table->arena, sizeof(*table->rows));
	table->rows[0] = cells;
	t->recorded.tables[t->recorded.table_count++] = table;
}

static struct table *page(struct names_test *t, size_t rows)
{
	struct table *table = table_new(1 << 20);

	table->column_count = 2;
	table->row_count = rows;
	table->rows = arena_alloc(table->arena, rows * sizeof(*table->rows));
	for (size_t i = 0; i < rows; i++)
		table->rows[i] = arena_alloc(table->arena, 2 * sizeof(**table->rows));
	t->recorded.tables[t->recorded.table_count++] = table;
	return table;
}

/* The third response is the same watermark, so no page is queried; the fourth is read as a
 * watermark. */
static void skips_unchanged_dimensions(void **state)
{
	struct names_test *t = *state;

	mark(t, "2", "17");
	page(t, 1)->rows[0][0] = "Old Town";
	mark(t, "2", "17");
	mark(t, "3", "18");
	page(t, 1)->rows[0][0] = "New Town";
	name_refresh_set_index(t->refresh, t->index);
	assert_non_null(strstr(t->recorded.statements[0].text, "MAX(t.id)"));
	run(t, 2);
	assert_string_equal(resolve(t, "acme", "place", "old town"), "Old Town");
	run(t, 5);
	assert_string_equal(resolve(t, "acme", "place", "new town"), "New Town");
	assert_string_equal(resolve(t, "acme", "place", "old"), "unknown");
}

/* After a full page, the next page is queried, which begins with the last value again. */
static void reads_consecutive_pages(void **state)
{
	struct names_test *t = *state;
	struct table *first, *second;
	struct name_match m;
	struct principal who = {.user = "u", .tenant = "acme"};

	mark(t, "1", "1");
	first = page(t, NLU_PAGE_ROWS);
	for (size_t i = 0; i < NLU_PAGE_ROWS; i++) {
		first->rows[i][0] = arena_printf(first->arena, "Place %06zu",
						 i < NLU_PAGE_ROWS - 1 ? i : i - 1);
		first->rows[i][1] = i < NLU_PAGE_ROWS - 1 ? "North" : "South";
	}
	second = page(t, 3);
	for (size_t i = 0; i < 3; i++) {
		second->rows[i][0] = i < 2 ? first->rows[NLU_PAGE_ROWS - 1][0] : "Zenith";
		second->rows[i][1] = i ? "South" : "North";
	}
	second->rows[0][0] = arena_strdup(second->arena, second->rows[0][0]);
	second->rows[1][0] = second->rows[0][0];
	t->refresh->interval_ms = 1000000;
	name_refresh_set_index(t->refresh, t->index);
	run(t, 3);
	assert_non_null(strstr(t->recorded.statements[0].text, "t.name >= ?"));
	assert_string_equal(t->recorded.statements[0].values[1].text, "Place 049998");
	assert_int_equal(entity_index_get(t->index, "acme", 1)->count, NLU_PAGE_ROWS + 1);
	assert_string_equal(resolve(t, "acme", "place", "zenith"), "Zenith");
	assert_false(
		entity_index_resolve(t->index, &who, "place", "place 04999x", NULL, t->arena, &m));
	assert_true(m.suggestion_count > 0);
}

#undef TEST
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#define PLACES(f) cmocka_unit_test_setup_teardown(f, setup_places, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_tenant_loads_its_own_names),
		TEST(unavailable_warehouse_keeps_names),
		TEST(reads_each_dimension_from_its_source),
		TEST(unavailable_source_does_not_delay_others),
		TEST(waits_for_unavailable_only_source),
		TEST(does_not_load_truncated_page),
		TEST(new_book_gets_previous_names),
		TEST(sets_book_of_one_tenant),
		TEST(loads_book_added_during_a_round),
		TEST(new_book_cancels_the_query),
		TEST(free_cancels_the_query),
		TEST(free_cancels_the_job),
		PLACES(skips_unchanged_dimensions),
		PLACES(reads_consecutive_pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
