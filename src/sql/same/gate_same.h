/*
 * Ensures that a statement means the same in every database. The renderer (gate_render*.c) removes
 * most differences; other differences are refused with a portable alternative.
 */
#ifndef GATE_SAME_H
#define GATE_SAME_H

#include "gate/gate_check.h"

/* The kind of value, if it is certain. Columns are ANY, since their types are not known here. */
enum gate_value { GATE_VALUE_ANY, GATE_VALUE_NUMBER, GATE_VALUE_TEXT, GATE_VALUE_DATE };
enum gate_value gate_value_of(const struct gate_expr *x);

/* Checks one node; its kids must be checked. */
MUST_CHECK bool gate_check_portable_expr(const struct gate *g, const struct gate_expr *x);
/* Checks a call; `windows`: those of the SELECT. */
MUST_CHECK bool gate_check_portable_call(const struct gate *g, const struct gate_expr *x,
					 const struct gate_window *windows);
/* Checks that conditions and values are used where each is expected. */
MUST_CHECK bool gate_check_truth(const struct gate *g, const struct gate_expr *x, bool condition);
/* Replaces a number in GROUP BY with the item at that position. *replaced: it was a number. */
MUST_CHECK bool gate_resolve_ordinal(const struct gate *g, const struct gate_select *s,
				     struct gate_expr *x, bool *replaced);
/* Checks a SELECT, after all its parts. */
MUST_CHECK bool gate_check_portable_select(const struct gate *g, const struct gate_select *s,
					   const struct gate_order *order);
/* Checks a query's set operations and order. */
MUST_CHECK bool gate_check_portable_query(const struct gate *g, const struct gate_query *q);
/* Checks a scalar subquery. */
MUST_CHECK bool gate_check_scalar_subquery(const struct gate *g, const struct gate_query *q,
					   size_t at);
/* Replaces an alias with the item's value; `in_parens`: inside a larger expression. */
void gate_substitute_alias(const struct gate *g, struct gate_expr *x, const struct gate_expr *value,
			   bool in_parens);
bool gate_is_condition(const struct gate_expr *x);

#endif
