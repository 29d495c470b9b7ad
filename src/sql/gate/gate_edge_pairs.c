/* The equalities of one join: the sources they refer to, and whether they form complete edges. */
#include "gate_edge.h"

#include <string.h>

#define EDGE_PAIRS_MAX 64 /* equalities of one join; keys have few columns */

bool edge_add_pair(const struct gate *g, struct edge_pairs *list, struct origin a, struct origin b,
		   size_t at)
{
	struct edge_pair pair = {a, b, at};

	if (edge_is_tenant(&pair))
		return true; /* ignored: each view is restricted to the tenant anyway */
	if (list->count == EDGE_PAIRS_MAX)
		return gate_limit_reached(g, at, "more than %d equalities in one join",
					  EDGE_PAIRS_MAX);
	list->items =
		arena_grow(g->arena, list->items, list->count, &list->cap, sizeof(*list->items));
	list->items[list->count++] = pair;
	return true;
}

/* ---- sources of a condition ---- */

void edge_add_source(struct edge_walk *w, const struct gate_expr *x, const struct edge_scope *s)
{
	struct edge_sources *t = w->owner;
	const struct edge_scope *where = NULL;
	const struct gate_source *leaf = edge_leaf(x, s, &where);

	if (!leaf)
		return;
	for (const struct edge_scope *outer = t->scope->outer; outer; outer = outer->outer)
		t->has_outer_column |= where == outer;
	if (where != t->scope)
		return;
	if (!t->one || t->one == leaf)
		t->one = leaf;
	else
		t->two = leaf;
}

struct edge_sources edge_sources_of(const struct gate_expr *x, const struct edge_scope *s)
{
	struct edge_sources t = {.scope = s};
	struct edge_walk w = {edge_add_source, &t};

	edge_walk_expr(&w, x, s);
	return t;
}

/* ---- groups of pairs ---- */

static bool joins_same_sources(const struct edge_pair *a, const struct edge_pair *b)
{
	return a->a.base == b->a.base && a->b.base == b->b.base && a->a.leaf == b->a.leaf &&
	       a->b.leaf == b->b.leaf;
}

size_t edge_pairs_group(const struct gate *g, const struct edge_pairs *list, size_t n,
			struct edge_pair **out)
{
	struct edge_pair *group;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (joins_same_sources(&list->items[i], &list->items[n]))
			return 0;
	group = arena_alloc(g->arena, (list->count - n) * sizeof(*group));
	for (size_t i = n; i < list->count; i++)
		if (joins_same_sources(&list->items[i], &list->items[n]))
			group[count++] = list->items[i];
	*out = group;
	return count;
}

bool edge_all_same_columns(const struct edge_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!edge_is_same_column(&pairs[i]))
			return false;
	return true;
}

bool edge_check_pairs(const struct gate *g, const struct edge_pairs *list, bool same)
{
	for (size_t i = 0; i < list->count; i++) {
		struct edge_pair *group = NULL;
		size_t count = edge_pairs_group(g, list, i, &group);

		if (count == 0 || (same && edge_all_same_columns(group, count)) ||
		    edge_is_complete(g, group, count))
			continue;
		return edge_refuse_pairs(g, group->at, group, count);
	}
	return true;
}
