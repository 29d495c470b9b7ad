/*
 * Parsing of a query (map_query.c): metrics, entity and columns first, then conditions, then order,
 * rows and times (map_rows.c). Names are resolved and their permissions collected where they occur
 * (map_names.c). Private to these files.
 */
#ifndef VESPER_MAP_QUERY_INT_H
#define VESPER_MAP_QUERY_INT_H

#include "map_int.h"
#include "vesper/strlist.h"

struct map_reading {
	const struct map *map;
	const struct principal *who;
	struct date today;
	struct arena *arena;
	struct map_query *q;
	const struct entity_def *root; /* the listed entity, or that of the first metric */
	struct strlist needs;
	struct map_problem *why;
	struct err *e;
};

/* ---- map_names.c; false: `why` and `e` are set ---- */

/* Without a column: the permission of the entity's view alone. */
bool map_require_column(struct map_reading *r, const struct entity_def *n,
			const struct view_column *c);
bool map_require_dimension(struct map_reading *r, const struct dimension_def *d);
bool map_require_measure(struct map_reading *r, const struct measure_def *m);
bool map_require_condition(struct map_reading *r, const struct condition_def *c);
bool map_require_metric(struct map_reading *r, const struct metric_def *m);
/* Adds the permissions of all views on the query's joins. Call when the query is completely
 * parsed. */
bool map_require_join_views(struct map_reading *r);
/* Finds the dimension of this name, with or without a grain, that is nearest to the root. */
bool map_find_dimension(struct map_reading *r, const char *name, struct map_by *out);
/* Fails for an unknown name and suggests similar ones. Always false. */
bool map_unknown(struct map_reading *r, const char *name, bool metrics);

/* ---- map_query.c ---- */

bool map_is_requested(const struct map_query *q, const struct metric_def *m);
bool map_has_by(const struct map_query *q, const struct map_by *by);

/* ---- map_rows.c; false: `why` and `e` are set ---- */

bool map_read_order(struct map_reading *r, const json_t *query);
bool map_read_rows(struct map_reading *r, const json_t *query);
bool map_read_times(struct map_reading *r, const json_t *query);

#endif
