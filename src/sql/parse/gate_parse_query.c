/*
 * Parses queries: WITH, SELECT and its clauses, and set operations. The row limits of all dialects
 * are parsed into one struct.
 */
#include <string.h>

#include "gate/gate_int.h"

/* ---- row limits ---- */

static bool parse_rows_word(struct gate_parser *p)
{
	return gate_take_word(p, "ROWS") || gate_take_word(p, "ROW") || gate_unexpected(p, "ROWS");
}

/* TOP n or TOP (n) [PERCENT] [WITH TIES]. */
bool gate_parse_top(struct gate_parser *p, struct gate_limit *out)
{
	size_t at = p->t->at;

	if (p->g->dialect != DIALECT_MSSQL || !gate_take_word(p, "TOP"))
		return true;
	bool parens = gate_take_punct(p, "(");
	if (!gate_parse_digits(p, &out->count) || (parens && !gate_expect_punct(p, ")")))
		return false;
	out->at = at;
	out->percent = gate_take_word(p, "PERCENT");
	if (gate_take_word(p, "WITH")) {
		if (!gate_expect_word(p, "TIES"))
			return false;
		out->ties = true;
	}
	return true;
}

static bool parse_fetch(struct gate_parser *p, struct gate_limit *out)
{
	if (!gate_take_word(p, "FETCH"))
		return true;
	if (out->count.p)
		return gate_refuse(p->g, p->t->at, "FETCH and LIMIT cannot be combined");
	if (!gate_take_word(p, "NEXT") && !gate_expect_word(p, "FIRST"))
		return false;
	if (!gate_parse_digits(p, &out->count) || !parse_rows_word(p))
		return false;
	if (p->g->dialect == DIALECT_POSTGRES && gate_take_word(p, "WITH")) {
		out->ties = true;
		return gate_expect_word(p, "TIES");
	}
	return gate_expect_word(p, "ONLY");
}

/* LIMIT n [OFFSET m], or OFFSET m [ROWS] [FETCH …]. */
bool gate_parse_limit(struct gate_parser *p, struct gate_limit *out)
{
	bool mssql = p->g->dialect == DIALECT_MSSQL;

	out->at = p->t->at;
	if (!mssql && gate_take_word(p, "LIMIT")) {
		if (!gate_take_word(p, "ALL") && !gate_parse_digits(p, &out->count))
			return false;
	}
	if (gate_take_word(p, "OFFSET")) {
		if (!gate_parse_digits(p, &out->offset))
			return false;
		bool rows = gate_take_word(p, "ROWS") || gate_take_word(p, "ROW");
		if (mssql && !rows)
			return gate_unexpected(p, "ROWS");
	}
	return parse_fetch(p, out);
}

/* ---- ORDER BY ---- */

bool gate_parse_order(struct gate_parser *p, struct gate_order **out)
{
	struct gate_order **end = out;
	size_t count = 0;

	if (!gate_expect_word(p, "BY"))
		return false;
	do {
		struct gate_order *o = arena_alloc(p->g->arena, sizeof(*o));

		if (!gate_check_list_length(p, count++) || !gate_parse_expr(p, &o->by))
			return false;
		o->descending = gate_take_word(p, "DESC");
		if (!o->descending)
			gate_take_word(p, "ASC");
		if (p->g->dialect != DIALECT_MSSQL && gate_take_word(p, "NULLS")) {
			static const char *const edges[] = {"FIRST", "LAST", NULL};

			o->nulls = gate_take_one_of(p, edges);
			if (!o->nulls)
				return gate_unexpected(p, "FIRST or LAST");
		}
		*end = o;
		end = &o->next;
	} while (gate_take_punct(p, ","));
	return true;
}

/* ---- SELECT ---- */

/* T-SQL also has name = expr and AS 'name'. */
static bool parse_item_alias(struct gate_parser *p, struct gate_name *out)
{
	if (p->g->dialect != DIALECT_MSSQL || !gate_at_word(p, "AS") ||
	    p->t[1].kind != GATE_T_STRING || p->t[1].national)
		return gate_parse_alias(p, out);

	const struct gate_token *t = ++p->t;
	struct str text = {t->text.p + 1, t->text.n - 2};
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\'')
			return gate_refuse(p->g, t->at, "a quote is not allowed in a name");
	if (!gate_name_plain(p->g, text, t->at))
		return false;
	*out = (struct gate_name){.text = text, .quoted = true, .at = t->at};
	p->t++;
	return true;
}

static bool parse_item_value(struct gate_parser *p, struct gate_expr **out)
{
	return gate_parse_expr(p, out);
}

static bool parse_item(struct gate_parser *p, struct gate_item *item)
{
	size_t at = p->t->at;

	if (gate_take_punct(p, "*")) {
		item->value = gate_expr_new(p, GATE_ALL, at);
		return true;
	}
	if (gate_at_name(p) && gate_is_punct(p->t + 1, ".") && gate_is_punct(p->t + 2, "*")) {
		item->value = gate_expr_new(p, GATE_ALL, at);
		if (!gate_parse_name(p, &item->value->qualifier))
			return false;
		p->t += 2;
		return true;
	}
	if (p->g->dialect == DIALECT_MSSQL && gate_at_name(p) && gate_is_punct(p->t + 1, "=")) {
		if (!gate_parse_name(p, &item->alias) || !gate_expect_punct(p, "="))
			return false;
		return parse_item_value(p, &item->value);
	}
	return parse_item_value(p, &item->value) && parse_item_alias(p, &item->alias);
}

static bool parse_items(struct gate_parser *p, struct gate_item **out)
{
	struct gate_item **end = out;
	size_t count = 0;

	do {
		struct gate_item *item = arena_alloc(p->g->arena, sizeof(*item));

		if (!gate_check_list_length(p, count++) || !parse_item(p, item))
			return false;
		*end = item;
		end = &item->next;
	} while (gate_take_punct(p, ","));
	return true;
}

static bool parse_windows(struct gate_parser *p, struct gate_window **out)
{
	size_t count = 0;

	do {
		struct gate_window *n = arena_alloc(p->g->arena, sizeof(*n));
		struct gate_name name;

		if (!gate_check_list_length(p, count++) || !gate_parse_name(p, &name) ||
		    !gate_expect_word(p, "AS") || !gate_parse_window(p, n))
			return false;
		n->name = name;
		*out = n;
		out = &n->next;
	} while (gate_take_punct(p, ","));
	return true;
}

static bool parse_clauses(struct gate_parser *p, struct gate_select *s)
{
	if (gate_take_word(p, "WHERE") && !gate_parse_expr(p, &s->where))
		return false;
	if (gate_take_word(p, "GROUP") && !gate_parse_group_by(p, &s->group_by))
		return false;
	if (gate_take_word(p, "HAVING") && !gate_parse_expr(p, &s->having))
		return false;
	return !gate_take_word(p, "WINDOW") || parse_windows(p, &s->windows);
}

static bool parse_select(struct gate_parser *p, struct gate_select **out)
{
	struct gate_select *s = arena_alloc(p->g->arena, sizeof(*s));

	s->at = p->t->at;
	if (!gate_expect_word(p, "SELECT"))
		return false;
	s->distinct = gate_take_word(p, "DISTINCT");
	if (!s->distinct)
		gate_take_word(p, "ALL");
	if (!gate_parse_top(p, &s->top) || !parse_items(p, &s->items))
		return false;
	if (gate_at_word(p, "INTO"))
		return gate_unexpected(p, "FROM");
	if (!gate_take_word(p, "FROM"))
		return gate_at_punct(p, ")") || p->t->kind == GATE_T_END || gate_at_punct(p, ";")
			       ? gate_refuse(p->g, s->at, "SELECT needs FROM")
			       : gate_unexpected(p, "FROM");
	if (!gate_parse_sources(p, &s->from) || !parse_clauses(p, s))
		return false;
	*out = s;
	return true;
}

/* ---- queries ---- */

static bool parse_term(struct gate_parser *p, struct gate_term *term)
{
	if (gate_at_punct(p, "("))
		return gate_parse_query_in_parens(p, &term->query);
	return parse_select(p, &term->select);
}

static const char *take_set_operation(struct gate_parser *p)
{
	static const char *const words[] = {"UNION", "EXCEPT", "INTERSECT", NULL};
	static const char *const all[] = {"UNION ALL", "EXCEPT ALL", "INTERSECT ALL"};
	const char *op = gate_take_one_of(p, words);

	if (!op || (p->g->dialect != DIALECT_POSTGRES && op != words[0]))
		return op;
	if (gate_take_word(p, "ALL"))
		for (size_t i = 0; words[i]; i++)
			if (op == words[i])
				return all[i];
	return op;
}

static bool parse_ctes(struct gate_parser *p, struct gate_cte **out)
{
	size_t count = 0;

	if (gate_at_word(p, "RECURSIVE"))
		return gate_unexpected(p, "a name");
	do {
		struct gate_cte *c = arena_alloc(p->g->arena, sizeof(*c));

		if (!gate_check_list_length(p, count++) || !gate_parse_name(p, &c->name))
			return false;
		if (gate_at_punct(p, "(") && !gate_parse_names(p, &c->columns))
			return false;
		if (!gate_expect_word(p, "AS"))
			return false;
		if (!gate_opens_query(p))
			return gate_refuse(p->g, p->t->at, "a CTE must be (SELECT …)");
		if (!gate_parse_query_in_parens(p, &c->query))
			return false;
		*out = c;
		out = &c->next;
	} while (gate_take_punct(p, ","));
	return true;
}

bool gate_parse_query(struct gate_parser *p, struct gate_query **out)
{
	struct gate_query *q = arena_alloc(p->g->arena, sizeof(*q));
	struct gate_term **end = &q->terms;
	const char *op = NULL;
	size_t count = 0;

	q->at = p->t->at;
	if (gate_at_word(p, "WITH") && p->g->dialect == DIALECT_MSSQL && p->t != p->first)
		return gate_refuse(p->g, p->t->at, "WITH is only allowed at the start");
	if (gate_take_word(p, "WITH") && !parse_ctes(p, &q->ctes))
		return false;
	do {
		struct gate_term *term = arena_alloc(p->g->arena, sizeof(*term));

		term->op = op;
		if (!gate_check_list_length(p, count++) || !parse_term(p, term))
			return false;
		*end = term;
		end = &term->next;
		op = take_set_operation(p);
	} while (op);
	if (gate_take_word(p, "ORDER") && !gate_parse_order(p, &q->order))
		return false;
	if (!gate_parse_limit(p, &q->limit))
		return false;
	*out = q;
	return true;
}

bool gate_parse_query_in_parens(struct gate_parser *p, struct gate_query **out)
{
	if (!gate_enter(p) || !gate_expect_punct(p, "(") || !gate_parse_query(p, out))
		return false;
	gate_leave(p);
	return gate_expect_punct(p, ")");
}
