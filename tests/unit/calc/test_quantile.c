/* Quantiles, percentiles and bins. */
#include "calc_test.h"
#include "vesper/calc_summary.h"

/* R: quantile(1:10), quantile(c(4, 1, 3, 2), .4). */
static void quantiles_match_r(void **state)
{
	(void)state;
	const double ten[] = {10, NAN, 2, 3, 4, 5, 6, 7, 8, 9, 1}, four[] = {4, 1, 3, 2};
	const double p[] = {0, 0.25, 0.5, 0.75, 1};
	const double expected[] = {1, 3.25, 5.5, 7.75, 10};
	double got[5];
	size_t present;

	assert_true(calc_quantiles(&calc, ten, 11, p, 5, got, &present, &err));
	assert_int_equal(present, 10);
	for (int i = 0; i < 5; i++)
		assert_near(got[i], expected[i], 1e-15);
	assert_true(calc_quantiles(&calc, four, 4, (double[]){0.4}, 1, got, &present, &err));
	assert_near(got[0], 2.2, 1e-15);
	assert_true(calc_quantiles(&calc, ten + 1, 1, p, 5, got, &present, &err));
	assert_true(present == 0 && isnan(got[2]));
}

/* Quantiles do not decrease with p, for any order of the values. */
static void quantiles_never_decrease(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(4);
	double got, previous = -INFINITY;
	size_t present;

	double *v = test_column(&r, 501, true);
	for (double p = 0; p <= 1; p += 0.0625) {
		assert_true(calc_quantiles(&calc, v, 501, &p, 1, &got, &present, &err));
		assert_true(got >= previous);
		previous = got;
		test_shuffle(&r, v, 501);
	}
}

static void percentile_counts_equal_values_half(void **state)
{
	(void)state;
	const double v[] = {1, 2, 2, NAN, 3};
	double got;

	assert_true(calc_percentile(&calc, v, 5, 2, &got, &err));
	assert_near(got, 0.5, 1e-15);
	assert_true(calc_percentile(&calc, v, 5, 9, &got, &err) && got == 1);
	assert_true(calc_percentile(&calc, v, 5, 0, &got, &err) && got == 0);
	assert_true(calc_percentile(&calc, v + 3, 1, 0, &got, &err) && isnan(got));
}

/* R: nclass.FD(1:100) gives 5, nclass.Sturges of 32 values 6. */
static void bins_match_r(void **state)
{
	(void)state;
	double v[100];
	struct calc_bins *b;

	for (int i = 0; i < 100; i++)
		v[i] = i + 1;
	assert_true(calc_bins(&calc, v, 100, &b, &err));
	assert_int_equal(b->count, 5);
	assert_near(b->width, 19.8, 1e-15);
	for (int i = 0; i < 5; i++)
		assert_int_equal(b->in[i], 20);
	for (int i = 0; i < 32; i++)
		v[i] = i < 2 || i > 29 ? i : 7; /* IQR 0 */
	assert_true(calc_bins(&calc, v, 32, &b, &err));
	assert_int_equal(b->count, 6);
}

static void bins_of_few_and_of_extreme_values(void **state)
{
	(void)state;
	double v[1000] = {[0] = -1e100, [1] = 1e100};
	struct calc_bins *b;

	assert_true(calc_bins(&calc, v, 0, &b, &err) && b->count == 0);
	assert_true(calc_bins(&calc, v + 2, 9, &b, &err) && b->count == 1 && b->in[0] == 9);
	for (int i = 2; i < 1000; i++)
		v[i] = i;
	assert_true(calc_bins(&calc, v, 1000, &b, &err));
	assert_int_equal(b->count, CALC_BINS_MAX);
	size_t all = 0;
	for (size_t i = 0; i < b->count; i++)
		all += b->in[i];
	assert_int_equal(all, 1000);
	v[0] = 0;
	v[1] = 5e-324;
	assert_true(calc_bins(&calc, v, 2, &b, &err) && b->n == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(quantiles_match_r),
		CALC_TEST(quantiles_never_decrease),
		CALC_TEST(percentile_counts_equal_values_half),
		CALC_TEST(bins_match_r),
		CALC_TEST(bins_of_few_and_of_extreme_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
