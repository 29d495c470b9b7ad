/* Values that a follow-up puts in place of those before, without naming what they are. */
#include "nlu_test.h"

#define AVERAGE "What was the average price in EP10 for 2025 from Acorn?"

static const char *after(struct fixture *f, const char *before, const char *question)
{
	json_decref(f->standing);
	f->standing = NULL;
	fixture_ask_and_store(f, before);
	return fixture_calls(f, question);
}

/* Of two sellers the other one; a correction keeps the subject. */
static void corrections_keep_subject(void **state)
{
	static const char *const questions[] = {"the other seller please", "no, I meant Birchwood",
						"sorry, I meant Birchwood"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(questions); i++)
		assert_string_equal(after(f, AVERAGE, questions[i]),
				    "get_average_price seller=Birchwood zone=EP10 year=2025 "
				    "region=EAST grade=Base");
}

/* Of more than two regions no other one is known, so code is not sure. */
static void never_guesses_among_several_others(void **state)
{
	struct fixture *f = *state;

	(void)after(f, AVERAGE, "the other zone please");
	assert_true(f->u.tool_count == 0 || f->u.unused_count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(corrections_keep_subject),
		TEST(never_guesses_among_several_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
