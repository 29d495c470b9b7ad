/* Tests a series for a season, and decomposes it. */
#include <assert.h>
#include <math.h>

#include "stl.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/calc_trend.h"

#define STRENGTH_MIN 0.4
#define ALPHA        0.05
#define UNIT         1024 /* divides components beyond the limit for values; ratios and ranks stay */

/* The series minus its centred moving average over one period, divided by UNIT. NAN near the ends
 * and for NULLs, for which the average uses `filled`. For an even period, both ends count half. */
static double *detrended(const struct calc *c, const double *values, const double *filled, size_t n,
			 size_t period)
{
	double *out = calc_doubles(c, n);
	size_t half = period / 2;

	for (size_t i = 0; i < n; i++) {
		out[i] = NAN;
		if (i < half || i + half >= n)
			continue;
		double sum = 0;
		for (size_t k = i - half; k <= i + half; k++)
			sum += filled[k];
		if (period % 2 == 0)
			sum -= filled[i - half] / 2 + filled[i + half] / 2;
		out[i] = (values[i] - sum / (double)period) / UNIT;
	}
	return out;
}

static bool positions_differ(const struct calc *c, const double *values, const double *filled,
			     size_t n, size_t period, double *p, struct err *e)
{
	uint32_t *position = arena_alloc(c->arena, n * sizeof(*position));
	struct calc_kruskal k;

	for (size_t i = 0; i < n; i++)
		position[i] = (uint32_t)(i % period);
	if (!calc_kruskal(c, detrended(c, values, filled, n, period), position, n, period, &k, e))
		return false;
	*p = k.status == CALC_CONSTANT ? 1 : k.p;
	return true;
}

/* 1 - Var R / Var(S + R), over the values that are not NULL. */
static bool strength_of(const struct calc *c, const double *season, const double *remainder,
			size_t n, double *out, struct err *e)
{
	double *own = calc_doubles(c, n), *both = calc_doubles(c, n);
	struct calc_moments rest, all;

	for (size_t i = 0; i < n; i++) {
		own[i] = remainder[i] / UNIT;
		both[i] = (season[i] + remainder[i]) / UNIT;
	}
	if (!calc_moments(c, own, n, &rest, e) || !calc_moments(c, both, n, &all, e))
		return false;
	double share = all.sd > 0 ? rest.sd / all.sd : 1;
	*out = fmax(0, 1 - share * share);
	return true;
}

static void extremes_of(const struct calc *c, const double *season, size_t n, size_t period,
			struct calc_season *o)
{
	double *mean = calc_doubles(c, period);

	for (size_t i = 0; i < n; i++)
		mean[i % period] += season[i] / (double)((n - i % period + period - 1) / period);
	for (size_t i = 1; i < period; i++) {
		if (mean[i] > mean[o->high])
			o->high = i;
		if (mean[i] < mean[o->low])
			o->low = i;
	}
}

static bool decompose(const struct calc *c, const double *values, size_t n, size_t period,
		      double fill, struct calc_season *o, struct err *e)
{
	double *y = calc_doubles(c, n), *has_value = calc_doubles(c, n),
	       *season = calc_doubles(c, n), *trend = calc_doubles(c, n),
	       *remainder = calc_doubles(c, n);

	for (size_t i = 0; i < n; i++) {
		has_value[i] = !calc_is_null(values[i]);
		y[i] = has_value[i] > 0 ? values[i] : fill;
	}
	if (!calc_stl(c, y, has_value, n, period, season, trend, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		remainder[i] = values[i] - season[i] - trend[i];
		if (calc_is_null(values[i]))
			y[i] = season[i] + trend[i];
	}
	if (!strength_of(c, season, remainder, n, &o->strength, e) ||
	    !positions_differ(c, values, y, n, period, &o->p, e))
		return false;
	extremes_of(c, season, n, period, o);
	o->season = season;
	o->trend = trend;
	o->remainder = remainder;
	o->is_seasonal =
		n >= CALC_SEASON_PERIODS * period && o->strength >= STRENGTH_MIN && o->p < ALPHA;
	return true;
}

bool calc_season(const struct calc *c, const double *values, size_t n, size_t period,
		 struct calc_season *out, struct err *e)
{
	struct calc_season o = {.strength = NAN, .p = NAN};
	struct calc_spread s;

	assert(period >= 2 && period <= CALC_PERIOD_MAX);
	if (!calc_check(c, values, n, CALC_SERIES_MAX, e) || !calc_spread(c, values, n, &s, e))
		return false;
	o.n = s.n;
	if (n < 2 * period || s.n == 0)
		o.status = CALC_TOO_FEW;
	else if ((n - s.n) * 100 > n * CALC_GAPS_PERCENT)
		o.status = CALC_GAPS;
	else if (s.status == CALC_CONSTANT)
		o.status = CALC_CONSTANT;
	else if (!decompose(c, values, n, period, s.median, &o, e))
		return false;
	*out = o;
	return true;
}
