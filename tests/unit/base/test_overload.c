/* A burst is not overload; a load that lasts a whole window is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/overload.h"

static void add_sample(struct overload *o, int64_t loop, int64_t queue, int64_t logs)
{
	const int64_t values[OVERLOAD_SIGNALS] = {loop, queue, logs};

	overload_add_sample(o, values);
}

static struct overload new_overload(void)
{
	return (struct overload){.bounds = {50, 500, 1000}, .window = 3};
}

static void no_overload_before_window_is_full(void **state)
{
	struct overload o = new_overload();

	(void)state;
	assert_int_equal(overload_now(&o).percent, 0);
	add_sample(&o, 500, 0, 0);
	add_sample(&o, 500, 0, 0);
	assert_int_equal(overload_now(&o).percent, 0);
	add_sample(&o, 500, 0, 0);
	assert_int_equal(overload_now(&o).percent, 1000);
	assert_int_equal(overload_now(&o).of, OVERLOAD_LOOP);
}

static void one_low_sample_ends_overload(void **state)
{
	struct overload o = new_overload();

	(void)state;
	for (int i = 0; i < 7; i++)
		add_sample(&o, 60, 0, 0);
	assert_int_equal(overload_now(&o).percent, 120);
	add_sample(&o, 5, 0, 0);
	assert_int_equal(overload_now(&o).percent, 10);
	add_sample(&o, 60, 0, 0);
	add_sample(&o, 60, 0, 0);
	assert_int_equal(overload_now(&o).percent, 10);
	add_sample(&o, 60, 0, 0);
	assert_int_equal(overload_now(&o).percent, 120);
}

static void highest_signal_decides(void **state)
{
	struct overload o = new_overload();

	(void)state;
	for (int i = 0; i < 3; i++)
		add_sample(&o, 40, 450, 1200);
	assert_int_equal(overload_now(&o).percent, 120);
	assert_int_equal(overload_now(&o).of, OVERLOAD_LOGS);
	assert_string_equal(overload_signal_name(OVERLOAD_LOGS), "logs");
	for (int i = 0; i < 3; i++)
		add_sample(&o, 40, 450, 0);
	assert_int_equal(overload_now(&o).percent, 90);
	assert_int_equal(overload_now(&o).of, OVERLOAD_QUEUE);
}

static void values_of_any_size_are_accepted(void **state)
{
	struct overload o = new_overload();

	(void)state;
	for (int i = 0; i < 3; i++)
		add_sample(&o, INT64_MAX, 0, 0);
	assert_int_equal(overload_now(&o).percent, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_overload_before_window_is_full),
		cmocka_unit_test(one_low_sample_ends_overload),
		cmocka_unit_test(highest_signal_decides),
		cmocka_unit_test(values_of_any_size_are_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
