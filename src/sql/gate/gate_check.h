/*
 * Shared by the files that resolve a statement's names in their scopes.
 */
#ifndef GATE_CHECK_H
#define GATE_CHECK_H

#include "gate_int.h"

/* Visible CTEs: those of a WITH before `end`, the one being defined. */
struct ctes {
	const struct ctes *outer;
	const struct gate_cte *first;
	const struct gate_cte *end;
};

/* How a name that is not a source column may be resolved. */
enum aliases {
	ALIASES_NONE,
	ALIASES_SORT,    /* as an output column, in ORDER BY */
	ALIASES_REPLACE, /* as an output column, replaced with its expression */
};

struct scope {
	const struct scope *outer;
	const struct ctes *ctes;
	const struct gate_select *select; /* NULL: no sources */
	enum aliases aliases;
	bool outputs; /* ORDER BY of a set operation: plain names are its columns */
};

struct check {
	const struct gate *g;
	struct gate_views *views;
};

/* ---- columns ---- */

struct gate_columns gate_columns_of_view(const struct gate *g, const struct gate_view *v);
/* The query must be checked. */
struct gate_columns gate_columns_of_query(const struct gate *g, const struct gate_query *q);
/* Columns of a derived table or VALUES: those of the name list if given, else those of the query or
 * rows. Refuses duplicate names. */
MUST_CHECK bool gate_columns_named(const struct gate *g, const struct gate_name *names,
				   const struct gate_query *q, const struct gate_expr *rows,
				   size_t at, struct gate_columns *out);
/* Ignores case; NULL: none. */
const struct gate_column *gate_columns_find(const struct gate_columns *columns, struct str name);

/* ---- lengths: called after all parts are checked ---- */

MUST_CHECK bool gate_check_length(const struct gate *g, struct gate_expr *x);
MUST_CHECK bool gate_check_number(const struct gate *g, const struct gate_expr *x);
MUST_CHECK bool gate_check_widths(const struct gate *g, const struct gate_expr *call);
size_t gate_length_of_query(const struct gate_query *q); /* the longest of its columns */
size_t gate_length_of_rows(const struct gate_expr *rows);

bool gate_same_name(const struct gate_name *a, const struct gate_name *b);
/* The name that qualifies columns of the source. */
const struct gate_name *gate_source_name(const struct gate_source *s);
/* Finds the source by name, also inside parenthesized joins; NULL: none. */
const struct gate_source *gate_source_find(const struct gate_source *list,
					   const struct gate_name *name);
/* Resolves a column or "x.*" to its source, stores the spelling of its definition, and records the
 * columns read from views. */
MUST_CHECK bool gate_check_column(const struct check *c, struct gate_expr *x,
				  const struct scope *s);
/* Checks the columns of JOIN … USING. */
MUST_CHECK bool gate_check_using(const struct check *c, struct gate_source *s,
				 const struct scope *scope);
/* Records that every column of the source, or of all sources in the list, is read. */
void gate_mark_all_named(const struct gate_source *s);
void gate_mark_all_named_in(const struct gate_source *list);

#endif
