/* Traces the origin of a column through derived tables and CTEs. */
#include "gate_edge.h"

static struct origin origin_in_query(const struct gate_query *q, struct str name,
				     const struct edge_scope *outer);

const struct gate_expr *edge_strip_parens(const struct gate_expr *x)
{
	while (x && x->kind == GATE_PAREN)
		x = x->kids;
	return x;
}

/* The first source that has the column, or with `open`, that may have it. */
static const struct gate_source *find_leaf(const struct gate_source *list, struct str name,
					   bool open)
{
	for (; list; list = list->next) {
		const struct gate_source *in = list;

		if (list->kind == GATE_GROUP)
			in = find_leaf(list->group, name, open);
		else if (open ? !list->result_columns.open
			      : !gate_columns_find(&list->result_columns, name))
			in = NULL;
		if (in)
			return in;
	}
	return NULL;
}

static const struct gate_source *leaf_of_column(const struct gate_source *list, struct str name)
{
	const struct gate_source *certain = find_leaf(list, name, false);

	return certain ? certain : find_leaf(list, name, true);
}

static bool contains_source(const struct gate_source *list, const struct gate_source *leaf)
{
	for (; list; list = list->next)
		if (list == leaf ||
		    (list->kind == GATE_GROUP && contains_source(list->group, leaf)))
			return true;
	return false;
}

const struct gate_source *edge_leaf(const struct gate_expr *column, const struct edge_scope *s,
				    const struct edge_scope **where)
{
	for (; s; s = s->outer) {
		const struct gate_source *leaf =
			!column->of ? leaf_of_column(s->select->from, column->name.text)
			: contains_source(s->select->from, column->of) ? column->of
								       : NULL;
		if (leaf) {
			*where = s;
			return leaf;
		}
	}
	return NULL;
}

/* ---- columns of a query ---- */

/* Maps a name of a column list to its item. NULL if a star precedes it, since positions are then
 * unknown. */
static const struct gate_item *item_at(const struct gate_select *select,
				       const struct gate_name *names, struct str name)
{
	const struct gate_item *item = select->items;

	for (; names && item; names = names->next, item = item->next) {
		if (item->value->kind == GATE_ALL)
			return NULL;
		if (str_eq_nocase(names->text, name))
			return item;
	}
	return NULL;
}

static const struct gate_item *item_named(const struct gate_select *select, struct str name)
{
	for (const struct gate_item *item = select->items; item; item = item->next) {
		const struct gate_expr *x = edge_strip_parens(item->value);
		struct str given = item->alias.text;

		if (!given.p && x->kind == GATE_COLUMN)
			given = x->name.text;
		if (given.p && str_eq_nocase(given, name))
			return item;
	}
	return NULL;
}

static struct origin origin_in_stars(const struct gate_select *select, struct str name,
				     const struct edge_scope *s)
{
	for (const struct gate_item *item = select->items; item; item = item->next) {
		const struct gate_source *leaf = NULL;

		if (item->value->kind != GATE_ALL)
			continue;
		leaf = item->value->of ? item->value->of : leaf_of_column(select->from, name);
		if (leaf && gate_columns_find(&leaf->result_columns, name))
			return edge_origin_in(leaf, name, s);
	}
	return (struct origin){0};
}

static struct origin origin_in_select(const struct gate_select *select,
				      const struct gate_name *names, struct str name,
				      const struct edge_scope *outer)
{
	const struct edge_scope s = {outer, select};
	const struct gate_item *item =
		names ? item_at(select, names, name) : item_named(select, name);
	struct origin o;

	if (item && item->value->kind != GATE_ALL)
		o = edge_origin_of_value(item->value, &s, false);
	else
		o = names ? (struct origin){0} : origin_in_stars(select, name, &s);
	o.scope = NULL; /* the scope inside a query is invalid outside it */
	return o;
}

static struct origin origin_in_named(const struct gate_query *q, const struct gate_name *names,
				     struct str name, const struct edge_scope *outer)
{
	if (q->terms->next)
		return (struct origin){0};
	if (q->terms->query)
		return names ? (struct origin){0} : origin_in_query(q->terms->query, name, outer);
	return origin_in_select(q->terms->select, names, name, outer);
}

static struct origin origin_in_query(const struct gate_query *q, struct str name,
				     const struct edge_scope *outer)
{
	return origin_in_named(q, NULL, name, outer);
}

static void set_found(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s)
{
	(void)x;
	(void)s;
	*(bool *)w->owner = true;
}

/* Applied VALUES may contain columns of a row. */
static bool has_columns(const struct gate_expr *rows, const struct edge_scope *s)
{
	bool found = false;
	struct edge_walk w = {set_found, &found};

	for (; rows; rows = rows->next)
		edge_walk_expr(&w, rows, s);
	return found;
}

struct origin edge_origin_in(const struct gate_source *leaf, struct str name,
			     const struct edge_scope *s)
{
	struct origin o = {0};

	if (leaf->pivot)
		o.kind = ORIGIN_NONE;
	else if (leaf->kind == GATE_VALUES)
		o.kind = has_columns(leaf->rows, s) ? ORIGIN_NONE : ORIGIN_LITERAL;
	else if (leaf->kind == GATE_DERIVED)
		o = origin_in_named(leaf->query, leaf->columns, name, leaf->lateral ? s : s->outer);
	else if (leaf->cte)
		o = origin_in_named(leaf->cte->query, leaf->cte->columns, name, NULL);
	else if (leaf->view_use)
		o = (struct origin){.kind = ORIGIN_VIEW, .base = leaf, .column = name};
	o.leaf = leaf;
	o.scope = s;
	return o;
}

struct origin edge_origin(const struct gate_expr *column, const struct edge_scope *s)
{
	const struct edge_scope *where = NULL;
	const struct gate_source *leaf = edge_leaf(column, s, &where);

	return leaf ? edge_origin_in(leaf, column->name.text, where) : (struct origin){0};
}

static bool is_extreme(const struct gate_expr *x)
{
	return x->kind == GATE_CALL && x->kid_count == 1 && !x->call->over &&
	       (str_eq_nocase(x->text, STR("MIN")) || str_eq_nocase(x->text, STR("MAX")));
}

struct origin edge_origin_of_value(const struct gate_expr *x, const struct edge_scope *s,
				   bool extremes)
{
	x = edge_strip_parens(x);
	if (extremes && is_extreme(x))
		x = edge_strip_parens(x->kids);
	return x->kind == GATE_COLUMN ? edge_origin(x, s) : (struct origin){0};
}

/* ---- traversal ---- */

static void walk_exprs(struct edge_walk *w, const struct gate_expr *list,
		       const struct edge_scope *s)
{
	for (; list; list = list->next)
		edge_walk_expr(w, list, s);
}

static void walk_order(struct edge_walk *w, const struct gate_order *o, const struct edge_scope *s)
{
	for (; o; o = o->next)
		edge_walk_expr(w, o->by, s);
}

static void walk_window(struct edge_walk *w, const struct gate_window *n,
			const struct edge_scope *s)
{
	walk_exprs(w, n->partition, s);
	walk_order(w, n->order, s);
}

void edge_walk_expr(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s)
{
	if (!x)
		return;
	if (x->kind == GATE_COLUMN)
		w->column(w, x, s);
	walk_exprs(w, x->kids, s);
	edge_walk_expr(w, x->operand, s);
	edge_walk_expr(w, x->otherwise, s);
	if (x->query)
		edge_walk_query(w, x->query, s);
	if (!x->call)
		return;
	walk_order(w, x->call->order, s);
	walk_order(w, x->call->within_group, s);
	edge_walk_expr(w, x->call->filter, s);
	if (x->call->over)
		walk_window(w, x->call->over, s);
}

static void walk_sources(struct edge_walk *w, const struct gate_source *list,
			 const struct edge_scope *s)
{
	for (; list; list = list->next) {
		edge_walk_expr(w, list->on, s);
		if (list->kind == GATE_GROUP)
			walk_sources(w, list->group, s);
		if (list->kind == GATE_DERIVED)
			edge_walk_query(w, list->query, list->lateral ? s : s->outer);
		walk_exprs(w, list->rows, s);
	}
}

static void walk_select(struct edge_walk *w, const struct gate_select *select,
			const struct gate_order *order, const struct edge_scope *outer)
{
	const struct edge_scope s = {outer, select};

	walk_sources(w, select->from, &s);
	for (const struct gate_item *item = select->items; item; item = item->next)
		edge_walk_expr(w, item->value, &s);
	edge_walk_expr(w, select->where, &s);
	walk_exprs(w, select->group_by, &s);
	edge_walk_expr(w, select->having, &s);
	for (const struct gate_window *n = select->windows; n; n = n->next)
		walk_window(w, n, &s);
	walk_order(w, order, &s);
}

void edge_walk_query(struct edge_walk *w, const struct gate_query *q,
		     const struct edge_scope *outer)
{
	for (const struct gate_cte *cte = q->ctes; cte; cte = cte->next)
		edge_walk_query(w, cte->query, outer);
	for (const struct gate_term *term = q->terms; term; term = term->next) {
		if (term->query)
			edge_walk_query(w, term->query, outer);
		else
			walk_select(w, term->select, q->terms->next ? NULL : q->order, outer);
	}
}
