/*
 * A tenant's additions to the catalogue of its packs (overlay.h). The functions that read a pack's
 * files read them too, so the same rules apply.
 */
#include "schema_int.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/overlay.h"

/* ---- copies ---- */

static void release_json(void *json)
{
	json_decref(json);
}

/* A reference until the arena is freed. NULL gives NULL. */
static const json_t *share_json(const json_t *json, struct arena *a)
{
	if (json)
		arena_defer(a, release_json, json_incref((json_t *)(uintptr_t)json));
	return json;
}

static struct flow_source copy_flow(const struct flow_source *s, struct arena *a)
{
	return (struct flow_source){.path = arena_strdup(a, s->path),
				    .text = arena_strdup(a, s->text),
				    .approval = {.by = arena_strdup(a, s->approval.by),
						 .at = arena_strdup(a, s->approval.at),
						 .version = s->approval.version}};
}

struct catalog_overlay catalog_overlay_copy(const struct catalog_overlay *o, struct arena *a)
{
	struct flow_source *flows = arena_alloc(a, (o->flow_count + 1) * sizeof(*flows));

	for (size_t i = 0; i < o->flow_count; i++)
		flows[i] = copy_flow(&o->flows[i], a);
	return (struct catalog_overlay){.tenant = arena_strdup(a, o->tenant),
					.version = o->version,
					.source = arena_strdup(a, o->source),
					.schema = share_json(o->schema, a),
					.aliases = share_json(o->aliases, a),
					.permissions = strlist_copy(o->permissions, a),
					.flows = flows,
					.flow_count = o->flow_count};
}

bool catalog_overlay_is_empty(const struct catalog_overlay *o)
{
	return json_object_size(o->schema) + json_object_size(o->aliases) + o->flow_count +
		       strlist_len(o->permissions) ==
	       0;
}

/* ---- additions ---- */

static void add_permissions(struct loader *l, const struct catalog_overlay *o)
{
	struct strlist all = {0};

	if (strlist_len(o->permissions) == 0)
		return;
	for (const char *const *p = l->impl->permissions; *p; p++)
		strlist_add(&all, l->arena, *p);
	for (const char *const *p = o->permissions; *p; p++)
		if (!strlist_has(all.items, *p))
			strlist_add(&all, l->arena, *p);
	l->impl->permissions = all.items;
}

static bool add_schema(struct loader *l, const struct catalog_overlay *o, struct err *e)
{
	static const char *const members[] = {"views",   "entities",   "edges",
					      "chains",  "dimensions", "measures",
					      "metrics", "conditions", NULL};
	const json_t *root = share_json(o->schema, l->arena); /* the schema refers to its strings */
	const json_t *entities = json_object_get(root, "entities");

	return !root || (json_check_members(root, members, e) &&
			 schema_load_views(l, json_object_get(root, "views"), e) &&
			 schema_load_entities(l, entities, e) &&
			 schema_load_dimensions(l, json_object_get(root, "dimensions"), e) &&
			 schema_load_edges(l, json_object_get(root, "edges"), e) &&
			 schema_load_chains(l, json_object_get(root, "chains"), e) &&
			 schema_load_measures(l, json_object_get(root, "measures"), e) &&
			 schema_load_metrics(l, json_object_get(root, "metrics"), e) &&
			 schema_load_conditions(l, json_object_get(root, "conditions"), e) &&
			 schema_finish_entities(l, entities, e) && schema_imply_metrics(l, e));
}

static void add_fault(struct loader *l, const char *path, const char *why)
{
	struct catalog_impl *w = l->impl;

	w->overlay.faults[w->overlay.fault_count++] =
		(struct flow_fault){path, arena_strdup(l->arena, why)};
}

static bool read_flow(const struct loader *l, const struct flow_source *source,
		      struct flow_def *out, struct err *e)
{
	const struct catalog *c = &l->impl->public;
	const struct flow_def *same;

	if (strlen(source->text) > FLOW_BYTES_MAX)
		return err_set(e, ERR_LIMIT, "%s:1: more than %d bytes", source->path,
			       FLOW_BYTES_MAX);
	if (!flow_read(c, l->pack->name, source->path, source->text, l->arena, out, e))
		return false;
	same = catalog_flow(c, out->name);
	return !same || err_set(e, ERR_INPUT, "%s:1: flow %s is already defined in %s",
				source->path, out->name, same->path);
}

/* The list has room for all flows. */
static void add_flow(struct loader *l, const struct flow_source *from)
{
	struct catalog *c = &l->impl->public;
	struct flow_source source = copy_flow(from, l->arena);
	struct flow_def *f = (struct flow_def *)&c->flows[c->flow_count];
	struct err why = {0};

	if (c->flow_count - l->impl->overlay.base->flow_count == OVERLAY_FLOWS_MAX) {
		add_fault(l, source.path, "the tenant has too many flows");
	} else if (!read_flow(l, &source, f, &why)) {
		*f = (struct flow_def){0};
		add_fault(l, source.path, why.text);
	} else {
		f->own = true;
		f->approval = source.approval;
		f->approval.fingerprint = flow_fingerprint(c, f, l->arena);
		f->index = c->flow_count++;
	}
}

static bool add_aliases(struct loader *l, const struct catalog_overlay *o, struct err *e)
{
	json_t *root = (json_t *)share_json(o->aliases, l->arena), *array;
	const char *name;

	json_object_foreach(root, name, array)
		if (!schema_add_aliases(l, name, array, e))
			return err_prefix(e, "aliases");
	return true;
}

static bool add_all(struct loader *l, const struct catalog_overlay *const *overlays, size_t count,
		    struct err *e)
{
	struct pack_def *pack = arena_alloc(l->arena, sizeof(*pack));

	/* Contains a space, so it is never the name of a pack. */
	pack->name = arena_printf(l->arena, "tenant %s", overlays[0]->tenant);
	l->pack = pack;
	for (size_t i = 0; i < count; i++) {
		pack->source = arena_strdup(l->arena, overlays[i]->source);
		add_permissions(l, overlays[i]);
		if (!add_schema(l, overlays[i], e) || !add_aliases(l, overlays[i], e))
			return false;
	}
	for (size_t i = 0; i < count; i++) /* after all overlays, since flows may use any of them */
		for (size_t f = 0; f < overlays[i]->flow_count; f++)
			add_flow(l, &overlays[i]->flows[f]);
	return true;
}

/* ---- catalogue ---- */

/* Copies the list with a capacity that schema_push expects. */
static void *copy_list(struct arena *a, const void *list, size_t count)
{
	size_t capacity = 1;
	void *own;

	while (capacity < count)
		capacity *= 2;
	own = arena_alloc(a, capacity * sizeof(void *));
	if (count > 0)
		memcpy(own, list, count * sizeof(void *));
	return own;
}

static void copy_schema(struct arena *a, struct schema *s)
{
	s->views = copy_list(a, s->views, s->view_count);
	s->entities = copy_list(a, s->entities, s->entity_count);
	s->edges = copy_list(a, s->edges, s->edge_count);
	s->chains = copy_list(a, s->chains, s->chain_count);
	s->measures = copy_list(a, s->measures, s->measure_count);
	s->metrics = copy_list(a, s->metrics, s->metric_count);
	s->conditions = copy_list(a, s->conditions, s->condition_count);
	s->plain = copy_list(a, s->plain, s->plain_count);
}

static void *copy_items(struct arena *a, const void *items, size_t count, size_t more, size_t bytes)
{
	void *own = arena_alloc(a, (count + more + 1) * bytes);

	if (count > 0)
		memcpy(own, items, count * bytes);
	return own;
}

/* Flows and aliases do not change results of statements, so they do not change the hash. Cached
 * results and receipts depend on the hash. */
static const char *hash_of(const struct catalog *base,
			   const struct catalog_overlay *const *overlays, size_t count,
			   struct arena *a)
{
	char hash[HASH_HEX_BYTES];
	bool same = true;
	struct buf b;

	buf_init(&b, CATALOG_BYTES_MAX);
	buf_printf(&b, "%s\n%s\n", base->hash, overlays[0]->tenant);
	for (size_t i = 0; i < count; i++) {
		const json_t *views = json_object_get(overlays[i]->schema, "views");
		char *text = views ? json_text(views) : NULL;

		buf_printf(&b, "%s\n%s\n", overlays[i]->source ? overlays[i]->source : "",
			   text ? text : "");
		same = same && !views;
		mem_free(text);
	}
	hash_sha256_hex(b.p, b.n, hash);
	buf_deinit(&b);
	return same ? base->hash : arena_strdup(a, hash);
}

static size_t count_flows(const struct catalog_overlay *const *overlays, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += overlays[i]->flow_count;
	return n;
}

bool catalog_with_overlays(struct catalog *base, const struct catalog_overlay *const *overlays,
			   size_t count, struct catalog **out, struct err *e)
{
	struct arena *a = arena_new(CATALOG_BYTES_MAX);
	struct catalog_impl *w = arena_alloc(a, sizeof(*w));
	struct loader l = {.arena = a, .impl = w, .dimension_cap = base->dimension_count};
	struct catalog *catalog = &w->public;
	size_t flows = count_flows(overlays, count);

	*w = *catalog_impl(base);
	w->arena = a;
	atomic_init(&w->refs, 1);
	w->overlay.base = catalog_ref(base);
	w->overlay.faults = arena_alloc(a, (flows + 1) * sizeof(*w->overlay.faults));
	copy_schema(a, &w->schema);
	w->public.dimensions = copy_items(a, base->dimensions, base->dimension_count, 0,
					  sizeof(*base->dimensions));
	w->public.flows = copy_items(a, base->flows, base->flow_count, flows, sizeof(*base->flows));
	w->public.hash = hash_of(base, overlays, count, a);
	if (!add_all(&l, overlays, count, e)) {
		catalog_unref(&catalog);
		return false;
	}
	*out = catalog;
	return true;
}

size_t catalog_flow_faults(const struct catalog *c, const struct flow_fault **out)
{
	*out = catalog_impl(c)->overlay.faults;
	return catalog_impl(c)->overlay.fault_count;
}
