#include "nlu_test.h"

struct exclude_case {
	const char *question, *calls;
};

/* Of two sellers the other one is left. */
static void uses_only_remaining_value(void **state)
{
	static const struct exclude_case cases[] = {
		{"average price EP10 2025 not acorn", "Birchwood"},
		{"average price EP10 2025, excluding Birchwood", "Acorn"},
		{"average price of all sellers but acorn for EP10 in 2025", "Birchwood"},
		{"average price EP10 2025 from other than acorn", "Birchwood"},
		{"average price EP10 2025, I don't want acorn", "Birchwood"},
		{"average price EP10 2025 not acorn, birchwood", "Birchwood"},
		{"average price EP10 2025 birchwood instead of acorn", "Birchwood"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *want =
			arena_printf(f->arena,
				     "get_average_price seller=%s zone=EP10 year=2025 region=EAST "
				     "grade=Base",
				     cases[i].calls);
		const char *got = fixture_calls(f, cases[i].question);

		if (strcmp(got, want) != 0)
			fail_msg("\"%s\": got \"%s\"", cases[i].question, got);
	}
}

/* Of several it is asked which; what is left out is not among them. */
static void otherwise_asks(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u;

	u = fixture_ask(f, "average price 2025 acorn except EP10 and EP20");
	assert_int_equal(u->tool_count, 0);
	assert_string_equal(u->ask.filter, "zone");
	assert_int_equal(u->ask.option_count, 3);
	for (size_t i = 0; i < u->ask.option_count; i++)
		assert_string_not_equal(u->ask.options[i].value, "EP10");
	u = fixture_ask(f, "average price EP10 2025 acorn, not low grade");
	assert_string_equal(u->ask.filter, "grade");
	assert_int_equal(u->ask.option_count, 2);
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "Fine"),
			    "get_average_price seller=Acorn zone=EP10 year=2025 region=EAST "
			    "grade=Fine");
}

static void times_are_asked_about(void **state)
{
	static const char *const questions[] = {
		"hourly prices EP10 2025 excluding July",
		"average price EP10 acorn, any year except 2025",
		"how many parcels did river depot send, not last week",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(questions); i++) {
		fixture_ask(f, questions[i]);
		if (f->u.tool_count > 0 || !f->u.ask.text)
			fail_msg("%s", questions[i]);
	}
}

/* What a tool tells is not wanted: no tool knows that. */
static void negated_tool_lowers_confidence(void **state)
{
	struct fixture *f = *state;

	assert_true(fixture_ask(f, "list price files of acorn")->confidence >= NLU_CONFIDENT);
	assert_true(fixture_ask(f, "list sellers of acorn without price files")->confidence <
		    NLU_CONFIDENT);
	assert_true(fixture_ask(f, "no rush: list price files of acorn")->confidence >=
		    NLU_CONFIDENT);
}

/* Words that only look so. */
static void excludes_nothing_else(void **state)
{
	static const char *const questions[] = {
		"isn't acorn's average price for EP10 in 2025 high?",
		"not just acorn's average price EP10 2025",
		"average price EP10 2025 acorn but quick",
		"average price no later than now EP10 2025 acorn",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(questions); i++) {
		const struct filter *seller;

		fixture_ask(f, questions[i]);
		seller = filter_of(&f->u, "seller");
		if (!seller || strcmp(seller->values[0].text, "Acorn") != 0)
			fail_msg("%s", questions[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(uses_only_remaining_value), TEST(otherwise_asks),
		TEST(times_are_asked_about),     TEST(negated_tool_lowers_confidence),
		TEST(excludes_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
