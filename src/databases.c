/*
 * From configuration to open databases. A tenant is a file of its own on SQLite and a value of the
 * connection on a server; which one it is must be said completely, or nothing starts.
 */
#include "databases.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define TENANTS_MAX 256

static bool make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST) {
		if (access(path, W_OK | X_OK) == 0)
			return true;
		return err_set(e, ERR_INPUT, "%s is not writable: set data_dir to a folder that is",
			       path);
	}
	return err_set(e, ERR_INPUT, "%s cannot be made: %s", path, strerror(errno));
}

/* Connections are opened by worker threads later: their files are named from the root. */
static const char *absolute(struct arena *a, const char *path)
{
	char here[4096];

	if (*path == '/' || !getcwd(here, sizeof(here)))
		return path;
	return arena_printf(a, "%s/%s", here, path);
}

static const char *data_dir(const struct config *c, struct arena *a)
{
	return absolute(a, config_text(c, "data_dir"));
}

static const char *warehouse_dir(const struct config *c, struct arena *a)
{
	const char *dir = config_text(c, "warehouse.dir");

	return *dir ? absolute(a, dir) : arena_printf(a, "%s/warehouse", data_dir(c, a));
}

static bool read_dialect(const struct config *c, const char *section, struct arena *a,
			 enum dialect *out, struct err *e)
{
	const char *dialect = config_text(c, arena_printf(a, "%s.dialect", section));
	const char *dsn = config_text(c, arena_printf(a, "%s.dsn", section));

	if (!dialect_parse(dialect, out))
		return err_set(e, ERR_INPUT,
			       "%s.dialect: \"%s\" is none of mssql, postgres, sqlite", section,
			       dialect);
	if (*out != DIALECT_SQLITE && !*dsn)
		return err_set(e, ERR_INPUT,
			       "%s.dialect is %s: %s.dsn must be its ODBC connection string",
			       section, dialect, section);
	return true;
}

/* A file of the tenant, from the tenant map and never from the id. */
static bool read_tenant(const struct databases *all, const char *id, const json_t *tenant,
			const char *section, const char *folder, struct arena *a,
			struct db_tenant *out, struct err *e)
{
	bool is_store = strcmp(section, "store") == 0;
	enum dialect dialect = is_store ? all->store_dialect : all->warehouse_dialect;
	const char *file = json_string_value(json_object_get(tenant, section));

	*out = (struct db_tenant){.id = id};
	if (dialect != DIALECT_SQLITE)
		return true;
	if (!file)
		return err_set(e, ERR_INPUT, "tenants.%s: \"%s\" must name its SQLite file", id,
			       section);
	out->file = arena_printf(a, "%s/%s", folder, file);
	return true;
}

static bool read_tenants(const struct config *c, struct arena *a, struct databases *all,
			 struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	size_t n = json_object_size(tenants), i = 0;
	const char *warehouse = warehouse_dir(c, a);
	const char *store = arena_printf(a, "%s/store", data_dir(c, a));
	const char *id;
	json_t *tenant;

	if (n == 0 || n > TENANTS_MAX)
		return err_set(e, ERR_INPUT, "tenants: 1 to %d are wanted, %zu are given",
			       TENANTS_MAX, n);
	all->tenant_ids = arena_alloc(a, sizeof(char *) * (n + 1));
	all->warehouse_tenants = arena_alloc(a, sizeof(struct db_tenant) * n);
	all->store_tenants = arena_alloc(a, sizeof(struct db_tenant) * n);
	json_object_foreach((json_t *)tenants, id, tenant) {
		if (!read_tenant(all, id, tenant, "warehouse", warehouse, a,
				 &all->warehouse_tenants[i], e) ||
		    !read_tenant(all, id, tenant, "store", store, a, &all->store_tenants[i], e))
			return false;
		all->tenant_ids[i++] = id;
	}
	all->tenant_count = n;
	return true;
}

bool databases_read(const struct config *c, struct arena *a, struct databases *out, struct err *e)
{
	struct databases all = {0};

	if (!read_dialect(c, "warehouse", a, &all.warehouse_dialect, e) ||
	    !read_dialect(c, "store", a, &all.store_dialect, e) || !read_tenants(c, a, &all, e))
		return false;
	if (all.warehouse_dialect != DIALECT_SQLITE && config_is_set(c, "warehouse.dir"))
		return err_set(e, ERR_INPUT, "warehouse.dir is for sqlite, warehouse.dialect is %s",
			       dialect_name(all.warehouse_dialect));
	*out = all;
	return true;
}

/* Which data a cached result is of: a cache may be shared with a program that reads other data. */
static const char *identity_of(const struct databases *all, const struct config *c, struct arena *a)
{
	if (all->warehouse_dialect == DIALECT_SQLITE)
		return warehouse_dir(c, a);
	return arena_printf(a, "%s\n%s", dialect_name(all->warehouse_dialect),
			    config_text(c, "warehouse.dsn"));
}

bool databases_open_sources(const struct databases *all, const struct config *c, struct loop *l,
			    struct arena *a, struct open_sources *out, struct err *e)
{
	const struct db_options o = {
		.name = SOURCE_WAREHOUSE,
		.dialect = all->warehouse_dialect,
		.dsn = config_text(c, "warehouse.dsn"),
		.read_only = true,
		.workers = (size_t)config_int(c, "warehouse.workers"),
		.queue = (size_t)config_int(c, "warehouse.queue"),
		.max_rows = (size_t)config_int(c, "warehouse.max_rows"),
		.timeout_ms = config_int(c, "warehouse.query_timeout_ms"),
		.tenants = all->warehouse_tenants,
		.tenant_count = all->tenant_count,
	};
	struct source **items = arena_alloc(a, sizeof(struct source *));

	if (!db_open(l, &o, &out->warehouse, e))
		return false;
	items[0] = db_source(out->warehouse, o.name, identity_of(all, c, a));
	out->table = (struct source_table){items, 1};
	return true;
}

void databases_close_sources(struct open_sources *s)
{
	db_close(&s->warehouse);
	for (size_t i = 0; i < s->table.count; i++)
		s->table.items[i]->close(s->table.items[i]);
	*s = (struct open_sources){0};
}

bool databases_open_store(const struct databases *all, const struct config *c, struct loop *l,
			  struct db **out, struct err *e)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	const struct db_options o = {
		.name = "store",
		.dialect = all->store_dialect,
		.dsn = config_text(c, "store.dsn"),
		.create = true,
		.full_sync = strcmp(config_text(c, "store.synchronous"), "full") == 0,
		.workers = (size_t)config_int(c, "store.workers"),
		.queue = (size_t)config_int(c, "warehouse.queue"),
		.max_rows = DB_ROWS_MAX,
		.timeout_ms = config_int(c, "warehouse.query_timeout_ms"),
		.tenants = all->store_tenants,
		.tenant_count = all->tenant_count,
	};
	bool done = all->store_dialect != DIALECT_SQLITE ||
		    (make_folder(data_dir(c, a), e) &&
		     make_folder(arena_printf(a, "%s/store", data_dir(c, a)), e));

	arena_free(&a);
	return done && db_open(l, &o, out, e);
}

/* ---- packs ---- */

static const char *const *texts_of(const json_t *list, const char *first, struct arena *a)
{
	const char **texts = arena_alloc(a, (json_array_size(list) + 2) * sizeof(*texts));
	size_t n = 0, i;
	const json_t *item;

	if (first)
		texts[n++] = first;
	json_array_foreach(list, i, item)
		texts[n++] = json_string_value(item);
	texts[n] = NULL;
	return texts;
}

bool databases_packs(const struct config *c, const char *root, const char *tenant, struct arena *a,
		     const char *const **roots, struct pack_list *out, struct err *e)
{
	const json_t *all = config_json(c, "tenants");
	const json_t *named =
		json_object_get(tenant ? json_object_get(all, tenant) : NULL, "packs");
	struct packs *packs;

	*roots = texts_of(config_json(c, "packs.roots"), root, a);
	if (!packs_read(*roots, a, &packs, e))
		return false;
	return packs_list(packs, named ? texts_of(named, NULL, a) : NULL, a, out, e) ||
	       err_prefix(e, "tenants.%s.packs", tenant ? tenant : "*");
}
