/*
 * The packs' declarations about their data (config/<pack>/catalogue.json, schema.json): approved
 * views with their columns, and on them the map: entities, edges, chains, measures, metrics. The
 * edges are the only joins that may be written. Everything is borrowed from the catalogue. Any
 * thread.
 *
 *   views       {"name", "about", "permission"?, "columns", "columns_with"?}; a column is a name
 *               as written in SQL, or {"name", "type"?, "about"?, "nullable"?, "priority"?,
 *               "facet"?, "masked"?}
 *   entities    {"name", "label"?, "plural"?, "about", "view", "key", "also"?, "indexes"?,
 *               "coarse"?, "title"?, "time"?, "levels"?, "facets"?, "kind"?, "show"?,
 *               "synonyms"?, "latest": {"order", "flag"?}?, "archived"?, "owner"?}
 *   edges       {"id", "about"?, "from", "to", "via"?, "cardinality": "n:1" | "1:1" | "n:m",
 *               "on", "optional"?, "partial"?}; `on` has pairs of "entity.column"
 *   chains      {"id", "about", "path", "examples"?}; a step is an entity, or "entity via edge"
 *   measures    {"name", "label"?, "about"?, "entity", "column"?, "aggregate", "unit",
 *               "additivity", "over"?, "take"?, "latest"?, "split"?, "defaults"?, "required"?,
 *               "where"?, "permission"?, "synonyms"?}
 *   metrics     {"name", "label"?, "about"?, "kind": "ratio" | "difference" | "measure",
 *               "numerator", "denominator" | "left", "right" | "measure", "where"?, "unit",
 *               "permission"?, "synonyms"?}
 *   conditions  {"name", "label"?, "about"?, "entity", "where", "permission"?, "synonyms"?};
 *               days in `where` may be relative to the day of the question, "today-30d"
 *   protocol    {"max_rounds", "max_tables_per_request", "select_limit", "via"?, "steps":
 *               [{"id", "about", "may_call": {tool: next step}}]}: how the pack's agents query
 *               the map; they begin with the first step
 *
 * Outside views, columns are named without quotes. Dimensions are in catalog.h; their additions to
 * the map are in struct dimension_map. Pairs never contain tenant_id: code that writes a statement
 * adds it to every view.
 */
#ifndef VESPER_SCHEMA_H
#define VESPER_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/table.h"

struct catalog;
struct dimension_def;
struct unit_def;

struct view_column {
	const char *name;       /* as written in SQL */
	const char *plain;      /* without quotes */
	const char *permission; /* NULL: the view's suffices */
	bool has_type;
	enum column_type type;
	bool nullable; /* true by default */
	enum column_priority priority;
	int facet; /* 1..9: rank among the columns that narrow a long list; 0: none */
	const char *about, *masked; /* or NULL */
};

struct view_def {
	const char *name;
	const char *pack;
	const char *source;
	const char *only_tenant; /* the only tenant of its source; NULL: rows have a tenant_id */
	const char *about;
	const char *permission; /* NULL: the tool's suffices */
	const struct view_column *columns;
	size_t column_count; /* 0: unknown; then the view is not available to ad hoc SQL */
};

/* Units by which a date or time column may be grouped: "price_date.month". */
enum grain {
	GRAIN_NONE,
	GRAIN_HOUR,
	GRAIN_DAY,
	GRAIN_WEEK,
	GRAIN_MONTH,
	GRAIN_QUARTER,
	GRAIN_YEAR,
	GRAIN_WEEKDAY,     /* 1 is Monday */
	GRAIN_HOUR_OF_DAY, /* 0..23 */
	GRAINS
};
const char *grain_name(enum grain g); /* "month" */
bool grain_parse(const char *name, enum grain *out);

/* Map properties of a dimension. */
struct dimension_map {
	const struct entity_def *entity;  /* NULL: not on the map */
	const struct view_column *column; /* of the entity's view */
	enum column_type type;
	unsigned grains; /* 1 << enum grain */
	const char *const
		*bins; /* lower bounds of numeric groups, ascending; NULL-ended; NULL: none */
	const char *const *synonyms; /* NULL-ended */
	const char *about;           /* or NULL */
};

enum entity_kind {
	ENTITY_LISTED, /* "entity": may be listed */
	ENTITY_FACT,   /* "fact": used only through metrics */
	ENTITY_LINK,   /* "link": a join table, not shown to users */
};

struct level_def {
	const char *value, *label;
};

/* A dimension or a measure shown in a list; the other pointer is NULL. */
struct shown_def {
	const char *name;
	const struct dimension_def *dimension;
	const struct measure_def *measure;
};

struct entity_def {
	const char *name;  /* "project" */
	const char *pack;  /* pack that declares it */
	size_t index;      /* in the schema's entities */
	const char *label; /* "project" */
	const char *plural;
	const char *about;
	enum entity_kind kind;
	const struct view_def *view;
	const struct view_column *const *key;         /* NULL-ended; empty: no key */
	const struct view_column *const *const *also; /* further unique keys; NULL-ended */
	/* Columns of each of its indexes; NULL-ended; empty: unknown. */
	const struct view_column *const *const *indexes;
	/* Indexed columns with so many rows per value or period that a full scan is faster than
	 * index lookups; NULL-ended. */
	const struct view_column *const *coarse;
	const struct view_column *title; /* display name of a row; or NULL */
	struct {
		/* Only the rows with the greatest value among those of their key belong to the
		 * entity; NULL: all rows. */
		const struct view_column *order;
		const struct view_column *flag; /* and of these only rows where it is 1; or NULL */
	} latest;
	const struct view_column *archived; /* rows where it is 1 do not belong to it; or NULL */
	/* Rows that belong to an archived row at the end of this edge do not belong to it; or NULL.
	 */
	const struct edge_def *owner;
	const struct dimension_def *time; /* for periods and grains; or NULL */
	struct {
		const struct view_column *column,
			*parent; /* column NULL: no levels; parent: or NULL */
		const struct level_def *values;
		size_t count;
	} levels;
	const struct dimension_def *const *facets; /* NULL-ended */
	const struct shown_def *show;
	size_t show_count;
	const char *const *synonyms; /* NULL-ended */
};

enum cardinality { CARDINALITY_N1, CARDINALITY_11, CARDINALITY_NM };

struct edge_pair {
	const struct view_column *left, *right;
};

struct edge_def {
	const char *id, *pack;
	size_t index;      /* in the schema's edges */
	const char *about; /* or NULL */
	const struct entity_def *from, *to;
	const struct entity_def *via; /* the join table of an n:m edge; NULL: none */
	enum cardinality cardinality;
	bool optional; /* LEFT JOIN if its columns are only shown */
	bool partial; /* rows of `from` without a row of `to` count too, as a group without value */
	const struct edge_pair *on; /* from → to; with via: from → via */
	size_t on_count;
	const struct edge_pair *on_to; /* via → to */
	size_t on_to_count;
};

struct chain_def {
	const char *id, *pack, *about;
	const struct entity_def *const *entities; /* NULL-ended */
	const struct edge_def *const *edges;      /* edges[i] joins entities i and i + 1 */
	const char *const *examples;              /* NULL-ended */
};

enum aggregate {
	AGGREGATE_SUM,
	AGGREGATE_AVG,
	AGGREGATE_MIN,
	AGGREGATE_MAX,
	AGGREGATE_COUNT,
	AGGREGATE_COUNT_DISTINCT
};
enum additivity { ADDITIVE_FULL, ADDITIVE_SEMI, ADDITIVE_NONE };
enum measure_take { TAKE_LAST, TAKE_FIRST, TAKE_AVG, TAKE_MIN, TAKE_MAX };

/* Comparison operators. OP_NOT keeps rows without a value. */
enum where_op {
	OP_IS,
	OP_NOT,
	OP_OVER,
	OP_AT_LEAST,
	OP_UNDER,
	OP_AT_MOST,
	OP_BETWEEN,
	OP_CONTAINS,
	OP_MISSING,
	OP_PRESENT,
	WHERE_OPS
};
const char *where_op_name(enum where_op op); /* "at_least" */
bool where_op_parse(const char *name, enum where_op *out);
/* Returns true if the operator takes this many values: none for missing and present, two for
 * between, one or more for is and not, one for all others. */
bool where_op_accepts(enum where_op op, size_t count);

/* A fixed condition of a definition, or a default. Values are texts. */
struct where_def {
	const struct dimension_def *dimension;
	enum where_op op;
	const char *const *values; /* NULL-ended */
};

struct measure_def {
	const char *name, *pack;
	const char *label, *about; /* about: or NULL */
	const struct entity_def *entity;
	const struct view_column *column; /* NULL: rows are counted */
	enum aggregate aggregate;
	const struct unit_def *unit;
	enum additivity additivity;
	const struct dimension_def *over; /* for a semi-additive measure */
	enum measure_take take;           /* how it is aggregated over `over` */
	struct {
		const struct dimension_def *order;      /* NULL: rows are not versions */
		const struct dimension_def *label;      /* display name of the order; or NULL */
		const struct dimension_def *const *per; /* NULL-ended */
	} latest;
	const struct dimension_def *const *split;    /* NULL-ended */
	const struct dimension_def *const *required; /* NULL-ended */
	const struct where_def *defaults;
	size_t default_count;
	const struct where_def *where;
	size_t where_count;
	const char *permission;      /* in addition to the view's and the column's; or NULL */
	const char *const *synonyms; /* NULL-ended */
};

/* A named condition: the rows of an entity for which all of `where` is true. Its dimensions belong
 * to the entity. */
struct condition_def {
	const char *name, *pack;
	const char *label, *about; /* about: or NULL */
	const struct entity_def *entity;
	const struct where_def *where;
	size_t where_count;
	const char *permission;      /* in addition to those of the dimensions; or NULL */
	const char *const *synonyms; /* NULL-ended */
};

enum metric_form { FORM_MEASURE, FORM_RATIO, FORM_DIFFERENCE };

struct metric_def {
	const char *name, *pack;
	size_t index; /* in the schema's metrics */
	const char *label, *about;
	enum metric_form form;
	const struct measure_def *measure;     /* of FORM_MEASURE */
	const struct metric_def *left, *right; /* for other forms; both are FORM_MEASURE */
	const struct where_def *where;         /* in addition to the measure's */
	size_t where_count;
	const struct unit_def *unit;
	const char *permission;      /* or NULL */
	const char *const *synonyms; /* NULL-ended */
	bool is_implied; /* not declared: made from a measure, or the count of an entity */
};

/* One step of a protocol: the allowed calls and the steps after them. */
struct protocol_call {
	const char *tool;
	size_t next; /* in the protocol's steps */
};
struct protocol_step {
	const char *id, *about;
	const struct protocol_call *calls;
	size_t call_count;
};
/* How a pack's agents query its map: their prompt has the map, and columns of a few tables on
 * request. */
struct protocol_def {
	const char *pack;
	int max_rounds;      /* model rounds; then the model must answer */
	size_t max_tables;   /* tables whose columns one request asks for */
	size_t select_limit; /* rows of a statement that a model writes */
	const char *via;     /* naming pattern of join tables, "jt_{from}_{to}"; NULL: none */
	const struct protocol_step *steps;
	size_t step_count;
};

/* Members of a query over the map (map.h). */
#define MAP_METRICS "metrics"
#define MAP_LIST    "list"
#define MAP_BY      "by"
#define MAP_WHERE   "where"
#define MAP_HAVING  "having"
#define MAP_ORDER   "order"
#define MAP_DIR     "dir"
#define MAP_COMPARE "compare"
#define MAP_NAME    "name"
#define MAP_OP      "op"
#define MAP_VALUES  "values"
#define MAP_TOP     "top"
#define MAP_SHOW    "show"
#define MAP_LEVEL   "level"
#define MAP_ASK     "?"
#define MAP_BOTTOM  "bottom"
#define MAP_PERIOD  "period"
#define MAP_START   "start"
#define MAP_END     "end"
/* Filters of its period. */
#define FILTER_START "date_range_start"
#define FILTER_END   "date_range_end"

/* Lists of pointers, so that objects keep their addresses. */
struct schema {
	const struct view_def *const *views;
	size_t view_count;
	const struct entity_def *const *entities;
	size_t entity_count;
	const struct edge_def *const *edges;
	size_t edge_count;
	const struct chain_def *const *chains;
	size_t chain_count;
	const struct measure_def *const *measures;
	size_t measure_count;
	/* Declared metrics; each measure under its name; and for each entity that is not a link,
	 * its count, under its plural. */
	const struct metric_def *const *metrics;
	size_t metric_count;
	const struct condition_def *const *conditions;
	size_t condition_count;
	const struct protocol_def *const *protocols; /* at most one per pack */
	size_t protocol_count;
	/* Dimensions whose values are neither loaded nor names: numbers, days, and those with
	 * "load": false. */
	const struct dimension_def *const *plain;
	size_t plain_count;
};

const struct schema *catalog_schema(const struct catalog *c);

/* By name; NULL: none. */
const struct view_def *schema_view(const struct schema *s, const char *name);
const struct view_column *view_column_find(const struct view_def *v, const char *plain);
const struct entity_def *schema_entity(const struct schema *s, const char *name);
const struct edge_def *schema_edge(const struct schema *s, const char *id);
const struct measure_def *schema_measure(const struct schema *s, const char *name);
const struct metric_def *schema_metric(const struct schema *s, const char *name);
const struct condition_def *schema_condition(const struct schema *s, const char *name);
const struct protocol_def *schema_protocol(const struct schema *s, const char *pack);
/* NULL: the step does not allow it. */
const struct protocol_call *protocol_call_find(const struct protocol_step *s, const char *tool);
bool protocol_allows(const struct protocol_def *p,
		     const char *tool); /* true if any step allows it */
/* A dimension of the map, loaded or plain. */
const struct dimension_def *schema_dimension(const struct catalog *c, const char *name);

/* The time dimension of an entity's rows: its own, else the only one among the entities it belongs
 * to. An invoice line, for example, has the date of its invoice. NULL: none, or several. */
const struct dimension_def *schema_time(const struct schema *s, const struct entity_def *n);

const char *entity_kind_name(enum entity_kind k);
const char *cardinality_name(enum cardinality c);
const char *aggregate_name(enum aggregate a);
const char *additivity_name(enum additivity a);

#endif
