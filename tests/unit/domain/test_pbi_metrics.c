/* The usage tools: each argument is bound, and a small event file gives the expected counts. */
#include "domain_data.h"

static void each_argument_is_bound(void **state)
{
	static const struct binding cases[] = {
		{"get_top_reports_by_views",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'top_n': 7}",
		 "get_top_reports_by_views/main",
		 {"2026-01-02", "2026-01-30", "7"}},
		{"get_top_reports_by_views",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'top_n': 7}",
		 "get_top_reports_by_views/totals",
		 {"2026-01-02", "2026-01-30"}},
		{"get_top_reports_by_views", "{}", "get_top_reports_by_views/main", {"10"}},
		{"get_top_users",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'top_n': 3, 'report_name': '100%'}",
		 "get_top_users/main",
		 {"2026-01-02", "2026-01-30", "3", "%100\\%%"}},
		{"get_top_users",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'top_n': 3, 'report_name': 'Curves'}",
		 "get_top_users/totals",
		 {"2026-01-02", "2026-01-30", "%Curves%"}},
		{"get_views_trend",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'report_name': 'Curves'}",
		 "get_views_trend/main",
		 {"2026-01-02", "2026-01-30", "%Curves%"}},
		{"get_views_trend",
		 "{'from': '2025-01-02', 'to': '2026-01-30', 'step': 'month'}",
		 "get_views_trend/main",
		 {"2025-01-02", "2026-01-30"}},
		{"get_views_trend",
		 "{'from': '2026-01-02', 'to': '2026-01-30', 'report_name': 'Curves'}",
		 "get_views_trend/reports",
		 {"2026-01-02", "2026-01-30", "%Curves%"}},
	};

	(void)state;
	check_bindings("pbi_metrics_agent", cases, sizeof(cases) / sizeof(cases[0]), "x", "y");
}

static void denied_call_sends_no_query(void **state)
{
	static const char *const tools[] = {"get_top_reports_by_views", "get_top_users",
					    "get_views_trend", NULL};

	(void)state;
	check_denied(tools, "chat:read_pbi_metrics", "{}");
}

/* `n` events of one user and report, one a day from `day` on. */
static void add_events(sqlite3 *db, const char *tenant, const char *report, const char *user,
		       const char *type, const char *day, int n)
{
	char *sql = sqlite3_mprintf(
		"WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n + 1 < %d)"
		"INSERT INTO pbi_activity_events (tenant_id, report_id, report_name, "
		"workspace_name, user_email, activity_type, activity_date, created_at, source_id)"
		" SELECT %Q, %Q, %Q, 'W', %Q, %Q, date(%Q, '+' || n || ' days'), '2026-01-01', "
		"lower(hex(randomblob(16))) FROM i",
		n, tenant, report, report, user, type, day);

	exec(db, sql);
	sqlite3_free(sql);
}

static int open_files(void **state)
{
	sqlite3 *db;

	(void)state;
	new_folder();
	db = new_file("acme");
	add_events(db, "acme", "Price Curves", "ann@x", "ViewReport", "2025-12-20", 20);
	add_events(db, "acme", "Price Curves", "bob@x", "ViewReport", "2026-01-10", 10);
	add_events(db, "acme", "100% Budget", "ann@x", "ViewReport", "2026-01-05", 6);
	add_events(db, "acme", "100% Budget", "cy@x", "ExportReport", "2026-01-05", 20);
	add_events(db, "acme", "Other Curves", "ann@x", "ViewReport", "2026-02-01", 4);
	sqlite3_close(db);
	db = new_file("vesper");
	add_events(db, "vesper", "Secret", "eve@x", "ViewReport", "2026-01-01", 30);
	sqlite3_close(db);
	open_folder();
	return 0;
}

static int close_files(void **state)
{
	(void)state;
	close_folder();
	return 0;
}

static void call(const char *tool, const char *arguments)
{
	call_as("acme", "pbi_metrics_agent", tool, arguments);
}

static void reports_are_ranked_with_their_share(void **state)
{
	(void)state;
	call("get_top_reports_by_views", "{'from': '2026-01-01', 'to': '2026-01-31'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ROWS);
	assert_int_equal(answer->tables[0]->row_count, 2);
	assert_string_equal(cell(0, "ReportName"), "Price Curves");
	number(cell(0, "TotalViews"), 18);
	number(cell(0, "UniqueViewers"), 2);
	assert_string_equal(cell(1, "ReportName"), "100% Budget");
	number(cell(1, "TotalViews"), 6); /* exports are not views */
	fact("all_views", "24", "views");
	fact("top_share", "75.0", "%");
	fact("period", "January 2026", NULL);
	call("get_top_reports_by_views", "{'top_n': 1}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	fact("all_views", "40", "views");
	fact("period", "20 December 2025 to 4 February 2026", NULL);
}

static void users_are_ranked(void **state)
{
	(void)state;
	call("get_top_users", "{}");
	assert_int_equal(answer->tables[0]->row_count, 2);
	assert_string_equal(cell(0, "UserEmail"), "ann@x");
	number(cell(0, "TotalViews"), 30);
	number(cell(0, "UniqueReportsViewed"), 3);
	assert_string_equal(cell(0, "LastActivity"), "2026-02-04");
	fact("top_share", "75.0", "%");
	call("get_top_users", "{'report_name': '100%', 'from': '2026-01-01'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	number(cell(0, "TotalViews"), 6);
	fact("period", "1 January 2026 to 10 January 2026", NULL);
	call("get_top_users", "{'report_name': 'u_g'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_NO_DATA); /* _ is an ordinary character */
}

static void trend_is_by_month(void **state)
{
	(void)state;
	call("get_views_trend", "{'from': '2025-12-01', 'to': '2026-02-28'}");
	assert_int_equal(answer->tables[0]->row_count, 3);
	assert_string_equal(cell(0, "Period"), "2025-12-01");
	number(cell(0, "TotalViews"), 12);
	number(cell(1, "TotalViews"), 24);
	number(cell(2, "TotalViews"), 4);
	fact("reports", "3", NULL);
	fact("all_views", "40", "views");
	fact("period", "1 December 2025 to 28 February 2026", NULL);
	fact("change", "-8", "views");
	fact("direction", "down", NULL);
	fact("change_percent", "66.7", "%");
	call("get_views_trend", "{'from': '2025-10-01', 'to': '2025-12-31', 'step': 'month'}");
	assert_int_equal(answer->tables[0]->row_count, 1);
	assert_null(result_fact(answer, "change"));
}

/* 20 December to 4 February are recorded, so only January is a complete month. */
static void partial_months_are_not_compared(void **state)
{
	(void)state;
	call("get_views_trend", "{}");
	assert_int_equal(answer->tables[0]->row_count, 3);
	assert_null(result_fact(answer, "change"));
	fact("reports", "3", NULL);
}

static void trend_of_a_short_range_is_by_day(void **state)
{
	(void)state;
	call("get_views_trend",
	     "{'from': '2026-01-08', 'to': '2026-01-12', 'report_name': 'price curves'}");
	assert_int_equal(answer->tables[0]->row_count, 4);
	assert_string_equal(cell(0, "Period"), "2026-01-08");
	assert_string_equal(cell(3, "Period"), "2026-01-12");
	fact("report", "Price Curves", NULL);
	call("get_views_trend", "{'step': 'week'}");
	assert_int_equal(answer->outcome.kind, OUTCOME_ERROR);
}

static void out_of_window_result_gives_the_available_range(void **state)
{
	static const char *const tools[] = {"get_top_reports_by_views", "get_top_users",
					    "get_views_trend"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		call(tools[i], "{'from': '2024-01-01', 'to': '2024-12-31'}");
		assert_int_equal(answer->outcome.kind, OUTCOME_OUT_OF_WINDOW);
		assert_string_equal(answer->outcome.range_min, "2025-12-20");
		assert_string_equal(answer->outcome.range_max, "2026-02-04");
	}
}

#define REAL(name) cmocka_unit_test_setup_teardown(name, open_files, close_files)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_argument_is_bound),
		cmocka_unit_test(denied_call_sends_no_query),
		REAL(reports_are_ranked_with_their_share),
		REAL(users_are_ranked),
		REAL(trend_is_by_month),
		REAL(partial_months_are_not_compared),
		REAL(trend_of_a_short_range_is_by_day),
		REAL(out_of_window_result_gives_the_available_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
