/*
 * Use of SQLite's indexes on a block's entity. SQLite does not know how many rows have a value, and
 * a row looked up by an index costs fifteen times as much as a scanned one. So a block is read from
 * a covering index, or else by a scan. If the index is ordered by day, rows are aggregated by day
 * first: sorting a million rows by month takes five times as long as adding them up.
 */
#include "map_int.h"

#include <string.h>

static bool covers(const struct view_column *const *index, const struct view_column *column)
{
	while (*index && *index != column)
		index++;
	return *index != NULL;
}

static bool covers_dimension(const struct view_column *const *index, const struct entity_def *root,
			     const struct dimension_def *d)
{
	return d && d->map.entity == root && covers(index, d->map.column);
}

static bool covers_where(const struct view_column *const *index, const struct entity_def *root,
			 const struct map_where *w)
{
	if (w->condition)
		return false;
	return w->measure ? w->measure->column && covers(index, w->measure->column)
			  : covers_dimension(index, root, w->dimension);
}

static bool covers_part(const struct view_column *const *index, const struct map_part *p)
{
	const struct measure_def *m = p->metric->measure;

	return p->metric->where_count + m->where_count == 0 && !m->latest.order &&
	       m->additivity != ADDITIVE_SEMI && (!m->column || covers(index, m->column));
}

static bool covers_all(const struct map_writer *w, const struct view_column *const *index,
		       const struct map_part *parts, size_t count)
{
	const struct entity_def *root = parts[0].metric->measure->entity;
	const struct map_query *q = w->query;
	const struct map_period *p = parts[0].is_before ? &q->before : &q->period;

	for (size_t i = 0; i < count; i++)
		if (!covers_part(index, &parts[i]))
			return false;
	for (size_t i = 0; i < q->by_count; i++)
		if (!covers_dimension(index, root, q->by[i].dimension))
			return false;
	for (size_t i = 0; i < q->where_count; i++)
		if (!covers_where(index, root, &q->where[i]))
			return false;
	return !p->is_set || covers_dimension(index, root, schema_time(w->map->schema, root));
}

static bool begins_with_group(const struct view_column *const *index, const struct map_query *q)
{
	return q->by_count == 1 && *index == q->by[0].dimension->map.column;
}

const struct view_column *const *map_index(const struct map_writer *w, const struct map_part *parts,
					   size_t count)
{
	const struct view_column *const *const *list = parts[0].metric->measure->entity->indexes;
	const struct view_column *const *found = NULL;

	for (; w->dialect == DIALECT_SQLITE && *list; list++)
		if ((!found || begins_with_group(*list, w->query)) &&
		    covers_all(w, *list, parts, count))
			found = *list;
	return found;
}

bool map_index_is_in_order(const struct map_query *q, const struct view_column *const *index)
{
	return begins_with_group(index, q) && !q->by[0].grain && !q->by[0].dimension->map.bins;
}

bool map_index_has_days(const struct map_query *q, const struct view_column *const *index,
			const struct map_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].metric->measure->aggregate == AGGREGATE_COUNT_DISTINCT)
			return false;
	return begins_with_group(index, q) && q->by[0].grain &&
	       q->by[0].dimension->map.type == COLUMN_DATE;
}

static bool is_single_value(const struct map_where *w, enum where_op op)
{
	return op == OP_IS ||
	       (op == OP_BETWEEN && w->count == 2 && w->values[0].text && w->values[1].text &&
		strcmp(w->values[0].text, w->values[1].text) == 0);
}

bool map_index_is_coarse(const struct entity_def *n, const struct map_where *w, enum where_op op)
{
	const struct view_column *column = w->dimension->map.column;
	bool is_day = column->has_type &&
		      (column->type == COLUMN_DATE || column->type == COLUMN_DATETIME);

	return covers(n->coarse, column) && !(is_day && is_single_value(w, op));
}
