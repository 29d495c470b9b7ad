/* Tests on ranks and counts, and the adjustment of many p-values. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_trend.h"

#define EXPECTED_MIN 5

/* Pearson's correlation of ranks, from deviations from the mean rank. */
static void correlate(const double *x, const double *y, struct calc_spearman *o)
{
	double mean = ((double)o->n + 1) / 2, df = (double)o->n - 2;
	struct calc_sum xx = {0}, yy = {0}, xy = {0};

	for (size_t i = 0; i < o->n; i++) {
		calc_sum_add(&xx, (x[i] - mean) * (x[i] - mean));
		calc_sum_add(&yy, (y[i] - mean) * (y[i] - mean));
		calc_sum_add(&xy, (x[i] - mean) * (y[i] - mean));
	}
	double product = calc_sum_total(&xx) * calc_sum_total(&yy);
	if (product == 0) {
		o->status = CALC_CONSTANT;
		return;
	}
	o->rho = fmax(-1, fmin(1, calc_sum_total(&xy) / sqrt(product)));
	double rest = (1 - o->rho) * (1 + o->rho);
	o->p = rest > 0 ? calc_student_two_sided(o->rho * sqrt(df / rest), df) : 0;
}

bool calc_spearman(const struct calc *c, const double *x, const double *y, size_t n,
		   struct calc_spearman *out, struct err *e)
{
	struct calc_spearman o = {.rho = NAN, .p = NAN};
	double *ranks_x, *ranks_y;

	if (!calc_check(c, x, n, CALC_VALUES_MAX, e) || !calc_check(c, y, n, CALC_VALUES_MAX, e))
		return false;
	double *xs = calc_doubles(c, n), *ys = calc_doubles(c, n);
	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(x[i]) || calc_is_null(y[i]))
			continue;
		xs[o.n] = x[i];
		ys[o.n++] = y[i];
	}
	if (!calc_ranks(c, xs, o.n, &ranks_x, NULL, e) ||
	    !calc_ranks(c, ys, o.n, &ranks_y, NULL, e))
		return false;
	if (o.n < CALC_SPEARMAN_MIN)
		o.status = CALC_TOO_FEW;
	else
		correlate(ranks_x, ranks_y, &o);
	*out = o;
	return true;
}

static void kruskal_of(const double *ranks, const uint32_t *group, size_t n, double ties,
		       double *sums, const size_t *sizes, size_t group_count,
		       struct calc_kruskal *o)
{
	double count = (double)o->n, spread = 0, mean = (count + 1) / 2;

	for (size_t i = 0; i < n; i++)
		if (!calc_is_null(ranks[i]))
			sums[group[i]] += ranks[i];
	for (size_t g = 0; g < group_count; g++) {
		if (sizes[g] == 0)
			continue;
		double deviation = sums[g] / (double)sizes[g] - mean;
		spread += (double)sizes[g] * deviation * deviation;
	}
	double untied = 1 - ties / (count * count * count - count);
	if (untied <= 0) {
		o->status = CALC_CONSTANT;
		return;
	}
	o->h = 12 / (count * (count + 1)) * spread / untied;
	o->p = calc_chi2_upper(o->h, (double)o->groups - 1);
}

bool calc_kruskal(const struct calc *c, const double *values, const uint32_t *group, size_t n,
		  size_t group_count, struct calc_kruskal *out, struct err *e)
{
	struct calc_kruskal o = {.h = NAN, .p = NAN};
	double *ranks, ties;
	bool is_enough = true;

	if (!calc_ranks(c, values, n, &ranks, &ties, e))
		return false;
	size_t *sizes = arena_alloc(c->arena, group_count * sizeof(*sizes));
	for (size_t i = 0; i < n; i++) {
		assert(group[i] < group_count);
		sizes[group[i]] += !calc_is_null(values[i]);
	}
	for (size_t g = 0; g < group_count; g++) {
		o.n += sizes[g];
		o.groups += sizes[g] > 0;
		is_enough = is_enough && sizes[g] != 1;
	}
	if (o.groups < 2 || !is_enough)
		o.status = CALC_TOO_FEW;
	else
		kruskal_of(ranks, group, n, ties, calc_doubles(c, group_count), sizes, group_count,
			   &o);
	*out = o;
	return true;
}

/* Σ (observed - expected)² / expected over the cells of rows and columns that are not empty. */
static void independence_of(const double *counts, size_t rows, size_t columns, const double *in_row,
			    const double *in_column, struct calc_independence *o)
{
	struct calc_sum chi2 = {0};

	for (size_t i = 0; i < rows * columns; i++) {
		double expected = in_row[i / columns] / o->total * in_column[i % columns];
		if (expected == 0)
			continue;
		if (expected < EXPECTED_MIN) {
			o->status = CALC_TOO_FEW;
			return;
		}
		double deviation = (calc_is_null(counts[i]) ? 0 : counts[i]) - expected;
		calc_sum_add(&chi2, deviation * deviation / expected);
	}
	o->chi2 = calc_sum_total(&chi2);
	o->p = calc_chi2_upper(o->chi2, o->df);
}

bool calc_independence(const struct calc *c, const double *counts, size_t rows, size_t columns,
		       struct calc_independence *out, struct err *e)
{
	struct calc_independence o = {.chi2 = NAN, .p = NAN};
	double *in_row = calc_doubles(c, rows), *in_column = calc_doubles(c, columns);
	size_t filled_rows = 0, filled_columns = 0;

	if (!calc_check(c, counts, rows * columns, CALC_VALUES_MAX, e))
		return false;
	for (size_t i = 0; i < rows * columns; i++) {
		if (counts[i] < 0)
			return err_set(e, ERR_INPUT,
				       "The count in row %zu, column %zu is negative.",
				       i / columns + 1, i % columns + 1);
		double count = calc_is_null(counts[i]) ? 0 : counts[i];
		in_row[i / columns] += count;
		in_column[i % columns] += count;
		o.total += count;
	}
	for (size_t i = 0; i < rows; i++)
		filled_rows += in_row[i] > 0;
	for (size_t i = 0; i < columns; i++)
		filled_columns += in_column[i] > 0;
	if (filled_rows < 2 || filled_columns < 2) {
		o.status = CALC_TOO_FEW;
	} else {
		o.df = (double)(filled_rows - 1) * (double)(filled_columns - 1);
		independence_of(counts, rows, columns, in_row, in_column, &o);
	}
	*out = o;
	return true;
}

bool calc_adjust(const struct calc *c, const double *p, size_t n, double **adjusted, struct err *e)
{
	uint32_t *rows;
	size_t count;

	for (size_t i = 0; i < n; i++)
		if (p[i] < 0 || p[i] > 1)
			return err_set(e, ERR_INPUT, "The p-value in row %zu, %g, is not in 0..1.",
				       i + 1, p[i]);
	if (!calc_order(c, p, n, &rows, &count, e))
		return false;
	double *out = calc_doubles(c, n), lowest = 1;
	for (size_t i = 0; i < n; i++)
		out[i] = p[i]; /* NAN stays */
	for (size_t i = count; i-- > 0;) {
		lowest = fmin(lowest, p[rows[i]] * (double)count / (double)(i + 1));
		out[rows[i]] = lowest;
	}
	*adjusted = out;
	return true;
}
