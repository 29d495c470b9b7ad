/* Runs of rows, and the area under them. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_series.h"

/* Runs found so far. */
struct run_list {
	struct calc_run *items;
	size_t count;
	size_t cap;
};

/* Adds rows first..end-1, if there are at least `min_rows`. */
static void add_run(const struct calc *c, struct run_list *l, size_t first, size_t end,
		    size_t min_rows)
{
	if (end - first < min_rows)
		return;
	l->items = arena_grow(c->arena, l->items, l->count, &l->cap, sizeof(*l->items));
	l->items[l->count++] = (struct calc_run){first, end - 1};
}

static bool return_runs(const struct run_list *l, struct calc_run **runs, size_t *count)
{
	*runs = l->items;
	*count = l->count;
	return true;
}

bool calc_runs(const struct calc *c, const bool *flags, size_t n, size_t min_rows,
	       struct calc_run **runs, size_t *count, struct err *e)
{
	struct run_list l = {0};
	size_t end;

	assert(min_rows > 0);
	if (calc_is_cancelled(c, e))
		return false;
	for (size_t first = 0; first < n; first = end) {
		for (end = first; end < n && flags[end];)
			end++;
		add_run(c, &l, first, end, min_rows);
		end += end == first;
	}
	return return_runs(&l, runs, count);
}

bool calc_runs_equal(const struct calc *c, const double *values, size_t n, double tolerance,
		     size_t min_rows, struct calc_run **runs, size_t *count, struct err *e)
{
	struct run_list l = {0};
	size_t end;

	assert(min_rows > 0 && tolerance >= 0);
	if (!calc_check(c, values, n, CALC_VALUES_MAX, e))
		return false;
	for (size_t first = 0; first < n; first = end) {
		/* A NULL is never within the tolerance, even of itself. */
		for (end = first; end < n && fabs(values[end] - values[first]) <= tolerance;)
			end++;
		add_run(c, &l, first, end, min_rows);
		end += end == first;
	}
	return return_runs(&l, runs, count);
}

bool calc_runs_straight(const struct calc *c, const double *values, size_t n, double tolerance,
			size_t min_rows, struct calc_run **runs, size_t *count, struct err *e)
{
	struct run_list l = {0};
	size_t last;

	assert(min_rows >= 3 && tolerance >= 0);
	if (!calc_check(c, values, n, CALC_VALUES_MAX, e))
		return false;
	for (size_t first = 0; first + 1 < n; first = last) {
		double step = values[first + 1] - values[first];
		last = first + 1;
		if (!(fabs(step) > tolerance))
			continue;
		while (last + 1 < n) {
			double next = values[last + 1] - values[last];
			if (!(fabs(next - step) <= tolerance) || !(fabs(next) > tolerance))
				break;
			step = next;
			last++;
		}
		add_run(c, &l, first, last + 1, min_rows);
	}
	return return_runs(&l, runs, count);
}

bool calc_integral(const struct calc *c, const double *times, const double *values, size_t n,
		   double bridge, struct calc_area *out, struct err *e)
{
	struct calc_sum area = {0}, covered = {0};
	struct calc_area o = {0};
	size_t points = 0, before = 0;

	assert(bridge >= 0);
	if (!calc_check(c, times, n, CALC_VALUES_MAX, e) ||
	    !calc_check(c, values, n, CALC_VALUES_MAX, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(times[i]) || calc_is_null(values[i]))
			continue;
		double width = points > 0 ? times[i] - times[before] : 0;
		if (width < 0)
			return err_set(e, ERR_INPUT,
				       "The time in row %zu is before that in row %zu.", i + 1,
				       before + 1);
		if (width > bridge) {
			o.gaps++;
		} else if (points > 0) {
			calc_sum_add(&area, width * (values[i] / 2 + values[before] / 2));
			calc_sum_add(&covered, width);
		}
		points++;
		before = i;
	}
	o.status = points < 2 ? CALC_TOO_FEW : CALC_OK;
	o.area = points < 2 ? NAN : calc_sum_total(&area);
	o.covered = calc_sum_total(&covered);
	*out = o;
	return true;
}
