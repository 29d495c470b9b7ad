/*
 * Components: cards, tables and charts that a flow or a model shows as a unit
 * (config/<pack>/components.json), so that a pack needs no renderer. A component declares its props
 * and their layout; code fills the props from results, and the page draws any component from its
 * layout.
 *
 *   { NAME: { "about": TEXT,
 *             "props":  { PROP: {"type": TYPE, "label"?, "unit"?, "required"?, …} },
 *             "layout": [ PART ],
 *             "text":   TEXT } }                   {PROP}, and [[ ]] as in flows (flow.h)
 *
 *   TYPE = number | integer | text | date | datetime | flag
 *        | table   "columns": {COLUMN: column type}, "rows": maximum (COMPONENT_ROWS_MAX)
 *        | series  "x": COLUMN, "by"?: COLUMN, "y": [COLUMN], "rows"   a chart, a curve for each
 *                  value of "by", if its shape allows one; else a table
 *   PART = {"cards": [PROP]}                       single values side by side
 *        | {"table": PROP, "empty"?: TEXT} | {"chart": PROP, "empty"?: TEXT}
 *        | {"text": PROP} | {"progress": PROP}     progress: a percentage
 *        | {"badge": PROP, "tones": {WORD: TONE}}
 *   TONE = positive | caution | critical | info | neutral
 *
 * A part whose prop has no value is left out. A component without a value for a required prop is
 * not shown. Read with the catalogue; immutable.
 */
#ifndef VESPER_COMPONENT_H
#define VESPER_COMPONENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/table.h"

struct catalog;

enum prop_type {
	PROP_NUMBER,
	PROP_INTEGER,
	PROP_TEXT,
	PROP_DATE,
	PROP_DATETIME,
	PROP_FLAG,
	PROP_TABLE,
	PROP_SERIES,
};

struct prop_column {
	const char *name;
	bool has_type;
	enum column_type type;
};

struct prop_def {
	const char *name;
	const char *label; /* NULL: the name */
	const char *unit;  /* of a number, or NULL */
	enum prop_type type;
	bool required;
	const struct prop_column *columns; /* of a table; of a series, x first */
	size_t column_count;
	size_t rows; /* maximum */
};

struct component_def {
	const char *name, *pack, *about;
	const struct prop_def *props;
	size_t prop_count;
	const json_t *layout;
	const char *text;     /* plain text for clients that can't draw it */
	const json_t *schema; /* JSON schema of its props */
};

/* NULL: not found. */
const struct component_def *catalog_component(const struct catalog *c, const char *name);
const struct prop_def *component_prop(const struct component_def *c, const char *name);
const char *prop_type_name(enum prop_type type); /* "number", … */
/* True when it is a whole result set. */
static inline bool prop_is_result_set(const struct prop_def *p)
{
	return p->type == PROP_TABLE || p->type == PROP_SERIES;
}

/* {name, about, props, layout, schema} of each component, for the page. New reference. */
json_t *catalog_components_json(const struct catalog *c);

#endif
