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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(total_is_sum_and_mean_is_not),
		cmocka_unit_test(ranks_give_row_count),
		cmocka_unit_test(limited_lists_need_an_order),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
