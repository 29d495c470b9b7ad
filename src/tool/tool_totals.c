/*
 * Totals of truncated results. The rows that were read are marked as partial. If the tool's file
 * allows it, a query returns the number of all rows and the aggregates of their columns, for exact
 * figures. If it fails, the figures of the rows read are kept.
 */
#include "tool_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"

#define MEAN_SCALE 6

/* A statement's own row limit returns one row more than is shown; otherwise truncation would be
 * undetectable. */
void tool_totals_mark(size_t limit, struct table *t)
{
	if (limit > 0 && t->total_rows > (int64_t)limit) {
		t->truncated = true;
		t->is_total_exact = false;
		t->truncation = "row cap";
	}
	for (size_t c = 0; t->stats && !t->is_total_exact && c < t->column_count; c++)
		t->stats[c].partial = true;
}

/* ---- query ---- */

/* The header's total columns that this caller's statement returns. */
static struct sql_totals_column *total_columns(const struct tool_call *call, size_t *count)
{
	const struct tool_def *tool = call->tool;
	struct sql_totals_column *given =
		arena_alloc(call->arena, (tool->totals.sum_count + 1) * sizeof(*given));

	*count = 0;
	for (size_t i = 0; i < tool->totals.sum_count; i++)
		if (table_column(call->result->tables[0], tool->totals.sums[i].name) >= 0)
			given[(*count)++] = tool->totals.sums[i];
	return given;
}

bool tool_totals_query(struct tool_call *call, const struct args *args, source_cb cb)
{
	enum dialect dialect = call->source->dialect;
	const struct sql_query *q = &call->tool->files[dialect]->queries[0];
	struct source_statement statement = {0};
	struct sql_bound bound;
	struct err e = {0};
	size_t count;

	if (!call->tool->totals.is_queryable || call->rows_max ||
	    call->result->tables[0]->is_total_exact)
		return false;
	struct sql_totals_column *columns = total_columns(call, &count);
	if (!sql_render_totals(q, args, columns, count, dialect, call->arena, &bound, &e)) {
		log_warn("tool.failed", "%s/totals: %s", call->tool->name, e.text);
		return false;
	}
	statement.name = arena_printf(call->arena, "%s/totals", call->tool->name);
	statement.text = bound.text;
	statement.values = bound.values;
	statement.count = bound.count;
	statement.sink.stats = true;
	tool_call_send(call, call->source, &statement, 1, call->timeout_ms, cb);
	return true;
}

/* ---- results ---- */

static bool read_count(const char *text, int64_t *out)
{
	char *end;
	long long n = text ? strtoll(text, &end, 10) : -1;

	if (n < 0 || *end)
		return false;
	*out = n;
	return true;
}

/* SQLite sums decimals as binary floats, so digits beyond the cells' scale are rounded off. */
static void set_sum(struct column_stats *s, const char *text)
{
	struct decimal sum;
	int digits = s->is_sum_exact ? s->sum.scale : DECIMAL_SCALE_MAX;

	s->is_sum_exact = text && decimal_parse(text, &sum);
	if (!s->is_sum_exact)
		return;
	s->sum = sum.scale > digits ? decimal_round(sum, digits) : sum;
	s->is_sum_exact = decimal_div(s->sum, decimal_int(s->count), MEAN_SCALE, &s->mean);
}

/* A known minimum or maximum keeps its row. */
static void set_extreme(struct table *t, const char *text, const char **value, int64_t *at)
{
	struct decimal seen, now;

	if (*value && decimal_parse(*value, &seen) && decimal_parse(text, &now) &&
	    decimal_cmp(seen, now) == 0)
		return;
	*value = arena_strdup(t->arena, text);
	*at = -1;
}

static bool apply_column(struct table *t, int c, const char *const *cells, int64_t rows)
{
	struct column_stats *s = c >= 0 && t->stats ? &t->stats[c] : NULL;
	int64_t count;

	if (!s || !s->numeric || !read_count(cells[0], &count) || count == 0 || count > rows ||
	    !cells[1] || !cells[2] || !cells[3])
		return false;
	s->count = count;
	s->nulls = rows - count;
	s->distinct_exact = false;
	set_sum(s, cells[1]);
	set_extreme(t, cells[2], &s->min, &s->min_row);
	set_extreme(t, cells[3], &s->max, &s->max_row);
	s->last = NULL;
	s->trend = TREND_NONE;
	s->partial = false;
	return true;
}

static bool has_all_totals(const struct table *w, size_t columns)
{
	return w->row_count == 1 && w->column_count == 1 + 4 * columns;
}

bool tool_totals_apply(struct tool_call *call, const struct table *totals)
{
	struct table *t = call->result->tables[0];
	size_t count;
	struct sql_totals_column *columns = total_columns(call, &count);
	int64_t rows;

	/* Fewer rows than were read: the data has changed in between, so the totals do not
	 * match. */
	if (!has_all_totals(totals, count) || !read_count(totals->rows[0][0], &rows) ||
	    rows < t->total_rows)
		return false;
	t->total_rows = rows;
	t->is_total_exact = true;
	for (size_t i = 0; i < count; i++)
		(void)apply_column(t, table_column(t, columns[i].name), &totals->rows[0][1 + 4 * i],
				   rows);
	return true;
}
