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

/* What a name that is no column of a source may be. */
enum aliases {
	ALIASES_NONE,
	ALIASES_SORT, /* an output column, as ORDER BY names it */
	ALIASES_MEAN, /* an output column, for which its expression is written */
};

struct scope {
	const struct scope *outer;
	const struct ctes *ctes;
	const struct gate_select *select; /* NULL: there are no sources */
	enum aliases aliases;
	bool outputs; /* the ORDER BY of a set operation: plain names are its columns */
};

struct check {
	const struct gate *g;
	struct gate_views *views;
};

/* ---- columns ---- */

struct gate_columns gate_columns_of_view(const struct gate *g, const struct gate_view *v);
/* Of a checked query. */
struct gate_columns gate_columns_of_query(const struct gate *g, const struct gate_query *q);
/* Of a source that the statement makes: those of its list of names, else the query's; it is a
 * query or rows. Refuses two of one name. */
MUST_CHECK bool gate_columns_named(const struct gate *g, const struct gate_name *names,
				   const struct gate_query *q, const struct gate_expr *rows,
				   size_t at, struct gate_columns *out);
/* Capitals aside; NULL: none. */
const struct gate_column *gate_columns_find(const struct gate_columns *columns, struct str name);

/* ---- lengths: after the checks of all that is inside ---- */

MUST_CHECK bool gate_check_length(const struct gate *g, struct gate_expr *x);
MUST_CHECK bool gate_check_number(const struct gate *g, const struct gate_expr *x);
MUST_CHECK bool gate_check_widths(const struct gate *g, const struct gate_expr *call);
size_t gate_length_of_query(const struct gate_query *q); /* the longest of its columns */
size_t gate_length_of_rows(const struct gate_expr *rows);

bool gate_same_name(const struct gate_name *a, const struct gate_name *b);
/* The name under which columns of the source are found. */
const struct gate_name *gate_source_name(const struct gate_source *s);
/* The source of this name in the list, also inside of joins in parentheses; NULL: none. */
const struct gate_source *gate_source_find(const struct gate_source *list,
					   const struct gate_name *name);
/* Finds the source of a column or of "x.*", writes the column as it is defined, and notes what is
 * read of a view. */
MUST_CHECK bool gate_check_column(const struct check *c, struct gate_expr *x,
				  const struct scope *s);
/* Of JOIN … USING. */
MUST_CHECK bool gate_check_using(const struct check *c, struct gate_source *s,
				 const struct scope *scope);
/* Notes that every column of the source, or of all sources in the list, is read. */
void gate_name_all(const struct gate_source *s);
void gate_name_all_of(const struct gate_source *list);

#endif
