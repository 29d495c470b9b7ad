/* Runs and areas. */
#include "calc_test.h"
#include "vesper/calc_series.h"

static struct calc_run *runs;
static size_t count;

static void assert_run(size_t i, size_t first, size_t last)
{
	assert_true(i < count);
	assert_int_equal(runs[i].first, first);
	assert_int_equal(runs[i].last, last);
}

static void finds_runs_of_flags(void **state)
{
	(void)state;
	const bool f[] = {1, 1, 0, 1, 0, 0, 1, 1, 1};

	assert_true(calc_runs(&calc, f, 9, 2, &runs, &count, &err) && count == 2);
	assert_run(0, 0, 1);
	assert_run(1, 6, 8);
	assert_true(calc_runs(&calc, f, 9, 1, &runs, &count, &err) && count == 3);
	assert_true(calc_runs(&calc, f, 9, 4, &runs, &count, &err) && count == 0);
	assert_true(calc_runs(&calc, f, 0, 1, &runs, &count, &err) && count == 0);
}

static void finds_runs_of_equal_values(void **state)
{
	(void)state;
	const double v[] = {5, 5, 5.05, NAN, 5, 7, 7, 7, 7.1, 7.2};

	assert_true(calc_runs_equal(&calc, v, 10, 0.1, 3, &runs, &count, &err) && count == 2);
	assert_run(0, 0, 2);
	assert_run(1, 5, 8); /* 7.2 is close to 7.1, but not to the first value */
	assert_true(calc_runs_equal(&calc, v, 10, 0, 3, &runs, &count, &err) && count == 1);
	assert_run(0, 5, 7);
}

static void finds_runs_on_a_straight_line(void **state)
{
	(void)state;
	const double v[] = {1, 2, 3, 4, 4, 4, 4, 3, 2, 1, NAN, 0, -1};

	assert_true(calc_runs_straight(&calc, v, 13, 1e-9, 4, &runs, &count, &err) && count == 2);
	assert_run(0, 0, 3); /* the level part is not a sloping line */
	assert_run(1, 6, 9);
	assert_true(calc_runs_straight(&calc, v, 13, 1e-9, 5, &runs, &count, &err) && count == 0);
	assert_true(calc_runs_straight(&calc, v, 1, 1e-9, 4, &runs, &count, &err) && count == 0);
}

static void integrates_areas_without_gaps(void **state)
{
	(void)state;
	const double t[] = {NAN, 0, 1, 2, 3, 8, 9}, v[] = {9, NAN, 0, 2, 2, 4, 4};
	const double unordered[] = {0, 2, 1};
	struct calc_area a;

	assert_true(calc_integral(&calc, t, v, 7, 2, &a, &err)); /* 1 + 2, a gap of 5, 4 */
	assert_true(a.area == 7 && a.covered == 3 && a.gaps == 1);
	assert_true(calc_integral(&calc, t, v, 7, 5, &a, &err) && a.area == 22 && a.gaps == 0);
	assert_true(calc_integral(&calc, t, v, 3, 5, &a, &err));
	assert_true(a.status == CALC_TOO_FEW && isnan(a.area));
	assert_fails(calc_integral(&calc, unordered, unordered, 3, 5, &a, &err), ERR_INPUT);
	assert_string_equal(err.text, "The time in row 3 is before that in row 2.");
}

static void respects_limits_and_cancel(void **state)
{
	(void)state;
	size_t n = CALC_VALUES_MAX;
	double *v = arena_alloc(calc.arena, (n + 1) * sizeof(*v));
	struct calc_area a;

	assert_true(calc_runs_equal(&calc, v, n, 0, 4, &runs, &count, &err));
	assert_run(0, 0, n - 1);
	assert_fails(calc_runs_equal(&calc, v, n + 1, 0, 4, &runs, &count, &err), ERR_LIMIT);
	assert_fails(calc_runs_straight(&calc, v, n + 1, 0, 4, &runs, &count, &err), ERR_LIMIT);
	assert_fails(calc_integral(&calc, v, v, n + 1, 1, &a, &err), ERR_LIMIT);
	calc_cancel();
	assert_fails(calc_runs_equal(&calc, v, n, 0, 4, &runs, &count, &err), ERR_CANCELLED);
	assert_fails(calc_runs(&calc, (bool[]){1}, 1, 1, &runs, &count, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(finds_runs_of_flags),           CALC_TEST(finds_runs_of_equal_values),
		CALC_TEST(finds_runs_on_a_straight_line), CALC_TEST(integrates_areas_without_gaps),
		CALC_TEST(respects_limits_and_cancel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
