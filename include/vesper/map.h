/*
 * The map at work: paths along declared edges, and queries of declared metrics that become SQL.
 * Models and rules give names and values alone; every identifier in a statement is the catalogue's.
 * A join that is no edge cannot be written, and a sum that would count rows twice is refused with
 * the reason and two questions that work. Pure; any thread; everything in the arena.
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
 * A level "?" is to be asked for (MAP_NEEDS_LEVEL).
 *
 * A condition that the catalogue has a name for takes no values: {"name": "overdue", "op": "is"},
 * or "not". All of it holds for one row: of what is asked for, or of something that belongs to it.
 *
 * op: is, not, over, at_least, under, at_most, between, contains, missing, present. `not` keeps
 * rows without a value. A name in `where` is a dimension (by its name, or by the filter it goes by:
 * of several the nearest to what is counted), a dimension.grain, or a measure of the entity that is
 * listed or that all metrics are of (row by row).
 * Numbers are digits, also "2M" and with a unit ("60 $/MWh"), which is converted to the measure's.
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

/* The catalogue is borrowed and must outlive it. */
struct map *map_new(const struct catalog *c);
void map_free(struct map **m);
const struct catalog *map_catalog(const struct map *m);

/* ---- paths ---- */

struct map_step {
	const struct edge_def *edge;
	bool reversed; /* walked from its `to` to its `from` */
};
struct map_path {
	const struct map_step *steps;
	size_t count;                  /* 0: from an entity to itself */
	const struct chain_def *chain; /* that it follows, or NULL */
};
enum map_found {
	MAP_FOUND,
	MAP_NONE,
	MAP_TOO_LONG,  /* more than MAP_HOPS_MAX edges; the path is the shortest one */
	MAP_AMBIGUOUS, /* several edges join the same two entities: paths[0] and [1] say which */
};
/* The path along a chain; without one the shortest, of several the one whose edges are declared
 * first. `paths` has room for two. */
enum map_found map_path(const struct map *m, const struct entity_def *from,
			const struct entity_def *to, struct arena *a, struct map_path paths[2]);
/* Does the step lead from many to one, so that no row is counted twice? */
bool map_step_is_safe(const struct map_step *s);
bool map_path_is_safe(const struct map_path *p);
const struct entity_def *map_step_from(const struct map_step *s);
const struct entity_def *map_step_to(const struct map_step *s);

/* ---- queries ---- */

struct map_by {
	const struct dimension_def *dimension;
	enum grain grain;
	bool hidden; /* a key of what is grouped by its title: namesakes are several; no column */
};

enum map_source { MAP_SAID, MAP_DEFAULT };

struct map_where {
	const char *name;                      /* as it was said */
	const struct dimension_def *dimension; /* or */
	const struct measure_def *measure; /* of the entity listed or measured, row by row; or */
	const struct condition_def *condition; /* that has a name; is or not */
	const struct map_where *all; /* of the condition, of its entity's own dimensions */
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

/* By a metric, a grouping, or something shown; the others are NULL. */
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
	int64_t rows; /* top or bottom; 0: as many as a result takes */
	bool from_bottom;
	struct map_period period, before; /* before: what the period is compared with */
	const char *source;               /* whose views it reads */
	const char *const *needs;         /* permissions that it takes, NULL-ended */
};

/* Why a query is none. */
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
	const char *text;       /* a sentence for the user; NULL: the error says why */
	const char *name;       /* the member that it is about, or NULL */
	const char *permission; /* of MAP_DENIED */
	const char *offers[3];  /* names or questions that would work; NULL-ended but for 3 */
	size_t offer_count;
	/* of MAP_NO_PATH and MAP_AMBIGUOUS_PATH; of MAP_NEEDS_LEVEL `from` alone */
	const struct entity_def *from, *to;
};

/* ERR_INPUT or ERR_DENIED: e->text says why, *why what of it is for the user. `who` NULL: every
 * permission. */
MUST_CHECK bool map_query_read(const struct map *m, const struct principal *who,
			       const json_t *query, struct date today, struct arena *a,
			       struct map_query *out, struct map_problem *why, struct err *e);

/* Of MAP_NO_PATH, for this caller: what each of the two does belong to, how far they are apart, and
 * questions that work. */
void map_explain_no_path(const struct map *m, const struct principal *who, struct arena *a,
			 struct map_problem *why);

/* What one column of the statement is. */
struct map_column {
	const char *label; /* its name in the statement */
	const char *unit;  /* symbol, or NULL */
	enum column_type type;
	enum column_priority priority;
	const struct dimension_def *dimension; /* whose values it shows, or NULL */
	const struct metric_def *metric;       /* or NULL */
	bool is_before;                        /* the metric in the period compared with */
};

struct map_statement {
	const char *text; /* of a tool file: with markers */
	struct args values;
	const struct map_column *columns;
	size_t column_count;
};

/* The statement of a query, for one dialect. The caller that runs it binds the markers :tenant_id
 * and :row_limit. ERR_INPUT as map_query_read, for what only shows while the joins are laid. */
MUST_CHECK bool map_write(const struct map *m, const struct map_query *q, enum dialect d,
			  struct arena *a, struct map_statement *out, struct map_problem *why,
			  struct err *e);

/* An expression that gives the bucket of a day or a time. */
const char *map_grain(enum dialect d, enum grain g, enum column_type type, const char *column,
		      struct arena *a);

/* ---- in words ---- */

/* The entities, edges and metrics of this caller as text for prompts; the same bytes for the same
 * permissions. No column names. */
void map_compact(const struct map *m, const struct principal *who, struct buf *out);
/* Writes a number in a unit as readers have it (view_number). */
typedef void map_number_fn(struct buf *out, const struct units *units, const char *digits,
			   const char *unit);
/* A query in words, as the heading of its result: "Operating budget by market (technology = Solar;
 * 2026-01-01 to 2026-12-31), top 3". Values are those of the query. */
void map_describe(const struct map *m, const struct map_query *q, map_number_fn *put_number,
		  struct arena *a, struct buf *out);
/* Day 1 is Monday. */
const char *map_weekday(int64_t day);
/* "≥": how a comparison is written in each language. */
const char *map_op_sign(enum where_op op);
/* What a query of this caller's may name: metrics, entities that can be listed, dimensions; one
 * line each. */
void map_names(const struct map *m, const struct principal *who, struct buf *out);
/* Every table with its key, and every edge with its columns; no other column. */
void map_structure(const struct map *m, const struct principal *who, struct buf *out);
/* Columns and edges of these entities, and what a query may name of them. False: names that are
 * none are told in the error. */
MUST_CHECK bool map_schema(const struct map *m, const struct principal *who,
			   const char *const *entities, size_t count, struct buf *out,
			   struct map_problem *why, struct err *e);

/* May this caller use it: its view, its column, what it is declared with? */
bool map_may_entity(const struct principal *who, const struct entity_def *n);
bool map_may_dimension(const struct principal *who, const struct dimension_def *d);
bool map_may_condition(const struct principal *who, const struct condition_def *c);
bool map_may_metric(const struct principal *who, const struct metric_def *m);

#endif
