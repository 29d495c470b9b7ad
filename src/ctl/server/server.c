/* The administrator's connection for installing a schema, in plain ODBC. */
#include "server_int.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "vesper/mem.h"

#define LOGIN_SECONDS 15
#define VALUE_BYTES   4096
#define TEXT_SIZE     4000 /* declared size of bound texts: one query plan for all of them */

bool server_set_error(SQLSMALLINT type, SQLHANDLE handle, const char *operation, struct err *err)
{
	SQLCHAR state[6] = "", message[512] = "";
	SQLINTEGER native = 0;
	SQLSMALLINT length;
	const char *text = (const char *)message;

	SQLGetDiagRec(type, handle, 1, state, &native, message, sizeof(message), &length);
	while (*text == '[' && strchr(text, ']'))
		text = strchr(text, ']') + 1;
	return err_set(err, ERR_UPSTREAM, "%s: %.*s (%s, %d)", operation, (int)strcspn(text, ";\n"),
		       text, state, (int)native);
}

static bool find_dialect(struct server *server, struct err *err)
{
	char product[128] = "";
	SQLSMALLINT length;

	if (!SQL_SUCCEEDED(
		    SQLGetInfo(server->dbc, SQL_DBMS_NAME, product, sizeof(product), &length)))
		return server_set_error(SQL_HANDLE_DBC, server->dbc, "product", err);
	if (strncasecmp(product, "PostgreSQL", 10) == 0)
		server->dialect = DIALECT_POSTGRES;
	else if (strcasestr(product, "SQL Server"))
		server->dialect = DIALECT_MSSQL;
	else
		return err_set(err, ERR_INPUT,
			       "the server is %s; SQL Server and PostgreSQL are supported",
			       product);
	return true;
}

/* A missing driver is an error of unixODBC itself, before any server was contacted. */
static bool set_connect_error(struct server *server, struct err *err)
{
	struct err why;

	server_set_error(SQL_HANDLE_DBC, server->dbc, "connect", &why);
	if (!strstr(why.text, "Can't open lib"))
		return err_set(err, why.code, "%s", why.text);
	return err_set(err, ERR_INPUT,
		       "%s; Driver must be one for SQL Server or PostgreSQL that odbcinst -q -d "
		       "lists",
		       why.text);
}

static bool open_connection(struct server *server, const char *dsn, struct err *err)
{
	SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &server->env);
	SQLSetEnvAttr(server->env, SQL_ATTR_ODBC_VERSION, (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
	SQLAllocHandle(SQL_HANDLE_DBC, server->env, &server->dbc);
	SQLSetConnectAttr(server->dbc, SQL_ATTR_LOGIN_TIMEOUT, (SQLPOINTER)(uintptr_t)LOGIN_SECONDS,
			  0);
	if (!SQL_SUCCEEDED(SQLDriverConnect(server->dbc, NULL, (SQLCHAR *)(uintptr_t)dsn, SQL_NTS,
					    NULL, 0, NULL, SQL_DRIVER_NOPROMPT)))
		return set_connect_error(server, err);
	server->connected = true;
	if (!SQL_SUCCEEDED(SQLSetConnectAttr(server->dbc, SQL_ATTR_AUTOCOMMIT,
					     (SQLPOINTER)(uintptr_t)SQL_AUTOCOMMIT_OFF, 0)))
		return server_set_error(SQL_HANDLE_DBC, server->dbc, "transactions", err);
	return find_dialect(server, err);
}

bool server_connect(const char *dsn, struct server **out, struct err *err)
{
	struct server *server = mem_alloc(sizeof(*server));

	if (!open_connection(server, dsn, err)) {
		server_close(&server);
		return false;
	}
	*out = server;
	return true;
}

void server_close(struct server **server)
{
	struct server *s = *server;

	if (!s)
		return;
	*server = NULL;
	if (s->connected) {
		server_rollback(s);
		SQLDisconnect(s->dbc);
	}
	SQLFreeHandle(SQL_HANDLE_DBC, s->dbc);
	SQLFreeHandle(SQL_HANDLE_ENV, s->env);
	mem_free(s);
}

enum dialect server_dialect(const struct server *server)
{
	return server->dialect;
}

bool server_commit(struct server *server, struct err *err)
{
	return SQL_SUCCEEDED(SQLEndTran(SQL_HANDLE_DBC, server->dbc, SQL_COMMIT)) ||
	       server_set_error(SQL_HANDLE_DBC, server->dbc, "commit", err);
}

void server_rollback(struct server *server)
{
	SQLEndTran(SQL_HANDLE_DBC, server->dbc, SQL_ROLLBACK);
}

static bool bind_texts(SQLHSTMT handle, const char *const *texts, size_t count, SQLLEN *nts,
		       struct err *err)
{
	*nts = SQL_NTS;
	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(texts[i]);
		bool is_long = n > TEXT_SIZE; /* as a VARCHAR, the driver would truncate it */

		if (!SQL_SUCCEEDED(SQLBindParameter(
			    handle, (SQLUSMALLINT)(i + 1), SQL_PARAM_INPUT, SQL_C_CHAR,
			    is_long ? SQL_LONGVARCHAR : SQL_VARCHAR, is_long ? n : TEXT_SIZE, 0,
			    (SQLPOINTER)(uintptr_t)texts[i], 0, nts)))
			return server_set_error(SQL_HANDLE_STMT, handle, "bind", err);
	}
	return true;
}

static bool read_first_cell(SQLHSTMT handle, struct buf *out, struct err *err)
{
	char text[VALUE_BYTES];
	SQLLEN length;
	SQLRETURN rc = SQLFetch(handle);

	if (rc == SQL_NO_DATA)
		return true;
	if (SQL_SUCCEEDED(rc))
		rc = SQLGetData(handle, 1, SQL_C_CHAR, text, sizeof(text), &length);
	if (!SQL_SUCCEEDED(rc))
		return server_set_error(SQL_HANDLE_STMT, handle, "fetch", err);
	if (length != SQL_NULL_DATA)
		buf_str(out, text);
	return true;
}

static bool run(SQLHSTMT handle, const char *sql, const char *const *texts, size_t count,
		struct buf *out, struct err *err)
{
	SQLLEN nts;
	SQLRETURN rc;

	if (!bind_texts(handle, texts, count, &nts, err))
		return false;
	rc = SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)sql, SQL_NTS);
	if (out && SQL_SUCCEEDED(rc) && !read_first_cell(handle, out, err))
		return false;
	while (SQL_SUCCEEDED(rc))
		rc = SQLMoreResults(handle);
	return rc == SQL_NO_DATA || server_set_error(SQL_HANDLE_STMT, handle, "execute", err);
}

static bool run_once(struct server *server, const char *sql, const char *const *texts, size_t count,
		     struct buf *out, struct err *err)
{
	SQLHSTMT handle;
	bool done;

	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_STMT, server->dbc, &handle)))
		return server_set_error(SQL_HANDLE_DBC, server->dbc, "statement", err);
	done = run(handle, sql, texts, count, out, err);
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	return done;
}

bool server_run(struct server *server, const char *sql, const char *const *texts, size_t count,
		struct err *err)
{
	return run_once(server, sql, texts, count, NULL, err);
}

bool server_query_value(struct server *server, const char *sql, const char *const *texts,
			size_t count, struct buf *out, struct err *err)
{
	return run_once(server, sql, texts, count, out, err);
}
