#include "text_test.h"

static const char *stem(const char *word)
{
	static char out[STEM_BYTES];

	word_stem(word, strlen(word), out);
	return out;
}

static void forms_of_a_word_share_a_stem(void **state)
{
	static const char *const groups[][4] = {
		{"price", "prices", "priced", "pricing"},
		{"average", "averages", "averaged", NULL},
		{"file", "files", NULL, NULL},
		{"list", "lists", "listing", "listed"},
		{"hour", "hours", "hourly", NULL},
		{"category", "categories", NULL, NULL},
		{"stop", "stopped", "stopping", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(groups); i++) {
		char first[STEM_BYTES];

		snprintf(first, sizeof(first), "%s", stem(groups[i][0]));
		for (size_t n = 1; n < 4 && groups[i][n]; n++)
			assert_string_equal(stem(groups[i][n]), first);
	}
}

static void accepts_short_and_long_words(void **state)
{
	char out[STEM_BYTES];

	(void)state;
	assert_string_equal(stem("is"), "is");
	assert_string_equal(stem("s"), "s");
	assert_int_equal(word_stem("", 0, out), 0);
	assert_true(word_stem("pneumonoultramicroscopicsilicovolcanoconiosis", 45, out) <
		    STEM_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_a_word_share_a_stem),
		cmocka_unit_test(accepts_short_and_long_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
