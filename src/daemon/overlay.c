/*
 * The overlays of tenants: additions to their packs (overlay.h). Each part of an overlay has one
 * owner, who replaces it as a whole. A worker builds the catalogue with all parts, one change of a
 * tenant at a time. The new catalogue replaces the previous one between two turns. A reload of the
 * packs builds it again from the new packs.
 */
#include <inttypes.h>
#include <string.h>

#include "knowledge.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/pool.h"

/* A new version of one part, as requested by its owner. */
struct overlay_change {
	struct list node;
	enum overlay_part part;
	struct arena *arena; /* holds the overlay */
	struct catalog_overlay overlay;
	overlay_cb done;
	void *owner;
};

/* The parts that are not empty. Borrowed from their changes. */
struct overlay_parts {
	const struct catalog_overlay *items[OVERLAY_PARTS];
	size_t count;
	uint64_t version; /* the sum of their versions */
};

struct overlay_job {
	struct pool_job job; /* first member */
	struct tenant_overlay *overlay;
	struct overlay_parts parts;
	struct knowledge *base; /* a reference */
	struct turn_knowledge built;
	int64_t build_us;
	bool ok;
	struct err err;
};

struct tenant_overlay {
	struct list node;
	struct daemon *daemon;
	char *tenant;
	char *check;                                 /* health check: "overlay:TENANT" */
	struct overlay_change *parts[OVERLAY_PARTS]; /* in use; NULL: empty */
	struct list changes;                         /* struct overlay_change, oldest first */
	struct overlay_job *job;                     /* NULL: no job runs */
};

struct overlays {
	struct list tenants;
	struct pool *pool;
	bool ending;
};

static struct tenant_overlay *find(const struct daemon *d, const char *tenant)
{
	if (!d->knowledge.overlays)
		return NULL;
	list_each(node, &d->knowledge.overlays->tenants) {
		struct tenant_overlay *t = list_item(node, struct tenant_overlay, node);

		if (strcmp(t->tenant, tenant) == 0)
			return t;
	}
	return NULL;
}

static struct tenant_overlay *find_or_add(struct daemon *d, const char *tenant)
{
	struct tenant_overlay *t = find(d, tenant);

	if (t)
		return t;
	if (!d->knowledge.overlays) {
		d->knowledge.overlays = mem_alloc(sizeof(*d->knowledge.overlays));
		list_init(&d->knowledge.overlays->tenants);
		d->knowledge.overlays->pool = pool_new(d->loop, "overlays", 1);
	}
	t = mem_alloc(sizeof(*t));
	*t = (struct tenant_overlay){.daemon = d,
				     .tenant = mem_strdup(tenant),
				     .check = mem_printf("overlay:%s", tenant)};
	list_init(&t->changes);
	list_append(&d->knowledge.overlays->tenants, &t->node);
	return t;
}

static void change_free(struct overlay_change *c)
{
	if (!c)
		return;
	arena_free(&c->arena);
	mem_free(c);
}

/* ---- build ---- */

/* The parts in use, with `change` (or NULL) in place of its part. */
static struct overlay_parts collect_parts(const struct tenant_overlay *t,
					  const struct overlay_change *change)
{
	struct overlay_parts all = {0};

	for (int part = 0; part < OVERLAY_PARTS; part++) {
		const struct overlay_change *c =
			change && change->part == (enum overlay_part)part ? change : t->parts[part];

		if (!c || catalog_overlay_is_empty(&c->overlay))
			continue;
		all.items[all.count++] = &c->overlay;
		all.version += c->overlay.version;
	}
	return all;
}

/* Any thread. */
static bool build(const struct turn_knowledge *base, const struct overlay_parts *parts,
		  struct turn_knowledge *out, struct err *e)
{
	struct turn_knowledge k = {0};

	if (!catalog_with_overlays(base->catalog, parts->items, parts->count, &k.catalog, e))
		return false;
	k.nlu = nlu_with_overlay(base->nlu, k.catalog);
	k.tools = toolbox_with_overlay(base->tools, k.catalog, nlu_names(k.nlu));
	*out = k;
	return true;
}

static void free_built(struct turn_knowledge *k)
{
	toolbox_free(&k->tools);
	nlu_free(&k->nlu);
	catalog_unref(&k->catalog);
}

static void log_faults(const struct tenant_overlay *t, const struct catalog *c)
{
	const struct flow_fault *faults;
	size_t n = catalog_flow_faults(c, &faults);

	for (size_t i = 0; i < n; i++)
		log_warn("overlay.flow", "tenant %s: flow %s is skipped: %s", t->tenant,
			 faults[i].path, faults[i].why);
}

static struct knowledge *new_knowledge(const struct tenant_overlay *t, struct turn_knowledge *take,
				       const struct overlay_parts *parts, struct knowledge *base)
{
	char *key =
		mem_printf("%s+%s@%" PRIu64, knowledge_get(base)->key, t->tenant, parts->version);
	struct knowledge *k;

	log_faults(t, take->catalog);
	take->key = key;
	k = knowledge_new(take, base);
	mem_free(key);
	return k;
}

/* ---- reload ---- */

struct knowledge *overlay_build(const struct daemon *d, const char *tenant, struct knowledge *base,
				struct knowledge *current)
{
	const struct tenant_overlay *t = find(d, tenant);
	struct overlay_parts parts = t ? collect_parts(t, NULL) : (struct overlay_parts){0};
	struct turn_knowledge built;
	struct err e = {0};

	if (parts.count == 0)
		return knowledge_ref(base);
	if (build(knowledge_get(base), &parts, &built, &e)) {
		health_remove(t->check);
		return new_knowledge(t, &built, &parts, base);
	}
	health_set(t->check, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s", e.text);
	log_error(
		"overlay.refused",
		"tenant %s: the overlay does not fit the new packs; the old packs stay in use: %s",
		tenant, e.text);
	return knowledge_ref(current); /* built from the old packs */
}

/* ---- changes ---- */

static void begin_next(struct tenant_overlay *t);

static void run_job(struct pool_job *job)
{
	struct overlay_job *j = (struct overlay_job *)job;

	j->build_us = clock_mono_us();
	j->ok = j->parts.count == 0 || build(knowledge_get(j->base), &j->parts, &j->built, &j->err);
	j->build_us = clock_mono_us() - j->build_us;
}

static void apply(struct tenant_overlay *t, struct knowledge *k, int64_t build_us)
{
	struct daemon *d = t->daemon;

	if (turns_knowledge(d->turns, t->tenant) == knowledge_get(k))
		return; /* still no overlay */
	knowledge_use_for(d, t->tenant, k);
	health_remove(t->check);
	log_info("overlay.used", "tenant %s now uses %s, built in %.1f ms", t->tenant,
		 knowledge_get(k)->key, (double)build_us / 1000);
}

/* Ends the first change and begins the next. e NULL: its part is in use now; else the owner gets *e
 * and the part stays as it was. */
static void end_change(struct tenant_overlay *t, const struct err *e)
{
	struct overlay_change *c = list_item(t->changes.next, struct overlay_change, node);
	overlay_cb done = c->done;
	void *owner = c->owner;

	list_remove(&c->node);
	if (e) {
		change_free(c);
	} else {
		change_free(t->parts[c->part]);
		t->parts[c->part] = c;
	}
	begin_next(t);
	if (done)
		done(owner, e);
}

/* True if the packs were reloaded while the job ran. */
static bool is_outdated(const struct overlay_job *j)
{
	size_t at;

	return knowledge_list_of(j->overlay->daemon, j->overlay->tenant, &at)->base != j->base;
}

static bool use_new_views(struct overlay_job *j)
{
	return j->ok && (!j->built.catalog ||
			 knowledge_use_views(j->overlay->daemon, j->built.catalog, &j->err));
}

static void end_job(struct overlay_job *j)
{
	struct tenant_overlay *t = j->overlay;
	struct knowledge *k;

	t->job = NULL;
	if (is_outdated(j)) {
		begin_next(t);
		return;
	}
	if (!use_new_views(j)) {
		end_change(t, &j->err);
		return;
	}
	k = j->built.catalog ? new_knowledge(t, &j->built, &j->parts, j->base)
			     : knowledge_ref(j->base);
	j->built = (struct turn_knowledge){0};
	apply(t, k, j->build_us);
	knowledge_unref(&k);
	end_change(t, NULL);
}

static void on_job(struct pool_job *job)
{
	struct overlay_job *j = (struct overlay_job *)job;

	if (!j->overlay->daemon->knowledge.overlays->ending)
		end_job(j);
	free_built(&j->built);
	knowledge_unref(&j->base);
	mem_free(j);
}

static void begin_next(struct tenant_overlay *t)
{
	const struct overlay_change *change;
	struct knowledge *base;
	struct overlay_job *j;
	size_t at;

	if (list_empty(&t->changes) || t->job)
		return;
	base = knowledge_list_of(t->daemon, t->tenant, &at)->base;
	change = list_item(t->changes.next, struct overlay_change, node);
	j = mem_alloc(sizeof(*j));
	*j = (struct overlay_job){.job = {.run = run_job, .done = on_job},
				  .overlay = t,
				  .parts = collect_parts(t, change),
				  .base = knowledge_ref(base)};
	t->job = j;
	pool_submit(t->daemon->knowledge.overlays->pool, &j->job);
}

void daemon_use_overlay(struct daemon *d, enum overlay_part part, const struct catalog_overlay *o,
			overlay_cb done, void *owner)
{
	struct tenant_overlay *t = find_or_add(d, o->tenant);
	struct overlay_change *c = mem_alloc(sizeof(*c));

	*c = (struct overlay_change){
		.part = part, .arena = arena_new(CATALOG_BYTES_MAX), .done = done, .owner = owner};
	c->overlay = catalog_overlay_copy(o, c->arena);
	list_append(&t->changes, &c->node);
	begin_next(t);
}

/* ---- shutdown ---- */

static void overlay_free(struct tenant_overlay *t)
{
	list_each_safe(node, &t->changes) {
		list_remove(node);
		change_free(list_item(node, struct overlay_change, node));
	}
	for (int part = 0; part < OVERLAY_PARTS; part++)
		change_free(t->parts[part]);
	list_remove(&t->node);
	mem_free(t->tenant);
	mem_free(t->check);
	mem_free(t);
}

void overlays_free(struct daemon *d)
{
	struct overlays *all = d->knowledge.overlays;

	if (!all)
		return;
	all->ending = true;
	pool_free(&all->pool);
	list_each_safe(node, &all->tenants)
		overlay_free(list_item(node, struct tenant_overlay, node));
	mem_free(all);
	d->knowledge.overlays = NULL;
}
