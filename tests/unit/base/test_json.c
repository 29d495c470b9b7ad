/* JSON parsing: rejected input, errors of getters, removal of the decimal mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

static json_t *parse(const char *text)
{
	json_t *value = NULL;
	struct err e;
	if (!json_parse(text, strlen(text), 1 << 20, &value, &e))
		fail_msg("%s: %s", text, e.text);
	return value;
}

static void assert_rejected(const char *text, size_t len, enum err_code code)
{
	json_t *value = (json_t *)(uintptr_t)1;
	struct err e;
	if (json_parse(text, len, 1 << 20, &value, &e))
		fail_msg("accepted: %.*s", (int)len, text);
	assert_int_equal(e.code, code);
	assert_ptr_equal(value, (void *)(uintptr_t)1);
}

static void rejects_invalid_json(void **state)
{
	(void)state;
	const char *bad[] = {"",
			     "{",
			     "[1,]",
			     "{\"a\":1,\"a\":2}",
			     "{\"a\":1} x",
			     "01",
			     "'a'",
			     "\"\t\"",
			     "nul",
			     "{a:1}",
			     "\"\\u0000\"",
			     "[1]]",
			     "\"\xFF\"",
			     "\"\xC0\x80\"",
			     "\"\\uD800\"",
			     "\"\xED\xA0\x80\"",
			     "99999999999999999999",
			     "1e999",
			     "// c\n1",
			     "NaN"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_rejected(bad[i], strlen(bad[i]), ERR_INPUT);
	assert_rejected("1\0", 2, ERR_INPUT);
	assert_rejected("\"a\0b\"", 5, ERR_INPUT);
	json_decref(parse(" {\"a\":[1,2.5,null,true,\"x\"]} \n"));
	json_decref(parse("9223372036854775807"));
}

static void error_does_not_contain_the_text(void **state)
{
	(void)state;
	json_t *value;
	struct err e;
	assert_false(json_parse("{\"k\": secret}", 13, 100, &value, &e));
	assert_null(strstr(e.text, "secret"));
	assert_non_null(strstr(e.text, "line 1"));
}

static void limits_size(void **state)
{
	(void)state;
	json_t *value;
	struct err e;
	assert_true(json_parse("[1]", 3, 3, &value, &e));
	json_decref(value);
	assert_false(json_parse("[1]", 3, 2, &value, &e));
	assert_int_equal(e.code, ERR_LIMIT);
}

/* Returns `inner` inside `depth` arrays. */
static char *nest(int depth, const char *inner)
{
	struct buf b;
	buf_init(&b, 1 << 20);
	for (int i = 0; i < depth; i++)
		buf_char(&b, '[');
	buf_str(&b, inner);
	for (int i = 0; i < depth; i++)
		buf_char(&b, ']');
	return buf_take(&b);
}

static void limits_depth(void **state)
{
	(void)state;
	char *text = nest(JSON_DEPTH_MAX, "1");
	json_decref(parse(text));
	mem_free(text);
	text = nest(JSON_DEPTH_MAX + 1, "1");
	assert_rejected(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	text = nest(200000, "");
	assert_rejected(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	/* Brackets inside strings do not count, also after escaped quotes and backslashes. */
	text = nest(JSON_DEPTH_MAX, "\"[[[\\\"[[[\\\\\",\"]]\",{}");
	assert_rejected(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	text = nest(JSON_DEPTH_MAX, "\"[[[\\\"[[[\\\\\",\"]]\"");
	json_decref(parse(text));
	mem_free(text);
}

static void decimal_mark_is_removed_from_input(void **state)
{
	(void)state;
	const char *texts[] = {"{\"a\":[\"\xEE\x80\x80 48.7\"]}", "{\"a\":[\"\\ue000 48.7\"]}",
			       "{\"a\":[\"\\uE000 48.7\"]}"};
	for (int i = 0; i < 3; i++) {
		json_t *value = parse(texts[i]);
		char *out = json_text(value);
		assert_string_equal(out, "{\"a\":[\"\xEF\xBF\xBD 48.7\"]}");
		mem_free(out);
		json_decref(value);
	}
	/* An escaped backslash is not an escape. */
	json_t *value = parse("\"\\\\ue000\"");
	assert_string_equal(json_string_value(value), "\\ue000");
	json_decref(value);
}

static void reads_required_members(void **state)
{
	(void)state;
	json_t *o = parse("{\"s\":\"x\",\"i\":5,\"r\":1.5,\"n\":null}");
	struct err e;
	const char *text = NULL;
	int64_t number = 0;
	assert_true(json_get_str(o, "s", &text, &e));
	assert_string_equal(text, "x");
	assert_true(json_get_int(o, "i", &number, &e));
	assert_int_equal(number, 5);
	assert_false(json_get_int(o, "r", &number, &e));
	assert_string_equal(e.text, "r: must be an integer");
	assert_int_equal(number, 5);
	assert_false(json_get_str(o, "zz", &text, &e));
	assert_string_equal(e.text, "zz: missing");
	assert_false(json_get_str(o, "n", &text, &e));
	assert_string_equal(e.text, "n: must be text");
	assert_string_equal(text, "x");
	json_decref(o);
}

static void reads_optional_members(void **state)
{
	(void)state;
	json_t *o = parse("{\"s\":\"x\",\"i\":5,\"b\":false,\"o\":{},\"a\":[]}");
	struct err e;
	const char *text = "default";
	int64_t number = 1;
	bool flag = true;
	json_t *object = NULL;
	json_t *array = NULL;
	assert_true(json_opt_str(o, "none", &text, &e));
	assert_string_equal(text, "default");
	assert_true(json_opt_int(o, "none", &number, &e));
	assert_int_equal(number, 1);
	assert_true(json_opt_bool(o, "none", &flag, &e) && flag);
	assert_true(json_opt_object(o, "none", &object, &e) && !object);
	assert_true(json_opt_bool(o, "b", &flag, &e) && !flag);
	assert_true(json_opt_object(o, "o", &object, &e) && object);
	assert_true(json_opt_array(o, "a", &array, &e) && array);
	assert_false(json_opt_bool(o, "i", &flag, &e));
	assert_false(json_opt_object(o, "a", &object, &e));
	assert_false(json_opt_array(o, "o", &array, &e));
	assert_false(json_opt_str(o, "i", &text, &e));
	assert_false(json_opt_int(o, "b", &number, &e));
	json_decref(o);
}

static void rejects_unknown_members(void **state)
{
	(void)state;
	json_t *o = parse("{\"a\":1,\"b\":2}");
	struct err e;
	assert_true(json_check_members(o, (const char *const[]){"b", "c", "a", NULL}, &e));
	assert_false(json_check_members(o, (const char *const[]){"a", NULL}, &e));
	assert_string_equal(e.text, "b: unknown member");
	json_decref(o);
}

static void decimals_keep_their_digits(void **state)
{
	static const char *const texts[] = {
		"[48.70,-0.50,1.25e3,7,true,null,\"48.70\",\"a \\\"48.70\\\" b\",\"\\\\\"]",
		"{\"a.b\":{\"c\":[100.00,0.0]},\"text\":\"1.50 and 2.50\"}", "48.7300", "\"x\""};
	static const char *const broken[] = {"[48.70", "\"open", "\"open\\", "{\"a\":1.5,}", "-"};
	struct err e;
	json_t *value;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *written;

		assert_true(json_parse_exact(texts[i], strlen(texts[i]), 100, &value, &e));
		written = json_text(value);
		assert_string_equal(written, texts[i]);
		mem_free(written);
		json_decref(value);
	}
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_false(json_parse_exact(broken[i], strlen(broken[i]), 100, &value, &e));
	assert_false(json_parse_exact("[1.50]", 6, 5, &value, &e));
	assert_int_equal(e.code, ERR_LIMIT);
}

/* Earlier versions wrote such numbers without quotes. */
static void numbers_beyond_doubles_read_as_text(void **state)
{
	static const char text[] = "[1e999,-1.5e400,1e-999,0e999,1.50]";
	struct err e;
	json_t *value;
	char *written;

	(void)state;
	assert_false(json_parse(text, strlen(text), 100, &value, &e));
	assert_true(json_parse_exact(text, strlen(text), 100, &value, &e));
	written = json_text(value);
	assert_string_equal(written, "[\"1e999\",\"-1.5e400\",\"1e-999\",0.0,1.50]");
	mem_free(written);
	json_decref(value);
}

static void arena_owns_value(void **state)
{
	(void)state;
	struct arena *a = arena_new(100);
	json_t *value = json_object();
	assert_ptr_equal(json_own(a, value), value);
	assert_null(json_own(a, NULL));
	arena_free(&a); /* a leak or double free would be reported */
}

static void parses_files(void **state)
{
	(void)state;
	char path[] = "/tmp/vesper_json_XXXXXX";
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "{\"a\":1,}", 8), 8);
	json_t *value = NULL;
	struct err e;
	assert_false(json_parse_file(path, &value, &e));
	assert_non_null(strstr(e.text, path));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, "{\"a\":1}", 7, 0), 7);
	close(fd);
	assert_true(json_parse_file(path, &value, &e));
	json_decref(value);
	unlink(path);
	assert_false(json_parse_file(path, &value, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
}

/* Parses a file of `size` bytes: an empty array with spaces. */
static bool parse_file_of_size(size_t size)
{
	char path[] = "/tmp/vesper_json_XXXXXX";
	int fd = mkstemp(path);
	char *text = mem_alloc(size);
	memset(text, ' ', size);
	text[0] = '[';
	text[size - 1] = ']';
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	close(fd);
	mem_free(text);
	json_t *value = NULL;
	bool is_accepted = json_parse_file(path, &value, NULL);
	json_decref(value);
	unlink(path);
	return is_accepted;
}

static void limits_file_size(void **state)
{
	(void)state;
	assert_true(parse_file_of_size(JSON_FILE_BYTES_MAX));
	assert_false(parse_file_of_size(JSON_FILE_BYTES_MAX + 1));
}

/* Random bytes from JSON's alphabet: every accepted text must be the same after it was written and
 * parsed again. */
static void accepted_text_survives_round_trip(void **state)
{
	(void)state;
	static const char alphabet[] = "{}[]\",:0123456789.eE+-truefalsn\\u \t\xC3\xA9\xEE\x80\x80";
	uint32_t seed = 12345;
	int accepted = 0;
	for (int round = 0; round < 200000; round++) {
		char text[24];
		size_t len = 1 + (size_t)round % sizeof(text);
		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
		}
		json_t *value;
		if (!json_parse(text, len, 1000, &value, NULL))
			continue;
		accepted++;
		char *once = json_text(value);
		json_decref(value);
		value = parse(once);
		char *twice = json_text(value);
		json_decref(value);
		assert_string_equal(once, twice);
		mem_free(once);
		mem_free(twice);
	}
	assert_true(accepted > 1000);
}

static void non_object_has_no_members(void **state)
{
	(void)state;
	static const char *const names[] = {"a", NULL};
	json_t *values[] = {json_array(), json_string("x"), json_integer(1), json_null(), NULL};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const char *text = "unchanged";
		bool flag = true;
		struct err e = {0};
		assert_false(json_get_str(values[i], "a", &text, &e));
		assert_false(json_opt_str(values[i], "a", &text, &e));
		assert_false(json_opt_bool(values[i], "a", &flag, &e));
		assert_false(json_check_members(values[i], names, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(text, "unchanged");
		json_decref(values[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rejects_invalid_json),
		cmocka_unit_test(error_does_not_contain_the_text),
		cmocka_unit_test(limits_size),
		cmocka_unit_test(limits_depth),
		cmocka_unit_test(decimal_mark_is_removed_from_input),
		cmocka_unit_test(reads_required_members),
		cmocka_unit_test(reads_optional_members),
		cmocka_unit_test(rejects_unknown_members),
		cmocka_unit_test(decimals_keep_their_digits),
		cmocka_unit_test(numbers_beyond_doubles_read_as_text),
		cmocka_unit_test(arena_owns_value),
		cmocka_unit_test(parses_files),
		cmocka_unit_test(limits_file_size),
		cmocka_unit_test(non_object_has_no_members),
		cmocka_unit_test(accepted_text_survives_round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
