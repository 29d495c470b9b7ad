/*
 * Opens the databases of a configuration. A tenant is a file on SQLite and a value of the
 * connection on a server. Its configuration must be complete, or the start fails.
 */
#include "databases.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/sql_upload.h"
#include "vesper/upload.h"

#define TENANTS_MAX    256
#define SOURCE_WORKERS 4
#define LOADER_WORKERS 2 /* one load per tenant, and deletions meanwhile */

static bool make_folder(const char *path, struct err *e)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST) {
		if (access(path, W_OK | X_OK) == 0)
			return true;
		return err_set(e, ERR_INPUT,
			       "%s is not writable; set data_dir to a writable folder", path);
	}
	return err_set(e, ERR_INPUT, "cannot create folder %s: %s", path, strerror(errno));
}

/* Worker threads open connections later, so paths are made absolute. */
static const char *absolute_path(struct arena *a, const char *path)
{
	char cwd[4096];

	if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
		return path;
	return arena_printf(a, "%s/%s", cwd, path);
}

static const char *data_dir(const struct config *c, struct arena *a)
{
	return absolute_path(a, config_text(c, "data_dir"));
}

static bool parse_dialect(const char *section, const char *text, const char *dsn, enum dialect *out,
			  struct err *e)
{
	if (!dialect_parse(text, out))
		return err_set(e, ERR_INPUT,
			       "%s.dialect: must be mssql, postgres or sqlite, not \"%s\"", section,
			       text);
	if (*out != DIALECT_SQLITE && !*dsn)
		return err_set(e, ERR_INPUT,
			       "%s.dialect is %s, so %s.dsn must be an ODBC connection string",
			       section, text, section);
	return true;
}

/* ---- the warehouse and other sources ---- */

static bool read_warehouse(const struct config *c, struct arena *a, struct database *out,
			   struct err *e)
{
	const char *dir = config_text(c, "warehouse.dir");

	*out = (struct database){
		.name = SOURCE_WAREHOUSE,
		.section = "warehouse",
		.dsn = config_text(c, "warehouse.dsn"),
		.dir = *dir ? absolute_path(a, dir)
			    : arena_printf(a, "%s/warehouse", data_dir(c, a)),
		.workers = (size_t)config_int(c, "warehouse.workers"),
		.queue = (size_t)config_int(c, "warehouse.queue"),
		.max_rows = (size_t)config_int(c, "warehouse.max_rows"),
		.timeout_ms = config_int(c, "warehouse.query_timeout_ms"),
	};
	if (!parse_dialect("warehouse", config_text(c, "warehouse.dialect"), out->dsn,
			   &out->dialect, e))
		return false;
	if (out->dialect != DIALECT_SQLITE && *dir)
		return err_set(
			e, ERR_INPUT,
			"warehouse.dir requires the dialect sqlite, but warehouse.dialect is %s",
			dialect_name(out->dialect));
	return true;
}

static int64_t int_or(const json_t *source, const char *name, int64_t fallback)
{
	const json_t *value = json_object_get(source, name);

	return value ? json_integer_value(value) : fallback;
}

static const char *text_or(const json_t *source, const char *name, const char *fallback)
{
	const char *text = json_string_value(json_object_get(source, name));

	return text ? text : fallback;
}

static bool read_source(const struct config *c, const char *name, const json_t *source,
			struct arena *a, struct database *out, struct err *e)
{
	const char *dir = text_or(source, "dir", "");

	*out = (struct database){
		.name = name,
		.section = arena_printf(a, "sources.%s", name),
		.dsn = text_or(source, "dsn", ""),
		.dir = *dir ? absolute_path(a, dir)
			    : arena_printf(a, "%s/sources/%s", data_dir(c, a), name),
		.only_tenant = text_or(source, "only_tenant", ""),
		.workers = (size_t)int_or(source, "workers", SOURCE_WORKERS),
		.queue = (size_t)int_or(source, "queue", DB_QUEUE_MAX),
		.max_rows = (size_t)int_or(source, "max_rows", DB_ROWS_MAX),
		.timeout_ms = int_or(source, "query_timeout_ms", DB_QUERY_TIMEOUT_MS),
	};
	if (!*out->only_tenant)
		out->only_tenant = NULL;
	if (!parse_dialect(out->section, text_or(source, "dialect", "sqlite"), out->dsn,
			   &out->dialect, e))
		return false;
	if (out->dialect != DIALECT_SQLITE && *dir)
		return err_set(e, ERR_INPUT,
			       "%s.dir requires the dialect sqlite, but %s.dialect is %s",
			       out->section, out->section, dialect_name(out->dialect));
	if (out->only_tenant && !json_object_get(config_json(c, "tenants"), out->only_tenant))
		return err_set(e, ERR_INPUT, "%s.only_tenant: tenant %s is not configured",
			       out->section, out->only_tenant);
	return true;
}

static bool read_sources(const struct config *c, struct arena *a, struct databases *all,
			 struct err *e)
{
	const json_t *sources = config_json(c, "sources");
	const char *name;
	json_t *source;

	all->sources = arena_alloc(a, (json_object_size(sources) + 2) * sizeof(*all->sources));
	if (!read_warehouse(c, a, &all->sources[0], e))
		return false;
	if (!read_source(c, SOURCE_UPLOADS, json_object_get(sources, SOURCE_UPLOADS), a,
			 &all->sources[1], e))
		return false;
	all->source_count = 2;
	json_object_foreach((json_t *)sources, name, source)
		if (strcmp(name, SOURCE_UPLOADS) != 0 &&
		    !read_source(c, name, source, a, &all->sources[all->source_count++], e))
			return false;
	return true;
}

/* ---- tenants ---- */

/* A tenant's file is named by the tenant map, never derived from the tenant's id. */
static bool read_file(const struct database *d, const char *id, const json_t *tenant,
		      struct arena *a, struct db_tenant *out, struct err *e)
{
	bool is_warehouse = strcmp(d->name, SOURCE_WAREHOUSE) == 0;
	const json_t *value =
		is_warehouse ? json_object_get(tenant, "warehouse")
			     : json_object_get(json_object_get(tenant, "sources"), d->name);
	const char *file = json_string_value(value);

	*out = (struct db_tenant){.id = id};
	if (d->dialect != DIALECT_SQLITE)
		return true;
	if (!file && is_warehouse)
		return err_set(e, ERR_INPUT,
			       "tenants.%s: \"warehouse\" must name the tenant's SQLite file", id);
	out->file = file ? arena_printf(a, "%s/%s", d->dir, file)
			 : arena_printf(a, "%s/%s.db", d->dir, id);
	return true;
}

/* Rejects a file that two tenants would share. */
static bool check_files(const struct database *d, struct err *e)
{
	for (size_t i = 0; i < d->tenant_count; i++)
		for (size_t k = 0; d->tenants[i].file && k < i; k++)
			if (strcmp(d->tenants[i].file, d->tenants[k].file) == 0)
				return err_set(e, ERR_INPUT, "%s: tenants %s and %s share a file",
					       d->section, d->tenants[k].id, d->tenants[i].id);
	return true;
}

static bool read_files(const struct config *c, struct arena *a, struct database *d, struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	const char *id;
	json_t *tenant;

	d->tenants = arena_alloc(a, json_object_size(tenants) * sizeof(*d->tenants));
	json_object_foreach((json_t *)tenants, id, tenant) {
		if (d->only_tenant && strcmp(d->only_tenant, id) != 0)
			continue;
		if (!read_file(d, id, tenant, a, &d->tenants[d->tenant_count++], e))
			return false;
	}
	return check_files(d, e);
}

static bool check_names(const struct databases *all, const char *id, const json_t *tenant,
			struct err *e)
{
	const char *name;
	json_t *file;

	json_object_foreach(json_object_get(tenant, "sources"), name, file)
		if (!databases_find(all, name) || strcmp(name, SOURCE_WAREHOUSE) == 0)
			return err_set(
				e, ERR_INPUT,
				"tenants.%s.sources: source %s is not configured under sources", id,
				name);
	return true;
}

static bool read_store_file(const struct databases *all, const char *id, const json_t *tenant,
			    const char *folder, struct arena *a, struct db_tenant *out,
			    struct err *e)
{
	const char *file = json_string_value(json_object_get(tenant, "store"));

	*out = (struct db_tenant){.id = id};
	if (all->store_dialect != DIALECT_SQLITE)
		return true;
	if (!file)
		return err_set(e, ERR_INPUT,
			       "tenants.%s: \"store\" must name the tenant's SQLite file", id);
	out->file = arena_printf(a, "%s/%s", folder, file);
	return true;
}

static bool read_tenants(const struct config *c, struct arena *a, struct databases *all,
			 struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	size_t n = json_object_size(tenants), i = 0;
	const char *store = arena_printf(a, "%s/store", data_dir(c, a));
	const char *id;
	json_t *tenant;

	if (n == 0 || n > TENANTS_MAX)
		return err_set(e, ERR_INPUT, "tenants: configure 1 to %d tenants, not %zu",
			       TENANTS_MAX, n);
	all->tenant_ids = arena_alloc(a, sizeof(char *) * (n + 1));
	all->store_tenants = arena_alloc(a, sizeof(struct db_tenant) * n);
	json_object_foreach((json_t *)tenants, id, tenant) {
		if (!check_names(all, id, tenant, e) ||
		    !read_store_file(all, id, tenant, store, a, &all->store_tenants[i], e))
			return false;
		all->tenant_ids[i++] = id;
	}
	all->tenant_count = n;
	for (i = 0; i < all->source_count; i++)
		if (!read_files(c, a, &all->sources[i], e))
			return false;
	return true;
}

bool databases_read(const struct config *c, struct arena *a, struct databases *out, struct err *e)
{
	struct databases all = {0};

	if (!read_sources(c, a, &all, e) ||
	    !parse_dialect("store", config_text(c, "store.dialect"), config_text(c, "store.dsn"),
			   &all.store_dialect, e) ||
	    !read_tenants(c, a, &all, e))
		return false;
	*out = all;
	return true;
}

const struct database *databases_find(const struct databases *all, const char *source)
{
	for (size_t i = 0; i < all->source_count; i++)
		if (strcmp(all->sources[i].name, source) == 0)
			return &all->sources[i];
	return NULL;
}

/* ---- opening ---- */

/* Identifies the data of a cached result, because a cache may be shared with a program that reads
 * other data. */
static const char *source_identity(const struct database *d, struct arena *a)
{
	if (d->dialect == DIALECT_SQLITE)
		return d->dir;
	return arena_printf(a, "%s\n%s", dialect_name(d->dialect), d->dsn);
}

static bool open_source(const struct database *d, struct loop *l, struct db **out, struct err *e)
{
	const struct db_options o = {
		.name = d->name,
		.dialect = d->dialect,
		.dsn = d->dsn,
		.read_only = true,
		.workers = d->workers,
		.queue = d->queue,
		.max_rows = d->max_rows,
		.timeout_ms = d->timeout_ms,
		.tenants = d->tenants,
		.tenant_count = d->tenant_count,
		.one_tenant = d->only_tenant != NULL,
	};

	return db_open(l, &o, out, e);
}

bool databases_open_sources(const struct databases *all, struct loop *l, struct arena *a,
			    struct open_sources *s, struct err *e)
{
	if (all->source_count > SOURCES_MAX + 2)
		return err_set(e, ERR_INPUT,
			       "sources: at most %d sources are allowed; removed sources count "
			       "until a restart",
			       SOURCES_MAX);
	s->table.items = s->items;
	for (size_t i = s->table.count; i < all->source_count; i++) {
		const struct database *d = &all->sources[i];

		if (!open_source(d, l, &s->databases[i], e))
			return false;
		s->items[i] = db_source(s->databases[i], d->name, source_identity(d, a));
		s->table.count++;
	}
	return true;
}

static bool has_name(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(list[i], name) == 0)
			return true;
	return false;
}

/* Each schema once, in the order of the catalogues. No view reads the passages of documents, so
 * their schema is added. */
static const char *const *schemas_of(const struct catalog *const *catalogs, size_t count,
				     const char *source, struct arena *a)
{
	const char **all = arena_alloc(a, (DB_SCHEMAS_MAX + 2) * sizeof(*all));
	size_t n = 0; /* one more than allowed is enough for the error */

	if (strcmp(source, SOURCE_UPLOADS) == 0)
		all[n++] = UPLOAD_SCHEMA;
	for (size_t i = 0; i < count; i++)
		for (const char *const *s = catalog_schemas(catalogs[i], source, a);
		     *s && n <= DB_SCHEMAS_MAX; s++)
			if (!has_name(all, n, *s))
				all[n++] = *s;
	all[n] = NULL;
	return all;
}

bool databases_use_views(const struct open_sources *s, const struct catalog *const *catalogs,
			 size_t count, struct err *e)
{
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	bool done = true;

	for (size_t i = 0; done && i < s->table.count; i++)
		done = db_use_schemas(s->databases[i],
				      schemas_of(catalogs, count, s->table.items[i]->name, a), e);
	arena_free(&a);
	return done;
}

void databases_close_sources(struct open_sources *s, size_t keep_count)
{
	while (s->table.count > keep_count) {
		size_t last = --s->table.count;

		db_close(&s->databases[last]);
		s->items[last]->close(s->items[last]);
	}
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
		.queue = (size_t)config_int(c, "store.queue"),
		.max_rows = DB_ROWS_MAX,
		.timeout_ms = config_int(c, "store.query_timeout_ms"),
		.transaction_idle_ms = STORE_TX_IDLE_MS,
		.tenants = all->store_tenants,
		.tenant_count = all->tenant_count,
	};
	bool done = all->store_dialect != DIALECT_SQLITE ||
		    (make_folder(data_dir(c, a), e) &&
		     make_folder(arena_printf(a, "%s/store", data_dir(c, a)), e));

	arena_free(&a);
	return done && db_open(l, &o, out, e);
}

/* Creates the folders of this database; all others must exist. */
bool databases_open_loader(const struct databases *all, const struct config *c, struct loop *l,
			   struct db **out, struct err *e)
{
	const struct database *d = databases_find(all, SOURCE_UPLOADS);
	const struct db_options o = {
		.name = "loader",
		.dialect = d->dialect,
		.dsn = config_text(c, "uploads.loader_dsn"),
		.create = true,
		.low_priority = true,
		.workers = LOADER_WORKERS,
		.queue = d->queue,
		.max_rows = DB_ROWS_MAX,
		.timeout_ms = d->timeout_ms,
		.tenants = d->tenants,
		.tenant_count = d->tenant_count,
	};
	struct arena *a = arena_new(TURN_ARENA_BYTES);
	bool done = d->dialect != DIALECT_SQLITE ||
		    (make_folder(data_dir(c, a), e) &&
		     make_folder(arena_printf(a, "%s/sources", data_dir(c, a)), e) &&
		     make_folder(d->dir, e));

	arena_free(&a);
	if (done && d->dialect != DIALECT_SQLITE && !*o.dsn)
		return err_set(
			e, ERR_INPUT,
			"sources.uploads.dialect is %s, so uploads.loader_dsn must be the ODBC "
			"connection string of the login that writes uploads",
			dialect_name(d->dialect));
	return done && db_open(l, &o, out, e);
}

/* ---- packs ---- */

static const char *const *text_list(const json_t *list, const char *first, struct arena *a)
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

/* Sources that serve only one tenant, each followed by that tenant. */
static const char *const *one_tenant_sources(const struct config *c, struct arena *a)
{
	const json_t *sources = config_json(c, "sources");
	const char **list = arena_alloc(a, (2 * json_object_size(sources) + 1) * sizeof(*list));
	const char *name;
	json_t *source;
	size_t n = 0;

	json_object_foreach((json_t *)sources, name, source) {
		const char *tenant = text_or(source, "only_tenant", "");

		if (!*tenant)
			continue;
		list[n++] = arena_strdup(a, name);
		list[n++] = arena_strdup(a, tenant);
	}
	list[n] = NULL;
	return list;
}

bool databases_read_packs(const struct config *c, const char *root, const char *tenant,
			  struct arena *a, const char *const **roots, struct pack_list *out,
			  struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	const json_t *list =
		json_object_get(tenant ? json_object_get(tenants, tenant) : NULL, "packs");
	struct packs *packs;

	*roots = text_list(config_json(c, "packs.roots"), root, a);
	if (!packs_read(*roots, a, &packs, e))
		return false;
	if (!packs_list(packs, list ? text_list(list, NULL, a) : NULL, a, out, e))
		return err_prefix(
			e, "%s: tenants.%s.packs",
			config_location(c, "tenants",
					arena_printf(a, "%s.packs", tenant ? tenant : "*"), a),
			tenant ? tenant : "*");
	out->one_tenant = one_tenant_sources(c, a);
	return true;
}
