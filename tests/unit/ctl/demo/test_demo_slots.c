/* Effects of parameter slots on the rows of the demo data. */
#include "demo_ask.h"

static void assert_answer_has(const char *text)
{
	if (!strstr(answer.markdown, text))
		fail_msg("\"%s\" is not in:\n%s", text, answer.markdown);
}

static double number(size_t row, const char *column)
{
	const char *text = table_cell(result->tables[0], row, column);

	assert_non_null(text);
	return atof(text);
}

static int64_t hours_of(const char *arguments)
{
	const struct fact *hours;

	call_tool("get_hourly_price_distribution", arguments);
	hours = result_fact(result, "hours");
	return hours ? atoll(hours->value) : 0;
}

#define CURVE "'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend', 'asof': 'Jan_2025'"

static void applies_price_bounds(void **state)
{
	int64_t all, above, below;
	char arguments[256], price[64];

	(void)state;
	all = hours_of("{" CURVE ", 'min_price': -100000}");
	assert_int_equal(all, 8760);
	above = hours_of("{" CURVE ", 'min_price': 60, 'min_price_incl': 0}");
	assert_answer_has("only the ");
	assert_answer_has("hours above $60");
	for (size_t row = 0; row < result->tables[0]->row_count; row++)
		assert_true(number(row, "MinPrice_PerMWh") >= 60); /* as shown, rounded */
	below = hours_of("{" CURVE ", 'max_price': 60}");
	assert_answer_has("hours at or below $60");
	assert_true(above > 0 && below > 0 && above < all);
	assert_int_equal(above + below, all);
	/* an existing price as an inclusive, then an exclusive bound */
	role = "admin";
	call_tool(
		"general_sql_query",
		"{'sql': 'SELECT MAX(d.DAYAHEAD_PRICE) AS Price FROM Stage.mc_dayahead d JOIN "
		"Stage.mc_vendor_files f ON d.FILE_INFO_KEY = f.file_info_key AND d.HUBZONE_KEY = "
		"f.hubzone_key WHERE f.hubzone = \\u0027NP15\\u0027 AND f.vendor = "
		"\\u0027Ascend\\u0027 AND d.YEAR = 2025 AND f.asof = \\u0027Jan_2025\\u0027 "
		"AND f.reference = \\u0027Base\\u0027'}");
	role = "manager";
	assert_int_equal(result->outcome.kind, OUTCOME_ROWS);
	snprintf(price, sizeof(price), "%s", table_cell(result->tables[0], 0, "Price"));
	snprintf(arguments, sizeof(arguments), "{" CURVE ", 'min_price': %s}", price);
	assert_true(hours_of(arguments) > 0);
	snprintf(arguments, sizeof(arguments), "{" CURVE ", 'min_price': %s, 'min_price_incl': 0}",
		 price);
	(void)hours_of(arguments);
	assert_int_equal(result->outcome.kind, OUTCOME_EMPTY);
}

static void selects_one_day(void **state)
{
	(void)state;
	call_tool("get_hourly_price_distribution", "{" CURVE ", 'day': '2025-03-14'}");
	assert_answer_has("on 14 March 2025");
	assert_int_equal(result->tables[0]->row_count, 24);
	assert_string_equal(table_cell(result->tables[0], 5, "DataPoints"), "1");
	call_tool("get_hourly_price_distribution", "{" CURVE ", 'day': '2026-03-14'}");
	assert_int_not_equal(result->outcome.kind, OUTCOME_ROWS);
}

/* Rows with a listed value are excluded; rows without a value stay. */
static void excludes_values(void **state)
{
	static const struct {
		const char *filter, *column, *value;
	} cases[] = {
		{"not_status", "ProjectStatus", "on_track"},
		{"not_stage", "CurrentStage", "Stage 2"},
		{"not_technology", "Technology", "Solar"},
		{"not_market", "Market", "CAISO"},
		{"not_sponsor", "Sponsor", "Helios Partners"},
	};
	int64_t all;

	(void)state;
	call_tool("get_portfolio_summary", "{}");
	all = result->tables[0]->total_rows;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t matching = 0;
		char arguments[128];
		int64_t remaining;

		call_tool("get_portfolio_summary", "{}");
		for (size_t row = 0; row < result->tables[0]->row_count; row++) {
			const char *cell = table_cell(result->tables[0], row, cases[i].column);

			matching += cell &&
				    strncmp(cell, cases[i].value, strlen(cases[i].value)) == 0 &&
				    (i == 1 || strcmp(cell, cases[i].value) == 0);
		}
		assert_true(matching > 0);
		snprintf(arguments, sizeof(arguments), "{'%s': ['%s']}", cases[i].filter,
			 cases[i].value);
		call_tool("get_portfolio_summary", arguments);
		remaining = result->tables[0]->total_rows;
		assert_int_equal(remaining, all - (int64_t)matching);
		assert_answer_has("without ");
	}
	call_tool("get_task_risks", "{'not_risk': ['Low', 'Medium']}");
	assert_answer_has("without Low, Medium");
	for (size_t row = 0; row < result->tables[0]->row_count; row++)
		assert_string_equal(table_cell(result->tables[0], row, "RiskLevel"), "High");
}

static void selects_a_sponsor(void **state)
{
	(void)state;
	call_tool("get_portfolio_summary", "{'sponsor': 'Helios Partners'}");
	assert_answer_has("sponsored by **Helios Partners**");
	assert_true(result->tables[0]->row_count > 0);
	for (size_t row = 0; row < result->tables[0]->row_count; row++)
		assert_string_equal(table_cell(result->tables[0], row, "Sponsor"),
				    "Helios Partners");
}

static void applies_the_sort_order(void **state)
{
	static const char *const tools[] = {"get_top_reports_by_views", "get_top_users"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		call_tool(tools[i], "{'order': 'asc'}");
		assert_answer_has("The least ");
		assert_true(result->tables[0]->row_count > 1);
		for (size_t row = 1; row < result->tables[0]->row_count; row++)
			assert_true(number(row - 1, "TotalViews") <= number(row, "TotalViews"));
		call_tool(tools[i], "{}");
		assert_answer_has("The most ");
		for (size_t row = 1; row < result->tables[0]->row_count; row++)
			assert_true(number(row - 1, "TotalViews") >= number(row, "TotalViews"));
		call_tool(tools[i], "{'order': 'up'}");
		assert_int_equal(result->outcome.kind, OUTCOME_ERROR);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applies_price_bounds),   cmocka_unit_test(selects_one_day),
		cmocka_unit_test(excludes_values),        cmocka_unit_test(selects_a_sponsor),
		cmocka_unit_test(applies_the_sort_order),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
