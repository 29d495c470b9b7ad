/* Names of enum values: each is found in its exact spelling only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/choice.h"

static const struct choice colours[] = {{"red", 3}, {"", 1}, {"redder", 4}, {NULL, 0}};

static void finds_only_exact_names(void **state)
{
	int found = 7;

	(void)state;
	assert_false(choice_find(colours, "re", &found));
	assert_false(choice_find(colours, "Red", &found));
	assert_false(choice_find(colours, "reddest", &found));
	assert_int_equal(found, 7);
	assert_true(choice_find(colours, "redder", &found));
	assert_int_equal(found, 4);
	assert_int_equal(choice_of(colours, ""), 1);
	assert_int_equal(choice_of(colours, "red"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(finds_only_exact_names)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
