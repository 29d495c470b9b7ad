/* Sorting, ranks and selection, compared with qsort and counting. */
#include "calc_test.h"
#include "calc_int.h"

static void order_is_stable(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(1);

	for (size_t n = 0; n < 700; n = n * 3 / 2 + 1) {
		double *v = test_column(&r, n, true);
		uint32_t *rows;
		size_t present, expected;
		double *sorted = test_sorted(v, n, &expected);
		assert_true(calc_order(&calc, v, n, &rows, &present, &err));
		assert_int_equal(present, expected);
		for (size_t i = 0; i < present; i++) {
			assert_true(v[rows[i]] == sorted[i]);
			assert_true(i == 0 || sorted[i - 1] < sorted[i] || rows[i - 1] < rows[i]);
		}
	}
}

/* rank = below + (equal + 1) / 2, by counting. */
static void ranks_match_counting(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(2);
	size_t n = 300;
	double *v = test_column(&r, n, true), *ranks, ties, expected_ties = 0;

	assert_true(calc_ranks(&calc, v, n, &ranks, &ties, &err));
	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;
		for (size_t j = 0; j < n; j++) {
			below += v[j] < v[i];
			equal += v[j] == v[i];
		}
		assert_near(ranks[i], isnan(v[i]) ? NAN : below + (equal + 1) / 2, 0);
		if (equal > 0)
			expected_ties += equal * equal - 1; /* (t³ - t) / t, t times */
	}
	assert_near(ties, expected_ties, 1e-12);
}

static void selects_any_order_statistic(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(3);

	for (size_t n = 1; n < 300; n += 13) {
		double *v = test_column(&r, n, false), got;
		size_t count;
		double *sorted = test_sorted(v, n, &count);
		for (size_t k = 0; k < n; k += 1 + n / 20) {
			assert_true(calc_select(&calc, v, n, k, &got, &err));
			assert_true(got == sorted[k]);
		}
		assert_true(calc_big_median(&calc, v, n, &got, &err));
		assert_near(got, test_median(v, n), 1e-15);
		assert_near(calc_small_median(v, n), test_median(v, n), 1e-15);
	}
}

/* Orders that are hard for other algorithms: sorted, reversed, all equal. */
static void sorts_hard_orders_at_full_size(void **state)
{
	(void)state;
	size_t n = CALC_VALUES_MAX;
	double *v = arena_alloc(calc.arena, n * sizeof(*v)), got;

	for (int kind = 0; kind < 3; kind++) {
		for (size_t i = 0; i < n; i++)
			v[i] = kind == 0 ? (double)i : kind == 1 ? (double)(n - i) : 5;
		assert_true(calc_select(&calc, v, n, n / 2, &got, &err));
		assert_true(calc_sort(&calc, v, n, &err));
		for (size_t i = 1; i < n; i++)
			assert_true(v[i - 1] <= v[i]);
	}
}

static void stops_when_cancelled(void **state)
{
	(void)state;
	size_t n = 20000;
	double *v = test_column(&(struct calc_rng){{1, 2, 3, 4}}, n, false), got;

	calc_cancel();
	assert_fails(calc_sort(&calc, v, n, &err), ERR_CANCELLED);
	assert_fails(calc_select(&calc, v, n, 5, &got, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(order_is_stable),
		CALC_TEST(ranks_match_counting),
		CALC_TEST(selects_any_order_statistic),
		CALC_TEST(sorts_hard_orders_at_full_size),
		CALC_TEST(stops_when_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
