/*
 * `vesperctl map import`: what the readers of models share. A reader adds tables, columns, edges
 * and measures under the names of the model; names of the pack are made of them here, and nothing
 * that was read is ever part of SQL but names that need no quotes, or no more than plain ones.
 */
#ifndef CTL_IMPORT_INT_H
#define CTL_IMPORT_INT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "pack_files.h"
#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/str.h"

struct im_column {
	const char *name; /* of the table */
	const char *type; /* "decimal"; NULL: not known */
};

struct im_table {
	const char *model_name; /* "Internet Sales" */
	const char *name;       /* of the entity */
	const char *label, *view;
	struct im_column *columns;
	size_t column_count, column_cap;
	const char **keys[8]; /* each NULL-ended; the first is the key */
	size_t key_count;
	const char *title, *time;
	json_t *synonyms; /* or NULL */
};

enum im_kind { IM_MEASURE, IM_METRIC };

/* A measure or metric under the model's name. */
struct im_metric {
	const char *model_name;
	const char *name; /* of the pack */
	const struct im_table *table;
	enum im_kind kind;
	const char *unit;
};

struct import {
	struct arena *a;
	struct ctl_pack *pack;
	struct im_table **tables;
	size_t table_count, table_cap;
	struct im_metric *metrics;
	size_t metric_count, metric_cap;
	struct strlist taken; /* names of the pack */
	struct err *e;
};

/* What is left out: kept for review.json. `name` and `text` are the model's own words. */
void im_leave(struct import *im, const char *kind, const char *name, const char *from,
	      const char *why, const char *text);

/* `schema` may be NULL: dbo or public is not guessed, the table is left out. NULL: left out, and
 * said why. */
struct im_table *im_add_table(struct import *im, const char *model_name, const char *schema,
			      const char *table, const char *from);
struct im_table *im_table(const struct import *im, const char *model_name);
/* False: it has no name that could stand in SQL; said. `type` NULL: not known. */
bool im_add_column(struct import *im, struct im_table *t, const char *column, const char *type,
		   const char *from);
/* NULL-ended columns. */
void im_add_key(struct import *im, struct im_table *t, const char *const *columns);
/* Of a column; returns its name in the pack. */
const char *im_add_dimension(struct import *im, struct im_table *t, const char *name,
			     const char *label, const char *column, const char *type,
			     const json_t *synonyms, const char *from);
/* Pairs of columns, from n to 1. */
void im_add_edge(struct import *im, const char *name, struct im_table *many, struct im_table *one,
		 const char *const (*on)[2], size_t count, bool one_to_one, const char *from);
/* `column` NULL: rows are counted. `aggregate`: of the pack. */
const struct im_metric *im_add_measure(struct import *im, struct im_table *t, const char *name,
				       const char *label, const char *column, const char *aggregate,
				       const char *unit, const json_t *synonyms, const char *from);
/* Of a measure, an additional member: "over", "take". */
void im_set_semi(struct import *im, const struct im_metric *m, const char *over, const char *take);
/* `kind`: ratio or difference. */
void im_add_metric(struct import *im, const char *name, const char *label, const char *kind,
		   const struct im_metric *left, const struct im_metric *right, const char *unit,
		   const json_t *synonyms, const char *from, const char *text);
/* A measure under another name, with conditions (taken; NULL: none). */
void im_add_filtered(struct import *im, const char *name, const char *label,
		     const struct im_metric *m, json_t *where_take, const char *from);
const struct im_metric *im_metric(const struct import *im, const char *model_name);
/* Writes tables, at the end: only then are their columns and keys whole. */
void im_finish(struct import *im);

/* "sum", … of a word of the model, capitals aside; NULL: none. */
const char *im_aggregate(struct str word);
/* Names, and nothing else: [A-Za-z_][A-Za-z0-9_]*. */
bool im_is_plain(const char *text);
/* A text of an object; "" where it is none. */
const char *im_text(const json_t *object, const char *name);

/* ---- readers: ERR_INPUT for what is no such model ---- */
MUST_CHECK bool import_ossie(struct import *im, const json_t *root, struct err *e);
MUST_CHECK bool import_dbt(struct import *im, const json_t *root, struct err *e);
/* `path`: of the file, beside which verified answers may stand. */
MUST_CHECK bool import_bim(struct import *im, const json_t *root, const char *path, struct err *e);
/* Any of them, told by what is in it. */
MUST_CHECK bool import_model(struct import *im, const char *path, const char *text, size_t len,
			     struct err *e);

#endif
