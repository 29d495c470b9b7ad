/* Names of dialects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/dialect.h"

static void parses_names(void **state)
{
	(void)state;
	for (int i = 0; i < DIALECT_COUNT; i++) {
		enum dialect d;
		assert_true(dialect_parse(dialect_name((enum dialect)i), &d));
		assert_int_equal(d, i);
	}
	enum dialect unchanged = DIALECT_POSTGRES;
	assert_false(dialect_parse("mysql", &unchanged));
	assert_int_equal(unchanged, DIALECT_POSTGRES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
