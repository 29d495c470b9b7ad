/*
 * Conditions. They are parsed before a plan runs, so that an invalid condition rejects the plan
 * instead of skipping a task. Pure.
 */
#include "vesper/condition.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/clock.h"
#include "vesper/decimal.h"

enum node_kind { NODE_TERM, NODE_NOT, NODE_AND, NODE_OR };

struct condition_node {
	enum node_kind kind;
	const struct condition_term *term;         /* for NODE_TERM */
	const struct condition_node *left, *right; /* NODE_NOT has only left */
};

/* ---- parsing ---- */

struct reader {
	const char *p;
	struct arena *arena;
	struct condition *condition;
	int depth;                /* nesting of brackets */
	const char *implied_task; /* of all references; NULL: references name their task */
	struct err *e;
};

static const struct {
	const char *text;
	enum condition_operator sign;
} signs[] = {/* longer ones first */
	     {">=", SIGN_GREATER_EQUAL}, {"<=", SIGN_LESS_EQUAL}, {"==", SIGN_EQUAL},
	     {"!=", SIGN_NOT_EQUAL},     {">", SIGN_GREATER},     {"<", SIGN_LESS}};

static void skip_blanks(struct reader *r)
{
	while (*r->p == ' ' || *r->p == '\t')
		r->p++;
}

static bool take_char(struct reader *r, char c)
{
	skip_blanks(r);
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

/* The length of the text before a blank, an operator or a bracket. */
static size_t word_length(const char *p)
{
	return strcspn(p, " \t<>=!'\"(),");
}

static const char *take_word(struct reader *r)
{
	size_t n;
	const char *word;

	skip_blanks(r);
	n = word_length(r->p);
	word = arena_strndup(r->arena, r->p, n);
	r->p += n;
	return word;
}

static bool take_keyword(struct reader *r, const char *keyword)
{
	size_t n = strlen(keyword);

	skip_blanks(r);
	if (word_length(r->p) != n || strncasecmp(r->p, keyword, n) != 0)
		return false;
	r->p += n;
	return true;
}

static bool take_sign(struct reader *r, enum condition_operator *out)
{
	skip_blanks(r);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t n = strlen(signs[i].text);

		if (strncmp(r->p, signs[i].text, n) != 0)
			continue;
		*out = signs[i].sign;
		r->p += n;
		return true;
	}
	return false;
}

static const char *take_value(struct reader *r)
{
	const char *close, *value;

	skip_blanks(r);
	close = *r->p == '\'' || *r->p == '"' ? strchr(r->p + 1, *r->p) : NULL;
	if (!close)
		return take_word(r);
	value = arena_strndup(r->arena, r->p + 1, (size_t)(close - r->p - 1));
	r->p = close + 1;
	return value;
}

static bool fail_at(struct reader *r, const char *what)
{
	return err_set(r->e, ERR_INPUT, *r->p ? "%s at \"%.*s\"" : "%s at the end", what,
		       STR_CUT(r->p, 20));
}

static bool is_order(enum condition_operator c)
{
	return c != SIGN_EQUAL && c != SIGN_NOT_EQUAL;
}

static bool is_date(const char *text)
{
	struct date unused;

	return date_parse_iso(text, &unused);
}

/* ---- terms ---- */

static bool read_compare(struct reader *r, struct condition_term *t)
{
	const char **values = arena_alloc(r->arena, 2 * sizeof(*values));
	struct decimal unused;

	if (!take_sign(r, &t->sign))
		return fail_at(r, "a comparison is missing");
	values[0] = take_value(r);
	values[1] = NULL;
	t->values = values;
	if (!*values[0])
		return fail_at(r, "a value to compare with is missing");
	if (is_order(t->sign) && !decimal_parse(values[0], &unused) && !is_date(values[0]))
		return err_set(r->e, ERR_INPUT, "\"%.*s\" is not a number or date",
			       STR_CUT(values[0], 40));
	return true;
}

static bool read_in(struct reader *r, struct condition_term *t)
{
	const char **values = arena_alloc(r->arena, (LIST_ARG_MAX + 1) * sizeof(*values));
	size_t n = 0;

	t->kind = TERM_IN;
	t->values = values;
	if (!take_char(r, '('))
		return fail_at(r, "\"(\" is missing after \"in\"");
	do {
		if (n == LIST_ARG_MAX)
			return err_set(r->e, ERR_INPUT, "more than %d values in ( )", LIST_ARG_MAX);
		values[n] = take_value(r);
		if (!*values[n++])
			return fail_at(r, "a value is missing");
	} while (take_char(r, ','));
	values[n] = NULL;
	return take_char(r, ')') || fail_at(r, "\")\" is missing");
}

static bool is_name(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return *text;
}

static bool read_missing(struct reader *r, struct condition_term *t)
{
	t->kind = TERM_MISSING;
	t->filter = take_word(r);
	return is_name(t->filter) ||
	       err_set(r->e, ERR_INPUT, "the name of a filter is missing after \"missing\"");
}

static bool read_reference(struct reader *r, struct condition_term *t)
{
	const char *text = take_word(r);

	if (r->implied_task)
		text = arena_printf(r->arena, "%s.%s", r->implied_task, text);
	if (!ref_parse(text, &t->ref, r->e))
		return false;
	if (t->ref.kind == REF_COLUMN)
		return err_set(r->e, ERR_INPUT, "a whole column cannot be compared");
	return take_keyword(r, "in") ? read_in(r, t) : read_compare(r, t);
}

static const struct condition_node *new_node(struct reader *r, struct condition_node node)
{
	struct condition_node *copy = arena_alloc(r->arena, sizeof(*copy));

	*copy = node;
	return copy;
}

static const struct condition_node *read_term(struct reader *r)
{
	struct condition *c = r->condition;
	struct condition_term *t = &c->terms[c->term_count];

	if (c->term_count == PLAN_TERMS_MAX) {
		(void)err_set(r->e, ERR_INPUT, "more than %d comparisons", PLAN_TERMS_MAX);
		return NULL;
	}
	if (!(take_keyword(r, "missing") ? read_missing(r, t) : read_reference(r, t)))
		return NULL;
	c->term_count++;
	return new_node(r, (struct condition_node){.kind = NODE_TERM, .term = t});
}

/* ---- operators ---- */

static const struct condition_node *read_or(struct reader *r);

static const struct condition_node *read_brackets(struct reader *r)
{
	const struct condition_node *inner;

	if (++r->depth > PLAN_DEPTH_MAX) {
		(void)err_set(r->e, ERR_INPUT, "brackets are nested more than %d levels deep",
			      PLAN_DEPTH_MAX);
		return NULL;
	}
	inner = read_or(r);
	if (inner && !take_char(r, ')')) {
		fail_at(r, "\")\" is missing");
		return NULL;
	}
	r->depth--;
	return inner;
}

static const struct condition_node *read_not(struct reader *r)
{
	bool negated = take_keyword(r, "not");
	const struct condition_node *inner = take_char(r, '(') ? read_brackets(r) : read_term(r);

	return inner && negated
		       ? new_node(r, (struct condition_node){.kind = NODE_NOT, .left = inner})
		       : inner;
}

static const struct condition_node *
read_joined(struct reader *r, const char *keyword, enum node_kind kind,
	    const struct condition_node *(*read)(struct reader *r))
{
	const struct condition_node *all = read(r), *next;

	while (all && take_keyword(r, keyword)) {
		next = read(r);
		all = next ? new_node(r, (struct condition_node){kind, NULL, all, next}) : NULL;
	}
	return all;
}

static const struct condition_node *read_and(struct reader *r)
{
	return read_joined(r, "and", NODE_AND, read_not);
}

static const struct condition_node *read_or(struct reader *r)
{
	return read_joined(r, "or", NODE_OR, read_and);
}

static const struct condition *read_whole(const char *text, const char *about, struct arena *a,
					  struct err *e)
{
	struct condition *c = arena_alloc(a, sizeof(*c));
	struct reader r = {.p = text, .arena = a, .condition = c, .e = e, .implied_task = about};

	*c = (struct condition){.term_count = 0};
	c->root = read_or(&r);
	if (!c->root)
		return NULL;
	skip_blanks(&r);
	if (*r.p) {
		(void)err_set(e, ERR_INPUT, "unexpected text \"%.*s\"", STR_CUT(r.p, 20));
		return NULL;
	}
	return c;
}

const struct condition *condition_read(const char *text, struct arena *a, struct err *e)
{
	return read_whole(text, NULL, a, e);
}

#define THIS "this"

const struct condition *condition_read_single(const char *text, struct arena *a, struct err *e)
{
	return read_whole(text, THIS, a, e);
}

/* ---- evaluation ---- */

static bool is_met(enum condition_operator sign, int order)
{
	switch (sign) {
	case SIGN_GREATER:
		return order > 0;
	case SIGN_GREATER_EQUAL:
		return order >= 0;
	case SIGN_LESS:
		return order < 0;
	case SIGN_LESS_EQUAL:
		return order <= 0;
	case SIGN_EQUAL:
		return order == 0;
	default:
		return order != 0;
	}
}

static bool compare(const char *found, enum condition_operator sign, const char *expected)
{
	struct decimal a, b;
	struct date unused;
	bool is_number = decimal_parse(found, &a);

	if (is_number != decimal_parse(expected, &b))
		return false;
	if (is_number)
		return is_met(sign, decimal_cmp(a, b));
	if (is_order(sign) && !date_parse_start(found, &unused))
		return false;
	return is_met(sign, strcmp(found, expected));
}

static bool term_is_met(const struct condition_term *t, const struct ref_scope *s,
			const json_t *filters, struct arena *a)
{
	enum condition_operator sign = t->kind == TERM_IN ? SIGN_EQUAL : t->sign;
	const json_t *value;
	struct err e = {0};

	if (t->kind == TERM_MISSING)
		return !json_object_get(filters, t->filter);
	if (!ref_value(s, &t->ref, a, &value, &e))
		return false;
	for (const char *const *v = t->values; *v; v++)
		if (compare(json_string_value(value), sign, *v))
			return true;
	return false;
}

static bool node_is_met(const struct condition_node *n, const struct ref_scope *s,
			const json_t *filters, struct arena *a)
{
	switch (n->kind) {
	case NODE_TERM:
		return term_is_met(n->term, s, filters, a);
	case NODE_NOT:
		return !node_is_met(n->left, s, filters, a);
	case NODE_AND:
		return node_is_met(n->left, s, filters, a) && node_is_met(n->right, s, filters, a);
	default:
		return node_is_met(n->left, s, filters, a) || node_is_met(n->right, s, filters, a);
	}
}

bool condition_is_met(const struct condition *c, const struct ref_scope *s, const json_t *filters,
		      struct arena *a)
{
	return node_is_met(c->root, s, filters, a);
}

bool condition_is_met_by(const struct condition *c, const struct result *r, struct arena *a)
{
	struct result *const results[] = {(struct result *)(uintptr_t)r};
	const struct ref_source source = {THIS, results, 1};
	const struct ref_scope scope = {&source, 1};

	return condition_is_met(c, &scope, NULL, a);
}
