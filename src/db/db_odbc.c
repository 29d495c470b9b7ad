/*
 * A connection to a server, in the subset of ODBC that every driver supports. Each connection has
 * its own environment, because some drivers keep the connections of an environment in a list
 * without a lock.
 */
#include "db_int.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

#define CONNECTION_STRING_BYTES_MAX 8192

static bool odbc_ok(SQLRETURN rc)
{
	return rc == SQL_SUCCESS || rc == SQL_SUCCESS_WITH_INFO;
}

/* Initializes the driver manager before other threads use it. At its first use it stores its file
 * locations without a lock. psqlODBC changes the process's locale at each connect to find the
 * encoding, unless PGCLIENTENCODING is set. */
static void driver_manager_init(void)
{
	SQLHENV env;
	SQLHDBC dbc;

	setenv("PGCLIENTENCODING", "UTF8", 1);
	if (!odbc_ok(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &env)))
		return;
	SQLSetEnvAttr(env, SQL_ATTR_ODBC_VERSION, (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
	if (odbc_ok(SQLAllocHandle(SQL_HANDLE_DBC, env, &dbc))) {
		SQLDriverConnect(dbc, NULL, (SQLCHAR *)(uintptr_t) "DSN=vesper-none", SQL_NTS, NULL,
				 0, NULL, SQL_DRIVER_NOPROMPT);
		SQLFreeHandle(SQL_HANDLE_DBC, dbc);
	}
	SQLFreeHandle(SQL_HANDLE_ENV, env);
}

void db_odbc_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, driver_manager_init);
}

static void diag_read(SQLSMALLINT type, SQLHANDLE handle, struct diag *d)
{
	SQLCHAR state[6] = "";
	SQLCHAR message[512] = "";
	SQLSMALLINT length = 0;
	const char *text = (const char *)message;

	*d = (struct diag){.state = "HY000"};
	if (!odbc_ok(SQLGetDiagRec(type, handle, 1, state, &d->native, message, sizeof(message),
				   &length)))
		return;
	memcpy(d->state, state, sizeof(d->state));
	while (*text == '[' && strchr(text, ']')) /* skips "[unixODBC][SQLite]" */
		text = strchr(text, ']') + 1;
	snprintf(d->message, sizeof(d->message), "%.*s", (int)strcspn(text, "\r\n"), text);
}

/* Asks the driver, whatever SQLSTATE it reported. */
static bool is_dead(const struct connection *c)
{
	SQLUINTEGER dead = SQL_CD_FALSE;

	return c->open &&
	       odbc_ok(SQLGetConnectAttr(c->dbc, SQL_ATTR_CONNECTION_DEAD, &dead, 0, NULL)) &&
	       dead == SQL_CD_TRUE;
}

bool db_odbc_fail(struct connection *c, SQLSMALLINT type, SQLHANDLE handle, const char *what,
		  struct err *e)
{
	struct error_class v;
	struct diag d;

	diag_read(type, handle, &d);
	v = c->tenant->settings->dialect->classify(&d);
	if (!v.lost && is_dead(c))
		v = (struct error_class){ERR_UPSTREAM, .may_retry = true, .lost = true,
					 .transient = true};
	return db_connection_fail(c, &d, &v, what, e);
}

static bool handles_make(struct connection *c, struct err *e)
{
	if (!odbc_ok(SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &c->env)))
		return err_set(e, ERR_INTERNAL, "ODBC could not allocate an environment");
	SQLSetEnvAttr(c->env, SQL_ATTR_ODBC_VERSION, (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
	if (!odbc_ok(SQLAllocHandle(SQL_HANDLE_DBC, c->env, &c->dbc)))
		return err_set(e, ERR_INTERNAL, "ODBC could not allocate a connection handle");
	return true;
}

static void handles_free(struct connection *c)
{
	if (c->dbc)
		SQLFreeHandle(SQL_HANDLE_DBC, c->dbc);
	if (c->env)
		SQLFreeHandle(SQL_HANDLE_ENV, c->env);
	c->dbc = SQL_NULL_HDBC;
	c->env = SQL_NULL_HENV;
}

static bool driver_connect(struct connection *c, struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;
	struct buf text;
	SQLRETURN rc;

	buf_init(&text, CONNECTION_STRING_BYTES_MAX);
	dialect->connection_string(c->tenant, &text);
	if (buf_over(&text)) {
		buf_deinit(&text);
		return err_set(e, ERR_INPUT, "%s: the connection string is too long",
			       c->tenant->settings->name);
	}
	SQLSetConnectAttr(c->dbc, SQL_ATTR_LOGIN_TIMEOUT,
			  (SQLPOINTER)(uintptr_t)(DB_LOGIN_TIMEOUT_MS / 1000), 0);
	rc = SQLDriverConnect(c->dbc, NULL, (SQLCHAR *)text.p, (SQLSMALLINT)text.n, NULL, 0, NULL,
			      SQL_DRIVER_NOPROMPT);
	buf_deinit(&text);
	return odbc_ok(rc) || db_odbc_fail(c, SQL_HANDLE_DBC, c->dbc, "connect", e);
}

/* FreeTDS is recognized by its file name, libtdsodbc.so, in any folder. */
static enum db_long_text long_text_of(struct connection *c)
{
	SQLCHAR name[512] = "";
	SQLSMALLINT length;

	if (!odbc_ok(SQLGetInfo(c->dbc, SQL_DRIVER_NAME, name, sizeof(name), &length)))
		return DB_LONG_BY_SIZE;
	return strstr((const char *)name, "libtdsodbc") ? DB_LONG_BY_TYPE : DB_LONG_BY_SIZE;
}

static bool odbc_connect(struct connection *c, struct err *e)
{
	if (!handles_make(c, e) || !driver_connect(c, e)) {
		handles_free(c);
		return false;
	}
	canceller_connected(c->canceller, c->dbc);
	c->long_text = long_text_of(c);
	return true;
}

static void odbc_disconnect(struct connection *c)
{
	SQLDisconnect(c->dbc);
	handles_free(c);
}

/* Registers the running statement, so that it can be cancelled. */
static void statement_register(struct connection *c, SQLHSTMT handle)
{
	canceller_set(c->canceller, handle, c->running ? c->running->number : 0);
}

/* Leaves braces to the database (SQL_NOSCAN_ON): a driver that parses them as escape sequences
 * looks for the end by its own rules, even inside identifiers. psqlODBC has no such switch, but
 * parses identifiers and literals as PostgreSQL does. */
static bool statement_new(struct connection *c, SQLHSTMT *out, struct err *e)
{
	if (!odbc_ok(SQLAllocHandle(SQL_HANDLE_STMT, c->dbc, out)))
		return db_odbc_fail(c, SQL_HANDLE_DBC, c->dbc, "statement", e);
	SQLSetStmtAttr(*out, SQL_ATTR_NOSCAN, (SQLPOINTER)(uintptr_t)SQL_NOSCAN_ON, 0);
	return true;
}

static SQLRETURN text_prepare(struct connection *c, SQLHSTMT handle, const char *text,
			      size_t length)
{
	struct arena *a;
	SQLWCHAR *wide;
	SQLRETURN rc;
	size_t units;

	if (!c->tenant->settings->dialect->wide)
		return SQLPrepare(handle, (SQLCHAR *)(uintptr_t)text, (SQLINTEGER)length);
	a = arena_new(SQL_FILE_BYTES_MAX);
	wide = db_wide_from(a, text, &units);
	rc = SQLPrepareW(handle, wide, (SQLINTEGER)units);
	arena_free(&a);
	return rc;
}

static size_t wide_length(const SQLWCHAR *units)
{
	size_t n = 0;

	while (units[n])
		n++;
	return n;
}

static bool confirm_prepare(struct connection *c, struct err *e)
{
	const struct db_settings *s = c->tenant->settings;
	const char *text = s->dialect->confirm_text(c);

	if (c->confirm)
		return true;
	if (!statement_new(c, &c->confirm, e))
		return false;
	return odbc_ok(text_prepare(c, c->confirm, text, strlen(text))) ||
	       db_odbc_fail(c, SQL_HANDLE_STMT, c->confirm, "prepare", e);
}

/* An empty result means no tenant. */
static bool confirm_run(struct connection *c, char seen[TENANT_SEEN_BYTES], struct err *e)
{
	bool wide = c->tenant->settings->dialect->wide;
	SQLWCHAR units[TENANT_SEEN_BYTES / 4] = {0};
	SQLLEN length = 0;
	SQLRETURN rc;

	rc = SQLExecute(c->confirm);
	if (odbc_ok(rc))
		rc = SQLFetch(c->confirm);
	if (odbc_ok(rc) && wide)
		rc = SQLGetData(c->confirm, 1, SQL_C_WCHAR, units, sizeof(units), &length);
	else if (odbc_ok(rc))
		rc = SQLGetData(c->confirm, 1, SQL_C_CHAR, seen, TENANT_SEEN_BYTES, &length);
	if (!odbc_ok(rc) && rc != SQL_NO_DATA)
		return db_odbc_fail(c, SQL_HANDLE_STMT, c->confirm, "confirm the tenant", e);
	if (rc == SQL_NO_DATA || length == SQL_NULL_DATA)
		seen[0] = '\0';
	else if (wide)
		seen[db_wide_to(units, wide_length(units), seen)] = '\0';
	return true;
}

static bool odbc_confirm(struct connection *c, char seen[TENANT_SEEN_BYTES], struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;
	bool done;

	if (dialect->before_statement)
		dialect->before_statement(c, NULL);
	if (!confirm_prepare(c, e))
		return false;
	statement_register(c, c->confirm);
	done = confirm_run(c, seen, e);
	statement_register(c, NULL);
	SQLFreeStmt(c->confirm, SQL_CLOSE);
	return done;
}

static void odbc_drop(void *handle)
{
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
}

static bool odbc_prepare(struct connection *c, const char *text, size_t length, void **out,
			 struct err *e)
{
	SQLHSTMT handle;

	if (!statement_new(c, &handle, e))
		return false;
	/* Some drivers buffer the whole result: this limits it. */
	SQLSetStmtAttr(handle, SQL_ATTR_MAX_ROWS, (SQLPOINTER)(uintptr_t)DB_FETCH_ROWS_MAX, 0);
	if (!odbc_ok(text_prepare(c, handle, text, length))) {
		db_odbc_fail(c, SQL_HANDLE_STMT, handle, "prepare", e);
		SQLFreeHandle(SQL_HANDLE_STMT, handle);
		return false;
	}
	*out = handle;
	return true;
}

/* Binds from last to first. psqlODBC grows its array with each new parameter, which copied a
 * hundred megabytes for the values of an upload's block. */
static bool values_bind(struct connection *c, SQLHSTMT handle, const struct value *values,
			size_t count, struct arena *a, struct err *e)
{
	struct bound *bound = arena_alloc(a, (count + 1) * sizeof(*bound));

	for (size_t i = count; i-- > 0;) {
		struct bound *b = &bound[i];

		db_bind(&values[i], a, c->tenant->settings->dialect->wide, c->long_text, b);
		if (!odbc_ok(SQLBindParameter(handle, (SQLUSMALLINT)(i + 1), SQL_PARAM_INPUT,
					      b->c_type, b->sql_type, b->size, b->digits,
					      (SQLPOINTER)(uintptr_t)b->data,
					      b->length > 0 ? b->length : 0, &b->length)))
			return db_odbc_fail(c, SQL_HANDLE_STMT, handle, "bind", e);
	}
	return true;
}

/* Sets the row limit: a frame is read row by row and may have more rows than a table. */
static void frame_rows_set(SQLHSTMT handle, const struct source_statement *s, bool running)
{
	size_t rows = running ? FRAME_READ_ROWS_MAX + 1 : DB_FETCH_ROWS_MAX;

	if (s->sink.kind == SINK_FRAME)
		SQLSetStmtAttr(handle, SQL_ATTR_MAX_ROWS, (SQLPOINTER)(uintptr_t)rows, 0);
}

static bool odbc_execute(struct connection *c, void *handle, struct work *w,
			 const struct source_statement *s, struct err *e)
{
	SQLRETURN rc;
	bool done;

	if (!values_bind(c, handle, s->values, s->count, w->arena, e))
		return false;
	frame_rows_set(handle, s, true);
	statement_register(c, handle);
	rc = SQLExecute(handle);
	if (rc == SQL_NO_DATA) /* an update or delete that matched no row */
		done = true;
	else if (!odbc_ok(rc))
		done = db_odbc_fail(c, SQL_HANDLE_STMT, handle, "execute", e);
	else
		done = db_odbc_read(c, handle, w, s, e);
	statement_register(c, NULL);
	SQLFreeStmt(handle, SQL_CLOSE);
	frame_rows_set(handle, s, false);
	SQLFreeStmt(handle, SQL_RESET_PARAMS); /* they point into memory of the work */
	return done;
}

static bool statement_exec(struct connection *c, SQLHSTMT handle, const char *text,
			   const struct value *values, size_t count, struct arena *a, struct err *e)
{
	SQLRETURN rc;

	if (!odbc_ok(text_prepare(c, handle, text, strlen(text))))
		return db_odbc_fail(c, SQL_HANDLE_STMT, handle, "prepare", e);
	if (!values_bind(c, handle, values, count, a, e))
		return false;
	statement_register(c, handle);
	rc = SQLExecute(handle);
	statement_register(c, NULL);
	return odbc_ok(rc) || rc == SQL_NO_DATA ||
	       db_odbc_fail(c, SQL_HANDLE_STMT, handle, "execute", e);
}

bool db_odbc_exec_values(struct connection *c, const char *text, const struct value *values,
			 size_t count, struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;
	struct arena *a = arena_new(SQL_FILE_BYTES_MAX);
	SQLHSTMT handle;
	bool done;

	if (dialect->before_statement)
		dialect->before_statement(c, NULL);
	done = statement_new(c, &handle, e);
	if (done) {
		done = statement_exec(c, handle, text, values, count, a, e);
		SQLFreeHandle(SQL_HANDLE_STMT, handle);
	}
	arena_free(&a);
	return done;
}

static bool odbc_exec(struct connection *c, const char *text, struct err *e)
{
	const struct db_dialect *dialect = c->tenant->settings->dialect;
	SQLHSTMT handle;
	SQLRETURN rc;
	bool done;

	if (dialect->before_statement)
		dialect->before_statement(c, NULL);
	if (!statement_new(c, &handle, e))
		return false;
	statement_register(c, handle);
	rc = SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)text, SQL_NTS);
	statement_register(c, NULL);
	done = odbc_ok(rc) || rc == SQL_NO_DATA ||
	       db_odbc_fail(c, SQL_HANDLE_STMT, handle, "execute", e);
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	return done;
}

static bool odbc_read_cell(struct connection *c, const char *text, char *out, size_t out_size,
			   bool *found, struct err *e)
{
	SQLHSTMT handle;
	SQLLEN length = 0;
	SQLRETURN rc;
	bool done;

	if (!statement_new(c, &handle, e))
		return false;
	rc = SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)text, SQL_NTS);
	if (odbc_ok(rc))
		rc = SQLFetch(handle);
	if (odbc_ok(rc))
		rc = SQLGetData(handle, 1, SQL_C_CHAR, out, (SQLLEN)out_size, &length);
	done = odbc_ok(rc) || rc == SQL_NO_DATA ||
	       db_odbc_fail(c, SQL_HANDLE_STMT, handle, "execute", e);
	if (done)
		*found = rc != SQL_NO_DATA && length != SQL_NULL_DATA;
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	return done;
}

const struct db_link db_link_odbc = {
	.connect = odbc_connect,
	.disconnect = odbc_disconnect,
	.confirm = odbc_confirm,
	.prepare = odbc_prepare,
	.drop = odbc_drop,
	.execute = odbc_execute,
	.exec = odbc_exec,
	.read_cell = odbc_read_cell,
};
