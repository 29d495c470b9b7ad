/*
 * The project tools against a recording database: each argument is bound, the project is looked up
 * first, and no statement of a caller without permission contains budget figures. The figures are
 * tested on the demo data.
 */
#include "domain_data.h"

#include "domain_int.h"

static const char *const analyst[] = {"chat:use", "chat:read_projects", "chat:read_market_data"};

static void start(enum dialect dialect)
{
	begin();
	recording_db_init(&recorded, loop);
	warehouse = db_from_driver(&recording_db_driver, &recorded, dialect);
	open_tools();
}

static void stop(void)
{
	permit_all();
	end();
	recording_db_deinit(&recorded);
}

static void answer_lookup(const char *match)
{
	recording_db_table(&recorded, "ProjectName", match, NULL);
	recording_db_table(&recorded, "ProjectName", "Sierra Wind", "Sierra Solar", "O'Brien Solar",
			   NULL);
}

static void call(const char *tool, const char *arguments)
{
	call_as("acme", "per_agent", tool, arguments);
}

static void each_argument_is_bound(void **state)
{
	static const struct {
		struct binding b;
		bool lookup;
	} cases[] = {
		{{"get_project_overview",
		  "{'project_name': 'sierra w'}",
		  "get_project_overview/main",
		  {"Sierra Wind"}},
		 true},
		{{"get_project_overview",
		  "{'project_name': 'sierra w'}",
		  "get_project_overview/schedule",
		  {"Sierra Wind"}},
		 true},
		{{"get_project_health",
		  "{'project_name': 'sierra w'}",
		  "get_project_health/main",
		  {"Sierra Wind"}},
		 true},
		{{"get_milestone_dates",
		  "{'project_name': 'sierra w'}",
		  "get_milestone_dates/main",
		  {"Sierra Wind", "2026-02-27"}},
		 true},
		{{"get_budget_overview",
		  "{'project_name': 'sierra w'}",
		  "get_budget_overview/main",
		  {"Sierra Wind"}},
		 true},
		{{"get_budget_overview",
		  "{'project_name': 'sierra w'}",
		  "get_budget_overview/totals",
		  {"Sierra Wind"}},
		 true},
		{{"get_task_risks",
		  "{'project_name': 'sierra w', 'risk_level': 'Medium'}",
		  "get_task_risks/main",
		  {"Sierra Wind"}},
		 true},
		{{"get_task_risks",
		  "{'project_name': 'sierra w'}",
		  "get_task_risks/levels",
		  {"Sierra Wind"}},
		 true},
		{{"get_portfolio_summary",
		  "{'status_color': 'blue_ish', 'project_stage': 'Stage_3', 'technology': 'Tidal',"
		  " 'market': 'CAISO'}",
		  "get_portfolio_summary/main",
		  {"blue_ish", "%Stage\\_3%", "Tidal", "CAISO"}},
		 false},
		{{"get_recent_changes",
		  "{'since': '2026-01-05', 'until': '2026-02-05', 'project_name': 'sierra w',"
		  " 'field_changed': 'Risk Assessment'}",
		  "get_recent_changes/main",
		  {"2026-01-05", "2026-02-05", "Sierra Wind", "Risk Assessment"}},
		 true},
		{{"get_recent_changes",
		  "{}",
		  "get_recent_changes/main",
		  {"2026-02-20", "2026-02-27"}},
		 false},
	};

	(void)state;
	for (int d = 0; d < DIALECT_COUNT; d++) {
		start((enum dialect)d);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			if (cases[i].lookup)
				answer_lookup("Sierra Wind");
			recording_db_table(&recorded, "ProjectName", "x", NULL);
			call(cases[i].b.tool, cases[i].b.arguments);
			assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
			check_bound(cases[i].b.statement, cases[i].b.values);
		}
		stop();
	}
}

/* The text of the last query's statements. */
static bool sent(const char *text)
{
	for (size_t i = 0; i < recorded.statement_count; i++)
		if (strstr(recorded.statements[i].text, text))
			return true;
	return false;
}

static void binds_risk_unless_it_is_any(void **state)
{
	(void)state;
	start(DIALECT_MSSQL);
	recording_db_table(&recorded, "ProjectName", "x", NULL);
	call("get_task_risks", "{'risk_level': 'Medium'}");
	assert_true(is_bound(&recorded.statements[0], "Medium"));
	recording_db_table(&recorded, "ProjectName", "x", NULL);
	call("get_task_risks", "{}");
	assert_false(is_bound(&recorded.statements[0], "any"));
	assert_null(args_find(&answer->args, "risk_level"));
	stop();
}

static void budget_is_not_queried_without_permission(void **state)
{
	static const char *const figures[] = {"Actuals_LTD", "Total_Operating_Budget",
					      "Total_Operating_Forecast", "IC_LC", "PPA_LC"};

	(void)state;
	start(DIALECT_MSSQL);
	for (int may_see = 0; may_see < 2; may_see++) {
		permit_all();
		if (!may_see) {
			permissions = analyst;
			permission_count = 3;
		}
		answer_lookup("Sierra Wind");
		recording_db_table(&recorded, "ProjectName", "x", NULL);
		call("get_project_overview", "{'project_name': 'Sierra Wind'}");
		assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
		for (size_t i = 0; i < 5; i++)
			assert_int_equal(sent(figures[i]), may_see);
		recording_db_table(&recorded, "ProjectName", "x", NULL);
		call("get_portfolio_summary", "{}");
		assert_int_equal(sent("Actuals_LTD"), may_see);
		assert_int_equal(sent("Total_Operating_Budget"), may_see);
		recording_db_table(&recorded, "ProjectName", "x", NULL);
		call("get_recent_changes", "{'field_changed': 'Budget'}");
		assert_true(sent("NOT IN ('Spend', 'Budget', 'Forecast', 'IC_LC', 'PPA_LC')"));
		assert_int_equal(sent("OR c.fieldchanged IN ('Spend'"), may_see);
	}
	permissions = analyst;
	permission_count = 3;
	int before = recorded.queries;
	call("get_budget_overview", "{'project_name': 'Sierra Wind'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_NOT_PERMITTED);
	assert_int_equal(recorded.queries, before);
	stop();
}

static void suggests_projects_for_ambiguous_and_unknown_names(void **state)
{
	static const char *const tools[] = {"get_project_overview", "get_project_health",
					    "get_milestone_dates",  "get_budget_overview",
					    "get_task_risks",       "get_recent_changes"};

	(void)state;
	start(DIALECT_SQLITE);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		int before = recorded.queries;
		recording_db_table(&recorded, "ProjectName", "Sierra Solar", "Sierra Wind", NULL);
		recording_db_table(&recorded, "ProjectName", "Sierra Solar", "Sierra Wind", NULL);
		call(tools[i], "{'project_name': 'sierra'}");
		assert_int_equal(answer->outcome.kind, OUTCOME_UNKNOWN_ENTITY);
		assert_string_equal(answer->outcome.param, "project_name");
		assert_int_equal(answer->outcome.suggestion_count, 2);
		assert_string_equal(answer->outcome.suggestions[1].value, "Sierra Wind");
		assert_int_equal(recorded.queries, before + 1); /* nothing but the lookup */
		recording_db_table(&recorded, "ProjectName", NULL);
		recording_db_table(&recorded, "ProjectName", "Mojave BESS", "Sierra Wind", NULL);
		call(tools[i], "{'project_name': 'seirra wnd'}");
		assert_int_equal(answer->outcome.kind, OUTCOME_UNKNOWN_ENTITY);
		assert_string_equal(answer->outcome.suggestions[0].value, "Sierra Wind");
	}
	stop();
}

static void exact_names_win(void **state)
{
	(void)state;
	start(DIALECT_SQLITE);
	recording_db_table(&recorded, "ProjectName", "Kern", "Kern Wind", NULL);
	recording_db_table(&recorded, "ProjectName", "Kern", "Kern Wind", NULL);
	recording_db_table(&recorded, "ProjectName", "x", NULL);
	call("get_project_health", "{'project_name': 'KERN'}");
	assert_true(is_bound(&recorded.statements[0], "Kern"));
	recording_db_table(&recorded, "ProjectName", NULL);
	recording_db_table(&recorded, "ProjectName", "O'Brien Solar", "Kern", NULL);
	recording_db_table(&recorded, "ProjectName", "x", NULL);
	call("get_project_health", "{'project_name': 'obrien solar'}");
	assert_true(is_bound(&recorded.statements[0], "O'Brien Solar"));
	assert_string_equal(args_text(&answer->args, "project_name", arena), "O'Brien Solar");
	stop();
}

static void a_failed_lookup_is_a_failed_call(void **state)
{
	const struct err timeout = {.code = ERR_TIMEOUT, .text = "late"};

	(void)state;
	start(DIALECT_SQLITE);
	recorded.err = &timeout;
	call("get_project_health", "{'project_name': 'Kern'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_TIMEOUT);
	assert_int_equal(recorded.queries, 1);
	stop();
}

static void writes_shift_of_dates(void **state)
{
	static const struct {
		const char *row, *change;
	} cases[] = {
		{"x|P|FinishDate|2026-03-15|2026-06-15", "+3 months"},
		{"x|P|FinishDate|2027-06-30|2027-09-30", "+3 months"},
		{"x|P|FinishDate|2026-01-31|2026-02-28", "+1 month"},
		{"x|P|FinishDate|2026-12-15|2026-10-15", "-2 months"},
		{"x|P|FinishDate|2026-03-01|2026-03-13", "+12 days"},
		{"x|P|FinishDate|2026-03-02|2026-03-01", "-1 day"},
		{"x|P|FinishDate|2026-03-02|2026-03-02", "No change (re-confirmed)"},
		{"x|P|GenerationCapacity|110|120", "+10"},
		{"x|P|StorageCapacity|60|40.5", "-19.5"},
		{"x|P|Status|In Progress|Delayed", NULL},
		{"x|P|FinishDate||2026-03-02", NULL},
	};

	(void)state;
	start(DIALECT_SQLITE);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		recording_db_table(&recorded,
				   "ChangeDate|ProjectName|FieldChanged|PreviousValue|NewValue",
				   cases[i].row, NULL);
		call("get_recent_changes", "{}");
		const char *change = table_cell(answer->tables[0], 0, "Change");
		if (cases[i].change)
			assert_string_equal(change, cases[i].change);
		else
			assert_null(change);
	}
	recording_db_table(&recorded, "ChangeDate|ProjectName|FieldChanged|PreviousValue|NewValue",
			   "x|P|Forecast|5600000|5950000", NULL);
	call("get_recent_changes", "{}");
	assert_string_equal(table_cell(answer->tables[0], 0, "AmountChange"), "+350000");
	stop();
}

/* Amounts are written as in the templates. */
static void writes_short_amounts(void **state)
{
	static const struct {
		const char *digits, *words;
	} cases[] = {{"620000", "$620K"},  {"5950000", "$5.95M"},
		     {"800", "$800"},      {"-1250000", "-$1.25M"},
		     {"999.50", "$999.5"}, {"1000", "$1K"},
		     {"0", "$0"}};

	(void)state;
	begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d;

		assert_true(decimal_parse(cases[i].digits, &d));
		assert_string_equal(domain_money(arena, d), cases[i].words);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_short_amounts),
		cmocka_unit_test(each_argument_is_bound),
		cmocka_unit_test(binds_risk_unless_it_is_any),
		cmocka_unit_test(budget_is_not_queried_without_permission),
		cmocka_unit_test(suggests_projects_for_ambiguous_and_unknown_names),
		cmocka_unit_test(exact_names_win),
		cmocka_unit_test(a_failed_lookup_is_a_failed_call),
		cmocka_unit_test(writes_shift_of_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
