/* Closing a text that stops anywhere, and detecting repeated sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "vesper/answer.h"

static void closes_open_markup(void **state)
{
	static const struct {
		const char *shown, *marks;
	} cases[] = {
		{"", ""},
		{"\n \n", ""},
		{"It is done.", "\n\n"},
		{"It is done!\n", "\n\n"},
		{"The price was 42", "…\n\n"},
		{"The **price", "…**\n\n"},
		{"The **price** was", "…\n\n"},
		{"The `price", "…`\n\n"},
		{"| a | b |\n|---|---|\n| 1 | 2", "… |\n\n"},
		{"| a | b |\n|---|---|\n| 1 | 2 |", "\n\n"},
		{"```\nselect", "…\n```\n\n"},
		{"```\nselect\n```\nThen", "…\n\n"},
		{"A list:\n- one", "…\n\n"},
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(answer_closing_marks(str_of(cases[i].shown), a),
				    cases[i].marks);
	arena_free(&a);
}

static void detects_repeated_sentences(void **state)
{
	static const char shown[] =
		"The average price was 48.73 dollars in NP15. Prices rose towards "
		"the evening.\nAscend was above the market";
	static const struct {
		const char *sentence;
		bool again;
	} cases[] = {
		{"The average price was 48.73 dollars in NP15.", true},
		{"the AVERAGE price in NP15 was 48.73 dollars!", true},
		{"In NP15 the average was 48.73 dollars.", true},
		{"The average price was 48.74 dollars in NP15.", false},
		{"The average price was 48.73 dollars in NP15, and 51.20 in SP15.", false},
		{"Prices rose towards the evening.", true},
		{"Prices fell towards the morning.", false},
		{"Ascend was above the market", true},
		{"Ascend was above the market by 3 dollars.", false},
		{"   \n", false},
		{"", false},
		{"---\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (answer_repeats(str_of(shown), str_of(cases[i].sentence)) != cases[i].again)
			fail_msg("%s", cases[i].sentence);
	assert_false(answer_repeats(str_of(""), str_of("Anything at all.")));
}

/* Sentences of a template that the text lacks, compared by numbers or by words. */
static void returns_missing_sentences(void **state)
{
	static const char made[] = "The price was 48.73 dollars. It was highest at 7 pm.\n"
				   "- Ascend: 51.20\n| a | 99 |\nNothing is missing there.\n";
	static const struct {
		const char *shown, *left;
	} cases[] = {
		{"", "The price was 48.73 dollars. It was highest at 7 pm.\n"
		     "- Ascend: 51.20\nNothing is missing there.\n"},
		{"On average 48.73, said the model…",
		 "It was highest at 7 pm.\n- Ascend: 51.20\nNothing is missing there.\n"},
		{"On average 48.73. Ascend 51.20; 7 is late.\nNothing is missing there.", ""},
		{"On average 148.73 or 51.2", "The price was 48.73 dollars. It was highest at 7 "
					      "pm.\n- Ascend: 51.20\nNothing is missing "
					      "there.\n"},
	};
	struct arena *a = arena_new(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(answer_missing_text(str_of(cases[i].shown), made, a),
				    cases[i].left);
	arena_free(&a);
}

/* An endless sentence of arbitrary bytes: only its first WORDS_MAX words are compared. */
static void long_sentences_are_bounded(void **state)
{
	static char text[100000];
	size_t n = 0;

	(void)state;
	for (int i = 0; n + 16 < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "w%d \xff,", i);
	assert_true(answer_repeats((struct str){text, 4000}, (struct str){text, 4000}));
	assert_false(answer_repeats((struct str){text, n}, STR("Something else entirely.")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes_open_markup),
		cmocka_unit_test(detects_repeated_sentences),
		cmocka_unit_test(returns_missing_sentences),
		cmocka_unit_test(long_sentences_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
