/* Titles and status names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "store_int.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"

static void assert_title(const char *content, const char *title)
{
	struct arena *a = arena_new(1 << 16);

	assert_string_equal(store_title(content, a), title);
	arena_free(&a);
}

static void title_is_start_of_first_line(void **state)
{
	(void)state;
	assert_title("Short question", "Short question");
	assert_title("  \n\n  First line  \r\nsecond", "First line");
	assert_title("", "");
	assert_title(" \n ", "");
	/* 80 characters are kept, the 81st is not */
	assert_title(
		"12345678 12345678 12345678 12345678 12345678 12345678 12345678 12345678 1234567 "
		"ok",
		"12345678 12345678 12345678 12345678 12345678 12345678 12345678 12345678 1234567");
#define EIGHT_WORDS "12345678 12345678 12345678 12345678 12345678 12345678 12345678 12345678"
	assert_title(EIGHT_WORDS " 12345678", EIGHT_WORDS " 12345678");
	assert_title(EIGHT_WORDS " 12345678 x", EIGHT_WORDS " 12345678");
	assert_title(EIGHT_WORDS " 123456789", EIGHT_WORDS);
}

static void title_has_only_whole_characters(void **state)
{
	struct arena *a = arena_new(1 << 16);
	char long_word[2 * TITLE_CHARS_MAX + 40] = "";
	const char *title;

	(void)state;
	for (int i = 0; i < TITLE_CHARS_MAX + 10; i++)
		strcat(long_word, "\xc3\xa9");
	title = store_title(long_word, a);
	assert_int_equal(strlen(title), 2 * TITLE_CHARS_MAX);
	assert_true(utf8_valid(title, strlen(title)));
	arena_free(&a);
}

static void parses_every_status_name(void **state)
{
	(void)state;
	for (int i = 0; i < MESSAGE_STATUS_COUNT; i++) {
		enum message_status s = MESSAGE_STATUS_COUNT;

		assert_true(message_status_parse(message_status_name((enum message_status)i), &s));
		assert_int_equal(s, i);
	}
	assert_false(message_status_parse("done", &(enum message_status){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(title_is_start_of_first_line),
		cmocka_unit_test(title_has_only_whole_characters),
		cmocka_unit_test(parses_every_status_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
