#include "nlu_test.h"

static void two_subjects_are_two_calls(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u =
		fixture_ask(f, "What is the average price in EP10 for 2025 from Acorn, and which 3 "
			       "depots sent most parcels last month?");

	assert_string_equal(u->intent, "multi_domain");
	assert_int_equal(u->agent_count, 2);
	assert_string_equal(u->agents[1], "parcel_agent");
	assert_string_equal(calls_text(f, u),
			    "get_average_price seller=Acorn zone=EP10 year=2025 region=EAST "
			    "grade=Base; "
			    "get_top_depots most=3 since=2026-01-01 until=2026-01-31");
}

/* "parcels" speaks for both halves here: only that each is whole by itself tells them apart. */
static void complete_halves_are_two_questions(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(
		f, "average price in EP10 for 2025 from Acorn and list the top 3 depots");

	assert_string_equal(u->intent, "multi_domain");
	assert_int_equal(u->tool_count, 2);
}

static void joints_within_one_subject_do_not_split(void **state)
{
	static const char *const questions[] = {
		"Compare Acorn and Birchwood for EP10 and 2025",
		"average price EP10, 2025, Acorn",
		"average price of EP10 and EP20 in 2025 from Acorn",
		"how many parcels did River Depot send last week, and the week is the calendar's",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(questions); i++)
		if (fixture_ask(f, questions[i])->agent_count != 1)
			fail_msg("\"%s\": %zu agents", questions[i], f->u.agent_count);
}

/* "Most first" orders what was asked for before it; it is no question about depots. */
static void ordering_is_no_subject(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		fixture_ask(f, "average price EP10 2025 Acorn, the most first")->agent_count, 1);
	assert_int_equal(fixture_ask(f, "average price EP10 2025 Acorn, best first")->agent_count,
			 1);
}

static void incomplete_part_asks_instead_of_calling(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(
		f, "average price in EP10 for 2025 and the top 3 depots with most parcels");

	assert_string_equal(u->intent, "multi_domain");
	assert_string_equal(u->ask.filter, "seller");
	assert_int_equal(u->tool_count, 0);
}

static void slice_respects_permissions(void **state)
{
	struct fixture *f = *state;

	catalog_for(&goods_catalog, &nobody, f->arena, &f->view);
	fixture_ask(f, "average price EP10 2025 Acorn and the top 3 depots with most parcels");
	for (size_t i = 0; i < f->u.tool_count; i++)
		assert_null(strstr(f->u.tools[i].tool->name, "depots"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_subjects_are_two_calls),
		TEST(complete_halves_are_two_questions),
		TEST(joints_within_one_subject_do_not_split),
		TEST(ordering_is_no_subject),
		TEST(incomplete_part_asks_instead_of_calling),
		TEST(slice_respects_permissions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
