/* Language files: valid files, and errors with their line. */
#include "language_test.h"

#include "vesper/limits.h"
#include "vesper/rx.h"

static void shipped_language_is_read(void **state)
{
	const struct language *l = english(arena);

	(void)state;
	assert_true(l->synonym_count > 10);
	assert_string_equal(l->synonyms[0][0], "average");
	assert_string_equal(l->concepts[CONCEPT_HOURS], "hour");
	assert_string_equal(l->path, ENGLISH_PATH);
	assert_non_null(strstr(l->outside.answer, "{term}"));
	assert_int_equal(l->impossible_count, 1);
}

static void invalid_file_is_rejected(void **state)
{
	(void)state;
	assert_rejected("\"stop\": [", "\"stop\": [,", 0, "JSON");
	assert_rejected("\"version\": 1", "\"version\": 2", 0, "version: must be 1");
	assert_rejected("\"stop\"", "\"stopp\"", 0, "stopp: unknown member");
	assert_rejected("\"joining\"", "\"joinin\"", 0, "cues.joinin: unknown member");
	assert_rejected("\"zero\": 0", "\"zero\": -1", 0, "must be a number from 0 to");
	assert_rejected("\"zero\": 0", "\"zero\": \"0\"", 0, "numbers.zero");
	assert_rejected("\"last\": -1", "\"last\": -2", 0,
			"ordinals.last: must be a number from -1");
	assert_rejected("\"k\": 1000", "\"k\": 1", 0,
			"multipliers.k: must be a whole number of at least 2");
	assert_rejected("\"existence\": \"available\"", "\"existence\": \"\"", 0, "must be a word");
}

/* The error for a missing member has the line of its parent. */
static void error_names_the_missing_member(void **state)
{
	const struct language *l;
	struct err e;

	(void)state;
	assert_false(language_read("x.json", "{\"version\": 1}", arena, &l, &e));
	assert_string_equal(e.text, "x.json:1: stop: is missing");
	assert_false(language_read("x.json", "[]", arena, &l, &e));
	assert_string_equal(e.text, "x.json:1: not an object");
	assert_false(language_read("x.json", "{\n\n\"version\":\n2}", arena, &l, &e));
	assert_string_equal(e.text, "x.json:4: version: must be 1");
}

static void invalid_pattern_is_rejected(void **state)
{
	(void)state;
	assert_rejected("\\\\bmakes? it\\\\b", "makes? (it", 0, "not_pointing.pattern[3]");
	assert_rejected("\\\\bmonth (?:number", "month ((?:number", 0, "impossible[0].pattern[0]");
	assert_rejected("\"answer\": \"A year has the months 1 to 12.\"", "\"answer\": \"\"", 0,
			"impossible[0].answer: is empty");
	assert_rejected("\"named\": {", "\"named\": [], \"x\": {", 0, "unknown member");
}

static void impossible_patterns_are_limited(void **state)
{
	const char *at = strstr(shipped, "\"impossible\": [");
	const struct language *l;
	struct err e;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	buf_add(&b, shipped, (size_t)(at - shipped));
	buf_str(&b, "\"impossible\": [");
	for (int i = 0; i < LANGUAGE_IMPOSSIBLE_MAX; i++)
		buf_printf(&b, "{\"pattern\": [\"x%d\"], \"answer\": \"no\"},", i);
	buf_str(&b, at + strlen("\"impossible\": ["));
	assert_false(language_read(ENGLISH_PATH, buf_text(&b), arena, &l, &e));
	assert_non_null(strstr(e.text, "impossible: at most 16"));
	buf_deinit(&b);
}

static bool matches(const char *regex, const char *text)
{
	struct str groups[RX_GROUPS_MAX];
	struct rx *rx;
	struct err e;
	bool found;

	assert_true(rx_new(regex, &rx, &e));
	found = rx_match(rx, str_of(text), 0, groups);
	rx_free(&rx);
	return found;
}

/* Words of a pack's list are matched literally. */
static void slots_escape_words(void **state)
{
	static const char *const none[] = {NULL};
	static const char *const nouns[] = {"ward", "a.b*(c", "in-out", NULL};
	const struct language_pattern p = {.regex = "^that (?:{nouns})$"};
	const struct language_pattern states = {.regex = "^x|^is (?:{states}|late)$"};
	const char *regex = language_pattern(&p, nouns, none, none, arena);

	(void)state;
	assert_true(matches(regex, "that ward"));
	assert_true(matches(regex, "that a.b*(c"));
	assert_true(matches(regex, "that in-out"));
	assert_false(matches(regex, "that aXb*(c"));
	assert_false(matches(language_pattern(&p, none, none, none, arena), "that "));
	assert_true(matches(language_pattern(&states, none, none, none, arena), "is late"));
	assert_false(matches(language_pattern(&states, none, none, none, arena), "is "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shipped_language_is_read),        TEST(invalid_file_is_rejected),
		TEST(error_names_the_missing_member),  TEST(invalid_pattern_is_rejected),
		TEST(impossible_patterns_are_limited), TEST(slots_escape_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
