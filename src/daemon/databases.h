/*
 * The databases and tenants of a configuration, for all programs that open them: vesperd, and
 * vesperctl when it runs a tool.
 */
#ifndef VESPER_DATABASES_H
#define VESPER_DATABASES_H

#include "vesper/arena.h"
#include "vesper/catalog.h"
#include "vesper/config.h"
#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/limits.h"

/* The warehouse, or another source. */
struct database {
	const char *name;    /* "clinic" */
	const char *section; /* of the configuration: "sources.clinic" */
	enum dialect dialect;
	const char *dsn;
	const char *dir;         /* folder of SQLite files */
	const char *only_tenant; /* NULL: the source separates tenants itself */
	size_t workers, queue, max_rows;
	int64_t timeout_ms;
	struct db_tenant *tenants; /* the tenants that it can serve */
	size_t tenant_count;
};

struct databases {
	struct database *sources; /* the warehouse first, then the source of uploads */
	size_t source_count;
	enum dialect store_dialect;
	const char **tenant_ids; /* NULL-terminated */
	struct db_tenant *store_tenants;
	size_t tenant_count;
};

/* ERR_INPUT: an incomplete configuration, such as a server without a connection string, or a SQLite
 * tenant without a file. All memory is in the arena, which must outlive what is opened. */
MUST_CHECK bool databases_read(const struct config *c, struct arena *a, struct databases *out,
			       struct err *e);
const struct database *databases_find(const struct databases *all,
				      const char *source); /* NULL: not found */

/* The sources that tools read, in the order of the configuration. */
struct open_sources {
	struct source_table table; /* refers to the items */
	struct source *items[SOURCES_MAX + 2];
	struct db *databases[SOURCES_MAX + 2]; /* by source */
};
/* Opens the sources that are not open yet. After a reload, `all` must list the open sources first,
 * in the same order. The arena is borrowed; it must outlive the sources. Returns false on an error;
 * some sources may be open then. */
MUST_CHECK bool databases_open_sources(const struct databases *all, struct loop *l, struct arena *a,
				       struct open_sources *s, struct err *e);
/* Allows statements over the views of these catalogues. */
MUST_CHECK bool databases_use_views(const struct open_sources *s,
				    const struct catalog *const *catalogs, size_t count,
				    struct err *e);
/* Closes the last sources, so that `keep_count` remain. Running statements are cancelled. */
void databases_close_sources(struct open_sources *s, size_t keep_count);
MUST_CHECK bool databases_open_store(const struct databases *all, const struct config *c,
				     struct loop *l, struct db **out, struct err *e);

/* Opens the uploads database with the login that may write its tables. */
MUST_CHECK bool databases_open_loader(const struct databases *all, const struct config *c,
				      struct loop *l, struct db **out, struct err *e);

/* The packs of a tenant (NULL: the default packs), and the roots that contain them
 * (NULL-terminated): `root`, then packs.roots. */
MUST_CHECK bool databases_read_packs(const struct config *c, const char *root, const char *tenant,
				     struct arena *a, const char *const **roots,
				     struct pack_list *out, struct err *e);

#endif
