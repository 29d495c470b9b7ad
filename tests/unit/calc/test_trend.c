/* Trends, compared with all orders and all pairs, and in noise. */
#include "calc_test.h"
#include "vesper/calc_trend.h"

static double kendall_s(const double *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			s += (v[j] > v[i]) - (v[j] < v[i]);
	return s;
}

/* Kendall's S over all orders of the values: its variance, and how many are at least as extreme as
 * `limit`. */
struct orders {
	double count;
	double squares;
	double extreme;
	double limit;
};

static void visit_orders(double *v, size_t fixed, size_t n, struct orders *o)
{
	if (fixed == n) {
		double s = kendall_s(v, n);
		o->count++;
		o->squares += s * s;
		o->extreme += fabs(s) >= fabs(o->limit);
		return;
	}
	for (size_t i = fixed; i < n; i++) {
		double first = v[fixed];
		v[fixed] = v[i];
		v[i] = first;
		visit_orders(v, fixed + 1, n, o);
		v[i] = v[fixed];
		v[fixed] = first;
	}
}

static void exact_p_matches_all_orders(void **state)
{
	(void)state;
	const double samples[][7] = {{1, 2, 3, 4, 5, 6, 7},
				     {3, 1, 2, 6, 4, 7, 5},
				     {7, 1, 6, 2, 5, 3, 4},
				     {2, 2, 1, 3, 3, 3, 9}};

	for (size_t i = 0; i < COUNT(samples); i++) {
		double v[7];
		struct calc_mann_kendall m;
		memcpy(v, samples[i], sizeof(v));
		struct orders o = {.limit = kendall_s(v, 7)};
		visit_orders(v, 0, 7, &o);
		assert_true(calc_mann_kendall(&calc, samples[i], 7, &m, &err));
		assert_near(m.s, o.limit, 0);
		assert_near(m.var_s, o.squares / o.count, 1e-12); /* with ties, too */
		assert_int_equal(m.is_exact, i < 3);
		if (m.is_exact)
			assert_near(m.p, o.extreme / o.count, 1e-12);
	}
}

static void kendall_matches_normal_approximation(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(21);
	double *v = test_column(&r, 80, true), present[80];
	struct calc_mann_kendall m;
	size_t n = 0;

	for (size_t i = 0; i < 80; i++)
		if (!isnan(v[i]))
			present[n++] = v[i];
	assert_true(calc_mann_kendall(&calc, v, 80, &m, &err));
	assert_true(m.n == n && m.s == kendall_s(present, n) && !m.is_exact);
	double z = (m.s - (m.s > 0 ? 1 : -1)) / sqrt(m.var_s);
	assert_near(m.p, erfc(fabs(z) / sqrt(2)), 1e-13);
	for (size_t i = 0; i < 80; i++)
		v[i] = -v[i] * 1e90;
	struct calc_mann_kendall negated;
	assert_true(calc_mann_kendall(&calc, v, 80, &negated, &err));
	assert_true(negated.s == -m.s && negated.p == m.p);
}

static void kendall_needs_enough_different_values(void **state)
{
	(void)state;
	double v[] = {1, 2, 3, NAN, 5, 5, 5, 5},
	       *many = test_column(&(struct calc_rng){{1}}, 2001, 0);
	struct calc_mann_kendall m;

	assert_true(calc_mann_kendall(&calc, v, 4, &m, &err));
	assert_true(m.status == CALC_TOO_FEW && isnan(m.p));
	assert_true(calc_mann_kendall(&calc, v + 4, 4, &m, &err));
	assert_true(m.status == CALC_CONSTANT && m.p == 1);
	assert_true(calc_mann_kendall(&calc, many, CALC_PAIRS_MAX, &m, &err));
	assert_fails(calc_mann_kendall(&calc, many, CALC_PAIRS_MAX + 1, &m, &err), ERR_LIMIT);
	calc_cancel();
	assert_fails(calc_mann_kendall(&calc, many, 2000, &m, &err), ERR_CANCELLED);
}

/* Sen's own example (1968): slope 4; the ends are the 4th and 18th of 21 slopes. */
static void theil_sen_matches_published_example(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, 4, 10, 12, 18}, y[] = {9, 15, 19, 20, 45, 55, 78};
	double slopes[21];
	size_t n = 0, count;
	struct calc_theil_sen t;

	for (int i = 0; i < 7; i++)
		for (int j = i + 1; j < 7; j++)
			slopes[n++] = (y[j] - y[i]) / (x[j] - x[i]);
	double *sorted = test_sorted(slopes, 21, &count);
	assert_true(calc_theil_sen(&calc, x, y, 7, &t, &err));
	assert_near(t.slope, 4, 1e-15);
	assert_near(t.intercept, 20 - 4 * 4, 1e-15);
	assert_near(t.low, sorted[3], 0);
	assert_near(t.high, sorted[17], 0);
}

static void theil_sen_matches_all_slopes(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(22);

	for (size_t n = 4; n < 120; n += 9) {
		double *x = test_column(&r, n, true), *y = test_column(&r, n, true);
		double *slopes = arena_alloc(calc.arena, n * n * sizeof(*slopes));
		size_t count = 0;
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				if (!isnan(x[i] + x[j] + y[i] + y[j]) && x[i] != x[j])
					slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
		struct calc_theil_sen t, scaled;
		assert_true(calc_theil_sen(&calc, x, y, n, &t, &err));
		if (t.status != CALC_OK)
			continue;
		assert_near(t.slope, test_median(slopes, count), 1e-14);
		assert_true(t.low <= t.slope && t.slope <= t.high);
		for (size_t i = 0; i < n; i++)
			y[i] = y[i] * 4 + 16;
		assert_true(calc_theil_sen(&calc, x, y, n, &scaled, &err));
		assert_near(scaled.slope, 4 * t.slope, 1e-14);
		assert_near(scaled.low, 4 * t.low, 1e-14);
	}
}

static void theil_sen_needs_enough_slopes(void **state)
{
	(void)state;
	const double x[] = {1, 1, 1, 2, NAN}, y[] = {1, 2, NAN, 4, 5};
	const double close[] = {0, 5e-324, 1}, far[] = {-1e100, 1e100, 0};
	struct calc_theil_sen t;

	assert_true(calc_theil_sen(&calc, x, y, 2, &t, &err) && t.status == CALC_TOO_FEW);
	assert_true(calc_theil_sen(&calc, x, x, 3, &t, &err) && t.status == CALC_TOO_FEW);
	assert_true(calc_theil_sen(&calc, x, y, 5, &t, &err) && t.n == 3 && t.status == CALC_OK);
	assert_near(t.slope, 2.5, 1e-15); /* two points share an x */
	assert_true(calc_theil_sen(&calc, close, far, 3, &t, &err));
	assert_true(isfinite(t.slope) && isfinite(t.low) && isfinite(t.high));
}

static void direction_requires_significance(void **state)
{
	(void)state;
	double v[24], up[24], few[8] = {1, 2, 3, 4, 5, 6, 7, NAN};
	struct calc_trend t;

	for (int i = 0; i < 24; i++) {
		v[i] = 1000 + (i * 7 % 5) * 0.1;
		up[i] = v[i] + i;
	}
	assert_true(calc_trend(&calc, v, 24, &t, &err) && t.direction == CALC_STABLE);
	assert_true(calc_trend(&calc, up, 24, &t, &err) && t.direction == CALC_UP);
	for (int i = 0; i < 24; i++)
		up[i] = -up[i];
	assert_true(calc_trend(&calc, up, 24, &t, &err) && t.direction == CALC_DOWN);
	assert_near(t.line.slope, -1, 0.05);
	assert_true(calc_trend(&calc, few, 8, &t, &err) && t.status == CALC_TOO_FEW);
	few[7] = 8;
	assert_true(calc_trend(&calc, few, 8, &t, &err) && t.direction == CALC_UP);
	for (int i = 0; i < 20; i += 4)
		up[i] = NAN; /* 5 of 24 are more than a fifth */
	assert_true(calc_trend(&calc, up, 24, &t, &err) && t.status == CALC_GAPS);
	for (int i = 0; i < 20; i++)
		up[i] = NAN; /* few values because of the gaps */
	assert_true(calc_trend(&calc, up, 24, &t, &err) && t.status == CALC_GAPS);
}

/* Series without a trend: a trend is found in at most 6 % of them, and in less than 20 % if they
 * are autocorrelated. */
static void false_trends_are_rare(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(23);
	int plain = 0, autocorrelated = 0, corrected = 0;

	for (int set = 0; set < 600; set++) {
		double v[48], ar[48], level = 0;
		struct calc_trend t;
		for (int i = 0; i < 48; i++) {
			v[i] = test_normal(&r);
			level = 0.5 * level + v[i];
			ar[i] = level;
		}
		assert_true(calc_trend(&calc, v, 48, &t, &err));
		plain += t.direction == CALC_UP || t.direction == CALC_DOWN;
		assert_true(calc_trend(&calc, ar, 48, &t, &err));
		autocorrelated += t.direction == CALC_UP || t.direction == CALC_DOWN;
		corrected += t.is_corrected;
	}
	print_message("false trends of 600: %d, autocorrelated %d (%d corrected)\n", plain,
		      autocorrelated, corrected);
	assert_true(plain <= 36 && corrected > 300 && autocorrelated < 120);
}

/* A direction is found in at most 6 % of 1,000 sets of noise of each shape and length. */
static void noise_has_no_direction(void **state)
{
	enum { SETS = 1000, FOUND_MAX = SETS * 6 / 100, SHAPES = 3 };
	static const char *const names[SHAPES] = {"normal", "lognormal", "uniform"};
	static const int lengths[] = {8, 24, 60};
	struct calc_rng r = calc_rng_new(31);

	(void)state;
	for (size_t k = 0; k < COUNT(lengths); k++)
		for (int shape = 0; shape < SHAPES; shape++) {
			int found = 0;

			for (int set = 0; set < SETS; set++) {
				struct calc local = {.arena = arena_new(SIZE_MAX / 2)};
				struct calc_trend t;
				double v[60];

				for (int i = 0; i < lengths[k]; i++)
					v[i] = shape == 2   ? calc_rng_unit(&r)
					       : shape == 1 ? exp(test_normal(&r))
							    : test_normal(&r);
				assert_true(calc_trend(&local, v, (size_t)lengths[k], &t, &err));
				found += t.direction == CALC_UP || t.direction == CALC_DOWN;
				arena_free(&local.arena);
			}
			print_message("%d of %d %s series of %d have a direction\n", found, SETS,
				      names[shape], lengths[k]);
			assert_true(found <= FOUND_MAX);
		}
}

/* A trend is found in at most 10 % of 1,000 scans over 40 series of 18 periods without a trend. */
static void scans_of_noise_find_few_trends(void **state)
{
	enum { SCANS = 1000, FOUND_MAX = SCANS * 10 / 100, SERIES = 40, PERIODS = 18 };
	struct calc_rng r = calc_rng_new(37);
	int found = 0;

	(void)state;
	for (int scan = 0; scan < SCANS; scan++) {
		struct calc local = {.arena = arena_new(SIZE_MAX / 2)};
		double p[SERIES], v[PERIODS], *adjusted;
		bool any = false;

		for (int series = 0; series < SERIES; series++) {
			struct calc_mann_kendall mk;

			for (int i = 0; i < PERIODS; i++)
				v[i] = test_normal(&r);
			assert_true(calc_mann_kendall(&local, v, PERIODS, &mk, &err));
			p[series] = mk.p;
		}
		assert_true(calc_adjust(&local, p, SERIES, &adjusted, &err));
		for (int series = 0; series < SERIES; series++)
			any |= adjusted[series] <= 0.10;
		found += any;
		arena_free(&local.arena);
	}
	print_message("%d of %d scans of noise find a trend\n", found, SCANS);
	assert_true(found <= FOUND_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(exact_p_matches_all_orders),
		CALC_TEST(kendall_matches_normal_approximation),
		CALC_TEST(kendall_needs_enough_different_values),
		CALC_TEST(theil_sen_matches_published_example),
		CALC_TEST(theil_sen_matches_all_slopes),
		CALC_TEST(theil_sen_needs_enough_slopes),
		CALC_TEST(direction_requires_significance),
		CALC_TEST(false_trends_are_rare),
		CALC_TEST(noise_has_no_direction),
		CALC_TEST(scans_of_noise_find_few_trends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
