/* When each limit of a transfer passes, to the millisecond, computed only from the given times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "http_int.h"

#define START 1000000

static void check(const struct limits *l, const char *name, uint64_t due_ms, int64_t limit_ms)
{
	uint64_t due = 0;
	int64_t limit = 0;
	const char *got = limits_next(l, &due, &limit);

	assert_non_null(got);
	assert_string_equal(got, name);
	assert_int_equal(due, due_ms);
	assert_int_equal(limit, limit_ms);
}

static struct limits default_limits(void)
{
	return (struct limits){.first_byte_ms = 30000,
			       .idle_ms = 30000,
			       .total_ms = 120000,
			       .started_ms = START,
			       .last_ms = START};
}

static void test_each_limit_passes_at_its_time(void **state)
{
	struct limits l = default_limits();

	(void)state;
	check(&l, "first byte", START + 30000, 30000);
	l.got_byte = true;
	l.last_ms = START + 29999;
	check(&l, "idle", START + 59999, 30000);
	l.last_ms = START + 89999; /* each byte extends it */
	check(&l, "idle", START + 119999, 30000);
	l.last_ms = START + 100000; /* continuous bytes do not extend the total limit */
	check(&l, "total time", START + 120000, 120000);
}

static void test_paused_transfer_is_not_idle(void **state)
{
	struct limits l = default_limits();

	(void)state;
	l.got_byte = l.is_suspended = true;
	check(&l, "total time", START + 120000, 120000);
	l.total_ms = 0;
	assert_null(limits_next(&l, &(uint64_t){0}, &(int64_t){0}));
}

static void test_no_limit(void **state)
{
	struct limits l = {.started_ms = START};

	(void)state;
	assert_null(limits_next(&l, &(uint64_t){0}, &(int64_t){0}));
	l.first_byte_ms = 5;
	check(&l, "first byte", START + 5, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_limit_passes_at_its_time),
		cmocka_unit_test(test_paused_transfer_is_not_idle),
		cmocka_unit_test(test_no_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
