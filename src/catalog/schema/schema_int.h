/* Private to the catalogue: reads the map. Each error begins with the member's path
 * ("edges[3].on"), which the caller turns into a line number. */
#ifndef CATALOG_SCHEMA_INT_H
#define CATALOG_SCHEMA_INT_H

#include "catalog_int.h"

/* ---- reading ---- */

/* Appends `item`; returns the list, which may have moved within the arena. */
const void *const *schema_push(struct arena *a, const void *const *list, size_t count,
			       const void *item);
#define SCHEMA_PUSH(a, list, count, item)                                                          \
	((list) = (void *)(uintptr_t)schema_push(a, (const void *const *)(list), (count)++, item))

/* Checks that this is a valid name on the map: lower-case letters, digits and _. */
MUST_CHECK bool schema_name(const char *name, const char *at, struct err *e);
/* Reads an optional list of strings; missing: empty. */
MUST_CHECK bool schema_texts(struct loader *l, const json_t *item, const char *member,
			     const char *at, const char *const **out, struct err *e);
/* Finds a column of the entity by its plain name. */
MUST_CHECK bool schema_column(const struct entity_def *n, const char *name, const char *at,
			      const struct view_column **out, struct err *e);
/* Finds an entity declared so far. */
MUST_CHECK bool schema_entity_of(const struct loader *l, const char *name, const char *at,
				 const struct entity_def **out, struct err *e);
MUST_CHECK bool schema_dimension_of(const struct loader *l, const char *name, const char *at,
				    const struct dimension_def **out, struct err *e);
/* Reads an optional list of dimensions, NULL-terminated; missing: empty. */
MUST_CHECK bool schema_dimensions(struct loader *l, const json_t *item, const char *member,
				  const char *at, const struct dimension_def *const **out,
				  struct err *e);
/* Reads the conditions of a definition. */
MUST_CHECK bool schema_wheres(struct loader *l, const json_t *item, const char *member,
			      const char *at, const struct where_def **out, size_t *count,
			      struct err *e);
/* Returns true when a metric, dimension or condition has this name. */
bool schema_has_name(const struct loader *l, const char *name);
MUST_CHECK bool schema_permission(const struct loader *l, const char *permission, const char *at,
				  struct err *e);
/* Reads an optional choice as an index into `names`, NULL-terminated. Missing: *out is unchanged.
 */
MUST_CHECK bool schema_choice(const json_t *item, const char *member, const char *const *names,
			      const char *at, size_t *out, struct err *e);

/* ---- sections of the current pack ---- */

MUST_CHECK bool schema_load_views(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_entities(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_dimensions(struct loader *l, const json_t *array, struct err *e);
/* Appends aliases to one dimension. */
MUST_CHECK bool schema_add_aliases(struct loader *l, const char *dimension, const json_t *array,
				   struct err *e);
/* Requires all dimensions. */
MUST_CHECK bool schema_load_edges(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_chains(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_measures(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_metrics(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_conditions(struct loader *l, const json_t *array, struct err *e);
/* Reads the query protocol of the pack's agents. NULL: the pack has none. */
MUST_CHECK bool schema_load_protocol(struct loader *l, const json_t *object, struct err *e);
/* Reads the members of entities that refer to dimensions or measures (time, facets, show). */
MUST_CHECK bool schema_finish_entities(struct loader *l, const json_t *array, struct err *e);
/* Adds implied metrics: counts and means. Requires the metrics of all packs. */
MUST_CHECK bool schema_imply_metrics(struct loader *l, struct err *e);

#endif
