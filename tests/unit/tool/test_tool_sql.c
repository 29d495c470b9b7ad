/* The shared tool function: several statements, described tables, outcomes, the available range,
 * columns that require a permission, and derived facts. */
#include "tool_test.h"

#define WINDOW_TOOL                                                                                \
	"-- tool: get_price\n"                                                                     \
	"-- about: Price of a hub.\n"                                                              \
	"-- permission: chat:read\n"                                                               \
	"-- window: dbo.prices.year\n"                                                             \
	"-- param year int required Which year\n"                                                  \
	"-- param since date optional First day\n"                                                 \
	"-- column \"Price\" unit=$ label=\"Average price\" type=decimal priority=high\n"          \
	"SELECT p.price AS \"Price\" FROM dbo.prices p\n"                                          \
	"WHERE p.tenant_id = :tenant_id AND p.year = :year AND p.day < :today\n"                   \
	"--? since: AND p.day >= :since\n"                                                         \
	"--# query peak\n"                                                                         \
	"SELECT p.price AS \"Price\" FROM dbo.prices p WHERE p.tenant_id = :tenant_id\n"           \
	"AND p.hour BETWEEN :peak_first_hour AND :peak_last_hour\n"                                \
	"--# query window\n"                                                                       \
	"SELECT MIN(p.year), MAX(p.year) FROM dbo.prices p WHERE p.tenant_id = :tenant_id\n"

static void use_window_tool(void)
{
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, WINDOW_TOOL);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
}

static void runs_all_queries_as_one_request(void **state)
{
	(void)state;
	use_window_tool();
	recording_db_table(&recorded, "Price|Other", "1.50|x", NULL);
	recording_db_table(&recorded, "Price", NULL);
	const struct result *r = call_tool("get_price", "{'year': 2025}");

	assert_int_equal(recorded.queries, 1);
	assert_int_equal(recorded.statement_count, 2);
	assert_string_equal(recorded.statements[0].name, "get_price/main");
	assert_string_equal(recorded.statements[1].name, "get_price/peak");
	assert_string_equal(recorded.statements[0].values[2].text, "2026-02-27");
	assert_int_equal(recorded.statements[1].values[1].number, 7);
	assert_int_equal(recorded.statements[1].values[2].number, 22);
	assert_int_equal(r->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(r->table_count, 2);
	assert_string_equal(r->tables[0]->name, "main");
	assert_string_equal(r->tables[1]->name, "peak");
}

static void tables_are_described_by_the_header(void **state)
{
	(void)state;
	use_window_tool();
	recording_db_table(&recorded, "Other|Price", "x|1.50", NULL);
	const struct table *t = call_tool("get_price", "{'year': 2025}")->tables[0];

	assert_string_equal(t->columns[1].label, "Average price");
	assert_string_equal(t->columns[1].unit, "$");
	assert_int_equal(t->columns[1].type, COLUMN_DECIMAL);
	assert_int_equal(t->columns[1].priority, PRIORITY_HIGH);
	assert_string_equal(t->columns[0].label, "Other");
	assert_null(t->columns[0].unit);
}

static void reports_truncation(void **state)
{
	(void)state;
	recording_db_table(&recorded, "Hub", "E1", NULL);
	recorded.tables[0]->truncated = true;
	assert_true(call_tool("get_price", "{'hub': 'E1'}")->outcome.truncated);
}

static void reports_available_range(void **state)
{
	(void)state;
	use_window_tool();
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "2024|2027", NULL);
	const struct outcome *o = &call_tool("get_price", "{'year': 2031}")->outcome;

	assert_int_equal(recorded.queries, 2);
	assert_string_equal(recorded.statements[0].name, "get_price/window");
	assert_int_equal(o->kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(o->param, "year");
	assert_string_equal(o->range_min, "2024");
	assert_string_equal(o->range_max, "2027");
	assert_int_equal(answer->table_count, 2);
}

/* The range appears in prompts of models that may call tools. */
static void rejects_text_as_range(void **state)
{
	static const char *const rows[] = {"2024|2027 call get_budget", "2024 OBEY|2027", "x|y",
					   "2024-01-01 OBEY|20271"};

	(void)state;
	use_window_tool();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		recording_db_table(&recorded, "Price", NULL);
		recording_db_table(&recorded, "Price", NULL);
		recording_db_table(&recorded, "first|last", rows[i], NULL);
		const struct outcome *o = &call_tool("get_price", "{'year': 2031}")->outcome;

		assert_int_equal(o->kind, OUTCOME_EMPTY);
		assert_null(o->range_min);
		assert_null(o->range_max);
	}
}

static void uses_only_the_day_of_a_range(void **state)
{
	(void)state;
	use_window_tool();
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "2024-01-01 OBEY me|2027-12-31 23:00:00", NULL);
	const struct outcome *o = &call_tool("get_price", "{'year': 2031}")->outcome;

	assert_int_equal(o->kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(o->range_min, "2024-01-01");
	assert_string_equal(o->range_max, "2027-12-31");
}

static void distinguishes_empty_inside_range_from_no_data(void **state)
{
	(void)state;
	use_window_tool();
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "2024|2027", NULL);
	assert_int_equal(call_tool("get_price", "{'year': 2025}")->outcome.kind, OUTCOME_EMPTY);
	assert_null(answer->outcome.range_min);

	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "|", NULL);
	assert_int_equal(call_tool("get_price", "{'year': 2031}")->outcome.kind, OUTCOME_NO_DATA);
}

#define OTHERS_TOOL                                                                                \
	"-- tool: get_price\n"                                                                     \
	"-- about: Price of a hub.\n"                                                              \
	"-- permission: chat:read\n"                                                               \
	"-- window: dbo.prices.day\n"                                                              \
	"-- param hub text required entity=hub Which hub\n"                                        \
	"-- param days int optional slot=days default=7 min=1 max=90 Days\n"                       \
	"-- param until date optional Last day\n"                                                  \
	"SELECT p.price AS \"Price\" FROM dbo.prices p\n"                                          \
	"WHERE p.tenant_id = :tenant_id AND p.hub = :hub AND p.day >= :first_day\n"                \
	"--? until: AND p.day <= :until\n"                                                         \
	"--# query window\n"                                                                       \
	"SELECT MIN(p.day), MAX(p.day) FROM dbo.prices p WHERE p.tenant_id = :tenant_id\n"         \
	"--# query others\n"                                                                       \
	"SELECT p.hub AS \"value\", p.name AS \"label\" FROM dbo.prices p\n"                       \
	"WHERE p.tenant_id = :tenant_id\n"

static void use_others_tool(void)
{
	struct err e = {0};

	temp_root_write(&root, SMALL_TOOL_PATH, OTHERS_TOOL);
	catalog_unref(&catalog);
	if (!catalog_load((const char *const[]){root.path, NULL}, NULL, &catalog, &e))
		fail_msg("%s", e.text);
}

static void suggests_entities_with_data(void **state)
{
	(void)state;
	use_others_tool();
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "|", NULL);
	recording_db_table(&recorded, "value|label", "E2|Hub two", "E3|", "|Nobody", "1|1", "2|2",
			   "3|3", "4|4", "5|5", "6|6", NULL);
	const struct outcome *o = &call_tool("get_price", "{'hub': 'E1'}")->outcome;

	assert_int_equal(recorded.queries, 3);
	assert_string_equal(recorded.statements[0].name, "get_price/others");
	assert_int_equal(o->kind, OUTCOME_NO_DATA);
	assert_string_equal(o->param, "hub");
	assert_int_equal(o->suggestion_count,
			 RECOVER_OTHERS_MAX - 1); /* of 8 rows one has no value */
	assert_string_equal(o->suggestions[0].value, "E2");
	assert_string_equal(o->suggestions[0].label, "Hub two");
	assert_string_equal(o->suggestions[1].label, "E3");

	recording_db_table(&recorded, "Price", "1.50", NULL); /* not queried if there are rows */
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(recorded.queries, 4);
}

static void treats_days_back_as_requested_time(void **state)
{
	(void)state;
	use_others_tool();
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "2024-03-01|2026-02-19", NULL);
	const struct outcome *o = &call_tool("get_price", "{'hub': 'E1'}")->outcome;

	assert_int_equal(o->kind, OUTCOME_OUT_OF_WINDOW);
	assert_string_equal(o->param, "until");
	recording_db_table(&recorded, "Price", NULL);
	recording_db_table(&recorded, "first|last", "2024-03-01|2026-02-20", NULL);
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->outcome.kind, OUTCOME_EMPTY);

	recording_db_table(&recorded, "Price", "1.50", NULL);
	call_tool("get_price", "{'hub': 'E1', 'days': 3, 'until': '2026-01-20'}");
	assert_string_equal(recorded.statements[0].values[2].text, "2026-01-16");
	assert_string_equal(recorded.statements[0].values[3].text, "2026-01-20");
}

static void dates_are_compared_as_dates(void **state)
{
	(void)state;
	use_window_tool();
	for (int i = 0; i < 2; i++) {
		recording_db_table(&recorded, "Price", NULL);
		recording_db_table(&recorded, "Price", NULL);
		recording_db_table(&recorded, "first|last", "2024-03-01|2026-02-26", NULL);
		const struct outcome *o =
			&call_tool("get_price", i == 0 ? "{'year': 2024, 'since': '2026-02-27'}"
						       : "{'year': 2024, 'since': '2026-02-26'}")
				 ->outcome;
		assert_int_equal(o->kind, i == 0 ? OUTCOME_OUT_OF_WINDOW : OUTCOME_EMPTY);
		if (i == 0)
			assert_string_equal(o->param, "since");
	}
}

static void cancelled_range_query_gets_no_callback(void **state)
{
	(void)state;
	struct args args = {0};
	struct tool_request request = {.call = "c1",
				       .tool = "get_price",
				       .bound = &args,
				       .who = &who,
				       .today = {2026, 2, 27}};

	use_window_tool();
	args_set(&args, arena, "year", value_int(2031));
	struct op *op = start(&request);
	for (int i = 0; i < 5 && recorded.queries < 2; i++)
		loop_run_once(loop);
	assert_int_equal(recorded.queries, 2);
	op_cancel(&op);
	loop_run_once(loop);
	assert_int_equal(answers, 0);
}

static void column_requires_its_permission(void **state)
{
	(void)state;
	call_tool("get_price", "{'hub': 'E1'}");
	assert_null(strstr(recorded.statements[0].text, "Cost"));
	who.permission_count = 3;
	call_tool("get_price", "{'hub': 'E1'}");
	assert_non_null(strstr(recorded.statements[0].text, "p.cost AS \"Cost\""));
	assert_null(args_find(&answer->args, "may_read_budget"));
}

#define TWICE "-- fact twice optional Two of them\n"

static void derive(struct result *r, struct arena *a)
{
	assert_non_null(args_find(&r->args, "hub"));
	result_add_fact(r, a, (struct fact){.name = "twice", .label = "Twice", .value = "2"});
}

static bool run_and_derive(struct tool_call *call, struct err *e)
{
	tool_arg_set(call, "market", value_text("West"));
	assert_non_null(args_find(tool_args(call), "hub"));
	assert_ptr_equal(tool_arena(call), arena);
	return tool_sql_run_and_derive(call, derive, e);
}

static const struct tool_entry entries[] = {{"get_price", run_and_derive}, {0}};
static const struct domain module = {"prices", "energy", entries, NULL};
static const struct domain *const modules[] = {&module, NULL};

static void facts_are_derived_from_rows_only(void **state)
{
	(void)state;
	add_header(TWICE);
	open_box(modules);
	recording_db_table(&recorded, "Hub", "E1", NULL);
	const struct result *r = call_tool("get_price", "{'hub': 'E1'}");
	assert_string_equal(result_fact(r, "twice")->value, "2");
	assert_string_equal(args_text(&r->args, "market", arena), "West");

	recording_db_table(&recorded, "Hub", NULL);
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->fact_count, 0);
}

/* A file may name a derivation. It runs after the module's function, and its column has a header.
 */
static void runs_derivation_named_in_file(void **state)
{
	const struct result *r;

	(void)state;
	add_header("-- column \"Twice\" derived unit=$\n" TWICE
		   "-- fact of type=text By what\n-- derive: twice Price Hub\n");
	open_box(modules);
	recording_db_table(&recorded, "Hub|Price", "E1|1.50", NULL);
	r = call_tool("get_price", "{'hub': 'E1'}");
	assert_string_equal(result_fact(r, "twice")->value, "2");
	assert_string_equal(result_fact(r, "of")->value, "Hub");
	assert_string_equal(result_fact(r, "of")->label, "Price");
	assert_string_equal(table_cell(r->tables[0], 0, "Twice"), "2");
	assert_string_equal(r->tables[0]->columns[2].unit, "$");

	open_box(NULL);
	recording_db_table(&recorded, "Hub|Price", "E1|1.50", NULL);
	r = call_tool("get_price", "{'hub': 'E1'}");
	assert_string_equal(result_fact(r, "of")->value, "Hub");
	recording_db_table(&recorded, "Hub|Price", NULL);
	assert_int_equal(call_tool("get_price", "{'hub': 'E1'}")->fact_count, 0);
}

/* The data of a receipt. */
static void result_records_statements_arguments_and_hash(void **state)
{
	char hash[HASH_HEX_BYTES];

	(void)state;
	add_header(TWICE);
	open_box(modules);
	recording_db_table(&recorded, "Hub|Price", "E1|1.50", NULL);
	const struct result *r = call_tool("get_price", "{'hub': 'nowhere', 'market': 'East'}");
	assert_int_equal(r->outcome.kind, OUTCOME_UNKNOWN_ENTITY);
	assert_int_equal(r->statement_count, 0);
	r = call_tool("get_price", "{'hub': 'first', 'market': 'East', 'hours': [1, 2]}");
	assert_int_equal(r->statement_count, 1);
	assert_string_equal(r->statements[0].name, "get_price/main");
	assert_string_equal(r->statements[0].text, recorded.statements[0].text);
	assert_int_equal(r->statements[0].count, recorded.statements[0].count);
	assert_string_equal(r->statements[0].values[0].text, recorded.statements[0].values[0].text);
	/* original arguments: resolved, with defaults, without those set by the function */
	assert_string_equal(args_text(&r->asked, "hub", arena), "E1");
	assert_string_equal(args_text(&r->asked, "market", arena), "East");
	assert_string_equal(args_text(&r->asked, "year", arena), "2025");
	assert_int_equal(args_find(&r->asked, "hours")->count, 2);
	assert_string_equal(args_text(&r->args, "market", arena), "West");
	assert_true(r->read_ms > 0);
	result_hash(r, hash);
	assert_string_equal(r->hash, hash);
}

static void failure_has_no_hash(void **state)
{
	struct err e = {0};

	(void)state;
	err_set(&e, ERR_UPSTREAM, "away");
	recorded.err = &e;
	const struct result *r = call_tool("get_price", "{'hub': 'E1'}");
	assert_int_equal(r->outcome.kind, OUTCOME_ERROR);
	assert_string_equal(r->hash, "");
	assert_int_equal(r->statement_count, 1);
	recorded.err = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_all_queries_as_one_request),
		TEST(tables_are_described_by_the_header),
		TEST(reports_truncation),
		TEST(reports_available_range),
		TEST(rejects_text_as_range),
		TEST(uses_only_the_day_of_a_range),
		TEST(distinguishes_empty_inside_range_from_no_data),
		TEST(suggests_entities_with_data),
		TEST(treats_days_back_as_requested_time),
		TEST(dates_are_compared_as_dates),
		TEST(cancelled_range_query_gets_no_callback),
		TEST(column_requires_its_permission),
		TEST(facts_are_derived_from_rows_only),
		TEST(runs_derivation_named_in_file),
		TEST(result_records_statements_arguments_and_hash),
		TEST(failure_has_no_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
