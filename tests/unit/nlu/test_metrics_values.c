/* What of a question over the map is a condition: values, what is left out, times, what belongs to
 * it. */
#include "metrics_test.h"

/* Values are of the dimension that what is asked for has, whichever they were read as. */
static void values_narrow_what_is_asked_for(void **state)
{
	static const struct query_case cases[] = {
		{"How many projects in ERCOT are there?",
		 "{\"where\":[{\"name\":\"market_of_project\",\"op\":\"is\",\"values\":[\"ERCOT\"]}"
		 "],"
		 "\"metrics\":[\"projects\"]}"},
		{"How many solar and wind projects are there?",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\","
		 "\"Wind\"]}],"
		 "\"metrics\":[\"projects\"]}"},
	};

	(void)state;
	CHECK_QUERIES(cases);
	assert_string_equal(query_without_tools("How many projects are not solar?"),
			    "{\"where\":[{\"name\":\"technology\",\"op\":\"not\",\"values\":["
			    "\"Solar\"]}],\"metrics\":[\"projects\"]}");
}

/* Days, months and years are one period; what is no span is left. */
static void times_are_one_period(void **state)
{
	static const struct query_case cases[] = {
		{"views by workspace in March 2025",
		 "{\"period\":{\"start\":\"2025-03-01\",\"end\":\"2025-03-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace from 2024 to 2025",
		 "{\"period\":{\"start\":\"2024-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace in March and May 2025", NULL},
		{"views by workspace on weekends", "{\"where\":[{\"name\":\"view_day.weekday\","
						   "\"op\":\"is\",\"values\":[6,7]}],\"metrics\":["
						   "\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace not on weekends",
		 "{\"where\":[{\"name\":\"view_day.weekday\",\"op\":\"not\",\"values\":[6,7]}],"
		 "\"metrics\":["
		 "\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace on holidays", NULL},
		{"views by workspace on weekends and weekdays", NULL},
		{"views by weekday on weekends", NULL},
		{"views on weekends by weekday", NULL},
		{"views by workspace at 9 o'clock", NULL},
	};

	(void)state;
	CHECK_QUERIES(cases);
}

/* A value whose words questions use anyway is never passed over for certain. */
static void never_drops_known_value_silently(void **state)
{
	static const char *values[] = {"Good", "In Use", "Under Review", "Included So Far", "OK"};
	static const char *const questions[] = {
		"How many projects are good?",
		"which projects are good",
		"show me good projects by market",
		"How many projects are OK?",
		"list the projects that are in use",
		"How many projects are under review?",
		"How many projects are included so far?",
		"projects by market that are good",
	};

	(void)state;
	assert_true(entity_index_load(nlu_names(bench.nlu), TENANT, "sponsor", values,
				      sizeof(values) / sizeof(values[0])));
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct understanding u = after(NULL, questions[i], NULL);

		if (u.confidence >= NLU_CONFIDENT && u.tool_count > 0 && !filter_in(&u, "sponsor"))
			fail_msg("%s: %s %s", questions[i], u.tools[0].name,
				 query_of(questions[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_narrow_what_is_asked_for),
		cmocka_unit_test(times_are_one_period),
		cmocka_unit_test(never_drops_known_value_silently),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
