/*
 * `vesperctl map import`: shared by the readers of models. A reader adds tables, columns, edges and
 * measures with the names of the model, and these functions create the pack's names. Imported names
 * are used in SQL only when they are plain, or safe to quote.
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
	const char *name; /* in the table */
	const char *type; /* "decimal"; NULL: unknown */
};

struct im_table {
	const char *model_name; /* "Internet Sales" */
	const char *name;       /* of the entity */
	const char *label, *view;
	struct im_column *columns;
	size_t column_count, column_cap;
	const char **keys[8]; /* each NULL-terminated; the first is the key */
	size_t key_count;
	const char *title, *time;
	json_t *synonyms; /* or NULL */
};

enum im_kind { IM_MEASURE, IM_METRIC };

/* A measure or metric with the model's name. */
struct im_metric {
	const char *model_name;
	const char *name; /* in the pack */
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
	struct strlist used_names; /* names already used in the pack */
	struct err *e;
};

/* Records what was not imported, for review.json. `name` and `text` are from the model. */
void im_skip(struct import *im, const char *kind, const char *name, const char *from,
	     const char *why, const char *text);

/* `schema` NULL: the table is skipped, since dbo or public would be a guess. Returns NULL when the
 * table was skipped, which is recorded. */
struct im_table *im_add_table(struct import *im, const char *model_name, const char *schema,
			      const char *table, const char *from);
struct im_table *im_table(const struct import *im, const char *model_name);
/* Returns false when the name is not usable in SQL, which is recorded. `type` NULL: unknown. */
bool im_add_column(struct import *im, struct im_table *t, const char *column, const char *type,
		   const char *from);
/* `columns` is NULL-terminated. */
void im_add_key(struct import *im, struct im_table *t, const char *const *columns);
/* Adds a dimension for a column; returns its name in the pack. */
const char *im_add_dimension(struct import *im, struct im_table *t, const char *name,
			     const char *label, const char *column, const char *type,
			     const json_t *synonyms, const char *from);
/* `on`: pairs of columns, from n to 1. */
void im_add_edge(struct import *im, const char *name, struct im_table *many, struct im_table *one,
		 const char *const (*on)[2], size_t count, bool one_to_one, const char *from);
/* `column` NULL: counts rows. `aggregate`: a name of the pack. */
const struct im_metric *im_add_measure(struct import *im, struct im_table *t, const char *name,
				       const char *label, const char *column, const char *aggregate,
				       const char *unit, const json_t *synonyms, const char *from);
/* Makes a measure semi-additive with the members "over" and "take". */
void im_set_semi_additive(struct import *im, const struct im_metric *m, const char *over,
			  const char *take);
/* `kind`: ratio or difference. */
void im_add_metric(struct import *im, const char *name, const char *label, const char *kind,
		   const struct im_metric *left, const struct im_metric *right, const char *unit,
		   const json_t *synonyms, const char *from, const char *text);
/* Adds a measure under another name, with conditions (takes ownership; NULL: none). */
void im_add_filtered(struct import *im, const char *name, const char *label,
		     const struct im_metric *m, json_t *where_take, const char *from);
const struct im_metric *im_metric(const struct import *im, const char *model_name);
/* Writes the tables at the end, when their columns and keys are complete. */
void im_finish(struct import *im);

/* The aggregate ("sum", …) for a word of the model, ignoring case; NULL: unknown. */
const char *im_aggregate(struct str word);
/* Returns true for a plain name: [A-Za-z_][A-Za-z0-9_]*. */
bool im_is_plain_name(const char *text);
/* A text member of an object; "" when absent. */
const char *im_text(const json_t *object, const char *name);

/* ---- readers: ERR_INPUT: not a model of this format ---- */
MUST_CHECK bool import_ossie(struct import *im, const json_t *root, struct err *e);
MUST_CHECK bool import_dbt(struct import *im, const json_t *root, struct err *e);
/* `path`: path of the file; verified answers may be stored next to it. */
MUST_CHECK bool import_bim(struct import *im, const json_t *root, const char *path, struct err *e);
/* Reads any of these formats, detected from the content. */
MUST_CHECK bool import_model(struct import *im, const char *path, const char *text, size_t len,
			     struct err *e);

#endif
