/*
 * What questions are read and run with: one catalogue, with what is made from it, for each list of
 * packs that a tenant has. A reload makes all of it beside what is in use, and nothing counts
 * before all of it is checked. Where the files of a list are broken its tenants keep what they
 * have; that a tenant's list can't be had at all is a mistake of the configuration.
 */
#include <string.h>

#include "daemon.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/names.h"

/* The tenants with one list of packs. */
struct knowledge_list {
	struct arena *arena; /* all of it */
	struct pack_list packs;
	const char *const *roots; /* of packs */
	const char **tenants;     /* NULL-ended */
	size_t tenant_count;
	const char *check; /* "packs:core,energy" */
	struct name_refresh *names;
};

struct staged_list {
	struct knowledge_list *list;
	struct turn_knowledge made;           /* catalog NULL: it could not be */
	const struct knowledge_list *instead; /* the list of today that goes on; or NULL */
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
	arena_free(&a);
}

/* ---- which lists there are ---- */

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

	config_keep(s->config, a);
	if (!databases_packs(s->config, s->daemon->root, tenant, a, &roots, &packs, e)) {
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

static bool make(struct staged_knowledge *s, const struct knowledge_list *l,
		 struct turn_knowledge *out, struct err *e)
{
	struct daemon *d = s->daemon;
	struct turn_knowledge k = {.key = l->packs.key};
	struct toolbox_options o = {.loop = d->loop,
				    .sources = &d->sources.table,
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
	k.know = know_new(k.catalog);
	o.catalog = k.catalog;
	o.names = know_names(k.know);
	if (!toolbox_new(&o, &k.tools, e)) {
		know_free(&k.know);
		catalog_unref(&k.catalog);
		return false;
	}
	*out = k;
	return true;
}

static void drop(struct turn_knowledge *k)
{
	toolbox_free(&k->tools);
	know_free(&k->know);
	catalog_unref(&k->catalog);
}

static const struct catalog *catalog_of(const struct daemon *d, const struct knowledge_list *l)
{
	return turns_knowledge(d->turns, l->tenants[0])->catalog;
}

static const struct catalog *staged_catalog(const struct staged_knowledge *s, size_t list)
{
	const struct staged_list *x = &s->lists[list];

	return x->instead ? catalog_of(s->daemon, x->instead) : x->made.catalog;
}

/* Those of what is in use and of all that will be, up to this list. */
static bool use_views(const struct staged_knowledge *s, size_t last, struct err *e)
{
	const struct daemon *d = s->daemon;
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const struct catalog **catalogs =
		arena_alloc(a, (d->knowledge.count + last + 1) * sizeof(*catalogs));
	size_t n = 0;
	bool done;

	for (size_t i = 0; i < d->knowledge.count; i++)
		if (strcmp(d->knowledge.lists[i]->packs.key, s->lists[last].list->packs.key) != 0)
			catalogs[n++] = catalog_of(d, d->knowledge.lists[i]);
	for (size_t i = 0; i <= last; i++)
		catalogs[n++] = staged_catalog(s, i);
	done = databases_use_views(&d->sources, catalogs, n, e);
	arena_free(&a);
	return done;
}

/* False: the configuration is at fault. */
static bool stage_list(struct staged_knowledge *s, size_t list, struct err *e)
{
	struct staged_list *x = &s->lists[list];
	struct daemon *d = s->daemon;
	struct err why = {0};

	if (make(s, x->list, &x->made, &why)) {
		if (use_views(s, list, &why))
			return true;
		drop(&x->made);
	}
	x->made.catalog = NULL;
	x->instead = list_with_key(d->knowledge.lists, d->knowledge.count, x->list->packs.key);
	if (!x->instead) {
		*e = why;
		return false;
	}
	health_set(x->list->check, HEALTH_HELPFUL, HEALTH_DEGRADED, "%s", why.text);
	log_error("catalog.refused", "%s: the old one keeps serving: %s", x->list->packs.key,
		  why.text);
	return true;
}

/* ---- all of them ---- */

static bool has_menu(const struct catalog *c, const char *menu)
{
	for (size_t i = 0; i < c->report_count; i++)
		if (strcmp(c->reports[i].menu_key, menu) == 0)
			return true;
	return false;
}

/* A key that nothing links to is a typing error. */
static bool check_pbi(const struct staged_knowledge *s, struct err *e)
{
	const char *menu;
	json_t *place;

	json_object_foreach((json_t *)config_json(s->config, "pbi.reports"), menu, place) {
		bool known = false;

		for (size_t i = 0; i < s->count; i++)
			known = known || has_menu(staged_catalog(s, i), menu);
		if (!known)
			return err_set(e, ERR_INPUT,
				       "pbi.reports: %s: no report of a pack's reports.json has "
				       "this menu key",
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
	return signin_roles(s->config, catalogs, s->count, s->roles, &s->role_list, e);
}

bool knowledge_stage(struct daemon *d, const struct config *c, struct staged_knowledge **out,
		     struct err *e)
{
	struct staged_knowledge *s = mem_alloc(sizeof(*s));
	size_t n = d->databases.tenant_count;
	bool good = true;

	*s = (struct staged_knowledge){.daemon = d, .config = c};
	s->lists = mem_alloc(n * sizeof(*s->lists));
	*out = s;
	for (size_t i = 0; good && i < n; i++)
		good = stage_tenant(s, d->databases.tenant_ids[i], e);
	for (size_t i = 0; good && i < s->count; i++)
		good = stage_list(s, i, e);
	return good && check_pbi(s, e) && stage_roles(s, e);
}

void knowledge_discard(struct staged_knowledge **staged)
{
	struct staged_knowledge *s = *staged;

	*staged = NULL;
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		if (s->lists[i].made.catalog)
			drop(&s->lists[i].made);
		if (s->lists[i].list)
			list_free(s->lists[i].list);
	}
	arena_free(&s->roles);
	mem_free(s->lists);
	mem_free(s);
}

/* ---- from now on ---- */

static bool same_tenants(const struct knowledge_list *a, const struct knowledge_list *b)
{
	if (a->tenant_count != b->tenant_count)
		return false;
	for (size_t i = 0; i < a->tenant_count; i++)
		if (strcmp(a->tenants[i], b->tenants[i]) != 0)
			return false;
	return true;
}

/* What is known of names goes over where the list has the same tenants. */
static void take_names(const struct daemon *d, struct staged_list *x)
{
	struct knowledge_list *old =
		list_with_key(d->knowledge.lists, d->knowledge.count, x->list->packs.key);

	if (!old || !same_tenants(old, x->list) || !old->names)
		return;
	x->list->names = old->names;
	old->names = NULL;
	name_refresh_for(x->list->names, x->list->tenants);
	if (x->made.catalog) /* takes over from the old knowledge, which the turns may free */
		name_refresh_use(x->list->names, know_names(x->made.know));
}

static void names_begin(struct daemon *d, struct knowledge_list *l)
{
	if (l->names)
		return;
	l->names = name_refresh_new(
		&(struct name_refresh_options){.loop = d->loop,
					       .sources = &d->sources.table,
					       .tenants = l->tenants,
					       .interval_ms = d->settings.names->interval_ms});
	name_refresh_use(l->names, know_names(turns_knowledge(d->turns, l->tenants[0])->know));
}

static void add(const struct daemon *d, struct knowledge_set *set, struct staged_list *x)
{
	const struct knowledge_list *l = x->list;

	if (!x->made.catalog) {
		knowledge_set_keep(set, l->tenants, d->turns, x->instead->tenants[0]);
		return;
	}
	knowledge_set_add(set, l->tenants, &x->made);
	health_remove(l->check);
	if (d->knowledge.names_started)
		log_info("catalog.loaded", "%s: %zu tools, %.*s", l->packs.key,
			 x->made.catalog->tool_count, STR_CUT(x->made.catalog->hash, 12));
	x->made.catalog = NULL;
}

static void lists_free(struct daemon *d, const struct staged_knowledge *now)
{
	for (size_t i = 0; i < d->knowledge.count; i++) {
		if (now && !staged_with_key(now, d->knowledge.lists[i]->packs.key))
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
		take_names(d, &s->lists[i]);
		add(d, set, &s->lists[i]);
		lists[i] = s->lists[i].list;
	}
	lists_free(d, s); /* with those readers of names that no list has taken over */
	turns_use(d->turns, set);
	d->knowledge.lists = lists;
	d->knowledge.count = s->count;
	identity_use_roles(d->identity, s->role_list);
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
	bool good = knowledge_stage(d, d->config, &s, e);

	if (good)
		knowledge_use(d, &s);
	knowledge_discard(&s);
	return good;
}

const struct turn_knowledge *daemon_knowledge(const struct daemon *d, size_t list, size_t *tenants)
{
	if (list >= d->knowledge.count)
		return NULL;
	*tenants = d->knowledge.lists[list]->tenant_count;
	return turns_knowledge(d->turns, d->knowledge.lists[list]->tenants[0]);
}

void daemon_watch_sources(struct daemon *d)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const char **tenants = arena_alloc(a, (d->databases.tenant_count + 1) * sizeof(*tenants));

	for (size_t s = 0; s < d->sources.table.count; s++) {
		size_t n = 0;

		for (size_t i = 0; i < d->knowledge.count; i++) {
			const struct knowledge_list *l = d->knowledge.lists[i];
			bool reads =
				catalog_reads(catalog_of(d, l), d->sources.table.items[s]->name);

			for (size_t t = 0; reads && t < l->tenant_count; t++)
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
		names_begin(d, d->knowledge.lists[i]);
		name_refresh_use_settings(d->knowledge.lists[i]->names, d->settings.names);
	}
}

void daemon_knowledge_free(struct daemon *d)
{
	lists_free(d, NULL);
}
