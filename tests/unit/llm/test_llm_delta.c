/* The fast path must give the same result as the general parser, and decline all other forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"

#define DELTA(text)                                                                                \
	"{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\","        \
	"\"text\":\"" text "\"}}"

static bool read_delta(const char *in, char out[100], int64_t *index)
{
	struct buf scratch;
	struct str text;
	bool done;

	buf_init(&scratch, 1000);
	done = text_delta_read(str_of(in), &scratch, index, &text);
	if (done)
		snprintf(out, 100, "%.*s", STR_FMT(text));
	buf_deinit(&scratch);
	return done;
}

static void reads_text_deltas(void **state)
{
	const struct {
		const char *in, *text;
	} good[] = {
		{DELTA("Hello"), "Hello"},
		{DELTA(""), ""},
		{DELTA("\\n"), "\n"},
		{DELTA("a\\\"b\\\\c\\/d\\te\\rf\\n"), "a\"b\\c/d\te\rf\n"},
		{DELTA("\xE2\x82\xAC 48\xF0\x9F\x8C\x9E"), "\xE2\x82\xAC 48\xF0\x9F\x8C\x9E"},
		{"{\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"text_delta\","
		 "\"text\":\"x\"}     }",
		 "x"},
		{DELTA("x") "  \n", "x"},
		{DELTA("}}"), "}}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char text[100];
		int64_t index = -1;

		assert_true(read_delta(good[i].in, text, &index));
		assert_string_equal(text, good[i].text);
		assert_int_equal(index, 3);
	}
}

static void other_forms_use_the_general_parser(void **state)
{
	const char *const other[] = {
		"",
		"{",
		"{\"type\":\"content_block_delta\"",
		"{\"type\":\"content_block_delta\",\"index\":,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"}}",
		"{\"type\":\"content_block_delta\",\"index\":-1,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"}}",
		"{\"type\":\"content_block_delta\",\"index\":1.5,\"delta\":{\"type\":\"text_"
		"delta\",\"text\":\"x\"}}",
		"{\"type\":\"content_block_delta\",\"index\":9999999999,\"delta\":{\"type\":\"text_"
		"delta\",\"text\":\"x\"}}",
		"{ "
		"\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"}}",
		"{\"index\":0,\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"}}",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_"
		"delta\",\"partial_json\":\"x\"}}",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\",\"more\":1}}",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"},\"more\":1}",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\"}",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\\",
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"x\\q\"}}",
		DELTA("x") "y",
		DELTA("\\u20ac"),
		DELTA("\\b"),
		DELTA("a\nb"),
		DELTA("\xE2\x82"), /* truncated character */
		DELTA("\xFF"),
		DELTA("\xEE\x80\x80"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		char text[100];
		int64_t index;

		assert_false(read_delta(other[i], text, &index));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_text_deltas),
		cmocka_unit_test(other_forms_use_the_general_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
