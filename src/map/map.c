/* The graph: the outgoing steps of each entity, and the permission checks. */
#include "map_int.h"

#include <string.h>

#include "vesper/mem.h"

#define MAP_ARENA_BYTES (8 << 20)

const struct entity_def *map_step_from(const struct map_step *s)
{
	return s->reversed ? s->edge->to : s->edge->from;
}

const struct entity_def *map_step_to(const struct map_step *s)
{
	return s->reversed ? s->edge->from : s->edge->to;
}

bool map_step_is_safe(const struct map_step *s)
{
	return s->edge->cardinality == CARDINALITY_11 ||
	       (s->edge->cardinality == CARDINALITY_N1 && !s->reversed);
}

bool map_path_is_safe(const struct map_path *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!map_step_is_safe(&p->steps[i]))
			return false;
	return true;
}

/* An edge from an entity to itself is listed once. Paths between two entities never use it. */
static void list_outgoing(struct map *m)
{
	const struct schema *s = m->schema;

	m->outgoing = arena_alloc(m->arena, (s->entity_count + 1) * sizeof(*m->outgoing));
	for (size_t n = 0; n < s->entity_count; n++) {
		struct map_step *steps =
			arena_alloc(m->arena, (s->edge_count + 1) * sizeof(*steps));
		size_t count = 0;

		for (size_t i = 0; i < s->edge_count; i++)
			if (s->edges[i]->from == s->entities[n])
				steps[count++] = (struct map_step){s->edges[i], false};
			else if (s->edges[i]->to == s->entities[n])
				steps[count++] = (struct map_step){s->edges[i], true};
		m->outgoing[n].steps = steps;
		m->outgoing[n].count = count;
	}
}

struct map *map_new(const struct catalog *c)
{
	struct map *m = mem_alloc(sizeof(*m));

	m->catalog = c;
	m->schema = catalog_schema(c);
	m->arena = arena_new(MAP_ARENA_BYTES);
	list_outgoing(m);
	return m;
}

void map_free(struct map **m)
{
	if (!*m)
		return;
	arena_free(&(*m)->arena);
	mem_free(*m);
	*m = NULL;
}

const struct catalog *map_catalog(const struct map *m)
{
	return m->catalog;
}

/* ---- permissions ---- */

static bool allowed(const struct principal *who, const char *permission)
{
	return !who || !permission || may(who, permission);
}

bool map_may_entity(const struct principal *who, const struct entity_def *n)
{
	const char *tenant = n->view->only_tenant;

	return allowed(who, n->view->permission) &&
	       (!tenant || !who || strcmp(tenant, who->tenant) == 0);
}

bool map_may_dimension(const struct principal *who, const struct dimension_def *d)
{
	return allowed(who, d->permission) && allowed(who, d->map.column->permission) &&
	       map_may_entity(who, d->map.entity);
}

bool map_may_metric(const struct principal *who, const struct metric_def *m)
{
	const struct measure_def *s = m->measure;

	if (!allowed(who, m->permission))
		return false;
	if (m->form != FORM_MEASURE)
		return map_may_metric(who, m->left) && map_may_metric(who, m->right);
	return allowed(who, s->permission) && map_may_entity(who, s->entity) &&
	       (!s->column || allowed(who, s->column->permission));
}

bool map_may_condition(const struct principal *who, const struct condition_def *c)
{
	for (size_t i = 0; i < c->where_count; i++)
		if (!map_may_dimension(who, c->where[i].dimension))
			return false;
	return allowed(who, c->permission);
}
