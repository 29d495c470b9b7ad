/*
 * Parses the leaves of expressions: literals, columns, parentheses, CASE, subqueries. A word
 * followed by a parenthesis is a call (gate_parse_call.c). Any other word that is not reserved is a
 * column, even if a function has this name.
 */
#include "gate/gate_int.h"

static bool parse_paren(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x, *kid;

	if (gate_opens_query(p)) {
		x = gate_expr_new(p, GATE_QUERY, p->t->at);
		*out = x;
		return gate_parse_query_in_parens(p, &x->query);
	}
	x = gate_expr_new(p, GATE_PAREN, p->t->at);
	p->t++;
	if (!gate_parse_expr(p, &kid) || !gate_expect_punct(p, ")"))
		return false;
	gate_expr_add(x, kid);
	*out = x;
	return true;
}

static bool parse_exists(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x = gate_expr_new(p, GATE_QUERY, p->t->at);

	p->t++;
	x->word = "EXISTS";
	if (!gate_opens_query(p))
		return gate_refuse(p->g, p->t->at, "EXISTS takes a subquery");
	*out = x;
	return gate_parse_query_in_parens(p, &x->query);
}

static bool parse_case(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x = gate_expr_new(p, GATE_CASE, p->t->at), *when, *then;

	p->t++;
	if (!gate_at_word(p, "WHEN") && !gate_parse_expr(p, &x->operand))
		return false;
	do {
		if (!gate_check_list_length(p, x->kid_count) || !gate_expect_word(p, "WHEN") ||
		    !gate_parse_expr(p, &when) || !gate_expect_word(p, "THEN") ||
		    !gate_parse_expr(p, &then))
			return false;
		gate_expr_add(x, when);
		gate_expr_add(x, then);
	} while (gate_at_word(p, "WHEN"));
	if (gate_take_word(p, "ELSE") && !gate_parse_expr(p, &x->otherwise))
		return false;
	*out = x;
	return gate_expect_word(p, "END");
}

static bool at_typed_literal(const struct gate_parser *p)
{
	return gate_at_word(p, "DATE") || gate_at_word(p, "TIMESTAMP") || gate_at_word(p, "TIME") ||
	       gate_at_word(p, "INTERVAL");
}

/* Parses DATE '2025-01-01' and similar literals. */
static bool parse_typed_literal(struct gate_parser *p, struct gate_expr **out)
{
	static const char *const types[] = {"DATE", "TIMESTAMP", "TIME", NULL};
	static const char *const units[] = {"YEAR",   "MONTH",  "DAY", "HOUR",
					    "MINUTE", "SECOND", NULL};
	struct gate_expr *x = gate_expr_new(p, GATE_INTERVAL, p->t->at);

	if (gate_at_word(p, "INTERVAL") && p->g->dialect != DIALECT_POSTGRES)
		return gate_refuse(p->g, p->t->at,
				   "INTERVAL exists only in PostgreSQL; use DATEADD(day, n, date)");
	if (gate_take_word(p, "INTERVAL")) {
		x->text = p->t->text;
		p->t++;
		x->word = gate_take_one_of(p, units);
	} else {
		x->kind = GATE_STRING;
		x->word = gate_take_one_of(p, types);
		if (!x->word)
			return gate_refuse(p->g, p->t->at,
					   "a word is not allowed before a string: %.*s",
					   STR_FMT(p->t->text));
		x->text = p->t->text;
		p->t++;
	}
	*out = x;
	return true;
}

/* Equivalent to GETDATE(). */
static bool parse_now(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x = gate_expr_new(p, GATE_CALL, p->t->at);

	x->text = STR("GETDATE");
	x->call = arena_alloc(p->g->arena, sizeof(*x->call));
	*out = x;
	p->t++;
	return true;
}

/* Equivalent to CAST(GETDATE() AS DATE). */
static bool parse_today(struct gate_parser *p, struct gate_expr **out)
{
	static struct gate_type date = {.name = "DATE"};
	struct gate_expr *x = gate_expr_new(p, GATE_CAST, p->t->at), *now;

	x->word = "CAST";
	x->type = &date;
	*out = x;
	if (!parse_now(p, &now))
		return false;
	gate_expr_add(x, now);
	return true;
}

static bool parse_column(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x = gate_expr_new(p, GATE_COLUMN, p->t->at);

	if (!gate_parse_name(p, &x->name))
		return false;
	if (gate_take_punct(p, ".")) {
		x->qualifier = x->name;
		if (!gate_parse_name(p, &x->name))
			return false;
	}
	if (gate_at_punct(p, "."))
		return gate_refuse(p->g, x->at, "a name has at most two parts: source.column");
	if (gate_at_punct(p, "("))
		return gate_refuse(p->g, x->at, "functions are called by their plain name");
	*out = x;
	return true;
}

static bool parse_word(struct gate_parser *p, struct gate_expr **out)
{
	if (gate_at_word(p, "CASE"))
		return parse_case(p, out);
	if (gate_at_word(p, "EXISTS"))
		return parse_exists(p, out);
	if (gate_at_word(p, "NULL") || (p->g->dialect != DIALECT_MSSQL &&
					(gate_at_word(p, "TRUE") || gate_at_word(p, "FALSE")))) {
		*out = gate_expr_new(p, GATE_WORD, p->t->at);
		(*out)->text = p->t->text;
		p->t++;
		return true;
	}
	if (gate_is_punct(p->t + 1, "("))
		return gate_parse_call(p, out);
	if (gate_at_word(p, "CURRENT_TIMESTAMP"))
		return parse_now(p, out);
	if (gate_at_word(p, "CURRENT_DATE"))
		return parse_today(p, out);
	if (p->t[1].kind == GATE_T_STRING &&
	    (p->g->dialect == DIALECT_POSTGRES || (!p->t[1].national && at_typed_literal(p))))
		return parse_typed_literal(p, out);
	if (gate_at_word(p, "SELECT") || gate_at_word(p, "WITH"))
		return gate_refuse(p->g, p->t->at, "a subquery must be in parentheses");
	return parse_column(p, out);
}

bool gate_parse_primary(struct gate_parser *p, struct gate_expr **out)
{
	switch (p->t->kind) {
	case GATE_T_NUMBER:
	case GATE_T_STRING:
		*out = gate_expr_new(p, p->t->kind == GATE_T_NUMBER ? GATE_NUMBER : GATE_STRING,
				     p->t->at);
		(*out)->text = p->t->text;
		(*out)->word = p->t->national ? "N" : NULL;
		p->t++;
		return true;
	case GATE_T_WORD:
		return parse_word(p, out);
	case GATE_T_NAME:
		return parse_column(p, out);
	default:
		return gate_at_punct(p, "(") ? parse_paren(p, out) : gate_unexpected(p, "a value");
	}
}
