/* Header names and percent-encoding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "port/http_text.h"

static void assert_decoded(const char *text, const char *expected)
{
	char copy[100];

	snprintf(copy, sizeof(copy), "%s", text);
	assert_int_equal(percent_decode(copy), expected != NULL);
	if (expected)
		assert_string_equal(copy, expected);
}

static void paths_are_percent_decoded(void **state)
{
	(void)state;
	assert_decoded("", "");
	assert_decoded("a%2Fb%2fc", "a/b/c");
	assert_decoded("%25%32%35", "%25");
	assert_decoded("%C3%BC+", "\xC3\xBC+");
	assert_decoded("%", NULL);
	assert_decoded("a%2", NULL);
	assert_decoded("%g0", NULL);
	assert_decoded("%0g", NULL);
	assert_decoded("a%00", NULL);
	assert_decoded("a%0D%0A", NULL);
}

static void names_are_tokens(void **state)
{
	(void)state;
	assert_true(http_is_token("Content-Length"));
	assert_true(http_is_token("!#$%&'*+-.^_`|~0aZ"));
	assert_false(http_is_token(""));
	assert_false(http_is_token("Content-Length "));
	assert_false(http_is_token("a\tb"));
	assert_false(http_is_token("a(b"));
	assert_false(http_is_token("\xC3\xBC"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_percent_decoded),
		cmocka_unit_test(names_are_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
