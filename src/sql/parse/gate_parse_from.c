/*
 * Parses FROM: views, CTEs, derived tables and joins. A name followed by a parenthesis is a table
 * function or a hint; both are refused.
 */
#include "gate/gate_int.h"

static bool parse_source_list(struct gate_parser *p, struct gate_source **out);

/* [schema.]name */
static bool parse_table(struct gate_parser *p, struct gate_source *s)
{
	s->kind = GATE_TABLE;
	if (p->t->kind == GATE_T_WORD && gate_is_punct(p->t + 1, "("))
		return gate_refuse(p->g, s->at, "table functions and hints are not allowed");
	if (!gate_parse_name(p, &s->name))
		return false;
	if (gate_take_punct(p, ".")) {
		s->schema = s->name;
		if (!gate_parse_name(p, &s->name))
			return false;
	}
	if (gate_at_punct(p, "."))
		return gate_refuse(p->g, s->at, "a name has at most two parts: schema.view");
	if (gate_at_punct(p, "("))
		return gate_refuse(p->g, s->at, "table functions and hints are not allowed");
	return true;
}

/* (VALUES (1, 'a'), (2, 'b')) */
static bool parse_values(struct gate_parser *p, struct gate_source *s)
{
	struct gate_expr *rows = gate_expr_new(p, GATE_LIST, p->t->at);

	s->kind = GATE_VALUES;
	p->t += 2; /* skips ( and VALUES */
	do {
		struct gate_expr *row = gate_expr_new(p, GATE_LIST, p->t->at);

		if (!gate_check_list_length(p, rows->kid_count) || !gate_expect_punct(p, "(") ||
		    !gate_parse_exprs(p, &row->kids, &row->kid_count) || !gate_expect_punct(p, ")"))
			return false;
		if (rows->kids && row->kid_count != rows->kids->kid_count)
			return gate_refuse(p->g, row->at, "rows of VALUES differ in length");
		gate_expr_add(rows, row);
	} while (gate_take_punct(p, ","));
	s->rows = rows->kids;
	return gate_expect_punct(p, ")");
}

static bool parse_group(struct gate_parser *p, struct gate_source *s)
{
	s->kind = GATE_GROUP;
	if (!gate_enter(p) || !gate_expect_punct(p, "(") || !parse_source_list(p, &s->group))
		return false;
	for (const struct gate_source *in = s->group; in; in = in->next)
		if (in->join && in->join[0] == ',')
			return gate_refuse(p->g, in->at,
					   "a comma is not allowed inside parenthesized joins");
	if (!s->group->next)
		return gate_refuse(p->g, s->at,
				   "parentheses around a single source are not allowed");
	gate_leave(p);
	return gate_expect_punct(p, ")");
}

static bool parse_source_alias(struct gate_parser *p, struct gate_source *s)
{
	if (!gate_parse_alias(p, &s->alias))
		return false;
	if (s->kind == GATE_TABLE) {
		if (gate_at_word(p, "WITH") || gate_at_punct(p, "("))
			return gate_refuse(p->g, p->t->at,
					   "table functions and hints are not allowed");
		return true;
	}
	if (!s->alias.text.p)
		return gate_unexpected(p, "a name for the derived table");
	if (gate_at_punct(p, "(") && !gate_parse_names(p, &s->columns))
		return false;
	if (s->kind == GATE_VALUES && !s->columns)
		return gate_unexpected(p, "names for the columns of VALUES");
	return true;
}

/* AGG(value) FOR column IN (names), or value FOR column IN (names). */
static bool parse_pivot_body(struct gate_parser *p, struct gate_pivot *pivot)
{
	if (!pivot->unpivot &&
	    (!gate_parse_name(p, &pivot->function) || !gate_expect_punct(p, "(")))
		return false;
	if (!gate_parse_name(p, &pivot->value))
		return false;
	if (!pivot->unpivot && !gate_expect_punct(p, ")"))
		return false;
	return gate_expect_word(p, "FOR") && gate_parse_name(p, &pivot->column) &&
	       gate_expect_word(p, "IN") && gate_parse_names(p, &pivot->in);
}

static bool parse_pivot(struct gate_parser *p, struct gate_source *s)
{
	bool unpivot = gate_at_word(p, "UNPIVOT");

	if (!unpivot && !gate_at_word(p, "PIVOT"))
		return true;
	if (p->g->dialect != DIALECT_MSSQL)
		return gate_refuse(p->g, p->t->at, "PIVOT and UNPIVOT exist only in SQL Server");
	p->t++;
	s->pivot = arena_alloc(p->g->arena, sizeof(*s->pivot));
	s->pivot->unpivot = unpivot;
	if (!gate_expect_punct(p, "(") || !parse_pivot_body(p, s->pivot) ||
	    !gate_expect_punct(p, ")"))
		return false;
	gate_take_word(p, "AS");
	return gate_parse_name(p, &s->pivot->alias);
}

static bool parse_primary(struct gate_parser *p, struct gate_source *s)
{
	bool ok;

	s->at = p->t->at;
	if (gate_opens_query(p)) {
		s->kind = GATE_DERIVED;
		ok = gate_parse_query_in_parens(p, &s->query);
	} else if (gate_at_punct(p, "(") && gate_is_word(p->t + 1, "VALUES")) {
		ok = parse_values(p, s);
	} else if (gate_at_punct(p, "(")) {
		return parse_group(p, s);
	} else {
		ok = parse_table(p, s);
	}
	return ok && parse_source_alias(p, s) && parse_pivot(p, s);
}

/* ---- joins ---- */

static const struct join {
	const char *words[4];
	const char *written;
	enum gate_join kind;
	bool on;
} joins[] = {
	{{"JOIN"}, "INNER JOIN", GATE_JOIN_INNER, true},
	{{"INNER", "JOIN"}, "INNER JOIN", GATE_JOIN_INNER, true},
	{{"LEFT", "JOIN"}, "LEFT JOIN", GATE_JOIN_LEFT, true},
	{{"LEFT", "OUTER", "JOIN"}, "LEFT JOIN", GATE_JOIN_LEFT, true},
	{{"RIGHT", "JOIN"}, "RIGHT JOIN", GATE_JOIN_RIGHT, true},
	{{"RIGHT", "OUTER", "JOIN"}, "RIGHT JOIN", GATE_JOIN_RIGHT, true},
	{{"FULL", "JOIN"}, "FULL JOIN", GATE_JOIN_FULL, true},
	{{"FULL", "OUTER", "JOIN"}, "FULL JOIN", GATE_JOIN_FULL, true},
	{{"CROSS", "JOIN"}, "CROSS JOIN", GATE_JOIN_CROSS, false},
	{{"CROSS", "APPLY"}, "CROSS APPLY", GATE_JOIN_APPLY, false},
	{{"OUTER", "APPLY"}, "OUTER APPLY", GATE_JOIN_APPLY, false},
};

/* Consumes the current join keywords; NULL: none. */
static const struct join *take_join(struct gate_parser *p)
{
	for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
		size_t n = 0;

		while (joins[i].words[n] && gate_is_word(p->t + n, joins[i].words[n]))
			n++;
		if (!joins[i].words[n]) {
			p->t += n;
			return &joins[i];
		}
	}
	return NULL;
}

static bool check_join(struct gate_parser *p, const struct join *join, size_t at)
{
	if (!(p->g->policy->joins & join->kind))
		return gate_refuse(p->g, at, "%s is not allowed", join->written);
	if (join->kind == GATE_JOIN_APPLY) {
		if (p->g->dialect != DIALECT_MSSQL)
			return gate_refuse(p->g, at, "APPLY exists only in SQL Server");
		if (!gate_at_punct(p, "("))
			return gate_refuse(p->g, p->t->at,
					   "APPLY takes a subquery, not a table function");
	}
	return true;
}

static bool parse_on(struct gate_parser *p, struct gate_source *s)
{
	if (p->g->dialect != DIALECT_MSSQL && gate_take_word(p, "USING"))
		return gate_parse_names(p, &s->using_columns);
	return gate_expect_word(p, "ON") && gate_parse_expr(p, &s->on);
}

static bool parse_joined(struct gate_parser *p, const struct join *join, struct gate_source *s)
{
	s->join = join->written;
	s->join_kind = join->kind;
	s->lateral = join->kind == GATE_JOIN_APPLY;
	if (p->g->dialect == DIALECT_POSTGRES && gate_take_word(p, "LATERAL")) {
		if (!gate_opens_query(p))
			return gate_refuse(p->g, p->t->at, "LATERAL takes a subquery");
		s->lateral = true;
	}
	if (!parse_primary(p, s))
		return false;
	if (join->kind == GATE_JOIN_APPLY && s->kind != GATE_DERIVED && s->kind != GATE_VALUES)
		return gate_refuse(p->g, s->at, "APPLY takes a subquery");
	return !join->on || parse_on(p, s);
}

static bool check_source_count(struct gate_parser *p)
{
	size_t max = p->g->policy->limits.sources;

	return p->sources++ < max ||
	       gate_limit_reached(p->g, p->t->at, "more than %zu sources in one statement", max);
}

static bool parse_source_list(struct gate_parser *p, struct gate_source **out)
{
	static const struct join comma = {{NULL}, ",", GATE_JOIN_CROSS, false};
	static const struct join first = {{NULL}, NULL, GATE_JOIN_CROSS, false};
	const struct join *join = &first;

	do {
		struct gate_source *s = arena_alloc(p->g->arena, sizeof(*s));

		if (!check_source_count(p) || !parse_joined(p, join, s))
			return false;
		*out = s;
		out = &s->next;

		size_t at = p->t->at;
		join = gate_take_punct(p, ",") ? &comma : take_join(p);
		if (join && !check_join(p, join, at))
			return false;
	} while (join);
	return true;
}

bool gate_parse_sources(struct gate_parser *p, struct gate_source **out)
{
	return parse_source_list(p, out);
}
