/* Writes the statement of a list: one result row per row of the entity, and conditions on
 * metrics of other entities. */
#include "map_int.h"

#include <string.h>

struct clauses {
	struct buf columns, joins, conditions, order;
};

static void add_column(struct map_writer *w, struct map_statement *s, struct map_column c,
		       const char *label, const char *expression, struct buf *out)
{
	struct map_column *list = (struct map_column *)(uintptr_t)s->columns;

	c.label = map_label(w, label, s->columns, s->column_count);
	buf_printf(out, "%s%s AS \"%s\"", s->column_count ? ", " : "SELECT ", expression, c.label);
	list[s->column_count++] = c;
}

static bool refuse_several(struct map_writer *w, const struct dimension_def *d)
{
	return map_fail(w->why, MAP_FAN_OUT, d->name, w->e, "a %s can have several %s",
			w->query->list->label, d->map.entity->plural);
}

static bool show_dimension(struct map_writer *w, struct map_select *s, struct map_statement *st,
			   const struct dimension_def *d, struct buf *out)
{
	struct map_path path;
	const char *x;

	if (!map_select_path(s, w->query->list, d->map.entity, &path))
		return false;
	if (!map_path_is_safe(&path))
		return refuse_several(w, d);
	if (!map_select_dimension(s, d, GRAIN_NONE, true, &x))
		return false;
	add_column(w, st,
		   (struct map_column){.type = d->map.type,
				       .priority = d->map.column->priority,
				       .dimension = d},
		   d->label, x, out);
	return true;
}

static void show_measure(struct map_writer *w, struct map_select *s, struct map_statement *st,
			 const struct measure_def *m, struct buf *out)
{
	add_column(w, st,
		   (struct map_column){.unit = m->unit->symbol,
				       .type = m->column->type,
				       .priority = PRIORITY_HIGH,
				       .metric = schema_metric(w->map->schema, m->name)},
		   m->label, map_select_column(s, &s->aliases[0], m->column), out);
}

static bool shows_title(const struct map_query *q)
{
	for (size_t i = 0; i < q->show_count; i++)
		if (q->show[i].dimension && q->show[i].dimension->map.column == q->list->title)
			return true;
	return false;
}

static bool is_shown(const struct map_query *q, const struct measure_def *m)
{
	for (size_t i = 0; i < q->show_count; i++)
		if (q->show[i].measure == m)
			return true;
	return false;
}

/* Also shows the columns by which the list is ordered. */
static bool show_order(struct map_writer *w, struct map_select *s, struct map_statement *st,
		       struct buf *out)
{
	const struct map_query *q = w->query;

	for (size_t i = 0; i < q->order_count && st->column_count < MAP_SHOWN_MAX; i++) {
		const struct map_order *o = &q->order[i];
		bool shown = o->measure && is_shown(q, o->measure);

		for (size_t k = 0; k < st->column_count; k++)
			shown |= (o->measure && st->columns[k].metric &&
				  st->columns[k].metric->measure == o->measure) ||
				 (!o->measure && st->columns[k].dimension == o->by.dimension);
		if (shown || o->by.grain)
			continue;
		if (o->measure)
			show_measure(w, s, st, o->measure, out);
		else if (!show_dimension(w, s, st, o->by.dimension, out))
			return false;
	}
	return true;
}

static bool write_columns(struct map_writer *w, struct map_select *s, struct map_statement *st,
			  struct buf *out)
{
	const struct map_query *q = w->query;

	if (!shows_title(q))
		add_column(w, st, (struct map_column){.priority = PRIORITY_HIGH}, q->list->label,
			   map_select_column(s, &s->aliases[0], q->list->title), out);
	for (size_t i = 0; i < q->show_count; i++) {
		if (q->show[i].measure)
			show_measure(w, s, st, q->show[i].measure, out);
		else if (!show_dimension(w, s, st, q->show[i].dimension, out))
			return false;
	}
	/* Measures used in conditions are shown too. */
	for (size_t i = 0; i < q->where_count && st->column_count < MAP_SHOWN_MAX; i++)
		if (q->where[i].measure && !is_shown(q, q->where[i].measure))
			show_measure(w, s, st, q->where[i].measure, out);
	return show_order(w, s, st, out);
}

static bool is_count(const struct metric_def *m)
{
	return m->measure->aggregate == AGGREGATE_COUNT ||
	       m->measure->aggregate == AGGREGATE_COUNT_DISTINCT;
}

/* Joins a metric of another entity, grouped by this entity's whole key. */
static bool join_metric(struct map_writer *w, struct map_select *s, size_t i,
			struct map_statement *st, struct clauses *p)
{
	const struct map_having *h = &w->query->having[i];
	const struct entity_def *n = w->query->list;
	const struct map_part part = {h->metric, false, "m1"};
	const char *name = arena_printf(w->arena, "h%zu", i + 1), *x;

	if (h->metric->form != FORM_MEASURE || !n->key[0])
		return map_fail(w->why, MAP_BAD_VALUE, h->metric->name, w->e,
				"%s cannot be a condition of a list", h->metric->name);
	buf_str(&p->joins, "\nLEFT JOIN (");
	if (!map_block_write(w, &part, 1, n, &p->joins))
		return false;
	buf_printf(&p->joins, ") %s ON ", name);
	for (size_t k = 0; n->key[k]; k++)
		buf_printf(&p->joins, "%s%s.k%zu = %s", k ? " AND " : "", name, k + 1,
			   map_select_column(s, &s->aliases[0], n->key[k]));
	x = arena_printf(w->arena, is_count(h->metric) ? "COALESCE(%s.m1, 0)" : "%s.m1", name);
	buf_printf(&p->conditions, "\n  AND %s",
		   map_compare(&w->binds, x, h->op, h->values, h->count, w->arena));
	if (st->column_count < MAP_SHOWN_MAX)
		add_column(w, st,
			   (struct map_column){.unit = h->metric->unit->symbol,
					       .type = is_count(h->metric) ? COLUMN_INT
									   : COLUMN_DECIMAL,
					       .priority = PRIORITY_HIGH,
					       .metric = h->metric},
			   h->metric->label, x, &p->columns);
	return true;
}

static bool add_period(struct map_writer *w, struct map_select *s, struct buf *out)
{
	const struct map_period *p = &w->query->period;
	const struct dimension_def *time = schema_time(w->map->schema, w->query->list);
	struct value *days = arena_alloc(w->arena, 2 * sizeof(*days));
	char start[DATE_ISO_BYTES], end[DATE_ISO_BYTES];

	if (!p->is_set)
		return true;
	date_iso(p->start, start);
	date_iso(p->end, end);
	days[0] = value_date(arena_strdup(w->arena, start));
	days[1] = value_date(arena_strdup(w->arena, end));
	return map_where_write(s, &w->binds,
			       &(struct map_where){.name = time->name,
						   .dimension = time,
						   .op = OP_BETWEEN,
						   .values = days,
						   .count = 2},
			       out);
}

static bool order_text(struct map_writer *w, struct map_select *s, const struct map_order *o,
		       const char **x)
{
	if (o->measure) {
		*x = map_select_column(s, &s->aliases[0], o->measure->column);
		return true;
	}
	return map_select_dimension(s, o->by.dimension, o->by.grain, true, x) &&
	       (w->query->list != NULL);
}

static bool write_order(struct map_writer *w, struct map_select *s, struct buf *out)
{
	const struct map_query *q = w->query;
	const char *title = map_select_column(s, &s->aliases[0], q->list->title), *x;

	buf_str(out, "\nORDER BY ");
	for (size_t i = 0; i < q->order_count; i++) {
		if (!order_text(w, s, &q->order[i], &x))
			return false;
		buf_printf(out, "CASE WHEN %s IS NULL THEN 1 ELSE 0 END, %s%s, ", x, x,
			   q->order[i].descending ? " DESC" : "");
	}
	buf_str(out, title);
	for (size_t k = 0; q->list->key[k]; k++)
		if (q->list->key[k] != q->list->title)
			buf_printf(out, ", %s",
				   map_select_column(s, &s->aliases[0], q->list->key[k]));
	return true;
}

/* Writes all clauses before the joins, because each of them can add a join. */
static bool write_clauses(struct map_writer *w, struct map_select *s, struct map_statement *st,
			  struct clauses *p)
{
	const struct map_query *q = w->query;

	if (!write_columns(w, s, st, &p->columns))
		return false;
	for (size_t i = 0; i < q->where_count; i++)
		if (!map_where_write(s, &w->binds, &q->where[i], &p->conditions))
			return false;
	for (size_t i = 0; i < q->having_count; i++)
		if (!join_metric(w, s, i, st, p))
			return false;
	return add_period(w, s, &p->conditions) && write_order(w, s, &p->order);
}

bool map_list_write(struct map_writer *w, struct buf *out, struct map_statement *st)
{
	struct map_select *s = arena_alloc(w->arena, sizeof(*s));
	struct clauses p;
	bool good;

	*s = (struct map_select){.map = w->map,
				 .arena = w->arena,
				 .dialect = w->dialect,
				 .why = w->why,
				 .e = w->e,
				 .next = &w->aliases};
	buf_init(&p.columns, MAP_TEXT_BYTES_MAX);
	buf_init(&p.joins, MAP_TEXT_BYTES_MAX);
	buf_init(&p.conditions, MAP_TEXT_BYTES_MAX);
	buf_init(&p.order, MAP_TEXT_BYTES_MAX);
	map_select_begin(s, w->query->list);
	good = write_clauses(w, s, st, &p);
	if (good) {
		buf_str(out, buf_text(&p.columns));
		map_select_from(s, out);
		buf_str(out, buf_text(&p.joins));
		map_select_where(s, out);
		buf_str(out, buf_text(&p.conditions));
		buf_str(out, buf_text(&p.order));
		map_write_limit(w, out);
	}
	buf_deinit(&p.columns);
	buf_deinit(&p.joins);
	buf_deinit(&p.conditions);
	buf_deinit(&p.order);
	return good;
}
