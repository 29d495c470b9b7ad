/* Questions that become queries over the shipped packs' map, and questions that must not. */
#include "metrics_test.h"

static void complete_questions_become_queries(void **state)
{
	static const char *const cases[][2] = {
		{"How many projects are there in total?",
		 "{\"where\":[],\"metrics\":[\"projects\"]}"},
		{"How many projects are there?", "{\"where\":[],\"metrics\":[\"projects\"]}"},
		{"top 3 markets by budget",
		 "{\"top\":3,\"where\":[],\"metrics\":[\"budget\"],\"by\":"
		 "[\"market_of_project\"]}"},
		{"which market has the highest budget", /* one is asked for */
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"market_of_project\"],\"top\":"
		 "1}"},
		{"Which three projects have the biggest budgets?", /* each by itself */
		 "{\"top\":3,\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"project_name\"]}"},
		{"the 3 projects with the highest budget",
		 "{\"top\":3,\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"project_name\"]}"},
		{"the 3 projects with the lowest budget",
		 "{\"bottom\":3,\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"project_name\"]}"},
		{"Which project has the smallest budget?",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"project_name\"],\"bottom\":1}"},
		{"top 5 solar projects by budget",
		 "{\"top\":5,\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":["
		 "\"Solar\"]}],"
		 "\"metrics\":[\"budget\"],\"by\":[\"project_name\"]}"},
		{"How many solar projects are there?",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]}],"
		 "\"metrics\":[\"projects\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query = query_of(cases[i][0]);

		if (!query || strcmp(query, cases[i][1]) != 0)
			fail_msg("%s: %s", cases[i][0], query ? query : "none");
	}
}

/* A word that nothing takes, a direction back, a bound, a comparison: code is not sure. */
static void extra_word_prevents_query(void **state)
{
	static const char *const questions[] = {
		"How many projects did we win?",
		"How many of their projects are there?",
		"How many projects are above 60?",
		"projects per market compared to last year",
		"top 3 and bottom 3 markets by budget",
		"projects by",
		"number of",
		"How many projects changed hands?",
		"projects per flux capacitor",
		"projects above 60 MW",                         /* of generation or of storage? */
		"which three solar projects are not on track?", /* in which order? */
		"how many projects stand on on track and at risk?",
		"count of areas per project",
		"budget above $2M", /* of which? */
		"projects and that",
		"how many projects in project overview", /* a report's name? */
		"top markets by project", /* the same in other words, or the top ones of each? */
		"dates for the wind project",
		"compare solar and wind",
		"projects with a budget above 60 MW",
		"median budget by sponsor", /* the map has sums and means */
		"which project has the highest median budget",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		const char *query = query_of(questions[i]);

		if (query)
			fail_msg("%s: %s", questions[i], query);
	}
}

/* A time alone speaks of no hub-zone, so none is asked for. */
static void asks_for_no_value_of_unrelated_tool(void **state)
{
	static const char *const questions[] = {"How many orders were there in February 2025?",
						"How many projects slipped their COD this year?"};

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		json_t *line = json_own(arena, json_object());
		struct catalog_view may;
		struct understanding u;

		json_set_str(line, "question", questions[i]);
		catalog_for(bench.catalog, &bench.who, arena, &may);
		understand(&bench, &may, line, arena, &u);
		assert_null(u.ask.text);
		assert_true(u.confidence < NLU_CONFIDENT);
	}
}

/* What counts a project once for each risk is handed on: the tool says why not, and what works. */
static void double_counting_is_left_to_refusal(void **state)
{
	const char *query = query_of("budget by risk level");

	(void)state;
	assert_non_null(query);
	assert_string_equal(query,
			    "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"risk_level\"]}");
}

/* Bounds compare what stands beside the number, or what has its unit; each row of a list, each
 * group of a metric. Parts of time group, and two years are compared. */
static void bounds_and_times_become_queries(void **state)
{
	static const char *const cases[][2] = {
		{"Which three solar projects above $2M are not on track?",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]},{"
		 "\"name\":\"status_color\",\"op\":\"not\",\"values\":[\"on_track\"]},{\"name\":"
		 "\"budget\",\"op\":\"over\",\"values\":[\"2000000\"]}],\"list\":\"project\","
		 "\"order\":[{\"name\":\"budget\",\"dir\":\"desc\"}],\"top\":3}"},
		{"projects with a budget of at least $2M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"at_least\",\"values\":[\"2000000\"]}],"
		 "\"list\":\"project\"}"},
		{"markets with more than 3 projects",
		 "{\"where\":[],\"having\":[{\"name\":\"projects\",\"op\":\"over\",\"values\":["
		 "\"3\"]}],"
		 "\"metrics\":[\"projects\"],\"by\":[\"market_of_project\"]}"},
		{"which market has the most projects", "{\"where\":[],\"metrics\":[\"projects\"],"
						       "\"by\":[\"market_of_project\"],\"top\":1}"},
		{"how many projects above $2M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"over\",\"values\":[\"2000000\"]}],"
		 "\"metrics\":[\"projects\"]}"},
		{"markets with a budget above $5M",
		 "{\"where\":[],\"having\":[{\"name\":\"budget\",\"op\":\"over\",\"values\":["
		 "\"5000000\"]}],\"metrics\":[\"budget\"],\"by\":[\"market_of_project\"]}"},
		{"projects per market with a budget under $2M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"under\",\"values\":[\"2000000\"]}],"
		 "\"metrics\":[\"projects\"],\"by\":[\"market_of_project\"]}"},
		{"budget by market above $5M",
		 "{\"where\":[],\"having\":[{\"name\":\"budget\",\"op\":\"over\",\"values\":["
		 "\"5000000\"]}],\"metrics\":[\"budget\"],\"by\":[\"market_of_project\"]}"},
		{"views by week in 2025",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"view_day.week\"]}"},
		{"weekly views in 2025",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"view_day.week\"]}"},
		{"which month had the most views",
		 "{\"where\":[],\"metrics\":[\"views\"],\"by\":[\"view_day.month\"],\"top\":1}"},
		{"views in 2025 vs 2026", "{\"period\":{\"start\":\"2026-01-01\",\"end\":\"2026-12-"
					  "31\"},\"compare\":{\"start\":\"2025-01-01\",\"end\":"
					  "\"2025-12-31\"},\"where\":[],\"metrics\":[\"views\"]}"},
		{"views by weekday",
		 "{\"where\":[],\"metrics\":[\"views\"],\"by\":[\"view_day.weekday\"]}"},
		{"views by workspace 2024 vs 2025",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"compare\":{"
		 "\"start\":\"2024-01-01\",\"end\":\"2024-12-31\"},\"where\":[],\"metrics\":["
		 "\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views per quarter",
		 "{\"where\":[],\"metrics\":[\"views\"],\"by\":[\"view_day.quarter\"]}"},
		{"which projects have a generation capacity above 60 MW",
		 "{\"where\":[{\"name\":\"generation_capacity\",\"op\":\"over\",\"values\":[\"60\"]"
		 "}],\"list\":\"project\"}"},
		{"bottom 2 projects with a budget over 1M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"over\",\"values\":[\"1000000\"]}],"
		 "\"list\":\"project\",\"order\":[{\"name\":\"budget\",\"dir\":\"asc\"}],\"top\":"
		 "2}"},
		{"compare np15, sp15 and zp26 for 2026",
		 "{\"period\":{\"start\":\"2026-01-01\",\"end\":\"2026-12-31\"},\"where\":[{"
		 "\"name\":\"hub_zone\",\"op\":\"is\",\"values\":[\"NP15\",\"SP15\",\"ZP26\"]}],"
		 "\"metrics\":[\"price\"],\"by\":[\"hub_zone\"]}"},
		{"compare solar and wind by budget",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\","
		 "\"Wind\"]}],\"metrics\":[\"budget\"],\"by\":[\"technology\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query = query_of(cases[i][0]);

		if (!query || strcmp(query, cases[i][1]) != 0)
			fail_msg("%s: %s", cases[i][0], query ? query : "none");
	}
}

/* What the catalogue has a word for is compared as it says; what is said beside it as well. */
static void named_conditions_become_queries(void **state)
{
	static const char *const cases[][2] = {
		{"How many tasks are overdue?",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"is\"}],\"metrics\":[\"tasks\"]}"},
		{"which solar projects are late?",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]},{"
		 "\"name\":\"overdue\",\"op\":\"is\"}],\"list\":\"project\"}"},
		{"which projects are not late?",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"not\"}],\"list\":\"project\"}"},
		{"projects without overdue tasks",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"not\"}],\"list\":\"project\"}"},
		{"projects with overdue tasks",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"is\"}],\"list\":\"project\"}"},
		{"How many overdue tasks does each project have?",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"is\"}],\"metrics\":[\"tasks\"],"
		 "\"by\":[\"project_name\"]}"},
		{"which project has the most overdue tasks?",
		 "{\"where\":[{\"name\":\"overdue\",\"op\":\"is\"}],\"metrics\":[\"tasks\"],"
		 "\"by\":[\"project_name\"],\"top\":1}"},
		{"late solar projects above $2M",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]},{"
		 "\"name\":\"overdue\",\"op\":\"is\"},{\"name\":\"budget\",\"op\":\"over\","
		 "\"values\":[\"2000000\"]}],\"list\":\"project\"}"},
	};
	static const char *const left[] = {
		"projects with more than 3 overdue tasks", /* of which number? */
		"overdue tasks assigned to Tom",
		"which tasks were overdue last month", /* as things stood then */
		"how many projects are late or at risk",
		"which projects are late and at risk",
		"late stage projects",
		"overdue budget by project",
		"is it still late?",
		"Overdue tasks across the portfolio, oldest first",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query = query_of(cases[i][0]);

		if (!query || strcmp(query, cases[i][1]) != 0)
			fail_msg("%s: %s", cases[i][0], query ? query : "none");
	}
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		if (query_of(left[i]))
			fail_msg("%s: %s", left[i], query_of(left[i]));
}

static void is_read(struct bench *b, const json_t *line, void *count)
{
	const char *question = json_string_value(json_object_get(line, "question"));
	const char *first = json_string_value(json_object_get(line, "after"));
	struct understanding u = first ? after(first, question, NULL) : (struct understanding){0};
	const char *got = first ? query_in(&u) : query_without_tools(question);
	json_t *query = got ? json_loads(got, 0, NULL) : NULL;

	(void)b;
	if (!json_equal(query, json_object_get(line, "query")))
		fail_msg("%s: %s", question, got ? got : "none");
	json_decref(query);
	(*(int *)count)++;
}

/* Open questions of the business user, with the fixed tools that answer most of them switched off;
 * tests/e2e/map.test.mjs holds the rows of the same file against SQL. */
static void open_questions_need_no_tool(void **state)
{
	int count = 0;

	(void)state;
	each_line(&bench, VESPER_SOURCE_DIR "/tests/route/business_map.jsonl", arena, is_read,
		  &count);
	assert_int_equal(count, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete_questions_become_queries),
		cmocka_unit_test(double_counting_is_left_to_refusal),
		cmocka_unit_test(asks_for_no_value_of_unrelated_tool),
		cmocka_unit_test(bounds_and_times_become_queries),
		cmocka_unit_test(open_questions_need_no_tool),
		cmocka_unit_test(named_conditions_become_queries),
		cmocka_unit_test(extra_word_prevents_query),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
