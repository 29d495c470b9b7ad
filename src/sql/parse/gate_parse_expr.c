/*
 * Parses expressions: operators and conditions. Operators of one level form a flat list, so that a
 * thousand terms add no depth.
 */
#include "gate/gate_int.h"
#include "vesper/limits.h"

struct gate_expr *gate_expr_new(struct gate_parser *p, enum gate_expr_kind kind, size_t at)
{
	struct gate_expr *x = arena_alloc(p->g->arena, sizeof(*x));

	x->kind = kind;
	x->at = at;
	return x;
}

void gate_expr_add(struct gate_expr *parent, struct gate_expr *kid)
{
	if (!parent->kids)
		parent->kids = kid;
	else
		parent->last->next = kid;
	parent->last = kid;
	parent->kid_count++;
}

bool gate_parse_exprs(struct gate_parser *p, struct gate_expr **out, size_t *count)
{
	struct gate_expr list = {0};

	do {
		struct gate_expr *item;

		if (!gate_check_list_length(p, list.kid_count) || !gate_parse_expr(p, &item))
			return false;
		gate_expr_add(&list, item);
	} while (gate_take_punct(p, ","));
	*out = list.kids;
	*count = list.kid_count;
	return true;
}

/* Parses operand {op operand}: a single operand is returned unchanged, several as a chain. `take`
 * consumes the current operator, or returns NULL. */
static bool parse_chain(struct gate_parser *p,
			bool (*operand)(struct gate_parser *p, struct gate_expr **out),
			const char *(*take)(struct gate_parser *p), struct gate_expr **out)
{
	struct gate_expr *x, *chain = NULL;
	size_t at = p->t->at;
	const char *op;

	if (!operand(p, &x))
		return false;
	while ((op = take(p))) {
		if (!chain) {
			chain = gate_expr_new(p, GATE_CHAIN, at);
			gate_expr_add(chain, x);
		}
		if (!operand(p, &x))
			return false;
		x->op = op;
		gate_expr_add(chain, x);
	}
	*out = chain ? chain : x;
	return true;
}

static const char *take_punct_of(struct gate_parser *p, const char *const *signs)
{
	for (; *signs; signs++)
		if (gate_take_punct(p, *signs))
			return *signs;
	return NULL;
}

/* ---- arithmetic ---- */

static const char *take_factor(struct gate_parser *p)
{
	static const char *const signs[] = {"*", "/", "%", NULL};

	return take_punct_of(p, signs);
}

static const char *take_summand(struct gate_parser *p)
{
	static const char *const signs[] = {"+", "-", "||", NULL};

	return take_punct_of(p, signs);
}

static bool parse_suffix(struct gate_parser *p, struct gate_expr **x, bool *more)
{
	size_t at = p->t->at;
	struct gate_expr *of = *x, *out;

	*more = true;
	if (gate_take_word(p, "COLLATE")) {
		out = gate_expr_new(p, GATE_COLLATE, at);
		if (!gate_parse_name(p, &out->name))
			return false;
		gate_expr_add(out, of);
	} else if (gate_at_word(p, "AT") && gate_is_word(p->t + 1, "TIME")) {
		struct gate_expr *zone;

		p->t += 2;
		out = gate_expr_new(p, GATE_ZONE, at);
		if (!gate_expect_word(p, "ZONE") || !gate_parse_primary(p, &zone))
			return false;
		gate_expr_add(out, of);
		gate_expr_add(out, zone);
	} else if (gate_take_punct(p, "::")) {
		out = gate_expr_new(p, GATE_CAST, of->at);
		out->word = "CAST";
		if (!gate_parse_type(p, &out->type))
			return false;
		gate_expr_add(out, of);
	} else {
		*more = false;
		return true;
	}
	*x = out;
	return true;
}

static bool parse_operand(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x;
	bool more = true;

	if (!gate_parse_primary(p, &x))
		return false;
	for (int i = 0; more; i++) {
		if (i > GATE_SUFFIXES_MAX)
			return gate_limit_reached(
				p->g, p->t->at,
				"more than %d of COLLATE, AT TIME ZONE and ::", GATE_SUFFIXES_MAX);
		if (!parse_suffix(p, &x, &more))
			return false;
	}
	*out = x;
	return true;
}

static bool parse_signed(struct gate_parser *p, struct gate_expr **out)
{
	static const char *const signs[] = {"-", "+", NULL};
	size_t at = p->t->at;
	const char *sign = take_punct_of(p, signs);
	struct gate_expr *kid;

	if (!sign)
		return parse_operand(p, out);
	if (!gate_enter(p) || !parse_signed(p, &kid))
		return false;
	gate_leave(p);
	*out = gate_expr_new(p, GATE_PREFIX, at);
	(*out)->word = sign;
	gate_expr_add(*out, kid);
	return true;
}

static bool parse_product(struct gate_parser *p, struct gate_expr **out)
{
	return parse_chain(p, parse_signed, take_factor, out);
}

bool gate_parse_additive(struct gate_parser *p, struct gate_expr **out)
{
	return parse_chain(p, parse_product, take_summand, out);
}

/* ---- conditions ---- */

static bool parse_in(struct gate_parser *p, struct gate_expr *x)
{
	struct gate_expr *values;
	size_t count;

	x->kind = GATE_IN;
	if (gate_opens_query(p))
		return gate_parse_query_in_parens(p, &x->query);
	if (!gate_enter(p) || !gate_expect_punct(p, "(") || !gate_parse_exprs(p, &values, &count))
		return false;
	gate_leave(p);
	x->kids->next = values;
	x->kid_count += count;
	return gate_expect_punct(p, ")");
}

static bool parse_between(struct gate_parser *p, struct gate_expr *x)
{
	struct gate_expr *low, *high;

	x->kind = GATE_BETWEEN;
	if (!gate_parse_additive(p, &low) || !gate_expect_word(p, "AND") ||
	    !gate_parse_additive(p, &high))
		return false;
	gate_expr_add(x, low);
	gate_expr_add(x, high);
	return true;
}

static bool parse_like(struct gate_parser *p, const char *word, struct gate_expr *x)
{
	struct gate_expr *pattern, *escape;

	x->kind = GATE_LIKE;
	x->word = word;
	if (!gate_parse_additive(p, &pattern))
		return false;
	gate_expr_add(x, pattern);
	if (!gate_take_word(p, "ESCAPE"))
		return true;
	if (p->t->kind != GATE_T_STRING)
		return gate_unexpected(p, "a string after ESCAPE");
	if (!gate_parse_primary(p, &escape))
		return false;
	gate_expr_add(x, escape);
	return true;
}

static bool parse_is(struct gate_parser *p, struct gate_expr *x)
{
	static const char *const words[] = {"NULL", "TRUE", "FALSE", "UNKNOWN", NULL};
	struct gate_expr *other;

	x->kind = GATE_IS;
	x->negated = gate_take_word(p, "NOT");
	if (gate_take_word(p, "DISTINCT")) {
		if (!gate_expect_word(p, "FROM") || !gate_parse_additive(p, &other))
			return false;
		gate_expr_add(x, other);
		return true;
	}
	x->word = gate_take_one_of(p, words);
	if (!x->word || (p->g->dialect == DIALECT_MSSQL && x->word != words[0]))
		return gate_refuse(p->g, p->t->at, "IS must be followed by NULL or DISTINCT FROM");
	return true;
}

static bool parse_compared(struct gate_parser *p, const char *op, struct gate_expr *x)
{
	static const char *const words[] = {"ANY", "ALL", "SOME", NULL};
	size_t at = p->t->at;
	const char *word = gate_take_one_of(p, words);
	struct gate_expr *right;

	x->kind = GATE_CHAIN;
	if (word) {
		right = gate_expr_new(p, GATE_QUERY, at);
		right->word = word;
		if (!gate_opens_query(p))
			return gate_refuse(p->g, p->t->at, "%s takes a subquery", word);
		if (!gate_parse_query_in_parens(p, &right->query))
			return false;
	} else if (!gate_parse_additive(p, &right)) {
		return false;
	}
	right->op = op;
	gate_expr_add(x, right);
	return true;
}

/* At most one condition follows an operand: a < b < c is refused as a likely error. */
static bool parse_condition(struct gate_parser *p, struct gate_expr **out)
{
	static const char *const signs[] = {"=", "<>", "!=", "<=", ">=", "<", ">", NULL};
	struct gate_expr *left, *x;
	size_t at = p->t->at;
	const char *op;

	if (!gate_parse_additive(p, &left))
		return false;
	x = gate_expr_new(p, GATE_CHAIN, at);
	gate_expr_add(x, left);
	*out = x;
	op = take_punct_of(p, signs);
	if (op)
		return parse_compared(p, op, x);
	if (gate_take_word(p, "IS"))
		return parse_is(p, x);
	x->negated = gate_take_word(p, "NOT");
	if (gate_take_word(p, "IN"))
		return parse_in(p, x);
	if (gate_take_word(p, "BETWEEN"))
		return parse_between(p, x);
	if (gate_take_word(p, "LIKE"))
		return parse_like(p, "LIKE", x);
	if (p->g->dialect == DIALECT_POSTGRES && gate_take_word(p, "ILIKE"))
		return parse_like(p, "ILIKE", x);
	*out = left;
	return !x->negated || gate_unexpected(p, "IN, BETWEEN or LIKE");
}

static bool parse_not(struct gate_parser *p, struct gate_expr **out)
{
	size_t at = p->t->at;
	struct gate_expr *kid;

	if (!gate_take_word(p, "NOT"))
		return parse_condition(p, out);
	if (!gate_enter(p) || !parse_not(p, &kid))
		return false;
	gate_leave(p);
	*out = gate_expr_new(p, GATE_PREFIX, at);
	(*out)->word = "NOT";
	gate_expr_add(*out, kid);
	return true;
}

static const char *take_and(struct gate_parser *p)
{
	return gate_take_word(p, "AND") ? "AND" : NULL;
}

static const char *take_or(struct gate_parser *p)
{
	return gate_take_word(p, "OR") ? "OR" : NULL;
}

static bool parse_and(struct gate_parser *p, struct gate_expr **out)
{
	return parse_chain(p, parse_not, take_and, out);
}

bool gate_parse_expr(struct gate_parser *p, struct gate_expr **out)
{
	if (!gate_enter(p) || !parse_chain(p, parse_and, take_or, out))
		return false;
	gate_leave(p);
	return true;
}
