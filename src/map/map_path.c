/*
 * Paths: the slice of a chain that contains both entities, otherwise a breadth-first search over
 * the steps. If several edges join the same two entities, the user must choose.
 */
#include "map_int.h"

#include <string.h>

/* The slice of the chain between two of its entities, in the given direction. */
static bool slice(const struct chain_def *c, const struct entity_def *from,
		  const struct entity_def *to, struct arena *a, struct map_path *out)
{
	size_t i = 0, k = 0, n = 0;
	struct map_step *steps;

	while (c->entities[n])
		n++;
	while (i < n && c->entities[i] != from)
		i++;
	while (k < n && c->entities[k] != to)
		k++;
	if (i == n || k == n || (i < k ? k - i : i - k) > MAP_HOPS_MAX)
		return false;
	steps = arena_alloc(a, (i < k ? k - i : i - k) * sizeof(*steps));
	out->steps = steps;
	out->chain = c;
	out->count = 0;
	for (; i != k; i += i < k ? 1U : SIZE_MAX) {
		const struct edge_def *g = c->edges[i < k ? i : i - 1];

		steps[out->count++] = (struct map_step){g, g->from != c->entities[i]};
	}
	return true;
}

struct search {
	const struct map *map;
	const struct map_step **found_by; /* by entity: the step that found it first */
	const struct map_step *
		*alternative; /* by entity: another edge between the same two entities */
	size_t *queue;
	size_t head, tail;
};

static void visit(struct search *s, size_t entity)
{
	const struct map_outgoing *l = &s->map->outgoing[entity];

	for (size_t i = 0; i < l->count; i++) {
		size_t next = map_step_to(&l->steps[i])->index;

		if (next == entity)
			continue;
		if (!s->found_by[next] && next != s->queue[0]) {
			s->found_by[next] = &l->steps[i];
			s->queue[s->tail++] = next;
		} else if (s->found_by[next] && map_step_from(s->found_by[next])->index == entity &&
			   !s->alternative[next]) {
			s->alternative[next] = &l->steps[i];
		}
	}
}

/* Builds the path from its end. `alternative`: uses the alternative edges where they exist. */
static struct map_path build_path(const struct search *s, const struct entity_def *to,
				  bool alternative, struct arena *a)
{
	struct map_path p = {0};
	struct map_step *steps;
	size_t at = to->index, n = 0;

	for (; s->found_by[at]; n++)
		at = map_step_from(s->found_by[at])->index;
	steps = arena_alloc(a, (n + 1) * sizeof(*steps));
	p.steps = steps;
	p.count = n;
	at = to->index;
	while (n-- > 0) {
		steps[n] =
			*(alternative && s->alternative[at] ? s->alternative[at] : s->found_by[at]);
		at = map_step_from(&steps[n])->index;
	}
	return p;
}

static bool has_alternative(const struct search *s, const struct map_path *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (s->alternative[map_step_to(&p->steps[i])->index])
			return true;
	return false;
}

enum map_found map_path(const struct map *m, const struct entity_def *from,
			const struct entity_def *to, struct arena *a, struct map_path paths[2])
{
	size_t n = m->schema->entity_count;
	struct search s = {.map = m, .tail = 1};

	memset(paths, 0, 2 * sizeof(*paths));
	if (from == to)
		return MAP_FOUND;
	for (size_t i = 0; i < m->schema->chain_count; i++)
		if (slice(m->schema->chains[i], from, to, a, &paths[0]))
			return MAP_FOUND;
	s.found_by = arena_alloc(a, n * sizeof(const struct map_step *));
	s.alternative = arena_alloc(a, n * sizeof(const struct map_step *));
	s.queue = arena_alloc(a, n * sizeof(*s.queue));
	s.queue[0] = from->index;
	while (s.head < s.tail && !s.found_by[to->index])
		visit(&s, s.queue[s.head++]);
	if (!s.found_by[to->index])
		return MAP_NONE;
	paths[0] = build_path(&s, to, false, a);
	if (paths[0].count > MAP_HOPS_MAX)
		return MAP_TOO_LONG;
	if (!has_alternative(&s, &paths[0]))
		return MAP_FOUND;
	paths[1] = build_path(&s, to, true, a);
	return MAP_AMBIGUOUS;
}
