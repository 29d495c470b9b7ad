/*
 * The databases and tenants that a configuration names, for all programs that open them: vesperd,
 * and vesperctl where it runs a tool.
 */
#ifndef VESPER_DATABASES_H
#define VESPER_DATABASES_H

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/config.h"
#include "vesper/db.h"
#include "vesper/err.h"

struct databases {
	enum dialect warehouse_dialect, store_dialect;
	const char **tenant_ids; /* NULL-ended */
	struct db_tenant *warehouse_tenants, *store_tenants;
	size_t tenant_count;
};

/* ERR_INPUT for what can't be meant: a server without a connection string, a SQLite tenant without
 * a file. All memory is in the arena, which must outlive what is opened. */
MUST_CHECK bool databases_read(const struct config *c, struct arena *a, struct databases *out,
			       struct err *e);

/* What tools read. The table lies in the arena. */
struct open_sources {
	struct source_table table;
	struct db *warehouse;
};
MUST_CHECK bool databases_open_sources(const struct databases *all, const struct config *c,
				       struct loop *l, struct arena *a, struct open_sources *out,
				       struct err *e);
/* What runs is cancelled. */
void databases_close_sources(struct open_sources *s);
MUST_CHECK bool databases_open_store(const struct databases *all, const struct config *c,
				     struct loop *l, struct db **out, struct err *e);

/* The packs of a tenant (NULL: those that are default), and the roots (NULL-ended) that have them:
 * `root`, then packs.roots. */
MUST_CHECK bool databases_packs(const struct config *c, const char *root, const char *tenant,
				struct arena *a, const char *const **roots, struct pack_list *out,
				struct err *e);

#endif
