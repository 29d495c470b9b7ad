#include "nlu_test.h"

static void arguments_use_parameter_names(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_calls(f, "average price EP10 2025 acorn as of January 2025"),
			    "get_average_price seller=Acorn zone=EP10 year=2025 region=EAST "
			    "asof=Jan_2025 grade=Base");
	assert_string_equal(fixture_calls(f, "hourly prices EP10 summer 2025 HE 8-9"),
			    "get_hourly_prices zone=EP10 year=2025 region=EAST months=6,7,8 "
			    "hours=7,8 grade=Base");
	assert_string_equal(fixture_calls(f, "top 5 depots with most parcels last month"),
			    "get_top_depots most=5 since=2026-01-01 until=2026-01-31");
	assert_string_equal(fixture_calls(f, "the depots that sent most parcels"),
			    "get_top_depots most=10");
}

static void several_values_make_several_calls(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_calls(f, "average price EP10 and EP20 2025 acorn"),
			    "get_average_price seller=Acorn zone=EP10 year=2025 region=EAST "
			    "grade=Base; "
			    "get_average_price seller=Acorn zone=EP20 year=2025 region=EAST "
			    "grade=Base");
	fixture_ask(f, "average price EP10 and EP20 2025 to 2027 acorn");
	assert_int_equal(f->u.tool_count, 6);
	fixture_ask(f, "average price EP10 and EP20 2025 to 2031 acorn");
	assert_int_equal(f->u.tool_count, 0);
	assert_non_null(f->u.ask.text);
}

static void values_of_two_parents_are_not_mixed(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		fixture_calls(f, "average price EP10 in EAST and WZ_BETA in WEST 2025 acorn"),
		"get_average_price seller=Acorn zone=EP10 year=2025 region=EAST grade=Base; "
		"get_average_price seller=Acorn zone=WZ_BETA year=2025 region=WEST grade=Base");
	assert_string_equal(fixture_calls(f, "average price EP10 and WZ_BETA 2025 acorn"),
			    "get_average_price seller=Acorn zone=EP10 year=2025 grade=Base; "
			    "get_average_price seller=Acorn zone=WZ_BETA year=2025 grade=Base");
}

static void list_parameters_take_all_names(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_calls(f, "compare Acorn and Birchwood EP10 2025"),
			    "compare_sellers zone=EP10 year=2025 sellers=Acorn,Birchwood "
			    "region=EAST grade=Base");
	assert_string_equal(fixture_calls(f, "compare sellers EP10 2025"),
			    "compare_sellers zone=EP10 year=2025 region=EAST grade=Base");
	assert_string_equal(fixture_calls(f, "compare Birchwood with the others EP10 2025"),
			    "compare_sellers zone=EP10 year=2025 sellers=Birchwood,Acorn "
			    "region=EAST grade=Base");
}

/* One of two sellers stands for both; which other one of many was meant is asked. */
static void list_is_completed_only_if_all_fit(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_calls(f, "compare acorn with the others for EP10 in 2025"),
			    "compare_sellers zone=EP10 year=2025 sellers=Acorn,Birchwood "
			    "region=EAST grade=Base");
}

static void too_long_list_is_asked_about(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_ask(f, "hourly prices EP10 2025 HE 1-6")->tool_count, 1);
	assert_int_equal(fixture_ask(f, "hourly prices EP10 2025 HE 1-7")->tool_count, 0);
	assert_string_equal(f->u.ask.filter, "hour");
}

static void time_has_form_of_parameter(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_calls(f, "list price files for 2025"),
			    "list_price_files year=2025");
	assert_string_equal(fixture_calls(f, "list price files published in 2025"),
			    "list_price_files from=2025-01-01 to=2025-12-31");
	assert_string_equal(fixture_calls(f, "list price files from last month"),
			    "list_price_files from=2026-01-01 to=2026-01-31");
	assert_string_equal(fixture_calls(f, "how many parcels did River Depot send in 2025"),
			    "count_parcels depot=River Depot since=2025-01-01 until=2025-12-31");
}

static void asks_for_missing_value(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "average price in EAST for 2025 from Acorn");

	assert_string_equal(u->ask.filter, "zone");
	assert_int_equal(u->ask.option_count, 3);
	assert_string_equal(u->ask.options[0].label, "EP10");
	assert_string_equal(u->ask_tool->name, "get_average_price");
	assert_true(u->confidence < NLU_CONFIDENT);
	u = fixture_ask(f, "average price EP10 from Acorn");
	assert_string_equal(u->ask.filter, "year");
	assert_int_equal(u->ask.option_count, 0);
	assert_non_null(strstr(u->ask.text, "2026"));
}

static void never_drops_unsupported_filter(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u =
		fixture_ask(f, "compare Acorn and Birchwood EP10 summer 2025");

	assert_int_equal(u->tool_count, 0);
	assert_string_equal(u->ask.filter, "month");
	assert_int_equal(u->ask.option_count, 1);
	assert_string_equal(u->ask.options[0].value, "all");
	u = fixture_ask(f, "average weekend price EP10 2025 Acorn");
	assert_int_equal(u->tool_count, 0);
	assert_non_null(strstr(u->ask.text, "weekend"));
}

static void numbers_have_bounds(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_ask(f, "average price EP10 1999 Acorn")->tool_count, 0);
	assert_string_equal(f->u.ask.filter, "year");
	assert_int_equal(fixture_ask(f, "top 51 depots with most parcels")->tool_count, 0);
	assert_string_equal(f->u.ask.filter, "top_n");
	assert_int_equal(fixture_ask(f, "top 50 depots with most parcels")->tool_count, 1);
	assert_int_equal(fixture_ask(f, "hourly prices EP10 2025 HE25")->tool_count, 0);
	assert_string_equal(f->u.ask.filter, "hour");
}

static void defaults_are_filters_with_their_source(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "average price EP10 2025 acorn");

	assert_int_equal(filter_of(u, "grade")->source, SOURCE_DEFAULT);
	assert_int_equal(filter_of(u, "region")->source, SOURCE_ALIAS);
	assert_int_equal(filter_of(u, "seller")->source, SOURCE_EXPLICIT);
	assert_int_equal(filter_of(u, "year")->values[0].number, 2025);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(arguments_use_parameter_names),
		TEST(several_values_make_several_calls),
		TEST(values_of_two_parents_are_not_mixed),
		TEST(list_parameters_take_all_names),
		TEST(list_is_completed_only_if_all_fit),
		TEST(too_long_list_is_asked_about),
		TEST(time_has_form_of_parameter),
		TEST(asks_for_missing_value),
		TEST(never_drops_unsupported_filter),
		TEST(numbers_have_bounds),
		TEST(defaults_are_filters_with_their_source),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
