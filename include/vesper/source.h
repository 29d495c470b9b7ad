/*
 * Named sources: the data that tools read, behind one asynchronous interface. A call runs under a
 * tenant and returns one batch of rows per statement. The main implementation is db_source (db.h):
 * a database. A source that does not speak SQL gets the tool's name and arguments instead.
 *
 * Every call ends in exactly one of two ways: its callback runs, later and never within `start`,
 * or op_cancel cancelled it. Loop thread only. Errors are those of db.h.
 */
#ifndef VESPER_SOURCE_H
#define VESPER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/bind.h"
#include "vesper/clock.h"
#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/table.h"

struct frame;
struct frame_declared;
struct op;
struct passage;
struct principal;

#define SOURCE_DOCUMENTS "documents" /* source of document tools */
#define SOURCE_OWN       "own data"  /* source of tools for data sources: profiles */
#define SOURCE_WAREHOUSE "warehouse" /* default source of a tool */

/* The destination of a statement's rows. */
enum sink_kind { SINK_TABLE, SINK_FRAME };
struct sink {
	enum sink_kind kind;
	size_t rows_max; /* rows kept; 0: the source's limit */
	bool stats; /* TABLE: statistics over all rows read, and column types corrected by them */
	/* FRAME: declared column types; other columns have the database's types. */
	const struct frame_declared *columns;
	size_t column_count;
};

/* A table or view, and its columns that a statement may read. */
struct source_allow_table {
	/* "Stage.prices"; or the name of a common table expression of the statement, which has no
	 * columns here. */
	const char *name;
	const char *const
		*columns; /* NULL-ended, unquoted names (Project Name, not "Project Name") */
};

/*
 * The tables and columns that an ad hoc statement may read; the database checks them when it
 * parses the statement. SQLite rejects everything else with ERR_DENIED: other tables and columns,
 * tables read by a view that are not listed, and recursion. As for every statement on a read-only
 * source it also rejects functions with side effects, pragmas, ATTACH, virtual tables and the
 * schema. On servers the rights of the login apply, and this list is ignored.
 */
struct source_allow {
	const struct source_allow_table *tables;
	size_t count;
};

struct source_statement {
	const char *name; /* for logs and metrics: "get_average_annual_price/main" */
	const char *text; /* with ?; from files under sql/, or from sql_distinct */
	const struct value *values;
	size_t count;
	/* Its text limits the rows to an amount that a driver can hold in memory, so it is read
	 * without a cursor. */
	bool bounded_rows;
	/* NULL: everything that the connection may read. A statement with a list is not kept
	 * prepared. */
	const struct source_allow *allow;
	struct sink sink;
};

/* The members are copied. */
struct source_call {
	const char *tenant;
	/* For a source that speaks SQL: each returns rows; all run in order on one connection. */
	const struct source_statement *statements;
	size_t count;
	/* For any other source. */
	const char *tool;
	const struct args *args;
	const struct principal *who;
	struct date today;
	struct sink sink;
	int64_t timeout_ms; /* waiting and running time; 0: the source's limit */
};

struct outcome;

/* The result of one statement, a table or a frame by its sink. */
struct source_batch {
	struct table *table;
	struct frame *frame;
	/* Of documents; in the table's arena, including the texts. */
	const struct passage *passages;
	size_t passage_count;
	const char *const *needs; /* permissions required by the rows, NULL-ended; NULL: none */
	/* Of data sources; in the table's arena. */
	const struct outcome *outcome; /* NULL: derived from the rows */
	const struct source_fact {
		const char *name, *value;
	} * facts;
	size_t fact_count;
};

/* On success e is NULL, and there is one batch per statement, in order. Takes ownership of the
 * contents of the batches; the array is borrowed during the call. On failure count is 0. */
typedef void (*source_cb)(void *owner, struct source_batch *batches, size_t count,
			  const struct err *e);

struct source {
	const char *name; /* "warehouse" */
	/* Identifies the data, for the keys of a cache shared with programs that read other data.
	 * May contain secrets. NULL: none. */
	const char *identity;
	bool supports_sql;
	enum dialect dialect;
	struct op *(*start)(struct source *s, const struct source_call *call, source_cb cb,
			    void *owner);
	void (*close)(struct source *s); /* frees it; no call may be running */
};

struct source_table {
	struct source *const *items;
	size_t count;
};
/* NULL: no source has this name. */
struct source *source_find(const struct source_table *t, const char *name);

/* Frees the contents of the batches. */
void source_batches_free(struct source_batch *batches, size_t count);

#endif
