/* Median deviations, outliers and spikes. */
#include "calc_test.h"
#include "vesper/calc_summary.h"

static void spread_matches_manual_example(void **state)
{
	(void)state;
	const double v[] = {1, 1, NAN, 2, 2, 4, 6, 9}, flat[] = {5, 5, 5, 5, 9};
	struct calc_spread s;

	assert_true(calc_spread(&calc, v, 8, &s, &err));
	assert_true(s.n == 7 && s.median == 2 && s.mad == 1);
	assert_near(s.scale, 1.4826, 1e-15);
	assert_true(calc_spread(&calc, flat, 5, &s, &err)); /* MAD 0: mean deviation 4/5 */
	assert_near(s.scale, 1.253314 * 0.8, 1e-15);
	assert_true(calc_spread(&calc, flat, 4, &s, &err) && s.status == CALC_CONSTANT);
	assert_true(calc_spread(&calc, v + 2, 1, &s, &err) && s.status == CALC_TOO_FEW);
}

static void spread_matches_sorting(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(1);

	for (size_t n = 1; n < 200; n += 7) {
		double *v = test_column(&r, n, true), deviations[200];
		struct calc_spread s;
		double median = test_median(v, n);
		for (size_t i = 0; i < n; i++)
			deviations[i] = fabs(v[i] - median);
		assert_true(calc_spread(&calc, v, n, &s, &err));
		assert_near(s.median, median, 1e-15);
		assert_near(s.mad, test_median(deviations, n), 1e-15);
	}
}

/* -20..-9 and one outlier, at the limit of each method and just beyond it. */
static void each_method_has_exact_limits(void **state)
{
	(void)state;
	double v[14];
	struct calc_outliers o;

	for (int i = 0; i < 12; i++)
		v[i] = i - 20; /* not positive: no logarithms */
	v[12] = 100;
	v[13] = NAN;
	for (int method = CALC_ROBUST; method <= CALC_TWO_SD; method++) {
		assert_true(
			calc_outliers(&calc, v, 14, (enum calc_outlier_method)method, &o, &err));
		assert_true(o.found == 1 && o.is_outlier[12] && !o.is_outlier[13] && !o.by_log);
	}
	assert_true(calc_outliers(&calc, v, 14, CALC_ROBUST, &o, &err));
	assert_near(o.high, -14 + 3.5 * 3 / 0.6745, 1e-14);
	assert_true(calc_outliers(&calc, v, 14, CALC_FENCES, &o, &err));
	assert_near(o.low, -17 - 1.5 * 6, 1e-14);
	v[12] = -11 + 1.5 * 6; /* the quartiles are unchanged; a value on the fence is inside */
	assert_true(calc_outliers(&calc, v, 14, CALC_FENCES, &o, &err) && o.found == 0);
	v[12] = nextafter(v[12], 99);
	assert_true(calc_outliers(&calc, v, 14, CALC_FENCES, &o, &err) && o.found == 1);
	assert_true(calc_outliers(&calc, v, 11, CALC_FENCES, &o, &err));
	assert_true(o.status == CALC_TOO_FEW && o.found == 0);
}

static void skewed_values_are_compared_by_logarithm(void **state)
{
	(void)state;
	double v[40];
	struct calc_outliers o;

	for (int i = 0; i < 40; i++)
		v[i] = exp(0.2 * i - 3);
	assert_true(calc_outliers(&calc, v, 40, CALC_ROBUST, &o, &err));
	assert_true(o.by_log && o.found == 0);
	v[39] = 1e9;
	assert_true(calc_outliers(&calc, v, 40, CALC_ROBUST, &o, &err));
	assert_true(o.by_log && o.found == 1 && o.low > 0);
	for (int i = 0; i < 40; i++)
		v[i] = 7;
	assert_true(calc_outliers(&calc, v, 40, CALC_ROBUST, &o, &err));
	assert_true(o.status == CALC_CONSTANT && o.found == 0);
}

/* Compared with the definition for each window. */
static void spikes_match_definition(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(9);
	size_t n = 400, found, expected = 0;
	double *v = test_column(&r, n, true);
	bool *is_spike;

	v[200] = 500;
	assert_true(calc_hampel(&calc, v, n, 7, 3, &is_spike, &found, &err));
	assert_true(is_spike[200]);
	for (size_t i = 0; i < n; i++) {
		double deviations[7];
		size_t from = i < 3 ? 0 : i - 3, to = i + 4 > n ? n : i + 4, present;
		double median = test_median(v + from, to - from);
		for (size_t k = from; k < to; k++)
			deviations[k - from] = fabs(v[k] - median);
		(void)test_sorted(v + from, to - from, &present);
		bool spike = present >= 3 && !isnan(v[i]) &&
			     fabs(v[i] - median) > 3 * 1.4826 * test_median(deviations, to - from);
		assert_int_equal(is_spike[i], spike);
		expected += spike;
	}
	assert_int_equal(found, expected);
	assert_true(calc_hampel(&calc, v, 2, 7, 3, &is_spike, &found, &err) && found == 0);
	assert_true(calc_hampel(&calc, v, n, CALC_WINDOW_MAX, 3, &is_spike, &found, &err));
	calc_cancel();
	assert_fails(calc_hampel(&calc, v, n, 7, 3, &is_spike, &found, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(spread_matches_manual_example),
		CALC_TEST(spread_matches_sorting),
		CALC_TEST(each_method_has_exact_limits),
		CALC_TEST(skewed_values_are_compared_by_logarithm),
		CALC_TEST(spikes_match_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
