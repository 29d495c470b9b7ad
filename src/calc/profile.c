/* Profiles a column of a frame. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calc_int.h"
#include "vesper/calc_summary.h"

static int by_key(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The same key for equal cells. Doubles would merge integers beyond 2^53. */
static int64_t key_of(const struct frame_column *column, size_t row)
{
	int64_t bits;
	double real;

	switch (column->type) {
	case FRAME_INT:
	case FRAME_DECIMAL:
	case FRAME_TIME:
		return column->v.i[row];
	case FRAME_DAY:
		return column->v.day[row];
	case FRAME_BOOL:
		return column->v.b[row];
	case FRAME_TEXT:
		return column->v.code[row];
	case FRAME_REAL:
		break;
	}
	real = column->v.r[row] + 0.0; /* turns -0 into 0 */
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static size_t distinct_of(const struct calc *c, const struct frame_column *column, size_t rows,
			  size_t *nulls)
{
	int64_t *keys = arena_alloc(c->arena, rows * sizeof(*keys));
	size_t count = 0, distinct = 0;

	for (size_t i = 0; i < rows; i++)
		if (!frame_is_null(column, i))
			keys[count++] = key_of(column, i);
	qsort(keys, count, sizeof(*keys), by_key);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || keys[i] != keys[i - 1];
	*nulls = rows - count;
	return distinct;
}

static bool numbers_of(const struct calc *c, const struct frame_column *column, size_t rows,
		       struct calc_profile *o, struct err *e)
{
	double *sorted, *values;
	size_t n;

	if (!calc_column(c, column, rows, &values, e) ||
	    !calc_check_and_copy(c, values, rows, CALC_VALUES_MAX, &sorted, &n, e) ||
	    !calc_sort(c, sorted, n, e))
		return false;
	if (n == 0)
		return true;
	o->min = sorted[0];
	o->max = sorted[n - 1];
	o->mean = calc_mean(sorted, n);
	for (int i = 0; i < 3; i++)
		o->quartiles[i] = calc_quantile_sorted(sorted, n, 0.25 * (i + 1));
	return true;
}

bool calc_profile(const struct calc *c, const struct frame *f, size_t column,
		  struct calc_profile *out, struct err *e)
{
	struct calc_profile o = {
		.rows = f->rows, .min = NAN, .max = NAN, .mean = NAN, .quartiles = {NAN, NAN, NAN}};

	assert(column < f->column_count);
	const struct frame_column *profiled = &f->columns[column];
	if (calc_is_cancelled(c, e))
		return false;
	o.distinct = distinct_of(c, profiled, f->rows, &o.nulls);
	o.is_key = f->rows > 0 && o.distinct == f->rows;
	if (profiled->type != FRAME_TEXT && !numbers_of(c, profiled, f->rows, &o, e))
		return false;
	*out = o;
	return true;
}
