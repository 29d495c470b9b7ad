/*
 * The tools of every domain on the demo data: the template's answers contain the expected
 * figures. DEMO_ANSWERS_SHOW=1 prints the answers.
 */
#include "demo_ask.h"

static void assert_answer_has(const char *text)
{
	if (!strstr(answer.markdown, text))
		fail_msg("\"%s\" is not in:\n%s", text, answer.markdown);
}

static void assert_answer_lacks(const char *text)
{
	if (strstr(answer.markdown, text))
		fail_msg("\"%s\" is in:\n%s", text, answer.markdown);
}

/* ---- use of reports ---- */

static void answers_usage(void **state)
{
	(void)state;
	call_tool("get_top_reports_by_views", "{'from': '2026-01-01', 'to': '2026-01-31'}");
	assert_answer_has("(January 2026) is **Day-Ahead Curves Dashboard** with **");
	call_tool("get_top_users", "{'from': '2026-01-01', 'to': '2026-01-31', 'top_n': 10}");
	assert_answer_has("maria.lopez@vesper.example");
	assert_int_equal(result->tables[0]->row_count, 10);
	call_tool("get_views_trend", "{'report_name': 'Portfolio View'}");
	assert_answer_has("Views of **Portfolio View**");
	assert_int_equal(result->tables[0]->row_count, 5);
}

/* ---- price curves ---- */

static void answers_price_curves(void **state)
{
	(void)state;
	call_tool("compare_hub_zones",
		  "{'hub_zones': ['NP15', 'SP15'], 'year': 2025, 'vendor': 'Ascend',"
		  " 'asof': 'Jan_2025'}");
	assert_answer_has("**SP15**");
	assert_answer_has("$52.14/MWh against $48.73/MWh");
	assert_answer_has("**$3.41/MWh** (7%)");
	call_tool("get_peak_offpeak_spread", "{'hub_zone': 'HB_NORTH'}");
	assert_answer_has("peak hours 7-22");
	call_tool("get_seasonal_shape", "{'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend'}");
	assert_answer_has("By season: Spring $");
	assert_int_equal(result->tables[0]->row_count, 12);
	call_tool("get_daily_shape", "{'hub_zone': 'NP15', 'year': 2025, 'vendor': 'Ascend'}");
	assert_int_equal(result->tables[0]->row_count, 24);
	assert_answer_has("of the average");
	call_tool("compare_markets", "{'markets': ['CAISO', 'ERCOT'], 'year': 2025}");
	assert_answer_has("over all their hub-zones");
}

/* ---- projects ---- */

static void answers_health(void **state)
{
	(void)state;
	role = "viewer";
	call_tool("get_project_health", "{'project_name': 'nazareth'}");
	assert_answer_has(
		"**Nazareth Solar** is currently in **Stage 4 Pre-Con & Finance** with overall "
		"project status **🟡 At risk**");
	assert_answer_has("3 🟢 Green, 3 🟡 Yellow, 2 🔴 Red, 1 ⬜ N/A");
	assert_answer_has("| Site Control | 🟢 Green | 100% | — | Site secured |");
	assert_answer_has("| Permits | 🟡 Yellow | 65% | 30 June 2025 | CEQA review pending |");
	assert_answer_has(
		"| Interconnection | 🔴 Red | 40% | 30 September 2025 | Phase II study delayed |");
	assert_answer_has("| Construction | ⬜ N/A | 0% | — | Not started |");
	assert_answer_has("| Schedule | 🟡 Yellow | — | — | COD at risk by ~3 months |");
	assert_answer_has(
		"**Key risks**: Interconnection (Phase II study delayed), Financing (Term sheet");
	role = "manager";
}

static void resolves_project_names(void **state)
{
	static const char *const one[][2] = {
		{"Nazareth Solar", "Nazareth Solar"},
		{"nazareth SOLAR", "Nazareth Solar"},
		{"obrien solar", "O'Brien Solar"},
		{"100%", "100% Solar"},
		{"project 7", "project_7"},
		{"project_7", "project_7"},
		{"mojave", "Mojave BESS"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
		char arguments[128];
		snprintf(arguments, sizeof(arguments), "{'project_name': '%s'}", one[i][0]);
		call_tool("get_project_health", arguments);
		assert_int_equal(result->outcome.kind, OUTCOME_ROWS);
		assert_string_equal(table_cell(result->tables[0], 0, "ProjectName"), one[i][1]);
		assert_int_equal(result->tables[0]->row_count, 9);
	}
	call_tool("get_project_health", "{'project_name': 'Sierra'}");
	assert_int_equal(result->outcome.kind, OUTCOME_UNKNOWN_ENTITY);
	assert_int_equal(result->outcome.suggestion_count, 2);
	assert_answer_has("matches 2 projects. Did you mean Sierra Solar (");
	call_tool("get_project_health", "{'project_name': 'Nazaret Solr'}");
	assert_int_equal(result->outcome.kind, OUTCOME_UNKNOWN_ENTITY);
	assert_string_equal(result->outcome.suggestions[0].value, "Nazareth Solar");
}

static void overview_shows_budget_by_permission(void **state)
{
	(void)state;
	call_tool("get_project_overview", "{'project_name': 'Nazareth Solar'}");
	assert_answer_has("COD is 15 June 2027");
	assert_answer_has("**$1.4M** of a budget of **$2.1M** has been spent (66.7%)");
	role = "analyst";
	call_tool("get_project_overview", "{'project_name': 'Nazareth Solar'}");
	assert_answer_has("COD is 15 June 2027");
	assert_answer_lacks("1.4M");
	assert_true(table_column(result->tables[0], "ActualsLTD") < 0);
	call_tool("get_budget_overview", "{'project_name': 'Nazareth Solar'}");
	assert_int_equal(result->outcome.kind, OUTCOME_NOT_PERMITTED);
	role = "manager";
	call_tool("get_budget_overview", "{'project_name': 'Nazareth Solar'}");
	assert_answer_has("**$1.4M** of its budget of **$2.1M** (66.7%); $700K remain");
	assert_answer_has("The forecast of $2.25M is $150K over budget");
	assert_answer_has("6.8%");
}

static void answers_milestones_and_risks(void **state)
{
	(void)state;
	call_tool("get_milestone_dates", "{'project_name': 'Nazareth Solar'}");
	assert_answer_has("on **15 June 2027**");
	assert_answer_has("| Project Finance | 15 November 2025 | yes |");
	assert_int_equal(result->tables[0]->row_count, 17);
	call_tool("get_task_risks", "{'project_name': 'Nazareth Solar'}");
	assert_answer_has("3 High, 3 Medium, 1 Low");
	call_tool("get_task_risks", "{'risk_level': 'High'}");
	assert_int_equal(result->tables[0]->stats[3].distinct, 1);
}

static void answers_portfolio(void **state)
{
	(void)state;
	call_tool("get_portfolio_summary", "{'status_color': 'red'}");
	assert_answer_has("There are **3 projects** currently **🔴 Off track**");
	assert_answer_has(
		"| Sierra Wind | Stage 3 Late Dev | Wind | ERCOT | 15 August 2028 | $800K | "
		"$620K | "
		"Permitting stalled |");
	assert_answer_has("| $5.4M | $4.9M | EPC contractor dispute |");
	role = "viewer";
	call_tool("get_portfolio_summary", "{'project_stage': 'Stage 3'}");
	assert_answer_has("Sierra Wind");
	assert_answer_has("15 August 2028");
	assert_answer_lacks("$");
	assert_answer_lacks("Old Fort");
	role = "manager";
	call_tool("get_portfolio_summary", "{}");
	assert_int_equal(result->tables[0]->row_count, 19);
}

static void answers_changes(void **state)
{
	(void)state;
	call_tool("get_recent_changes", "{'since': '2026-02-20', 'field_changed': 'FinishDate'}");
	assert_answer_has("**5 changes** of milestone and task dates");
	assert_answer_has(
		"| 26 February 2026 | Sierra Wind | Execute Interconnection Agreement | 15 "
		"March 2026 "
		"| 15 June 2026 | +3 months |");
	assert_answer_has("| 15 April 2026 | 15 April 2026 | No change (re-confirmed) |");
	assert_answer_has("| 15 December 2026 | 15 February 2027 | +2 months |");
	assert_answer_has("| 30 June 2027 | 30 September 2027 | +3 months |");
	assert_answer_has(
		"**Pattern**: 4 of 5 dates moved later, by 2 to 3 months; 1 re-confirmed.");
	call_tool("get_recent_changes", "{}");
	assert_int_equal(result->tables[0]->row_count, 12);
	assert_answer_has("$350K");
	role = "viewer";
	call_tool("get_recent_changes", "{}");
	assert_int_equal(result->tables[0]->row_count, 8);
	assert_answer_lacks("5950000");
	assert_answer_lacks("Forecast");
	role = "manager";
}

static size_t count_words(const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p; p++)
		n += isalnum((unsigned char)*p) &&
		     (p == text || isspace((unsigned char)p[-1]) || strchr("*($|", p[-1]));
	return n;
}

/* Answers must not contain dates such as "2026-02-27". */
static bool has_iso_date(const char *text)
{
	for (const char *p = text; *p; p++)
		if (strspn(p, "0123456789") == 4 && p[4] == '-' &&
		    strspn(p + 5, "0123456789") == 2 && p[7] == '-')
			return true;
	return false;
}

/* Each answer must name the source of a curve. */
static void check_source(const char *tool)
{
	static const char *const columns[] = {"Vendor", "Market", "HubZone", "AsOf"};
	const struct table *t = result->tables[0];

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		const char *cell = table_cell(t, 0, columns[i]);

		if (cell && !strstr(answer.markdown, cell))
			fail_msg("%s: %s is missing in:\n%s", tool, columns[i], answer.markdown);
	}
}

static void check_normal(const struct tool_case *w)
{
	static const char *const raw[] = {"{",       "on_track", "off_track", "at_risk",
					  "on_hold", "NULL",     "(null)"};

	call_tool(w->tool, w->normal);
	if (result->outcome.kind != OUTCOME_ROWS)
		fail_msg("%s: %s", w->tool, outcome_name(result->outcome.kind));
	check_source(w->tool);
	if (result->tables[0]->row_count > 3)
		assert_answer_has("| --- |");
	if (answer.markdown[0] == '|')
		fail_msg("%s begins with its table", w->tool);
	if (count_words(answer.markdown) > 620 || has_iso_date(answer.markdown))
		fail_msg("%s, %zu words: %s", w->tool, count_words(answer.markdown),
			 answer.markdown);
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
		assert_answer_lacks(raw[i]);
	if (answer.followup_count == 0)
		fail_msg("%s: no follow-up question", w->tool);
}

static void check_empty(const struct tool_case *w)
{
	if (!w->empty)
		return;
	call_tool(w->tool, w->empty);
	if (result->outcome.kind != OUTCOME_EMPTY && result->outcome.kind != OUTCOME_OUT_OF_WINDOW)
		fail_msg("%s: %s", w->tool, outcome_name(result->outcome.kind));
	assert_answer_has("I found no data ");
	if (!strstr(answer.markdown, " may ") && !strstr(answer.markdown, "the data covers"))
		fail_msg("%s suggests nothing: %s", w->tool, answer.markdown);
}

static void check_ambiguous(const struct tool_case *w)
{
	if (!w->ambiguous)
		return;
	call_tool(w->tool, w->ambiguous);
	if (result->outcome.kind != OUTCOME_UNKNOWN_ENTITY)
		fail_msg("%s: %s", w->tool, outcome_name(result->outcome.kind));
	assert_true(result->outcome.suggestion_count >= 2);
	assert_true(strstr(answer.markdown, " fits more than one ") ||
		    strstr(answer.markdown, " matches 2 projects"));
	assert_answer_has("Did you mean ");
}

static void check_not_permitted(const struct tool_case *w)
{
	role = "nobody";
	call_tool(w->tool, w->normal);
	role = "manager";
	assert_int_equal(result->outcome.kind, OUTCOME_NOT_PERMITTED);
	assert_int_equal(result->table_count, 0);
	assert_answer_has("You do not have permission to see this data.");
}

static void every_tool_follows_the_rules(void **state)
{
	size_t count = sizeof(tool_cases) / sizeof(tool_cases[0]), visible = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		check_normal(&tool_cases[i]);
		check_empty(&tool_cases[i]);
		check_ambiguous(&tool_cases[i]);
		check_not_permitted(&tool_cases[i]);
	}
	for (size_t i = 0; i < catalog->tool_count; i++)
		visible += catalog->tools[i].callers.visible &&
			   !tool_has_no_statement(&catalog->tools[i]) &&
			   strcmp(catalog->tools[i].callers.permission, "chat:advanced_sql") != 0;
	assert_int_equal(visible, count); /* a new tool must be added to tool_cases */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_usage),
		cmocka_unit_test(answers_price_curves),
		cmocka_unit_test(answers_health),
		cmocka_unit_test(resolves_project_names),
		cmocka_unit_test(overview_shows_budget_by_permission),
		cmocka_unit_test(answers_milestones_and_risks),
		cmocka_unit_test(answers_portfolio),
		cmocka_unit_test(answers_changes),
		cmocka_unit_test(every_tool_follows_the_rules),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
