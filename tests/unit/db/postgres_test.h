/* A private PostgreSQL server for a test program, with a small schema under row-level security, and
 * an administrator's connection for checks. */
#ifndef POSTGRES_TEST_H
#define POSTGRES_TEST_H

#include "db_test.h"

#include <sql.h>
#include <sqlext.h>

/* psqlODBC leaks a few bytes when the server ends a session. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:psqlodbcw.so";
}

struct postgres {
	char dir[128];
	int port;
	SQLHENV env;
	SQLHDBC admin;
};

static struct postgres server;

/* Runs tests/services/postgres.sh with these arguments; copies its first line of output to `out`.
 */
static inline void service(const char *arguments, char *out, int size)
{
	char command[512];
	char line[256] = "";
	FILE *p;

	snprintf(command, sizeof(command), "%s/tests/services/postgres.sh %s", VESPER_SOURCE_DIR,
		 arguments);
	p = popen(command, "r");
	assert_non_null(p);
	if (!fgets(line, sizeof(line), p))
		line[0] = '\0';
	if (pclose(p) != 0)
		fail_msg("%s failed", command);
	if (out)
		snprintf(out, (size_t)size, "%s", line);
}

static inline void server_command(const char *verb)
{
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "%s %s", verb, server.dir);
	service(arguments, NULL, 0);
}

static inline void admin_connect(void)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "Driver=psqlodbcw.so;Servername=127.0.0.1;Port=%d;Database=postgres;"
			 "Uid=postgres",
			 server.port);

	SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &server.env);
	SQLSetEnvAttr(server.env, SQL_ATTR_ODBC_VERSION, (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
	SQLAllocHandle(SQL_HANDLE_DBC, server.env, &server.admin);
	if (!SQL_SUCCEEDED(SQLDriverConnect(server.admin, NULL, (SQLCHAR *)text, (SQLSMALLINT)n,
					    NULL, 0, NULL, SQL_DRIVER_NOPROMPT)))
		fail_msg("cannot connect: %s", text);
}

static inline void admin_disconnect(void)
{
	SQLDisconnect(server.admin);
	SQLFreeHandle(SQL_HANDLE_DBC, server.admin);
	SQLFreeHandle(SQL_HANDLE_ENV, server.env);
}

/* Runs SQL as the administrator; returns the number in the first cell, or 0. */
static inline long admin(const char *sql)
{
	SQLHSTMT handle;
	char cell[64] = "";
	SQLLEN length = 0;
	SQLSMALLINT columns = 0;

	SQLAllocHandle(SQL_HANDLE_STMT, server.admin, &handle);
	if (!SQL_SUCCEEDED(SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)sql, SQL_NTS))) {
		SQLCHAR state[6], message[256] = "";
		SQLINTEGER native;
		SQLSMALLINT n;

		SQLGetDiagRec(SQL_HANDLE_STMT, handle, 1, state, &native, message, sizeof(message),
			      &n);
		fail_msg("%s: %s", sql, message);
	}
	SQLNumResultCols(handle, &columns);
	if (columns > 0 && SQL_SUCCEEDED(SQLFetch(handle)))
		SQLGetData(handle, 1, SQL_C_CHAR, cell, sizeof(cell), &length);
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	return strtol(cell, NULL, 10);
}

/* Creates table x with one row for each of the tenants "tenant_1", …; each row names its tenant. */
static inline void schema_make(int tenants)
{
	char sql[256];

	admin("CREATE ROLE reader LOGIN");
	admin("CREATE ROLE writer LOGIN");
	admin("CREATE TABLE x (tenant_id text NOT NULL, s text NOT NULL, n bigint)");
	snprintf(sql, sizeof(sql),
		 "INSERT INTO x SELECT 'tenant_' || i, 'secret of tenant_' || i, i "
		 "FROM generate_series(1, %d) i",
		 tenants);
	admin(sql);
	admin("ALTER TABLE x ENABLE ROW LEVEL SECURITY");
	admin("ALTER TABLE x FORCE ROW LEVEL SECURITY");
	admin("CREATE POLICY own ON x USING (tenant_id = current_setting('vesper.tenant_id', "
	      "true))");
	admin("GRANT SELECT ON x TO reader");
	admin("GRANT SELECT, INSERT, UPDATE, DELETE ON x TO writer");
}

static inline int server_start(void **state)
{
	char arguments[64];
	char line[256];

	(void)state;
	snprintf(arguments, sizeof(arguments), "start %d", (int)getpid());
	service(arguments, line, sizeof(line));
	if (sscanf(line, "%127s %d", server.dir, &server.port) != 2)
		fail_msg("no server: %s", line);
	admin_connect();
	schema_make(50);
	return 0;
}

static inline int server_stop(void **state)
{
	(void)state;
	admin_disconnect();
	server_command("stop");
	return 0;
}

/* Options for the server; `port` 0: the server's own. Texts are valid until the next call. */
static inline struct db_options postgres_options(const char *login, int port)
{
	static struct db_tenant tenants[50];
	static char names[50][24];
	static char dsn[256];

	for (int i = 0; i < 50; i++) {
		snprintf(names[i], sizeof(names[i]), "tenant_%u", (unsigned)i % 100 + 1);
		tenants[i] = (struct db_tenant){names[i], NULL};
	}
	snprintf(dsn, sizeof(dsn),
		 "Driver=psqlodbcw.so;Servername=127.0.0.1;Port=%d;Database=postgres;Uid=%s",
		 port ? port : server.port, login);
	return (struct db_options){
		.name = "warehouse",
		.dialect = DIALECT_POSTGRES,
		.dsn = dsn,
		.read_only = strcmp(login, "reader") == 0,
		.workers = 2,
		.tenants = tenants,
		.tenant_count = 50,
	};
}

static inline void postgres_open(struct fixture *f, const char *login)
{
	struct db_options options = postgres_options(login, 0);
	struct err e = {0};

	if (!db_open(f->loop, &options, &f->db, &e))
		fail_msg("%s", e.text);
}

/* Number of statements that the logins other than the administrator's are running. */
static inline long statements_running(void)
{
	return admin("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND usename IN "
		     "('reader', 'writer')");
}

#endif
