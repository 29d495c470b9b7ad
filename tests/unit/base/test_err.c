/* Errors: setting fields, truncation between characters, prefixes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/err.h"
#include "vesper/utf8.h"

static void sets_fields_and_returns_false(void **state)
{
	(void)state;
	struct err e = {.retry_after_ms = 7, .may_retry = true};
	assert_false(err_set(&e, ERR_INPUT, "need %d, got %d", 2, 3));
	assert_int_equal(e.code, ERR_INPUT);
	assert_false(e.may_retry);
	assert_int_equal(e.retry_after_ms, 0);
	assert_string_equal(e.text, "need 2, got 3");
	assert_false(err_set_retry(&e, ERR_UPSTREAM, "unavailable"));
	assert_true(e.may_retry);
	assert_false(err_set(NULL, ERR_INPUT, "no error object"));
	assert_false(err_prefix(NULL, "x"));
}

static void own_text_can_be_an_argument(void **state)
{
	(void)state;
	struct err e;
	err_set(&e, ERR_INPUT, "inner");
	err_set(&e, ERR_INTERNAL, "outer: %s", e.text);
	assert_string_equal(e.text, "outer: inner");
}

static void cuts_between_characters(void **state)
{
	(void)state;
	struct err e;
	char long_text[400];
	for (size_t shift = 0; shift < 3; shift++) {
		memset(long_text, 'x', shift);
		for (size_t i = shift; i + 3 < sizeof(long_text); i += 3)
			memcpy(long_text + i, "\xE2\x82\xAC", 4);
		err_set(&e, ERR_INPUT, "%s", long_text);
		size_t len = strlen(e.text);
		assert_true(len >= sizeof(e.text) - 3 && len < sizeof(e.text));
		assert_true(utf8_valid(e.text, len));
		err_prefix(&e, "%s", "where");
		assert_memory_equal(e.text, "where: ", 7);
		assert_true(utf8_valid(e.text, strlen(e.text)));
	}
}

static void prefix_keeps_the_code(void **state)
{
	(void)state;
	struct err e;
	err_set_retry(&e, ERR_TIMEOUT, "too late");
	assert_false(err_prefix(&e, "query %d", 4));
	assert_string_equal(e.text, "query 4: too late");
	assert_int_equal(e.code, ERR_TIMEOUT);
	assert_true(e.may_retry);
}

static void codes_have_names(void **state)
{
	(void)state;
	assert_string_equal(err_code_name(ERR_NOT_FOUND), "not_found");
	for (int code = ERR_NONE; code <= ERR_INTERNAL; code++)
		assert_non_null(err_code_name((enum err_code)code));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_fields_and_returns_false),
		cmocka_unit_test(own_text_can_be_an_argument),
		cmocka_unit_test(cuts_between_characters),
		cmocka_unit_test(prefix_keeps_the_code),
		cmocka_unit_test(codes_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
