/*
 * Writes the whole statement of a query: blocks of metrics (a UNION where they are of several
 * entities), then metrics computed from two others, HAVING conditions, order and limit.
 */
#include "map_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/language.h"
#include "vesper/units.h"

#define PARTS_MAX (4 * MAP_METRICS_ASKED_MAX)

/* ---- column names ---- */

static bool is_taken(const struct map_column *list, size_t count, const char *label)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].label, label) == 0)
			return true;
	return false;
}

const char *map_label(struct map_writer *w, const char *label, const struct map_column *before,
		      size_t count)
{
	char *out = arena_strdup(w->arena, label), *to = out;
	const char *unique;

	for (const char *p = label; *p; p++)
		if (!strchr("\"[]\\:?;{}", *p))
			*to++ = *p;
	*to = '\0';
	if (*out >= 'a' && *out <= 'z')
		*out = (char)(*out - 'a' + 'A');
	unique = out;
	for (size_t n = 2; is_taken(before, count, unique); n++)
		unique = arena_printf(w->arena, "%s (%zu)", out, n);
	return unique;
}

const char *map_exact(const struct map_writer *w, const char *expression)
{
	return arena_printf(w->arena,
			    w->dialect == DIALECT_SQLITE ? "CAST(%s AS real)"
							 : "CAST(%s AS decimal(38,10))",
			    expression);
}

/* ---- parts ---- */

struct parts {
	struct map_part items[PARTS_MAX];
	size_t count;
};

static const struct map_part *find_part(const struct parts *p, const struct metric_def *m,
					bool is_before)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->items[i].metric == m && p->items[i].is_before == is_before)
			return &p->items[i];
	return NULL;
}

static void add_part(struct map_writer *w, struct parts *p, const struct metric_def *m,
		     bool is_before)
{
	if (m->form != FORM_MEASURE) {
		add_part(w, p, m->left, is_before);
		add_part(w, p, m->right, is_before);
		return;
	}
	if (find_part(p, m, is_before))
		return;
	p->items[p->count] =
		(struct map_part){m, is_before, arena_printf(w->arena, "m%zu", p->count + 1)};
	p->count++;
}

/* ---- blocks ---- */

/* Assigns each part to a block. Blocks are in the order of their first parts. */
static size_t group_parts(const struct parts *p, size_t block[PARTS_MAX])
{
	size_t blocks = 0;

	for (size_t i = 0; i < p->count; i++) {
		block[i] = blocks;
		for (size_t k = 0; k < i; k++)
			if (map_parts_share(&p->items[k], &p->items[i]))
				block[i] = block[k];
		if (block[i] == blocks)
			blocks++;
	}
	return blocks;
}

static size_t parts_of(const struct parts *p, const size_t block[PARTS_MAX], size_t index,
		       struct map_part out[PARTS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		if (block[i] == index)
			out[n++] = p->items[i];
	return n;
}

/* Writes one block of several: its own columns, and NULL for those of the other blocks. */
static bool write_stacked(struct map_writer *w, const struct parts *p,
			  const size_t block[PARTS_MAX], size_t index, struct buf *out)
{
	struct map_part own[PARTS_MAX];
	size_t count = parts_of(p, block, index, own);

	buf_printf(out, "%sSELECT ", index ? "\nUNION ALL\n" : "");
	for (size_t i = 0; i < w->query->by_count; i++)
		buf_printf(out, "b.d%zu AS d%zu, ", i + 1, i + 1);
	for (size_t i = 0; i < p->count; i++)
		buf_printf(out,
			   block[i] == index ? "%sb.%s AS %s"
					     : "%sCAST(NULL AS decimal(38,10)) AS %s",
			   i ? ", " : "", p->items[i].name, p->items[i].name);
	buf_str(out, " FROM (");
	if (!map_block_write(w, own, count, NULL, out))
		return false;
	buf_str(out, ") b");
	return true;
}

static bool write_stack(struct map_writer *w, const struct parts *p, const size_t block[PARTS_MAX],
			size_t blocks, struct buf *out)
{
	buf_str(out, "SELECT ");
	for (size_t i = 0; i < w->query->by_count; i++)
		buf_printf(out, "u.d%zu AS d%zu, ", i + 1, i + 1);
	for (size_t i = 0; i < p->count; i++)
		buf_printf(out, "%sMAX(u.%s) AS %s", i ? ", " : "", p->items[i].name,
			   p->items[i].name);
	buf_str(out, " FROM (");
	for (size_t i = 0; i < blocks; i++)
		if (!write_stacked(w, p, block, i, out))
			return false;
	buf_str(out, ") u");
	for (size_t i = 0; i < w->query->by_count; i++)
		buf_printf(out, "%su.d%zu", i ? ", " : "\nGROUP BY ", i + 1);
	return true;
}

static bool write_rows(struct map_writer *w, const struct parts *p, struct buf *out)
{
	size_t block[PARTS_MAX];
	size_t blocks = group_parts(p, block);

	return blocks == 1 ? map_block_write(w, p->items, p->count, NULL, out)
			   : write_stack(w, p, block, blocks, out);
}

/* ---- result columns ---- */

static bool is_count(const struct metric_def *m)
{
	return m->form == FORM_MEASURE &&
	       (m->measure->aggregate == AGGREGATE_COUNT ||
		m->measure->aggregate == AGGREGATE_COUNT_DISTINCT) &&
	       m->measure->additivity != ADDITIVE_SEMI;
}

/* The factor that converts left / right to the metric's unit. If both have the same dimension,
 * it is left scale / right scale / metric scale; otherwise 1. */
static const char *factor_of(struct map_writer *w, const struct metric_def *m)
{
	char text[DECIMAL_TEXT_BYTES];
	const struct unit_def *l = m->left->unit, *r = m->right->unit;
	struct decimal f = decimal_int(1);

	if (strcmp(l->dimension, r->dimension) == 0 &&
	    (!decimal_div(l->scale, r->scale, 10, &f) || !decimal_div(f, m->unit->scale, 10, &f)))
		f = decimal_int(1);
	decimal_text_short(f, text);
	return arena_strdup(w->arena, text);
}

static const char *metric_text(struct map_writer *w, const struct parts *p,
			       const struct metric_def *m, bool is_before)
{
	const char *l, *r;

	if (m->form == FORM_MEASURE)
		return arena_printf(w->arena, "q.%s", find_part(p, m, is_before)->name);
	l = metric_text(w, p, m->left, is_before);
	r = metric_text(w, p, m->right, is_before);
	if (m->form == FORM_DIFFERENCE)
		return arena_printf(w->arena, "%s - %s", l, r);
	return arena_printf(w->arena, "%s * %s / NULLIF(%s, 0)", factor_of(w, m), map_exact(w, l),
			    map_exact(w, r));
}

static void add_column(struct map_writer *w, struct map_statement *s, struct map_column c,
		       const char *label, const char *expression, struct buf *out)
{
	struct map_column *list = (struct map_column *)(uintptr_t)s->columns;

	c.label = map_label(w, label, s->columns, s->column_count);
	buf_printf(out, "%s%s AS \"%s\"", s->column_count ? ", " : "", expression, c.label);
	list[s->column_count++] = c;
}

static enum column_type grain_type(const struct map_by *by)
{
	if (!by->grain)
		return by->dimension->map.type;
	return by->grain == GRAIN_YEAR || by->grain == GRAIN_WEEKDAY ||
			       by->grain == GRAIN_HOUR_OF_DAY
		       ? COLUMN_INT
		       : COLUMN_TEXT;
}

static void add_by_column(struct map_writer *w, struct map_statement *s, size_t i, struct buf *out)
{
	const struct map_by *by = &w->query->by[i];
	const char *label = by->grain ? grain_name(by->grain) : by->dimension->label;

	add_column(w, s,
		   (struct map_column){.type = grain_type(by),
				       .priority = PRIORITY_HIGH,
				       .dimension = by->grain ? NULL : by->dimension},
		   label, arena_printf(w->arena, "q.d%zu", i + 1), out);
}

static void add_metric_column(struct map_writer *w, const struct parts *p, struct map_statement *s,
			      const struct metric_def *m, bool is_before, struct buf *out)
{
	const char *x = metric_text(w, p, m, is_before);
	const char *label =
		is_before ? sentence(w->map->catalog->language, SAY_MAP_BEFORE, w->arena, m->label)
			  : m->label;

	if (is_count(m))
		x = arena_printf(w->arena, "CAST(%s AS %s)", x,
				 w->dialect == DIALECT_SQLITE ? "integer" : "bigint");
	add_column(w, s,
		   (struct map_column){.unit = m->unit->symbol,
				       .type = is_count(m) ? COLUMN_INT : COLUMN_DECIMAL,
				       .priority = PRIORITY_HIGH,
				       .metric = m,
				       .is_before = is_before},
		   label, x, out);
}

/* ---- order ---- */

static void order_by(struct buf *out, bool *any, const char *x, bool descending, bool nulls)
{
	buf_str(out, *any ? ", " : "\nORDER BY ");
	*any = true;
	if (nulls)
		buf_printf(out, "CASE WHEN %s IS NULL THEN 1 ELSE 0 END, ", x);
	buf_printf(out, "%s%s", x, descending ? " DESC" : "");
}

static bool is_sequence(const struct map_by *by)
{
	return by->grain || by->dimension->map.type != COLUMN_TEXT;
}

/* Default order: by the first metric (largest first, with `bottom` smallest first) if there is a
 * row limit or the first grouping is text. write_order adds the groupings. */
static void write_default_order(struct map_writer *w, const struct parts *p, bool *any,
				struct buf *out)
{
	const struct map_query *q = w->query;

	if (q->by_count == 0)
		return;
	if (q->rows || !is_sequence(&q->by[0]))
		order_by(out, any, metric_text(w, p, q->metrics[0], false), !q->from_bottom, true);
}

static void write_order(struct map_writer *w, const struct parts *p, struct buf *out)
{
	const struct map_query *q = w->query;
	bool used[MAP_GROUPS_MAX] = {false};
	bool any = false;

	for (size_t i = 0; i < q->order_count; i++) {
		const struct map_order *o = &q->order[i];

		if (o->metric)
			order_by(out, &any, metric_text(w, p, o->metric, false), o->descending,
				 true);
		for (size_t k = 0; !o->metric && k < q->by_count; k++)
			if (q->by[k].dimension == o->by.dimension &&
			    q->by[k].grain == o->by.grain) {
				order_by(out, &any, arena_printf(w->arena, "q.d%zu", k + 1),
					 o->descending, false);
				used[k] = true;
			}
	}
	if (!any)
		write_default_order(w, p, &any, out);
	for (size_t k = 0; k < q->by_count; k++)
		if (!used[k])
			order_by(out, &any, arena_printf(w->arena, "q.d%zu", k + 1), false, false);
	if (!any) /* OFFSET needs an order */
		buf_str(out, "\nORDER BY 1");
}

void map_write_limit(struct map_writer *w, struct buf *out)
{
	struct value rows = value_int(w->query->rows);

	buf_printf(out, "\nOFFSET 0 ROWS FETCH NEXT :%s ROWS ONLY\n",
		   w->query->rows ? map_bind(&w->binds, &rows, 1) : "row_limit");
}

static void write_having(struct map_writer *w, const struct parts *p, struct buf *out)
{
	for (size_t i = 0; i < w->query->having_count; i++) {
		const struct map_having *h = &w->query->having[i];

		buf_printf(out, "%s%s", i ? " AND " : "\nWHERE ",
			   map_compare(&w->binds, metric_text(w, p, h->metric, false), h->op,
				       h->values, h->count, w->arena));
	}
}

static bool has_parts(const struct parts *p, const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? find_part(p, m, false) != NULL
				       : has_parts(p, m->left) && has_parts(p, m->right);
}

/* A query built by code may compare a metric that it does not request. The parser rejects that
 * in map_query.c and map_rows.c. */
static bool check_parts(struct map_writer *w, const struct parts *p)
{
	const struct map_query *q = w->query;
	const struct metric_def *missing = NULL;

	for (size_t i = 0; i < q->having_count; i++)
		if (!has_parts(p, q->having[i].metric))
			missing = q->having[i].metric;
	for (size_t i = 0; i < q->order_count; i++)
		if (q->order[i].metric && !has_parts(p, q->order[i].metric))
			missing = q->order[i].metric;
	return !missing || map_fail(w->why, MAP_BAD_VALUE, missing->name, w->e,
				    "%s is compared but not requested", missing->label);
}

static bool write_metrics(struct map_writer *w, struct buf *out, struct map_statement *s)
{
	const struct map_query *q = w->query;
	struct parts *p = arena_alloc(w->arena, sizeof(*p));

	for (size_t i = 0; i < q->metric_count; i++) {
		add_part(w, p, q->metrics[i], false);
		if (q->before.is_set)
			add_part(w, p, q->metrics[i], true);
	}
	if (!check_parts(w, p))
		return false;
	buf_str(out, "SELECT ");
	for (size_t i = 0; i < q->by_count && !q->by[i].hidden; i++)
		add_by_column(w, s, i, out);
	for (size_t i = 0; i < q->metric_count; i++) {
		add_metric_column(w, p, s, q->metrics[i], false, out);
		if (q->before.is_set)
			add_metric_column(w, p, s, q->metrics[i], true, out);
	}
	buf_str(out, "\nFROM (");
	if (!write_rows(w, p, out))
		return false;
	buf_str(out, ") q");
	write_having(w, p, out);
	write_order(w, p, out);
	map_write_limit(w, out);
	return true;
}

bool map_write(const struct map *m, const struct map_query *q, enum dialect d, struct arena *a,
	       struct map_statement *out, struct map_problem *why, struct err *e)
{
	struct map_statement s = {
		.columns = arena_alloc(a, (MAP_BY_MAX + MAP_SHOWN_MAX + 2 * MAP_METRICS_ASKED_MAX +
					   2) * sizeof(*s.columns))};
	struct map_writer w = {.map = m,
			       .query = q,
			       .dialect = d,
			       .arena = a,
			       .binds = {.args = &s.values, .arena = a},
			       .why = why,
			       .e = e};
	struct buf text;
	bool good;

	*why = (struct map_problem){0};
	buf_init(&text, MAP_TEXT_BYTES_MAX);
	good = (q->list ? map_list_write(&w, &text, &s) : write_metrics(&w, &text, &s));
	if (good && buf_over(&text))
		good = map_fail(why, MAP_BAD_VALUE, NULL, e, "the statement would be too long");
	if (good)
		s.text = arena_strdup(a, buf_text(&text));
	buf_deinit(&text);
	if (good)
		*out = s;
	return good;
}
