/*
 * Generates questions that the pack should answer, each with SQL derived from the tables alone. The
 * SQL does not use the map, so errors in the map become visible. The kinds alternate.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connect_int.h"
#include "map/pack_files.h"
#include "vesper/json.h"
#include "vesper/limits.h"

#define QUESTIONS_PER_TABLE 3 /* questions of one kind about one table */
#define TOP_GROUPS_FACTOR   2 /* "top 5" needs at least this many times 5 groups */
/* Larger results would be truncated in an answer. */
#define RESULT_ROWS  DB_ROWS_MAX
#define GOLDEN_BYTES (1024 * 1024)

struct golden {
	struct connect *c;
	struct ctl_pack *pack;
	struct buf lines;
	size_t count;
};

/* The subject of one question. */
struct subject {
	const struct connect_table *t;
	const struct connect_column *by, *measure;
};

typedef bool question_maker(struct golden *g, const struct subject *subject, struct err *e);

static const char *column_sql(const struct golden *g, const struct connect_column *col)
{
	return arena_printf(g->c->a, "t.%s", connect_quoted(g->c, col->name));
}

static const char *from_sql(const struct golden *g, const struct connect_table *t)
{
	return arena_printf(g->c->a, "%s t", connect_table_sql(g->c, t));
}

/* A value as an SQL literal; it comes from the database, not from a user. */
static const char *sql_literal(const struct golden *g, const char *text)
{
	struct buf out;
	const char *copy;

	buf_init(&out, 4 * CONNECT_VALUE_BYTES_MAX);
	buf_char(&out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_char(&out, '\'');
		buf_char(&out, *text);
	}
	buf_char(&out, '\'');
	copy = arena_strdup(g->c->a, buf_text(&out));
	buf_deinit(&out);
	return copy;
}

static const char *aggregate_sql(const struct golden *g, const struct connect_column *measure)
{
	return arena_printf(g->c->a, "%s(%s)", connect_is_average(g->c, measure) ? "AVG" : "SUM",
			    column_sql(g, measure));
}

static const char *question_template(const struct golden *g, const char *kind)
{
	return json_string_value(json_object_get(g->c->words.golden, kind));
}

/* Runs the SQL once, and keeps the question only if the SQL succeeds and its result is neither
 * empty nor truncated. */
static bool add_question(struct golden *g, const char *kind, const char *question, const char *sql,
			 struct err *e)
{
	struct server_cells rows, alive;
	json_t *line;
	struct err why;

	if (!connect_in_time(g->c, "golden questions", e))
		return false;
	if (!connect_rows(g->c, sql, RESULT_ROWS, g->c->a, &rows, &why))
		return connect_rows(g->c, "SELECT 1", 1, g->c->a, &alive, e);
	if (rows.rows == 0 || rows.rows >= RESULT_ROWS)
		return true;
	line = json_make({"id", json_str(arena_printf(g->c->a, "g%02zu", g->count + 1))},
			 {"kind", json_str(kind)}, {"question", json_str(question)},
			 {"sql", json_str(sql)}, {"rows", json_int((int64_t)rows.rows)});
	buf_json(&g->lines, line);
	buf_char(&g->lines, '\n');
	json_decref(line);
	if (g->count++ % QUESTIONS_PER_TABLE == 0)
		strlist_add(&g->pack->examples, g->c->a, question);
	return true;
}

/* ---- kinds ---- */

static bool make_count(struct golden *g, const struct subject *x, struct err *e)
{
	return add_question(
		g, "count",
		connect_fill(question_template(g, "count"), g->c->a, "plural", x->t->plural, NULL),
		arena_printf(g->c->a, "SELECT COUNT(*) FROM %s", from_sql(g, x->t)), e);
}

static bool make_count_by(struct golden *g, const struct subject *x, struct err *e)
{
	const char *by = x->by ? column_sql(g, x->by) : NULL;

	return !by || add_question(g, "count_by",
				   connect_fill(question_template(g, "count_by"), g->c->a, "plural",
						x->t->plural, "dimension",
						connect_column_label(g->c, x->t, x->by), NULL),
				   arena_printf(g->c->a, "SELECT %s, COUNT(*) FROM %s GROUP BY %s",
						by, from_sql(g, x->t), by),
				   e);
}

static bool make_measure_by(struct golden *g, const struct subject *x, const char *kind,
			    const char *aggregate, struct err *e)
{
	const char *by = column_sql(g, x->by);

	return add_question(g, kind,
			    connect_fill(question_template(g, kind), g->c->a, "measure",
					 connect_column_label(g->c, x->t, x->measure), "dimension",
					 connect_column_label(g->c, x->t, x->by), NULL),
			    arena_printf(g->c->a, "SELECT %s, %s FROM %s GROUP BY %s", by,
					 aggregate, from_sql(g, x->t), by),
			    e);
}

static bool make_sum_by(struct golden *g, const struct subject *x, struct err *e)
{
	return !x->by || !x->measure ||
	       make_measure_by(g, x, "sum_by", aggregate_sql(g, x->measure), e);
}

static bool make_ratio(struct golden *g, const struct subject *x, struct err *e)
{
	return !x->by || !x->measure ||
	       make_measure_by(g, x, "ratio",
			       arena_printf(g->c->a, "AVG(%s)", column_sql(g, x->measure)), e);
}

static bool make_top(struct golden *g, const struct subject *x, struct err *e)
{
	const char *by, *value, *rest;

	if (!x->by || !x->measure || x->by->distinct < 5 * TOP_GROUPS_FACTOR)
		return true;
	by = column_sql(g, x->by);
	value = aggregate_sql(g, x->measure);
	rest = arena_printf(g->c->a,
			    "%s GROUP BY %s ORDER BY CASE WHEN %s IS NULL THEN 1 ELSE 0 END, %s "
			    "DESC, %s",
			    from_sql(g, x->t), by, value, value, by);
	return add_question(
		g, "top",
		connect_fill(question_template(g, "top"), g->c->a, "dimension",
			     connect_plural(&g->c->words, connect_column_label(g->c, x->t, x->by),
					    g->c->a),
			     "measure", connect_column_label(g->c, x->t, x->measure), NULL),
		connect_limited(g->c, arena_printf(g->c->a, "%s, %s", by, value), rest, 5), e);
}

/* A value from the middle of the list, since the most frequent one is not known. */
static const char *sample_value(const struct golden *g, const struct connect_column *col)
{
	if (!g->c->keeps_values || !col || col->personal || col->family != FAMILY_TEXT ||
	    col->value_count < 2)
		return NULL;
	return col->values[col->value_count / 2];
}

static bool make_filter(struct golden *g, const struct subject *x, struct err *e)
{
	const char *value = sample_value(g, x->by);

	return !value ||
	       add_question(
		       g, "filter",
		       connect_fill(question_template(g, "filter"), g->c->a, "plural", x->t->plural,
				    "dimension", connect_column_label(g->c, x->t, x->by), "value",
				    value, NULL),
		       arena_printf(g->c->a, "SELECT COUNT(*) FROM %s WHERE %s = %s",
				    from_sql(g, x->t), column_sql(g, x->by), sql_literal(g, value)),
		       e);
}

static bool make_exclusion(struct golden *g, const struct subject *x, struct err *e)
{
	const char *value = sample_value(g, x->by), *by;

	if (!value)
		return true;
	by = column_sql(g, x->by);
	return add_question(
		g, "exclusion",
		connect_fill(question_template(g, "exclusion"), g->c->a, "plural", x->t->plural,
			     "dimension", connect_column_label(g->c, x->t, x->by), "value", value,
			     NULL),
		arena_printf(g->c->a,
			     "SELECT %s, COUNT(*) FROM %s WHERE %s <> %s OR %s IS NULL GROUP "
			     "BY %s",
			     by, from_sql(g, x->t), by, sql_literal(g, value), by, by),
		e);
}

static bool make_period(struct golden *g, const struct subject *x, struct err *e)
{
	const struct connect_column *time = x->t->time;
	int year = time && time->max_value ? (int)strtol(time->max_value, NULL, 10) - 1 : 0;
	const char *at;

	if (!x->measure || year < 1900 || strtol(time->min_value, NULL, 10) > year)
		return true;
	at = column_sql(g, time);
	return add_question(
		g, "period",
		connect_fill(question_template(g, "period"), g->c->a, "measure",
			     connect_column_label(g->c, x->t, x->measure), "year",
			     arena_printf(g->c->a, "%d", year), NULL),
		arena_printf(
			g->c->a, "SELECT %s FROM %s WHERE %s >= '%d-01-01' AND %s < '%d-01-01'",
			aggregate_sql(g, x->measure), from_sql(g, x->t), at, year, at, year + 1),
		e);
}

/* The columns to group by: the title and the key, so that two rows with the same title stay
 * separate. */
static const char *group_by_sql(const struct golden *g, const struct connect_table *t,
				const char *name)
{
	for (size_t i = 0; i < t->key.count; i++)
		name = arena_printf(g->c->a, "%s, o.%s", name,
				    connect_quoted(g->c, t->columns[t->key.columns[i]].name));
	return name;
}

/* A question grouped by the title of another table, along the first edge to one. */
static bool make_edge(struct golden *g, const struct subject *x, struct err *e)
{
	for (size_t i = 0; i < g->c->edge_count; i++) {
		const struct connect_edge *edge = &g->c->edges[i];
		const struct connect_column *title = edge->to->title;
		const char *on = "", *name;

		if (edge->from != x->t || edge->to == x->t || !title || !title->dimension ||
		    title->family != FAMILY_TEXT)
			continue;
		for (size_t k = 0; k < edge->count; k++)
			on = arena_printf(
				g->c->a, "%s%so.%s = t.%s", on, k ? " AND " : "",
				connect_quoted(g->c, edge->to->columns[edge->on[k][1]].name),
				connect_quoted(g->c, edge->from->columns[edge->on[k][0]].name));
		name = arena_printf(g->c->a, "o.%s", connect_quoted(g->c, title->name));
		return add_question(
			g, "edge",
			connect_fill(question_template(g, "edge"), g->c->a, "plural", x->t->plural,
				     "dimension", connect_column_label(g->c, edge->to, title),
				     NULL),
			arena_printf(g->c->a,
				     "SELECT %s, COUNT(*) FROM %s LEFT JOIN %s o ON %s GROUP "
				     "BY %s",
				     name, from_sql(g, x->t), connect_table_sql(g->c, edge->to), on,
				     group_by_sql(g, edge->to, name)),
			e);
	}
	return true;
}

static bool make_threshold(struct golden *g, const struct subject *x, struct err *e)
{
	double min_value, max_value;
	const char *number;

	if (!x->measure || !x->measure->min_value || x->measure->distinct < 5)
		return true;
	min_value = strtod(x->measure->min_value, NULL);
	max_value = strtod(x->measure->max_value, NULL);
	number = arena_printf(g->c->a, "%.0f", min_value + (max_value - min_value) / 3);
	if (strtod(number, NULL) <= 0)
		return true;
	return add_question(g, "threshold",
			    connect_fill(question_template(g, "threshold"), g->c->a, "plural",
					 x->t->plural, "measure",
					 connect_column_label(g->c, x->t, x->measure), "number",
					 number, NULL),
			    arena_printf(g->c->a, "SELECT COUNT(*) FROM %s WHERE %s > %s",
					 from_sql(g, x->t), column_sql(g, x->measure), number),
			    e);
}

static question_maker *const makers[] = {make_count,     make_count_by, make_sum_by, make_top,
					 make_filter,    make_period,   make_edge,   make_ratio,
					 make_exclusion, make_threshold};
#define KINDS (sizeof(makers) / sizeof(*makers))

/* The n-th column of a table for that use; NULL: there are fewer. */
static const struct connect_column *nth_column(const struct connect_table *t, bool measure,
					       size_t n)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct connect_column *col = &t->columns[i];

		if ((measure ? col->measure != NULL
			     : col->dimension && (col->family == FAMILY_TEXT) &&
				       col->role == ROLE_DIMENSION) &&
		    n-- == 0)
			return col;
	}
	return NULL;
}

/* The n-th question of a kind: about the n-th table, then about further columns of each table. */
static bool make_question(struct golden *g, size_t kind, size_t n, struct err *e)
{
	const struct connect_table *t = &g->c->tables[n % g->c->table_count];
	size_t round = n / g->c->table_count;
	struct subject x = {
		.t = t, .by = nth_column(t, false, round), .measure = nth_column(t, true, round)};

	if (t->is_link || t->profile_error || round >= QUESTIONS_PER_TABLE)
		return true;
	if (round > 0 && (makers[kind] == make_count || makers[kind] == make_edge))
		return true;
	if (round > 0 && !x.by)
		x.by = nth_column(t, false, 0);
	return makers[kind](g, &x, e);
}

bool connect_golden(struct connect *c, struct ctl_pack *out, struct err *e)
{
	size_t next[KINDS] = {0}, last = c->table_count * QUESTIONS_PER_TABLE;
	struct golden g = {.c = c, .pack = out};
	bool ok = true, more = true;

	buf_init(&g.lines, GOLDEN_BYTES);
	while (ok && more && g.count < c->golden_max) {
		more = false;
		for (size_t kind = 0; ok && kind < KINDS && g.count < c->golden_max; kind++) {
			size_t before = g.count;

			while (ok && g.count == before && next[kind] < last)
				ok = make_question(&g, kind, next[kind]++, e);
			more = more || next[kind] < last;
		}
	}
	out->golden = arena_strdup(c->a, buf_text(&g.lines));
	buf_deinit(&g.lines);
	return ok;
}
