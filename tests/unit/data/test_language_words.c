/* Word lookup in a language. */
#include "language_test.h"

#include "language_int.h"

static const struct language_word *find_word(const struct language *l, const char *text)
{
	return language_word(l, text, strlen(text));
}

static bool is_in_list(const struct language_word *w, enum words list)
{
	return w && (w->lists >> list & 1);
}

static void word_lookup_returns_its_lists(void **state)
{
	const struct language *l = english(arena);

	(void)state;
	assert_true(is_in_list(find_word(l, "and"), WORDS_CLAUSE_JOINTS));
	assert_true(is_in_list(find_word(l, "and"), WORDS_STOP));
	assert_false(is_in_list(find_word(l, "and"), WORDS_NOT));
	assert_int_equal(find_word(l, "fifty")->number, 50);
	assert_int_equal(find_word(l, "and")->number, -1);
	assert_int_equal(find_word(l, "third")->ordinal, 3);
	assert_int_equal(find_word(l, "last")->ordinal, ORDINAL_LAST);
	assert_null(find_word(l, "xylophone"));
	assert_null(find_word(l, ""));
	assert_null(language_word(NULL, "and", 3));
}

static void phrases_are_sorted_longest_first(void **state)
{
	struct language_words *words = language_words_new(arena);
	const struct language l = {.words = words};
	const struct phrase *p;

	(void)state;
	language_words_add(words, "more than", WORDS_ABOVE);
	language_words_add(words, "more  or   less than", WORDS_BELOW);
	language_words_add(words, "more", WORDS_RANKING);
	language_words_add(words, "more often", WORDS_RANKING);
	p = find_word(&l, "more")->phrases;
	assert_int_equal(p->count, 4);
	assert_string_equal(p->words[3], "than");
	assert_int_equal(p->next->count, 2);
	assert_int_equal(p->next->next->count, 2);
	assert_null(p->next->next->next);
	assert_true(is_in_list(find_word(&l, "more"), WORDS_RANKING));
	assert_false(is_in_list(find_word(&l, "more"), WORDS_ABOVE));
}

static void thousands_of_words_are_found(void **state)
{
	struct language_words *words = language_words_new(arena);
	const struct language l = {.words = words};

	(void)state;
	for (int i = 0; i < 20000; i++)
		language_words_number(words, arena_printf(arena, "w%d", i), i);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(find_word(&l, arena_printf(arena, "w%d", i))->number, i);
	assert_null(find_word(&l, "w20000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(word_lookup_returns_its_lists),
		TEST(phrases_are_sorted_longest_first),
		TEST(thousands_of_words_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
