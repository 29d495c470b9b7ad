/* Filters of a query over the map that the client sent back. */
#include "metrics_test.h"

#define LIST_OF_SOLAR "solar projects above $2M"
#define SOLAR         "{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]}"
#define WIND          "{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Wind\"]}"
#define ABOVE_2M      "{\"name\":\"budget\",\"op\":\"over\",\"values\":[\"2000000\"]}"

/* Filters that come back take the place of those that stand, or let them go. */
static void edited_filters_change_the_query(void **state)
{
	static const struct {
		const char *first, *question, *edits, *want;
	} cases[] = {
		{NULL, LIST_OF_SOLAR, "{'technology':'wind'}",
		 "{\"where\":[" WIND "," ABOVE_2M "],\"list\":\"project\"}"},
		{NULL, LIST_OF_SOLAR, "{'technology':['Solar','Wind']}",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\","
		 "\"Wind\"]}"
		 "," ABOVE_2M "],\"list\":\"project\"}"},
		{NULL, LIST_OF_SOLAR, "{'technology':null}",
		 "{\"where\":[" ABOVE_2M "],\"list\":\"project\"}"},
		{NULL, LIST_OF_SOLAR, "{'technology':'Solar','budget':'> 2000000 $'}",
		 "{\"where\":[" SOLAR "," ABOVE_2M "],\"list\":\"project\"}"},
		{NULL, LIST_OF_SOLAR, "{'project_stage':'Stage 2'}",
		 "{\"where\":[" SOLAR "," ABOVE_2M ",{\"name\":\"project_stage\",\"op\":\"is\","
		 "\"values\":[\"Stage 2\"]}],\"list\":\"project\"}"},
		{NULL, "views by workspace in 2025", "{'date_range_start':'2024-01-01'}",
		 "{\"period\":{\"start\":\"2024-01-01\",\"end\":\"2025-12-31\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{NULL, "views by workspace in 2025", "{'date_range_start':null}",
		 "{\"where\":[],\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{LIST_OF_SOLAR, "by market", "{'technology':'BESS'}",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"BESS\"]}"
		 "," ABOVE_2M "],\"metrics\":[\"projects\"],\"by\":[\"market_of_project\"]}"},
		{LIST_OF_SOLAR, "", "{'technology':'BESS'}",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"BESS\"]}"
		 "," ABOVE_2M "],\"list\":\"project\"}"},
	};
	struct understanding u;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query;
		json_t *got, *want = json_loads(cases[i].want, 0, NULL);

		u = after(cases[i].first, cases[i].question, cases[i].edits);
		query = query_in(&u);
		got = query ? json_loads(query, 0, NULL) : NULL;
		if (!json_equal(want, got))
			fail_msg("%s; %s: %s", cases[i].question, cases[i].edits,
				 query ? query : "none");
		json_decref(got);
		json_decref(want);
	}
	u = after(NULL, LIST_OF_SOLAR, "{'technology':'wind'}");
	assert_int_equal(filter_in(&u, "technology")->source, SOURCE_EDITED);
	u = after(NULL, LIST_OF_SOLAR, "{'technology':'steam'}");
	assert_int_equal(u.tool_count, 0);
	assert_non_null(u.ask.text);
	assert_string_equal(u.ask.filter, "technology");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edited_filters_change_the_query),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
