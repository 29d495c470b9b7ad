/* The kernels, compared with the results of numpy, scipy and statsmodels for the same columns
 * (tests/calc/golden.py). */
#include "golden.h"
#include "vesper/calc_groups.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"

enum { LINES = 71 };

#define TOLERANCE 1e-9

/* ---- kernels: the results are in the order of the line ---- */

static void quantile(const struct line *l, double *got)
{
	size_t present;

	assert_true(
		calc_quantiles(&calc, l->columns[0], l->n[0], l->params, 1, got, &present, &err));
}

static void mad(const struct line *l, double *got)
{
	struct calc_spread s;

	assert_true(calc_spread(&calc, l->columns[0], l->n[0], &s, &err));
	got[0] = s.median;
	got[1] = s.mad;
}

static void moments(const struct line *l, double *got)
{
	struct calc_moments m;

	assert_true(calc_moments(&calc, l->columns[0], l->n[0], &m, &err));
	got[0] = m.mean;
	got[1] = m.sd;
	got[2] = m.skewness;
	got[3] = m.kurtosis;
	got[4] = m.k2;
	got[5] = m.normal_p;
}

static void theil_sen(const struct line *l, double *got)
{
	struct calc_theil_sen t;

	assert_true(calc_theil_sen(&calc, NULL, l->columns[0], l->n[0], &t, &err));
	got[0] = t.slope;
	got[1] = t.intercept;
}

static void spearman(const struct line *l, double *got)
{
	struct calc_spearman s;

	assert_true(calc_spearman(&calc, l->columns[0], l->columns[1], l->n[0], &s, &err));
	got[0] = s.rho;
	got[1] = s.p;
}

static void line(const struct line *l, double *got)
{
	struct calc_line f;

	assert_true(calc_line(&calc, l->columns[0], l->columns[1], l->n[0], &f, &err));
	got[0] = f.slope;
	got[1] = f.intercept;
	got[2] = f.r2;
	got[3] = f.error_plain;
	got[4] = f.error_hac;
}

static void integral(const struct line *l, double *got)
{
	struct calc_area area;

	assert_true(calc_integral(&calc, l->columns[0], l->columns[1], l->n[0], 10, &area, &err));
	got[0] = area.area;
}

static void kruskal(const struct line *l, double *got)
{
	struct calc_kruskal k;
	uint32_t group[VALUES_MAX];

	for (size_t i = 0; i < l->n[1]; i++)
		group[i] = (uint32_t)l->columns[1][i];
	assert_true(
		calc_kruskal(&calc, l->columns[0], group, l->n[0], (size_t)l->params[0], &k, &err));
	got[0] = k.h;
	got[1] = k.p;
}

static void independence(const struct line *l, double *got)
{
	struct calc_independence x;

	assert_true(calc_independence(&calc, l->columns[0], (size_t)l->params[0],
				      (size_t)l->params[1], &x, &err));
	got[0] = x.chi2;
	got[1] = x.df;
	got[2] = x.p;
}

static void adjust(const struct line *l, double *got)
{
	double *adjusted;

	assert_true(calc_adjust(&calc, l->columns[0], l->n[0], &adjusted, &err));
	memcpy(got, adjusted, l->n[0] * sizeof(*got));
}

static const struct golden_kernel kernels[] = {
	{"quantile", quantile, TOLERANCE},         {"mad", mad, TOLERANCE},
	{"moments", moments, TOLERANCE},           {"theil_sen", theil_sen, TOLERANCE},
	{"spearman", spearman, TOLERANCE},         {"line", line, TOLERANCE},
	{"integral", integral, TOLERANCE},         {"kruskal", kruskal, TOLERANCE},
	{"independence", independence, TOLERANCE}, {"adjust", adjust, TOLERANCE},
};

static void agrees_with_references(void **state)
{
	(void)state;
	golden_file(VESPER_SOURCE_DIR "/tests/calc/golden.tsv", kernels, COUNT(kernels), LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {CALC_TEST(agrees_with_references)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
