/* Real seasons, and noise that resembles one. */
#include "calc_test.h"
#include "vesper/calc_series.h"

static void finds_a_season(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(41);
	double v[60];
	struct calc_season s;

	for (int i = 0; i < 60; i++)
		v[i] = 100 + i + 10 * cos(2 * M_PI * (i - 4) / 12) + 0.3 * test_normal(&r);
	v[17] = v[30] = NAN;
	assert_true(calc_season(&calc, v, 60, 12, &s, &err));
	assert_true(s.is_seasonal && s.strength > 0.9 && s.p < 1e-4 && s.n == 58);
	assert_true(s.high == 4 && s.low == 10);
	for (int i = 0; i < 60; i++) {
		if (isnan(v[i])) /* the components have values, the remainder does not */
			assert_true(isnan(s.remainder[i]));
		else
			assert_near(s.trend[i] + s.season[i] + s.remainder[i], v[i], 1e-12);
		assert_true(fabs(s.trend[i] - 100 - i) < 3);
	}
}

/* Three and five years of noise: the strength alone finds far more seasons than the complete rule,
 * which finds one in at most 6 % of 1,000. */
static void noise_has_few_seasons(void **state)
{
	enum { SETS = 1000, FOUND_MAX = SETS * 6 / 100 };
	static const int lengths[] = {36, 60};
	struct calc_rng r = calc_rng_new(42);

	(void)state;
	for (size_t k = 0; k < COUNT(lengths); k++) {
		int seasonal = 0, strong = 0;

		for (int set = 0; set < SETS; set++) {
			struct calc local = {.arena = arena_new(SIZE_MAX / 2)};
			struct calc_season s;
			double v[60];

			for (int i = 0; i < lengths[k]; i++)
				v[i] = test_normal(&r);
			assert_true(calc_season(&local, v, (size_t)lengths[k], 12, &s, &err));
			seasonal += s.is_seasonal;
			strong += s.strength >= 0.4;
			arena_free(&local.arena);
		}
		print_message("of %d series of %d: %d strong, %d seasonal\n", SETS, lengths[k],
			      strong, seasonal);
		assert_true(seasonal <= FOUND_MAX && strong >= seasonal);
	}
}

static void reports_too_few_values_and_gaps(void **state)
{
	(void)state;
	double v[5000];
	struct calc_season s;

	for (int i = 0; i < 5000; i++)
		v[i] = i % 4;
	assert_true(calc_season(&calc, v, 7, 4, &s, &err));
	assert_true(s.status == CALC_TOO_FEW && isnan(s.strength) && !s.season);
	assert_true(calc_season(&calc, v, 8, 4, &s, &err));
	assert_true(s.status == CALC_OK && !s.is_seasonal); /* two periods are too few */
	assert_true(calc_season(&calc, v, 16, 4, &s, &err) && s.is_seasonal && s.high == 3);
	for (int i = 0; i < 16; i++)
		v[i] = i % 4 == 1 ? NAN : 3;
	assert_true(calc_season(&calc, v, 16, 4, &s, &err) && s.status == CALC_GAPS);
	v[1] = v[5] = 3;
	assert_true(calc_season(&calc, v, 16, 4, &s, &err) && s.status == CALC_CONSTANT);
	assert_fails(calc_season(&calc, v, CALC_SERIES_MAX + 1, 4, &s, &err), ERR_LIMIT);
	calc_cancel();
	assert_fails(calc_season(&calc, v, 5000, 12, &s, &err), ERR_CANCELLED);
}

static void components_of_extreme_values_are_finite(void **state)
{
	(void)state;
	double v[40];
	struct calc_season s;

	for (int i = 0; i < 40; i++)
		v[i] = i % 2 ? 1e100 : -1e100;
	v[7] = 1e-300;
	assert_true(calc_season(&calc, v, 40, CALC_PERIOD_MAX, &s, &err));
	assert_true(calc_season(&calc, v, 40, 2, &s, &err));
	for (int i = 0; i < 40; i++)
		assert_true(isfinite(s.season[i]) && isfinite(s.trend[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(finds_a_season),
		CALC_TEST(noise_has_few_seasons),
		CALC_TEST(reports_too_few_values_and_gaps),
		CALC_TEST(components_of_extreme_values_are_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
