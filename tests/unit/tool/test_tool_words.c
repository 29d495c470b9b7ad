/* Scores how well the words of a value match a description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "english.h"
#include "tool_int.h"

static struct arena *arena;
static struct catalog catalog;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	catalog = (struct catalog){.language = english(arena)};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static unsigned fit(const char *description, const char *value)
{
	struct class_words w;

	class_words_read(&catalog, description, arena, &w);
	return class_words_score(&w, value);
}

static void words_match_by_stem(void **state)
{
	(void)state;
	assert_int_equal(fit("snacks", "Snack bar"), 2);
	assert_int_equal(fit("a snack", "SNACKS, salted"), 2);
	assert_int_equal(fit("salted snacks", "Snack bar, salted"), 4);
	assert_int_equal(fit("salted snacks", "Snack bar"), 2);
	assert_int_equal(fit("snacks", "Hammer"), 0);
	assert_int_equal(fit("snacks", ""), 0);
	assert_int_equal(fit("", "Snack bar"), 0);
}

static void words_match_by_synonym(void **state)
{
	(void)state;
	assert_int_equal(fit("mean", "average of the day"), 2);
}

/* Words that share most of their trigrams. */
static void similar_words_score_less(void **state)
{
	(void)state;
	assert_int_equal(fit("snacks", "Snackies"), 1);
	assert_int_equal(fit("complaint", "complaind"), 1);
	assert_int_equal(fit("saw", "sew"), 0); /* too short to compare trigrams */
	assert_int_equal(fit("question", "quest"), 1);
	assert_int_equal(fit("question", "quarrel"), 0);
}

/* Stop words do not count, unless the description has no other words. */
static void ignores_stop_words_unless_alone(void **state)
{
	(void)state;
	assert_int_equal(fit("the snacks of the shop", "one of the hammers"), 0);
	assert_int_equal(fit("a question", "One question about it"), 2);
	assert_int_equal(fit("a question", "A thing"), 0);
}

/* Bytes other than English letters, long words, many words. */
static void accepts_any_bytes(void **state)
{
	char text[4096];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(fit("snacks", text), 0);
	for (size_t i = 1; i < sizeof(text) - 1; i += 2)
		text[i] = ' ';
	assert_int_equal(fit("snacks", text), 0);
	assert_int_equal(fit("knäckebröd", "Knäckebröd, 200 g"), 2);
	assert_int_equal(fit("\xe5\x93\x81", "\xff\xfe\xe5"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words_match_by_stem, set_up, tear_down),
		cmocka_unit_test_setup_teardown(words_match_by_synonym, set_up, tear_down),
		cmocka_unit_test_setup_teardown(similar_words_score_less, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ignores_stop_words_unless_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(accepts_any_bytes, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("tool/words", tests, NULL, NULL);
}
