/*
 * An administrator's connection to a database server: one blocking ODBC connection for installing,
 * migrating and seeding. Not for the loop's thread.
 *
 * Statements run inside a transaction that lasts until server_commit or server_rollback.
 */
#ifndef CTL_SERVER_H
#define CTL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/str.h"

struct server;

/* The dialect is read from the product. ERR_INPUT: it is neither SQL Server nor PostgreSQL. */
MUST_CHECK bool server_connect(const char *dsn, struct server **out, struct err *err);
void server_close(struct server **server); /* NULL is allowed; rolls back uncommitted changes */
enum dialect server_dialect(const struct server *server);

MUST_CHECK bool server_commit(struct server *server, struct err *err);
void server_rollback(struct server *server);

/* Runs one batch and reads all its results, because an error may follow the first of them. Texts
 * are bound to the "?" parameters. */
MUST_CHECK bool server_run(struct server *server, const char *sql, const char *const *texts,
			   size_t count, struct err *err);
/* Adds the first column of the first row to `out`; adds nothing for NULL, or without a row. */
MUST_CHECK bool server_query_value(struct server *server, const char *sql, const char *const *texts,
				   size_t count, struct buf *out, struct err *err);

/* ---- rows of a query ---- */

/* Rows with each cell as text; NULL: no value. In the arena. */
struct server_cells {
	const char *const *names;
	size_t width;
	const char *const *cells;
	size_t rows;
};
/* NULL also when the row or column does not exist. */
const char *server_cell(const struct server_cells *cells, size_t row, size_t column);

/* Sets the time limit of each statement from here on. */
MUST_CHECK bool server_time_limit(struct server *server, int seconds, struct err *err);
/* Reads the first `max` rows. ERR_LIMIT: the arena is too small. */
MUST_CHECK bool server_query(struct server *server, const char *sql, size_t max, struct arena *a,
			     struct server_cells *out, struct err *err);

/* Reads ODBC's catalogue functions, with their columns. `schema` NULL: all schemas; `table` is
 * ignored for SERVER_TABLES. ERR_NOT_FOUND: the driver lacks the function. */
enum server_list {
	SERVER_TABLES, /* tables and views */
	SERVER_COLUMNS,
	SERVER_PRIMARY_KEY,
	SERVER_FOREIGN_KEYS, /* of this table, to others */
	SERVER_UNIQUE_INDEXES,
};
MUST_CHECK bool server_catalogue(struct server *server, enum server_list list, const char *schema,
				 const char *table, size_t max, struct arena *a,
				 struct server_cells *out, struct err *err);

/* ---- many rows ---- */

struct server_value {
	enum { SERVER_NULL, SERVER_TEXT, SERVER_INTEGER, SERVER_DECIMAL } kind;
	const char *text; /* borrowed for the call; ASCII */
	int64_t integer;  /* SERVER_DECIMAL: in units of 10^-4 */
};

/* An INSERT that sends many rows with one statement. */
struct server_rows;

/* `columns` as "a, b, c". */
struct server_rows *server_rows_open(struct server *server, const char *table, const char *columns);
MUST_CHECK bool server_rows_add(struct server_rows *rows, const struct server_value *values,
				struct err *err);
/* Sends the remaining rows. */
MUST_CHECK bool server_rows_flush(struct server_rows *rows, struct err *err);
void server_rows_close(struct server_rows **rows); /* NULL is allowed */

#endif
