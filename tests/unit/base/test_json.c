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

static void refuse(const char *text, size_t len, enum err_code code)
{
	json_t *value = (json_t *)(uintptr_t)1;
	struct err e;
	if (json_parse(text, len, 1 << 20, &value, &e))
		fail_msg("accepted: %.*s", (int)len, text);
	assert_int_equal(e.code, code);
	assert_ptr_equal(value, (void *)(uintptr_t)1);
}

static void strict(void **state)
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
		refuse(bad[i], strlen(bad[i]), ERR_INPUT);
	refuse("1\0", 2, ERR_INPUT);
	refuse("\"a\0b\"", 5, ERR_INPUT);
	json_decref(parse(" {\"a\":[1,2.5,null,true,\"x\"]} \n"));
	json_decref(parse("9223372036854775807"));
}

static void error_never_repeats_the_text(void **state)
{
	(void)state;
	json_t *value;
	struct err e;
	assert_false(json_parse("{\"k\": secret}", 13, 100, &value, &e));
	assert_null(strstr(e.text, "secret"));
	assert_non_null(strstr(e.text, "line 1"));
}

static void size_cap(void **state)
{
	(void)state;
	json_t *value;
	struct err e;
	assert_true(json_parse("[1]", 3, 3, &value, &e));
	json_decref(value);
	assert_false(json_parse("[1]", 3, 2, &value, &e));
	assert_int_equal(e.code, ERR_LIMIT);
}

/* `depth` arrays around `inner`. */
static char *nested(int depth, const char *inner)
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

static void depth_cap(void **state)
{
	(void)state;
	char *text = nested(JSON_DEPTH_MAX, "1");
	json_decref(parse(text));
	mem_free(text);
	text = nested(JSON_DEPTH_MAX + 1, "1");
	refuse(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	text = nested(200000, "");
	refuse(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	/* Brackets inside strings do not count, also after escaped quotes and backslashes. */
	text = nested(JSON_DEPTH_MAX, "\"[[[\\\"[[[\\\\\",\"]]\",{}");
	refuse(text, strlen(text), ERR_LIMIT);
	mem_free(text);
	text = nested(JSON_DEPTH_MAX, "\"[[[\\\"[[[\\\\\",\"]]\"");
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

static void required_members(void **state)
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

static void optional_members(void **state)
{
	(void)state;
	json_t *o = parse("{\"s\":\"x\",\"i\":5,\"b\":false,\"o\":{},\"a\":[]}");
	struct err e;
	const char *text = "was";
	int64_t number = 1;
	bool yes = true;
	json_t *object = NULL;
	json_t *array = NULL;
	assert_true(json_opt_str(o, "none", &text, &e));
	assert_string_equal(text, "was");
	assert_true(json_opt_int(o, "none", &number, &e));
	assert_int_equal(number, 1);
	assert_true(json_opt_bool(o, "none", &yes, &e) && yes);
	assert_true(json_opt_object(o, "none", &object, &e) && !object);
	assert_true(json_opt_bool(o, "b", &yes, &e) && !yes);
	assert_true(json_opt_object(o, "o", &object, &e) && object);
	assert_true(json_opt_array(o, "a", &array, &e) && array);
	assert_false(json_opt_bool(o, "i", &yes, &e));
	assert_false(json_opt_object(o, "a", &object, &e));
	assert_false(json_opt_array(o, "o", &array, &e));
	assert_false(json_opt_str(o, "i", &text, &e));
	assert_false(json_opt_int(o, "b", &number, &e));
	json_decref(o);
}

static void only_known_members(void **state)
{
	(void)state;
	json_t *o = parse("{\"a\":1,\"b\":2}");
	struct err e;
	assert_true(json_check_members(o, (const char *const[]){"b", "c", "a", NULL}, &e));
	assert_false(json_check_members(o, (const char *const[]){"a", NULL}, &e));
	assert_string_equal(e.text, "b: unknown member");
	json_decref(o);
}

static void decimal_text_keeps_its_digits(void **state)
{
	static const char *const texts[] = {
		"[48.70,-0.50,1.25e3,7,true,null,\"48.70\",\"a \\\"48.70\\\" b\",\"\\\\\"]",
		"{\"a.b\":{\"c\":[100.00,0.0]},\"text\":\"1.50 and 2.50\"}", "48.7300", "\"x\""};
	static const char *const broken[] = {"[48.70", "\"open", "\"open\\", "{\"a\":1.5,}", "-"};
	struct err e;
	json_t *value;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *again;

		assert_true(json_parse_exact(texts[i], strlen(texts[i]), 100, &value, &e));
		again = json_text(value);
		assert_string_equal(again, texts[i]);
		mem_free(again);
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
	char *again;

	(void)state;
	assert_false(json_parse(text, strlen(text), 100, &value, &e));
	assert_true(json_parse_exact(text, strlen(text), 100, &value, &e));
	again = json_text(value);
	assert_string_equal(again, "[\"1e999\",\"-1.5e400\",\"1e-999\",0.0,1.50]");
	mem_free(again);
	json_decref(value);
}

static void owned_by_an_arena(void **state)
{
	(void)state;
	struct arena *a = arena_new(100);
	json_t *value = json_object();
	assert_ptr_equal(json_own(a, value), value);
	assert_null(json_own(a, NULL));
	arena_free(&a); /* a leak or double free would be reported */
}

static void files(void **state)
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

/* A file of `size` bytes: brackets around blanks. */
static bool parse_file_of(size_t size)
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
	bool good = json_parse_file(path, &value, NULL);
	json_decref(value);
	unlink(path);
	return good;
}

static void file_cap(void **state)
{
	(void)state;
	assert_true(parse_file_of(JSON_FILE_BYTES_MAX));
	assert_false(parse_file_of(JSON_FILE_BYTES_MAX + 1));
}

/* Random bytes from JSON's alphabet: every accepted text must be the same after it was written and
 * parsed again. */
static void random_text_never_breaks(void **state)
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
		const char *text = "as it was";
		bool yes = true;
		struct err e = {0};
		assert_false(json_get_str(values[i], "a", &text, &e));
		assert_false(json_opt_str(values[i], "a", &text, &e));
		assert_false(json_opt_bool(values[i], "a", &yes, &e));
		assert_false(json_check_members(values[i], names, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_string_equal(text, "as it was");
		json_decref(values[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict),
		cmocka_unit_test(error_never_repeats_the_text),
		cmocka_unit_test(size_cap),
		cmocka_unit_test(depth_cap),
		cmocka_unit_test(decimal_mark_is_removed_from_input),
		cmocka_unit_test(required_members),
		cmocka_unit_test(optional_members),
		cmocka_unit_test(only_known_members),
		cmocka_unit_test(decimal_text_keeps_its_digits),
		cmocka_unit_test(numbers_beyond_doubles_read_as_text),
		cmocka_unit_test(owned_by_an_arena),
		cmocka_unit_test(files),
		cmocka_unit_test(file_cap),
		cmocka_unit_test(non_object_has_no_members),
		cmocka_unit_test(random_text_never_breaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
