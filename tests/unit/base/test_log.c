/* The log: format, masking, escaping, truncation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"

static char line[LOG_LINE_BYTES_MAX + 1];
static int lines;

static void on_line(void *owner, const char *text)
{
	(void)owner;
	lines++;
	assert_true(strlen(text) < sizeof(line));
	memcpy(line, text, strlen(text) + 1);
}

static int setup(void **state)
{
	(void)state;
	lines = 0;
	line[0] = '\0';
	log_setup(LOG_INFO, LOG_JSON);
	log_capture(on_line, NULL);
	clock_freeze_ms(INT64_C(1772182800000));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	clock_release();
	log_capture(NULL, NULL);
	return 0;
}

static void writes_one_json_line(void **state)
{
	(void)state;
	log_info("turn.completed", "in %d ms\n\"x\"", 5);
	assert_string_equal(line,
			    "{\"ts\":\"2026-02-27T09:00:00.000Z\",\"level\":\"info\",\"event\":"
			    "\"turn.completed\",\"msg\":\"in 5 ms\\n\\\"x\\\"\"}\n");
}

static void text_format_escapes_control_characters(void **state)
{
	(void)state;
	log_setup(LOG_DEBUG, LOG_TEXT);
	log_debug("a.b", "x\ny\x1b[31m");
	assert_string_equal(line, "09:00:00.000 debug a.b: x\\x0ay\\x1b[31m\n");
}

static void filters_by_level(void **state)
{
	(void)state;
	log_debug("a", "no");
	assert_int_equal(lines, 0);
	log_error("a", "yes");
	assert_int_equal(lines, 1);
	assert_true(log_enabled(LOG_WARN));
	assert_false(log_enabled(LOG_DEBUG));
	enum log_level level = LOG_INFO;
	assert_true(log_level_parse("warn", &level));
	assert_int_equal(level, LOG_WARN);
	assert_false(log_level_parse("loud", &level));
	assert_int_equal(level, LOG_WARN);
}

static void masks_secrets(void **state)
{
	(void)state;
	const char *const pairs[][2] = {
		{"nothing here, tokens: 5", "nothing here, tokens: 5"},
		{"Authorization: Bearer abc.def-_x", "Authorization: Bearer ***"},
		{"GET /ws?ticket=AbC_1&x=1", "GET /ws?ticket=***&x=1"},
		{"GET /ws?TOKEN=eyJhbGci.x.y HTTP", "GET /ws?TOKEN=*** HTTP"},
		{"DRIVER=x;UID=sa;PWD=a b;Server=y", "DRIVER=x;UID=sa;PWD=* b;Server=y"},
		{"PWD={a;b} c};Server=y", "PWD=*** c};Server=y"},
		{"protocols: vesper.v1, bearer.eyJ.a.b, x", "protocols: vesper.v1, bearer.***, x"},
		{"key sk-ant-api03-xyz used", "key *** used"},
		{"\"eyJhbGciOi.J9\"", "\"***\""},
		{"task-force and risk-free stay", "task-force and risk-free stay"},
		{"token=", "token="},
		{"token=a", "token=*"},
		{"token=\"quoted one\" end", "token=*** end"},
		{"a sk-1 b sk-2222", "a *** b ***"},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char text[200];
		memcpy(text, pairs[i][0], strlen(pairs[i][0]) + 1);
		log_mask(text);
		assert_string_equal(text, pairs[i][1]);
	}
	log_info("x", "failed with pwd=%s", "hunter2");
	assert_null(strstr(line, "hunter2"));
}

static void masking_accepts_any_bytes(void **state)
{
	(void)state;
	static const char *const fragments[] = {"token=", "bearer ", "sk-",  "eyJ", "{",
						"}",      "\"",      " ",    ";",   "a",
						"",       "\xFF",    "pwd=", "'"};
	uint32_t seed = 7;
	for (int round = 0; round < 20000; round++) {
		char text[64] = "";
		size_t n = 0;
		for (int i = 0; i < 8; i++) {
			seed = seed * 1664525 + 1013904223;
			const char *fragment = fragments[(seed >> 16) % 14];
			memcpy(text + n, fragment, strlen(fragment) + 1);
			n += strlen(fragment);
		}
		log_mask(text);
		assert_true(strlen(text) <= n);
	}
}

static void long_lines_are_truncated_to_valid_json(void **state)
{
	(void)state;
	static char big[20000];
	const char fills[] = {'x', '\x01', '"'};
	for (int i = 0; i < 3; i++) {
		memset(big, fills[i], sizeof(big) - 1);
		log_info("big", "%s", big);
		size_t len = strlen(line);
		assert_true(len > 1000 && len <= LOG_LINE_BYTES_MAX);
		json_t *value;
		assert_true(json_parse(line, len, len, &value, NULL));
		json_decref(value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writes_one_json_line, setup, teardown),
		cmocka_unit_test_setup_teardown(text_format_escapes_control_characters, setup,
						teardown),
		cmocka_unit_test_setup_teardown(filters_by_level, setup, teardown),
		cmocka_unit_test_setup_teardown(masks_secrets, setup, teardown),
		cmocka_unit_test(masking_accepts_any_bytes),
		cmocka_unit_test_setup_teardown(long_lines_are_truncated_to_valid_json, setup,
						teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
