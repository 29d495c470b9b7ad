/*
 * Compares the facts that tool files declare with those that their derivations add on the demo
 * data: each added fact is declared, and each declared fact is added by some call.
 */
#include "demo_ask.h"

#include "vesper/decimal.h"

#define CURVE "'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend', 'asof': 'Jan_2025'"

/* Calls that add further facts. */
static const struct {
	const char *tool, *arguments;
} extra_calls[] = {
	{"get_hourly_price_distribution", "{" CURVE ", 'day': '2025-03-14', 'min_price': 1}"},
	{"get_hourly_price_distribution", "{" CURVE "}"},
	{"compare_hub_zones", "{'hub_zones': ['NP15', 'SP15'], 'year': 2025}"},
	{"get_views_trend", "{'report_name': 'Portfolio View'}"},
	{"get_views_trend", "{'from': '2025-10-10', 'to': '2026-02-10'}"},
	{"get_project_overview", "{'project_name': 'Nazareth Solar'}"},
	{"get_project_health", "{'project_name': 'Nazareth Solar'}"},
	{"get_budget_overview", "{'project_name': 'Nazareth Solar'}"},
	{"get_task_risks", "{'not_risk': ['Low']}"},
	{"get_portfolio_summary", "{'status_color': 'red', 'not_stage': ['Stage 2']}"},
	{"get_color_ranking", "{'technology': 'Wind'}"},
	{"get_color_ranking", "{'technology': 'Hybrid'}"},
	{"get_recent_changes", "{'since': '2026-01-01', 'field_changed': 'FinishDate'}"},
};

enum { TOOLS_MAX = 96, NAMES_MAX = 64 };

static bool is_added[TOOLS_MAX][NAMES_MAX];

static void check_value(const struct fact_def *d, const char *tool, const char *value)
{
	struct decimal number;
	struct date day;

	if ((d->type == FACT_NUMBER || d->type == FACT_INT) && !decimal_parse(value, &number))
		fail_msg("%s: %s is not a number: %s", tool, d->name, value);
	if (d->type == FACT_DATE && !date_parse_iso(value, &day))
		fail_msg("%s: %s is not a date: %s", tool, d->name, value);
}

static void record_facts(const char *tool, const char *arguments)
{
	const struct tool_def *t = catalog_tool(catalog, tool);

	call_tool(tool, arguments);
	if (result->outcome.kind != OUTCOME_ROWS)
		fail_msg("%s %s: %s", tool, arguments, outcome_name(result->outcome.kind));
	for (size_t i = 0; i < result->fact_count; i++) {
		const struct fact_def *d = tool_fact(t, result->facts[i].name);

		if (!d)
			fail_msg("%s adds %s, which is not declared", tool, result->facts[i].name);
		check_value(d, tool, result->facts[i].value);
		is_added[t->index][d - t->facts] = true;
	}
	for (size_t i = 0; i < t->fact_count; i++)
		if (!t->facts[i].optional && !result_fact(result, t->facts[i].name))
			fail_msg("%s lacks %s", tool, t->facts[i].name);
}

static void declared_and_added_facts_match(void **state)
{
	size_t missing = 0;

	(void)state;
	assert_true(catalog->tool_count <= TOOLS_MAX);
	for (size_t i = 0; i < sizeof(tool_cases) / sizeof(tool_cases[0]); i++)
		record_facts(tool_cases[i].tool, tool_cases[i].normal);
	for (size_t i = 0; i < sizeof(extra_calls) / sizeof(extra_calls[0]); i++)
		record_facts(extra_calls[i].tool, extra_calls[i].arguments);
	for (size_t i = 0; i < catalog->tool_count; i++)
		for (size_t k = 0; k < catalog->tools[i].fact_count; k++) {
			/* Analyses, documents and data sources work on user data. */
			if (is_added[i][k] || catalog->tools[i].analysis.cues ||
			    tool_has_no_statement(&catalog->tools[i]))
				continue;
			print_message("%s declares %s, which no call adds\n",
				      catalog->tools[i].name, catalog->tools[i].facts[k].name);
			missing++;
		}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declared_and_added_facts_match),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
