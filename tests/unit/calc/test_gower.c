/* Distances, compared with manual examples; scores. */
#include "calc_test.h"
#include "vesper/calc_groups.h"

/* Three rows: a number 0..10, a code, a number that is missing once, one that never varies. */
static const double number[] = {0, 5, 10}, code[] = {1, 2, 1}, incomplete[] = {3, NAN, 4},
		    constant[] = {7, 7, 7};
static const struct calc_feature features[] = {
	{number, false}, {code, true}, {incomplete, false}, {constant, false}};

static void distances_match_manual_example(void **state)
{
	(void)state;
	double *d;

	assert_true(calc_gower(&calc, features, 4, 3, 0, &d, &err));
	assert_true(d[0] == 0);
	assert_near(d[1], (0.5 + 1) / 2, 1e-15);
	assert_near(d[2], (1 + 0 + 1) / 3.0, 1e-15);
	assert_true(calc_gower(&calc, features + 3, 1, 3, 0, &d, &err));
	assert_true(d[0] == 0 && isnan(d[1])); /* no feature can be compared */
}

static void distance_is_symmetric_and_ignores_scale(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(71);
	double *a = test_column(&r, 50, true), *b = test_column(&r, 50, true), scaled[50];
	double *d[50], *rescaled;

	for (size_t i = 0; i < 50; i++) {
		const struct calc_feature f[] = {{a, false}, {b, true}};
		assert_true(calc_gower(&calc, f, 2, 50, i, &d[i], &err));
		scaled[i] = a[i] * -8 + 32;
	}
	for (size_t i = 0; i < 50; i++) {
		const struct calc_feature f[] = {{b, true}, {scaled, false}};
		assert_true(calc_gower(&calc, f, 2, 50, i, &rescaled, &err));
		for (size_t k = 0; k < 50; k++) {
			assert_near(d[i][k], d[k][i], 0);
			assert_near(d[i][k], rescaled[k], 1e-14);
			assert_true(isnan(d[i][k]) || (d[i][k] >= 0 && d[i][k] <= 1));
		}
	}
}

static void medoid_is_the_central_row(void **state)
{
	(void)state;
	const double x[] = {100, 1, 2, 3, 50};
	const struct calc_feature f[] = {{x, false}};
	size_t row, n = 3 * CALC_PAIRS_MAX;
	double *many = arena_alloc(calc.arena, n * sizeof(*many));
	bool *all = arena_alloc(calc.arena, n * sizeof(*all));

	assert_true(calc_medoid(&calc, f, 1, 5, (bool[]){0, 1, 1, 1, 1}, &row, &err) && row == 2);
	assert_true(calc_medoid(&calc, f, 1, 5, (bool[]){0, 0, 0, 0, 1}, &row, &err) && row == 4);
	assert_true(calc_medoid(&calc, f, 1, 5, (bool[5]){0}, &row, &err) && row == 5);
	for (size_t i = 0; i < n; i++) {
		many[i] = (double)i;
		all[i] = true;
	}
	const struct calc_feature g[] = {{many, false}};
	assert_true(calc_medoid(&calc, g, 1, n, all, &row, &err));
	assert_true(row % 3 == 0 && row + 9 > n / 2 &&
		    row < n / 2 + 9); /* every third row is used */
	calc_cancel();
	assert_fails(calc_medoid(&calc, g, 1, n, all, &row, &err), ERR_CANCELLED);
}

static void scores_depend_on_ranks(void **state)
{
	(void)state;
	double a[11], b[11];
	const double *const columns[] = {a, b};
	struct calc_scores s;

	for (int i = 0; i < 11; i++) {
		a[i] = i * i; /* only the order counts */
		b[i] = -i;
	}
	a[10] = NAN;
	assert_true(calc_scores(&calc, columns, (double[]){1, 0}, 2, 11, &s, &err));
	assert_true(s.scored == 10 && s.not_scored == 1 && isnan(s.scores[10]));
	assert_near(s.scores[0], 5, 1e-14);
	assert_near(s.scores[9], 95, 1e-14);
	b[10] = NAN;
	assert_true(calc_scores(&calc, columns, (double[]){3, 3}, 2, 11, &s, &err));
	for (int i = 0; i < 10; i++)
		assert_near(s.scores[i], 50, 1e-14); /* opposite orders */
	assert_true(calc_scores(&calc, columns, (double[]){1, 1}, 2, 9, &s, &err));
	assert_true(s.status == CALC_TOO_FEW && s.scored == 9 && s.not_scored == 0);
	assert_null(s.scores);
	assert_fails(calc_scores(&calc, columns, (double[]){0, 0}, 2, 11, &s, &err), ERR_INPUT);
	assert_string_equal(err.text, "All weights are 0; at least one must be positive.");
	assert_fails(calc_scores(&calc, columns, (double[]){1, -2}, 2, 11, &s, &err), ERR_INPUT);
	assert_fails(calc_scores(&calc, columns, (double[]){NAN, 1}, 2, 11, &s, &err), ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(distances_match_manual_example),
		CALC_TEST(distance_is_symmetric_and_ignores_scale),
		CALC_TEST(medoid_is_the_central_row),
		CALC_TEST(scores_depend_on_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
