/*
 * Policy of the SQL gate for ad hoc SQL: the approved views and columns that the caller may see.
 */
#include "catalog_int.h"

#include <string.h>

#include "vesper/limits.h"

/* NULL: rows do not identify their tenant. In a single-tenant source, a column of this name may
 * mean anything. */
static const char *tenant_column_of(const struct view_def *v)
{
	if (v->only_tenant)
		return NULL;
	for (size_t i = 0; i < v->column_count; i++)
		if (strcmp(v->columns[i].name, "tenant_id") == 0)
			return v->columns[i].name;
	return NULL;
}

static bool is_permitted(const struct principal *who, const char *permission)
{
	return !permission || !who || may(who, permission);
}

/* A view is only readable if its rows can be separated by tenant. */
static bool may_read(const struct principal *who, const struct view_def *v, const char *tenant)
{
	return (v->only_tenant ? strcmp(v->only_tenant, tenant) == 0
			       : tenant_column_of(v) != NULL) &&
	       is_permitted(who, v->permission);
}

static struct gate_view gate_view_for(const struct principal *who, const struct view_def *v,
				      struct arena *a)
{
	const char **columns = arena_alloc(a, (v->column_count + 1) * sizeof(*columns));
	const char **denied = arena_alloc(a, (v->column_count + 1) * sizeof(*denied));
	size_t column_count = 0, denied_count = 0;

	for (size_t i = 0; i < v->column_count; i++) {
		if (is_permitted(who, v->columns[i].permission))
			columns[column_count++] = v->columns[i].name;
		else
			denied[denied_count++] = v->columns[i].name;
	}
	return (struct gate_view){.name = v->name,
				  .columns = columns,
				  .denied = denied,
				  .tenant_column = tenant_column_of(v)};
}

static bool has_edges(const struct schema *s, const char *pack)
{
	for (size_t i = 0; i < s->edge_count; i++)
		if (strcmp(s->edges[i]->pack, pack) == 0)
			return true;
	return false;
}

/* Returns true when the policy has the view. Edges to other views are not disclosed. */
static bool has_view(const struct gate_policy *p, const struct view_def *v)
{
	for (size_t i = 0; i < p->view_count; i++)
		if (strcmp(p->views[i].name, v->name) == 0)
			return true;
	return false;
}

struct edges {
	struct gate_edge *items;
	size_t count;
};

static void add_edge(struct edges *out, const struct gate_policy *p, const struct entity_def *from,
		     const struct entity_def *to, const struct edge_pair *on, size_t count,
		     struct arena *a)
{
	const char *(*pairs)[2];

	if (!has_view(p, from->view) || !has_view(p, to->view))
		return;
	pairs = arena_alloc(a, count * sizeof(*pairs));
	for (size_t i = 0; i < count; i++) {
		pairs[i][0] = on[i].left->plain;
		pairs[i][1] = on[i].right->plain;
	}
	out->items[out->count++] = (struct gate_edge){from->view->name, to->view->name,
						      (const char *const(*)[2])pairs, count};
}

/* Adds the map's edges between views of the policy; an edge via a join table becomes two. Views of
 * a pack without edges can be joined freely. */
static void set_edges(struct gate_policy *p, const struct schema *s, struct arena *a)
{
	struct edges edges = {0};

	if (s->edge_count == 0)
		return;
	edges.items = arena_alloc(a, 2 * s->edge_count * sizeof(*edges.items));
	for (size_t i = 0; i < s->edge_count; i++) {
		const struct edge_def *g = s->edges[i];

		add_edge(&edges, p, g->from, g->via ? g->via : g->to, g->on, g->on_count, a);
		if (g->via)
			add_edge(&edges, p, g->via, g->to, g->on_to, g->on_to_count, a);
	}
	p->edges = edges.items;
	p->edge_count = edges.count;
}

struct gate_policy catalog_gate_policy(const struct catalog *c, const struct principal *who,
				       const char *tenant, struct arena *a)
{
	const struct catalog_impl *w = catalog_impl(c);
	struct gate_policy policy = gate_policy_of((const char *const[]){NULL}, a);
	struct gate_view *views = arena_alloc(a, (w->schema.view_count + 1) * sizeof(*views));
	size_t n = 0;

	for (size_t i = 0; i < w->schema.view_count; i++)
		if (may_read(who, w->schema.views[i], tenant)) {
			views[n] = gate_view_for(who, w->schema.views[i], a);
			views[n].is_unmapped = !has_edges(&w->schema, w->schema.views[i]->pack);
			n += *views[n].columns != NULL;
		}
	policy.views = views;
	policy.view_count = n;
	set_edges(&policy, &w->schema, a);
	policy.limits.rows = DB_ROWS_MAX + 1; /* one more row reveals truncation */
	return policy;
}

static void add_need(struct strlist *needs, const char *permission, struct arena *a)
{
	for (size_t i = 0; permission && i < needs->count; i++)
		if (strcmp(needs->items[i], permission) == 0)
			return;
	if (permission)
		strlist_add(needs, a, permission);
}

static void add_view_needs(struct strlist *needs, const struct view_def *v,
			   const struct gate_read *read, struct arena *a)
{
	add_need(needs, v->permission, a);
	for (size_t i = 0; i < v->column_count; i++)
		for (const char *const *c = read->columns; *c; c++)
			if (strcmp(v->columns[i].name, *c) == 0)
				add_need(needs, v->columns[i].permission, a);
}

const char *const *catalog_gate_permissions(const struct catalog *c, const struct tool_def *tool,
					    const struct gate_result *checked, struct arena *a)
{
	const struct catalog_impl *w = catalog_impl(c);
	struct strlist needs = {0};

	add_need(&needs, tool->callers.permission, a);
	for (size_t i = 0; i < checked->read_count; i++)
		for (size_t k = 0; k < w->schema.view_count; k++)
			if (strcmp(w->schema.views[k]->name, checked->reads[i].view->name) == 0)
				add_view_needs(&needs, w->schema.views[k], &checked->reads[i], a);
	strlist_add(&needs, a, NULL);
	return needs.items;
}

/* For models that write SQL. Equal for all callers, like schemas. */
const char *ad_hoc_sql_views(const struct loader *l)
{
	const struct catalog_impl *w = l->impl;
	struct buf text;
	const char *copy;

	buf_init(&text, CATALOG_BYTES_MAX);
	for (size_t i = 0; i < w->schema.view_count; i++) {
		const struct view_def *v = w->schema.views[i];

		buf_printf(&text, "\n%s (", v->name);
		for (size_t k = 0; k < v->column_count; k++)
			buf_printf(&text, "%s%s", k ? ", " : "", v->columns[k].name);
		buf_printf(&text, "): %s", v->about);
	}
	copy = arena_strdup(l->arena, buf_text(&text));
	buf_deinit(&text);
	return copy;
}
