/* Forecasts: the chosen method, its errors, and the coverage of bands. */
#include "calc_test.h"
#include "vesper/calc_series.h"

static const struct calc_forecast_options week = {.horizon = 7, .season = 7, .before = 30};

static void chooses_best_method(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(51);
	double v[200], walk = 0;
	struct calc_forecast f;

	for (int i = 0; i < 200; i++)
		v[i] = i * i % 7; /* a repeating week */
	assert_true(calc_forecast(&calc, v, 200, &week, &f, &err));
	/* The mean also predicts the total of a whole week, and is the simpler method. */
	assert_true(f.method == CALC_MEAN && f.mae[CALC_SEASONAL] == 0 && f.origins == 90);
	struct calc_forecast_options three = week;
	three.horizon = 3;
	assert_true(calc_forecast(&calc, v, 200, &three, &f, &err));
	assert_true(f.method == CALC_SEASONAL && f.total == v[193] + v[194] + v[195]);
	assert_true(f.total80.low == f.total && f.total95.high == f.total && f.coverage80 == 1);
	for (int i = 0; i < 200; i++)
		v[i] = 8;
	assert_true(calc_forecast(&calc, v, 200, &week, &f, &err));
	assert_true(f.method == CALC_LAST &&
		    f.total == 56); /* all errors are equal: the simplest method */
	for (int i = 0; i < 200; i++)
		v[i] = walk += test_normal(&r);
	assert_true(calc_forecast(&calc, v, 200, &week, &f, &err));
	assert_true(f.method == CALC_LAST || (f.method == CALC_SMOOTH && f.alpha > 0.7));
}

/* The backtest of the last value, by its definition, with scale and NULLs. */
static void errors_match_definition(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(52);
	double *v = test_column(&r, 100, true), scale[107], sum = 0;
	struct calc_forecast_options o = week;
	struct calc_forecast f;
	int origins = 0;

	for (int i = 0; i < 107; i++)
		scale[i] = 1 + i % 3;
	o.scale = scale;
	for (int at = 30; at + 7 <= 100; at++, origins++) {
		double last = NAN, error = 0;
		for (int i = 0; i < at; i++)
			last = isnan(v[i]) ? last : v[i];
		for (int i = at; i < at + 7; i++)
			error += isnan(v[i]) ? 0 : (v[i] - last) * scale[i];
		sum += fabs(error);
	}
	assert_true(calc_forecast(&calc, v, 100, &o, &f, &err));
	assert_int_equal(f.origins, origins);
	assert_near(f.mae[CALC_LAST], sum / origins, 1e-12);
	double total = 0;
	for (int h = 0; h < 7; h++)
		total += f.values[h] * scale[100 + h];
	assert_near(f.total, total, 1e-14);
}

/* Residuals 1..n: each bound equals its position. */
static void bands_match_manual_example(void **state)
{
	(void)state;
	double v[100];
	struct calc_band b;

	for (int i = 0; i < 100; i++)
		v[i] = i + 1;
	assert_true(calc_conformal(&calc, v, 39, 0.8, &b, &err) && b.low == 4 && b.high == 36);
	assert_true(calc_conformal(&calc, v, 39, 0.95, &b, &err) && b.low == 1 && b.high == 39);
	assert_true(calc_conformal(&calc, v, 38, 0.95, &b, &err) && isnan(b.low) && isnan(b.high));
	assert_true(calc_conformal(&calc, v, 20, 0.8, &b, &err) && b.low == 3 && b.high == 19);
	assert_true(calc_conformal(&calc, v, 19, 0.8, &b, &err) && isnan(b.low));
	assert_true(calc_conformal(&calc, v, 0, 0.8, &b, &err) && isnan(b.low));
}

static void bands_reach_their_coverage(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(53);
	int inside = 0, total = 0, sets = 150;
	double coverage = 0;

	for (int set = 0; set < sets; set++) {
		double v[127], next = 0;
		struct calc_forecast f;
		for (int i = 0; i < 127; i++)
			v[i] = test_normal(&r);
		assert_true(calc_forecast(&calc, v, 120, &week, &f, &err));
		for (int h = 0; h < 7; h++) {
			next += v[120 + h];
			inside += v[120 + h] >= f.band80[h].low && v[120 + h] <= f.band80[h].high;
		}
		total += next >= f.total80.low && next <= f.total80.high;
		coverage += f.coverage80 / sets;
		assert_true(f.total95.low <= f.total80.low && f.total95.high >= f.total80.high);
		calc_teardown(NULL);
		calc_setup(NULL);
	}
	print_message("inside 80 %%: values %d of %d, totals %d of %d, stated coverage %.2f\n",
		      inside, 7 * sets, total, sets, coverage);
	assert_in_range(inside, 7 * sets * 70 / 100, 7 * sets * 90 / 100);
	assert_in_range(total, sets * 65 / 100, sets * 92 / 100);
	assert_true(coverage > 0.7 && coverage < 0.9);
}

static void reports_too_few_values_and_limits(void **state)
{
	(void)state;
	double v[60] = {1, 2, NAN, 6}, *many = arena_alloc(calc.arena, 5001 * sizeof(*many));
	double scale[67] = {[3] = NAN};
	struct calc_forecast_options o = week;
	struct calc_forecast f;

	assert_true(calc_forecast(&calc, v, 4, &week, &f, &err));
	assert_true(f.status == CALC_TOO_FEW && f.method == CALC_MEAN && f.values[6] == 3);
	assert_true(f.total == 21 && isnan(f.band80[0].low) && isnan(f.mae[0]) &&
		    isnan(f.total95.low));
	assert_true(calc_forecast(&calc, v + 2, 1, &week, &f, &err) && isnan(f.total));
	assert_true(calc_forecast(&calc, v, 36, &week, &f, &err) && f.status == CALC_TOO_FEW);
	assert_true(calc_forecast(&calc, v, 37, &week, &f, &err));
	assert_true(f.status == CALC_OK && f.origins == 1 && isnan(f.band80[0].low));
	for (int i = 0; i < 60; i += 4)
		v[i] = NAN;
	assert_true(calc_forecast(&calc, v, 60, &week, &f, &err) && f.status == CALC_GAPS);
	assert_true(f.method == CALC_MEAN && isfinite(f.total) && isnan(f.total80.low));
	for (int i = 0; i < 60; i++)
		v[i] = i % 2 ? 1e100 : -1e100;
	assert_true(calc_forecast(&calc, v, 60, &week, &f, &err) && isfinite(f.total80.high));
	o.scale = scale;
	assert_fails(calc_forecast(&calc, v, 60, &o, &f, &err), ERR_INPUT);
	assert_string_equal(err.text, "The scale of period 4 is missing.");
	assert_true(calc_forecast(&calc, many, CALC_SERIES_MAX, &week, &f, &err));
	assert_fails(calc_forecast(&calc, many, CALC_SERIES_MAX + 1, &week, &f, &err), ERR_LIMIT);
	calc_cancel();
	assert_fails(calc_forecast(&calc, many, 5000, &week, &f, &err), ERR_CANCELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(chooses_best_method),
		CALC_TEST(errors_match_definition),
		CALC_TEST(bands_match_manual_example),
		CALC_TEST(bands_reach_their_coverage),
		CALC_TEST(reports_too_few_values_and_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
