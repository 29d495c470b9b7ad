/* Kernels over a series, compared with the results of statsmodels, R, pandas and scipy
 * (tests/calc/series.py). */
#include "golden.h"
#include "stl.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"

enum { LINES = 22 };

#define TOLERANCE 1e-9

static void stl(const struct line *l, double *got)
{
	double has_value[VALUES_MAX];

	for (size_t i = 0; i < l->n[0]; i++)
		has_value[i] = 1;
	assert_true(calc_stl(&calc, l->columns[0], has_value, l->n[0], (size_t)l->params[0], got,
			     got + l->n[0], &err));
}

static void strength(const struct line *l, double *got)
{
	struct calc_season s;

	assert_true(calc_season(&calc, l->columns[0], l->n[0], (size_t)l->params[0], &s, &err));
	got[0] = s.strength;
}

static void hampel(const struct line *l, double *got)
{
	bool *is_spike;
	size_t found;

	assert_true(calc_hampel(&calc, l->columns[0], l->n[0], (size_t)l->params[0], l->params[1],
				&is_spike, &found, &err));
	for (size_t i = 0; i < l->n[0]; i++)
		got[i] = is_spike[i];
}

static void mann_kendall(const struct line *l, double *got)
{
	struct calc_mann_kendall m;

	assert_true(calc_mann_kendall(&calc, l->columns[0], l->n[0], &m, &err));
	got[0] = m.z;
	got[1] = m.p;
}

static void forecast(const struct line *l, double *got)
{
	const struct calc_forecast_options o = {.horizon = (size_t)l->params[0],
						.season = (size_t)l->params[1],
						.before = (size_t)l->params[2]};
	struct calc_forecast f;
	size_t n = 0;

	assert_true(calc_forecast(&calc, l->columns[0], l->n[0], &o, &f, &err));
	got[n++] = f.method;
	got[n++] = (double)f.origins;
	for (size_t m = 0; m < CALC_METHODS; m++)
		got[n++] = f.mae[m];
	got[n++] = f.total;
	got[n++] = f.total80.low;
	got[n++] = f.total80.high;
	got[n++] = f.total95.low;
	got[n++] = f.total95.high;
	for (size_t h = 0; h < o.horizon; h++)
		got[n++] = f.values[h];
}

static const struct golden_kernel kernels[] = {
	{"stl", stl, TOLERANCE},
	{"strength", strength, TOLERANCE},
	{"hampel", hampel, 0},
	{"mann_kendall", mann_kendall, TOLERANCE},
	{"forecast", forecast, TOLERANCE},
};

static void agrees_with_references(void **state)
{
	(void)state;
	golden_file(VESPER_SOURCE_DIR "/tests/calc/series.tsv", kernels, COUNT(kernels), LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CALC_TEST(agrees_with_references)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
