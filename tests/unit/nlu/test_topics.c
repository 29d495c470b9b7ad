/* Phrases that make a question one of a kind. */
#include "nlu_test.h"

static const char *const oil[] = {"oil price", "oil", NULL};
static const char *const songs[] = {"song", "s&p", "oil", NULL};
static const struct topic own[] = {{.phrases = oil, .answer = "No oil."}};
static const struct topic others[] = {{.phrases = songs, .answer = "No songs."}};

static void check(const char *text, const char *answer, size_t from, size_t length)
{
	struct arena *a = arena_new(1 << 20);
	const struct topics *t = topics_new(a, own, 1, others, 1);
	const struct topic *found = NULL;
	struct question q;
	size_t len = 0, i;

	text_tokenize(english(a), text, a, &q);
	for (i = 0; i < q.count && !found; i++)
		found = topics_at(t, &q, i, &len);
	if (!answer) {
		assert_null(found);
	} else {
		assert_non_null(found);
		assert_string_equal(found->answer, answer);
		assert_int_equal(i - 1, from);
		assert_int_equal(len, length);
	}
	arena_free(&a);
}

static void the_longest_phrase_is_found(void **state)
{
	(void)state;
	check("what do OIL prices do", "No oil.", 2, 2);
	check("oils price", "No oil.", 0, 2);
	check("the oil of price", "No oil.", 1, 1);
	check("two songs", "No songs.", 1, 1);
	check("the S&P 500", "No songs.", 1, 2);
	check("oily songbook", NULL, 0, 0);
	check("", NULL, 0, 0);
}

static void finds_words_in_question(void **state)
{
	static const char *const words[] = {"budget", "spend", NULL};
	struct arena *a = arena_new(1 << 20);
	struct question q;

	(void)state;
	text_tokenize(NULL, "the actual Spend", a, &q);
	assert_true(topics_mention(&q, words));
	text_tokenize(NULL, "the actual price", a, &q);
	assert_false(topics_mention(&q, words));
	assert_false(topics_mention(&q, NULL));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_phrase_is_found),
		cmocka_unit_test(finds_words_in_question),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
