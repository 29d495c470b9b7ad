/*
 * Writes conditions. A condition along safe steps is a join and a comparison; one across a step
 * that would multiply rows is an EXISTS with the whole key. Every value is bound.
 */
#include "map_int.h"

#include <string.h>

/* ---- values ---- */

const char *map_bind(struct map_binds *b, const struct value *values, size_t count)
{
	const char *name = arena_printf(b->arena, "w%zu", ++b->count);

	if (count == 1)
		args_set(b->args, b->arena, name, values[0]);
	else
		args_set_list(b->args, b->arena, name, values, count);
	return name;
}

static const char *sign_of(enum where_op op)
{
	switch (op) {
	case OP_OVER:
		return ">";
	case OP_AT_LEAST:
		return ">=";
	case OP_UNDER:
		return "<";
	default:
		return "<=";
	}
}

static const char *compare_sets(struct map_binds *b, const char *x, enum where_op op,
				const struct value *values, size_t count, struct arena *a)
{
	const char *name = map_bind(b, values, count);
	bool is_not = op == OP_NOT;
	const char *one =
		arena_printf(a, count == 1 ? "%s %s :%s" : "%s %s (:%s...)", x,
			     count == 1 ? (is_not ? "<>" : "=") : (is_not ? "NOT IN" : "IN"), name);

	return is_not ? arena_printf(a, "(%s OR %s IS NULL)", one, x) : one;
}

const char *map_compare(struct map_binds *b, const char *x, enum where_op op,
			const struct value *values, size_t count, struct arena *a)
{
	const char *first, *last;
	struct value pattern;

	switch (op) {
	case OP_IS:
	case OP_NOT:
		return compare_sets(b, x, op, values, count, a);
	case OP_MISSING:
		return arena_printf(a, "%s IS NULL", x);
	case OP_PRESENT:
		return arena_printf(a, "%s IS NOT NULL", x);
	case OP_BETWEEN:
		first = map_bind(b, &values[0], 1);
		last = map_bind(b, &values[1], 1);
		return arena_printf(a, "%s >= :%s AND %s <= :%s", x, first, x, last);
	case OP_CONTAINS:
		pattern = value_text(sql_like_pattern(values[0].text, a));
		return arena_printf(a, "LOWER(%s) LIKE LOWER(:%s) ESCAPE '\\'", x,
				    map_bind(b, &pattern, 1));
	default:
		return arena_printf(a, "%s %s :%s", x, sign_of(op), map_bind(b, values, 1));
	}
}

/* ---- days compared with a column of times ---- */

static struct value day_after(const struct value *v, struct arena *a)
{
	char iso[DATE_ISO_BYTES];
	struct date d;

	if (!date_parse_iso(v->text, &d))
		return *v;
	date_iso(date_from_days(date_to_days(d) + 1), iso);
	return value_date(arena_strdup(a, iso));
}

/* A day is the half-open range up to the next day. */
static const char *compare_times(struct map_binds *b, const char *x, enum where_op op,
				 const struct value *values, size_t count, struct arena *a)
{
	const char *first, *last;
	struct value next;

	if (op == OP_MISSING || op == OP_PRESENT || op == OP_UNDER || op == OP_AT_LEAST)
		return map_compare(b, x, op, values, count, a);
	next = day_after(&values[count - 1], a);
	if (op == OP_AT_MOST)
		return map_compare(b, x, OP_UNDER, &next, 1, a);
	if (op == OP_OVER)
		return map_compare(b, x, OP_AT_LEAST, &next, 1, a);
	first = map_bind(b, &values[0], 1);
	last = map_bind(b, &next, 1);
	return arena_printf(a,
			    op == OP_NOT ? "(%s < :%s OR %s >= :%s OR %s IS NULL)"
					 : "%s >= :%s AND %s < :%s",
			    x, first, x, last, x);
}

static const char *compare(const struct map_select *s, struct map_binds *b,
			   const struct map_where *w, const char *x, enum where_op op)
{
	if (w->dimension && w->dimension->map.type == COLUMN_DATETIME && !w->grain)
		return compare_times(b, x, op, w->values, w->count, s->arena);
	return map_compare(b, x, op, w->values, w->count, s->arena);
}

/* All comparisons of a named condition, on one row. An unknown result counts as false. */
static const char *compare_named(const struct map_select *s, struct map_binds *b,
				 const struct map_where *w, const struct map_alias *at,
				 enum where_op op)
{
	const char *all = "";

	for (size_t i = 0; i < w->all_count; i++) {
		const struct map_where *one = &w->all[i];

		all = arena_printf(s->arena, "%s%s%s", all, i ? " AND " : "",
				   compare(s, b, one,
					   map_select_column(s, at, one->dimension->map.column),
					   one->op));
	}
	return op == OP_NOT ? arena_printf(s->arena, "CASE WHEN %s THEN 1 ELSE 0 END = 0", all)
			    : all;
}

/* ---- placement ---- */

/* The entity whose rows the condition compares. */
static const struct entity_def *entity_of(const struct map_where *w)
{
	return w->condition ? w->condition->entity : w->dimension->map.entity;
}

/* The comparison with a row of this alias. */
static const char *compare_at(const struct map_select *s, struct map_binds *b,
			      const struct map_where *w, const struct map_alias *at,
			      enum where_op op)
{
	const char *x;

	if (w->condition)
		return compare_named(s, b, w, at, op);
	x = map_select_column(s, at, w->measure ? w->measure->column : w->dimension->map.column);
	if (w->grain)
		x = map_grain(s->dialect, w->grain, w->dimension->map.type, x, s->arena);
	else if (s->scans && w->dimension && map_index_is_coarse(at->entity, w, op))
		x = arena_printf(s->arena, "+%s", x);
	return compare(s, b, w, x, op);
}

bool map_where_is_direct(const struct map_select *s, const struct map_where *w, bool *direct)
{
	struct map_path path;

	*direct = true;
	if (w->measure)
		return true;
	if (!map_select_path(s, s->aliases[0].entity, entity_of(w), &path))
		return false;
	*direct = map_path_is_safe(&path);
	return true;
}

static bool write_direct(struct map_select *s, struct map_binds *b, const struct map_where *w,
			 struct buf *out)
{
	const struct map_alias *at = &s->aliases[0];

	if (!w->measure && !map_select_reach(s, entity_of(w), false, &at))
		return false;
	buf_printf(out, "\n  AND %s", compare_at(s, b, w, at, w->op));
	return true;
}

/* Writes the first step of a path as the FROM of a subquery, correlated with a row of the outer
 * select. */
static void write_first(const struct map_select *outer, const struct map_step *step,
			const char *via, const char *to, struct buf *out, struct buf *correlation)
{
	const struct edge_def *g = step->edge;
	const char *row = outer->aliases[0].name;

	if (!g->via) {
		buf_printf(out, " FROM %s %s", map_step_to(step)->view->name, to);
		map_select_pairs(outer, g->on, g->on_count, step->reversed ? to : row,
				 step->reversed ? row : to, correlation);
		return;
	}
	buf_printf(out, " FROM %s %s JOIN %s %s ON ", g->via->view->name, via,
		   map_step_to(step)->view->name, to);
	if (step->reversed) {
		map_select_pairs(outer, g->on, g->on_count, to, via, out);
		map_select_pairs(outer, g->on_to, g->on_to_count, via, row, correlation);
	} else {
		map_select_pairs(outer, g->on_to, g->on_to_count, via, to, out);
		map_select_pairs(outer, g->on, g->on_count, row, via, correlation);
	}
	map_select_restrict(outer, map_step_to(step), to, " AND ", out);
	map_select_restrict(outer, g->via, via, " AND ", correlation);
}

/* Maps an operator to the one used inside [NOT] EXISTS. */
static enum where_op inner_operator(enum where_op op, bool *negated)
{
	*negated = op == OP_NOT || op == OP_MISSING;
	return op == OP_NOT ? OP_IS : op == OP_MISSING ? OP_PRESENT : op;
}

static bool write_exists(struct map_select *s, struct map_binds *b, const struct map_where *w,
			 struct buf *out)
{
	struct map_select in = {.map = s->map,
				.arena = s->arena,
				.dialect = s->dialect,
				.why = s->why,
				.e = s->e,
				.next = s->next};
	struct buf correlation, joins;
	const struct map_alias *at = NULL;
	struct map_path path;
	const char *via = NULL;
	bool negated, good;
	enum where_op op = inner_operator(w->op, &negated);

	if (!map_select_path(s, s->aliases[0].entity, entity_of(w), &path))
		return false;
	if (path.steps[0].edge->via)
		via = arena_printf(s->arena, "t%zu", ++*s->next);
	map_select_begin(&in, map_step_to(&path.steps[0]));
	good = map_select_reach(&in, entity_of(w), false, &at);
	if (!good)
		return false;
	buf_init(&correlation, MAP_TEXT_BYTES_MAX);
	buf_init(&joins, MAP_TEXT_BYTES_MAX);
	buf_printf(out, "\n  AND %sEXISTS (SELECT 1", negated ? "NOT " : "");
	write_first(s, &path.steps[0], via, in.aliases[0].name, out, &correlation);
	map_select_joins(&in, &joins);
	buf_printf(out, "%s WHERE %s", buf_text(&joins), buf_text(&correlation));
	if (!via)
		map_select_restrict(&in, in.aliases[0].entity, in.aliases[0].name, " AND ", out);
	buf_printf(out, " AND %s)", compare_at(&in, b, w, at, op));
	buf_deinit(&correlation);
	buf_deinit(&joins);
	return true;
}

bool map_where_write(struct map_select *s, struct map_binds *b, const struct map_where *w,
		     struct buf *out)
{
	bool direct;

	if (!map_where_is_direct(s, w, &direct))
		return false;
	return direct ? write_direct(s, b, w, out) : write_exists(s, b, w, out);
}
