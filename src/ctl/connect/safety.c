/* Checks that the login cannot write, and makes the session read-only. */
#include <string.h>

#include "connect_int.h"
#include "vesper/limits.h"

/* Returns one row per object that the login may write. */
static const char *const writes_postgres =
	"SELECT 'every table, as a superuser' FROM pg_roles WHERE rolname = current_user AND "
	"rolsuper UNION ALL SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM "
	"pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', "
	"'v', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT "
	"LIKE 'pg_toast%' AND n.nspname NOT LIKE 'pg_temp%' AND (has_table_privilege(c.oid, "
	"'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT, "
	"UPDATE'))";
static const char *const writes_mssql =
	"SELECT 'every table, as a db_owner' WHERE IS_MEMBER('db_owner') = 1 OR "
	"IS_SRVROLEMEMBER('sysadmin') = 1 UNION ALL SELECT SCHEMA_NAME(o.schema_id) + '.' + o.name "
	"FROM sys.objects o CROSS APPLY (SELECT QUOTENAME(SCHEMA_NAME(o.schema_id)) + '.' + "
	"QUOTENAME(o.name) AS full_name) f WHERE o.type IN ('U', 'V') AND "
	"(HAS_PERMS_BY_NAME(f.full_name, 'OBJECT', 'INSERT') = 1 OR HAS_PERMS_BY_NAME(f.full_name, "
	"'OBJECT', 'UPDATE') = 1 OR HAS_PERMS_BY_NAME(f.full_name, 'OBJECT', 'DELETE') = 1)";

static const char *const reader_postgres =
	"CREATE ROLE vesper_reader LOGIN PASSWORD '…';\n"
	"GRANT USAGE ON SCHEMA public TO vesper_reader;\n"
	"GRANT SELECT ON ALL TABLES IN SCHEMA public TO vesper_reader;\n"
	"ALTER ROLE vesper_reader SET default_transaction_read_only = on;";
static const char *const reader_mssql = "CREATE LOGIN vesper_reader WITH PASSWORD = '…';\n"
					"CREATE USER vesper_reader FOR LOGIN vesper_reader;\n"
					"GRANT SELECT ON SCHEMA::dbo TO vesper_reader;";

static bool is_postgres(const struct connect *c)
{
	return server_dialect(c->server) == DIALECT_POSTGRES;
}

static bool set_session_limits(struct connect *c, struct err *e)
{
	const char *sql = is_postgres(c) ? "SET default_transaction_read_only = on"
					 : "SET LOCK_TIMEOUT 10000";

	return server_run(c->server, sql, NULL, 0, e) &&
	       server_time_limit(c->server, CONNECT_STATEMENT_S, e) && server_commit(c->server, e);
}

bool connect_check_login(struct connect *c, struct err *e)
{
	struct server_cells found;

	if (!set_session_limits(c, e) ||
	    !connect_rows(c, is_postgres(c) ? writes_postgres : writes_mssql, 1, c->a, &found, e))
		return false;
	if (found.rows == 0 || c->allows_writer)
		return true;
	return err_set(e, ERR_DENIED,
		       "this login can write (%.*s); use a read-only login, or pass --allow-writer",
		       STR_CUT(server_cell(&found, 0, 0), 80));
}

const char *connect_reader_sql(const struct connect *c)
{
	return is_postgres(c) ? reader_postgres : reader_mssql;
}
