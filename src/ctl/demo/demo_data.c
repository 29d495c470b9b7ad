/*
 * Creates the files of the demo tenants under a temporary name, then renames them. The version in
 * the file header identifies generator and schema: an outdated file is created again, and a current
 * one is kept.
 */
#include "demo_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "demo_int.h"
#include "server/ddl.h"
#include "vesper/arena.h"
#include "vesper/file.h"
#include "vesper/limits.h"

/* Increased with every change of the data. */
#define DEMO_VERSION 1

const char *const demo_tenant_ids[DEMO_TENANT_COUNT] = {
	[DEMO_VESPER] = "vesper",
	[DEMO_ACME] = "acme",
};

/* The value of PRAGMA user_version: positive, and different for each schema. */
static int file_version(const char *schema, bool small)
{
	return (int)(demo_hash(DEMO_VERSION + (small ? 1000 : 0), schema) & 0x7fffffff) | 1;
}

bool demo_warehouse_write(const struct demo_db *db, struct err *err)
{
	return demo_prices_write(db, err) && demo_usage_write(db, err) &&
	       demo_projects_write(db, err) && demo_schedule_write(db, err);
}

static bool is_current(const char *path, int version)
{
	sqlite3 *handle = NULL;
	sqlite3_stmt *stmt = NULL;
	bool current =
		sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(handle, "PRAGMA user_version", -1, &stmt, NULL) == SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0) == version;
	sqlite3_finalize(stmt);
	sqlite3_close(handle);
	return current;
}

static bool run_sql(const struct demo_db *db, const char *sql, const char *operation,
		    struct err *err)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return demo_set_sql_error(db->handle, operation, err);
	return true;
}

static bool write_tenant(const struct demo_db *db, struct err *err)
{
	char *sql =
		sqlite3_mprintf("INSERT INTO vesper_tenant (tenant_id) VALUES (%Q)", db->tenant_id);
	bool done = run_sql(db, sql, "tenant", err);
	sqlite3_free(sql);
	return done;
}

/*
 * ANALYZE keeps a LIKE on curves from scanning all prices first. VACUUM fills the pages,
 * since appending leaves an eighth of each one free.
 */
static bool compact(const struct demo_db *db, struct err *err)
{
	return run_sql(db, "PRAGMA analysis_limit = 400; ANALYZE", "analyze", err) &&
	       run_sql(db, "VACUUM", "vacuum", err);
}

/* Needs no crash safety: no reader knows the temporary name. */
static bool fill_database(const struct demo_db *db, const char *schema, demo_write_fn *write,
			  int version, struct err *err)
{
	char version_sql[64];
	snprintf(version_sql, sizeof(version_sql), "PRAGMA user_version = %d", version);
	return run_sql(db,
		       "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		       "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384; BEGIN",
		       "begin", err) &&
	       run_sql(db, schema, "schema", err) && write_tenant(db, err) && write(db, err) &&
	       run_sql(db, version_sql, "version", err) && run_sql(db, "COMMIT", "commit", err) &&
	       compact(db, err);
}

/* The data must reach the disk before the rename does. */
static bool publish(const char *temporary, const char *path, struct err *err)
{
	int fd = open(temporary, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && fsync(fd) == 0;
	int error_code = errno;
	if (fd >= 0)
		close(fd);
	if (!synced)
		return err_set(err, ERR_INTERNAL, "%s: %s", temporary, strerror(error_code));
	if (rename(temporary, path) != 0)
		return err_set(err, ERR_INTERNAL, "%s: %s", path, strerror(errno));
	return true;
}

static bool make_file(const char *schema, demo_write_fn *write, int version, const char *path,
		      const char *temporary, struct demo_db *db, struct err *err)
{
	if (unlink(temporary) != 0 && errno != ENOENT) /* left by an interrupted run */
		return err_set(err, ERR_INPUT, "%s: %s", temporary, strerror(errno));
	bool done;
	if (sqlite3_open_v2(temporary, &db->handle,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		done = err_set(err, ERR_INPUT, "%s: %s", temporary, sqlite3_errmsg(db->handle));
	else
		done = fill_database(db, schema, write, version, err);
	sqlite3_close(db->handle);
	done = done && publish(temporary, path, err);
	if (!done)
		unlink(temporary);
	return done;
}

static bool make_tenant(const char *schema, demo_write_fn *write, const char *dir,
			struct demo_db *db, struct arena *arena, struct err *err)
{
	const char *path = arena_printf(arena, "%s/%s.db", dir, db->tenant_id);
	const char *temporary = arena_printf(arena, "%s.new", path);
	int version = file_version(schema, db->small);

	return is_current(path, version) ||
	       make_file(schema, write, version, path, temporary, db, err);
}

/* The lock ends with the descriptor, even if the process is killed. A second run waits here and
 * then finds current files. */
static bool lock_folder(const char *dir, int *lock, struct err *err)
{
	*lock = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0)
		return err_set(err, ERR_INPUT, "%s: %s", dir, strerror(errno));
	return flock(*lock, LOCK_EX) == 0 ||
	       err_set(err, ERR_INTERNAL, "%s: %s", dir, strerror(errno));
}

bool demo_data_make(const char *schema_sql_path, const char *dir, bool small, struct err *err)
{
	struct arena *arena = arena_new(2 * SQL_FILE_BYTES_MAX);
	const char *schema;
	int lock = -1;
	bool done = lock_folder(dir, &lock, err) &&
		    file_read(schema_sql_path, SQL_FILE_BYTES_MAX, arena, &schema, err);

	for (int i = 0; done && i < DEMO_TENANT_COUNT; i++) {
		struct demo_db db = {.small = small,
				     .tenant = (enum demo_tenant)i,
				     .tenant_id = demo_tenant_ids[i]};
		done = make_tenant(schema, demo_warehouse_write, dir, &db, arena, err);
	}
	arena_free(&arena);
	if (lock >= 0)
		close(lock);
	return done;
}

/* Reads a description of tables and converts it to SQL for SQLite. */
static bool read_schema(const char *source, const char *path, struct arena *arena, const char **out,
			struct err *err)
{
	const char *text;
	struct ddl *ddl;
	struct buf sql;

	if (!file_read(path, JSON_FILE_BYTES_MAX, arena, &text, err) ||
	    !ddl_read(path, text, arena, &ddl, err))
		return false;
	buf_init(&sql, CATALOG_BYTES_MAX);
	ddl_write(ddl, source, DIALECT_SQLITE, &sql);
	*out = arena_strdup(arena, buf_text(&sql));
	buf_deinit(&sql);
	return true;
}

bool demo_data_make_source(const char *source, const char *tables_path, const char *dir, bool small,
			   struct err *err)
{
	const struct demo_source *source_def = demo_source_find(source);
	struct arena *arena = arena_new(CATALOG_BYTES_MAX);
	const char *schema;
	int lock = -1;
	bool done = lock_folder(dir, &lock, err) &&
		    read_schema(source, tables_path, arena, &schema, err);

	for (const char *const *tenant = source_def->files; done && *tenant; tenant++) {
		struct demo_db db = {.small = small, .tenant_id = *tenant};

		done = make_tenant(schema, source_def->write, dir, &db, arena, err);
	}
	arena_free(&arena);
	if (lock >= 0)
		close(lock);
	return done;
}
