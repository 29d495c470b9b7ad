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
#include "vesper/limits.h"

/* The warehouse, or a source beside it. */
struct database {
	const char *name;    /* "clinic" */
	const char *section; /* of the configuration: "sources.clinic" */
	enum dialect dialect;
	const char *dsn;
	const char *dir;         /* of SQLite files */
	const char *only_tenant; /* NULL: it holds tenants apart itself */
	size_t workers, queue, max_rows;
	int64_t timeout_ms;
	struct db_tenant *tenants; /* that it can serve */
	size_t tenant_count;
};

struct databases {
	struct database *sources; /* first the warehouse, then that of uploads */
	size_t source_count;
	enum dialect store_dialect;
	const char **tenant_ids; /* NULL-ended */
	struct db_tenant *store_tenants;
	size_t tenant_count;
};

/* ERR_INPUT for what can't be meant: a server without a connection string, a SQLite tenant without
 * a file. All memory is in the arena, which must outlive what is opened. */
MUST_CHECK bool databases_read(const struct config *c, struct arena *a, struct databases *out,
			       struct err *e);
const struct database *databases_find(const struct databases *all,
				      const char *source); /* or NULL */

/* What tools read, in the order of the configuration. */
struct open_sources {
	struct source_table table; /* of the items */
	struct source *items[SOURCES_MAX + 2];
	struct db *databases[SOURCES_MAX + 2]; /* of each source */
};
/* Opens those that are not open yet: all of them, or what a later configuration has more, whose
 * first ones must be the same. The arena must outlive them. False: some may be open. */
MUST_CHECK bool databases_open_sources(const struct databases *all, struct loop *l, struct arena *a,
				       struct open_sources *s, struct err *e);
/* From now on statements over the views of these catalogues can be sent. */
MUST_CHECK bool databases_use_views(const struct open_sources *s,
				    const struct catalog *const *catalogs, size_t count,
				    struct err *e);
/* Closes the last ones, so that so many are left. What runs is cancelled. */
void databases_close_sources(struct open_sources *s, size_t left);
MUST_CHECK bool databases_open_store(const struct databases *all, const struct config *c,
				     struct loop *l, struct db **out, struct err *e);

/* The login that writes the tables of uploads. */
MUST_CHECK bool databases_open_loader(const struct databases *all, const struct config *c,
				      struct loop *l, struct db **out, struct err *e);

/* The packs of a tenant (NULL: those that are default), and the roots (NULL-ended) that have them:
 * `root`, then packs.roots. */
MUST_CHECK bool databases_packs(const struct config *c, const char *root, const char *tenant,
				struct arena *a, const char *const **roots, struct pack_list *out,
				struct err *e);

#endif
