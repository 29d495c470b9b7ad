/* Texts that are JSON by the grammar and texts that are not; jansson agrees, except for its
 * additional rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static bool is_whole(const char *text)
{
	return json_is_complete(text, strlen(text));
}

static void accepts_the_grammar(void **state)
{
	static const char *const texts[] = {
		"{}",
		"[]",
		" [ ] ",
		"null",
		"true",
		"false",
		"0",
		"-0",
		"12",
		"-1.5e+10",
		"1E-2",
		"\"\"",
		"\"a\\\"b\\u00e9\\/\"",
		"[1,2,[3,{\"a\":null}]]",
		"{\"a\":1,\"b\":[]}",
		"\t{ \"a\" : [ 1 , 2 ] }\r\n",
		"\"\xc3\xa9\"",
		"1e999",
		"{\"a\":1,\"a\":2}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!is_whole(texts[i]))
			fail_msg("%s", texts[i]);
}

static void refuses_everything_else(void **state)
{
	static const char *const texts[] = {
		"",           " ",        "[",
		"]",          "{",        "}",
		"[1",         "[1,",      "[1,]",
		"[,1]",       "{\"a\"}",  "{\"a\":}",
		"{\"a\":1,}", "{a:1}",    "{'a':1}",
		"[1 2]",      "[1}",      "{]",
		"01",         "-",        "+1",
		"1.",         ".5",       "1e",
		"1e+",        "0x1",      "NaN",
		"Infinity",   "nul",      "True",
		"\"a",        "\"\\x\"",  "\"\\u12\"",
		"\"\\",       "\"a\nb\"", "\"\x01\"",
		"\"\xff\"",   "\"\xc3\"", "[] []",
		"[]x",        "[[\"a\"]", "[{\"rows\":[[1,2},{}]",
		"[garbled]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (is_whole(texts[i]))
			fail_msg("%s", texts[i]);
	assert_false(json_is_complete("[]\0", 3));
}

static void depth_has_a_limit(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 8];

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_true(json_is_complete(text + 1, 2 * JSON_DEPTH_MAX));
	assert_false(json_is_complete(text, 2 * JSON_DEPTH_MAX + 2));
}

/* A text with one byte changed, removed or doubled: what jansson accepts is JSON. */
static void accepts_all_that_is_parsed(void **state)
{
	static const char from[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",null],\"b\":{\"c\":true}}";
	static const char bytes[] = "{}[]\",:\\0-.eE+u n\x01\xc3\xa9";
	char text[sizeof(from) + 1];
	json_t *value;

	(void)state;
	for (size_t at = 0; at < sizeof(from) - 1; at++)
		for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
			memcpy(text, from, sizeof(from));
			text[at] = bytes[b];
			if (!json_parse(text, sizeof(from) - 1, sizeof(text), &value, NULL))
				continue;
			json_decref(value);
			if (!json_is_complete(text, sizeof(from) - 1))
				fail_msg("%s", text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_the_grammar),
		cmocka_unit_test(refuses_everything_else),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(accepts_all_that_is_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
