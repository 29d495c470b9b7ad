/* Tests over ranks and counts: published examples, noise, and too few values. */
#include "calc_test.h"
#include "vesper/calc_trend.h"

/* Wikipedia's example of Spearman's coefficient: ρ = -29/165, p = 0.627188. */
static void spearman_matches_published_example(void **state)
{
	(void)state;
	const double iq[] = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110, NAN};
	const double tv[] = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17, 3};
	double cubed[11];
	struct calc_spearman s, same;

	assert_true(calc_spearman(&calc, iq, tv, 11, &s, &err));
	assert_int_equal(s.n, 10);
	assert_near(s.rho, -29.0 / 165, 1e-14);
	assert_near(s.p, 0.627188, 1e-6);
	for (int i = 0; i < 11; i++)
		cubed[i] = tv[i] * tv[i] * tv[i]; /* any increasing function */
	assert_true(calc_spearman(&calc, iq, cubed, 11, &same, &err));
	assert_true(same.rho == s.rho && same.p == s.p);
	assert_true(calc_spearman(&calc, tv, tv, 11, &s, &err) && s.rho == 1 && s.p == 0);
}

static void spearman_needs_enough_different_pairs(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, NAN, 4}, flat[] = {1, 1, 1, 1, 1};
	struct calc_spearman s;

	assert_true(calc_spearman(&calc, x, x, 4, &s, &err) && s.status == CALC_TOO_FEW);
	assert_true(calc_spearman(&calc, x, flat, 5, &s, &err));
	assert_true(s.status == CALC_CONSTANT && isnan(s.rho) && isnan(s.p));
}

/* By hand: rank sums 6, 15, 24 of 3 values each give H = 7.2 and p = exp(-3.6). */
static void kruskal_matches_manual_example(void **state)
{
	(void)state;
	const double v[] = {10, 80, 20, 50, NAN, 90, 60, 30, 40, 70};
	const uint32_t g[] = {0, 3, 0, 1, 1, 3, 1, 0, 1, 3}; /* group 2 is empty */
	struct calc_kruskal k;

	assert_true(calc_kruskal(&calc, v, g, 10, 4, &k, &err));
	assert_true(k.n == 9 && k.groups == 3);
	assert_near(k.h, 7.2, 1e-13);
	assert_near(k.p, exp(-3.6), 1e-13);
	assert_true(calc_kruskal(&calc, v, g, 2, 4, &k, &err) && k.status == CALC_TOO_FEW);
}

/* With ties: H = (n - 1)·Σ n_g (mean rank - mean)² / Σ (rank - mean)², which needs no correction.
 */
static void kruskal_matches_formula_for_ties(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(11);
	double *v = test_column(&r, 60, false), *ranks, numerator = 0, denominator = 0;
	uint32_t g[60];
	struct calc_kruskal k;

	for (uint32_t i = 0; i < 60; i++)
		g[i] = i % 4;
	assert_true(calc_ranks(&calc, v, 60, &ranks, NULL, &err));
	for (uint32_t group = 0; group < 4; group++) {
		double sum = 0;
		for (int i = 0; i < 60; i++)
			sum += g[i] == group ? ranks[i] : 0;
		numerator += 15 * (sum / 15 - 30.5) * (sum / 15 - 30.5);
	}
	for (int i = 0; i < 60; i++)
		denominator += (ranks[i] - 30.5) * (ranks[i] - 30.5);
	assert_true(calc_kruskal(&calc, v, g, 60, 4, &k, &err));
	assert_near(k.h, 59 * numerator / denominator, 1e-12);
	for (int i = 0; i < 60; i++)
		v[i] = 3;
	assert_true(calc_kruskal(&calc, v, g, 60, 4, &k, &err) && k.status == CALC_CONSTANT);
}

static void independence_matches_manual_example(void **state)
{
	(void)state;
	const double table[] = {20, 30, NAN, 30, 20, 0, 0, 0, 0}; /* a row and a column are empty */
	const double small[] = {4, 5, 5, 5}, empty[] = {1, 2, 0, 0}, bad[] = {1, 2, -3, 4};
	struct calc_independence t;

	assert_true(calc_independence(&calc, table, 3, 3, &t, &err));
	assert_true(t.df == 1 && t.total == 100);
	assert_near(t.chi2, 4, 1e-14);
	assert_near(t.p, 0.04550026389635842, 1e-13);
	assert_true(calc_independence(&calc, small, 2, 2, &t, &err));
	assert_true(t.status == CALC_TOO_FEW && isnan(t.chi2));
	assert_true(calc_independence(&calc, empty, 2, 2, &t, &err) && t.status == CALC_TOO_FEW);
	assert_fails(calc_independence(&calc, bad, 2, 2, &t, &err), ERR_INPUT);
	assert_string_equal(err.text, "The count in row 2, column 1 is negative.");
}

/* The example of Benjamini & Hochberg 1995: four of fifteen at a rate of 0.05. */
static void adjustment_matches_published_example(void **state)
{
	(void)state;
	double p[] = {0.4262, .0001, .0004, .0019, .0095, .0201, .0278, .0298,
		      .0344,  .0459, .3240, NAN,   .5719, .6528, .7590, 1};
	double *q;
	int found = 0;

	assert_true(calc_adjust(&calc, p, COUNT(p), &q, &err));
	for (size_t i = 0; i < COUNT(p); i++) {
		found += q[i] <= 0.05;
		assert_true(isnan(p[i]) ? isnan(q[i]) : q[i] >= p[i] && q[i] <= 1);
	}
	assert_int_equal(found, 4);
	assert_near(q[4], .0095 * 15 / 4, 1e-14);
	assert_near(q[1], .0001 * 15, 1e-14);
	p[3] = 1.5;
	assert_fails(calc_adjust(&calc, p, COUNT(p), &q, &err), ERR_INPUT);
	assert_string_equal(err.text, "The p-value in row 4, 1.5, is not in 0..1.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(spearman_matches_published_example),
		CALC_TEST(spearman_needs_enough_different_pairs),
		CALC_TEST(kruskal_matches_manual_example),
		CALC_TEST(kruskal_matches_formula_for_ties),
		CALC_TEST(independence_matches_manual_example),
		CALC_TEST(adjustment_matches_published_example),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
