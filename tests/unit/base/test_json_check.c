/* Texts that are valid JSON, and texts that are not. jansson agrees, except for its additional
 * rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/json.h"
#include "vesper/limits.h"

static bool is_complete(const char *text)
{
	return json_is_complete(text, strlen(text));
}

static void accepts_valid_json(void **state)
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
		if (!is_complete(texts[i]))
			fail_msg("%s", texts[i]);
}

static void rejects_invalid_json(void **state)
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
		if (is_complete(texts[i]))
			fail_msg("%s", texts[i]);
	assert_false(json_is_complete("[]\0", 3));
}

static void limits_depth(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 8];

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_true(json_is_complete(text + 1, 2 * JSON_DEPTH_MAX));
	assert_false(json_is_complete(text, 2 * JSON_DEPTH_MAX + 2));
}

/* Replaces each byte of a text. What jansson accepts must be accepted here, too. */
static void accepts_what_jansson_parses(void **state)
{
	static const char original[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",null],\"b\":{\"c\":true}}";
	static const char bytes[] = "{}[]\",:\\0-.eE+u n\x01\xc3\xa9";
	char text[sizeof(original) + 1];
	json_t *value;

	(void)state;
	for (size_t at = 0; at < sizeof(original) - 1; at++)
		for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
			memcpy(text, original, sizeof(original));
			text[at] = bytes[b];
			if (!json_parse(text, sizeof(original) - 1, sizeof(text), &value, NULL))
				continue;
			json_decref(value);
			if (!json_is_complete(text, sizeof(original) - 1))
				fail_msg("%s", text);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_valid_json),
		cmocka_unit_test(rejects_invalid_json),
		cmocka_unit_test(limits_depth),
		cmocka_unit_test(accepts_what_jansson_parses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
