/*
 * The map of a catalogue: paths along declared edges, and queries of declared metrics, which are
 * converted to SQL. Models and rules supply names and values only; every identifier in a statement
 * comes from the catalogue. A join that is not an edge cannot be written. A sum that would count
 * rows twice is refused, with the reason and two questions that work. Pure; any thread; results are
 * allocated in the arena.
 *
 * A query as JSON (tools, rules, receipts and `vesperctl map query` use the same form):
 *
 *   {"metrics": [name, …] | "list": entity, "show"?: [name, …],
 *    "by"?: [dimension | dimension.grain, …],
 *    "where"?: [{"name", "op", "values"?}, …], "having"?: [{"name", "op", "values"}, …],
 *    "order"?: [{"name", "dir": "asc" | "desc"}, …], "top"?: n | "bottom"?: n,
 *    "period"?: {"start", "end"}, "compare"?: "previous_period" | "previous_year" |
 *    {"start", "end"}, "level"?: value | "?"}
 *
 * A level "?" means that the user must be asked for it (MAP_NEEDS_LEVEL).
 *
 * A condition that the catalogue defines takes no values: {"name": "overdue", "op": "is"}, or
 * "not". All its comparisons apply to the same row, of the queried entity or of one that belongs to
 * it.
 *
 * op: is, not, over, at_least, under, at_most, between, contains, missing, present. `not` keeps
 * rows without a value. A name in `where` is a dimension, a dimension.grain, or a measure. A
 * dimension is named by its own name or its filter's name; of several dimensions, the nearest to
 * the counted entity is used. A measure is compared row by row and belongs to the listed entity or
 * to that of all metrics. Numbers are digits, also "2M" and with a unit ("60 $/MWh"), which is
 * converted to the measure's.
 */
#ifndef VESPER_MAP_H
#define VESPER_MAP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/catalog.h"
#include "vesper/clock.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/limits.h"
#include "vesper/principal.h"
#include "vesper/schema.h"
#include "vesper/sql.h"

struct map; /* the graph of one catalogue; immutable */

/* The catalogue is borrowed; must outlive the map. */
struct map *map_new(const struct catalog *c);
void map_free(struct map **m);
const struct catalog *map_catalog(const struct map *m);

/* ---- paths ---- */

struct map_step {
	const struct edge_def *edge;
	bool reversed; /* traversed from its `to` to its `from` */
};
struct map_path {
	const struct map_step *steps;
	size_t count;                  /* 0: from an entity to itself */
	const struct chain_def *chain; /* chain that the path follows; or NULL */
};
enum map_found {
	MAP_FOUND,
	MAP_NONE,
	MAP_TOO_LONG,  /* more than MAP_HOPS_MAX edges; paths[0] is the shortest path */
	MAP_AMBIGUOUS, /* several edges join the same two entities: see paths[0] and paths[1] */
};
/* Finds the path along the first chain that contains both entities, at most MAP_HOPS_MAX edges
 * apart. Without such a chain, finds the shortest path, and of several the one whose edges are
 * declared first. `paths` has room for two. */
enum map_found map_path(const struct map *m, const struct entity_def *from,
			const struct entity_def *to, struct arena *a, struct map_path paths[2]);
/* Returns true if the step is many-to-one, so that no row is counted twice. */
bool map_step_is_safe(const struct map_step *s);
bool map_path_is_safe(const struct map_path *p);
const struct entity_def *map_step_from(const struct map_step *s);
const struct entity_def *map_step_to(const struct map_step *s);

/* ---- queries ---- */

struct map_by {
	const struct dimension_def *dimension;
	enum grain grain;
	bool hidden; /* a key without a column: it separates entities with the same title, by which
			the query groups */
};

enum map_source { MAP_EXPLICIT, MAP_DEFAULT };

struct map_where {
	const char *name;                      /* as written in the query */
	const struct dimension_def *dimension; /* or */
	const struct measure_def *measure;     /* of the listed or measured entity; or */
	const struct condition_def *condition; /* a named condition; its op is `is` or `not` */
	const struct map_where *all; /* comparisons of the condition, on dimensions of its entity */
	size_t all_count;
	enum grain grain;
	enum where_op op;
	const struct value *values;
	size_t count;
	enum map_source source;
};

struct map_having {
	const struct metric_def *metric;
	enum where_op op;
	const struct value *values;
	size_t count;
};

/* One of metric, measure and `by` is set; others are NULL. */
struct map_order {
	const struct metric_def *metric;
	const struct measure_def *measure; /* of the listed entity */
	struct map_by by;
	bool descending;
};

struct map_period {
	bool is_set;
	struct date start, end; /* both inclusive */
};

struct map_query {
	const struct metric_def *metrics[MAP_METRICS_ASKED_MAX];
	size_t metric_count;
	const struct entity_def *list; /* instead of metrics */
	struct shown_def show[MAP_SHOWN_MAX];
	size_t show_count;
	struct map_by by[MAP_GROUPS_MAX]; /* hidden ones last */
	size_t by_count;
	struct map_where where[MAP_WHERE_MAX];
	size_t where_count;
	struct map_having having[MAP_HAVING_MAX];
	size_t having_count;
	struct map_order order[MAP_ORDER_MAX];
	size_t order_count;
	int64_t rows; /* top or bottom; 0: the limit of a result */
	bool from_bottom;
	struct map_period period, before; /* before: the comparison period */
	const char *source;               /* source whose views the query reads */
	const char *const *needs;         /* required permissions, NULL-terminated */
};

/* Codes of invalid queries. */
#define MAP_UNKNOWN_NAME   "UNKNOWN_NAME"
#define MAP_BAD_VALUE      "BAD_VALUE"
#define MAP_FAN_OUT        "FAN_OUT"
#define MAP_NO_PATH        "NO_PATH"
#define MAP_NOT_ADDITIVE   "NOT_ADDITIVE"
#define MAP_NEEDS_FILTER   "NEEDS_FILTER"
#define MAP_NEEDS_LEVEL    "NEEDS_LEVEL"
#define MAP_AMBIGUOUS_PATH "AMBIGUOUS_PATH"
#define MAP_DENIED         "PERMISSION_DENIED"

struct map_problem {
	const char *code;
	const char *text;       /* a sentence for the user; NULL: see the error */
	const char *name;       /* the member at fault; or NULL */
	const char *permission; /* of MAP_DENIED */
	const char *offers[3];  /* names or questions that work; NULL-terminated if fewer than 3 */
	size_t offer_count;
	/* of MAP_NO_PATH and MAP_AMBIGUOUS_PATH; MAP_NEEDS_LEVEL sets only `from` */
	const struct entity_def *from, *to;
};

/* ERR_INPUT, ERR_DENIED: e->text has the reason, *why the part of it for the user. `who` NULL: all
 * permissions. */
MUST_CHECK bool map_query_read(const struct map *m, const struct principal *who,
			       const json_t *query, struct date today, struct arena *a,
			       struct map_query *out, struct map_problem *why, struct err *e);

/* Completes a MAP_NO_PATH problem for this caller: neighbors of each entity, their distance, and
 * questions that work. */
void map_explain_no_path(const struct map *m, const struct principal *who, struct arena *a,
			 struct map_problem *why);

/* One column of the statement. */
struct map_column {
	const char *label; /* its name in the statement */
	const char *unit;  /* symbol; or NULL */
	enum column_type type;
	enum column_priority priority;
	const struct dimension_def *dimension; /* whose values it shows; or NULL */
	const struct metric_def *metric;       /* or NULL */
	bool is_before;                        /* the metric's value in the comparison period */
};

struct map_statement {
	const char *text; /* with markers, as in a tool file */
	struct args values;
	const struct map_column *columns;
	size_t column_count;
};

/* Writes the statement of a query for a dialect. The caller binds the markers :tenant_id and
 * :row_limit. ERR_INPUT: as map_query_read, for problems found only when the joins are made. */
MUST_CHECK bool map_write(const struct map *m, const struct map_query *q, enum dialect d,
			  struct arena *a, struct map_statement *out, struct map_problem *why,
			  struct err *e);

/* An expression for the bucket of a date or time. */
const char *map_grain(enum dialect d, enum grain g, enum column_type type, const char *column,
		      struct arena *a);

/* ---- in words ---- */

/* Appends the entities, edges and metrics that this caller may use, as text for prompts. Equal
 * permissions give equal bytes. No column names. */
void map_compact(const struct map *m, const struct principal *who, struct buf *out);
/* Writes a number with its unit in display form (view_number). */
typedef void map_number_fn(struct buf *out, const struct units *units, const char *digits,
			   const char *unit);
/* Describes a query as the heading of its result: "Operating budget by market (technology = Solar;
 * 2026-01-01 – 2026-12-31), top 3". Values are those of the query; put_number writes those with a
 * unit. */
void map_describe(const struct map *m, const struct map_query *q, map_number_fn *put_number,
		  struct arena *a, struct buf *out);
/* The name of a weekday; 1 is Monday. */
const char *map_weekday(int64_t day);
/* The language-independent sign of a comparison: "≥". */
const char *map_op_sign(enum where_op op);
/* Appends the names that a query of this caller may use: metrics, entities that can be listed,
 * dimensions and conditions, one line for each kind. */
void map_names(const struct map *m, const struct principal *who, struct buf *out);
/* Appends every table of this caller with its key and every edge with its columns; no other
 * columns. */
void map_structure(const struct map *m, const struct principal *who, struct buf *out);
/* Appends the columns of these entities, the edges between them, and the names that a query may use
 * of them. False: unknown names, or 0 or more than MAP_SCHEMA_TABLES_MAX entities. */
MUST_CHECK bool map_schema(const struct map *m, const struct principal *who,
			   const char *const *entities, size_t count, struct buf *out,
			   struct map_problem *why, struct err *e);

/* Return true if the caller has the permissions for the object itself, its view and its column. */
bool map_may_entity(const struct principal *who, const struct entity_def *n);
bool map_may_dimension(const struct principal *who, const struct dimension_def *d);
bool map_may_condition(const struct principal *who, const struct condition_def *c);
bool map_may_metric(const struct principal *who, const struct metric_def *m);

#endif
