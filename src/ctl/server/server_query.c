/* Reads rows of a query, and the driver's metadata of tables, keys and indexes, as text. */
#include "server_int.h"

#include <stdio.h>
#include <string.h>

#define CELL_BYTES   1024 /* of one cell; longer text is cut at a whole character */
#define TABLES_TYPES "TABLE,VIEW"

bool server_time_limit(struct server *server, int seconds, struct err *err)
{
	char sql[64];

	server->limit_s = seconds;
	if (server->dialect != DIALECT_POSTGRES)
		return true;
	snprintf(sql, sizeof(sql), "SET statement_timeout = %d", seconds * 1000);
	return server_run(server, sql, NULL, 0, err);
}

static bool open_handle(struct server *server, SQLHSTMT *handle, struct err *err)
{
	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_STMT, server->dbc, handle)))
		return server_set_error(SQL_HANDLE_DBC, server->dbc, "statement", err);
	/* Drivers without this attribute are limited by the server's own setting. */
	if (server->limit_s > 0)
		SQLSetStmtAttr(*handle, SQL_ATTR_QUERY_TIMEOUT,
			       (SQLPOINTER)(uintptr_t)server->limit_s, 0);
	return true;
}

static bool read_names(SQLHSTMT handle, struct arena *a, struct server_cells *out, struct err *err)
{
	SQLSMALLINT width = 0;
	const char **names;

	if (!SQL_SUCCEEDED(SQLNumResultCols(handle, &width)))
		return server_set_error(SQL_HANDLE_STMT, handle, "columns", err);
	names = arena_alloc(a, ((size_t)width + 1) * sizeof(*names));
	for (SQLSMALLINT i = 0; i < width; i++) {
		SQLCHAR name[256] = "";
		SQLSMALLINT length, type, digits, nullable;
		SQLULEN size;

		SQLDescribeCol(handle, (SQLUSMALLINT)(i + 1), name, sizeof(name), &length, &type,
			       &size, &digits, &nullable);
		names[i] = arena_strdup(a, (const char *)name);
	}
	out->names = names;
	out->width = (size_t)width;
	return true;
}

static bool read_cell(SQLHSTMT handle, size_t column, struct arena *a, const char **out,
		      struct err *err)
{
	char text[CELL_BYTES + 1];
	SQLLEN length = 0;
	SQLRETURN rc = SQLGetData(handle, (SQLUSMALLINT)(column + 1), SQL_C_CHAR, text,
				  sizeof(text), &length);

	if (rc != SQL_NO_DATA && !SQL_SUCCEEDED(rc))
		return server_set_error(SQL_HANDLE_STMT, handle, "fetch", err);
	*out = rc == SQL_NO_DATA || length == SQL_NULL_DATA
		       ? NULL
		       : arena_strndup(a, text, utf8_cut(text, strlen(text), CELL_BYTES));
	return true;
}

static bool read_rows(SQLHSTMT handle, size_t max, struct arena *a, struct server_cells *out,
		      struct err *err)
{
	const char **cells = NULL;
	size_t count = 0, cap = 0;
	SQLRETURN rc = SQL_NO_DATA;

	if (!read_names(handle, a, out, err))
		return false;
	while (out->rows < max && SQL_SUCCEEDED(rc = SQLFetch(handle))) {
		for (size_t i = 0; i < out->width; i++) {
			cells = arena_grow(a, cells, count, &cap, sizeof(*cells));
			if (!read_cell(handle, i, a, &cells[count++], err))
				return false;
		}
		out->rows++;
		if (arena_over(a))
			return err_set(err, ERR_LIMIT, "the rows take too much memory");
	}
	out->cells = cells;
	return out->rows == max || rc == SQL_NO_DATA ||
	       server_set_error(SQL_HANDLE_STMT, handle, "fetch", err);
}

bool server_query(struct server *server, const char *sql, size_t max, struct arena *a,
		  struct server_cells *out, struct err *err)
{
	struct server_cells cells = {0};
	SQLHSTMT handle;
	bool ok;

	if (!open_handle(server, &handle, err))
		return false;
	ok = SQL_SUCCEEDED(SQLExecDirect(handle, (SQLCHAR *)(uintptr_t)sql, SQL_NTS))
		     ? read_rows(handle, max, a, &cells, err)
		     : server_set_error(SQL_HANDLE_STMT, handle, "execute", err);
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	if (ok)
		*out = cells;
	return ok;
}

static SQLRETURN call_catalogue(SQLHSTMT h, enum server_list list, const char *schema,
				const char *table)
{
	SQLCHAR *s = (SQLCHAR *)(uintptr_t)schema, *t = (SQLCHAR *)(uintptr_t)table;

	switch (list) {
	case SERVER_TABLES:
		return SQLTables(h, NULL, 0, s, SQL_NTS, NULL, 0,
				 (SQLCHAR *)(uintptr_t)TABLES_TYPES, SQL_NTS);
	case SERVER_COLUMNS:
		return SQLColumns(h, NULL, 0, s, SQL_NTS, t, SQL_NTS, NULL, 0);
	case SERVER_PRIMARY_KEY:
		return SQLPrimaryKeys(h, NULL, 0, s, SQL_NTS, t, SQL_NTS);
	case SERVER_FOREIGN_KEYS:
		return SQLForeignKeys(h, NULL, 0, NULL, 0, NULL, 0, NULL, 0, s, SQL_NTS, t,
				      SQL_NTS);
	case SERVER_UNIQUE_INDEXES:
		return SQLStatistics(h, NULL, 0, s, SQL_NTS, t, SQL_NTS, SQL_INDEX_UNIQUE,
				     SQL_QUICK);
	}
	return SQL_ERROR;
}

/* Returns true when the driver lacks the function, or does not implement it. */
static bool is_missing(SQLHSTMT handle)
{
	SQLCHAR state[6] = "", message[8];
	SQLINTEGER native;
	SQLSMALLINT length;

	SQLGetDiagRec(SQL_HANDLE_STMT, handle, 1, state, &native, message, sizeof(message),
		      &length);
	return strcmp((const char *)state, "IM001") == 0 ||
	       strcmp((const char *)state, "HYC00") == 0;
}

bool server_catalogue(struct server *server, enum server_list list, const char *schema,
		      const char *table, size_t max, struct arena *a, struct server_cells *out,
		      struct err *err)
{
	struct server_cells cells = {0};
	SQLHSTMT handle;
	bool ok;

	if (!open_handle(server, &handle, err))
		return false;
	if (SQL_SUCCEEDED(call_catalogue(handle, list, schema, table)))
		ok = read_rows(handle, max, a, &cells, err);
	else if (is_missing(handle))
		ok = err_set(err, ERR_NOT_FOUND, "the driver does not report this metadata");
	else
		ok = server_set_error(SQL_HANDLE_STMT, handle, "catalogue", err);
	SQLFreeHandle(SQL_HANDLE_STMT, handle);
	if (ok)
		*out = cells;
	return ok;
}

const char *server_cell(const struct server_cells *cells, size_t row, size_t column)
{
	return row < cells->rows && column < cells->width
		       ? cells->cells[row * cells->width + column]
		       : NULL;
}
