/* Matches pairs of columns with the policy's edges, and words the refusals. */
#include "gate_edge.h"

#include <stdio.h>
#include <string.h>

#define EDGES_NAMED 3 /* per view in a refusal, to keep errors short */

static const char *view_of(const struct origin *o)
{
	return o->base->view_use->view->name;
}

/* ---- one edge ---- */

static bool is_edge_of(const struct gate_edge *edge, const char *a, const char *b, bool reversed)
{
	return strcmp(reversed ? edge->right : edge->left, a) == 0 &&
	       strcmp(reversed ? edge->left : edge->right, b) == 0;
}

static bool is_pair(const struct gate_edge *edge, size_t i, bool reversed,
		    const struct edge_pair *pair)
{
	return str_eq_nocase(str_of(edge->on[i][reversed ? 1 : 0]), pair->a.column) &&
	       str_eq_nocase(str_of(edge->on[i][reversed ? 0 : 1]), pair->b.column);
}

static bool has_pair(const struct gate_edge *edge, bool reversed, const struct edge_pair *pair)
{
	for (size_t i = 0; i < edge->on_count; i++)
		if (is_pair(edge, i, reversed, pair))
			return true;
	return false;
}

/* The index of the first pair of the edge that is missing; on_count: none. */
static size_t first_missing(const struct gate_edge *edge, bool reversed,
			    const struct edge_pair *pairs, size_t count)
{
	for (size_t i = 0; i < edge->on_count; i++) {
		bool found = false;

		for (size_t k = 0; k < count && !found; k++)
			found = is_pair(edge, i, reversed, &pairs[k]);
		if (!found)
			return i;
	}
	return edge->on_count;
}

static bool is_complete(const struct gate_edge *edge, bool reversed, const struct edge_pair *pairs,
			size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!has_pair(edge, reversed, &pairs[k]))
			return false;
	return first_missing(edge, reversed, pairs, count) == edge->on_count;
}

bool edge_is_complete(const struct gate *g, const struct edge_pair *pairs, size_t count)
{
	const char *a = view_of(&pairs->a), *b = view_of(&pairs->b);

	for (size_t i = 0; i < g->policy->edge_count; i++)
		for (int reversed = 0; reversed < 2; reversed++)
			if (is_edge_of(&g->policy->edges[i], a, b, reversed) &&
			    is_complete(&g->policy->edges[i], reversed, pairs, count))
				return true;
	return false;
}

bool edge_has_pair(const struct gate *g, const struct edge_pair *pair)
{
	for (size_t i = 0; i < g->policy->edge_count; i++)
		for (int reversed = 0; reversed < 2; reversed++)
			if (is_edge_of(&g->policy->edges[i], view_of(&pair->a), view_of(&pair->b),
				       reversed) &&
			    has_pair(&g->policy->edges[i], reversed, pair))
				return true;
	return false;
}

bool edge_is_same_column(const struct edge_pair *pair)
{
	return pair->a.base->view_use->view == pair->b.base->view_use->view &&
	       str_eq_nocase(pair->a.column, pair->b.column);
}

static bool is_tenant(const struct origin *o)
{
	const char *tenant = o->base->view_use->view->tenant_column;

	return tenant && str_eq_nocase(o->column, str_of(tenant));
}

bool edge_is_tenant(const struct edge_pair *pair)
{
	return is_tenant(&pair->a) && is_tenant(&pair->b);
}

/* ---- refusals ---- */

/* Lists the views at the other ends of the view's edges, without duplicates. */
static void list_neighbors(const struct gate *g, const struct gate_view *from, char *out,
			   size_t bytes)
{
	const char *named[EDGES_NAMED];
	size_t count = 0, n = 0;

	for (size_t i = 0; i < g->policy->edge_count && count < EDGES_NAMED; i++) {
		const struct gate_edge *edge = &g->policy->edges[i];
		const char *other = strcmp(edge->left, from->name) == 0    ? edge->right
				    : strcmp(edge->right, from->name) == 0 ? edge->left
									   : NULL;
		bool known = other == NULL;

		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(named[k], other) == 0;
		if (known || n + strlen(other) + 3 > bytes)
			continue;
		n += (size_t)snprintf(out + n, bytes - n, "%s%s", count ? ", " : "", other);
		named[count++] = other;
	}
}

/* A view with edges to both; NULL: none. */
static const char *view_between(const struct gate *g, const char *a, const char *b)
{
	for (size_t i = 0; i < g->policy->edge_count; i++)
		for (int reversed = 0; reversed < 2; reversed++) {
			const struct gate_edge *edge = &g->policy->edges[i];
			const char *via = reversed ? edge->left : edge->right;

			if (strcmp(reversed ? edge->right : edge->left, a) != 0)
				continue;
			for (size_t k = 0; k < g->policy->edge_count; k++)
				if (is_edge_of(&g->policy->edges[k], via, b, false) ||
				    is_edge_of(&g->policy->edges[k], via, b, true))
					return via;
		}
	return NULL;
}

bool edge_refuse_views(const struct gate *g, size_t at, const struct gate_view *from,
		       const struct gate_view *to)
{
	const char *via = to && to != from ? view_between(g, from->name, to->name) : NULL;
	char names[120] = "";

	if (via)
		return gate_refuse(g, at, "%s and %s are joined by way of %s", from->name, to->name,
				   via);
	list_neighbors(g, from, names, sizeof(names));
	if (to == from)
		return gate_refuse(g, at,
				   "the map has no edge from %s to itself; use a window "
				   "function, or a subquery",
				   from->name);
	if (!to)
		return gate_refuse(g, at, "%s is not joined along an edge of the map%s%s",
				   from->name, *names ? "; it has edges to " : "", names);
	return gate_refuse(g, at, "%s and %s: the map has no edge between them%s%s", from->name,
			   to->name, *names ? "; the first has edges to " : "", names);
}

/* The edge between the two views with the most matching pairs. */
static const struct gate_edge *closest_edge(const struct gate *g, const struct edge_pair *pairs,
					    size_t count, bool *reversed)
{
	const struct gate_edge *closest = NULL;
	size_t max_count = 0;

	for (size_t i = 0; i < g->policy->edge_count; i++)
		for (int r = 0; r < 2; r++) {
			const struct gate_edge *edge = &g->policy->edges[i];
			size_t match_count = 1;

			if (!is_edge_of(edge, view_of(&pairs->a), view_of(&pairs->b), r))
				continue;
			for (size_t k = 0; k < count; k++)
				match_count += has_pair(edge, r, &pairs[k]);
			if (match_count > max_count) {
				max_count = match_count;
				closest = edge;
				*reversed = r;
			}
		}
	return closest;
}

static const char *short_name(const char *view)
{
	const char *dot = strrchr(view, '.');

	return dot ? dot + 1 : view;
}

bool edge_refuse_pairs(const struct gate *g, size_t at, const struct edge_pair *pairs, size_t count)
{
	bool reversed = false;
	const struct gate_edge *edge = closest_edge(g, pairs, count, &reversed);
	size_t missing;

	if (!edge)
		return edge_refuse_views(g, at, pairs->a.base->view_use->view,
					 pairs->b.base->view_use->view);
	missing = first_missing(edge, reversed, pairs, count);
	if (missing < edge->on_count)
		return gate_refuse(g, at, "the edge between %s and %s also needs %s.%s = %s.%s",
				   edge->left, edge->right, short_name(edge->left),
				   edge->on[missing][0], short_name(edge->right),
				   edge->on[missing][1]);
	return gate_refuse(g, at, "%s and %s are joined by %s = %s%s; no other equality is an edge",
			   edge->left, edge->right, edge->on[0][0], edge->on[0][1],
			   edge->on_count > 1 ? " and more" : "");
}
