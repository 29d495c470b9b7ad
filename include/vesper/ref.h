/*
 * References to earlier results: a later task names a value instead of repeating it.
 *
 *   t1.row_count           rows of the main table
 *   t1.outcome             rows, empty, …
 *   t1.rows[0].vendor      a cell; the column by name, ignoring case and punctuation
 *   t1.rows[*].vendor      the distinct values of the column, in the order of the rows
 *   t1.offline[0].vendor   the same for a further result set, by the name of its query
 *   t1.facts.higher_vendor a derived value
 *   t1.rows, t1.offline    a whole result set; allowed only for components
 *
 * A "?" at the end means that the value may be missing: the argument is then left out. Without "?"
 * the task is skipped.
 *
 * The value of a reference is data: it passes the same checks as a typed argument. Pure.
 */
#ifndef VESPER_REF_H
#define VESPER_REF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/limits.h"
#include "vesper/result.h"

enum ref_kind { REF_ROW_COUNT, REF_OUTCOME, REF_CELL, REF_COLUMN, REF_FACT, REF_TABLE };

struct ref {
	char source[REF_NAME_MAX + 1]; /* "t1" */
	enum ref_kind kind;
	bool optional;
	char table[REF_NAME_MAX + 1]; /* of a cell, column or table; "": the main table */
	size_t row;                   /* of REF_CELL */
	char name[REF_NAME_MAX + 1];  /* of a column or a fact */
};

/* Returns true if `name` in a reference means this column. */
bool ref_names_match(const char *column, const char *name);

/* ERR_INPUT: not a reference, or one to a whole result set. */
MUST_CHECK bool ref_parse(const char *text, struct ref *out, struct err *e);
/* The same, but whole result sets are allowed. */
MUST_CHECK bool ref_parse_any(const char *text, struct ref *out, struct err *e);

/* The reference as text. */
const char *ref_text(const struct ref *r, struct arena *a);

/* The results of one task, by its ID. */
struct ref_source {
	const char *id;
	struct result *const *results;
	size_t count;
};

struct ref_scope {
	const struct ref_source *sources;
	size_t count;
};

/* The target of a reference. */
struct ref_target {
	const struct result *result;
	const struct table *table; /* of a cell, column or table */
	int column;
	const struct fact *fact;
};
/* ERR_NOT_FOUND: as ref_value. */
MUST_CHECK bool ref_find(const struct ref_scope *s, const struct ref *r, struct ref_target *out,
			 struct err *e);

/* The value as JSON text (REF_COLUMN: an array of all distinct texts), in the arena; not for
 * REF_TABLE. ERR_NOT_FOUND: the source, row, column or fact does not exist or is empty; the error
 * says which, for users. */
MUST_CHECK bool ref_value(const struct ref_scope *s, const struct ref *r, struct arena *a,
			  const json_t **out, struct err *e);

/* The text of {"$ref": "t1.rows[*].vendor"}, which may have a member "max", the largest number of
 * values. NULL for any other value. */
const char *ref_of(const json_t *value);
json_t *ref_json(const char *text, size_t max); /* max 0: LIST_ARG_MAX. New reference */

/* Copies arguments and replaces every reference (an argument, or an item of a list) by its value; a
 * list is spliced into the list around it. Values beyond a reference's maximum are dropped;
 * *left_out is their number. */
MUST_CHECK bool ref_fill(const struct ref_scope *s, const json_t *args, struct arena *a,
			 const json_t **out, size_t *left_out, struct err *e);

/* A task that arguments refer to. */
struct ref_need {
	const char *id;
	bool optional; /* all references to it are optional */
	bool whole;    /* one of them is to a whole result set */
};
/* The tasks that these arguments refer to, each once; at most `cap`. ERR_INPUT: an invalid
 * reference. */
MUST_CHECK bool ref_needs(const json_t *args, struct arena *a, struct ref_need *needs, size_t cap,
			  size_t *count, struct err *e);

#endif
