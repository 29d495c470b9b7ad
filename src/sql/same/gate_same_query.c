/*
 * Checks queries whose meaning depends on the database: conditions used as values, columns next to
 * aggregates (SQLite takes them from any row), numbers in GROUP BY, and precedence of set
 * operations.
 */
#include <string.h>

#include "gate_same.h"
#include "vesper/limits.h"

/* ---- conditions and values ---- */

/* SQL Server has no boolean values, and PostgreSQL does not accept numbers as conditions. */
bool gate_is_condition(const struct gate_expr *x)
{
	switch (x->kind) {
	case GATE_PAREN:
		return gate_is_condition(x->kids);
	case GATE_CHAIN:
		return strchr("=<>!AO", x->kids->next->op[0]) != NULL;
	case GATE_PREFIX:
		return x->word[0] == 'N';
	case GATE_QUERY:
		return x->word != NULL && x->word[0] == 'E';
	default:
		return x->kind == GATE_BETWEEN || x->kind == GATE_IN || x->kind == GATE_LIKE ||
		       x->kind == GATE_IS;
	}
}

static bool is_logical(const struct gate_expr *x)
{
	return x->kind == GATE_PREFIX
		       ? x->word[0] == 'N'
		       : x->kind == GATE_CHAIN && strchr("AO", x->kids->next->op[0]) != NULL;
}

static bool check_order_truth(const struct gate *g, const struct gate_order *o)
{
	for (; o; o = o->next)
		if (!gate_check_truth(g, o->by, false))
			return false;
	return true;
}

static bool check_call_truth(const struct gate *g, const struct gate_expr *x)
{
	const struct gate_call *call = x->call;
	const struct gate_expr *partition = call->over ? call->over->partition : NULL;

	for (; partition; partition = partition->next)
		if (!gate_check_truth(g, partition, false))
			return false;
	return (!call->filter || gate_check_truth(g, call->filter, true)) &&
	       check_order_truth(g, call->order) && check_order_truth(g, call->within_group) &&
	       check_order_truth(g, call->over ? call->over->order : NULL);
}

bool gate_check_truth(const struct gate *g, const struct gate_expr *x, bool condition)
{
	bool first = true, iif = x->kind == GATE_CALL && str_eq_nocase(x->text, STR("IIF"));

	if (x->kind == GATE_PAREN)
		return gate_check_truth(g, x->kids, condition);
	if (gate_is_condition(x) != condition)
		return gate_refuse(g, x->at,
				   condition ? "a condition expected; compare a flag with = 1"
					     : "a condition cannot be a value in SQL Server; use "
					       "CASE WHEN … THEN 1 "
					       "ELSE 0 END");
	if (x->kind == GATE_CALL && !check_call_truth(g, x))
		return false;
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next) {
		bool when = x->kind == GATE_CASE && !x->operand && first;

		if (!gate_check_truth(g, kid, is_logical(x) || when || (iif && kid == x->kids)))
			return false;
		first = !first;
	}
	return (!x->operand || gate_check_truth(g, x->operand, false)) &&
	       (!x->otherwise || gate_check_truth(g, x->otherwise, false));
}

/* ---- aliases and positions of items ---- */

void gate_substitute_alias(const struct gate *g, struct gate_expr *x, const struct gate_expr *value,
			   bool in_parens)
{
	struct gate_expr *copy = arena_alloc(g->arena, sizeof(*copy));
	struct gate_expr result = *value;

	*copy = *value;
	copy->next = NULL;
	copy->op = NULL;
	if (in_parens)
		result = (struct gate_expr){.kind = GATE_PAREN,
					    .kids = copy,
					    .last = copy,
					    .kid_count = 1,
					    .bytes = value->bytes};
	result.at = x->at;
	result.next = x->next;
	result.op = x->op;
	*x = result;
}

bool gate_resolve_ordinal(const struct gate *g, const struct gate_select *s, struct gate_expr *x,
			  bool *replaced)
{
	const struct gate_item *item = s->items;
	size_t n = 0;

	*replaced = false;
	if (x->kind == GATE_STRING)
		return gate_refuse(g, x->at,
				   "a string in GROUP BY does not group; name the column");
	if (x->kind != GATE_NUMBER)
		return true;
	for (size_t i = 0; i < x->text.n && n < 10000; i++)
		n = x->text.p[i] >= '0' && x->text.p[i] <= '9'
			    ? n * 10 + (size_t)(x->text.p[i] - '0')
			    : 10000;
	for (size_t i = 1; item && i < n; i++) {
		if (item->value->kind == GATE_ALL)
			item = NULL;
		else
			item = item->next;
	}
	if (!item || n == 0 || item->value->kind == GATE_ALL || item->value->query)
		return gate_refuse(g, x->at, "no column has this number; name it in GROUP BY");
	gate_substitute_alias(g, x, item->value, false);
	*replaced = true;
	return true;
}

/* ---- columns next to aggregates ---- */

static bool is_aggregate(const struct gate *g, const struct gate_expr *x)
{
	if (x->kind != GATE_CALL || x->call->over)
		return false;
	for (size_t i = 0; i < g->policy->function_count; i++)
		if (str_eq_nocase(x->text, str_of(g->policy->functions[i].name)))
			return g->policy->functions[i].flags & GATE_AGGREGATE;
	return false;
}

static bool has_aggregate(const struct gate *g, const struct gate_expr *x)
{
	if (is_aggregate(g, x))
		return true;
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
		if (has_aggregate(g, kid))
			return true;
	return (x->operand && has_aggregate(g, x->operand)) ||
	       (x->otherwise && has_aggregate(g, x->otherwise));
}

static const char *text_of(const struct gate *g, const struct gate_expr *x)
{
	struct buf out;
	struct gate_writer w = {.g = g, .out = &out};
	const char *text;

	buf_init(&out, GATE_WRITTEN_BYTES_MAX);
	gate_write_expr(&w, x);
	text = arena_strdup(g->arena, buf_text(&out));
	buf_deinit(&out);
	return text;
}

struct grouped {
	const struct gate *g;
	const struct gate_expr *list; /* of GROUP BY */
};

static const struct gate_expr *strip_parens(const struct gate_expr *x)
{
	while (x->kind == GATE_PAREN)
		x = x->kids;
	return x;
}

static bool is_same_text(const struct grouped *by, const struct gate_expr *a,
			 const struct gate_expr *b)
{
	a = strip_parens(a);
	b = strip_parens(b);
	if (a->kind != b->kind || a->kid_count != b->kid_count)
		return false;
	if (a->kind == GATE_COLUMN)
		return gate_same_name(&a->name, &b->name);
	return strcmp(text_of(by->g, a), text_of(by->g, b)) == 0;
}

static bool is_grouped_by(const struct grouped *by, const struct gate_expr *list,
			  const struct gate_expr *x)
{
	for (; list; list = list->next)
		if (list->kind == GATE_LIST ? is_grouped_by(by, list->kids, x)
					    : is_same_text(by, list, x))
			return true;
	return false;
}

static bool check_grouped(const struct grouped *by, const struct gate_expr *x)
{
	if (is_aggregate(by->g, x) || is_grouped_by(by, by->list, x))
		return true;
	if (x->kind == GATE_ALL)
		return gate_refuse(
			by->g, x->at,
			"* cannot be combined with GROUP BY or an aggregate; name the columns");
	if (x->kind == GATE_COLUMN)
		return gate_refuse(by->g, x->at,
				   "%.*s is not in GROUP BY and could be any row's; group by it, "
				   "or take MIN or MAX",
				   STR_FMT(x->name.text));
	for (const struct gate_expr *kid = x->kids; kid; kid = kid->next)
		if (!check_grouped(by, kid))
			return false;
	return (!x->operand || check_grouped(by, x->operand)) &&
	       (!x->otherwise || check_grouped(by, x->otherwise));
}

static bool is_alias(const struct gate_select *s, const struct gate_expr *x)
{
	if (x->kind != GATE_COLUMN || x->qualifier.text.p)
		return false;
	for (const struct gate_item *item = s->items; item; item = item->next)
		if (gate_same_name(&item->alias, &x->name))
			return true;
	return false;
}

static bool check_grouping(const struct gate *g, const struct gate_select *s,
			   const struct gate_order *order)
{
	const struct grouped by = {g, s->group_by};
	bool grouped = s->group_by || s->having;

	for (const struct gate_item *item = s->items; item && !grouped; item = item->next)
		grouped = has_aggregate(g, item->value);
	if (!grouped)
		return true;
	for (const struct gate_item *item = s->items; item; item = item->next)
		if (!check_grouped(&by, item->value))
			return false;
	for (; order; order = order->next)
		if (!is_alias(s, order->by) && !check_grouped(&by, order->by))
			return false;
	return !s->having || check_grouped(&by, s->having);
}

/* With DISTINCT, ORDER BY may only use selected values. */
static bool check_distinct(const struct gate *g, const struct gate_select *s,
			   const struct gate_order *order)
{
	for (; s->distinct && order; order = order->next) {
		const struct grouped by = {g, NULL};
		bool found = order->by->kind == GATE_NUMBER || is_alias(s, order->by);

		for (const struct gate_item *item = s->items; item && !found; item = item->next)
			found = item->value->kind == GATE_ALL ||
				is_same_text(&by, item->value, order->by);
		if (!found)
			return gate_refuse(g, order->by->at,
					   "with DISTINCT, ORDER BY may only use selected columns; "
					   "add the column");
	}
	return true;
}

static bool has_groupings(const struct gate_expr *list)
{
	for (; list; list = list->next)
		if (list->kind == GATE_LIST)
			return true;
	return false;
}

static bool check_source_truth(const struct gate *g, const struct gate_source *s)
{
	for (; s; s = s->next) {
		if ((s->on && !gate_check_truth(g, s->on, true)) ||
		    !check_source_truth(g, s->group))
			return false;
		for (const struct gate_expr *row = s->rows; row; row = row->next)
			if (!gate_check_truth(g, row, false))
				return false;
		if (g->dialect == DIALECT_SQLITE && s->kind != GATE_TABLE && s->columns)
			return gate_refuse(g, s->at,
					   "SQLite takes no column names after a derived table; "
					   "name them inside with AS, or in WITH name (columns)");
	}
	return true;
}

bool gate_check_portable_select(const struct gate *g, const struct gate_select *s,
				const struct gate_order *order)
{
	if (g->dialect == DIALECT_SQLITE && has_groupings(s->group_by))
		return gate_refuse(
			g, s->group_by->at,
			"SQLite has no ROLLUP, CUBE or GROUPING SETS; write one SELECT for "
			"each level with UNION ALL");
	for (const struct gate_item *item = s->items; item; item = item->next)
		if (!gate_check_truth(g, item->value, false))
			return false;
	for (const struct gate_expr *x = s->group_by; x; x = x->next)
		if (!gate_check_truth(g, x, false))
			return false;
	for (const struct gate_order *o = order; o; o = o->next)
		if (o->by->kind == GATE_STRING)
			return gate_refuse(g, o->by->at, "a string does not sort; name the column");
	return check_source_truth(g, s->from) && check_order_truth(g, order) &&
	       (!s->where || gate_check_truth(g, s->where, true)) &&
	       (!s->having || gate_check_truth(g, s->having, true)) &&
	       check_grouping(g, s, order) && check_distinct(g, s, order);
}

/* ---- whole queries ---- */

bool gate_check_portable_query(const struct gate *g, const struct gate_query *q)
{
	bool intersects = false, others = false;

	for (const struct gate_term *term = q->terms->next; term; term = term->next) {
		intersects |= term->op[0] == 'I';
		others |= term->op[0] != 'I';
	}
	if (intersects && others)
		return gate_refuse(g, q->at,
				   "databases bind INTERSECT next to UNION or EXCEPT differently; "
				   "add parentheses");
	for (const struct gate_order *o = q->order; o; o = o->next)
		if (o->nulls && g->dialect == DIALECT_MSSQL &&
		    (o->nulls[0] == 'F') == o->descending)
			return gate_refuse(
				g, o->by->at,
				"SQL Server sorts NULL as the smallest; sort by CASE WHEN x "
				"IS NULL THEN 1 ELSE 0 END before x");
	return true;
}

/* A scalar subquery must return one row, since databases treat more rows differently. */
bool gate_check_scalar_subquery(const struct gate *g, const struct gate_query *q, size_t at)
{
	const struct gate_select *s = q->terms->next ? NULL : q->terms->select;
	const struct gate_limit *limit = s && s->top.count.p ? &s->top : &q->limit;
	bool is_single_row = str_eq(limit->count, STR("1")) && !limit->percent && !limit->ties;

	if (s && !is_single_row && !s->group_by) {
		is_single_row = true;
		for (const struct gate_item *item = s->items; item; item = item->next)
			is_single_row &= has_aggregate(g, item->value);
	}
	return is_single_row ||
	       gate_refuse(g, at,
			   "a subquery used as a value must return one row; use MAX(…) or "
			   "add FETCH FIRST 1 ROWS ONLY");
}
