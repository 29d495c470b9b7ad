/*
 * Conditions over earlier results: whether a task runs, a component is shown, a sentence is said.
 *
 *   condition  = and { "or" and }
 *   and        = not { "and" not }
 *   not        = [ "not" ] ( comparison | "missing" FILTER | "(" condition ")" )
 *   comparison = reference ( ">" | ">=" | "<" | "<=" | "==" | "!=" ) value
 *              | reference "in" "(" value { "," value } ")"
 *   value      = number | 'text' | word
 *
 * such as "t1.row_count > 0". Numbers are compared exactly, dates and texts byte by byte; a
 * comparison of a number with a text is false, and so is one with what was not found. "missing F"
 * is true where no value of filter F stands. Pure.
 */
#ifndef VESPER_CONDITION_H
#define VESPER_CONDITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

enum condition_sign {
	SIGN_ABOVE,
	SIGN_FROM,
	SIGN_BELOW,
	SIGN_UP_TO,
	SIGN_SAME,
	SIGN_OTHER,
};

enum condition_term_kind {
	TERM_COMPARE, /* what the reference gives, against the value */
	TERM_IN,      /* it is one of the values */
	TERM_MISSING, /* no value of a filter stands */
};

struct condition_term {
	enum condition_term_kind kind;
	struct ref ref;
	enum condition_sign sign;
	const char *const *values; /* NULL-ended; one for TERM_COMPARE */
	const char *filter;        /* of TERM_MISSING */
};

struct condition_node;

struct condition {
	struct condition_term terms[PLAN_TERMS_MAX]; /* all that it names */
	size_t term_count;
	const struct condition_node *root;
};

/* In the arena. NULL: this is no condition, ERR_INPUT. */
const struct condition *condition_read(const char *text, struct arena *a, struct err *e);
/* The same over one result: references are without a task, such as "row_count > 0". */
const struct condition *condition_read_of_one(const char *text, struct arena *a, struct err *e);
bool condition_met_by(const struct condition *c, const struct result *r, struct arena *a);
/* `filters`: the values that stand, by filter; NULL: none. */
bool condition_met(const struct condition *c, const struct ref_scope *s, const json_t *filters,
		   struct arena *a);

#endif
