/* Opens the configured databases for a verb as the daemon would, without a port and without
 * models. */
#include "ctl_app.h"

#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "vesper/domain.h"
#include "vesper/limits.h"
#include "vesper/names.h"

#define NAMES_ROUND_MS 3600000 /* long, because only the first round matters */

bool ctl_app_init(struct ctl_app *o, struct err *e)
{
	o->arena = arena_new(TURN_ARENA_BYTES);
	return ctl_config(o->arena, &o->config, e) &&
	       databases_read(o->config, o->arena, &o->databases, e) && loop_new(&o->loop, e);
}

bool ctl_app_open_tools(struct ctl_app *o, const char *tenant, struct err *e)
{
	struct toolbox_options options = {.modules = domain_modules,
					  .derivations = domain_derivations};

	const struct catalog *catalog;

	if (!databases_open_sources(&o->databases, o->loop, o->arena, &o->sources, e) ||
	    !ctl_load_catalog(o->config, tenant, &o->catalog, e))
		return false;
	catalog = o->catalog;
	if (!databases_use_views(&o->sources, &catalog, 1, e))
		return false;
	o->nlu = nlu_new(o->catalog);
	options.loop = o->loop;
	options.catalog = o->catalog;
	options.names = nlu_names(o->nlu);
	options.sources = &o->sources.table;
	return toolbox_new(&options, &o->tools, e);
}

static void on_round(void *owner)
{
	loop_stop(owner);
}

bool ctl_app_load_names(struct loop *l, const struct open_sources *sources, struct nlu *k,
			const char *tenant, struct err *e)
{
	const char *tenants[] = {tenant, NULL};
	struct name_refresh *refresh =
		name_refresh_new(&(struct name_refresh_options){.loop = l,
								.sources = &sources->table,
								.tenants = tenants,
								.interval_ms = NAMES_ROUND_MS});

	name_refresh_on_round(refresh, on_round, l);
	name_refresh_set_index(refresh, nlu_names(k));
	loop_run(l);
	name_refresh_free(&refresh);
	return entity_index_loaded(nlu_names(k), tenant) ||
	       err_set_retry(
		       e, ERR_UPSTREAM,
		       "the names in the data of \"%s\" could not be loaded, and without them "
		       "questions are misread: check its sources and try again",
		       tenant);
}

bool ctl_app_open_store(struct ctl_app *o, struct err *e)
{
	for (size_t i = 0; i < o->databases.tenant_count; i++) {
		const char *file = o->databases.store_tenants[i].file;

		if (file && access(file, R_OK) != 0)
			return err_set(e, ERR_NOT_FOUND, "tenant %s has no store at %s",
				       o->databases.tenant_ids[i], file);
	}
	return databases_open_store(&o->databases, o->config, o->loop, &o->stored, e) &&
	       store_new(o->loop, o->stored, ctl_root(), &o->store, e);
}

void ctl_app_close(struct ctl_app *o)
{
	store_free(&o->store);
	toolbox_free(&o->tools);
	nlu_free(&o->nlu);
	catalog_unref(&o->catalog);
	db_close(&o->stored);
	databases_close_sources(&o->sources, 0);
	loop_free(&o->loop);
	config_free(&o->config);
	arena_free(&o->arena);
}

bool ctl_app_has_tenant(const struct ctl_app *o, const char *tenant)
{
	for (size_t i = 0; i < o->databases.tenant_count; i++)
		if (strcmp(o->databases.tenant_ids[i], tenant) == 0)
			return true;
	return false;
}
