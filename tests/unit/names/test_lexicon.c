#include "names_test.h"

#include "name_maker.h"
#include "vesper/limits.h"

static const struct lexicon *lexicon_of(const char *const *texts, size_t count)
{
	struct lexicon_build *b = lexicon_build_new();

	for (size_t i = 0; i < count; i++)
		assert_true(lexicon_build_add(b, texts[i], NULL));
	return lexicon_new(&b, LEXICON_WORDS | LEXICON_INITIALS, NULL);
}

static const char *const plants[] = {"Nazareth Solar",
				     "Sierra Solar",
				     "Sierra Wind Farm",
				     "Sierra Wind Park",
				     "O'Brien Solar",
				     "100% Solar",
				     "project_7",
				     "Caf\xC3\xA9 Wind",
				     "NP-15",
				     "NP 15",
				     "M\xC3\xBCller",
				     "Oak Oak Solar",
				     ""};

/* The values found, in order, as "A|B". */
static const char *joined(const struct lexicon *l, const uint32_t *values, size_t count)
{
	static char text[400];
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? "|" : "",
				       lexicon_text(l, values[i]));
	return text;
}

static void finds_names_whole_by_word_and_by_initials(void **state)
{
	const struct lexicon *l = lexicon_of(plants, COUNT(plants));
	uint32_t v[8];
	size_t n;

	(void)state;
	assert_int_equal(l->count, COUNT(plants));
	assert_int_equal(l->longest_words, 3);
	n = lexicon_find(l, "np15", 4, v, 8);
	assert_int_equal(n, 2);
	n = lexicon_find(l, "cafewind", 8, v, 8);
	assert_string_equal(joined(l, v, n), "Caf\xC3\xA9 Wind");
	n = lexicon_find(l, "obriensolar", 11, v, 8);
	assert_string_equal(joined(l, v, n), "O'Brien Solar");
	assert_int_equal(lexicon_find(l, "", 0, v, 8), 0);
	n = lexicon_find_word(l, "sierra", 6, v, 8);
	assert_string_equal(joined(l, v, n), "Sierra Solar|Sierra Wind Farm|Sierra Wind Park");
	n = lexicon_find_word(l, "oak", 3, v, 8);
	assert_string_equal(joined(l, v, n), "Oak Oak Solar");
	assert_int_equal(lexicon_find_word(l, "muller", 6, v, 8),
			 0); /* whole names are not indexed by word */
	assert_int_equal(lexicon_find_word(l, "np", 2, v, 8), 0);
	n = lexicon_find_initials(l, "ns", 2, v, 8);
	assert_string_equal(joined(l, v, n), "Nazareth Solar");
	assert_int_equal(lexicon_find_initials(l, "swf", 3, v, 8), 1);
	lexicon_unref(&l);
	assert_null(l);
}

static size_t find_words(const struct lexicon *l, const char *text, uint32_t *out)
{
	struct folded f;

	text_fold(text, &f);
	return lexicon_find_words(l, f.key, f.ends, f.count, out, 8);
}

static void finds_adjacent_words(void **state)
{
	const struct lexicon *l = lexicon_of(plants, COUNT(plants));
	uint32_t v[8];

	(void)state;
	assert_int_equal(find_words(l, "Sierra Wind", v), 2);
	assert_int_equal(find_words(l, "Wind Farm", v), 1);
	assert_string_equal(lexicon_text(l, v[0]), "Sierra Wind Farm");
	assert_int_equal(find_words(l, "Sierra Farm", v), 0);
	assert_int_equal(find_words(l, "Sierra Win", v), 0);
	assert_int_equal(find_words(l, "7 8", v), 0);
	lexicon_unref(&l);
}

static void sorts_fuzzy_matches(void **state)
{
	const struct lexicon *l = lexicon_of(plants, COUNT(plants));
	struct fuzzy_value matches[FUZZY_MATCHES_MAX];
	size_t n;

	(void)state;
	n = lexicon_find_fuzzy(l, "nazarethsolr", 12, 2, matches, FUZZY_MATCHES_MAX);
	assert_int_equal(n, 1);
	assert_string_equal(lexicon_text(l, matches[0].value), "Nazareth Solar");
	assert_int_equal(matches[0].distance, 1);
	assert_false(matches[0].part);
	n = lexicon_find_fuzzy(l, "siera", 5, 1, matches, FUZZY_MATCHES_MAX);
	assert_int_equal(n, 3);
	assert_true(matches[0].part);
	assert_int_equal(matches[0].shared, 3);
	n = lexicon_find_fuzzy(l, "project9", 8, 2, matches, FUZZY_MATCHES_MAX);
	assert_int_equal(n, 1);
	assert_true(matches[0].other_name);
	assert_int_equal(lexicon_find_fuzzy(l, "mazaretsolar", 12, 2, matches, FUZZY_MATCHES_MAX),
			 1);
	assert_true(matches[0].other_name);
	assert_int_equal(lexicon_find_fuzzy(l, "mazarethsolar", 13, 2, matches, FUZZY_MATCHES_MAX),
			 1);
	assert_false(matches[0].other_name);
	assert_int_equal(lexicon_find_fuzzy(l, "np15", 4, 1, matches, 1), 1);
	lexicon_unref(&l);
}

static void values_keep_their_parents(void **state)
{
	struct lexicon_build *b = lexicon_build_new();
	const struct lexicon *l;
	uint32_t v[4];

	(void)state;
	assert_true(lexicon_build_add(b, "Hub B", NULL));
	assert_true(lexicon_build_add(b, "Hub C", "West"));
	assert_true(lexicon_build_add(b, "Hub A", "East"));
	l = lexicon_new(&b, LEXICON_ORIGIN, NULL);
	assert_string_equal(lexicon_text(l, 0), "Hub A");
	assert_string_equal(lexicon_parent(l, 0), "East");
	assert_null(lexicon_parent(l, 1));
	assert_string_equal(lexicon_parent(l, 2), "West");
	assert_int_equal(l->origin[0], 2);
	assert_int_equal(lexicon_find_word(l, "hub", 3, v, 4), 0);
	lexicon_unref(&l);
}

static void limits_number_of_values(void **state)
{
	struct lexicon_build *b = lexicon_build_new();

	(void)state;
	for (size_t i = 0; i < NLU_VALUES_MAX; i++)
		if (!lexicon_build_add(b, "x", NULL))
			fail_msg("rejects value %zu", i);
	assert_false(lexicon_build_add(b, "x", NULL));
	assert_int_equal(lexicon_build_count(b), NLU_VALUES_MAX);
	lexicon_build_free(&b);
}

static void accepts_names_of_any_length(void **state)
{
	static char longest[5000];
	const char *const texts[] = {longest, "%%%", "\xFF\xFE", "a"};
	const struct lexicon *l;
	uint32_t v[4];
	struct folded f;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	l = lexicon_of(texts, COUNT(texts));
	text_fold(longest, &f);
	assert_true(f.len < TEXT_KEY_BYTES_MAX);
	assert_int_equal(lexicon_find(l, f.key, f.len, v, 4), 1);
	assert_string_equal(lexicon_text(l, v[0]), longest);
	lexicon_unref(&l);
}

/* Nearly all names with one or two typing errors, as their length allows, are among the first three
 * matches. */
static void finds_misspelled_names(void **state)
{
	struct name_maker m = {.state = 42}, typing = {.state = 4711};
	struct lexicon_build *b = lexicon_build_new();
	const struct lexicon *l;
	size_t found = 0, tried = 4000;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char name[NAME_MAKER_BYTES];

		name_maker_any(&m, name, sizeof(name));
		assert_true(lexicon_build_add(b, name, NULL));
	}
	l = lexicon_new(&b, LEXICON_WORDS | LEXICON_INITIALS, NULL);
	for (size_t i = 0; i < tried; i++) {
		uint32_t value = name_maker_random(&typing, (uint32_t)l->count);
		struct fuzzy_value matches[FUZZY_MATCHES_MAX];
		char typed[NAME_MAKER_BYTES * 2];
		struct folded f;
		size_t n;

		snprintf(typed, sizeof(typed), "%s", lexicon_text(l, value));
		text_fold(typed, &f);
		for (int e = 0; e < fuzzy_limit(f.key, f.len) && e <= (int)(i % 2); e++)
			name_maker_mistype(&typing, typed);
		text_fold(typed, &f);
		n = lexicon_find_fuzzy(l, f.key, f.len, fuzzy_limit(f.key, f.len), matches, 3);
		for (size_t p = 0; p < n; p++)
			if (strcmp(lexicon_text(l, matches[p].value), lexicon_text(l, value)) ==
			    0) {
				found++;
				break;
			}
	}
	if (found * 100 < tried * 99)
		fail_msg("%zu of %zu", found, tried);
	lexicon_unref(&l);
}

static void prefix_ends_with_the_name(void **state)
{
	static const struct {
		const char *words;
		size_t prefix_words;
	} cases[] = {
		{"nazareth solar price", 2},
		{"nazareth price", 1},
		{"price nazareth", 0},
		{"naz", 1},
		{"wind farm solar", 3},
		{"sierra of wind", 3},
		{"n p 15 in", 3},
		{"np 15 in", 2},
		{"ss budget", 1},
		{"zz top", 0},
		{"", 0},
	};
	const struct lexicon *l = lexicon_of(plants, COUNT(plants));
	struct folded f;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		text_fold(cases[i].words, &f);
		if (lexicon_prefix_words(l, &f) != cases[i].prefix_words)
			fail_msg("\"%s\": %zu", cases[i].words, lexicon_prefix_words(l, &f));
	}
	lexicon_unref(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_names_whole_by_word_and_by_initials),
		cmocka_unit_test(finds_adjacent_words),
		cmocka_unit_test(prefix_ends_with_the_name),
		cmocka_unit_test(sorts_fuzzy_matches),
		cmocka_unit_test(values_keep_their_parents),
		cmocka_unit_test(limits_number_of_values),
		cmocka_unit_test(accepts_names_of_any_length),
		cmocka_unit_test(finds_misspelled_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
