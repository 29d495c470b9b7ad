/* Slices, and the buffer up to its limit and beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vesper/mem.h"
#include "vesper/str.h"
#include "vesper/utf8.h"

static void compares_and_searches_slices(void **state)
{
	(void)state;
	assert_true(str_eq(str_of(NULL), STR("")));
	assert_true(str_eq((struct str){NULL, 0}, STR("")));
	assert_false(str_eq(STR("ab"), STR("abc")));
	assert_true(str_eq_nocase(STR("Bearer"), STR("bEARER")));
	assert_false(str_eq_nocase(STR("[x"), STR("{x")));
	assert_true(str_eq(str_trim(STR(" \t\r\n a b \n")), STR("a b")));
	assert_true(str_eq(str_trim(STR("  ")), STR("")));
	assert_true(str_starts(STR("abc"), STR("ab")));
	assert_true(str_starts(STR("abc"), STR("")));
	assert_false(str_starts(STR("a"), STR("ab")));
	assert_string_equal(str_find_nocase("a Bar chart", "bAR C"), "Bar chart");
	assert_string_equal(str_find_nocase("aab", "ab"), "ab");
	assert_string_equal(str_find_nocase("a", ""), "a");
	assert_null(str_find_nocase("bar", "bars"));
	assert_null(str_find_nocase("", "a"));
	assert_true(str_ends(STR("abc"), STR("bc")));
	assert_false(str_ends(STR("c"), STR("bc")));
}

static void cuts_only_between_characters(void **state)
{
	const char *text = "a\xC3\xA4\xE2\x82\xAC";
	static const size_t cut_bytes[] = {0, 1, 1, 3, 3, 3, 6, 6};
	char out[16];

	(void)state;
	for (size_t max = 0; max < sizeof(cut_bytes) / sizeof(cut_bytes[0]); max++) {
		snprintf(out, sizeof(out), "%.*s", STR_CUT(text, max));
		assert_int_equal(strlen(out), cut_bytes[max]);
		assert_memory_equal(out, text, cut_bytes[max]);
	}
}

static void splitting_keeps_empty_parts(void **state)
{
	(void)state;
	struct str rest = STR("a,,b,");
	struct str part;
	const char *expected[] = {"a", "", "b", ""};
	for (int i = 0; i < 4; i++) {
		assert_true(str_split(&rest, ',', &part));
		assert_true(str_eq(part, str_of(expected[i])));
	}
	assert_false(str_split(&rest, ',', &part));
	rest = STR("");
	assert_true(str_split(&rest, ',', &part));
	assert_int_equal(part.n, 0);
	assert_false(str_split(&rest, ',', &part));
}

static void buffer_grows_and_is_terminated(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 100000);
	assert_string_equal(buf_text(&b), "");
	for (int i = 0; i < 5000; i++)
		buf_printf(&b, "%d,", i % 10);
	assert_int_equal(b.n, 10000);
	assert_int_equal(strlen(buf_text(&b)), 10000);
	buf_reset(&b);
	assert_string_equal(buf_text(&b), "");
	buf_add(&b, "a\0b", 3);
	assert_int_equal(b.n, 3);
	char *taken = buf_take(&b);
	assert_memory_equal(taken, "a\0b", 4);
	mem_free(taken);
	taken = buf_take(&b);
	assert_string_equal(taken, "");
	mem_free(taken);
	buf_deinit(&b);
}

static void text_beyond_the_limit_is_dropped(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, 5);
	buf_str(&b, "12345");
	assert_false(buf_over(&b));
	buf_char(&b, '6');
	assert_true(buf_over(&b));
	assert_string_equal(buf_text(&b), "12345");
	buf_reset(&b);
	assert_false(buf_over(&b));
	buf_str(&b, "123");
	buf_printf(&b, "%d", 4567);
	assert_true(buf_over(&b));
	assert_string_equal(buf_text(&b), "123");
	buf_str(&b, "45");
	assert_true(buf_over(&b));
	assert_string_equal(buf_text(&b), "12345");
	buf_reset(&b);
	buf_json_str(&b, "abcd", 4);
	assert_true(buf_over(&b));
	assert_string_equal(buf_text(&b), "");
	buf_json_str(&b, "abc", 3);
	assert_string_equal(buf_text(&b), "\"abc\"");
	buf_deinit(&b);
}

static void assert_json_string(const char *text, size_t len, const char *expected)
{
	struct buf b;
	buf_init(&b, 1000);
	buf_json_str(&b, text, len);
	assert_string_equal(buf_text(&b), expected);
	buf_deinit(&b);
}

static void escapes_json_strings(void **state)
{
	(void)state;
	assert_json_string("", 0, "\"\"");
	assert_json_string("a\"b\\c\n\r\t\b\f\x01\x7f", 12,
			   "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\\u007f\"");
	assert_json_string("\0", 1, "\"\\u0000\"");
	assert_json_string("caf\xC3\xA9 \xF0\x9F\x98\x80", 10, "\"caf\xC3\xA9 \xF0\x9F\x98\x80\"");
	/* Invalid bytes, one at a time; a truncated character at the end; the private decimal mark.
	 */
	assert_json_string("a\xFF\xC3z", 4, "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"");
	assert_json_string("\xE2\x82", 2, "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
	assert_json_string("\xEE\x80\x80"
			   "48.7",
			   7,
			   "\"\xEF\xBF\xBD"
			   "48.7\"");
}

/* The writer checks several bytes at once. Each byte is written the same at every position. */
static void json_escapes_do_not_depend_on_position(void **state)
{
	char text[20];
	struct buf at_once, one_by_one, single;

	(void)state;
	buf_init(&single, 100);
	buf_init(&at_once, 1000);
	buf_init(&one_by_one, 1000);
	for (int c = 0; c < 0x80; c++)
		for (size_t at = 0; at < sizeof(text); at++) {
			memset(text, 'a', sizeof(text));
			text[at] = (char)c;
			buf_reset(&at_once);
			buf_reset(&one_by_one);
			buf_json_str(&at_once, text, sizeof(text));
			buf_char(&one_by_one, '"');
			for (size_t i = 0; i < sizeof(text); i++) {
				buf_reset(&single);
				buf_json_str(&single, &text[i], 1);
				buf_add(&one_by_one, single.p + 1, single.n - 2);
			}
			buf_char(&one_by_one, '"');
			assert_string_equal(buf_text(&at_once), buf_text(&one_by_one));
		}
	buf_deinit(&single);
	buf_deinit(&at_once);
	buf_deinit(&one_by_one);
}

static void json_strings_of_any_bytes_are_valid(void **state)
{
	(void)state;
	uint32_t seed = 1;
	for (int round = 0; round < 2000; round++) {
		char text[40];
		size_t len = (size_t)round % 40;
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = (char)(seed >> 24);
		}
		struct buf b;
		buf_init(&b, 1000);
		buf_json_str(&b, text, len);
		assert_true(b.n >= 2 && b.p[0] == '"' && b.p[b.n - 1] == '"');
		assert_true(utf8_valid(b.p, b.n));
		for (size_t i = 0; i < b.n; i++)
			assert_true((unsigned char)b.p[i] >= 0x20);
		buf_deinit(&b);
	}
}

static void counts_edits_between_texts(void **state)
{
	char too_long[STR_EDIT_DISTANCE_BYTES_MAX + 1] = {0};

	(void)state;
	assert_int_equal(str_edit_distance(STR("vendor"), STR("VENDOR")), 0);
	assert_int_equal(str_edit_distance(STR("vendor"), STR("vendro")), 2);
	assert_int_equal(str_edit_distance(STR("vendor"), STR("vendors")), 1);
	assert_int_equal(str_edit_distance(STR(""), STR("abc")), 3);
	assert_int_equal(str_edit_distance(STR("abc"), STR("")), 3);
	assert_int_equal(str_edit_distance(STR("kitten"), STR("sitting")), 3);
	assert_true(str_edit_distance((struct str){too_long, sizeof(too_long)}, STR("a")) ==
		    SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_and_searches_slices),
		cmocka_unit_test(cuts_only_between_characters),
		cmocka_unit_test(counts_edits_between_texts),
		cmocka_unit_test(splitting_keeps_empty_parts),
		cmocka_unit_test(buffer_grows_and_is_terminated),
		cmocka_unit_test(text_beyond_the_limit_is_dropped),
		cmocka_unit_test(escapes_json_strings),
		cmocka_unit_test(json_escapes_do_not_depend_on_position),
		cmocka_unit_test(json_strings_of_any_bytes_are_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
