/* Resolves the dimensions that a query names and collects the permissions it requires. */
#include "map_query_int.h"

#include <string.h>

#include "vesper/language.h"

/* ---- permissions ---- */

static bool need(struct map_reading *r, const char *permission)
{
	if (!permission)
		return true;
	if (r->who && !may(r->who, permission)) {
		r->why->permission = permission;
		return map_fail(r->why, MAP_DENIED, NULL, r->e, "it takes the permission %s",
				permission);
	}
	if (!strlist_has(r->needs.items, permission))
		strlist_add(&r->needs, r->arena, permission);
	return true;
}

bool map_need_column(struct map_reading *r, const struct entity_def *n, const struct view_column *c)
{
	if (!n->view->only_tenant && !view_column_find(n->view, "tenant_id"))
		return map_fail(r->why, MAP_BAD_VALUE, n->name, r->e,
				"rows of %s do not say whose they are (tenant_id)", n->name);
	return need(r, n->view->permission) && (!c || need(r, c->permission));
}

bool map_need_dimension(struct map_reading *r, const struct dimension_def *d)
{
	return need(r, d->permission) && map_need_column(r, d->map.entity, d->map.column);
}

static bool need_dimensions(struct map_reading *r, const struct dimension_def *const *list)
{
	for (; *list; list++)
		if (!map_need_dimension(r, *list))
			return false;
	return true;
}

static bool need_wheres(struct map_reading *r, const struct where_def *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!map_need_dimension(r, list[i].dimension))
			return false;
	return true;
}

bool map_need_measure(struct map_reading *r, const struct measure_def *m)
{
	static const struct dimension_def *const none[] = {NULL};

	return need(r, m->permission) && map_need_column(r, m->entity, m->column) &&
	       (!m->over || map_need_dimension(r, m->over)) &&
	       (!m->latest.order || map_need_dimension(r, m->latest.order)) &&
	       need_dimensions(r, m->latest.per ? m->latest.per : none) &&
	       need_wheres(r, m->where, m->where_count) &&
	       need_wheres(r, m->defaults, m->default_count);
}

bool map_need_metric(struct map_reading *r, const struct metric_def *m)
{
	if (!need(r, m->permission) || !need_wheres(r, m->where, m->where_count))
		return false;
	return m->form == FORM_MEASURE
		       ? map_need_measure(r, m->measure)
		       : map_need_metric(r, m->left) && map_need_metric(r, m->right);
}

bool map_need_condition(struct map_reading *r, const struct condition_def *c)
{
	return need(r, c->permission) && need_wheres(r, c->where, c->where_count);
}

/* Adds the permissions of the views between the root and a dimension, because their rows are read
 * too. */
static bool need_way(struct map_reading *r, const struct entity_def *root,
		     const struct dimension_def *d)
{
	struct map_path paths[2];

	if (!root || !d || map_path(r->map, root, d->map.entity, r->arena, paths) != MAP_FOUND)
		return true; /* refused when the join is planned */
	for (size_t i = 0; i < paths[0].count; i++) {
		const struct map_step *s = &paths[0].steps[i];

		if ((s->edge->via && !map_need_column(r, s->edge->via, NULL)) ||
		    !map_need_column(r, map_step_to(s), NULL))
			return false;
	}
	return true;
}

static bool need_ways(struct map_reading *r, const struct entity_def *root)
{
	const struct map_query *q = r->q;

	for (size_t i = 0; i < q->by_count; i++)
		if (!need_way(r, root, q->by[i].dimension))
			return false;
	for (size_t i = 0; i < q->show_count; i++)
		if (!need_way(r, root, q->show[i].dimension))
			return false;
	for (size_t i = 0; i < q->order_count; i++)
		if (!need_way(r, root, q->order[i].by.dimension))
			return false;
	for (size_t i = 0; i < q->where_count; i++) {
		const struct map_where *w = &q->where[i];

		if (!need_way(r, root, w->dimension))
			return false;
		for (size_t k = 0; k < w->all_count; k++)
			if (!need_way(r, root, w->all[k].dimension))
				return false;
	}
	return !q->period.is_set || need_way(r, root, schema_time(r->map->schema, root));
}

static bool need_metric_ways(struct map_reading *r, const struct metric_def *m)
{
	return m->form == FORM_MEASURE
		       ? need_ways(r, m->measure->entity)
		       : need_metric_ways(r, m->left) && need_metric_ways(r, m->right);
}

bool map_need_ways(struct map_reading *r)
{
	for (size_t i = 0; i < r->q->metric_count; i++)
		if (!need_metric_ways(r, r->q->metrics[i]))
			return false;
	return !r->q->list || need_ways(r, r->q->list);
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

static void nearer(const struct map *m, const struct entity_def *root,
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
		nearer(m, root, &c->dimensions[i], name, a, &best, &cost);
	for (size_t i = 0; i < m->schema->plain_count; i++)
		nearer(m, root, m->schema->plain[i], name, a, &best, &cost);
	if (best && *grain && !(best->map.grains >> *grain & 1))
		return NULL;
	return best;
}

bool map_unknown(struct map_reading *r, const char *name, bool metrics)
{
	map_suggest_names(r->map, r->who, name, metrics, r->arena, r->why);
	r->why->text = sentence(r->map->catalog->language, SAY_MAP_UNKNOWN, r->arena, name);
	return map_fail(r->why, MAP_UNKNOWN_NAME, arena_strdup(r->arena, name), r->e,
			"there is no %s %.*s", metrics ? "metric" : "dimension", STR_CUT(name, 60));
}

bool map_find_dimension(struct map_reading *r, const char *name, struct map_by *out)
{
	*out = (struct map_by){0};
	out->dimension = map_dimension_near(r->map, r->root, name, &out->grain, r->arena);
	return out->dimension ? map_need_dimension(r, out->dimension) : map_unknown(r, name, false);
}
