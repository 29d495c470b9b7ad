/*
 * Named sources: what tools read, behind one asynchronous interface. A call goes in under a tenant,
 * batches of rows come back, one a statement. The first implementation is db_source (db.h): a
 * database. A source that does not speak SQL gets the tool's name and arguments instead.
 *
 * Every call ends in exactly one of two ways: its callback runs, later and never from inside
 * `start`, or it was cancelled by op_cancel. Loop thread only. Errors are those of db.h.
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

#define SOURCE_DOCUMENTS "documents" /* what tools of documents read */
#define SOURCE_OWN       "own data"  /* what tools of data sources read: profiles */
#define SOURCE_WAREHOUSE "warehouse" /* what a tool reads that names no other */

/* Where the rows of a statement go. */
enum sink_kind { SINK_TABLE, SINK_FRAME };
struct sink {
	enum sink_kind kind;
	size_t rows_max; /* kept; 0: the source's own cap */
	bool stats; /* TABLE: figures over all rows that were read, and types corrected by them */
	/* FRAME: what the columns become; others go by the database's types. */
	const struct frame_declared *columns;
	size_t column_count;
};

/* A table or view with the columns of it that a statement may read. */
struct source_allow_table {
	/* "Stage.prices"; or a plain name that the statement defines (a common table expression),
	 * which has no columns here. */
	const char *name;
	const char *const *columns; /* NULL-ended, plain names (Project Name, not "Project Name") */
};

/*
 * What a statement that is not the program's own may read, checked by the database itself against
 * its own reading of the text. On SQLite everything else is denied with ERR_DENIED: other tables
 * and columns, what a view of the file reads that is not listed itself, recursion, and as for every
 * statement on a read-only source, functions that do more than compute, pragmas, ATTACH, virtual
 * tables and the schema. On servers the rights of the login decide, and this is ignored.
 */
struct source_allow {
	const struct source_allow_table *tables;
	size_t count;
};

struct source_statement {
	const char *name; /* for logs and metrics: "get_average_annual_price/main" */
	const char *text; /* with ?; comes from files under sql/, or sql_distinct */
	const struct value *values;
	size_t count;
	/* Its text bounds its rows to what a driver may hold in memory at once: it is spared the
	 * cursor that results of unknown size are read through. */
	bool bounded_rows;
	/* NULL: whatever the connection may. A statement with a list is not kept prepared. */
	const struct source_allow *allow;
	struct sink sink;
};

/* Everything is copied. */
struct source_call {
	const char *tenant;
	/* Of a source that speaks SQL: each gives rows, and all run in order on one connection. */
	const struct source_statement *statements;
	size_t count;
	/* Of any other. */
	const char *tool;
	const struct args *args;
	const struct principal *who;
	struct date today;
	struct sink sink;
	int64_t timeout_ms; /* waiting and running; 0: the source's own limit */
};

struct outcome;

/* What one statement gave, by its sink: one of them. */
struct source_batch {
	struct table *table;
	struct frame *frame;
	/* Of documents; in the table's arena, as what they point at. */
	const struct passage *passages;
	size_t passage_count;
	const char *const *needs; /* permissions that the rows took, NULL-ended; NULL: none */
	/* Of data sources; in the table's arena, too. */
	const struct outcome *outcome; /* NULL: by the rows */
	const struct source_fact {
		const char *name, *value;
	} * facts;
	size_t fact_count;
};

/* On success e is NULL and there is one batch a statement, in order; the callee owns what is in
 * them. The array itself is borrowed for the call. On failure count is 0. */
typedef void (*source_cb)(void *owner, struct source_batch *batches, size_t count,
			  const struct err *e);

struct source {
	const char *name; /* "warehouse" */
	/* Which data it is, for the keys of a cache that may be shared with programs that read
	 * other data; may hold secrets. NULL: none. */
	const char *identity;
	bool speaks_sql;
	enum dialect dialect;
	struct op *(*start)(struct source *s, const struct source_call *call, source_cb cb,
			    void *owner);
	void (*close)(struct source *s); /* frees it; nothing may run any more */
};

struct source_table {
	struct source *const *items;
	size_t count;
};
/* NULL: there is none of this name. */
struct source *source_find(const struct source_table *t, const char *name);

/* Frees what a batch holds. */
void source_batches_free(struct source_batch *batches, size_t count);

#endif
