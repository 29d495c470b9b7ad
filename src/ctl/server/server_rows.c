/*
 * Inserts many rows with one prepared INSERT … VALUES (?, …), (?, …), …: one round trip for
 * hundreds of rows with every driver. Array binding is only a loop in some drivers.
 */
#include "server_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/mem.h"

/* SQL Server accepts at most 1,000 rows and 2,100 parameters in a statement; more would not be
 * faster on PostgreSQL either. */
#define ROWS_MAX            1000
#define PARAMS_MAX          2000
#define TEXTS_BYTES_MAX     (16 * 1024 * 1024)
#define STATEMENT_BYTES_MAX (1024 * 1024)
#define TEXT_SIZE           1000 /* the widest text column */
#define DECIMAL_DIGITS      18
#define DECIMAL_SCALE       4

struct cell {
	int64_t integer;
	const char *text; /* for text and decimals, in the arena */
	SQLLEN length;
	SQLSMALLINT c_type;
};

struct server_rows {
	struct server *server;
	char *table, *columns;
	size_t width;
	size_t capacity; /* rows per statement */
	size_t count;    /* rows not sent yet */
	struct cell *cells;
	struct arena *texts;
	SQLHSTMT handle;
	size_t prepared_rows;
};

struct server_rows *server_rows_open(struct server *server, const char *table, const char *columns)
{
	struct server_rows *rows = mem_alloc(sizeof(*rows));

	rows->server = server;
	rows->table = mem_strdup(table);
	rows->columns = mem_strdup(columns);
	rows->width = 1;
	for (const char *p = columns; *p; p++)
		rows->width += *p == ',';
	rows->capacity = PARAMS_MAX / rows->width < ROWS_MAX ? PARAMS_MAX / rows->width : ROWS_MAX;
	rows->cells = mem_alloc(rows->capacity * rows->width * sizeof(*rows->cells));
	rows->texts = arena_new(TEXTS_BYTES_MAX);
	return rows;
}

void server_rows_close(struct server_rows **rows)
{
	struct server_rows *r = *rows;

	if (!r)
		return;
	*rows = NULL;
	if (r->handle)
		SQLFreeHandle(SQL_HANDLE_STMT, r->handle);
	arena_free(&r->texts);
	mem_free(r->cells);
	mem_free(r->columns);
	mem_free(r->table);
	mem_free(r);
}

static void write_placeholders(struct buf *sql, size_t rows, size_t width)
{
	for (size_t row = 0; row < rows; row++) {
		buf_str(sql, row == 0 ? "(" : ", (");
		for (size_t i = 0; i < width; i++)
			buf_str(sql, i == 0 ? "?" : ", ?");
		buf_char(sql, ')');
	}
}

static bool prepare_insert(struct server_rows *r, struct err *err)
{
	struct buf sql;
	SQLRETURN rc;

	if (r->handle)
		SQLFreeHandle(SQL_HANDLE_STMT, r->handle);
	r->handle = SQL_NULL_HSTMT;
	r->prepared_rows = 0;
	if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_STMT, r->server->dbc, &r->handle)))
		return server_set_error(SQL_HANDLE_DBC, r->server->dbc, "statement", err);
	buf_init(&sql, STATEMENT_BYTES_MAX);
	buf_printf(&sql, "INSERT INTO %s (%s) VALUES ", r->table, r->columns);
	write_placeholders(&sql, r->count, r->width);
	assert(!buf_over(&sql));
	rc = SQLPrepare(r->handle, (SQLCHAR *)(uintptr_t)buf_text(&sql), SQL_NTS);
	buf_deinit(&sql);
	if (!SQL_SUCCEEDED(rc))
		return server_set_error(SQL_HANDLE_STMT, r->handle, r->table, err);
	r->prepared_rows = r->count;
	return true;
}

static bool bind_cell(struct server_rows *r, size_t index, struct cell *c, struct err *err)
{
	bool integer = c->c_type == SQL_C_SBIGINT;
	bool decimal = c->c_type == SQL_C_NUMERIC; /* sent as text, declared as a decimal */
	SQLSMALLINT sql_type = integer ? SQL_BIGINT : decimal ? SQL_DECIMAL : SQL_VARCHAR;
	SQLRETURN rc = SQLBindParameter(
		r->handle, (SQLUSMALLINT)(index + 1), SQL_PARAM_INPUT,
		integer ? SQL_C_SBIGINT : SQL_C_CHAR, sql_type,
		decimal ? DECIMAL_DIGITS : TEXT_SIZE, decimal ? DECIMAL_SCALE : 0,
		integer ? (SQLPOINTER)&c->integer : (SQLPOINTER)(uintptr_t)c->text, 0, &c->length);
	return SQL_SUCCEEDED(rc) || server_set_error(SQL_HANDLE_STMT, r->handle, r->table, err);
}

bool server_rows_flush(struct server_rows *r, struct err *err)
{
	SQLRETURN rc;

	if (r->count == 0)
		return true;
	if (r->prepared_rows != r->count && !prepare_insert(r, err))
		return false;
	for (size_t i = 0; i < r->count * r->width; i++)
		if (!bind_cell(r, i, &r->cells[i], err))
			return false;
	rc = SQLExecute(r->handle);
	if (!SQL_SUCCEEDED(rc))
		return server_set_error(SQL_HANDLE_STMT, r->handle, r->table, err);
	SQLFreeStmt(r->handle, SQL_CLOSE);
	r->count = 0;
	arena_free(&r->texts);
	r->texts = arena_new(TEXTS_BYTES_MAX);
	return true;
}

static struct cell make_cell(struct server_rows *r, const struct server_value *v)
{
	int64_t whole = v->integer / 10000, rest = v->integer % 10000;
	struct cell c = {.c_type = SQL_C_CHAR, .length = SQL_NTS};

	switch (v->kind) {
	case SERVER_NULL:
		c.length = SQL_NULL_DATA;
		break;
	case SERVER_TEXT:
		c.text = arena_strdup(r->texts, v->text);
		break;
	case SERVER_INTEGER:
		c.c_type = SQL_C_SBIGINT;
		c.integer = v->integer;
		break;
	case SERVER_DECIMAL:
		c.c_type = SQL_C_NUMERIC;
		c.text = arena_printf(r->texts, "%s%lld.%04lld", v->integer < 0 ? "-" : "",
				      (long long)(whole < 0 ? -whole : whole),
				      (long long)(rest < 0 ? -rest : rest));
		break;
	}
	return c;
}

bool server_rows_add(struct server_rows *r, const struct server_value *values, struct err *err)
{
	struct cell *cells = &r->cells[r->count * r->width];

	for (size_t i = 0; i < r->width; i++)
		cells[i] = make_cell(r, &values[i]);
	return ++r->count < r->capacity || server_rows_flush(r, err);
}
