/* Selects what to omit from a table that is too long. The order is fixed, so equal results look
 * alike: low-value columns first, then others by priority, then rows. */
#include <stdint.h>
#include <stdlib.h>

#include "view_int.h"

#define SPARSE_PERCENT 80 /* columns with a larger share of empty cells are omitted first */

struct fitting {
	const struct table *t;
	const struct view_limits *limits;
	struct view_fit fit;
	size_t *order; /* rows that may be shown, most important first */
	size_t order_count;
	size_t *header_sizes; /* size of each column header */
	size_t *cell_sizes;   /* size of each cell of `order`, row by row */
	size_t total;
};

/* ---- choosing rows ---- */

static bool is_selected(const size_t *list, size_t count, size_t row)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == row)
			return true;
	return false;
}

static void add_row(struct fitting *f, int64_t row)
{
	if (row >= 0 && (size_t)row < f->t->row_count && f->order_count < f->limits->rows &&
	    !is_selected(f->order, f->order_count, (size_t)row))
		f->order[f->order_count++] = (size_t)row;
}

/* Adds the rows of minimums and maximums, by column priority; at most half of the rows. */
static void add_extremes(struct fitting *f)
{
	for (int p = PRIORITY_HIGH; p >= PRIORITY_LOW; p--)
		for (size_t c = 0; c < f->t->column_count; c++) {
			const struct column_stats *s = &f->t->stats[c];

			if ((int)f->t->columns[c].priority != p || !s->numeric || s->count == 0 ||
			    !column_is_number(f->t->columns[c].type) ||
			    f->order_count + 2 > f->limits->rows / 2)
				continue;
			add_row(f, s->min_row);
			add_row(f, s->max_row);
		}
}

static void order_rows(struct fitting *f, struct arena *a)
{
	size_t row_limit = f->t->row_count < f->limits->rows ? f->t->row_count : f->limits->rows;

	f->order = arena_alloc(a, sizeof(*f->order) * (row_limit + 1));
	if (f->limits->extremes && f->t->stats && f->t->row_count > 1) {
		add_row(f, 0);
		add_extremes(f);
	}
	if (f->order_count == 0) { /* common case, without searching for duplicates */
		for (; f->order_count < row_limit; f->order_count++)
			f->order[f->order_count] = f->order_count;
		return;
	}
	for (size_t r = 0; r < f->t->row_count && f->order_count < row_limit; r++)
		add_row(f, (int64_t)r);
}

/* ---- sizes ---- */

static size_t measure(const struct fitting *f, const char *text)
{
	return f->limits->measure(text ? text : "");
}

static void measure_sizes(struct fitting *f, struct arena *a)
{
	size_t columns = f->t->column_count;

	f->header_sizes = arena_alloc(a, sizeof(size_t) * (columns + 1));
	f->cell_sizes = arena_alloc(a, sizeof(size_t) * (columns * f->order_count + 1));
	for (size_t c = 0; c < columns; c++) {
		f->header_sizes[c] =
			measure(f, f->t->columns[c].name) +
			(f->t->columns[c].unit ? measure(f, f->t->columns[c].unit) : 0);
		f->total += f->header_sizes[c];
	}
	for (size_t i = 0; i < f->order_count; i++)
		for (size_t c = 0; c < columns; c++) {
			size_t size = measure(f, f->t->rows[f->order[i]][c]);

			f->cell_sizes[i * columns + c] = size;
			f->total += size;
		}
}

static bool is_over_limit(const struct fitting *f)
{
	return f->total > f->limits->size;
}

/* ---- columns ---- */

static enum column_priority highest_priority(const struct table *t)
{
	enum column_priority p = PRIORITY_LOW;

	for (size_t c = 0; c < t->column_count; c++)
		if (t->columns[c].priority > p)
			p = t->columns[c].priority;
	return p;
}

static bool is_sparse(const struct fitting *f, size_t c)
{
	size_t empty = 0;

	for (size_t r = 0; r < f->t->row_count; r++) {
		const char *text = f->t->rows[r][c];

		empty += !text || !*text;
	}
	return empty * 100 > f->t->row_count * SPARSE_PERCENT;
}

static void omit_column(struct fitting *f, size_t c, enum view_drop_reason reason)
{
	f->fit.dropped[c] = reason;
	f->fit.column_count--;
	f->total -= f->header_sizes[c];
	for (size_t i = 0; i < f->order_count; i++)
		f->total -= f->cell_sizes[i * f->t->column_count + c];
}

static void omit_columns(struct fitting *f)
{
	enum column_priority kept_priority = highest_priority(f->t);

	for (size_t c = f->t->column_count; c-- > 0 && is_over_limit(f);)
		if (f->t->columns[c].priority < kept_priority && is_sparse(f, c))
			omit_column(f, c, VIEW_DROPPED_SPARSE);
	for (int p = PRIORITY_LOW; p < (int)kept_priority; p++)
		for (size_t c = f->t->column_count; c-- > 0 && is_over_limit(f);)
			if ((int)f->t->columns[c].priority == p && f->fit.dropped[c] == VIEW_SHOWN)
				omit_column(f, c, VIEW_DROPPED_PRIORITY);
}

/* ---- rows ---- */

static size_t row_size(const struct fitting *f, size_t i)
{
	size_t size = 0;

	for (size_t c = 0; c < f->t->column_count; c++)
		if (f->fit.dropped[c] == VIEW_SHOWN)
			size += f->cell_sizes[i * f->t->column_count + c];
	return size;
}

static void omit_rows(struct fitting *f)
{
	while (is_over_limit(f) && f->order_count > 0)
		f->total -= row_size(f, --f->order_count);
}

static int compare_rows(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void view_fit_table(const struct table *t, const struct view_limits *limits, struct arena *a,
		    struct view_fit *out)
{
	struct fitting f = {.t = t, .limits = limits};

	f.fit.dropped = arena_alloc(a, sizeof(*f.fit.dropped) * (t->column_count + 1));
	f.fit.column_count = t->column_count;
	order_rows(&f, a);
	if (limits->size != SIZE_MAX) {
		measure_sizes(&f, a);
		omit_columns(&f);
		omit_rows(&f);
	}
	if (f.order_count > 1)
		qsort(f.order, f.order_count, sizeof(*f.order), compare_rows);
	f.fit.rows = f.order;
	f.fit.row_count = f.order_count;
	f.fit.size = f.total;
	*out = f.fit;
}
