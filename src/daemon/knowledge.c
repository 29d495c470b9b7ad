/*
 * What questions are read and run with: one catalogue, with what is made from it, for each list of
 * packs that a tenant has. A reload goes list by list, so that a broken pack is felt by none but
 * the tenants that have it.
 */
#include <string.h>

#include "daemon.h"
#include "vesper/domain.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/names.h"

/* The tenants with one list of packs. */
struct knowledge_list {
	struct pack_list packs;
	const char **tenants; /* NULL-ended */
	size_t tenant_count;
	const char *check; /* "packs:core,energy" */
	struct name_refresh *names;
};

static struct knowledge_list *list_of(struct daemon *d, const struct pack_list *packs)
{
	struct knowledge_list *l;

	for (size_t i = 0; i < d->list_count; i++)
		if (strcmp(d->lists[i].packs.key, packs->key) == 0)
			return &d->lists[i];
	l = &d->lists[d->list_count++];
	l->packs = *packs;
	l->tenants = arena_alloc(d->arena, (d->databases.tenant_count + 1) * sizeof(char *));
	l->check = arena_printf(d->arena, "packs:%s", packs->key);
	return l;
}

static bool read_lists(struct daemon *d, struct err *e)
{
	size_t n = d->databases.tenant_count;

	d->lists = arena_alloc(d->arena, n * sizeof(*d->lists));
	for (size_t i = 0; i < n; i++) {
		const char *tenant = d->databases.tenant_ids[i];
		struct knowledge_list *l;
		struct pack_list packs;

		if (!databases_packs(d->config, d->root, tenant, d->arena, &d->roots, &packs, e))
			return false;
		l = list_of(d, &packs);
		l->tenants[l->tenant_count++] = tenant;
	}
	return true;
}

/* ---- one list ---- */

static bool load(struct daemon *d, const struct knowledge_list *l, struct turn_knowledge *out,
		 struct err *e)
{
	struct turn_knowledge k = {.tenants = l->tenants};
	struct toolbox_options o = {.loop = d->loop,
				    .sources = &d->sources.table,
				    .cache = d->cache,
				    .store = d->store,
				    .workers = d->tool_workers,
				    .hide_existence =
					    config_bool(d->config, "checks.hide_existence"),
				    .modules = domain_modules,
				    .derivations = domain_derivations};

	if (!catalog_load(d->roots, &l->packs, &k.catalog, e))
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

static void use(struct daemon *d, struct knowledge_list *l, struct turn_knowledge *take)
{
	if (l->names) /* takes over from the old knowledge, which the turns may free */
		name_refresh_use(l->names, know_names(take->know));
	turns_use(d->turns, take);
}

static bool has_menu(const struct catalog *c, const char *menu)
{
	for (size_t i = 0; i < c->report_count; i++)
		if (strcmp(c->reports[i].menu_key, menu) == 0)
			return true;
	return false;
}

/* ---- all of them ---- */

/* A key that nothing links to is a typing error. */
static bool check_pbi(const struct daemon *d, const struct turn_knowledge *all, struct err *e)
{
	const char *menu;
	json_t *place;

	json_object_foreach((json_t *)config_json(d->config, "pbi.reports"), menu, place) {
		bool known = false;

		for (size_t i = 0; i < d->list_count; i++)
			known = known || has_menu(all[i].catalog, menu);
		if (!known)
			return err_set(e, ERR_INPUT,
				       "pbi.reports: %s: no report of a pack's reports.json has "
				       "this menu key",
				       menu);
	}
	return true;
}

static bool use_roles(struct daemon *d, const struct turn_knowledge *all, struct err *e)
{
	const struct catalog **catalogs = arena_alloc(d->arena, d->list_count * sizeof(*catalogs));

	for (size_t i = 0; i < d->list_count; i++)
		catalogs[i] = all[i].catalog;
	return daemon_use_roles(d, catalogs, d->list_count, e);
}

static bool use_views(const struct daemon *d, const struct turn_knowledge *all, struct err *e)
{
	const struct catalog **catalogs = arena_alloc(d->arena, d->list_count * sizeof(*catalogs));

	for (size_t i = 0; i < d->list_count; i++)
		catalogs[i] = all[i].catalog;
	return databases_use_views(&d->sources, catalogs, d->list_count, e);
}

bool daemon_load_knowledge(struct daemon *d, struct err *e)
{
	struct turn_knowledge *all;
	size_t n = 0;
	bool good = read_lists(d, e);

	all = arena_alloc(d->arena, (d->list_count + 1) * sizeof(*all));
	while (good && n < d->list_count) {
		good = load(d, &d->lists[n], &all[n], e);
		n += good;
	}
	good = good && check_pbi(d, all, e) && use_roles(d, all, e) && use_views(d, all, e);
	for (size_t i = 0; i < n; i++) {
		if (good)
			use(d, &d->lists[i], &all[i]);
		else
			drop(&all[i]);
	}
	return good;
}

const struct turn_knowledge *daemon_knowledge(const struct daemon *d, size_t list, size_t *tenants)
{
	if (list >= d->list_count)
		return NULL;
	*tenants = d->lists[list].tenant_count;
	return turns_knowledge(d->turns, d->lists[list].tenants[0]);
}

static const struct catalog *catalog_of(const struct daemon *d, const struct knowledge_list *l)
{
	return turns_knowledge(d->turns, l->tenants[0])->catalog;
}

/* Beside the views of the lists that stay as they are. */
static bool use_views_of(const struct daemon *d, const struct knowledge_list *l,
			 const struct catalog *c, struct err *e)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const struct catalog **catalogs = arena_alloc(a, d->list_count * sizeof(*catalogs));
	bool done;

	for (size_t i = 0; i < d->list_count; i++)
		catalogs[i] = &d->lists[i] == l ? c : catalog_of(d, &d->lists[i]);
	done = databases_use_views(&d->sources, catalogs, d->list_count, e);
	arena_free(&a);
	return done;
}

static bool load_usable(struct daemon *d, const struct knowledge_list *l,
			struct turn_knowledge *out, struct err *e)
{
	if (!load(d, l, out, e))
		return false;
	if (use_views_of(d, l, out->catalog, e))
		return true;
	drop(out);
	return false;
}

static void reload(struct daemon *d, struct knowledge_list *l)
{
	struct turn_knowledge k;
	struct err e = {0};

	if (!load_usable(d, l, &k, &e)) {
		health_set(l->check, HEALTH_HELPFUL, HEALTH_DEGRADED, "%s", e.text);
		log_error("catalog.refused", "%s: the old one keeps serving: %s", l->packs.key,
			  e.text);
		return;
	}
	use(d, l, &k);
	health_remove(l->check);
	log_info("catalog.loaded", "%s: %zu tools, %.*s", l->packs.key, k.catalog->tool_count,
		 STR_CUT(k.catalog->hash, 12));
}

void daemon_reload(struct daemon *d)
{
	const struct catalog **catalogs = arena_alloc(d->arena, d->list_count * sizeof(*catalogs));
	struct err e = {0};

	for (size_t i = 0; i < d->list_count; i++) {
		reload(d, &d->lists[i]);
		catalogs[i] = catalog_of(d, &d->lists[i]);
	}
	if (!daemon_use_roles(d, catalogs, d->list_count, &e))
		log_error("catalog.refused", "roles stay as they were: %s", e.text);
	daemon_watch_sources(d);
}

void daemon_watch_sources(struct daemon *d)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const char **tenants = arena_alloc(a, (d->databases.tenant_count + 1) * sizeof(*tenants));

	for (size_t s = 0; s < d->sources.table.count; s++) {
		size_t n = 0;

		for (size_t i = 0; i < d->list_count; i++) {
			const struct knowledge_list *l = &d->lists[i];
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
	for (size_t i = 0; i < d->list_count; i++) {
		struct knowledge_list *l = &d->lists[i];

		l->names = name_refresh_new(&(struct name_refresh_options){
			.loop = d->loop,
			.sources = &d->sources.table,
			.tenants = l->tenants,
			.interval_ms = (uint64_t)config_int(d->config, "names.refresh_s") * 1000});
		name_refresh_use(l->names,
				 know_names(turns_knowledge(d->turns, l->tenants[0])->know));
	}
}

void daemon_names_stop(struct daemon *d)
{
	for (size_t i = 0; i < d->list_count; i++)
		name_refresh_free(&d->lists[i].names);
}
