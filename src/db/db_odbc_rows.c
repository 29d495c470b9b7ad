/*
 * The rows of an ODBC statement. Values are read with SQLGetData into one growing buffer, because
 * drivers report wrong column sizes.
 */
#include "db_int.h"

#include "vesper/limits.h"
#include "vesper/mem.h"

#define CELL_BYTES_FIRST 4096

struct odbc_rows {
	struct db_rows base;
	struct connection *c;
	SQLHSTMT handle;
};

static struct odbc_rows *odbc_rows_of(struct db_rows *base)
{
	return list_item(base, struct odbc_rows, base);
}

static bool fetch_fail(struct odbc_rows *r, struct err *e)
{
	return db_odbc_fail(r->c, SQL_HANDLE_STMT, r->handle, "fetch", e);
}

static bool on_next(struct db_rows *base, bool *more, struct err *e)
{
	struct odbc_rows *r = odbc_rows_of(base);
	SQLRETURN rc = SQLFetch(r->handle);

	*more = rc != SQL_NO_DATA;
	return !*more || SQL_SUCCEEDED(rc) || fetch_fail(r, e);
}

static bool on_describe(struct db_rows *base, size_t i, struct arena *a, struct column *column,
			bool *is_inferred, struct err *e)
{
	struct odbc_rows *r = odbc_rows_of(base);
	SQLUSMALLINT number = (SQLUSMALLINT)(i + 1);
	SQLCHAR name[256] = "";
	SQLSMALLINT length, sql_type, digits, nullable;
	SQLULEN size;

	if (!SQL_SUCCEEDED(SQLDescribeCol(r->handle, number, name, sizeof(name), &length, &sql_type,
					  &size, &digits, &nullable)))
		return fetch_fail(r, e);
	column->name = arena_strdup(a, (const char *)name);
	column->type = db_column_type(sql_type);
	*is_inferred = false;
	return true;
}

/* A growing buffer that the connection owns. */
struct cell_buffer {
	char **bytes;
	size_t *size;
};

/* Reads the whole value of one column, in as many parts as the driver delivers. `terminator_bytes`
 * is the size of the terminator that the driver appends to each part. */
static bool cell_get(struct odbc_rows *r, size_t i, const struct column *column, SQLSMALLINT c_type,
		     size_t terminator_bytes, struct cell_buffer buffer, size_t *length,
		     bool *is_null, struct err *e)
{
	size_t got = 0;
	size_t want = CELL_BYTES_FIRST;

	for (;;) {
		SQLLEN left = 0;
		size_t free_bytes;
		SQLRETURN rc;

		if (got + want > *buffer.size)
			*buffer.bytes = mem_grow(*buffer.bytes, buffer.size, got + want, 1);
		free_bytes = (*buffer.size - got) / terminator_bytes * terminator_bytes;
		rc = SQLGetData(r->handle, (SQLUSMALLINT)(i + 1), c_type, *buffer.bytes + got,
				(SQLLEN)free_bytes, &left);
		if (!SQL_SUCCEEDED(rc))
			return fetch_fail(r, e);
		*is_null = left == SQL_NULL_DATA;
		if (*is_null || (left != SQL_NO_TOTAL && (size_t)left < free_bytes)) {
			*length = *is_null ? 0 : got + (size_t)left;
			return *length <= DB_CELL_BYTES_MAX * terminator_bytes ||
			       db_cell_too_long(column, e);
		}
		got += free_bytes - terminator_bytes; /* the next part overwrites the terminator */
		want = left == SQL_NO_TOTAL
			       ? CELL_BYTES_FIRST
			       : (size_t)left - (free_bytes - terminator_bytes) + terminator_bytes;
		if (got + want > (DB_CELL_BYTES_MAX + CELL_BYTES_FIRST) * terminator_bytes)
			return db_cell_too_long(column, e);
	}
}

/* Converts UTF-16 from the driver to UTF-8 in the connection's buffer. */
static bool cell_get_wide(struct odbc_rows *r, size_t i, const struct column *column,
			  size_t *length, bool *is_null, struct err *e)
{
	struct connection *c = r->c;
	struct cell_buffer buffer = {&c->wide, &c->wide_size};
	size_t units;

	if (!cell_get(r, i, column, SQL_C_WCHAR, sizeof(SQLWCHAR), buffer, length, is_null, e))
		return false;
	units = *length / sizeof(SQLWCHAR);
	if (units * 3 + 1 > c->cell_size)
		c->cell = mem_grow(c->cell, &c->cell_size, units * 3 + 1, 1);
	*length = db_wide_to((const SQLWCHAR *)(const void *)c->wide, units, c->cell);
	c->cell[*length] = '\0';
	return *length <= DB_CELL_BYTES_MAX || db_cell_too_long(column, e);
}

static bool on_cell(struct db_rows *base, size_t i, const struct column *column, char **text,
		    size_t *length, struct err *e)
{
	struct odbc_rows *r = odbc_rows_of(base);
	struct connection *c = r->c;
	struct cell_buffer buffer = {&c->cell, &c->cell_size};
	bool wide = c->tenant->settings->dialect->wide && column->type == COLUMN_TEXT;
	bool is_null;

	if (wide ? !cell_get_wide(r, i, column, length, &is_null, e)
		 : !cell_get(r, i, column, SQL_C_CHAR, 1, buffer, length, &is_null, e))
		return false;
	*text = is_null ? NULL : c->cell;
	return true;
}

bool db_odbc_read(struct connection *c, SQLHSTMT handle, struct work *w,
		  const struct source_statement *s, struct err *e)
{
	struct odbc_rows r = {
		.base = {.next = on_next, .describe = on_describe, .cell = on_cell},
		.c = c,
		.handle = handle,
	};
	SQLSMALLINT columns = 0;

	if (!SQL_SUCCEEDED(SQLNumResultCols(handle, &columns)))
		return fetch_fail(&r, e);
	return columns <= 0 || db_fetch_table(&r.base, (size_t)columns, w, s, e);
}
