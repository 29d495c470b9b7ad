/*
 * What keeps a statement's meaning the same in every database. Most differences are written away
 * (gate_render*.c); what would mean something else somewhere is refused with what to write instead.
 */
#ifndef GATE_SAME_H
#define GATE_SAME_H

#include "gate/gate_check.h"

/* What an expression is for sure. A column may be anything: its type is not known here. */
enum gate_value { GATE_VALUE_ANY, GATE_VALUE_NUMBER, GATE_VALUE_TEXT, GATE_VALUE_DATE };
enum gate_value gate_value_of(const struct gate_expr *x);

/* Of one node; its kids are checked. */
MUST_CHECK bool gate_same_expr(const struct gate *g, const struct gate_expr *x);
/* Of a call; `windows`: those of the SELECT. */
MUST_CHECK bool gate_same_call(const struct gate *g, const struct gate_expr *x,
			       const struct gate_window *windows);
/* Conditions stand where conditions belong, values where values do. */
MUST_CHECK bool gate_same_truth(const struct gate *g, const struct gate_expr *x, bool condition);
/* A number in GROUP BY becomes the item that it counts to; true: it was one. */
MUST_CHECK bool gate_same_ordinal(const struct gate *g, const struct gate_select *s,
				  struct gate_expr *x, bool *replaced);
/* Of a whole SELECT, once all of it is checked. */
MUST_CHECK bool gate_same_select(const struct gate *g, const struct gate_select *s,
				 const struct gate_order *order);
/* Of a query: its set operations, and what its order needs. */
MUST_CHECK bool gate_same_query(const struct gate *g, const struct gate_query *q);
/* Of a query in place of a value. */
MUST_CHECK bool gate_same_scalar(const struct gate *g, const struct gate_query *q, size_t at);
/* The item's value in place of its alias; `in_parens`: inside of a larger expression. */
void gate_same_substitute(const struct gate *g, struct gate_expr *x, const struct gate_expr *value,
			  bool in_parens);
bool gate_is_condition(const struct gate_expr *x);

#endif
