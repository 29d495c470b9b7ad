/* UTF-8: every code point, every kind of invalid byte, truncation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "vesper/utf8.h"

/* A separate encoder, to check the decoder. */
static size_t encode(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3F));
	out[0] = (char)((0xF00u >> n) | c);
	return n;
}

static void accepts_only_valid_code_points(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x110400; c++) {
		char text[4];
		size_t n = encode(c, text);
		bool surrogate = c >= 0xD800 && c <= 0xDFFF;
		bool expected = c <= 0x10FFFF && !surrogate;
		if (utf8_valid(text, n) != expected)
			fail_msg("U+%04X", c);
		if (expected && n > 1 && utf8_valid(text, n - 1))
			fail_msg("truncated U+%04X", c);
	}
}

static void rejects_invalid_bytes(void **state)
{
	(void)state;
	const char *bad[] = {"\x80",
			     "\xBF",
			     "\xC0\x80",
			     "\xC1\xBF",
			     "\xC3",
			     "\xC3(",
			     "\xE0\x80\x80",
			     "\xE0\x9F\xBF",
			     "\xED\xA0\x80",
			     "\xF0\x80\x80\x80",
			     "\xF0\x8F\xBF\xBF",
			     "\xF4\x90\x80\x80",
			     "\xF5\x80\x80\x80",
			     "\xFE",
			     "\xFF",
			     "12345678\x80"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(utf8_valid(bad[i], strlen(bad[i])));
	assert_true(utf8_valid("", 0));
	assert_true(utf8_valid("1234567890abcdef\0x", 18));
	assert_true(utf8_valid("1234567\xC3\xA9 0", 11));
}

static void truncates_between_characters(void **state)
{
	(void)state;
	const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
	const size_t starts[] = {0, 1, 3, 6, 10, 11};
	for (size_t len = 0; len <= 11; len++) {
		size_t expected = 0;
		for (size_t i = 0; i < 6; i++)
			expected = starts[i] <= len ? starts[i] : expected;
		assert_int_equal(utf8_complete_bytes(text, len), expected);
		assert_int_equal(utf8_cut(text, 11, len), expected);
	}
	assert_int_equal(utf8_count(text, 11), 5);
	/* Bytes that cannot become a character count as complete. */
	assert_int_equal(utf8_complete_bytes("a\xFF", 2), 2);
	assert_int_equal(utf8_complete_bytes("\xE0\x80", 2), 2);
	assert_int_equal(utf8_complete_bytes("\x80\x80\x80\x80", 4), 4);
	assert_int_equal(utf8_cut("abc", 3, 10), 3);
	assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
}

static void identifiers_have_no_invisible_characters(void **state)
{
	static const char *const good[] = {"ann",
					   "Ann Smith",
					   "j\xC3\xB6rg@example.com",
					   "\xEF\xBD\x81\xEF\xBD\x8E\xEF\xBD\x8E",
					   "00000000-0000-4000-8000-000000000000",
					   "\xF0\x9F\x98\x80",
					   "a|b:c/d"};
	static const char *const bad[] = {
		"",
		" ann",
		"ann ",
		" ",
		"an\tn",
		"ann\n",
		"a\x7Fnn",
		"a\xC2\x85nn",     /* U+0085 */
		"ann\xC2\xA0",     /* a no-break space */
		"a\xC2\xADnn",     /* a soft hyphen */
		"an\xE2\x80\x8Bn", /* a zero-width space */
		"\xE2\x80\x8F"
		"ann",             /* a direction mark */
		"a\xE2\x80\xAEnn", /* a direction override */
		"ann\xE2\x81\xA0", /* a word joiner */
		"ann\xE3\x80\x80", /* an ideographic space */
		"\xEF\xBB\xBF"
		"ann",                 /* a byte order mark */
		"ann\xEF\xB8\x8F",     /* a variation selector */
		"ann\xE3\x85\xA4",     /* a filler */
		"ann\xF3\xA0\x81\x81", /* a tag */
		"ann\xFF",
		"ann\xC3",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(utf8_is_identifier(good[i], strlen(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (utf8_is_identifier(bad[i], strlen(bad[i])))
			fail_msg("identifier %zu was accepted", i);
	assert_false(utf8_is_identifier("a\0b", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_only_valid_code_points),
		cmocka_unit_test(rejects_invalid_bytes),
		cmocka_unit_test(truncates_between_characters),
		cmocka_unit_test(identifiers_have_no_invisible_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
