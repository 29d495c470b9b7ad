/*
 * The knowledge that turns use: for each list of packs of a tenant, one catalogue and what is
 * derived from it. A reload builds all of it while the current one is in use, and applies nothing
 * before everything is checked. If the files of a list are broken, its tenants keep the current
 * knowledge. A tenant whose list cannot be loaded at all is an error in the configuration.
 */
#include <string.h>

#include "knowledge.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/names.h"
#include "vesper/strlist.h"

struct staged_list {
	struct knowledge_list *list;
	const struct knowledge_list *fallback; /* replaces a list with broken files; or NULL */
};

struct staged_knowledge {
	struct daemon *daemon;
	const struct config *config;
	struct staged_list *lists;
	size_t count;
	struct arena *roles;
	const struct jwt_role *role_list;
};

static void list_free(struct knowledge_list *l)
{
	struct arena *a = l->arena;

	name_refresh_free(&l->names);
	for (size_t i = 0; l->by_tenant && i < l->tenant_count; i++)
		knowledge_unref(&l->by_tenant[i]);
	knowledge_unref(&l->base);
	arena_free(&a);
}

struct knowledge_list *knowledge_list_of(const struct daemon *d, const char *tenant, size_t *at)
{
	for (size_t i = 0; i < d->knowledge.count; i++) {
		struct knowledge_list *l = d->knowledge.lists[i];

		for (*at = 0; *at < l->tenant_count; ++*at)
			if (strcmp(l->tenants[*at], tenant) == 0)
				return l;
	}
	return NULL;
}

static struct knowledge *current_knowledge(const struct daemon *d, const char *tenant)
{
	size_t at;
	const struct knowledge_list *l = knowledge_list_of(d, tenant, &at);

	return l ? l->by_tenant[at] : NULL;
}

/* ---- lists of packs ---- */

static struct knowledge_list *list_with_key(struct knowledge_list *const *lists, size_t count,
					    const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(lists[i]->packs.key, key) == 0)
			return lists[i];
	return NULL;
}

static struct knowledge_list *staged_with_key(const struct staged_knowledge *s, const char *key)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->lists[i].list->packs.key, key) == 0)
			return s->lists[i].list;
	return NULL;
}

static struct knowledge_list *list_new(struct staged_knowledge *s, struct arena *take,
				       const struct pack_list *packs, const char *const *roots)
{
	struct knowledge_list *l = arena_alloc(take, sizeof(*l));

	l->arena = take;
	l->packs = *packs;
	l->roots = roots;
	l->tenants =
		arena_alloc(take, (s->daemon->databases.tenant_count + 1) * sizeof(*l->tenants));
	l->check = arena_printf(take, "packs:%s", packs->key);
	s->lists[s->count++].list = l;
	return l;
}

static bool stage_tenant(struct staged_knowledge *s, const char *tenant, struct err *e)
{
	struct arena *a = arena_new(SETTINGS_BYTES);
	const char *const *roots;
	struct knowledge_list *l;
	struct pack_list packs;

	config_retain(s->config, a);
	if (!databases_read_packs(s->config, s->daemon->root, tenant, a, &roots, &packs, e)) {
		arena_free(&a);
		return false;
	}
	l = staged_with_key(s, packs.key);
	if (l)
		arena_free(&a);
	else
		l = list_new(s, a, &packs, roots);
	l->tenants[l->tenant_count++] = tenant;
	return true;
}

/* ---- one list ---- */

static bool build_base(struct staged_knowledge *s, struct knowledge_list *l, struct err *e)
{
	struct daemon *d = s->daemon;
	struct turn_knowledge k = {.key = l->packs.key};
	struct toolbox_options o = {.loop = d->loop,
				    .sources = &d->sources.table,
				    .documents = uploads_documents(d->knowledge.uploads),
				    .own = uploads_discovery_source(d->knowledge.uploads),
				    .cache = d->cache.store,
				    .store = d->store,
				    .workers = d->tool_workers,
				    .hide_existence =
					    config_bool(s->config, "checks.hide_existence"),
				    .modules = domain_modules,
				    .derivations = domain_derivations};

	if (!catalog_load(l->roots, &l->packs, &k.catalog, e))
		return false;
	catalog_use_switches(k.catalog, d->switches);
	k.nlu = nlu_new(k.catalog);
	o.catalog = k.catalog;
	o.names = nlu_names(k.nlu);
	if (!toolbox_new(&o, &k.tools, e)) {
		nlu_free(&k.nlu);
		catalog_unref(&k.catalog);
		return false;
	}
	l->base = knowledge_new(&k, NULL);
	return true;
}

static const struct catalog *staged_catalog(const struct staged_knowledge *s, size_t list)
{
	return knowledge_get(s->lists[list].list->base)->catalog;
}

static bool use_views(const struct daemon *d, const struct catalog *const *more, size_t count,
		      struct err *e)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const struct catalog **catalogs =
		arena_alloc(a, (d->databases.tenant_count + count + 1) * sizeof(*catalogs));
	size_t n = 0;
	bool done;

	for (size_t i = 0; i < count; i++)
		catalogs[n++] = more[i];
	for (size_t i = 0; i < d->knowledge.count; i++)
		for (size_t t = 0; t < d->knowledge.lists[i]->tenant_count; t++)
			catalogs[n++] = knowledge_get(d->knowledge.lists[i]->by_tenant[t])->catalog;
	done = databases_use_views(&d->sources, catalogs, n, e);
	arena_free(&a);
	return done;
}

bool knowledge_use_views(const struct daemon *d, const struct catalog *more, struct err *e)
{
	return use_views(d, &more, 1, e);
}

/* Allows statements over the views of the current knowledge and of all new lists up to this one. */
static bool use_staged_views(const struct staged_knowledge *s, size_t last, struct err *e)
{
	const struct catalog **catalogs = mem_alloc((last + 1) * sizeof(*catalogs));
	bool done;

	for (size_t i = 0; i <= last; i++)
		catalogs[i] = staged_catalog(s, i);
	done = use_views(s->daemon, catalogs, last + 1, e);
	mem_free(catalogs);
	return done;
}

/* Returns false for an error in the configuration. */
static bool stage_list(struct staged_knowledge *s, size_t list, struct err *e)
{
	struct staged_list *x = &s->lists[list];
	struct daemon *d = s->daemon;
	struct err why = {0};

	if (build_base(s, x->list, &why)) {
		if (use_staged_views(s, list, &why))
			return true;
		knowledge_unref(&x->list->base);
	}
	x->fallback = list_with_key(d->knowledge.lists, d->knowledge.count, x->list->packs.key);
	if (!x->fallback) {
		*e = why;
		return false;
	}
	x->list->base = knowledge_ref(x->fallback->base);
	health_set(x->list->check, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s", why.text);
	log_error("catalog.refused", "%s: the previous version stays in use: %s",
		  x->list->packs.key, why.text);
	return true;
}

static void stage_overlays(const struct staged_knowledge *s, struct knowledge_list *l)
{
	const struct daemon *d = s->daemon;

	l->by_tenant = arena_alloc(l->arena, (l->tenant_count + 1) * sizeof(struct knowledge *));
	for (size_t i = 0; i < l->tenant_count; i++)
		l->by_tenant[i] = overlay_build(d, l->tenants[i], l->base,
						current_knowledge(d, l->tenants[i]));
}

/* ---- all lists ---- */

static bool has_menu(const struct catalog *c, const char *menu)
{
	for (size_t i = 0; i < c->report_count; i++)
		if (strcmp(c->reports[i].menu_key, menu) == 0)
			return true;
	return false;
}

/* A key that no tool links to is a typing error. */
static bool check_pbi(const struct staged_knowledge *s, struct err *e)
{
	const char *menu;
	json_t *unused;

	json_object_foreach((json_t *)config_json(s->config, "pbi.reports"), menu, unused) {
		bool is_known = false;

		for (size_t i = 0; i < s->count; i++)
			is_known = is_known || has_menu(staged_catalog(s, i), menu);
		if (!is_known)
			return err_set(
				e, ERR_INPUT,
				"pbi.reports: %s: unknown menu key; no reports.json of a pack "
				"has it",
				menu);
	}
	return true;
}

static bool stage_roles(struct staged_knowledge *s, struct err *e)
{
	const struct catalog **catalogs;

	s->roles = arena_new(SETTINGS_BYTES);
	catalogs = arena_alloc(s->roles, s->count * sizeof(*catalogs));
	for (size_t i = 0; i < s->count; i++)
		catalogs[i] = staged_catalog(s, i);
	return signin_read_roles(s->config, catalogs, s->count, s->roles, &s->role_list, e);
}

bool knowledge_stage(struct daemon *d, const struct config *c, struct staged_knowledge **out,
		     struct err *e)
{
	struct staged_knowledge *s = mem_alloc(sizeof(*s));
	size_t n = d->databases.tenant_count;
	bool ok = true;

	*s = (struct staged_knowledge){.daemon = d, .config = c};
	s->lists = mem_alloc(n * sizeof(*s->lists));
	*out = s;
	for (size_t i = 0; ok && i < n; i++)
		ok = stage_tenant(s, d->databases.tenant_ids[i], e);
	for (size_t i = 0; ok && i < s->count; i++)
		ok = stage_list(s, i, e);
	for (size_t i = 0; ok && i < s->count; i++)
		stage_overlays(s, s->lists[i].list);
	return ok && check_pbi(s, e) && stage_roles(s, e);
}

void knowledge_discard(struct staged_knowledge **staged)
{
	struct staged_knowledge *s = *staged;

	*staged = NULL;
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		list_free(s->lists[i].list);
	arena_free(&s->roles);
	mem_free(s->lists);
	mem_free(s);
}

/* ---- applying ---- */

static bool has_same_tenants(const struct knowledge_list *a, const struct knowledge_list *b)
{
	if (a->tenant_count != b->tenant_count)
		return false;
	for (size_t i = 0; i < a->tenant_count; i++)
		if (strcmp(a->tenants[i], b->tenants[i]) != 0)
			return false;
	return true;
}

/* Each tenant's names are loaded into the entity index of its own knowledge. */
static void set_name_books(const struct knowledge_list *l)
{
	struct entity_index **indexes = mem_alloc((l->tenant_count + 1) * sizeof(*indexes));

	for (size_t i = 0; i < l->tenant_count; i++)
		indexes[i] = nlu_names(knowledge_get(l->by_tenant[i])->nlu);
	name_refresh_set_indexes(l->names, indexes);
	mem_free(indexes);
}

/* Keeps the loaded names if the list has the same tenants. The old knowledge must still exist. */
static void adopt_names(const struct daemon *d, struct knowledge_list *l)
{
	struct knowledge_list *old =
		list_with_key(d->knowledge.lists, d->knowledge.count, l->packs.key);

	if (!old || !has_same_tenants(old, l) || !old->names)
		return;
	l->names = old->names;
	old->names = NULL;
	name_refresh_set_tenants(l->names, l->tenants);
	set_name_books(l);
}

static void begin_names(const struct daemon *d, struct knowledge_list *l)
{
	if (l->names)
		return;
	l->names = name_refresh_new(
		&(struct name_refresh_options){.loop = d->loop,
					       .sources = &d->sources.table,
					       .tenants = l->tenants,
					       .interval_ms = d->settings.names->interval_ms});
	set_name_books(l);
}

static void add_to_set(const struct daemon *d, struct knowledge_set *set,
		       const struct staged_list *x)
{
	const struct knowledge_list *l = x->list;
	const struct catalog *c = knowledge_get(l->base)->catalog;

	for (size_t i = 0; i < l->tenant_count; i++)
		knowledge_set_add(set, l->tenants[i], l->by_tenant[i]);
	if (x->fallback)
		return;
	health_remove(l->check);
	if (d->knowledge.names_started)
		log_info("catalog.loaded", "%s: %zu tools, %.*s", l->packs.key, c->tool_count,
			 STR_CUT(c->hash, 12));
}

static void lists_free(struct daemon *d, const struct staged_knowledge *next)
{
	for (size_t i = 0; i < d->knowledge.count; i++) {
		if (next && !staged_with_key(next, d->knowledge.lists[i]->packs.key))
			health_remove(d->knowledge.lists[i]->check);
		list_free(d->knowledge.lists[i]);
	}
	mem_free(d->knowledge.lists);
	d->knowledge.lists = NULL;
	d->knowledge.count = 0;
}

void knowledge_use(struct daemon *d, struct staged_knowledge **staged)
{
	struct staged_knowledge *s = *staged;
	struct knowledge_set *set = knowledge_set_new();
	struct knowledge_list **lists = mem_alloc(s->count * sizeof(*lists));

	for (size_t i = 0; i < s->count; i++) {
		adopt_names(d, s->lists[i].list);
		add_to_set(d, set, &s->lists[i]);
		lists[i] = s->lists[i].list;
	}
	lists_free(d, s); /* frees name readers that no list has taken over */
	turns_set_knowledge(d->turns, set);
	d->knowledge.lists = lists;
	d->knowledge.count = s->count;
	identity_set_roles(d->identity, s->role_list);
	arena_free(&d->roles);
	d->roles = s->roles;
	s->roles = NULL;
	s->count = 0;
	knowledge_discard(staged);
	if (d->knowledge.names_started)
		daemon_names_start(d);
}

bool daemon_load_knowledge(struct daemon *d, struct err *e)
{
	struct staged_knowledge *s;
	bool ok = knowledge_stage(d, d->config, &s, e);

	if (ok)
		knowledge_use(d, &s);
	knowledge_discard(&s);
	return ok;
}

const struct turn_knowledge *daemon_knowledge(const struct daemon *d, size_t list, size_t *tenants)
{
	if (list >= d->knowledge.count)
		return NULL;
	*tenants = d->knowledge.lists[list]->tenant_count;
	return knowledge_get(d->knowledge.lists[list]->base);
}

void knowledge_use_for(struct daemon *d, const char *tenant, struct knowledge *k)
{
	size_t at;
	struct knowledge_list *l = knowledge_list_of(d, tenant, &at);
	struct knowledge *previous = l->by_tenant[at];

	l->by_tenant[at] = knowledge_ref(k);
	if (l->names) /* before the old entity index may be freed */
		name_refresh_set_tenant_book(l->names, tenant, nlu_names(knowledge_get(k)->nlu));
	turns_set_tenant_knowledge(d->turns, tenant, k);
	knowledge_unref(&previous);
	if (d->knowledge.names_started)
		daemon_watch_sources(d);
}

void daemon_watch_sources(struct daemon *d)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const char **tenants = arena_alloc(a, (d->databases.tenant_count + 1) * sizeof(*tenants));

	for (size_t s = 0; s < d->sources.table.count; s++) {
		size_t n = 0;

		for (size_t i = 0; i < d->knowledge.count; i++) {
			const struct knowledge_list *l = d->knowledge.lists[i];

			for (size_t t = 0; t < l->tenant_count; t++)
				if (catalog_reads_source(knowledge_get(l->by_tenant[t])->catalog,
							 d->sources.table.items[s]->name))
					tenants[n++] = l->tenants[t];
		}
		tenants[n] = NULL;
		db_watch(d->sources.databases[s], tenants);
	}
	arena_free(&a);
}

/* ---- names ---- */

void daemon_names_start(struct daemon *d)
{
	d->knowledge.names_started = true;
	for (size_t i = 0; i < d->knowledge.count; i++) {
		begin_names(d, d->knowledge.lists[i]);
		name_refresh_set_settings(d->knowledge.lists[i]->names, d->settings.names);
	}
}

void daemon_knowledge_free(struct daemon *d)
{
	overlays_free(d);
	lists_free(d, NULL);
}
