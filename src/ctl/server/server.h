/*
 * A database server as its administrator sees it: one blocking ODBC connection for installing,
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

/* The product says itself which dialect it speaks; one that is neither SQL Server nor PostgreSQL is
 * refused (ERR_INPUT). */
MUST_CHECK bool server_connect(const char *dsn, struct server **out, struct err *err);
void server_close(struct server **server); /* NULL is fine; what was not committed is undone */
enum dialect server_dialect(const struct server *server);

MUST_CHECK bool server_commit(struct server *server, struct err *err);
void server_rollback(struct server *server);

/* One batch, all its results read to the end: an error may hide behind the first of them. Texts are
 * bound to the places marked "?". */
MUST_CHECK bool server_run(struct server *server, const char *sql, const char *const *texts,
			   size_t count, struct err *err);
/* The first column of the first row is added to `out`; nothing when there is no row, or NULL. */
MUST_CHECK bool server_ask(struct server *server, const char *sql, const char *const *texts,
			   size_t count, struct buf *out, struct err *err);

/* ---- rows of a query ---- */

/* Row by row, each cell as text; NULL: no value. In the arena. */
struct server_cells {
	const char *const *names;
	size_t width;
	const char *const *cells;
	size_t rows;
};
/* NULL also where there is no such row or column. */
const char *server_cell(const struct server_cells *cells, size_t row, size_t column);

/* Statements from here on may take that long each. */
MUST_CHECK bool server_time_limit(struct server *server, int seconds, struct err *err);
/* The first `max` rows. ERR_LIMIT: more than the arena has room for. */
MUST_CHECK bool server_query(struct server *server, const char *sql, size_t max, struct arena *a,
			     struct server_cells *out, struct err *err);

/* What ODBC's catalogue functions give, in their columns. `schema` NULL: of all; `table` is of no
 * meaning to SERVER_TABLES. ERR_NOT_FOUND: the driver has no such function. */
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
/* Sends what is left. */
MUST_CHECK bool server_rows_flush(struct server_rows *rows, struct err *err);
void server_rows_close(struct server_rows **rows); /* NULL is fine */

#endif
