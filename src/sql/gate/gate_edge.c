/*
 * Checks that every join follows an edge of the map. Each source of a FROM must be joined to an
 * earlier one by the equalities of one complete edge; so must correlated subqueries. Joins that
 * cannot be determined are refused.
 */
#include "gate_edge.h"

#include <string.h>

static bool check_query(const struct gate *g, const struct gate_query *q,
			const struct edge_scope *outer);
static bool check_expr(const struct gate *g, const struct gate_expr *x, const struct edge_scope *s);

static bool is_equality(const struct gate_expr *x)
{
	return x->kind == GATE_CHAIN && x->kid_count == 2 && strcmp(x->kids->next->op, "=") == 0;
}

static bool is_and(const struct gate_expr *x)
{
	return x->kind == GATE_CHAIN && x->kid_count > 1 && strcmp(x->kids->next->op, "AND") == 0;
}

/* ---- FROM ---- */

static bool is_in(const struct gate_source *s, const struct gate_source *leaf)
{
	if (s->kind != GATE_GROUP)
		return s == leaf;
	for (const struct gate_source *in = s->group; in; in = in->next)
		if (is_in(in, leaf))
			return true;
	return false;
}

static bool is_aggregated(const struct gate *g, const struct gate_expr *x);

/* Returns true for a source with one row of aggregates over a whole table. */
static bool is_one_row(const struct gate *g, const struct gate_source *s)
{
	const struct gate_query *q = s->kind == GATE_DERIVED ? s->query
				     : s->cte                ? s->cte->query
							     : NULL;
	const struct gate_select *select = q && !q->terms->next ? q->terms->select : NULL;

	if (!select || select->group_by || s->pivot || s->lateral)
		return false;
	for (const struct gate_item *item = select->items; item; item = item->next)
		if (!is_aggregated(g, item->value))
			return false;
	return true;
}

/* Constant rows and single aggregate values may be joined to anything, but do not connect other
 * sources. */
static bool is_literal(const struct gate *g, const struct gate_source *s)
{
	return s->kind == GATE_VALUES || is_one_row(g, s);
}

static bool refuse_join(const struct gate *g, const struct gate_source *s,
			const struct gate_source *before)
{
	const struct gate_view *from = edge_view_of(s), *to = edge_view_of(before);

	return from ? edge_refuse_views(g, s->at, from, to)
		    : gate_refuse(g, s->at, "not joined along an edge of the map");
}

/* Each condition must be a pair of an edge or refer to one source only. */
static bool check_conjunct(const struct gate *g, const struct gate_expr *x,
			   const struct edge_scope *s, struct edge_pairs *out)
{
	struct edge_sources t;
	struct origin a, b;

	x = edge_strip_parens(x);
	if (is_and(x)) {
		for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
			if (!check_conjunct(g, kid, s, out))
				return false;
		return true;
	}
	t = edge_sources_of(x, s);
	if (!t.two)
		return true;
	if (!is_equality(x))
		return gate_refuse(g, x->at,
				   "a join condition other than the key's; move it to WHERE");
	a = edge_origin_of_value(x->kids, s, false);
	b = edge_origin_of_value(x->kids->next, s, false);
	if (a.kind == ORIGIN_LITERAL || b.kind == ORIGIN_LITERAL)
		return true;
	if (a.kind != ORIGIN_VIEW || b.kind != ORIGIN_VIEW)
		return gate_refuse(g, x->at,
				   "a computed column, or one of a UNION, cannot be a join key");
	return edge_add_pair(g, out, a, b, x->at);
}

static bool add_using(const struct gate *g, const struct gate_source *s,
		      const struct gate_source *list, const struct edge_scope *scope,
		      struct edge_pairs *out)
{
	for (const struct gate_name *n = s->using_columns; n; n = n->next)
		for (const struct gate_source *before = list; before != s; before = before->next) {
			struct origin a, b;

			if (before->kind == GATE_GROUP ||
			    !gate_columns_find(&before->result_columns, n->text))
				continue;
			a = edge_origin_in(before, n->text, scope);
			b = edge_origin_in(s, n->text, scope);
			if (a.kind == ORIGIN_VIEW && b.kind == ORIGIN_VIEW &&
			    !edge_add_pair(g, out, a, b, n->at))
				return false;
			break;
		}
	return true;
}

/* A pair joins this source if exactly one of its ends is in it; the other end becomes `a`. */
static bool orient_pair(const struct gate_source *s, struct edge_pair *pair)
{
	bool a_in = is_in(s, pair->a.leaf), b_in = is_in(s, pair->b.leaf);

	if (a_in == b_in)
		return false;
	if (a_in) {
		struct origin swap = pair->a;

		pair->a = pair->b;
		pair->b = swap;
	}
	return true;
}

/* True for a derived table or CTE with one row per value of the joined columns, if these are the
 * same columns of the same view: "against the average of its own market". */
static bool is_grouped_by(const struct edge_pair *pairs, size_t count, bool second)
{
	const struct gate_source *s = second ? pairs->b.leaf : pairs->a.leaf;
	const struct gate_query *q = s->kind == GATE_DERIVED ? s->query
				     : s->cte                ? s->cte->query
							     : NULL;
	const struct gate_select *select = q && !q->terms->next ? q->terms->select : NULL;

	if (!select || !select->group_by || !edge_all_same_columns(pairs, count))
		return false;
	for (const struct gate_expr *by = select->group_by; by; by = by->next) {
		const struct edge_scope inner = {NULL, select};
		struct origin o = edge_origin_of_value(by, &inner, false);
		bool found = false;

		for (size_t i = 0; i < count && !found && o.kind == ORIGIN_VIEW; i++) {
			const struct origin *end = second ? &pairs[i].b : &pairs[i].a;

			found = str_eq_nocase(o.column, end->column) && o.base == end->base;
		}
		if (!found)
			return false;
	}
	return true;
}

static bool joins_along_edge(const struct gate *g, const struct gate_source *s,
			     struct edge_pairs *list, bool *joined)
{
	for (size_t i = 0; i < list->count; i++)
		*joined |= orient_pair(s, &list->items[i]);
	for (size_t i = 0; i < list->count; i++) {
		struct edge_pair *group = NULL;
		size_t count = edge_pairs_group(g, list, i, &group);

		if (count == 0 || edge_is_complete(g, group, count) ||
		    is_grouped_by(group, count, false) || is_grouped_by(group, count, true))
			continue;
		return edge_refuse_pairs(g, group->at, group, count);
	}
	return true;
}

/* Returns true for a derived table with columns of its siblings. */
static bool is_applied(const struct gate_source *s, const struct edge_scope *scope);
static bool check_subquery_of(const struct gate *g, const struct gate_query *q,
			      const struct gate_expr *with, bool same, size_t at,
			      const struct edge_scope *s);
static bool returns_one_aggregate(const struct gate *g, const struct gate_query *q);

static bool check_source(const struct gate *g, const struct gate_source *s,
			 const struct gate_source *list, const struct gate_source *anchor,
			 const struct edge_scope *scope)
{
	struct edge_pairs pairs = {0};
	bool joined = false;

	if (s->join_kind == GATE_JOIN_FULL)
		return gate_refuse(g, s->at,
				   "a FULL JOIN is not along an edge of the map; use LEFT JOIN");
	if ((s->on && !check_conjunct(g, s->on, scope, &pairs)) ||
	    !add_using(g, s, list, scope, &pairs) || !joins_along_edge(g, s, &pairs, &joined))
		return false;
	if (joined || is_literal(g, s) || !anchor)
		return true;
	if (s->lateral && is_applied(s, scope))
		return true; /* checked as a subquery */
	return refuse_join(g, s, anchor);
}

static bool check_sources(const struct gate *g, const struct gate_source *list,
			  const struct edge_scope *scope)
{
	const struct gate_source *anchor = NULL;

	for (const struct gate_source *s = list; s; s = s->next) {
		if (s->kind == GATE_GROUP && !check_sources(g, s->group, scope))
			return false;
		if (s->kind == GATE_DERIVED &&
		    (!check_query(g, s->query, s->lateral ? scope : scope->outer) ||
		     (s->lateral && is_applied(s, scope) &&
		      !check_subquery_of(g, s->query, NULL, returns_one_aggregate(g, s->query),
					 s->at, scope))))
			return false;
		if (s != list && !check_source(g, s, list, anchor, scope))
			return false;
		if ((s->on && !check_expr(g, s->on, scope)))
			return false;
		if (!is_literal(g, s))
			anchor = anchor ? anchor : s;
	}
	return true;
}

/* ---- subqueries ---- */

/* Returns true when the query uses columns of an outer scope. */
static bool is_correlated(const struct gate_query *q, const struct edge_scope *s)
{
	/* An empty inner scope makes the whole of `s` an outer one. */
	static const struct gate_select nothing;
	const struct edge_scope inside = {s, &nothing};
	struct edge_sources t = {.scope = &inside};
	struct edge_walk w = {edge_add_source, &t};

	edge_walk_query(&w, q, s);
	return t.has_outer_column;
}

static bool is_applied(const struct gate_source *s, const struct edge_scope *scope)
{
	return s->kind == GATE_DERIVED && is_correlated(s->query, scope);
}

/* Adds equalities between a column of the subquery and one of an outer scope. */
static bool add_correlated(const struct gate *g, const struct gate_expr *x,
			   const struct edge_scope *inner, struct edge_pairs *out)
{
	struct origin a, b;

	x = edge_strip_parens(x);
	if (!x)
		return true;
	if (is_and(x)) {
		for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
			if (!add_correlated(g, kid, inner, out))
				return false;
		return true;
	}
	if (!is_equality(x))
		return true;
	a = edge_origin_of_value(x->kids, inner, false);
	b = edge_origin_of_value(x->kids->next, inner, false);
	if (a.kind != ORIGIN_VIEW || b.kind != ORIGIN_VIEW ||
	    (a.scope == inner) == (b.scope == inner))
		return true;
	return edge_add_pair(g, out, a.scope == inner ? b : a, a.scope == inner ? a : b, x->at);
}

static bool add_correlated_on(const struct gate *g, const struct gate_source *list,
			      const struct edge_scope *inner, struct edge_pairs *out)
{
	for (; list; list = list->next)
		if (!add_correlated(g, list->on, inner, out) ||
		    (list->kind == GATE_GROUP && !add_correlated_on(g, list->group, inner, out)))
			return false;
	return true;
}

/* Checks one SELECT of a subquery. `with`: the expression that its first column is compared with,
 * or NULL. */
static bool check_subselect(const struct gate *g, const struct gate_select *select,
			    const struct gate_expr *with, bool correlated, bool same, size_t at,
			    const struct edge_scope *s)
{
	const struct edge_scope inner = {s, select};
	struct edge_pairs pairs = {0};

	if (!add_correlated(g, select->where, &inner, &pairs) ||
	    !add_correlated_on(g, select->from, &inner, &pairs) ||
	    !add_correlated(g, select->having, &inner, &pairs))
		return false;
	if (with && edge_sources_of(with, s).one) {
		struct origin a = edge_origin_of_value(with, s, false);
		struct origin b = edge_origin_of_value(select->items->value, &inner, true);

		if (a.kind != ORIGIN_VIEW || b.kind != ORIGIN_VIEW)
			return gate_refuse(
				g, at,
				"a computed column cannot be compared with a subquery as a key");
		if (!edge_add_pair(g, &pairs, a, b, at))
			return false;
	}
	if (correlated && pairs.count == 0)
		return edge_view_of(select->from)
			       ? edge_refuse_views(g, at, edge_view_of(select->from), NULL)
			       : gate_refuse(g, at, "not joined along an edge of the map");
	return edge_check_pairs(g, &pairs, same);
}

/* `same`: a join on the same columns of the same view is allowed. */
static bool check_subquery_of(const struct gate *g, const struct gate_query *q,
			      const struct gate_expr *with, bool same, size_t at,
			      const struct edge_scope *s)
{
	for (const struct gate_term *term = q->terms; term; term = term->next) {
		struct gate_query single = *q;
		struct gate_term one = *term;

		one.next = NULL;
		single.terms = &one;
		if (term->query ? !check_subquery_of(g, term->query, with, same, at, s)
				: !check_subselect(g, term->select, with, is_correlated(&single, s),
						   same, at, s))
			return false;
	}
	return true;
}

/* ---- scalar subqueries ---- */

static bool is_aggregate(const struct gate *g, const struct gate_expr *x)
{
	for (size_t i = 0; x->kind == GATE_CALL && i < g->policy->function_count; i++)
		if (str_eq_nocase(x->text, str_of(g->policy->functions[i].name)))
			return (g->policy->functions[i].flags & GATE_AGGREGATE) && !x->call->over;
	return false;
}

/* Returns true when all columns are inside aggregates. */
static bool is_aggregated(const struct gate *g, const struct gate_expr *x)
{
	if (!x || is_aggregate(g, x))
		return true;
	if (x->kind == GATE_COLUMN || x->kind == GATE_ALL || x->query)
		return false;
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
		if (!is_aggregated(g, kid))
			return false;
	return is_aggregated(g, x->operand) && is_aggregated(g, x->otherwise);
}

/* Returns true for a single aggregate over a whole table, which reveals no rows. */
static bool returns_one_aggregate(const struct gate *g, const struct gate_query *q)
{
	const struct gate_select *select = q->terms->select;

	return !q->terms->next && select && !select->group_by &&
	       is_aggregated(g, select->items->value);
}

/* Checks a scalar subquery: it must be one aggregate or joined along an edge. `with`: the
 * expression it is compared with, or NULL; `equal`: by equality. */
static bool check_scalar(const struct gate *g, const struct gate_expr *x,
			 const struct gate_expr *with, bool equal, const struct edge_scope *s)
{
	bool is_exists = x->word && strcmp(x->word, "EXISTS") == 0;
	bool is_value = is_exists || returns_one_aggregate(g, x->query);

	if (is_correlated(x->query, s))
		return check_subquery_of(g, x->query, is_value || !equal ? NULL : with, true, x->at,
					 s);
	if (is_value)
		return true;
	if (!with)
		return gate_refuse(g, x->at,
				   "a subquery used as a value must return one aggregate, or be "
				   "joined along an edge");
	return check_subquery_of(g, x->query, with, true, x->at, s);
}

static const struct gate_expr *subquery_in(const struct gate_expr *x)
{
	x = edge_strip_parens(x);
	return x->kind == GATE_QUERY && !(x->word && strcmp(x->word, "EXISTS") == 0) ? x : NULL;
}

static bool is_comparison(const struct gate_expr *x)
{
	return x->kind == GATE_CHAIN && x->kid_count == 2 &&
	       strchr("=<>!", x->kids->next->op[0]) != NULL;
}

/* Checks both sides of a comparison with a subquery. */
static bool check_compared(const struct gate *g, const struct gate_expr *x,
			   const struct edge_scope *s)
{
	const struct gate_expr *sides[] = {x->kids, x->kids->next};

	for (int i = 0; i < 2; i++) {
		const struct gate_expr *query = subquery_in(sides[i]), *other = sides[1 - i];
		bool equal = is_equality(x) || (query && query->word);

		if (query ? !check_query(g, query->query, s) ||
				    !check_scalar(g, query, subquery_in(other) ? NULL : other,
						  equal, s)
			  : !check_expr(g, sides[i], s))
			return false;
	}
	return true;
}

/* ---- expressions ---- */

static bool check_exprs(const struct gate *g, const struct gate_expr *list,
			const struct edge_scope *s)
{
	for (; list; list = list->next)
		if (!check_expr(g, list, s))
			return false;
	return true;
}

static bool check_order(const struct gate *g, const struct gate_order *o,
			const struct edge_scope *s)
{
	for (; o; o = o->next)
		if (!check_expr(g, o->by, s))
			return false;
	return true;
}

static bool check_call(const struct gate *g, const struct gate_call *call,
		       const struct edge_scope *s)
{
	return check_order(g, call->order, s) && check_order(g, call->within_group, s) &&
	       check_expr(g, call->filter, s) &&
	       (!call->over ||
		(check_exprs(g, call->over->partition, s) && check_order(g, call->over->order, s)));
}

static bool check_expr(const struct gate *g, const struct gate_expr *x, const struct edge_scope *s)
{
	if (!x)
		return true;
	if (is_comparison(x) && (subquery_in(x->kids) || subquery_in(x->kids->next)))
		return check_compared(g, x, s);
	if (x->query && !check_query(g, x->query, s))
		return false;
	if (x->kind == GATE_IN && x->query &&
	    !check_subquery_of(g, x->query, x->kids, true, x->at, s))
		return false;
	if (x->kind == GATE_QUERY && !check_scalar(g, x, NULL, false, s))
		return false;
	return check_exprs(g, x->kids, s) && check_expr(g, x->operand, s) &&
	       check_expr(g, x->otherwise, s) && (!x->call || check_call(g, x->call, s));
}

/* ---- queries ---- */

/* Conditions that require equal or similar values. */
static bool is_like_equality(const struct gate_expr *x)
{
	return is_equality(x) || (x->kind == GATE_IN && !x->query) || x->kind == GATE_LIKE ||
	       (x->kind == GATE_IS && x->kid_count == 2);
}

/* In WHERE, sources may be compared in any way that does not act as a join. */
static bool check_atom(const struct gate *g, const struct gate_expr *x, const struct edge_scope *s)
{
	struct edge_pair pair = {.at = x->at};

	if (!is_like_equality(x) || !edge_sources_of(x, s).two)
		return true;
	if (is_equality(x)) {
		pair.a = edge_origin_of_value(x->kids, s, false);
		pair.b = edge_origin_of_value(x->kids->next, s, false);
	}
	if (pair.a.kind == ORIGIN_LITERAL || pair.b.kind == ORIGIN_LITERAL)
		return true;
	if (pair.a.kind != ORIGIN_VIEW || pair.b.kind != ORIGIN_VIEW)
		return gate_refuse(g, x->at,
				   "two sources are compared on columns that are not an edge");
	return edge_is_tenant(&pair) || edge_has_pair(g, &pair) ||
	       edge_refuse_pairs(g, x->at, &pair, 1);
}

static bool check_where(const struct gate *g, const struct gate_expr *x, const struct edge_scope *s)
{
	bool is_logic;

	x = edge_strip_parens(x);
	if (!x)
		return true;
	is_logic =
		(x->kind == GATE_CHAIN && x->kid_count > 1 && strchr("AO", x->kids->next->op[0])) ||
		(x->kind == GATE_PREFIX && strcmp(x->word, "NOT") == 0);
	if (!is_logic)
		return check_atom(g, x, s);
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
		if (!check_where(g, kid, s))
			return false;
	return true;
}

static bool check_select(const struct gate *g, const struct gate_select *select,
			 const struct gate_order *order, const struct edge_scope *outer)
{
	const struct edge_scope s = {outer, select};

	if (!check_sources(g, select->from, &s))
		return false;
	for (const struct gate_item *item = select->items; item; item = item->next)
		if (!check_expr(g, item->value, &s))
			return false;
	for (const struct gate_window *n = select->windows; n; n = n->next)
		if (!check_exprs(g, n->partition, &s) || !check_order(g, n->order, &s))
			return false;
	return check_where(g, select->where, &s) && check_where(g, select->having, &s) &&
	       check_expr(g, select->where, &s) && check_exprs(g, select->group_by, &s) &&
	       check_expr(g, select->having, &s) && check_order(g, order, &s);
}

static bool check_query(const struct gate *g, const struct gate_query *q,
			const struct edge_scope *outer)
{
	for (const struct gate_cte *cte = q->ctes; cte; cte = cte->next)
		if (!check_query(g, cte->query, outer))
			return false;
	for (const struct gate_term *term = q->terms; term; term = term->next)
		if (term->query ? !check_query(g, term->query, outer)
				: !check_select(g, term->select, q->terms->next ? NULL : q->order,
						outer))
			return false;
	return edge_check_terms(g, q, outer);
}

bool gate_check_edges(const struct gate *g, const struct gate_query *q)
{
	return check_query(g, q, NULL);
}
