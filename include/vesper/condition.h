/*
 * Conditions over earlier results. They decide whether a task runs, a component is shown or a
 * sentence is written.
 *
 *   condition  = and { "or" and }
 *   and        = not { "and" not }
 *   not        = [ "not" ] ( comparison | "missing" FILTER | "(" condition ")" )
 *   comparison = reference ( ">" | ">=" | "<" | "<=" | "==" | "!=" ) value
 *              | reference "in" "(" value { "," value } ")"
 *   value      = number | 'text' | "text" | word
 *
 * Example: "t1.row_count > 0". Numbers are compared exactly, dates and texts byte by byte; only
 * numbers and dates have an order. Keywords may have any case. A comparison of a number with a text
 * is false, as is any comparison of a reference without a value. "missing F" is true when filter F
 * has no value. Pure.
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

enum condition_operator {
	SIGN_GREATER,
	SIGN_GREATER_EQUAL,
	SIGN_LESS,
	SIGN_LESS_EQUAL,
	SIGN_EQUAL,
	SIGN_NOT_EQUAL,
};

enum condition_term_kind {
	TERM_COMPARE, /* compares the value of the reference with `values` */
	TERM_IN,      /* the value is one of `values` */
	TERM_MISSING, /* the filter has no value */
};

struct condition_term {
	enum condition_term_kind kind;
	struct ref ref;
	enum condition_operator sign;
	const char *const *values; /* NULL-ended; one for TERM_COMPARE */
	const char *filter;        /* of TERM_MISSING */
};

struct condition_node;

struct condition {
	struct condition_term terms[PLAN_TERMS_MAX]; /* all terms of the condition */
	size_t term_count;
	const struct condition_node *root;
};

/* Parses a condition into the arena. NULL: ERR_INPUT, the syntax is invalid. */
const struct condition *condition_read(const char *text, struct arena *a, struct err *e);
/* The same for a condition over one result, whose references name no task: "row_count > 0". */
const struct condition *condition_read_single(const char *text, struct arena *a, struct err *e);
bool condition_is_met_by(const struct condition *c, const struct result *r, struct arena *a);
/* `filters`: current values by filter; NULL: none. */
bool condition_is_met(const struct condition *c, const struct ref_scope *s, const json_t *filters,
		      struct arena *a);

#endif
