/*
 * Conditions of tasks. They are read before the plan runs, so that a wrong one refuses the plan
 * instead of quietly skipping a task; numbers are compared exactly, texts without regard to case.
 * Pure.
 */
#include "plan_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "vesper/decimal.h"

/* ---- reading ---- */

static const struct {
	const char *sign;
	enum plan_compare compare;
} signs[] = {/* the longer ones first */
	     {">=", COMPARE_FROM},  {"<=", COMPARE_UP_TO}, {"==", COMPARE_SAME},
	     {"!=", COMPARE_OTHER}, {">", COMPARE_ABOVE},  {"<", COMPARE_BELOW}};

static void skip_blanks(const char **p)
{
	while (**p == ' ' || **p == '\t')
		(*p)++;
}

/* What stands up to a blank or a sign. */
static const char *take_word(const char **p, struct arena *a)
{
	size_t n = strcspn(*p, " \t<>=!'\"");
	const char *word = arena_strndup(a, *p, n);

	*p += n;
	return word;
}

static bool take_sign(const char **p, enum plan_compare *out)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t n = strlen(signs[i].sign);

		if (strncmp(*p, signs[i].sign, n) != 0)
			continue;
		*out = signs[i].compare;
		*p += n;
		return true;
	}
	return false;
}

static const char *take_value(const char **p, struct arena *a)
{
	char quote = **p;
	const char *close = quote == '\'' || quote == '"' ? strchr(*p + 1, quote) : NULL;
	const char *value;

	if (!close)
		return take_word(p, a);
	value = arena_strndup(a, *p + 1, (size_t)(close - *p - 1));
	*p = close + 1;
	return value;
}

static bool is_order(enum plan_compare c)
{
	return c != COMPARE_SAME && c != COMPARE_OTHER;
}

static bool read_term(const char **p, struct arena *a, struct plan_term *out, struct err *e)
{
	struct decimal unused;

	skip_blanks(p);
	if (!ref_parse(take_word(p, a), &out->ref, e))
		return false;
	if (out->ref.kind == REF_COLUMN)
		return err_set(e, ERR_INPUT, "a whole column can't be compared");
	skip_blanks(p);
	if (!take_sign(p, &out->compare))
		return err_set(e, ERR_INPUT, "no comparison where \"%.*s\" stands",
			       STR_CUT(*p, 20));
	skip_blanks(p);
	out->value = take_value(p, a);
	if (!*out->value)
		return err_set(e, ERR_INPUT, "nothing to compare with");
	if (is_order(out->compare) && !decimal_parse(out->value, &unused))
		return err_set(e, ERR_INPUT, "\"%.*s\" is no number to compare with",
			       STR_CUT(out->value, 40));
	skip_blanks(p);
	return true;
}

bool plan_condition_read(const char *text, struct arena *a, struct plan_condition *out,
			 struct err *e)
{
	struct plan_condition c = {.count = 0};
	const char *p = text;

	for (;;) {
		if (c.count == PLAN_TERMS_MAX)
			return err_set(e, ERR_INPUT, "more than %d comparisons", PLAN_TERMS_MAX);
		if (!read_term(&p, a, &c.terms[c.count++], e))
			return false;
		if (!*p)
			break;
		if (strncasecmp(p, "and ", 4) != 0)
			return err_set(e, ERR_INPUT, "what is \"%.*s\"?", STR_CUT(p, 20));
		p += 4;
	}
	*out = c;
	return true;
}

/* ---- judging ---- */

static bool is_met(enum plan_compare compare, int order)
{
	switch (compare) {
	case COMPARE_ABOVE:
		return order > 0;
	case COMPARE_FROM:
		return order >= 0;
	case COMPARE_BELOW:
		return order < 0;
	case COMPARE_UP_TO:
		return order <= 0;
	case COMPARE_SAME:
		return order == 0;
	default:
		return order != 0;
	}
}

static bool term_met(const struct plan_term *t, const struct ref_scope *s, struct arena *a)
{
	struct decimal found, wanted;
	const json_t *value;
	struct err e = {0};
	const char *text;

	if (!ref_value(s, &t->ref, a, &value, &e))
		return false;
	text = json_string_value(value);
	if (decimal_parse(text, &found) && decimal_parse(t->value, &wanted))
		return is_met(t->compare, decimal_cmp(found, wanted));
	return !is_order(t->compare) && is_met(t->compare, strcasecmp(text, t->value));
}

bool plan_condition_met(const struct plan_condition *c, const struct ref_scope *s, struct arena *a)
{
	for (size_t i = 0; i < c->count; i++)
		if (!term_met(&c->terms[i], s, a))
			return false;
	return true;
}
