/* Users' uploads as a part of the process: databases, folder and overlays. */
#include "daemon.h"

#include <string.h>

#include "vesper/embed.h"
#include "vesper/limits.h"
#include "vesper/log.h"

#define DAY_MS INT64_C(86400000)

static void use_overlay(void *owner, const struct catalog_overlay *o,
			void (*done)(void *owner, const struct err *e), void *done_owner)
{
	daemon_use_overlay(owner, OVERLAY_DATA, o, done, done_owner);
}

static struct catalog *catalog_of(void *owner, const char *tenant)
{
	const struct daemon *d = owner;

	return turns_knowledge(d->turns, tenant)->catalog;
}

static struct llm *llm_of(void *owner)
{
	return ((const struct daemon *)owner)->llm;
}

static struct op *reach(void *owner, const struct principal *who, const char *text, struct arena *a,
			void (*cb)(void *cb_owner, const struct find_reach *reach), void *cb_owner)
{
	return uploads_reach(owner, who, text, a, cb, cb_owner);
}

bool daemon_open_uploads(struct daemon *d, struct err *e)
{
	const char *dir = config_text(d->config, "uploads.spool_dir");
	struct uploads_options o = {
		.loop = d->loop,
		.store = d->store,
		.reader = source_find(&d->sources.table, SOURCE_UPLOADS),
		.streams = d->streams,
		.spool_dir = *dir ? dir
				  : arena_printf(d->arena, "%s/spool",
						 config_text(d->config, "data_dir")),
		.tenants = databases_find(&d->databases, SOURCE_UPLOADS)->tenants,
		.tenant_count = databases_find(&d->databases, SOURCE_UPLOADS)->tenant_count,
		.turn_ms = config_int(d->config, "llm.timeouts_ms.turn") + UPLOADS_TURN_MARGIN_MS,
		.retention_ms = config_int(d->config, "uploads.retention_days") * DAY_MS,
		.max_bytes = config_int(d->config, "uploads.max_bytes"),
		.tenant_bytes = config_int(d->config, "uploads.tenant_bytes"),
		.index_bytes = config_int(d->config, "documents.index_bytes"),
		.embed_bytes = config_int(d->config, "embed.max_bytes"),
		.embed_min_hundredths = config_int(d->config, "embed.least_percent"),
		.llm = llm_of,
		.use = use_overlay,
		.catalog = catalog_of,
		.owner = d,
	};

	if (!databases_open_loader(&d->databases, d->config, d->loop, &d->knowledge.loader, e))
		return false;
	o.loader = d->knowledge.loader;
	if (!uploads_new(&o, &d->knowledge.uploads, e))
		return false;
	if (!embed_model(d->llm))
		log_info("uploads.vectors", "llm.roles.embed is not set: documents are searched by "
					    "words only");
	turns_set_documents(d->turns, &(struct turn_documents){reach, d->knowledge.uploads});
	return true;
}
