/*
 * Renders queries with the policy's row limit. Aliases always get AS, and views their schema, so
 * that no two adjacent words can be misread.
 */
#include <assert.h>
#include <string.h>

#include "gate/gate_int.h"

static void word(struct gate_writer *w, const char *text)
{
	buf_str(w->out, text);
}

static void write_alias(struct gate_writer *w, const struct gate_name *alias)
{
	if (!alias->text.p)
		return;
	word(w, " AS ");
	gate_write_name(w, alias);
}

/* ---- sources ---- */

void gate_write_source_name(struct gate_writer *w, const struct gate_source *s)
{
	if (s->pivot) {
		gate_write_name(w, &s->pivot->alias);
	} else if (s->alias.text.p) {
		gate_write_name(w, &s->alias);
	} else if (s->cte) {
		gate_write_name(w, &s->cte->name);
	} else {
		const char *dot = strrchr(s->view_use->view->name, '.');

		word(w, dot ? dot + 1 : s->view_use->view->name);
	}
}

static void write_rows(struct gate_writer *w, const struct gate_expr *row)
{
	word(w, "(VALUES ");
	for (; row; row = row->next) {
		word(w, "(");
		gate_write_exprs(w, row->kids);
		word(w, row->next ? "), " : "))");
	}
}

static void write_pivot(struct gate_writer *w, const struct gate_pivot *p)
{
	word(w, p->unpivot ? " UNPIVOT (" : " PIVOT (");
	if (!p->unpivot) {
		gate_write_name(w, &p->function);
		word(w, "(");
	}
	gate_write_name(w, &p->value);
	word(w, p->unpivot ? " FOR " : ") FOR ");
	gate_write_name(w, &p->column);
	word(w, " IN ");
	gate_write_names(w, p->in);
	word(w, ")");
	write_alias(w, &p->alias);
}

const char *gate_row_column(const struct gate_view *v)
{
	return v->tenant_column ? v->tenant_column : v->columns[0];
}

/* Writes a view as a derived table under the view's name, with the columns that are used and the
 * rows that the caller may see. */
static void write_view(struct gate_writer *w, const struct gate_source *s)
{
	const struct gate_view *v = s->view_use->view;
	const char *gap = "";

	if (!v->columns) {
		word(w, v->name);
		return;
	}
	word(w, "(SELECT ");
	for (size_t i = 0; v->columns[i]; i++)
		if (s->view_use->named[i]) {
			buf_printf(w->out, "%s%s", gap, v->columns[i]);
			gap = ", ";
		}
	if (!*gap)
		word(w, gate_row_column(v));
	buf_printf(w->out, " FROM %s", v->name);
	if (v->tenant_column)
		buf_printf(w->out, " WHERE %s = ?", v->tenant_column);
	word(w, ")");
	w->tenants += v->tenant_column != NULL;
	if (!s->alias.text.p) {
		const char *dot = strrchr(v->name, '.');
		buf_printf(w->out, " AS %s", dot ? dot + 1 : v->name);
	}
}

static void write_primary(struct gate_writer *w, const struct gate_source *s)
{
	switch (s->kind) {
	case GATE_TABLE:
		if (s->cte)
			gate_write_name(w, &s->cte->name);
		else
			write_view(w, s);
		break;
	case GATE_DERIVED:
		word(w, "(");
		gate_write_query(w, s->query);
		word(w, ")");
		break;
	case GATE_VALUES:
		write_rows(w, s->rows);
		break;
	case GATE_GROUP:
		word(w, "(");
		gate_write_sources(w, s->group);
		word(w, ")");
		break;
	}
	write_alias(w, &s->alias);
	if (s->columns) {
		word(w, " ");
		gate_write_names(w, s->columns);
	}
	if (s->pivot)
		write_pivot(w, s->pivot);
}

void gate_write_sources(struct gate_writer *w, const struct gate_source *s)
{
	for (; s; s = s->next) {
		if (s->join)
			buf_printf(w->out, s->join[0] == ',' ? "%s " : " %s ", s->join);
		if (s->lateral && s->join_kind != GATE_JOIN_APPLY)
			word(w, "LATERAL ");
		write_primary(w, s);
		if (s->on) {
			word(w, " ON ");
			gate_write_expr(w, s->on);
		}
		if (s->using_columns) {
			word(w, " USING ");
			gate_write_names(w, s->using_columns);
		}
	}
}

/* ---- SELECT ---- */

static void write_top(struct gate_writer *w, const struct gate_limit *top)
{
	if (!top->count.p)
		return;
	buf_printf(w->out, "TOP (%.*s) ", STR_FMT(top->count));
	if (top->percent)
		word(w, "PERCENT ");
	if (top->ties)
		word(w, "WITH TIES ");
}

static void write_items(struct gate_writer *w, const struct gate_item *item)
{
	for (; item; item = item->next) {
		gate_write_expr(w, item->value);
		write_alias(w, &item->alias);
		if (item->next)
			word(w, ", ");
	}
}

static void write_windows(struct gate_writer *w, const struct gate_window *n)
{
	word(w, " WINDOW ");
	for (; n; n = n->next) {
		gate_write_name(w, &n->name);
		word(w, " AS ");
		gate_write_window(w, n);
		if (n->next)
			word(w, ", ");
	}
}

static void write_select(struct gate_writer *w, const struct gate_select *s,
			 const struct gate_limit *top)
{
	word(w, s->distinct ? "SELECT DISTINCT " : "SELECT ");
	write_top(w, top);
	write_items(w, s->items);
	word(w, " FROM ");
	gate_write_sources(w, s->from);
	if (s->where) {
		word(w, " WHERE ");
		gate_write_expr(w, s->where);
	}
	if (s->group_by) {
		word(w, " GROUP BY ");
		gate_write_exprs(w, s->group_by);
	}
	if (s->having) {
		word(w, " HAVING ");
		gate_write_expr(w, s->having);
	}
	if (s->windows)
		write_windows(w, s->windows);
}

/* ---- row limits ---- */

/* Writes the limit after ORDER BY. */
static void write_limit(struct gate_writer *w, const struct gate_limit *l)
{
	bool mssql = w->g->dialect == DIALECT_MSSQL;

	if (!l->count.p && !l->offset.p)
		return;
	if (mssql || l->ties) {
		if (l->offset.p || mssql)
			buf_printf(w->out, " OFFSET %.*s ROWS",
				   STR_FMT(l->offset.p ? l->offset : STR("0")));
		if (l->count.p)
			buf_printf(w->out, " FETCH NEXT %.*s ROWS %s", STR_FMT(l->count),
				   l->ties ? "WITH TIES" : "ONLY");
		return;
	}
	if (l->count.p)
		buf_printf(w->out, " LIMIT %.*s", STR_FMT(l->count));
	else if (w->g->dialect == DIALECT_SQLITE)
		word(w, " LIMIT -1"); /* requires LIMIT before OFFSET */
	if (l->offset.p)
		buf_printf(w->out, " OFFSET %.*s", STR_FMT(l->offset));
}

static const struct gate_select *only_select(const struct gate_query *q)
{
	return q->terms->next ? NULL : q->terms->select;
}

/* SQLite does not allow parentheses around parts of a set operation. */
static void write_part(struct gate_writer *w, const struct gate_query *q)
{
	bool derived = w->g->dialect == DIALECT_SQLITE;

	word(w, derived ? "SELECT * FROM (" : "(");
	gate_write_query(w, q);
	word(w, derived ? ") AS part" : ")");
}

/* Writes all but WITH. In SQL Server, a plain SELECT is limited by TOP; otherwise FETCH is used,
 * which requires an order. */
static void write_body(struct gate_writer *w, const struct gate_query *q,
		       const struct gate_limit *limit, const struct gate_limit *top)
{
	bool mssql = w->g->dialect == DIALECT_MSSQL;

	for (const struct gate_term *term = q->terms; term; term = term->next) {
		if (term->op)
			buf_printf(w->out, " %s ", term->op);
		if (term->query)
			write_part(w, term->query);
		else
			write_select(w, term->select, top ? top : &term->select->top);
	}
	if (q->order) {
		word(w, " ");
		gate_write_order(w, q->order);
	} else if (mssql && (limit->count.p || limit->offset.p)) {
		word(w, " ORDER BY 1");
	}
	write_limit(w, limit);
}

static void write_ctes(struct gate_writer *w, const struct gate_cte *c)
{
	if (c)
		word(w, "WITH ");
	for (; c; c = c->next) {
		gate_write_name(w, &c->name);
		if (c->columns) {
			word(w, " ");
			gate_write_names(w, c->columns);
		}
		word(w, " AS (");
		gate_write_query(w, c->query);
		word(w, c->next ? "), " : ") ");
	}
}

void gate_write_query(struct gate_writer *w, const struct gate_query *q)
{
	struct gate_query inner = *q;
	const struct gate_select *only = only_select(q);

	/* In a derived table, ORDER BY without a limit has no effect, and SQL Server refuses it. */
	if (!q->limit.count.p && !q->limit.offset.p && !(only && only->top.count.p))
		inner.order = NULL;
	write_ctes(w, q->ctes);
	write_body(w, &inner, &q->limit, NULL);
}

static int64_t number(struct str digits)
{
	int64_t n = 0;

	for (size_t i = 0; i < digits.n; i++)
		n = n * 10 + (digits.p[i] - '0');
	return n;
}

/* The smaller of the requested limit and the policy's. */
static struct gate_limit apply_row_limit(struct gate_writer *w, const struct gate_limit *requested)
{
	struct gate_limit limit = *requested;
	int64_t rows = w->g->policy->limits.rows;

	if (!limit.count.p || number(limit.count) > rows)
		limit.count = str_of(arena_printf(w->g->arena, "%lld", (long long)rows));
	return limit;
}

static const struct gate_limit *requested_limit(const struct gate_query *q)
{
	const struct gate_select *only = only_select(q);

	return only && only->top.count.p ? &only->top : &q->limit;
}

bool gate_is_wrapped(const struct gate_query *q)
{
	const struct gate_limit *requested = requested_limit(q);

	return requested->percent || requested->ties;
}

static void write_wrapped(struct gate_writer *w, const struct gate_query *q)
{
	static const struct gate_limit none = {0};
	struct gate_limit all = apply_row_limit(w, &none);
	bool mssql = w->g->dialect == DIALECT_MSSQL;

	word(w, "SELECT ");
	if (mssql)
		write_top(w, &all);
	word(w, "* FROM (");
	write_body(w, q, &q->limit, NULL);
	word(w, ") AS limited");
	if (!mssql)
		write_limit(w, &all);
}

void gate_render(struct gate_writer *w, const struct gate_query *q)
{
	static const struct gate_limit none = {0};
	const struct gate_select *only = only_select(q);
	struct gate_limit limit = apply_row_limit(w, requested_limit(q));

	write_ctes(w, q->ctes);
	if (gate_is_wrapped(q))
		write_wrapped(w, q);
	else if (w->g->dialect == DIALECT_MSSQL && only && !limit.offset.p)
		write_body(w, q, &none, &limit);
	else
		write_body(w, q, &limit, NULL);
}
