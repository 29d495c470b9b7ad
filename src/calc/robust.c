/* Measures of spread that outliers do not affect, and outliers. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_summary.h"

#define MAD_TO_SD      1.4826   /* 1 / Φ⁻¹(3/4) */
#define MEAN_DEV_TO_SD 1.253314 /* √(π/2) */
#define Z_FACTOR       0.6745
#define Z_LIMIT        3.5

/* The spread of values without NULLs, which are reordered. */
static bool spread_of(const struct calc *c, double *values, size_t n, struct calc_spread *out,
		      struct err *e)
{
	struct calc_spread s = {.n = n, .median = NAN, .mad = NAN, .scale = NAN};
	struct calc_sum deviations = {0};

	if (n == 0) {
		s.status = CALC_TOO_FEW;
		*out = s;
		return true;
	}
	if (!calc_big_median(c, values, n, &s.median, e))
		return false;
	double *abs_deviations = calc_doubles(c, n);
	for (size_t i = 0; i < n; i++) {
		abs_deviations[i] = fabs(values[i] - s.median);
		calc_sum_add(&deviations, abs_deviations[i]);
	}
	if (!calc_big_median(c, abs_deviations, n, &s.mad, e))
		return false;
	s.scale = s.mad > 0 ? MAD_TO_SD * s.mad
			    : MEAN_DEV_TO_SD * (calc_sum_total(&deviations) / (double)n);
	if (s.scale == 0)
		s.status = CALC_CONSTANT;
	*out = s;
	return true;
}

bool calc_spread(const struct calc *c, const double *values, size_t n, struct calc_spread *out,
		 struct err *e)
{
	double *present;
	size_t count;

	return calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &present, &count, e) &&
	       spread_of(c, present, count, out, e);
}

/* The limits of the method for `values` without NULLs, which are reordered. */
static bool outlier_limits(const struct calc *c, double *values, enum calc_outlier_method method,
			   const struct calc_moments *m, struct calc_outliers *o, struct err *e)
{
	if (method == CALC_TWO_SD) {
		o->low = m->mean - 2 * m->sd;
		o->high = m->mean + 2 * m->sd;
		return true;
	}
	if (method == CALC_FENCES) {
		if (!calc_sort(c, values, o->n, e))
			return false;
		double q1 = calc_quantile_sorted(values, o->n, 0.25);
		double q3 = calc_quantile_sorted(values, o->n, 0.75);
		o->low = q1 - 1.5 * (q3 - q1);
		o->high = q3 + 1.5 * (q3 - q1);
		return true;
	}
	struct calc_spread s;
	if (!spread_of(c, values, o->n, &s, e))
		return false;
	double reach = s.mad > 0 ? Z_LIMIT * s.mad / Z_FACTOR : Z_LIMIT * s.scale;
	o->low = s.median - reach;
	o->high = s.median + reach;
	return true;
}

bool calc_outliers(const struct calc *c, const double *values, size_t n,
		   enum calc_outlier_method method, struct calc_outliers *out, struct err *e)
{
	struct calc_outliers o = {.low = NAN, .high = NAN};
	struct calc_moments m;
	double *present, lowest = INFINITY;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &present, &o.n, e) ||
	    !calc_moments(c, present, o.n, &m, e))
		return false;
	o.is_outlier = arena_alloc(c->arena, n * sizeof(*o.is_outlier));
	if (o.n < CALC_OUTLIERS_MIN || m.status != CALC_OK) {
		o.status = o.n < CALC_OUTLIERS_MIN ? CALC_TOO_FEW : m.status;
		*out = o;
		return true;
	}
	for (size_t i = 0; i < o.n; i++)
		lowest = fmin(lowest, present[i]);
	o.by_log = method == CALC_ROBUST && lowest > 0 && m.skewness > 1;
	for (size_t i = 0; o.by_log && i < o.n; i++)
		present[i] = log(present[i]);
	if (!outlier_limits(c, present, method, &m, &o, e))
		return false;
	if (o.by_log) {
		o.low = exp(o.low);
		o.high = exp(o.high);
	}
	for (size_t i = 0; i < n; i++) {
		o.is_outlier[i] = values[i] < o.low || values[i] > o.high;
		o.found += o.is_outlier[i];
	}
	*out = o;
	return true;
}

static bool is_spike_at(const double *values, size_t from, size_t to, double value, double k)
{
	double window[CALC_WINDOW_MAX], abs_deviations[CALC_WINDOW_MAX];
	size_t n = calc_present(values + from, to - from, window);

	if (n < 3 || calc_is_null(value))
		return false;
	double median = calc_small_median(window, n);
	for (size_t i = 0; i < n; i++)
		abs_deviations[i] = fabs(window[i] - median);
	return fabs(value - median) > k * MAD_TO_SD * calc_small_median(abs_deviations, n);
}

bool calc_hampel(const struct calc *c, const double *values, size_t n, size_t window, double k,
		 bool **is_spike, size_t *found, struct err *e)
{
	size_t half = window / 2, work = 0, count = 0;

	assert(window % 2 == 1 && window <= CALC_WINDOW_MAX && k > 0);
	if (!calc_check(c, values, n, CALC_VALUES_MAX, e))
		return false;
	bool *flags = arena_alloc(c->arena, n * sizeof(*flags));
	for (size_t i = 0; i < n; i++) {
		size_t from = i < half ? 0 : i - half, to = n - i <= half ? n : i + half + 1;
		flags[i] = is_spike_at(values, from, to, values[i], k);
		count += flags[i];
		if (calc_is_cancelled_after(c, &work, window, e))
			return false;
	}
	*is_spike = flags;
	*found = count;
	return true;
}
