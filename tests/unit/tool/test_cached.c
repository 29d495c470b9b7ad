/* Results from the cache: only after the gate, only for the same caller's rights, arguments and
 * date, only for as long as the header says, and never more than what was there. */
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

/* The small catalogue's tool with this header line in front. */
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

/* Whether the call sent a query; what it gives is one row, "fresh". */
static bool asks(const char *arguments)
{
	int before = recorded.queries;

	if (recorded.table_count == 0)
		recording_db_table(&recorded, "Hub|Price", "fresh|1.50", NULL);
	call_tool("get_price", arguments);
	return recorded.queries > before;
}

static void a_second_call_sends_nothing(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	recording_db_table(&recorded, "Hub|Price", "other|2.50", NULL);
	assert_false(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(answer->tables[0]->rows[0][0], "fresh");
	assert_string_equal(answer->call, "c1");
	assert_string_equal(answer->tool, "get_price");
	assert_string_equal(answer->about, "Price of a hub.");
	assert_string_equal(args_text(&answer->args, "year", arena), "2025");
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"hit\"}"), 1);
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"miss\"}"), 1);
}

static void it_is_still_known_how_it_came_about(void **state)
{
	char hash[HASH_HEX_BYTES];
	int64_t read_ms;

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	memcpy(hash, answer->hash, sizeof(hash));
	read_ms = answer->read_ms;
	clock_advance_ms(5000);
	assert_false(asks("{'hub': 'E1'}"));
	assert_string_equal(answer->hash, hash);
	assert_int_equal(answer->read_ms, read_ms);
	assert_int_equal(answer->statement_count, 1);
	assert_non_null(strstr(answer->statements[0].text, "SELECT"));
	assert_string_equal(args_text(&answer->asked, "hub", arena), "E1");
}

static void without_a_time_nothing_is_kept(void **state)
{
	(void)state;
	use_tool("", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	assert_true(asks("{'hub': 'E1'}"));
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"miss\"}"), 0);
}

static void the_header_says_how_long(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	clock_advance_ms(59999);
	assert_false(asks("{'hub': 'E1'}"));
	clock_advance_ms(1); /* a hit does not prolong */
	assert_true(asks("{'hub': 'E1'}"));
}

static void every_argument_counts(void **state)
{
	static const char *const different[] = {
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
	for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++)
		assert_true(asks(different[i]));
	for (size_t i = 0; i < sizeof(different) / sizeof(different[0]); i++)
		assert_false(asks(different[i]));
	assert_false(asks("{'year': 2025, 'hub': 'E1'}")); /* said or by default, in any order */
}

static void tenants_never_share(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	who.tenant = "globex";
	assert_true(asks("{'hub': 'E1'}"));
	assert_string_equal(recorded.tenant, "globex");
	who.user = "bob"; /* another user of the same tenant does */
	assert_false(asks("{'hub': 'E1'}"));
}

/* A Redis may serve daemons of two warehouses. */
static void warehouses_never_share(void **state)
{
	(void)state;
	source = "one";
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	source = "two";
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	source = "one";
	use_tool("-- cache_s: 60\n", NULL);
	assert_false(asks("{'hub': 'E1'}"));
}

static void rights_are_asked_first(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	who.permission_count = 1;
	assert_false(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
	assert_int_equal(answer->table_count, 0);
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"hit\"}"), 0);
}

static void a_permitted_column_is_another_result(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	who.permission_count = 3;
	assert_true(asks("{'hub': 'E1'}"));
	who.permission_count = 2;
	assert_true(asks("{'hub': 'E1'}"));
	assert_false(asks("{'hub': 'E1'}"));
}

static void statements_are_shown_to_those_who_may_see_them(void **state)
{
	static const char *const more[] = {"chat:use", "chat:read", "chat:view_sql"};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	assert_null(answer->sql);
	who.permissions = more;
	who.permission_count = 3;
	assert_false(asks("{'hub': 'E1'}"));
	assert_non_null(answer->sql);
	assert_non_null(strstr(answer->sql, "SELECT"));
	assert_null(strstr(answer->sql, "E1"));
}

static void another_day_or_catalogue_is_another_result(void **state)
{
	struct args args = {0};
	struct tool_request request = {
		.call = "c1", .tool = "get_price", .bound = &args, .who = &who};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	args_set(&args, arena, "hub", value_text("E1"));
	request.today = (struct date){2026, 2, 28};
	start(&request);
	while (answers == 0)
		loop_turn(loop);
	assert_int_equal(recorded.queries, 2);
	use_tool("-- cache_s: 61\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
}

static void failures_are_not_kept(void **state)
{
	const struct err broken = {.code = ERR_UPSTREAM, .text = "gone"};

	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	recorded.err = &broken;
	assert_true(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
	recorded.err = NULL;
	assert_true(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
}

static void nothing_is_kept_as_nothing(void **state)
{
	(void)state;
	use_tool("-- cache_s: 60\n", NULL);
	recording_db_table(&recorded, "Hub|Price", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	assert_false(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_EMPTY);
	assert_int_equal(answer->tables[0]->column_count, 2);
}

static void a_cancelled_question_asks_nobody(void **state)
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
		loop_turn(loop);
	assert_int_equal(answers, 0);
	assert_int_equal(recorded.queries, 0);
}

/* ---- a cache that lies ---- */

struct liar {
	struct op op;
	struct later later;
	cache_value_cb cb;
	void *owner;
	struct str value;
	struct str key; /* of the last question */
	char key_bytes[256];
};

static void lie(void *owner)
{
	struct liar *l = owner;

	l->cb(l->owner, l->value);
}

static void stop_lying(struct op *op)
{
	later_cancel(&((struct liar *)op)->later);
}

static struct op *lying_get(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct liar *l = self;

	assert_true(key.n < sizeof(l->key_bytes));
	memcpy(l->key_bytes, key.p, key.n);
	l->key = (struct str){l->key_bytes, key.n};
	l->op.cancel = stop_lying;
	l->cb = cb;
	l->owner = owner;
	loop_defer(loop, &l->later, lie, l);
	return &l->op;
}

static void lying_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	(void)self;
	(void)key;
	(void)value;
	(void)ttl_ms;
}

static void lying_close(void *self)
{
	(void)self;
}

static const struct cache_driver is_horizontal = {
	.name = "lying", .get = lying_get, .set = lying_set, .close = lying_close};

static void what_is_no_result_is_a_miss(void **state)
{
	struct liar liar = {.value = STR("\x01\x07nonsense")};

	(void)state;
	cache_free(&cache);
	cache = cache_from_driver(&is_horizontal, &liar);
	use_tool("-- cache_s: 60\n", NULL);
	assert_true(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_string_equal(answer->tables[0]->rows[0][0], "fresh");
	assert_int_equal(metric_get("vesper_tool_cache_total{outcome=\"corrupt\"}"), 1);
	assert_memory_equal(liar.key.p, "acme\0tool:", 10); /* the tenant opens every key */
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
	return tool_sql_run_then(call, derive, e);
}

static void facts_and_set_arguments_come_back(void **state)
{
	static const struct tool_entry entries[] = {{"get_price", run_and_derive}, {0}};
	static const struct domain module = {"prices", "energy", entries, NULL};
	static const struct domain *const modules[] = {&module, NULL};

	(void)state;
	use_tool("-- cache_s: 60\n-- fact twice unit=$ Two of them\n", modules);
	assert_true(asks("{'hub': 'E1'}"));
	assert_false(asks("{'hub': 'E1'}"));
	assert_int_equal(answer->fact_count, 1);
	assert_string_equal(result_fact(answer, "twice")->formula, "2 * 1.50");
	assert_string_equal(args_text(&answer->args, "market", arena), "West");
}

#define CACHED(name) cmocka_unit_test_setup_teardown(name, set_up_cached, tear_down_cached)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHED(a_second_call_sends_nothing),
		CACHED(it_is_still_known_how_it_came_about),
		CACHED(without_a_time_nothing_is_kept),
		CACHED(the_header_says_how_long),
		CACHED(every_argument_counts),
		CACHED(tenants_never_share),
		CACHED(warehouses_never_share),
		CACHED(rights_are_asked_first),
		CACHED(a_permitted_column_is_another_result),
		CACHED(statements_are_shown_to_those_who_may_see_them),
		CACHED(another_day_or_catalogue_is_another_result),
		CACHED(failures_are_not_kept),
		CACHED(nothing_is_kept_as_nothing),
		CACHED(a_cancelled_question_asks_nobody),
		CACHED(what_is_no_result_is_a_miss),
		CACHED(facts_and_set_arguments_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
