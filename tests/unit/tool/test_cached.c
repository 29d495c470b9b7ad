/* Cached results: returned only after the gate, for the same permissions, arguments and date, and
 * at most for the time in the header. */
#include "tool_test.h"

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/metric.h"

static struct cache *cache;
static const char *source;

static int set_up_cached(void **state)
{
	set_up(state);
	clock_freeze_ms(1000000);
	health_reset();
	metric_reset();
	cache = cache_memory_new(loop);
	source = NULL;
	return 0;
}

static int tear_down_cached(void **state)
{
	cache_free(&cache);
	clock_release();
	return tear_down(state);
}

/* The small catalogue's tool with this line added to its header. */
static void use_tool(const char *header, const struct domain *const *modules)
{
	const struct toolbox_options options = {.loop = loop,
						.catalog = NULL,
						.sources = sources_known_as(warehouse, source),
						.cache = cache,
						.modules = modules};
	struct toolbox_options o = options;
	char *text = mem_printf("%s" SMALL_TOOL, header);
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, text);
	mem_free(text);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
	o.catalog = catalog;
	toolbox_free(&box);
	if (!toolbox_new(&o, &box, &e))
		fail_msg("%s", e.text);
}

/* Returns true if the call sent a query. The database returns one row, "fresh". */
static bool sends_query(const char *arguments)
{
	int before = recorded.queries;

	if (recorded.table_count == 0)
		recording_db_table(&recorded, "Hub|Price", "fresh|1.50", NULL);
	call_tool("get_price", arguments);
	return recorded.queries > before;
}

static void second_call_sends_no_query(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	recording_db_table(&recorded, "Hub|Price", "other|2.50", NULL);
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(answer->tables[0]->rows[0][0], "fresh");
	assert_string_equal(answer->call, "c1");
	assert_string_equal(answer->tool, "get_price");
	assert_string_equal(answer->about, "Price of a hub.");
	assert_string_equal(args_text(&answer->args, "year", arena), "2025");
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"hit\"}"), 1);
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"miss\"}"), 1);
}

static void cached_result_keeps_hash_time_and_statements(void **state)
{
	char hash[HASH_HEX_BYTES];
	int64_t read_ms;

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	memcpy(hash, answer->hash, sizeof(hash));
	read_ms = answer->read_ms;
	clock_advance_ms(5000);
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_string_equal(answer->hash, hash);
	assert_int_equal(answer->read_ms, read_ms);
	assert_int_equal(answer->statement_count, 1);
	assert_non_null(strstr(answer->statements[0].text, "SELECT"));
	assert_string_equal(args_text(&answer->asked, "hub", arena), "E1");
}

static void caches_nothing_without_cache_s(void **state)
{
	(void)state;
	use_tool("", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"miss\"}"), 0);
}

static void entry_expires_after_cache_s(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	clock_advance_ms(59999);
	assert_false(sends_query("{'hub': 'E1'}"));
	clock_advance_ms(1); /* a hit does not extend the lifetime */
	assert_true(sends_query("{'hub': 'E1'}"));
}

static void key_contains_every_argument(void **state)
{
	static const char *const arguments[] = {
		"{'hub': 'E1'}",
		"{'hub': 'E2'}",
		"{'hub': 'E1', 'year': 2024}",
		"{'hub': 'E1', 'hours': [1, 2]}",
		"{'hub': 'E1', 'hours': [12]}",
		"{'hub': 'E1', 'name': 'x'}",
		"{'hub': 'E1', 'name': 'X'}",
		"{'hub': 'E1', 'since': '2026-01-01'}",
		"{'hub': 'E1', 'firm': true}",
		"{'hub': 'E1', 'firm': false}",
	};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		assert_true(sends_query(arguments[i]));
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++)
		assert_false(sends_query(arguments[i]));
	assert_false(sends_query(
		"{'year': 2025, 'hub': 'E1'}")); /* explicit or default values, in any order */
}

static void tenants_never_share_results(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	who.tenant = "globex";
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_string_equal(recorded.tenant, "globex");
	who.user = "bob"; /* another user of the same tenant gets a hit */
	assert_false(sends_query("{'hub': 'E1'}"));
}

/* Daemons with different warehouses may share a Redis. */
static void warehouses_never_share_results(void **state)
{
	(void)state;
	source = "one";
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	source = "two";
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	source = "one";
	use_tool("-- cache_s: 60\n", NULL);
	assert_false(sends_query("{'hub': 'E1'}"));
}

static void checks_permission_before_cache(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	who.permission_count = 1;
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
	assert_int_equal(answer->table_count, 0);
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"hit\"}"), 0);
}

static void key_contains_column_permissions(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	who.permission_count = 3;
	assert_true(sends_query("{'hub': 'E1'}"));
	who.permission_count = 2;
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_false(sends_query("{'hub': 'E1'}"));
}

static void shows_sql_only_with_permission(void **state)
{
	static const char *const more[] = {"chat:use", "chat:read", "chat:view_sql"};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_null(answer->sql);
	who.permissions = more;
	who.permission_count = 3;
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_non_null(answer->sql);
	assert_non_null(strstr(answer->sql, "SELECT"));
	assert_null(strstr(answer->sql, "E1"));
}

static void key_contains_day_and_catalogue(void **state)
{
	struct args args = {0};
	struct tool_request request = {
		.call = "c1", .tool = "get_price", .bound = &args, .who = &who};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	args_set(&args, arena, "hub", value_text("E1"));
	request.today = (struct date){2026, 2, 28};
	start(&request);
	while (answers == 0)
		loop_run_once(loop);
	assert_int_equal(recorded.queries, 2);
	use_tool("-- cache_s: 61\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
}

static void does_not_cache_failures(void **state)
{
	const struct err broken = {.code = ERR_UPSTREAM, .text = "gone"};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	recorded.err = &broken;
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
	recorded.err = NULL;
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
}

static void caches_empty_results(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	recording_db_table(&recorded, "Hub|Price", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
	assert_int_equal(answer->tables[0]->column_count, 2);
}

static void cancelled_call_sends_no_query(void **state)
{
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	args_set(&args, arena, "hub", value_text("E1"));
	struct op *op = start(&request);
	op_cancel(&op);
	for (int i = 0; i < 3; i++)
		loop_run_once(loop);
	assert_int_equal(answers, 0);
	assert_int_equal(recorded.queries, 0);
}

/* ---- corrupt entries ---- */

struct corrupt_cache {
	struct op op;
	struct deferred deferred;
	cache_value_cb cb;
	void *owner;
	struct str value;
	struct str key; /* of the last request */
	char key_bytes[256];
};

static void deliver_corrupt(void *owner)
{
	struct corrupt_cache *c = owner;

	c->cb(c->owner, c->value);
}

static void on_cancel(struct op *op)
{
	deferred_cancel(&((struct corrupt_cache *)op)->deferred);
}

static struct op *corrupt_get(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct corrupt_cache *c = self;

	assert_true(key.n < sizeof(c->key_bytes));
	memcpy(c->key_bytes, key.p, key.n);
	c->key = (struct str){c->key_bytes, key.n};
	c->op.cancel = on_cancel;
	c->cb = cb;
	c->owner = owner;
	loop_defer(loop, &c->deferred, deliver_corrupt, c);
	return &c->op;
}

static void corrupt_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	(void)self;
	(void)key;
	(void)value;
	(void)ttl_ms;
}

static void corrupt_close(void *self)
{
	(void)self;
}

static const struct cache_driver corrupt_driver = {
	.name = "lying", .get = corrupt_get, .set = corrupt_set, .close = corrupt_close};

static void corrupt_entry_is_a_miss(void **state)
{
	struct corrupt_cache corrupt_cache = {.value = STR("\x01\x07nonsense")};

	(void)state;
	cache_free(&cache);
	cache = cache_from_driver(&corrupt_driver, &corrupt_cache);
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(answer->tables[0]->rows[0][0], "fresh");
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"corrupt\"}"), 1);
	assert_memory_equal(corrupt_cache.key.p,
			    "acme\0tool:", 10); /* each key begins with the tenant */
}

/* ---- tool functions ---- */

static void derive(struct result *r, struct arena *a)
{
	result_add_fact(r, a,
			(struct fact){.name = "twice",
				      .label = "Twice",
				      .value = "3.00",
				      .unit = "$",
				      .formula = "2 * 1.50"});
}

static bool run_and_derive(struct tool_call *call, struct err *e)
{
	tool_arg_set(call, "market", value_text("West"));
	return tool_sql_run_and_derive(call, derive, e);
}

static void cached_result_keeps_facts_and_set_arguments(void **state)
{
	static const struct tool_entry entries[] = {{"get_price", run_and_derive}, {0}};
	static const struct domain module = {"prices", "energy", entries, NULL};
	static const struct domain *const modules[] = {&module, NULL};

	(void)state;
	use_tool("-- cache_s: 60\n-- fact twice unit=$ Two of them\n", modules);
	assert_true(sends_query("{'hub': 'E1'}"));
	assert_false(sends_query("{'hub': 'E1'}"));
	assert_int_equal(answer->fact_count, 1);
	assert_string_equal(result_fact(answer, "twice")->formula, "2 * 1.50");
	assert_string_equal(args_text(&answer->args, "market", arena), "West");
}

#define CACHED(name) cmocka_unit_test_setup_teardown(name, set_up_cached, tear_down_cached)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHED(second_call_sends_no_query),
		CACHED(cached_result_keeps_hash_time_and_statements),
		CACHED(caches_nothing_without_cache_s),
		CACHED(entry_expires_after_cache_s),
		CACHED(key_contains_every_argument),
		CACHED(tenants_never_share_results),
		CACHED(warehouses_never_share_results),
		CACHED(checks_permission_before_cache),
		CACHED(key_contains_column_permissions),
		CACHED(shows_sql_only_with_permission),
		CACHED(key_contains_day_and_catalogue),
		CACHED(does_not_cache_failures),
		CACHED(caches_empty_results),
		CACHED(cancelled_call_sends_no_query),
		CACHED(corrupt_entry_is_a_miss),
		CACHED(cached_result_keeps_facts_and_set_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
