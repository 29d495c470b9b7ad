/* Moments, compared with certified values; normality of random samples; concentration, compared
 * with its definition. */
#include "calc_test.h"
#include "vesper/calc_summary.h"

/* NIST StRD NumAcc4: mean 10000000.2, standard deviation 0.1. */
static void moments_match_certified_values(void **state)
{
	(void)state;
	double v[1001] = {10000000.2};
	struct calc_moments m;

	for (int i = 1; i < 1001; i++)
		v[i] = i % 2 ? 10000000.1 : 10000000.3;
	assert_true(calc_moments(&calc, v, 1001, &m, &err));
	assert_near(m.mean, 10000000.2, 1e-15);
	assert_near(m.sd, 0.1, 1e-8); /* the input is rounded to this precision */
}

/* scipy's documentation: kurtosistest(range(20)) is -1.7058104152122062. The skewness of symmetric
 * values is 0. */
static void normality_matches_published_value(void **state)
{
	(void)state;
	double v[20];
	struct calc_moments m;

	for (int i = 0; i < 20; i++)
		v[i] = i;
	assert_true(calc_moments(&calc, v, 20, &m, &err));
	assert_near(m.k2, 1.7058104152122062 * 1.7058104152122062, 1e-12);
	assert_near(m.skewness, 0, 1e-12);
	assert_near(m.kurtosis, -1.2, 1e-12); /* discrete uniform, adjusted: exactly */
	assert_near(m.sd, sqrt(35), 1e-15);
}

/* By hand: 1, 1, 4: mean 2, m2 2, m3 2, g1 = 1/√2, G1 = √3. */
static void moments_match_manual_example(void **state)
{
	(void)state;
	const double v[] = {1, NAN, 1, 4};
	struct calc_moments m;

	assert_true(calc_moments(&calc, v, 4, &m, &err));
	assert_true(m.n == 3 && m.sum == 6 && m.mean == 2 && isnan(m.kurtosis) && isnan(m.k2));
	assert_near(m.sd, sqrt(3), 1e-15);
	assert_near(m.skewness, sqrt(3), 1e-14);
}

/* At a level of 5 %, 3.5 to 7 % of the normal samples are rejected, and nearly all others. */
static void accepts_normal_samples(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(5);
	struct calc_moments m;
	int rejected[2] = {0};
	double v[200];

	for (int i = 0; i < 2000; i++) {
		for (int kind = 0; kind < 2; kind++) {
			for (int k = 0; k < 200; k++)
				v[k] = kind ? -log(1 - calc_rng_unit(&r))
					    : calc_normal_quantile(calc_rng_unit(&r) + 1e-17);
			assert_true(calc_moments(&calc, v, 200, &m, &err));
			rejected[kind] += m.normal_p < 0.05;
		}
		if (i % 100 == 99) {
			calc_teardown(NULL);
			calc_setup(NULL);
		}
	}
	assert_in_range(rejected[0], 70, 140);
	assert_true(rejected[1] > 1990);
}

static void shape_does_not_depend_on_scale(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(6);
	double *v = test_column(&r, 400, true), w[400];
	struct calc_moments m, scaled;

	assert_true(calc_moments(&calc, v, 400, &m, &err));
	for (int power = -900; power <= 300; power += 150) {
		for (int i = 0; i < 400; i++)
			w[i] = ldexp(v[i], power);
		test_shuffle(&r, w, 400);
		assert_true(calc_moments(&calc, w, 400, &scaled, &err));
		assert_near(scaled.sd, ldexp(m.sd, power), 1e-13);
		assert_near(scaled.skewness, m.skewness, 1e-11);
		assert_near(scaled.k2, m.k2, 1e-10);
	}
}

static void handles_too_few_and_constant_values(void **state)
{
	(void)state;
	const double v[] = {0.1, 0.1, 0.1, 0.1}, none[] = {NAN};
	struct calc_moments m;

	assert_true(calc_moments(&calc, none, 1, &m, &err));
	assert_true(m.status == CALC_TOO_FEW && isnan(m.mean));
	assert_true(calc_moments(&calc, v, 4, &m, &err));
	assert_true(m.status == CALC_CONSTANT && m.mean == 0.1 && m.sd == 0 && isnan(m.skewness));
	assert_true(calc_moments(&calc, v, 1, &m, &err) && isnan(m.sd) && m.mean == 0.1);
}

/* Gini is the mean difference of all pairs over twice the mean. */
static void concentration_matches_definition(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(8);
	double *v = test_column(&r, 150, true), pairs = 0, total = 0, squares = 0, n = 0;
	struct calc_concentration o;

	for (int i = 0; i < 150; i++) {
		v[i] = fabs(v[i]);
		if (isnan(v[i]))
			continue;
		n++;
		total += v[i];
		for (int j = 0; j < i; j++)
			pairs += isnan(v[j]) ? 0 : 2 * fabs(v[i] - v[j]);
	}
	for (int i = 0; i < 150; i++)
		squares += isnan(v[i]) ? 0 : v[i] / total * (v[i] / total);
	assert_true(calc_concentration(&calc, v, 150, &o, &err));
	assert_near(o.gini, pairs / (2 * n * total), 1e-12);
	assert_near(o.hhi, squares, 1e-12);
}

static void concentration_matches_manual_example(void **state)
{
	(void)state;
	double v[10] = {0}, even[10];
	struct calc_concentration o;

	v[3] = 8;
	for (int i = 0; i < 10; i++)
		even[i] = 0.1;
	assert_true(calc_concentration(&calc, v, 10, &o, &err));
	assert_near(o.gini, 0.9, 1e-15);
	assert_true(o.hhi == 1 && o.top10_share == 1 && o.n_for_80 == 1);
	assert_true(calc_concentration(&calc, even, 10, &o, &err));
	assert_true(fabs(o.gini) < 1e-16 && o.n_for_80 == 8);
	assert_near(o.top20_share, 0.2, 1e-15);
	assert_true(calc_concentration(&calc, even, 9, &o, &err));
	assert_true(o.status == CALC_TOO_FEW && isnan(o.gini));
	v[3] = 0;
	assert_true(calc_concentration(&calc, v, 10, &o, &err) && o.status == CALC_ZERO);
	v[0] = v[9] = -1;
	assert_fails(calc_concentration(&calc, v, 10, &o, &err), ERR_INPUT);
	assert_string_equal(err.text,
			    "2 of 10 values are negative; shares of a total cannot be computed.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(moments_match_certified_values),
		CALC_TEST(normality_matches_published_value),
		CALC_TEST(moments_match_manual_example),
		CALC_TEST(accepts_normal_samples),
		CALC_TEST(shape_does_not_depend_on_scale),
		CALC_TEST(handles_too_few_and_constant_values),
		CALC_TEST(concentration_matches_definition),
		CALC_TEST(concentration_matches_manual_example),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
