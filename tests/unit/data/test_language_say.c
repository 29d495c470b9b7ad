/* Fixed sentences with their values. */
#include "language_test.h"

static void values_fill_their_slots(void **state)
{
	const struct language *l = english(arena);
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	buf_str(&b, "1. ");
	sentence_put(&b, l, SAY_TIME_FROM_TO, "A", "B");
	assert_string_equal(buf_text(&b), "1. A to B");
	buf_deinit(&b);
	assert_string_equal(language_text(l, SAY_MONTH_JANUARY + 11), "December");
	assert_string_equal(language_text(l, SAY_MONTH_SHORT_JANUARY + 11), "Dec");
	assert_string_equal(sentence(l, SAY_ASK_WHICH_OF, arena, "hub", "A or {label}"),
			    "Which hub do you mean: A or {label}?");
	assert_string_equal(sentence(l, SAY_ASK_DAY, arena), "day");
	assert_string_equal(sentence(l, SAY_TIME_FROM_TO, arena, "A", "B"), "A to B");
}

static void invalid_sentences_are_rejected(void **state)
{
	(void)state;
	assert_rejected("\"vague\": \"", "\"vage\": \"", 0, "sentences.ask.vage: unknown sentence");
	assert_rejected("Which {label} do you mean?", "Which {lable} do you mean?", 0,
			"sentences.ask.which: allowed slots: label");
	assert_rejected("Which {label} do you mean?", "Which do you mean?", 0,
			"sentences.ask.which: required slots: label");
	assert_rejected("Which {label} do you mean?", "Which {label do you mean?", 0,
			"allowed slots: label");
	assert_rejected("Which {label} do you mean?", "", 0, "sentences.ask.which: is empty");
	assert_rejected("Leave it out", "Leave {it} out", 0, "allowed slots: none");
	assert_rejected("Which {label} do you mean?", "{label}{label}{label}{label}{label}", 0,
			"at most 4 slots");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_fill_their_slots),
		TEST(invalid_sentences_are_rejected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
