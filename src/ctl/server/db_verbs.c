/* `vesperctl db`: installs and migrates the databases of SQL Server and PostgreSQL; SQLite files
 * need no installation. Each further source of a pack is a separate part. */
#include "ctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server_migrate.h"
#include "vesper/file.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define PART_BYTES_MAX 20 /* of a part's name in the ledger */

static const char *const parts[] = {"warehouse", "store", NULL};

static void on_applied(const char *path)
{
	printf("applied %s\n", path);
}

static bool is_part(const char *name)
{
	return strcmp(name, "warehouse") == 0 || strcmp(name, "store") == 0;
}

static bool is_selected(const char *only, const char *part)
{
	return !only || strcmp(only, part) == 0;
}

/* Finds the root whose packs have files for this source. */
static bool find_root(const struct server *server, const char *source, struct arena *a,
		      const char **out, struct err *e)
{
	const char *folder = arena_printf(a, "sql/schema/%s/sources/%s",
					  dialect_name(server_dialect(server)), source);
	const char *const *roots;

	if (!ctl_roots(a, &roots, e))
		return false;
	for (; *roots; roots++) {
		*out = *roots;
		if (access(arena_printf(a, "%s/%s", *roots, folder), F_OK) == 0)
			return true;
	}
	return err_set(e, ERR_INPUT,
		       "no root contains %s (vesperctl db ddl creates its first file)", folder);
}

static bool migrate_source(struct server *server, const char *source, struct err *e)
{
	struct arena *a = arena_new(2 * SQL_FILE_BYTES_MAX);
	const char *root = NULL;
	bool done = find_root(server, source, a, &root, e) &&
		    server_migrate(server, root, arena_printf(a, "sources/%s", source), source,
				   on_applied, e);

	arena_free(&a);
	return done;
}

static bool migrate(struct server *server, const char *only, struct err *e)
{
	if (only && !is_part(only))
		return migrate_source(server, only, e);
	for (size_t i = 0; parts[i]; i++)
		if (is_selected(only, parts[i]) &&
		    !server_migrate(server, ctl_root(), parts[i], parts[i], on_applied, e))
			return false;
	return true;
}

/* Reads the password of a login from a variable, or from the file that <variable>_FILE names. */
static bool read_password(const char *variable, struct arena *a, const char **out, struct err *e)
{
	const char *file = getenv(arena_printf(a, "%s_FILE", variable));
	const char *text = getenv(variable);
	struct str trimmed;

	if (file && *file) {
		if (!file_read(file, TEXT_ARG_BYTES_MAX, a, &text, e))
			return err_prefix(e, "%s_FILE", variable);
		trimmed = str_trim(str_of(text));
		text = arena_strndup(a, trimmed.p, trimmed.n);
	}
	*out = text && *text ? text : NULL;
	return true;
}

static bool set_login(struct server *server, const char *login, const char *variable,
		      struct arena *a, struct err *e)
{
	const char *call = server_dialect(server) == DIALECT_MSSQL ? "EXEC sec.set_login ?, ?"
								   : "CALL dbo.set_login(?, ?)";
	const char *values[] = {login, NULL};

	if (!read_password(variable, a, &values[1], e))
		return false;
	if (!values[1]) {
		printf("%s: no password in %s; login unchanged\n", login, variable);
		return true;
	}
	if (!server_run(server, call, values, 2, e))
		return err_prefix(e, "%s", login);
	printf("%s: password set\n", login);
	return server_commit(server, e);
}

static bool set_upload_logins(struct server *server, struct arena *a, struct err *e)
{
	return set_login(server, "vesper_load", "VESPER_LOAD_PASSWORD", a, e) &&
	       set_login(server, "vesper_uploads", "VESPER_UPLOADS_PASSWORD", a, e);
}

static bool set_logins(struct server *server, const char *only, struct err *e)
{
	struct arena *a = arena_new(2 * SQL_FILE_BYTES_MAX);
	bool done =
		only && strcmp(only, "uploads") == 0
			? set_upload_logins(server, a, e)
			: ((only && strcmp(only, "store") == 0) ||
			   set_login(server, "vesper_read", "VESPER_READ_PASSWORD", a, e)) &&
				  (!is_selected(only, "store") ||
				   set_login(server, "vesper_chat", "VESPER_CHAT_PASSWORD", a, e));

	arena_free(&a);
	return done;
}

static bool run_verb(struct server *server, const struct command *cmd, struct err *e)
{
	const char *verb = ctl_arg(cmd, 0);
	const char *only = ctl_option(cmd, "only", NULL);

	if (strcmp(verb, "init") == 0)
		return server_bootstrap(server, ctl_root(), e) && migrate(server, only, e) &&
		       set_logins(server, only, e);
	return migrate(server, only, e);
}

static bool check_usage(const struct command *cmd)
{
	const char *verb = ctl_arg(cmd, 0);
	const char *only = ctl_option(cmd, "only", "store");

	return verb && (strcmp(verb, "init") == 0 || strcmp(verb, "migrate") == 0) &&
	       ctl_is_name(only) && strlen(only) <= PART_BYTES_MAX && !ctl_arg(cmd, 1);
}

bool ctl_server(const struct command *cmd, struct server **out, struct err *e)
{
	const char *dsn = ctl_option(cmd, "dsn", getenv("VESPER_ADMIN_DSN"));
	const char *dialect = ctl_option(cmd, "dialect", NULL);

	if (dialect && strcmp(dialect, "sqlite") == 0)
		return err_set(e, ERR_INPUT,
			       "SQLite files need no installation: vesper-demo data creates the "
			       "warehouse, and the daemon creates the store");
	if (!dsn || !*dsn)
		return err_set(e, ERR_INPUT,
			       "--dsn or VESPER_ADMIN_DSN must name the server and a login that "
			       "may create tables and roles");
	if (!server_connect(dsn, out, e))
		return false;
	if (!dialect || strcmp(dialect, dialect_name(server_dialect(*out))) == 0)
		return true;
	err_set(e, ERR_INPUT, "the server's dialect is %s, not %s",
		dialect_name(server_dialect(*out)), dialect);
	server_close(out);
	return false;
}

int ctl_db(const struct command *cmd)
{
	struct server *server = NULL;
	struct err e = {0};
	bool done;

	if (ctl_arg(cmd, 0) && strcmp(ctl_arg(cmd, 0), "ddl") == 0)
		return ctl_db_ddl(cmd);
	if (!check_usage(cmd))
		return ctl_usage_error(
			cmd,
			"the verb must be init or migrate; --only must be warehouse, "
			"store or a source whose name has at most %d bytes",
			PART_BYTES_MAX);
	done = ctl_server(cmd, &server, &e) && run_verb(server, cmd, &e);
	server_close(&server);
	return done ? 0 : ctl_fail("%s", e.text);
}
