/* Resolves the dimensions that a query names and collects the permissions it requires. */
#include "map_query_int.h"

#include <string.h>

#include "vesper/language.h"

/* ---- permissions ---- */

static bool require(struct map_reading *r, const char *permission)
{
	if (!permission)
		return true;
	if (r->who && !may(r->who, permission)) {
		r->why->permission = permission;
		return map_fail(r->why, MAP_DENIED, NULL, r->e, "the permission %s is required",
				permission);
	}
	if (!strlist_has(r->needs.items, permission))
		strlist_add(&r->needs, r->arena, permission);
	return true;
}

bool map_require_column(struct map_reading *r, const struct entity_def *n,
			const struct view_column *c)
{
	if (!n->view->only_tenant && !view_column_find(n->view, "tenant_id"))
		return map_fail(r->why, MAP_BAD_VALUE, n->name, r->e, "%s has no column tenant_id",
				n->name);
	return require(r, n->view->permission) && (!c || require(r, c->permission));
}

bool map_require_dimension(struct map_reading *r, const struct dimension_def *d)
{
	return require(r, d->permission) && map_require_column(r, d->map.entity, d->map.column);
}

static bool require_dimensions(struct map_reading *r, const struct dimension_def *const *list)
{
	for (; *list; list++)
		if (!map_require_dimension(r, *list))
			return false;
	return true;
}

static bool require_wheres(struct map_reading *r, const struct where_def *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!map_require_dimension(r, list[i].dimension))
			return false;
	return true;
}

bool map_require_measure(struct map_reading *r, const struct measure_def *m)
{
	static const struct dimension_def *const none[] = {NULL};

	return require(r, m->permission) && map_require_column(r, m->entity, m->column) &&
	       (!m->over || map_require_dimension(r, m->over)) &&
	       (!m->latest.order || map_require_dimension(r, m->latest.order)) &&
	       require_dimensions(r, m->latest.per ? m->latest.per : none) &&
	       require_wheres(r, m->where, m->where_count) &&
	       require_wheres(r, m->defaults, m->default_count);
}

bool map_require_metric(struct map_reading *r, const struct metric_def *m)
{
	if (!require(r, m->permission) || !require_wheres(r, m->where, m->where_count))
		return false;
	return m->form == FORM_MEASURE
		       ? map_require_measure(r, m->measure)
		       : map_require_metric(r, m->left) && map_require_metric(r, m->right);
}

bool map_require_condition(struct map_reading *r, const struct condition_def *c)
{
	return require(r, c->permission) && require_wheres(r, c->where, c->where_count);
}

/* Adds the permissions of the views between the root and a dimension, because their rows are read
 * too. */
static bool require_path_views(struct map_reading *r, const struct entity_def *root,
			       const struct dimension_def *d)
{
	struct map_path paths[2];

	if (!root || !d || map_path(r->map, root, d->map.entity, r->arena, paths) != MAP_FOUND)
		return true; /* refused when the join is planned */
	for (size_t i = 0; i < paths[0].count; i++) {
		const struct map_step *s = &paths[0].steps[i];

		if ((s->edge->via && !map_require_column(r, s->edge->via, NULL)) ||
		    !map_require_column(r, map_step_to(s), NULL))
			return false;
	}
	return true;
}

static bool require_all_path_views(struct map_reading *r, const struct entity_def *root)
{
	const struct map_query *q = r->q;

	for (size_t i = 0; i < q->by_count; i++)
		if (!require_path_views(r, root, q->by[i].dimension))
			return false;
	for (size_t i = 0; i < q->show_count; i++)
		if (!require_path_views(r, root, q->show[i].dimension))
			return false;
	for (size_t i = 0; i < q->order_count; i++)
		if (!require_path_views(r, root, q->order[i].by.dimension))
			return false;
	for (size_t i = 0; i < q->where_count; i++) {
		const struct map_where *w = &q->where[i];

		if (!require_path_views(r, root, w->dimension))
			return false;
		for (size_t k = 0; k < w->all_count; k++)
			if (!require_path_views(r, root, w->all[k].dimension))
				return false;
	}
	return !q->period.is_set || require_path_views(r, root, schema_time(r->map->schema, root));
}

static bool require_metric_path_views(struct map_reading *r, const struct metric_def *m)
{
	return m->form == FORM_MEASURE ? require_all_path_views(r, m->measure->entity)
				       : require_metric_path_views(r, m->left) &&
						 require_metric_path_views(r, m->right);
}

bool map_require_join_views(struct map_reading *r)
{
	for (size_t i = 0; i < r->q->metric_count; i++)
		if (!require_metric_path_views(r, r->q->metrics[i]))
			return false;
	return !r->q->list || require_all_path_views(r, r->q->list);
}

/* ---- names ---- */

/* The distance of a dimension from the root; an unsafe step counts as 2 * MAP_HOPS_MAX. SIZE_MAX:
 * no path. */
static size_t distance(const struct map *m, const struct entity_def *root,
		       const struct dimension_def *d, struct arena *a)
{
	struct map_path paths[2];
	size_t cost = 0;

	if (!root)
		return 0;
	switch (map_path(m, root, d->map.entity, a, paths)) {
	case MAP_NONE:
		return SIZE_MAX;
	case MAP_TOO_LONG:
		return SIZE_MAX - 1;
	default:
		for (size_t i = 0; i < paths[0].count; i++)
			cost += map_step_is_safe(&paths[0].steps[i]) ? 1 : 2 * MAP_HOPS_MAX;
		return cost;
	}
}

static void keep_nearest(const struct map *m, const struct entity_def *root,
			 const struct dimension_def *d, const char *name, struct arena *a,
			 const struct dimension_def **best, size_t *cost)
{
	size_t n;

	if (!d->map.entity || (strcmp(d->name, name) != 0 && strcmp(d->filter, name) != 0))
		return;
	n = distance(m, root, d, a);
	if (*best && n >= *cost)
		return;
	*best = d;
	*cost = n;
}

const struct dimension_def *map_dimension_near(const struct map *m, const struct entity_def *root,
					       const char *name, enum grain *grain, struct arena *a)
{
	const struct catalog *c = m->catalog;
	const struct dimension_def *best = NULL;
	const char *dot = strrchr(name, '.');
	size_t cost = SIZE_MAX;

	*grain = GRAIN_NONE;
	if (dot && !grain_parse(dot + 1, grain))
		return NULL;
	if (dot)
		name = arena_strndup(a, name, (size_t)(dot - name));
	for (size_t i = 0; i < c->dimension_count; i++)
		keep_nearest(m, root, &c->dimensions[i], name, a, &best, &cost);
	for (size_t i = 0; i < m->schema->plain_count; i++)
		keep_nearest(m, root, m->schema->plain[i], name, a, &best, &cost);
	if (best && *grain && !(best->map.grains >> *grain & 1))
		return NULL;
	return best;
}

bool map_unknown(struct map_reading *r, const char *name, bool metrics)
{
	map_suggest_names(r->map, r->who, name, metrics, r->arena, r->why);
	r->why->text = sentence(r->map->catalog->language, SAY_MAP_UNKNOWN, r->arena, name);
	return map_fail(r->why, MAP_UNKNOWN_NAME, arena_strdup(r->arena, name), r->e,
			"unknown %s %.*s", metrics ? "metric" : "dimension", STR_CUT(name, 60));
}

bool map_find_dimension(struct map_reading *r, const char *name, struct map_by *out)
{
	*out = (struct map_by){0};
	out->dimension = map_dimension_near(r->map, r->root, name, &out->grain, r->arena);
	return out->dimension ? map_require_dimension(r, out->dimension)
			      : map_unknown(r, name, false);
}
