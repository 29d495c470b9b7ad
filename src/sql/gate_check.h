/*
 * Shared by the files that hold a statement's names against what can be seen where they stand.
 */
#ifndef GATE_CHECK_H
#define GATE_CHECK_H

#include "gate_int.h"

/* The CTEs that can be seen: those of a WITH before `end`, which is the one being defined. */
struct ctes {
	const struct ctes *outer;
	const struct gate_cte *first;
	const struct gate_cte *end;
};

struct scope {
	const struct scope *outer;
	const struct ctes *ctes;
	const struct gate_select *select; /* NULL: there are no sources */
	bool outputs; /* the ORDER BY of a set operation: plain names are its columns */
};

struct check {
	const struct gate *g;
	struct gate_views *views;
};

bool gate_same_name(const struct gate_name *a, const struct gate_name *b);
/* The name under which columns of the source are found. */
const struct gate_name *gate_source_name(const struct gate_source *s);
/* The source of this name in the list, also inside of joins in parentheses; NULL: none. */
const struct gate_source *gate_source_find(const struct gate_source *list,
					   const struct gate_name *name);
/* Finds the source of a column or of "x.*", and writes the column as its view has it. */
MUST_CHECK bool gate_check_column(const struct check *c, struct gate_expr *x,
				  const struct scope *s);

#endif
