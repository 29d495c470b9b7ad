/*
 * Name resolution. Names are resolved as the database will resolve them. Where databases differ
 * (case, quotes, folding), the tree stores the definition's spelling for each reference, so that
 * the rendered statement is unambiguous.
 */
#include "same/gate_same.h"

#include <stdio.h>
#include <string.h>

#define VIEW_NAMES_BYTES 192 /* error texts are short, so all views are listed or none */

static bool check_query(const struct check *c, struct gate_query *q, const struct scope *outer,
			const struct ctes *ctes);
static bool check_expr(const struct check *c, struct gate_expr *x, const struct scope *s);

/* ---- views ---- */

static struct str last_part(const char *view)
{
	const char *dot = strrchr(view, '.');

	return str_of(dot ? dot + 1 : view);
}

static bool is_view(const struct gate_view *v, const struct gate_source *s)
{
	struct str last = last_part(v->name);

	if (!str_eq_nocase(s->name.text, last))
		return false;
	if (!s->schema.text.p)
		return true;
	return last.p > v->name &&
	       str_eq_nocase(s->schema.text, (struct str){v->name, (size_t)(last.p - v->name) - 1});
}

static const struct gate_view_use *add_view_use(const struct check *c, const struct gate_view *view)
{
	struct gate_views *views = c->views;
	struct gate_view_use *view_use = views->items;

	for (size_t i = 0; i < views->count; i++, view_use++)
		if (view_use->view == view)
			return view_use;
	views->count++;
	view_use->view = view;
	view_use->columns = gate_columns_of_view(c->g, view);
	view_use->named = arena_alloc(c->g->arena, view_use->columns.count + 1);
	return view_use;
}

/* Lists the available views for the author of the SQL. */
static bool refuse_view(const struct check *c, const struct gate_source *s)
{
	const struct gate_policy *policy = c->g->policy;
	char names[VIEW_NAMES_BYTES] = "";
	size_t n = 0;

	for (size_t i = 0; i < policy->view_count && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "; use ",
				      policy->views[i].name);
	return gate_refuse(c->g, s->at, "not an approved view%s", n < sizeof(names) ? names : "");
}

static bool resolve_view(const struct check *c, struct gate_source *s)
{
	const struct gate_policy *policy = c->g->policy;
	const struct gate_view *view = NULL;

	for (size_t i = 0; i < policy->view_count; i++) {
		if (!is_view(&policy->views[i], s))
			continue;
		if (view)
			return gate_refuse(c->g, s->at,
					   "more than one approved view has this name");
		view = &policy->views[i];
	}
	if (!view)
		return refuse_view(c, s);
	s->view_use = add_view_use(c, view);
	s->result_columns = s->view_use->columns;
	return true;
}

static bool resolve_table(const struct check *c, struct gate_source *s, const struct ctes *ctes)
{
	for (; ctes && !s->schema.text.p; ctes = ctes->outer) {
		for (const struct gate_cte *cte = ctes->first; cte != ctes->end; cte = cte->next)
			if (gate_same_name(&cte->name, &s->name)) {
				s->cte = cte;
				s->result_columns = cte->result_columns;
				return true;
			}
		if (ctes->end && gate_same_name(&ctes->end->name, &s->name))
			return gate_refuse(c->g, s->at,
					   "a CTE refers to itself: recursion is not allowed");
	}
	return resolve_view(c, s);
}

/* A quoted name must not hide an approved view. */
static bool check_hiding(const struct check *c, const struct gate_name *n)
{
	const struct gate_policy *policy = c->g->policy;

	for (size_t i = 0; n->quoted && i < policy->view_count; i++)
		if (str_eq_nocase(n->text, str_of(policy->views[i].name)) ||
		    str_eq_nocase(n->text, last_part(policy->views[i].name)))
			return gate_refuse(c->g, n->at, "the quoted name hides the view %s",
					   policy->views[i].name);
	return true;
}

/* ---- expressions ---- */

static bool check_exprs(const struct check *c, struct gate_expr *list, const struct scope *s)
{
	for (; list; list = list->next)
		if (!check_expr(c, list, s))
			return false;
	return true;
}

static bool check_order(const struct check *c, struct gate_order *o, const struct scope *s)
{
	for (; o; o = o->next)
		if (!check_expr(c, o->by, s))
			return false;
	return true;
}

static bool check_window(const struct check *c, struct gate_window *n, const struct scope *s)
{
	if (!n->has_parens) {
		const struct gate_window *known = s->select ? s->select->windows : NULL;

		while (known && !gate_same_name(&known->name, &n->name))
			known = known->next;
		if (!known)
			return gate_refuse(c->g, n->name.at, "no window has this name");
		n->name = known->name;
		return true;
	}
	return check_exprs(c, n->partition, s) && check_order(c, n->order, s);
}

static bool check_call(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	struct gate_call *call = x->call;

	return gate_check_call(c->g, x) && gate_check_widths(c->g, x) &&
	       check_order(c, call->order, s) && check_order(c, call->within_group, s) &&
	       (!call->filter || check_expr(c, call->filter, s)) &&
	       (!call->over || check_window(c, call->over, s));
}

static bool check_expr(const struct check *c, struct gate_expr *x, const struct scope *s)
{
	if (x->kind == GATE_COLUMN || x->kind == GATE_ALL)
		return gate_check_column(c, x, s);
	if (x->kind == GATE_CALL && !check_call(c, x, s))
		return false;
	if (x->query && !check_query(c, x->query, s, s->ctes))
		return false;
	if (x->kind == GATE_NUMBER && !gate_check_number(c->g, x))
		return false;
	return (!x->operand || check_expr(c, x->operand, s)) && check_exprs(c, x->kids, s) &&
	       (!x->otherwise || check_expr(c, x->otherwise, s)) && gate_check_length(c->g, x) &&
	       gate_check_portable_expr(c->g, x) &&
	       gate_check_portable_call(c->g, x, s->select ? s->select->windows : NULL) &&
	       (x->kind != GATE_QUERY || x->word ||
		gate_check_scalar_subquery(c->g, x->query, x->at));
}

/* ---- sources ---- */

static bool check_unique(const struct check *c, const struct gate_select *select,
			 const struct gate_source *s)
{
	if (gate_source_find(select->from, gate_source_name(s)) == s)
		return true;
	return gate_refuse(c->g, gate_source_name(s)->at ? gate_source_name(s)->at : s->at,
			   "two sources have the same name");
}

/* A pivot's result depends on all columns of its source and on names in the clause. */
static bool check_pivot(const struct check *c, struct gate_source *s)
{
	gate_mark_all_named(s);
	s->result_columns = (struct gate_columns){.open = true};
	return check_hiding(c, &s->pivot->alias) &&
	       (s->pivot->unpivot || gate_check_pivot_function(c->g, &s->pivot->function));
}

static bool check_source(const struct check *c, struct gate_source *s, const struct scope *scope)
{
	/* Only LATERAL and APPLY see their siblings. */
	struct scope without_siblings = {.outer = scope->outer, .ctes = scope->ctes};
	const struct scope *visible = s->lateral ? scope : scope->outer;

	if (s->kind == GATE_TABLE && !resolve_table(c, s, scope->ctes))
		return false;
	if (s->kind == GATE_DERIVED && !check_query(c, s->query, visible, scope->ctes))
		return false;
	if (s->kind == GATE_VALUES &&
	    !check_exprs(c, s->rows, s->lateral ? scope : &without_siblings))
		return false;
	if (s->kind != GATE_TABLE &&
	    !gate_columns_named(c->g, s->columns, s->query, s->rows, s->at, &s->result_columns))
		return false;
	return check_hiding(c, &s->alias) && (!s->pivot || check_pivot(c, s)) &&
	       check_unique(c, scope->select, s);
}

static bool check_sources(const struct check *c, struct gate_source *list,
			  const struct scope *scope)
{
	for (struct gate_source *s = list; s; s = s->next)
		if (s->kind == GATE_GROUP ? !check_sources(c, s->group, scope)
					  : !check_source(c, s, scope))
			return false;
	for (struct gate_source *s = list; s; s = s->next)
		if ((s->on && !check_expr(c, s->on, scope)) || !gate_check_using(c, s, scope))
			return false;
	return true;
}

/* ---- queries ---- */

static bool check_groups(const struct check *c, struct gate_expr *list, const struct scope *s)
{
	for (; list; list = list->next) {
		bool replaced = false;

		if (list->kind == GATE_LIST
			    ? !check_groups(c, list->kids, s)
			    : !gate_resolve_ordinal(c->g, s->select, list, &replaced))
			return false;
		if (list->kind != GATE_LIST && !replaced && !check_expr(c, list, s))
			return false;
	}
	return true;
}

/* ORDER BY of a SELECT: a plain name may refer to an output column. */
static bool check_sorted(const struct check *c, struct gate_order *o, const struct scope *s)
{
	struct scope sort_scope = *s;

	sort_scope.aliases = ALIASES_SORT;
	for (; o; o = o->next)
		if (!check_expr(c, o->by, o->by->kind == GATE_COLUMN ? &sort_scope : s))
			return false;
	return true;
}

static bool check_select(const struct check *c, struct gate_select *select,
			 struct gate_order *order, const struct scope *outer,
			 const struct ctes *ctes)
{
	struct scope s = {.outer = outer, .ctes = ctes, .select = select};

	if (!check_sources(c, select->from, &s))
		return false;
	for (struct gate_item *item = select->items; item; item = item->next) {
		if (item->value->kind == GATE_ALL && !item->value->qualifier.text.p)
			gate_mark_all_named_in(select->from);
		else if (!check_expr(c, item->value, &s))
			return false;
	}
	for (struct gate_window *n = select->windows; n; n = n->next)
		if (!check_window(c, n, &s))
			return false;
	if (select->where && !check_expr(c, select->where, &s))
		return false;
	s.aliases = ALIASES_REPLACE;
	return check_groups(c, select->group_by, &s) &&
	       (!select->having || check_expr(c, select->having, &s)) &&
	       check_sorted(c, order, &s) && gate_check_portable_select(c->g, select, order);
}

static bool check_limits(const struct check *c, const struct gate_query *q)
{
	const struct gate_term *term = q->terms;
	const struct gate_limit *limit = &q->limit;

	if (limit->ties && !q->order)
		return gate_refuse(c->g, limit->at, "WITH TIES needs ORDER BY");
	if (c->g->dialect == DIALECT_MSSQL && limit->offset.p && !q->order)
		return gate_refuse(c->g, limit->at, "OFFSET needs ORDER BY");
	if (term->next || !term->select)
		return true;
	if (term->select->top.count.p && (limit->offset.p || limit->count.p))
		return gate_refuse(c->g, limit->at, "TOP cannot be combined with OFFSET or FETCH");
	if (term->select->top.ties && !q->order)
		return gate_refuse(c->g, term->select->top.at, "WITH TIES needs ORDER BY");
	return true;
}

static void record_defined(const struct check *c, const struct gate_name *n)
{
	struct gate_views *v = c->views;

	v->defined = arena_grow(c->g->arena, v->defined, v->defined_count, &v->defined_cap,
				sizeof(*v->defined));
	v->defined[v->defined_count++] = arena_strndup(c->g->arena, n->text.p, n->text.n);
}

static bool check_ctes(const struct check *c, struct gate_query *q, const struct scope *outer,
		       struct ctes *ctes)
{
	for (struct gate_cte *cte = q->ctes; cte; cte = cte->next) {
		for (const struct gate_cte *other = q->ctes; other != cte; other = other->next)
			if (gate_same_name(&other->name, &cte->name))
				return gate_refuse(c->g, cte->name.at,
						   "two CTEs have the same name");
		ctes->end = cte;
		if (!check_hiding(c, &cte->name) || !check_query(c, cte->query, outer, ctes) ||
		    !gate_columns_named(c->g, cte->columns, cte->query, NULL, cte->name.at,
					&cte->result_columns))
			return false;
		record_defined(c, &cte->name);
	}
	ctes->end = NULL;
	return true;
}

static bool check_query(const struct check *c, struct gate_query *q, const struct scope *outer,
			const struct ctes *ctes)
{
	struct ctes own = {ctes, q->ctes, NULL};
	struct scope outputs = {.outer = outer, .ctes = &own, .outputs = true};
	bool is_single = !q->terms->next && q->terms->select;

	if (!check_ctes(c, q, outer, &own) || !check_limits(c, q) ||
	    !gate_check_portable_query(c->g, q))
		return false;
	for (struct gate_term *term = q->terms; term; term = term->next)
		if (term->query ? !check_query(c, term->query, outer, &own)
				: !check_select(c, term->select, is_single ? q->order : NULL, outer,
						&own))
			return false;
	q->result_columns = gate_columns_of_query(c->g, q);
	return is_single || check_order(c, q->order, &outputs);
}

bool gate_check_tree(const struct gate *g, struct gate_query *q, struct gate_views *out)
{
	struct check c = {g, out};
	struct gate_columns result_columns;

	*out = (struct gate_views){
		.items = arena_alloc(g->arena, (g->policy->view_count + 1) * sizeof(*out->items))};
	return check_query(&c, q, NULL, NULL) &&
	       (!gate_is_wrapped(q) || gate_columns_named(g, NULL, q, NULL, 0, &result_columns));
}
