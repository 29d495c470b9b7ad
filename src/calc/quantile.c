/* Quantiles, percentiles, bins. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_summary.h"

double calc_quantile_sorted(const double *sorted, size_t n, double p)
{
	assert(p >= 0 && p <= 1);
	if (n == 0)
		return NAN;
	double h = (double)(n - 1) * p;
	size_t below = (size_t)h;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (h - (double)below) * (sorted[below + 1] - sorted[below]);
}

bool calc_quantiles(const struct calc *c, const double *values, size_t n, const double *p,
		    size_t count, double *out, size_t *present, struct err *e)
{
	double *sorted;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &sorted, present, e) ||
	    !calc_sort(c, sorted, *present, e))
		return false;
	for (size_t i = 0; i < count; i++)
		out[i] = calc_quantile_sorted(sorted, *present, p[i]);
	return true;
}

bool calc_percentile(const struct calc *c, const double *values, size_t n, double x, double *out,
		     struct err *e)
{
	size_t below = 0, equal = 0, present = 0;

	if (!calc_check(c, values, n, CALC_VALUES_MAX, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		below += values[i] < x;
		equal += values[i] == x;
		present += !calc_is_null(values[i]);
	}
	*out = present ? ((double)below + (double)equal / 2) / (double)present : NAN;
	return true;
}

static size_t bin_count(const double *sorted, size_t n)
{
	double range = sorted[n - 1] - sorted[0];
	double iqr = calc_quantile_sorted(sorted, n, 0.75) - calc_quantile_sorted(sorted, n, 0.25);
	double bins =
		iqr > 0 ? ceil(range / (2 * iqr) * cbrt((double)n)) : ceil(log2((double)n) + 1);

	return bins > CALC_BINS_MAX ? CALC_BINS_MAX : (size_t)bins;
}

bool calc_bins(const struct calc *c, const double *values, size_t n, struct calc_bins **out,
	       struct err *e)
{
	double *sorted;
	size_t present;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &sorted, &present, e) ||
	    !calc_sort(c, sorted, present, e))
		return false;
	bool varies = present > 0 && sorted[0] < sorted[present - 1];
	size_t count = varies ? bin_count(sorted, present) : present > 0;
	struct calc_bins *b = arena_alloc(c->arena, sizeof(*b) + count * sizeof(b->in[0]));
	*b = (struct calc_bins){.n = present, .count = count, .low = present ? sorted[0] : NAN};
	if (varies)
		b->width = (sorted[present - 1] - sorted[0]) / (double)count;
	for (size_t i = 0; i < present; i++) {
		size_t at = b->width > 0 ? (size_t)((sorted[i] - b->low) / b->width) : 0;
		b->in[at < count ? at : count - 1]++;
	}
	*out = b;
	return true;
}
