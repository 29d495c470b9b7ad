/* What follow-ups change of a query over the map, and what they leave alone. */
#include "metrics_test.h"

#define LIST_OF_SOLAR "solar projects above $2M"
#define SOLAR         "{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]}"
#define WIND          "{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Wind\"]}"
#define ABOVE_2M      "{\"name\":\"budget\",\"op\":\"over\",\"values\":[\"2000000\"]}"

/* A question that says less than a whole one changes the query that stands. */
static void follow_ups_change_the_query(void **state)
{
	static const char *const cases[][3] = {
		{LIST_OF_SOLAR, "only wind",
		 "{\"where\":[" ABOVE_2M "," WIND "],\"list\":\"project\"}"},
		{LIST_OF_SOLAR, "and wind?",
		 "{\"where\":[" ABOVE_2M "," WIND "],\"list\":\"project\"}"},
		{LIST_OF_SOLAR, "by market",
		 "{\"where\":[" SOLAR "," ABOVE_2M
		 "],\"metrics\":[\"projects\"],\"by\":[\"market_of_project\"]}"},
		{LIST_OF_SOLAR, "how many of those are there?",
		 "{\"where\":[" SOLAR "," ABOVE_2M "],\"metrics\":[\"projects\"]}"},
		{LIST_OF_SOLAR, "their total budget",
		 "{\"where\":[" SOLAR "," ABOVE_2M "],\"metrics\":[\"budget\"]}"},
		{LIST_OF_SOLAR, "and late?",
		 "{\"where\":[" SOLAR "," ABOVE_2M
		 ",{\"name\":\"overdue\",\"op\":\"is\"}],\"list\":\"project\"}"},
		{LIST_OF_SOLAR, "which of those are not on track?",
		 "{\"where\":[" SOLAR "," ABOVE_2M
		 ",{\"name\":\"status_color\",\"op\":\"not\",\"values\":[\"on_track\"]}],\"list\":"
		 "\"project\"}"},
		{LIST_OF_SOLAR, "excluding stage 2",
		 "{\"where\":[" SOLAR "," ABOVE_2M
		 ",{\"name\":\"project_stage\",\"op\":\"not\",\"values\":[\"Stage 2\"]}],\"list\":"
		 "\"project\"}"},
		{LIST_OF_SOLAR, "with a budget above $3M",
		 "{\"where\":[" SOLAR ",{\"name\":\"budget\",\"op\":\"over\",\"values\":["
		 "\"3000000\"]}],\"list\":\"project\"}"},
		{"views by workspace in 2025", "by month",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"view_day.month\"]}"},
		{"views by workspace in 2025", "what about 2024?",
		 "{\"period\":{\"start\":\"2024-01-01\",\"end\":\"2024-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace in 2025", "and in March?",
		 "{\"period\":{\"start\":\"2025-03-01\",\"end\":\"2025-03-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace in 2025", "excluding weekends",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[{"
		 "\"name\":"
		 "\"view_day.weekday\",\"op\":\"not\",\"values\":[6,7]}],\"metrics\":[\"views\"],"
		 "\"by\":["
		 "\"report_workspace\"]}"},
		{"views by workspace in 2025", "only on weekdays",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[{"
		 "\"name\":"
		 "\"view_day.weekday\",\"op\":\"is\",\"values\":[1,2,3,4,5]}],\"metrics\":["
		 "\"views\"],"
		 "\"by\":[\"report_workspace\"]}"},
		/* what a tool showed goes on over the map, where no parameter takes it */
		{"np15 hourly prices 2026", "excluding weekends",
		 "{\"period\":{\"start\":\"2026-01-01\",\"end\":\"2026-12-31\"},\"where\":[{"
		 "\"name\":"
		 "\"hub_zone\",\"op\":\"is\",\"values\":[\"NP15\"]},{\"name\":\"market\",\"op\":"
		 "\"is\","
		 "\"values\":[\"CAISO\"]},{\"name\":\"price_date.weekday\",\"op\":\"not\","
		 "\"values\":[6,7]}],"
		 "\"metrics\":[\"price\"],\"by\":[\"price_hour\"]}"},
		{"views by workspace 2024 vs 2025", "what about last year",
		 "{\"period\":{\"start\":\"2025-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"total budget by sponsor", "and actuals?",
		 "{\"where\":[],\"metrics\":[\"actuals\"],\"by\":[\"sponsor\"]}"},
		{"total budget by sponsor", "just the top 3",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"],\"top\":3}"},
		{"total budget by sponsor", "add the market",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\","
		 "\"market_of_project\"]}"},
		{"top 3 markets by budget", "by sponsor",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct understanding u = after(cases[i][0], cases[i][1], NULL);
		const char *query = query_in(&u);
		json_t *got = query ? json_loads(query, 0, NULL) : NULL;
		json_t *want = json_loads(cases[i][2], 0, NULL);

		if (!json_equal(want, got) || !u.is_followup)
			fail_msg("%s; %s: %s", cases[i][0], cases[i][1], query ? query : "none");
		json_decref(got);
		json_decref(want);
	}
}

/* Another question is none, nor is one that the query can't take. */
static void unrelated_question_leaves_query(void **state)
{
	static const char *const cases[][2] = {
		{LIST_OF_SOLAR, "just the top 3"}, /* in which order? */
		{LIST_OF_SOLAR, "and NP15?"},
		{LIST_OF_SOLAR, "what about it"},
		{LIST_OF_SOLAR, "by flux capacitor"},
		{LIST_OF_SOLAR, "how many of those did we win?"},
		{"markets with more than 3 projects", "and the budget?"},
		{"top 3 markets by budget", "excluding weekends"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct understanding u = after(cases[i][0], cases[i][1], NULL);

		if (u.confidence >= NLU_CONFIDENT && u.tool_count > 0)
			fail_msg("%s; %s: %s", cases[i][0], cases[i][1], u.tools[0].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follow_ups_change_the_query),
		cmocka_unit_test(unrelated_question_leaves_query),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
