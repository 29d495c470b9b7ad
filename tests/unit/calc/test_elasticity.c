/* Elasticities and scores, compared with the results of statsmodels and scipy for the same columns
 * (tests/calc/elasticity.py), with too little data, and in noise. */
#include "golden.h"
#include "vesper/calc_groups.h"

enum { LINES = 8 };

#define TOLERANCE 1e-9

static void elasticity(const struct line *l, double *got)
{
	struct calc_elasticity x;

	assert_true(calc_elasticity(&calc, l->columns[0], l->columns[1], l->n[0], &x, &err));
	assert_int_equal(x.status, CALC_OK);
	assert_int_equal(x.is_usable, l->expected[4] < 0.001);
	got[0] = (double)x.n;
	got[1] = x.elasticity;
	got[2] = x.low;
	got[3] = x.high;
	got[4] = x.p;
	got[5] = x.variation;
}

static void scores(const struct line *l, double *got)
{
	const double *const columns[] = {l->columns[0], l->columns[1], l->columns[2]};
	struct calc_scores s;

	assert_true(calc_scores(&calc, columns, l->params, 3, l->n[0], &s, &err));
	memcpy(got, s.scores, l->n[0] * sizeof(*got));
}

static const struct golden_kernel kernels[] = {
	{"elasticity", elasticity, TOLERANCE},
	{"scores", scores, TOLERANCE},
};

static void agrees_with_references(void **state)
{
	(void)state;
	golden_file(VESPER_SOURCE_DIR "/tests/calc/elasticity.tsv", kernels, COUNT(kernels), LINES);
}

static struct calc_rng rng;

static double normal(void)
{
	return calc_normal_quantile((calc_rng_unit(&rng) * 0.999999) + 5e-7);
}

static void elasticity_needs_enough_different_prices(void **state)
{
	enum { N = CALC_ELASTICITY_MIN };
	double price[N], units[N], similar[N];
	struct calc_elasticity x;

	(void)state;
	rng = calc_rng_new(3);
	for (size_t i = 0; i < N; i++) {
		price[i] = 10 + (double)(i % 7);
		units[i] = 5000 / price[i] * (1 + 0.01 * normal());
		similar[i] = 10 + 0.01 * (double)(i % 7);
	}
	assert_true(calc_elasticity(&calc, price, units, N, &x, &err));
	assert_true(x.status == CALC_OK && x.is_usable);
	assert_near(x.elasticity, -1, 0.05);
	assert_true(calc_elasticity(&calc, price, units, N - 1, &x, &err));
	assert_true(x.status == CALC_TOO_FEW && !x.is_usable && isnan(x.elasticity) &&
		    x.n == N - 1);
	assert_true(calc_elasticity(&calc, similar, units, N, &x, &err));
	assert_true(x.status == CALC_CONSTANT && !x.is_usable && x.variation < 0.05);
	units[4] = 0; /* has no logarithm */
	assert_true(calc_elasticity(&calc, price, units, N, &x, &err));
	assert_true(x.status == CALC_TOO_FEW && x.n == N - 1);
	assert_true(calc_elasticity(&calc, price, units, 0, &x, &err));
	assert_int_equal(x.status, CALC_TOO_FEW);
	price[2] = INFINITY;
	assert_fails(calc_elasticity(&calc, price, units, N, &x, &err), ERR_INPUT);
}

/* Prices without an effect: at most 0.3 % of 2,000 sets give a usable elasticity. */
static void noise_has_no_elasticity(void **state)
{
	enum { SETS = 2000, N = 48, FOUND_MAX = SETS * 3 / 1000 };
	double price[N], units[N];
	size_t found = 0;

	(void)state;
	rng = calc_rng_new(99);
	for (size_t i = 0; i < SETS; i++) {
		struct calc local = {.arena = arena_new(SIZE_MAX / 2)};
		struct calc_elasticity x;

		for (size_t k = 0; k < N; k++) {
			price[k] = 10 * exp(0.2 * normal());
			units[k] = 5000 * exp(0.2 * normal());
		}
		assert_true(calc_elasticity(&local, price, units, N, &x, &err));
		found += x.is_usable;
		arena_free(&local.arena);
	}
	printf("%zu of %d have an elasticity\n", found, SETS);
	assert_true(found <= FOUND_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(agrees_with_references),
		CALC_TEST(elasticity_needs_enough_different_prices),
		CALC_TEST(noise_has_no_elasticity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
