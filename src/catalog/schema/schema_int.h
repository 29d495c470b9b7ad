/* Inside the catalogue: how the map is read. Errors begin with the path of the member that they
 * are about ("edges[3].on"), which the caller turns into a line. */
#ifndef CATALOG_SCHEMA_INT_H
#define CATALOG_SCHEMA_INT_H

#include "catalog_int.h"

/* ---- reading ---- */

/* The list with one more item; both in the arena. */
const void *const *schema_push(struct arena *a, const void *const *list, size_t count,
			       const void *item);
#define SCHEMA_PUSH(a, list, count, item)                                                          \
	((list) = (void *)(uintptr_t)schema_push(a, (const void *const *)(list), (count)++, item))

/* Lower-case letters, digits and _, as names on the map are. */
MUST_CHECK bool schema_name(const char *name, const char *at, struct err *e);
/* A list of texts, which may be missing: then it is empty. */
MUST_CHECK bool schema_texts(struct loader *l, const json_t *item, const char *member,
			     const char *at, const char *const **out, struct err *e);
/* A column of the entity by its plain name. */
MUST_CHECK bool schema_column(const struct entity_def *n, const char *name, const char *at,
			      const struct view_column **out, struct err *e);
/* An entity by name: any that is declared so far. */
MUST_CHECK bool schema_entity_of(const struct loader *l, const char *name, const char *at,
				 const struct entity_def **out, struct err *e);
MUST_CHECK bool schema_dimension_of(const struct loader *l, const char *name, const char *at,
				    const struct dimension_def **out, struct err *e);
/* A list of dimensions, NULL-ended, which may be missing. */
MUST_CHECK bool schema_dimensions(struct loader *l, const json_t *item, const char *member,
				  const char *at, const struct dimension_def *const **out,
				  struct err *e);
/* Conditions of a definition. */
MUST_CHECK bool schema_wheres(struct loader *l, const json_t *item, const char *member,
			      const char *at, const struct where_def **out, size_t *count,
			      struct err *e);
/* A metric, a dimension or a condition has this name. */
bool schema_is_taken(const struct loader *l, const char *name);
MUST_CHECK bool schema_permission(const struct loader *l, const char *permission, const char *at,
				  struct err *e);
/* A text of few choices; `names` is NULL-ended. Missing: *out stays. */
MUST_CHECK bool schema_choice(const json_t *item, const char *member, const char *const *names,
			      const char *at, size_t *out, struct err *e);

/* ---- the parts, of the pack at hand ---- */

MUST_CHECK bool schema_load_views(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_entities(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_dimensions(struct loader *l, const json_t *array, struct err *e);
/* Aliases of one dimension, behind those that it has. */
MUST_CHECK bool schema_add_aliases(struct loader *l, const char *dimension, const json_t *array,
				   struct err *e);
/* With every dimension known. */
MUST_CHECK bool schema_load_edges(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_chains(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_measures(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_metrics(struct loader *l, const json_t *array, struct err *e);
MUST_CHECK bool schema_load_conditions(struct loader *l, const json_t *array, struct err *e);
/* How the pack's agents ask the map; NULL: it does not say. */
MUST_CHECK bool schema_load_protocol(struct loader *l, const json_t *object, struct err *e);
/* What of the entities names dimensions and measures. */
MUST_CHECK bool schema_finish_entities(struct loader *l, const json_t *array, struct err *e);
/* Metrics that nobody wrote, once those of all packs are there. */
MUST_CHECK bool schema_imply_metrics(struct loader *l, struct err *e);

#endif
