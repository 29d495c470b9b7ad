/* Dialect names are parsed back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/dialect.h"

static void names(void **state)
{
	(void)state;
	for (int i = 0; i < DIALECT_COUNT; i++) {
		enum dialect d;
		assert_true(dialect_parse(dialect_name((enum dialect)i), &d));
		assert_int_equal(d, i);
	}
	enum dialect kept = DIALECT_POSTGRES;
	assert_false(dialect_parse("mysql", &kept));
	assert_int_equal(kept, DIALECT_POSTGRES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
