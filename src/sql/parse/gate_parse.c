/*
 * Common parts of the parser: token lookahead, names, and the depth limit. It contains no clauses.
 */
#include <string.h>

#include "gate/gate_int.h"
#include "vesper/limits.h"

bool gate_is_word(const struct gate_token *t, const char *upper)
{
	return t->kind == GATE_T_WORD && str_eq_nocase(t->text, str_of(upper));
}

bool gate_is_punct(const struct gate_token *t, const char *punct)
{
	return t->kind == GATE_T_PUNCT && str_eq(t->text, str_of(punct));
}

bool gate_at_word(const struct gate_parser *p, const char *upper)
{
	return gate_is_word(p->t, upper);
}

bool gate_at_punct(const struct gate_parser *p, const char *punct)
{
	return gate_is_punct(p->t, punct);
}

bool gate_take_word(struct gate_parser *p, const char *upper)
{
	bool matches = gate_at_word(p, upper);

	p->t += matches;
	return matches;
}

bool gate_take_punct(struct gate_parser *p, const char *punct)
{
	bool matches = gate_at_punct(p, punct);

	p->t += matches;
	return matches;
}

bool gate_expect_word(struct gate_parser *p, const char *upper)
{
	return gate_take_word(p, upper) || gate_unexpected(p, upper);
}

bool gate_expect_punct(struct gate_parser *p, const char *punct)
{
	return gate_take_punct(p, punct) || gate_unexpected(p, punct);
}

const char *gate_take_one_of(struct gate_parser *p, const char *const *words)
{
	for (; *words; words++)
		if (gate_take_word(p, *words))
			return *words;
	return NULL;
}

/* Words with a more specific message than "unexpected". */
static const char *refusal_reason(const struct gate_token *t)
{
	static const struct {
		const char *word;
		const char *reason;
	} reasons[] = {
		{"INTO", "SELECT INTO is not allowed"},
		{"FOR", "locking, FOR XML and the like are not allowed"},
		{"OPTION", "hints are not allowed"},
		{"TABLESAMPLE", "TABLESAMPLE is not allowed"},
		{"NATURAL", "NATURAL JOIN is not allowed; use ON"},
		{"LIMIT", "LIMIT does not exist in this dialect or is in the wrong place"},
		{"TOP", "TOP does not exist in this dialect or is in the wrong place"},
		{"VALUES", "VALUES is only allowed as a derived table"},
		{"RECURSIVE", "recursion is not allowed"},
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (gate_is_word(t, reasons[i].word))
			return reasons[i].reason;
	return NULL;
}

bool gate_unexpected(const struct gate_parser *p, const char *expected)
{
	const struct gate_token *t = p->t;
	const char *reason = refusal_reason(t);

	if (reason)
		return gate_refuse(p->g, t->at, "%s", reason);
	switch (t->kind) {
	case GATE_T_END:
		return gate_refuse(p->g, t->at, "%s expected at the end", expected);
	case GATE_T_NAME:
		return gate_refuse(p->g, t->at, "%s expected, not a quoted name", expected);
	case GATE_T_STRING:
		return gate_refuse(p->g, t->at, "%s expected, not a string", expected);
	default:
		return gate_refuse(p->g, t->at, "%s expected, not %.*s", expected,
				   STR_FMT(t->text));
	}
}

bool gate_enter(struct gate_parser *p)
{
	if (p->depth >= p->g->policy->limits.depth)
		return gate_limit_reached(p->g, p->t->at, "nested deeper than %d",
					  p->g->policy->limits.depth);
	p->depth++;
	return true;
}

void gate_leave(struct gate_parser *p)
{
	p->depth--;
}

bool gate_check_list_length(const struct gate_parser *p, size_t count)
{
	size_t max = p->g->policy->limits.list;

	return count < max ||
	       gate_limit_reached(p->g, p->t->at, "more than %zu items in one list", max);
}

bool gate_at_name(const struct gate_parser *p)
{
	return p->t->kind == GATE_T_NAME ||
	       (p->t->kind == GATE_T_WORD && !gate_word_reserved(p->t->text));
}

bool gate_parse_name(struct gate_parser *p, struct gate_name *out)
{
	if (p->t->kind == GATE_T_WORD && gate_word_reserved(p->t->text) && !refusal_reason(p->t))
		return gate_refuse(p->g, p->t->at, "a name expected; %.*s is a reserved word",
				   STR_FMT(p->t->text));
	if (!gate_at_name(p))
		return gate_unexpected(p, "a name");
	if (p->g->dialect == DIALECT_POSTGRES && p->t->text.n > GATE_NAME_BYTES_PG)
		return gate_limit_reached(p->g, p->t->at, "the name is longer than %d bytes",
					  GATE_NAME_BYTES_PG);
	*out = (struct gate_name){
		.text = p->t->text, .quoted = p->t->kind == GATE_T_NAME, .at = p->t->at};
	p->t++;
	return true;
}

bool gate_parse_names(struct gate_parser *p, struct gate_name **out)
{
	struct gate_name **end = out;
	size_t count = 0;

	if (!gate_expect_punct(p, "("))
		return false;
	do {
		struct gate_name *n = arena_alloc(p->g->arena, sizeof(*n));

		if (!gate_check_list_length(p, count++) || !gate_parse_name(p, n))
			return false;
		*end = n;
		end = &n->next;
	} while (gate_take_punct(p, ","));
	return gate_expect_punct(p, ")");
}

/* [AS] name, or nothing. */
bool gate_parse_alias(struct gate_parser *p, struct gate_name *out)
{
	if (gate_take_word(p, "AS"))
		return gate_parse_name(p, out);
	if (p->t->kind == GATE_T_NAME ||
	    (p->t->kind == GATE_T_WORD && !gate_word_starts(p->t->text)))
		return gate_parse_name(p, out);
	return true;
}

bool gate_parse_digits(struct gate_parser *p, struct str *out)
{
	const struct gate_token *t = p->t;

	if (t->kind != GATE_T_NUMBER)
		return gate_unexpected(p, "a whole number");
	for (size_t i = 0; i < t->text.n; i++)
		if (t->text.p[i] < '0' || t->text.p[i] > '9')
			return gate_unexpected(p, "a whole number");
	if (t->text.n > 18)
		return gate_limit_reached(p->g, t->at, "number too large");
	*out = t->text;
	p->t++;
	return true;
}

/* Tokens that may follow a parenthesized query inside a larger query. */
static bool continues_as_query(const struct gate_token *t)
{
	static const char *const words[] = {"UNION",  "EXCEPT", "INTERSECT", "ORDER",
					    "OFFSET", "FETCH",  "LIMIT",     NULL};

	for (size_t i = 0; words[i]; i++)
		if (gate_is_word(t, words[i]))
			return true;
	return gate_is_punct(t, ")");
}

bool gate_opens_query(const struct gate_parser *p)
{
	const struct gate_token *t = p->t;
	int depth = p->g->policy->limits.depth;

	if (!gate_is_punct(t, "("))
		return false;
	for (t++; gate_is_punct(t, "(") && depth > 0; t++, depth--)
		if (!continues_as_query(p->first + t->match + 1))
			return false;
	return gate_is_word(t, "SELECT") || gate_is_word(t, "WITH");
}
