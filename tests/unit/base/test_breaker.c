/* The circuit breaker opens after consecutive failures and admits one probe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/breaker.h"

static struct breaker new_breaker(void)
{
	return (struct breaker){.failures_max = 3, .open_ms = 1000};
}

static void opens_after_consecutive_failures(void **state)
{
	struct breaker b = new_breaker();

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_false(breaker_begin(&b));
		breaker_failed(&b, false, 10);
		assert_true(breaker_allows(&b, 10));
	}
	breaker_succeeded(&b); /* resets the failures */
	for (int i = 0; i < 2; i++)
		breaker_failed(&b, false, 20);
	assert_true(breaker_allows(&b, 20));
	breaker_failed(&b, false, 20);
	assert_false(breaker_allows(&b, 20));
	assert_false(breaker_allows(&b, 1019));
	assert_true(breaker_allows(&b, 1020));
}

static void open_breaker(struct breaker *b)
{
	*b = new_breaker();
	for (int i = 0; i < 3; i++)
		breaker_failed(b, false, 0);
}

static void one_probe_closes_or_reopens(void **state)
{
	struct breaker b;

	(void)state;
	open_breaker(&b);
	assert_true(breaker_begin(&b));
	assert_false(breaker_allows(&b, 5000)); /* a second probe is refused */
	breaker_failed(&b, true, 5000);
	assert_false(breaker_allows(&b, 5999));
	assert_true(breaker_allows(&b, 6000));
	assert_true(breaker_begin(&b));
	breaker_succeeded(&b);
	assert_true(breaker_allows(&b, 6000));
	assert_false(breaker_begin(&b));
	breaker_failed(&b, false, 6000); /* counted from zero again */
	assert_true(breaker_allows(&b, 6000));
}

static void undecided_probe_allows_another(void **state)
{
	struct breaker b;

	(void)state;
	open_breaker(&b);
	assert_true(breaker_begin(&b));
	breaker_undecided(&b, false); /* another call */
	assert_false(breaker_allows(&b, 2000));
	breaker_undecided(&b, true);
	assert_true(breaker_allows(&b, 2000));
}

static void late_failures_do_not_extend_the_pause(void **state)
{
	struct breaker b;

	(void)state;
	open_breaker(&b);
	breaker_failed(&b, false, 900); /* a call that began before the breaker opened */
	assert_true(breaker_allows(&b, 1000));
}

/* Another call's success closed the breaker while the probe was running: the probe's failure counts
 * as one of several. */
static void late_probe_counts_as_a_call(void **state)
{
	struct breaker b;

	(void)state;
	open_breaker(&b);
	assert_true(breaker_begin(&b));
	assert_true(breaker_is_probing(&b));
	breaker_succeeded(&b);
	assert_false(breaker_is_probing(&b));
	assert_false(breaker_failed(&b, true, 2000));
	assert_true(breaker_allows(&b, 2000));
	assert_false(breaker_failed(&b, false, 2000));
	assert_true(breaker_failed(&b, false, 2000));
	assert_true(breaker_blocks(&b, 2999));
	assert_false(breaker_blocks(&b, 3000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_after_consecutive_failures),
		cmocka_unit_test(one_probe_closes_or_reopens),
		cmocka_unit_test(late_probe_counts_as_a_call),
		cmocka_unit_test(undecided_probe_allows_another),
		cmocka_unit_test(late_failures_do_not_extend_the_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
