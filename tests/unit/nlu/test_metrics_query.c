/* How what a question names becomes one query: totals, ranks, lists that are cut. */
#include "metrics_test.h"

static void total_is_sum_and_mean_is_not(void **state)
{
	(void)state;
	assert_string_equal(query_of("total budget by sponsor"),
			    "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"]}");
	assert_string_equal(query_of("mean budget by sponsor"),
			    "{\"where\":[],\"metrics\":[\"budget_mean\"],\"by\":[\"sponsor\"]}");
	assert_string_equal(
		query_of("which sponsor has the highest average budget"),
		"{\"where\":[],\"metrics\":[\"budget_mean\"],\"by\":[\"sponsor\"],\"top\":1}");
	assert_null(query_of("total average completion"));
	assert_null(query_of("total average budget"));
	assert_string_equal(query_without_tools("avg completion of areas"),
			    query_without_tools("average completion of areas"));
	assert_null(query_of("total budget and projects"));
}

/* One is asked for where one thing is named, ten where several are; a number says how many. */
static void ranks_give_row_count(void **state)
{
	static const struct query_case cases[] = {
		{"which sponsor has the highest budget",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"],\"top\":1}"},
		{"which sponsors have the highest budgets",
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"],\"top\":10}"},
		{"bottom 4 sponsors by budget",
		 "{\"bottom\":4,\"where\":[],\"metrics\":[\"budget\"],"
		 "\"by\":[\"sponsor\"]}"},
		{"top and bottom sponsors by budget", NULL},
		{"the top projects", NULL}, /* by what? */
	};

	(void)state;
	CHECK_QUERIES(cases);
}

/* A list that is cut needs an order, which the number that bounds it gives. */
static void limited_lists_need_an_order(void **state)
{
	static const struct query_case cases[] = {
		{"which three projects are above $2M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"over\",\"values\":[\"2000000\"]}],"
		 "\"list\":\"project\",\"order\":[{\"name\":\"budget\",\"dir\":\"desc\"}],\"top\":"
		 "3}"},
		{"which three projects are below $2M",
		 "{\"where\":[{\"name\":\"budget\",\"op\":\"under\",\"values\":[\"2000000\"]}],"
		 "\"list\":\"project\",\"order\":[{\"name\":\"budget\",\"dir\":\"asc\"}],\"top\":"
		 "3}"},
		{"which three projects are there", NULL},
	};

	(void)state;
	CHECK_QUERIES(cases);
}

#define LIST_ORDERED(by, dir)                                                                      \
	"{\"where\":[],\"list\":\"project\",\"order\":[{\"name\":\"" by "\",\"dir\":\"" dir "\"}]" \
	"}"
#define GROUPED_ORDERED(dir)                                                                       \
	"{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"sponsor\"],\"order\":[{\"name\":"        \
	"\"budget\",\"dir\":\"" dir "\"}]}"

/* Numbers are sorted from the largest, dates and names from the first, unless the question says. */
static void sort_orders_are_read(void **state)
{
	static const struct query_case cases[] = {
		{"budget by sponsor, biggest first", GROUPED_ORDERED("desc")},
		{"budget by sponsor, lowest first", GROUPED_ORDERED("asc")},
		{"budget by sponsor sorted by budget", GROUPED_ORDERED("desc")},
		{"projects sorted by COD", LIST_ORDERED("cod", "asc")},
		{"projects sorted by budget", LIST_ORDERED("budget", "desc")},
		{"list the projects descending by MW", LIST_ORDERED("generation_capacity", "desc")},
		{"budget by sponsor, biggest first, lowest first", NULL},
		{"budget by sponsor sorted by views", NULL},
		{"projects sorted by", NULL},
		{"list all projects, biggest first", NULL}, /* by what? */
		{"views by workspace, newest first", NULL}, /* is no order of numbers */
	};

	(void)state;
	CHECK_QUERIES(cases);
}

#define LIST_WHERE(condition) "{\"where\":[" condition "],\"list\":\"project\"}"
#define COD(op, values)       LIST_WHERE("{\"name\":\"cod\",\"op\":\"" op "\",\"values\":[" values "]}")

/* A date that the question names has its time, not the time of the rows. */
static void named_dates_take_the_time(void **state)
{
	static const struct query_case cases[] = {
		{"which projects have a COD in 2027",
		 COD("between", "\"2027-01-01\",\"2027-12-31\"")},
		{"projects with COD after 2028", COD("at_least", "\"2029-01-01\"")},
		{"projects with COD before 2028", COD("at_most", "\"2027-12-31\"")},
		{"which projects have no COD yet",
		 LIST_WHERE("{\"name\":\"cod\",\"op\":\"missing\"}")},
		{"projects with no buyer", LIST_WHERE("{\"name\":\"buyer\",\"op\":\"missing\"}")},
		{"number of projects by COD year",
		 "{\"where\":[],\"metrics\":[\"projects\"],\"by\":[\"cod.year\"]}"},
		{"views by workspace since January 2026",
		 "{\"period\":{\"start\":\"2026-01-01\",\"end\":\"2026-02-27\"},\"where\":[],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace before February",
		 "{\"where\":[{\"name\":\"view_day\",\"op\":\"at_most\",\"values\":[\"2026-01-31\"]"
		 "}],"
		 "\"metrics\":[\"views\"],\"by\":[\"report_workspace\"]}"},
		{"views by workspace before the reorganization in March", NULL},
		{"projects with COD beyond 2027", NULL},
		{"projects with COD under 2028", NULL},
		{"unique viewers by workspace preceding February 2026", NULL},
		{"budget by sponsor, not technology", NULL},
		{"budget by sponsor excluding technology", NULL},
		{"projects, no, technology", NULL},
		{"did anybody revise budgets in January", NULL}, /* is not when it was revised */
	};

	(void)state;
	CHECK_QUERIES(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(total_is_sum_and_mean_is_not),
		cmocka_unit_test(ranks_give_row_count),
		cmocka_unit_test(limited_lists_need_an_order),
		cmocka_unit_test(sort_orders_are_read),
		cmocka_unit_test(named_dates_take_the_time),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
