/*
 * Databases behind one asynchronous contract: a statement with bound values under a tenant goes in,
 * a table comes back.
 *
 * One query, told shortly: db_query puts the request in a bounded queue in which tenants take
 * turns; when a connection pinned to its tenant is free (or may be opened, or an idle one of
 * another tenant is closed to make room), a worker thread asks the connection which tenant it sees,
 * prepares, binds, runs and fetches; the result crosses back as one block and the callback runs on
 * the loop. At the deadline, which counts from db_query, or on op_cancel, the statement is stopped
 * in the way of its dialect; a server's connection is thrown away then. A write that has begun is
 * finished after op_cancel or db_close. Loop-thread only. The callback never runs before
 * db_query has returned.
 *
 * A failure that passes (a lost connection, a deadlock) is tried again inside the deadline: reads
 * always, writes while nothing of them was sent. A server that keeps failing is left alone for
 * moments: ERR_UPSTREAM at once, with retry_after_ms. If a statement cannot be cancelled, the
 * caller still gets ERR_TIMEOUT and the worker is abandoned.
 *
 * Errors: ERR_TIMEOUT, ERR_UPSTREAM (the database is away, or refuses the login), ERR_DENIED (the
 * login may not), ERR_NOT_FOUND (a view or column is gone), ERR_BUSY (a key that another writer was
 * faster with), ERR_LIMIT (queue, cell, columns), ERR_CANCELLED, ERR_INTERNAL (the statement).
 *
 * Tenants fail closed: a connection is opened for one tenant, asked which tenant it sees before
 * every use, and never used for another.
 *
 * A back end is a driver: the pool of connections in the product, a scripted one in tests.
 * Connections to servers are made by ODBC, with the driver's own reading of escape sequences
 * switched off. SQLite files are opened by SQLite's own library: an ODBC driver for them reads the
 * text of a statement before the database does, and by other rules.
 */
#ifndef VESPER_DB_H
#define VESPER_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/dialect.h"
#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/source.h"
#include "vesper/table.h"

struct db;

struct db_request {
	const char *tenant;
	/* All statements run in order on one connection; with `write`, inside one transaction that
	 * is committed before the callback. The tables of every statement that gives columns come
	 * back in order. Everything is copied. */
	const struct source_statement *statements;
	size_t statement_count;
	bool write;   /* serialised: one writer a tenant, waiting writes share a commit */
	bool patient; /* a write that waits up to DB_PATIENCE_MS for another to share one with */
	bool forget;  /* a write: what it deletes is to stand in no file of the database afterwards,
			 as far as nobody is still reading it; a server sees to that by itself */
	int64_t timeout_ms; /* waiting and running; 0: the source's own limit */
	/* Where statements with a frame sink put theirs: room for one a statement, set before the
	 * callback of a success and the callee's from then on. Borrowed until the request ends;
	 * NULL: there is no such statement. */
	struct frame **frames;
};

/* On success e is NULL and `tables` holds one table a statement with columns; the callee owns the
 * tables (free each, or hand them to a result). The array itself is borrowed for the call. On
 * failure count is 0. */
typedef void (*db_cb)(void *owner, struct table **tables, size_t count, const struct err *e);

struct db_driver {
	const char *name;
	struct op *(*query)(void *self, const struct db_request *request, db_cb cb, void *owner);
	void (*close)(void *self);
};

struct db *db_from_driver(const struct db_driver *driver, void *self, enum dialect dialect);

struct db_tenant {
	const char *id;
	const char *file; /* SQLite: the tenant's database file (absolute); other dialects: NULL */
};

struct db_options {
	const char *name; /* "warehouse", "store": prefix of health checks and logs */
	enum dialect dialect;
	const char *dsn; /* ODBC connection string of a server; SQLite takes none */
	bool read_only;
	bool create;    /* SQLite: make a missing file */
	bool full_sync; /* SQLite: synchronous FULL instead of NORMAL */
	bool gives_way; /* nobody waits for an answer: its workers leave the processor to others */
	/* Threads, and the cap of open connections; a store in SQLite files keeps a few more. */
	size_t workers;
	size_t queue; /* waiting requests; more are refused with ERR_LIMIT */
	size_t max_rows;
	int64_t timeout_ms;
	/* PostgreSQL ends a transaction that is idle for so long; 0: DB_TX_IDLE_MS. */
	int64_t transaction_idle_ms;
	const struct db_tenant *tenants; /* the only ones that exist */
	size_t tenant_count;
	/* SQLite, read-only: nothing in the file says whose it is. Only with one tenant. */
	bool one_tenant;
	/* SQLite, read-only: see db_use_schemas; NULL: none yet. */
	const char *const *schemas;
};

/* Opening connects nothing yet. */
MUST_CHECK bool db_open(struct loop *l, const struct db_options *options, struct db **out,
			struct err *e);

struct op *db_query(struct db *d, const struct db_request *request, db_cb cb, void *owner);

enum dialect db_dialect(const struct db *d);

/* The database as a source of this name. It is borrowed and must outlive the source's last `start`;
 * the texts are copied. Freed by its `close`. */
struct source *db_source(struct db *d, const char *name, const char *identity);

/* The schemas under which a SQLite file that is only read is attached (NULL-ended, each once; at
 * most DB_SCHEMAS_MAX); what is open is opened anew at its next use. Servers have their own, and
 * ignore this. ERR_INPUT: too many, or no plain name. */
MUST_CHECK bool db_use_schemas(struct db *d, const char *const *schemas, struct err *e);

/* How long the request has waited that has waited longest; 0: none waits. */
int64_t db_waited_ms(const struct db *d);

/* Connects to these tenants (NULL-ended; NULL: all) and says what is wrong through health checks
 * "<name>:<tenant>"; again every few seconds for those that are down. Those that are watched and
 * not among them are left alone from now on. A database that is written to is required by its
 * tenant, a read-only one is not. */
void db_watch(struct db *d, const char *const *tenants);

/* Cancels what runs (callbacks come with ERR_CANCELLED unless cancelled before), waits for the
 * workers (at most DB_CLOSE_MS, DB_CLOSE_WRITE_MS for writes to files; those that are still in a
 * statement then are abandoned), frees. */
void db_close(struct db **d);

#endif
