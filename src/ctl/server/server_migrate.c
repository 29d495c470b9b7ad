/* Migrates a server to the newest schema, forward only, one file at a time. */
#include "server_migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server_script.h"
#include "vesper/file.h"
#include "vesper/limits.h"

#define SCRIPTS_BYTES_MAX (8 * 1024 * 1024)
#define CHECKSUM_BYTES    128

/* Queries the ledger, and locks it until the transaction ends, so that only one migration runs. On
 * SQL Server, only a statement that reads a table begins a transaction. */
static const struct {
	const char *find_table, *lock;
} ledger_sql[DIALECT_COUNT] = {
	[DIALECT_MSSQL] = {"SELECT OBJECT_ID(N'dbo.schema_migrations', N'U')",
			   "SELECT COUNT(*) FROM dbo.schema_migrations WITH (TABLOCKX, HOLDLOCK)"},
	[DIALECT_POSTGRES] = {"SELECT to_regclass('dbo.schema_migrations')",
			      "SELECT pg_advisory_xact_lock(845317, 1)"},
};

static bool query_value(struct server *server, const char *sql, const char *const *texts,
			size_t count, char out[CHECKSUM_BYTES], struct err *err)
{
	struct buf value;
	bool done;

	buf_init(&value, CHECKSUM_BYTES - 1);
	done = server_query_value(server, sql, texts, count, &value, err);
	if (done)
		snprintf(out, CHECKSUM_BYTES, "%s", buf_text(&value));
	buf_deinit(&value);
	return done;
}

bool server_bootstrap(struct server *server, const char *root, struct err *err)
{
	struct arena *arena = arena_new(SCRIPTS_BYTES_MAX);
	struct script script;
	bool done = script_load(arena_printf(arena, "%s/sql/schema/%s/bootstrap.sql", root,
					     dialect_name(server_dialect(server))),
				arena, &script, err) &&
		    script_run(&script, server, err) && server_commit(server, err);

	if (!done)
		server_rollback(server);
	arena_free(&arena);
	return done;
}

static bool check_ledger(struct server *server, struct err *err)
{
	char found[CHECKSUM_BYTES];

	if (!query_value(server, ledger_sql[server_dialect(server)].find_table, NULL, 0, found,
			 err))
		return false;
	return *found ||
	       err_set(err, ERR_INPUT, "the database is not initialized; run vesperctl db init");
}

/* Looks up the file's ledger entry; *applied: it exists and its checksum matches. */
static bool find_ledger_entry(struct server *server, const char *part, const char *version,
			      const struct script *script, bool *applied, struct err *err)
{
	const char *key[] = {part, version};
	char checksum[CHECKSUM_BYTES];

	if (!query_value(server,
			 "SELECT checksum FROM dbo.schema_migrations WHERE part = ? AND version = "
			 "CAST(? AS int)",
			 key, 2, checksum, err))
		return false;
	if (*checksum && strcmp(checksum, script->checksum) != 0)
		return err_set(err, ERR_INPUT,
			       "%s was changed after it was applied; restore it, and put the "
			       "change into a file with the next number",
			       script->path);
	*applied = *checksum != '\0';
	return true;
}

static bool apply(struct server *server, const char *part, const char *version, const char *name,
		  const struct script *script, bool *applied, struct err *err)
{
	const char *values[] = {part, version, name, script->checksum};

	if (!server_run(server, ledger_sql[server_dialect(server)].lock, NULL, 0, err) ||
	    !find_ledger_entry(server, part, version, script, applied, err))
		return false;
	if (*applied)
		return true;
	if (!script_run(script, server, err))
		return false;
	if (server_dialect(server) == DIALECT_POSTGRES &&
	    !server_run(server, "RESET ROLE", NULL, 0, err))
		return false;
	return server_run(server,
			  "INSERT INTO dbo.schema_migrations (part, version, name, checksum) "
			  "VALUES (?, CAST(? AS int), ?, ?)",
			  values, 4, err) &&
	       server_commit(server, err);
}

/* Files must be numbered without gaps ("001_tables.sql" first), so that no missing file goes
 * unnoticed. */
static bool check_number(const char *path, const char *file, int expected, char version[12],
			 struct err *err)
{
	char *end;
	long number = strtol(file, &end, 10);

	if (end != file + 3 || *end != '_' || number != expected)
		return err_set(err, ERR_INPUT, "%s: the file number must be %03d", path, expected);
	snprintf(version, 12, "%ld", number);
	return true;
}

static bool version_is_supported(struct server *server, const char *part, int known,
				 struct err *err)
{
	char newest[CHECKSUM_BYTES];

	if (!query_value(
		    server,
		    "SELECT COALESCE(MAX(version), 0) FROM dbo.schema_migrations WHERE part = ?",
		    &part, 1, newest, err))
		return false;
	return strtol(newest, NULL, 10) <= known ||
	       err_set(err, ERR_INPUT, "the %s was migrated by a newer version (%s, here %d)", part,
		       newest, known);
}

static bool migrate_file(struct server *server, const char *part, const char *path,
			 const char *file, int number, struct arena *arena,
			 void (*on_applied)(const char *path), struct err *err)
{
	struct script script;
	char version[12];
	bool applied = false;

	if (!check_number(path, file, number, version, err) ||
	    !script_load(path, arena, &script, err))
		return false;
	if (!apply(server, part, version, file, &script, &applied, err)) {
		server_rollback(server);
		return false;
	}
	if (applied)
		server_rollback(server); /* the transaction holds only the lock */
	else
		on_applied(script.path);
	return true;
}

static bool migrate_folder(struct server *server, const char *folder, const char *part,
			   struct arena *arena, void (*on_applied)(const char *path),
			   struct err *err)
{
	const char *const *files;
	int count = 0;

	if (!check_ledger(server, err) || !file_list(folder, arena, &files, err))
		return false;
	for (; files[count]; count++)
		if (!migrate_file(server, part, arena_printf(arena, "%s/%s", folder, files[count]),
				  files[count], count + 1, arena, on_applied, err))
			return false;
	return version_is_supported(server, part, count, err);
}

bool server_migrate(struct server *server, const char *root, const char *folder, const char *part,
		    void (*on_applied)(const char *path), struct err *err)
{
	struct arena *arena = arena_new(SCRIPTS_BYTES_MAX);
	const char *path = arena_printf(arena, "%s/sql/schema/%s/%s", root,
					dialect_name(server_dialect(server)), folder);
	bool done = migrate_folder(server, path, part, arena, on_applied, err);

	if (!done)
		server_rollback(server);
	arena_free(&arena);
	return done;
}
