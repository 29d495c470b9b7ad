#include "text_test.h"

static const char *tokens_of(const char *text, struct arena *a)
{
	struct question q;
	const char *out = "";

	text_tokenize(english(a), text, a, &q);
	for (size_t i = 0; i < q.count; i++)
		out = arena_printf(a, "%s%s%c%s", out, i ? " " : "", q.tokens[i].separator,
				   q.tokens[i].text);
	return out;
}

static void splits_and_lower_cases(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(tokens_of("What's NP-15, in Jan_2025?", a),
			    ".what  np -15 ,in  jan _2025");
	assert_string_equal(tokens_of("", a), "");
	assert_string_equal(tokens_of("  ?! ", a), "");
	arena_free(&a);
}

static void possessives_and_apostrophes(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(tokens_of("Ascend's O'Brien don't sellers'", a),
			    ".ascend  obrien  dont  sellers");
	assert_string_equal(tokens_of("Ascend\xE2\x80\x99s '26", a), ".ascend '26");
	arena_free(&a);
}

static void typographic_signs_become_ascii(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(tokens_of("NP\xE2\x80\x91"
				      "15\xC2\xA0now \xE2\x80\x9Cx\xE2\x80\x9D",
				      a),
			    ".np -15  now  x");
	arena_free(&a);
}

static void keeps_other_scripts_and_survives_invalid_utf8(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct question q;

	(void)state;
	assert_string_equal(tokens_of("caf\xC3\xA9 \xE4\xBB\xB7\xE6\xA0\xBC", a),
			    ".cafe  \xE4\xBB\xB7\xE6\xA0\xBC");
	text_tokenize(english(a), "\xFF\xC3 a\xE2\x80", a, &q);
	assert_true(q.count >= 1);
	for (size_t i = 0; i < q.count; i++)
		assert_true(q.tokens[i].to <= 6);
	arena_free(&a);
}

static void numbers_and_marks(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct question q;

	(void)state;
	text_tokenize(english(a), "From 2025. Then HE17 1234567890", a, &q);
	assert_int_equal(q.count, 5);
	assert_true(q.tokens[0].starts_sentence && q.tokens[0].capitalized);
	assert_int_equal(q.tokens[1].number, 2025);
	assert_true(q.tokens[2].starts_sentence);
	assert_int_equal(q.tokens[3].number, -1);
	assert_true(q.tokens[3].has_letter && q.tokens[3].has_digit);
	assert_int_equal(q.tokens[4].number, -1);
	assert_string_equal(token_at(&q, 99)->text, "");
	arena_free(&a);
}

static void keys_join(void **state)
{
	static const struct {
		const char *text, *key;
	} cases[] = {{"HB_North", "hbnorth"}, {" np - 15 ", "np15"}, {"%';--", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct folded f;

		text_fold(cases[i].text, &f);
		assert_int_equal(f.len, strlen(cases[i].key));
		assert_memory_equal(f.key, cases[i].key, f.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_and_lower_cases),
		cmocka_unit_test(possessives_and_apostrophes),
		cmocka_unit_test(typographic_signs_become_ascii),
		cmocka_unit_test(keeps_other_scripts_and_survives_invalid_utf8),
		cmocka_unit_test(numbers_and_marks),
		cmocka_unit_test(keys_join),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
