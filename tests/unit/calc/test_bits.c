/*
 * The same bytes from every compiler, with and without optimization and sanitizers: a digest of all
 * results that use only + - × ÷ √. (exp, log and pow come from the C library.)
 */
#include "calc_test.h"
#include "vesper/calc_groups.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"

#define N 500

static uint64_t digest;

static void add_to_digest(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		if (!isnan(values[i])) /* the sign of a NAN is undefined */
			memcpy(&bits, &values[i], sizeof(bits));
		digest = (digest ^ bits) * UINT64_C(1099511628211);
		digest ^= digest >> 29;
	}
}

#define ADD(...) add_to_digest((double[]){__VA_ARGS__}, COUNT(((double[]){__VA_ARGS__})))

static void add_summaries(const double *v)
{
	const double p[] = {0.1, 0.5, 0.9};
	double quantiles[3], absolute[N];
	size_t present, found;
	struct calc_moments m;
	struct calc_concentration g;
	struct calc_spread s;
	struct calc_outliers o;
	bool *spikes;

	for (int i = 0; i < N; i++)
		absolute[i] = fabs(v[i]);
	assert_true(calc_quantiles(&calc, v, N, p, 3, quantiles, &present, &err));
	assert_true(calc_moments(&calc, v, N, &m, &err));
	assert_true(calc_concentration(&calc, absolute, N, &g, &err));
	assert_true(calc_spread(&calc, v, N, &s, &err));
	assert_true(calc_outliers(&calc, v, N, CALC_FENCES, &o, &err));
	assert_true(calc_hampel(&calc, v, N, 7, 3, &spikes, &found, &err));
	add_to_digest(quantiles, 3);
	ADD(m.sum, m.mean, m.sd, m.skewness, m.kurtosis, g.gini, g.hhi, g.top10_share, s.median,
	    s.mad, s.scale, o.low, o.high, (double)found);
}

static void add_trends(const double *v, const double *w)
{
	struct calc_trend t;
	struct calc_theil_sen sen;
	struct calc_spearman rho;
	struct calc_shift shift;

	assert_true(calc_trend(&calc, v, N, &t, &err));
	assert_true(calc_theil_sen(&calc, v, w, N, &sen, &err));
	assert_true(calc_spearman(&calc, v, w, N, &rho, &err));
	assert_true(calc_shift(&calc, v, N, &shift, &err));
	ADD(t.kendall.s, t.kendall.var_s, t.kendall.z, t.line.slope, t.line.low, t.line.high,
	    sen.slope, sen.intercept, sen.low, sen.high, rho.rho, shift.before, shift.after,
	    shift.p, (double)shift.row);
}

static void add_series(const double *v)
{
	const struct calc_forecast_options o = {.horizon = 9, .season = 7, .before = 30};
	struct calc_season s;
	struct calc_forecast f;

	assert_true(calc_season(&calc, v, N, 12, &s, &err));
	assert_true(calc_forecast(&calc, v, N, &o, &f, &err));
	add_to_digest(s.season, N);
	add_to_digest(s.trend, N);
	add_to_digest(s.remainder, N);
	add_to_digest(f.mae, CALC_METHODS);
	add_to_digest(f.values, 9);
	ADD(s.strength, f.total, f.total80.low, f.total80.high, f.total95.low, f.coverage80);
	for (int h = 0; h < 9; h++)
		ADD(f.band80[h].low, f.band80[h].high, f.band95[h].low, f.band95[h].high);
}

static void add_groups(const double *v, const double *w)
{
	const struct calc_feature features[] = {{v, false}, {w, true}};
	const double *const both[] = {v, w};
	struct calc_scores s;
	struct calc_line l;
	double *d;

	assert_true(calc_gower(&calc, features, 2, N, 3, &d, &err));
	assert_true(calc_scores(&calc, both, (double[]){1, 2}, 2, N, &s, &err));
	assert_true(calc_line(&calc, v, w, N, &l, &err));
	add_to_digest(d, N);
	add_to_digest(s.scores, N);
	ADD(l.slope, l.intercept, l.r2, l.error_plain, l.error_hac);
}

static void results_have_the_same_bits(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(91);

	for (int set = 0; set < 5; set++) {
		double *v = test_column(&r, N, true), *w = test_column(&r, N, true);
		for (int i = 0; i < N; i++)
			v[i] = v[i] / 3 + i % 12 * 0.1 + i * 0.01;
		add_summaries(v);
		add_trends(v, w);
		add_series(v);
		add_groups(v, w);
	}
	print_message("digest 0x%016llx\n", (unsigned long long)digest);
	assert_true(digest == UINT64_C(0xe5013c27a8dcd402));
}

int main(void)
{
	const struct CMUnitTest tests[] = {CALC_TEST(results_have_the_same_bits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
