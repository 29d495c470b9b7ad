/* Questions with words that ask for values by a description: which of them are
 * such questions. */
#include "metrics_test.h"

static struct understanding read_alone(const char *question)
{
	return after(NULL, question, NULL);
}

static bool points(const struct understanding *u)
{
	for (size_t i = 0; i < u->tool_count; i++)
		if (u->tools[i].tool && u->tools[i].tool->analysis.points)
			return true;
	return false;
}

/* The tool that code is sure of; NULL: of none. */
static const char *sure_of(const struct understanding *u)
{
	return u->confidence >= NLU_CONFIDENT && u->tool_count == 1 ? u->tools[0].name : NULL;
}

static void questions_with_values_stay_questions(void **state)
{
	static const struct {
		const char *question, *tool, *filter, *value;
	} cases[] = {
		{"which projects look like they are at risk", "get_portfolio_summary",
		 "status_color", "at_risk"},
		{"which prices look like outliers for NP15 in 2025", "outliers", "hub_zone",
		 "NP15"},
		{"which prices look like outliers", "outliers", NULL, NULL},
		{"which projects look like overdue ones", "query_metrics", "overdue", NULL},
		{"which projects look like solar in CAISO", "get_portfolio_summary", "technology",
		 "Solar"},
		{"which projects that look like solar are at risk", "get_portfolio_summary",
		 "technology", "Solar"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct understanding u = read_alone(cases[i].question);
		const char *tool = sure_of(&u);

		if (!tool || strcmp(tool, cases[i].tool) != 0)
			fail_msg("%s: %s", cases[i].question, tool ? tool : "none");
		assert_true(!cases[i].filter || filter_in(&u, cases[i].filter));
		if (cases[i].value)
			assert_string_equal(filter_in(&u, cases[i].filter)->values[0].text,
					    cases[i].value);
	}
}

/* What stands behind the words is a question, or narrows one; and no tool is
 * sure that drops it. */
static void other_questions_are_not_descriptions(void **state)
{
	static const char *const questions[] = {
		"which reports look like finance and which projects are at risk",
		"which month looks like the best",
		"which vendor looks like the cheapest",
		"which project looks like it will be late",
		"which reports look like finance in January 2026",
		"which reports look like finance last month",
		"which reports look like finance per month",
		"which reports look like finance by workspace",
		"which reports that sound like finance have more than 100 views",
		"which reports sound like finance with 100 views",
		"which reports look like finance since 2025",
		"which reports look like finance, and how many views do they have",
		"classify the reports into finance, operations or other in January 2026",
		"classify the reports into finance, operations or other per month",
		("classify the reports as finance or operations and which projects are at "
		 "risk"),
		"classify the most viewed reports as finance or operations",
		"which reports look like finance? Show it as a chart",
		"which reports look like finance as a table",
		"which reports look like finance and their workspace",
		"which reports look like finance excluding budget",
		"top 3 reports that look like finance",
		"the 3 most viewed reports that look like finance",
		"which of the most viewed reports look like finance",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct understanding u = read_alone(questions[i]);

		if (points(&u) || sure_of(&u))
			fail_msg("%s: %s", questions[i], u.tools[0].name);
	}
}

static void description_is_passed_verbatim(void **state)
{
	static const struct {
		const char *question, *tool, *words;
	} cases[] = {
		{"which reports look like finance", "match_values", "finance"},
		{"January 2026 reports that look like finance", "match_values", "finance"},
		{"which reports sound like money and invoices", "match_values",
		 "money and invoices"},
		{"which workspaces look like test workspaces", "match_values", "test workspaces"},
		{"classify the projects as solar, wind or other", "classify_values", NULL},
		{"classify the reports as finance, operations or other", "classify_values", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct understanding u = read_alone(cases[i].question);
		const struct arg *said;

		if (!sure_of(&u) || strcmp(sure_of(&u), cases[i].tool) != 0)
			fail_msg("%s", cases[i].question);
		said = args_find(&u.tools[0].args, u.tools[0].tool->analysis.points);
		assert_non_null(said);
		if (cases[i].words)
			assert_string_equal(said->values[0].text, cases[i].words);
		else
			assert_int_equal(said->count, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(questions_with_values_stay_questions),
		cmocka_unit_test(other_questions_are_not_descriptions),
		cmocka_unit_test(description_is_passed_verbatim),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
