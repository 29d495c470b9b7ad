/*
 * The parser of GROUP BY. It accepts only the few ways in which ROLLUP, CUBE and GROUPING SETS can
 * be nested. A database would read any other nesting as a call of a function named rollup.
 */
#include "gate/gate_int.h"

static bool parse_group_item(struct gate_parser *p, struct gate_expr **out);

/* True at a list such as (a, b); false at an expression such as (a) + 1. */
static bool at_group_set(const struct gate_parser *p)
{
	if (!gate_at_punct(p, "(") || gate_opens_query(p))
		return false;

	const struct gate_token *after = p->first + p->t->match + 1;
	return gate_is_punct(after, ",") || gate_is_punct(after, ")");
}

enum group_list {
	GROUP_SET,    /* (a, b), or () */
	GROUP_ROLLUP, /* ROLLUP or CUBE of expressions and nonempty sets */
	GROUP_SETS,   /* GROUPING SETS of expressions and all of these */
};

static bool parse_group_list(struct gate_parser *p, enum group_list kind, const char *word,
			     struct gate_expr **out);

static bool parse_group_member(struct gate_parser *p, enum group_list kind, struct gate_expr **out)
{
	size_t at = p->t->at;

	if (kind == GROUP_SET || !at_group_set(p))
		return kind == GROUP_SETS ? parse_group_item(p, out) : gate_parse_expr(p, out);
	if (!parse_group_list(p, GROUP_SET, NULL, out))
		return false;
	return (*out)->kids || kind == GROUP_SETS ||
	       gate_refuse(p->g, at, "an empty set is allowed only in GROUPING SETS");
}

/* Parses ( members ). `word`: the keyword before the list, or NULL. */
static bool parse_group_list(struct gate_parser *p, enum group_list kind, const char *word,
			     struct gate_expr **out)
{
	struct gate_expr *list = gate_expr_new(p, GATE_LIST, p->t->at);

	list->word = word;
	if (!gate_enter(p) || !gate_expect_punct(p, "("))
		return false;
	bool empty = kind == GROUP_SET && gate_at_punct(p, ")");
	while (!empty) {
		struct gate_expr *member;

		if (!gate_check_list_length(p, list->kid_count) ||
		    !parse_group_member(p, kind, &member))
			return false;
		gate_expr_add(list, member);
		if (!gate_take_punct(p, ","))
			break;
	}
	gate_leave(p);
	*out = list;
	return gate_expect_punct(p, ")");
}

static bool parse_group_item(struct gate_parser *p, struct gate_expr **out)
{
	if (gate_is_punct(p->t + 1, "(")) {
		if (gate_take_word(p, "ROLLUP"))
			return parse_group_list(p, GROUP_ROLLUP, "ROLLUP", out);
		if (gate_take_word(p, "CUBE"))
			return parse_group_list(p, GROUP_ROLLUP, "CUBE", out);
	}
	if (gate_at_word(p, "GROUPING") && gate_is_word(p->t + 1, "SETS")) {
		p->t += 2;
		return parse_group_list(p, GROUP_SETS, "GROUPING SETS", out);
	}
	if (gate_at_punct(p, "(") && gate_is_punct(p->t + 1, ")"))
		return parse_group_list(p, GROUP_SET, NULL, out);
	return gate_parse_expr(p, out);
}

/* Parses BY and the list after it; GROUP has been read. */
bool gate_parse_group_by(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *list = gate_expr_new(p, GATE_LIST, p->t->at);

	if (!gate_expect_word(p, "BY"))
		return false;
	do {
		struct gate_expr *item;

		if (!gate_check_list_length(p, list->kid_count) || !parse_group_item(p, &item))
			return false;
		gate_expr_add(list, item);
	} while (gate_take_punct(p, ","));
	if (p->g->dialect == DIALECT_MSSQL && gate_at_word(p, "WITH"))
		return gate_refuse(p->g, p->t->at, "use GROUP BY ROLLUP (…) or CUBE (…), not WITH");
	*out = list->kids;
	return true;
}
