/*
 * References to earlier results: how a later task names a value without anybody repeating it.
 *
 *   t1.row_count           rows of the main table
 *   t1.outcome             rows, empty, …
 *   t1.rows[0].vendor      a cell; the column by its name, in any spelling of case and "_"
 *   t1.rows[*].vendor      every different value of the column, in the order of the rows
 *   t1.offline[0].vendor   the same of a further result set, by the name of its query
 *   t1.facts.higher_vendor a derived value
 *   t1.rows, t1.offline    a whole result set: only what a component shows may be one
 *
 * A "?" at the end says that the value may be missing: the argument is then left out. Without it
 * its task is skipped.
 *
 * What a reference gives is data: it goes through the same checks as an argument that was typed.
 * Pure.
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
	char table[REF_NAME_MAX + 1]; /* of a cell, column or table; "": the main one */
	size_t row;                   /* of REF_CELL */
	char name[REF_NAME_MAX + 1];  /* of a column or a fact */
};

/* Whether a reference's name of a column means this one. */
bool ref_same_name(const char *column, const char *name);

/* ERR_INPUT: this is no reference, or one to a whole result set. */
MUST_CHECK bool ref_parse(const char *text, struct ref *out, struct err *e);
/* The same, which may be to a whole result set. */
MUST_CHECK bool ref_parse_any(const char *text, struct ref *out, struct err *e);

/* As it was read. */
const char *ref_text(const struct ref *r, struct arena *a);

/* What may be referred to: the results of one task, by its id. */
struct ref_source {
	const char *id;
	struct result *const *results;
	size_t count;
};

struct ref_scope {
	const struct ref_source *sources;
	size_t count;
};

/* Where a reference points. */
struct ref_place {
	const struct result *result;
	const struct table *table; /* of a cell, column or table */
	int column;
	const struct fact *fact;
};
/* ERR_NOT_FOUND as below. */
MUST_CHECK bool ref_find(const struct ref_scope *s, const struct ref *r, struct ref_place *out,
			 struct err *e);

/* The value as JSON text (of REF_COLUMN: an array of all different texts), in the arena; not of
 * REF_TABLE.
 * ERR_NOT_FOUND: there is no such source, row, column or fact, or it holds nothing; the text says
 * which, for users. */
MUST_CHECK bool ref_value(const struct ref_scope *s, const struct ref *r, struct arena *a,
			  const json_t **out, struct err *e);

/* {"$ref": "t1.rows[*].vendor"}, which may have a member "max": at most that many values. Its text;
 * NULL for any other value. */
const char *ref_of(const json_t *value);
json_t *ref_json(const char *text, size_t max); /* max 0: LIST_ARG_MAX; new reference */

/* A copy of these arguments with every reference (an argument, or an item of a list) replaced by
 * its value; a list that a reference gives is spliced into the list it stands in. Of more values
 * than a reference may give, the first are taken; *left_out: how many were not. */
MUST_CHECK bool ref_fill(const struct ref_scope *s, const json_t *args, struct arena *a,
			 const json_t **out, size_t *left_out, struct err *e);

/* A task whose results arguments refer to. */
struct ref_need {
	const char *id;
	bool optional; /* every reference to it may find nothing */
	bool whole;    /* one of them is to a whole result set */
};
/* The tasks that these arguments refer to, each once; at most `cap`. ERR_INPUT: one of them is no
 * reference. */
MUST_CHECK bool ref_needs(const json_t *args, struct arena *a, struct ref_need *needs, size_t cap,
			  size_t *count, struct err *e);

#endif
