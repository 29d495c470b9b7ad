/* Least-squares lines: published values, and Newey-West errors, compared with their definition. */
#include "calc_test.h"
#include "vesper/calc_groups.h"

/* Anscombe's quartet, first set: y = 3.0001 + 0.5001·x, r² 0.66654, standard error 0.11791. */
static void line_matches_published_example(void **state)
{
	(void)state;
	const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
	const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
	struct calc_line l;

	assert_true(calc_line(&calc, x, y, 11, &l, &err));
	assert_near(l.slope, 0.5000909, 1e-6);
	assert_near(l.intercept, 3.0000909, 1e-6);
	assert_near(l.r2, 0.66654246, 1e-7);
	assert_near(l.error_plain, 0.11790550, 1e-7);
	assert_near(calc_student_two_sided(l.slope / l.error_plain, 9), 0.00216963, 1e-5);
}

/* Var b = (X'X)⁻¹ (Γ₀ + Σ w (Γ + Γ')) (X'X)⁻¹ with whole 2 × 2 matrices. */
static double slow_hac(const double *x, const double *y, int n, double slope, double intercept)
{
	int lags = (int)(4 * pow(n / 100.0, 2.0 / 9));
	long double m[2][2] = {{0}}, xx[2][2] = {{0}}, inverse[2][2], var = 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			int lag = abs(i - k);
			if (lag > lags)
				continue;
			const long double a[] = {1, x[i]}, b[] = {1, x[k]};
			long double w = (1 - lag / (lags + 1.0L)) *
					(y[i] - intercept - slope * x[i]) *
					(y[k] - intercept - slope * x[k]);
			for (int p = 0; p < 2; p++)
				for (int q = 0; q < 2; q++) {
					m[p][q] += w * a[p] * b[q];
					xx[p][q] += i == k ? a[p] * b[q] : 0;
				}
		}
	long double d = xx[0][0] * xx[1][1] - xx[0][1] * xx[1][0];
	inverse[1][0] = -xx[1][0] / d;
	inverse[1][1] = xx[0][0] / d;
	for (int p = 0; p < 2; p++)
		for (int q = 0; q < 2; q++)
			var += inverse[1][p] * m[p][q] * inverse[1][q];
	return (double)sqrtl(var);
}

static void newey_west_matches_definition(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(81);

	for (int n = 30; n < 300; n += 53) {
		double x[300], y[300], level = 0, big[300];
		struct calc_line l, scaled;
		for (int i = 0; i < n; i++) {
			level = 0.7 * level + test_normal(&r);
			x[i] = i + test_normal(&r);
			y[i] = 2 * x[i] + level;
			big[i] = y[i] * 0x1p300;
		}
		assert_true(calc_line(&calc, x, y, (size_t)n, &l, &err));
		assert_near(l.error_hac, slow_hac(x, y, n, l.slope, l.intercept), 1e-9);
		assert_true(l.low < l.slope && l.slope < l.high && l.p < 1e-6);
		assert_true(calc_line(&calc, x, big, (size_t)n, &scaled, &err));
		assert_near(scaled.slope, l.slope * 0x1p300, 1e-14);
		assert_near(scaled.error_hac, l.error_hac * 0x1p300, 1e-12);
		assert_near(scaled.p, l.p, 1e-9);
	}
}

static void handles_too_few_constant_and_extreme_values(void **state)
{
	(void)state;
	double x[] = {1, 2, 3, 4, NAN, 5, 6, 7, 8}, y[] = {1, 2, 3, 4, 5, 5, 6, 7, 8};
	struct calc_line l;

	assert_true(calc_line(&calc, x, y, 8, &l, &err) && l.status == CALC_TOO_FEW && isnan(l.p));
	assert_true(calc_line(&calc, x, y, 9, &l, &err) && l.n == 8);
	assert_near(l.slope, 1, 1e-15);
	assert_true(l.p < 1e-100 && l.r2 == 1);
	for (int i = 0; i < 9; i++)
		y[i] = 3;
	assert_true(calc_line(&calc, x, y, 9, &l, &err) && l.slope == 0 && l.p == 1 && isnan(l.r2));
	assert_true(calc_line(&calc, y, x, 9, &l, &err) && l.status == CALC_CONSTANT);
	y[0] = 3 + 1e-15;
	for (int i = 0; i < 9; i++)
		x[i] = i % 2 ? 1e100 : -1e100;
	assert_true(calc_line(&calc, y, x, 9, &l, &err) && isfinite(l.slope));
	calc_cancel();
	assert_fails(calc_line(&calc, x, y, 9, &l, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(line_matches_published_example),
		CALC_TEST(newey_west_matches_definition),
		CALC_TEST(handles_too_few_constant_and_extreme_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
