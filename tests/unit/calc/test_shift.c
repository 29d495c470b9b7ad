/* Level shifts, compared with all splits, and in noise. */
#include "calc_test.h"
#include "vesper/calc_series.h"

static void finds_the_split(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(61);
	double v[30];
	struct calc_shift s;

	for (int i = 0; i < 30; i++)
		v[i] = (i < 18 ? 10 : 14) + test_normal(&r);
	v[3] = v[20] = NAN;
	assert_true(calc_shift(&calc, v, 30, &s, &err));
	assert_true(s.row == 18 && s.n == 28 && s.p < 0.01);
	double before = 0, after = 0;
	for (int i = 0; i < 30; i++)
		*(i < 18 ? &before : &after) += isnan(v[i]) ? 0 : v[i];
	assert_near(s.before, before / 17, 1e-13);
	assert_near(s.after, after / 11, 1e-13);
}

static void chooses_best_of_all_splits(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(62);

	for (int set = 0; set < 20; set++) {
		double *v = test_column(&r, 25, false), best = -1;
		struct calc_shift s;
		size_t at = 0;
		for (size_t k = 4; k <= 21; k++) {
			double left = 0, right = 0;
			for (size_t i = 0; i < 25; i++)
				*(i < k ? &left : &right) += v[i];
			double d = fabs(left / (double)k - right / (double)(25 - k)) *
				   sqrt((double)k * (double)(25 - k) / 25);
			if (d > best + 1e-9) {
				best = d;
				at = k;
			}
		}
		assert_true(calc_shift(&calc, v, 25, &s, &err));
		assert_int_equal(s.row, at);
	}
}

static void noise_has_few_shifts(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(63);
	int found = 0;

	for (int set = 0; set < 60; set++) {
		double v[14];
		struct calc_shift s;
		for (int i = 0; i < 14; i++)
			v[i] = test_normal(&r);
		assert_true(calc_shift(&calc, v, 14, &s, &err));
		found += s.p < 0.05;
	}
	assert_true(found <= 8);
}

static void handles_too_few_constant_and_extreme_values(void **state)
{
	(void)state;
	double v[12], *many = arena_alloc(calc.arena, 5001 * sizeof(*many));
	struct calc_shift s;

	for (int i = 0; i < 12; i++)
		v[i] = 0.1;
	assert_true(calc_shift(&calc, v, 11, &s, &err) && s.status == CALC_TOO_FEW && isnan(s.p));
	assert_true(calc_shift(&calc, v, 12, &s, &err) && s.status == CALC_CONSTANT && isnan(s.p));
	for (int i = 0; i < 12; i++)
		v[i] = i < 6 ? -1e100 : 1e100;
	assert_true(calc_shift(&calc, v, 12, &s, &err) && s.row == 6 && s.p < 0.01);
	assert_fails(calc_shift(&calc, many, CALC_SERIES_MAX + 1, &s, &err), ERR_LIMIT);
	many[7] = 1;
	calc_cancel();
	assert_fails(calc_shift(&calc, many, CALC_SERIES_MAX, &s, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(finds_the_split),
		CALC_TEST(chooses_best_of_all_splits),
		CALC_TEST(noise_has_few_shifts),
		CALC_TEST(handles_too_few_constant_and_extreme_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
