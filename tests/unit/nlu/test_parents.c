#include "nlu_test.h"

static void contradiction_offers_both_values(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "average price EP10 in WEST 2025 Acorn");

	assert_int_equal(u->tool_count, 0);
	assert_string_equal(u->ask.filter, "region");
	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, "EAST");
	assert_string_equal(u->ask.options[1].value, "WEST");
	assert_false(u->ask.unknown);
}

static void parent_without_children_lists_others(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "average price in NORD 2025 Acorn");

	assert_string_equal(u->ask.filter, "zone");
	assert_int_equal(u->ask.option_count, 5);
	assert_non_null(strstr(u->ask.text, "NORD"));
}

static void infers_unique_parent(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(filter_of(fixture_ask(f, "average price EP10 2025 Acorn"), "region")
				    ->values[0]
				    .text,
			    "EAST");
	assert_null(
		filter_of(fixture_ask(f, "average price EP10 and WZ_BETA 2025 Acorn"), "region"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(contradiction_offers_both_values),
		TEST(parent_without_children_lists_others),
		TEST(infers_unique_parent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
