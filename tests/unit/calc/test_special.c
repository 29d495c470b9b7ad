/* Distribution functions, compared with series in 120 digits (tests/calc/special.py). */
#include "calc_test.h"

static double compute(const char *name, const double *x)
{
	if (strcmp(name, "log_gamma") == 0)
		return calc_log_gamma(x[0]);
	if (strcmp(name, "gamma_lower") == 0)
		return calc_gamma_lower(x[0], x[1]);
	if (strcmp(name, "gamma_upper") == 0)
		return calc_gamma_upper(x[0], x[1]);
	if (strcmp(name, "beta") == 0)
		return calc_beta(x[0], x[1], x[2]);
	if (strcmp(name, "normal") == 0)
		return calc_normal(x[0]);
	if (strcmp(name, "student_two_sided") == 0)
		return calc_student_two_sided(x[0], x[1]);
	if (strcmp(name, "chi2_upper") == 0)
		return calc_chi2_upper(x[0], x[1]);
	assert_string_equal(name, "f_upper");
	return calc_f_upper(x[0], x[1], x[2]);
}

static void agrees_with_high_precision_values(void **state)
{
	(void)state;
	FILE *f = fopen(VESPER_SOURCE_DIR "/tests/calc/special.tsv", "r");
	char name[32];
	double x[3], expected, worst = 0;
	size_t rows = 0;

	assert_non_null(f);
	while (fscanf(f, "%31s %lf %lf %lf %lf", name, &x[0], &x[1], &x[2], &expected) == 5) {
		double got = compute(name, x);
		/* log_gamma has zeros, so its error is relative to 1 at least. */
		double unit = strcmp(name, "log_gamma") == 0 ? 1 : 1e-300;
		double error = fabs(got - expected) / fmax(fabs(expected), unit);
		if (error > 2e-11)
			fail_msg("%s(%g, %g, %g): %.17g, expected %.17g", name, x[0], x[1], x[2],
				 got, expected);
		worst = fmax(worst, error);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 263);
	print_message("worst relative error %.1e\n", worst);
}

/* Values of printed tables, and their inverses. */
static void quantiles_match_tables_and_inverses(void **state)
{
	(void)state;
	assert_near(calc_normal_quantile(0.975), 1.959963984540054, 1e-14);
	assert_near(calc_normal_quantile(1e-300), -37.0471, 1e-6);
	/* Closed forms: tan(π(p - ½)), (2p - 1)/√(2p(1 - p)). */
	assert_near(calc_student_quantile(0.975, 1), tan(M_PI * 0.475), 1e-12);
	assert_near(calc_student_quantile(0.9, 2), 0.8 / sqrt(0.18), 1e-12);
	assert_near(calc_student_quantile(0.975, 10), 2.2281388520, 1e-10);
	assert_near(calc_student_quantile(0.025, 30), -2.0422724563, 1e-10);
	assert_true(calc_normal_quantile(0.5) == 0 && calc_student_quantile(0.5, 3) == 0);
	for (double p = 0.001; p < 1; p += 0.037) {
		assert_near(calc_normal(calc_normal_quantile(p)), p, 1e-13);
		for (double df = 1; df < 2000; df *= 3.7)
			assert_near(calc_student(calc_student_quantile(p, df), df), p, 1e-11);
	}
}

static void handles_extreme_and_missing_values(void **state)
{
	(void)state;
	assert_true(calc_gamma_lower(3, 0) == 0 && calc_gamma_upper(3, INFINITY) == 0);
	assert_true(calc_beta(2, 3, 0) == 0 && calc_beta(2, 3, 1) == 1);
	assert_true(calc_student_two_sided(0, 5) == 1 && calc_student_two_sided(1e300, 5) < 1e-200);
	assert_true(calc_student(-INFINITY, 3) == 0 && calc_student(INFINITY, 3) == 1);
	assert_true(calc_chi2_upper(-1, 2) == 1 && calc_f_upper(0, 2, 3) == 1);
	assert_true(calc_f_upper(INFINITY, 2, 3) == 0 && calc_normal(-INFINITY) == 0);
	assert_true(isnan(calc_student_two_sided(NAN, 5)) && isnan(calc_normal(NAN)));
	assert_true(isnan(calc_chi2_upper(NAN, 2)) && isnan(calc_f_upper(NAN, 2, 3)));
	/* With many degrees of freedom, the distribution is normal. */
	assert_near(calc_student_two_sided(1.96, 1e9), calc_normal_two_sided(1.96), 1e-6);
	assert_near(calc_chi2_upper(200000, 200000), 0.49957948, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(agrees_with_high_precision_values),
		CALC_TEST(quantiles_match_tables_and_inverses),
		CALC_TEST(handles_extreme_and_missing_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
