/* A shift of the level, tested against random orders. */
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_series.h"

#define TIE_TOLERANCE 1e-12 /* the same split in two orders differs at most by rounding */

/* The largest difference of means at any split of values centred at 0, and its position. */
static double largest_difference(const double *x, size_t n, size_t *at)
{
	double sum = 0, best = -1, count = (double)n;

	for (size_t k = 1; k + CALC_SHIFT_SIDE <= n; k++) {
		sum += x[k - 1];
		if (k < CALC_SHIFT_SIDE)
			continue;
		/* The total is 0, so the means of both sides differ by sum·n / (k(n - k)). */
		double left = (double)k,
		       statistic = fabs(sum) * sqrt(count / (left * (count - left)));
		if (statistic <= best)
			continue;
		best = statistic;
		*at = k;
	}
	return best;
}

static bool permutation_test(const struct calc *c, double *x, size_t n, double observed, double *p,
			     struct err *e)
{
	struct calc_rng r = calc_rng_new(1);
	size_t as_large_count = 0, ignored, work = 0;

	for (size_t order = 0; order < CALC_SHIFT_PERMUTATIONS; order++) {
		for (size_t i = n; i > 1; i--) {
			size_t at = calc_rng_below(&r, i);
			double value = x[at];
			x[at] = x[i - 1];
			x[i - 1] = value;
		}
		as_large_count +=
			largest_difference(x, n, &ignored) >= observed * (1 - TIE_TOLERANCE);
		if (calc_is_cancelled_after(c, &work, n, e))
			return false;
	}
	*p = (double)(1 + as_large_count) / (1 + CALC_SHIFT_PERMUTATIONS);
	return true;
}

bool calc_shift(const struct calc *c, const double *values, size_t n, struct calc_shift *out,
		struct err *e)
{
	struct calc_shift o = {.before = NAN, .after = NAN, .p = NAN};
	size_t split = 0;
	double *x;

	if (!calc_check_and_copy(c, values, n, CALC_SERIES_MAX, &x, &o.n, e))
		return false;
	if (o.n < CALC_SHIFT_MIN) {
		o.status = CALC_TOO_FEW;
		*out = o;
		return true;
	}
	double mean = calc_mean(x, o.n), range = 0;
	for (size_t i = 0; i < o.n; i++)
		range = fmax(range, fabs(x[i] - x[0]));
	for (size_t i = 0; i < o.n; i++)
		x[i] -= mean;
	if (range == 0) {
		o.status = CALC_CONSTANT;
		o.before = o.after = mean;
		*out = o;
		return true;
	}
	double observed = largest_difference(x, o.n, &split);
	o.before = mean + calc_mean(x, split);
	o.after = mean + calc_mean(x + split, o.n - split);
	for (size_t seen = 0; o.row < n && seen < split + 1; o.row++)
		seen += !calc_is_null(values[o.row]);
	o.row--;
	if (!permutation_test(c, x, o.n, observed, &o.p, e))
		return false;
	*out = o;
	return true;
}
