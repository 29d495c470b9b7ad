/*
 * Databases behind one asynchronous interface: it runs a statement with bound values for a tenant
 * and returns a table.
 *
 * db_query puts the request in a bounded queue that serves tenants in turn. It waits for a
 * connection pinned to its tenant; if none is free, one is opened, or an idle one of another tenant
 * is closed first. A worker thread checks which tenant the connection is bound to, then prepares,
 * binds, runs and fetches. The result returns as one block, and the callback runs on the loop. At
 * the deadline, which counts from db_query, or on op_cancel, the statement is cancelled in the way
 * that its dialect provides; a server's connection is then discarded. A write that has begun is
 * finished even after op_cancel or db_close. Loop thread only. The callback never runs before
 * db_query has returned.
 *
 * A transient failure (a lost connection, a deadlock) is retried within the deadline: reads always,
 * writes only if nothing was sent. After repeated failures the circuit breaker of a server opens:
 * ERR_UPSTREAM at once, with retry_after_ms. If a statement cannot be cancelled, the caller still
 * gets ERR_TIMEOUT and the worker is abandoned.
 *
 * Errors: ERR_TIMEOUT, ERR_UPSTREAM (the database is unavailable or refuses the login), ERR_DENIED
 * (the login lacks a permission, or the tenant is not one of db_options), ERR_NOT_FOUND (a view or
 * column does not exist; servers only), ERR_BUSY (another writer inserted the same key first;
 * servers only), ERR_LIMIT (queue, cell, columns, memory), ERR_INPUT (no schema is set, or the
 * connection string is too long), ERR_CANCELLED, ERR_INTERNAL (the statement is invalid, a write
 * goes to a read-only database, or the connection is bound to another tenant).
 *
 * Tenant isolation fails closed: a connection is opened for one tenant, checked before every use,
 * and never used for another tenant.
 *
 * struct db_driver has two kinds of implementation: the connection pool in the product, and a
 * scripted driver in tests. Connections to servers use ODBC, with the driver's parsing of escape
 * sequences switched off. SQLite files are opened with SQLite's own library: an ODBC driver would
 * parse the statement before the database does, by different rules.
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
	 * is committed before the callback. The tables of all statements with columns come back in
	 * order. Everything is copied. */
	const struct source_statement *statements;
	size_t statement_count;
	bool write;         /* serialized: one writer per tenant, waiting writes share a commit */
	bool group_commit;  /* the write may wait up to DB_GROUP_COMMIT_MS to share a commit */
	bool secure_delete; /* no database file contains the deleted bytes afterwards, unless a
			       reader still uses them; servers handle this themselves */
	int64_t timeout_ms; /* queue and run time; 0: the source's own limit */
	/* Receives the frames of statements with a frame sink, one slot per statement. Set before
	 * the callback if the request succeeds; the callback then takes ownership of the frames.
	 * The array is borrowed until the request ends. NULL: no statement has a frame sink. */
	struct frame **frames;
};

/* On success e is NULL and `tables` holds one table per statement with columns, except those with a
 * frame sink. The callback takes ownership of the tables (it frees each, or passes it to a result).
 * The array is borrowed for the call. On failure count is 0. */
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
	bool create;       /* SQLite: make a missing file */
	bool full_sync;    /* SQLite: synchronous FULL instead of NORMAL */
	bool low_priority; /* background work: its workers run at low priority */
	/* Threads, and the limit of open connections; a store in SQLite files may open a few more.
	 */
	size_t workers;
	size_t queue; /* waiting requests; ERR_LIMIT beyond */
	size_t max_rows;
	int64_t timeout_ms;
	/* PostgreSQL ends a transaction that is idle for this long; 0: DB_TX_IDLE_MS. */
	int64_t transaction_idle_ms;
	const struct db_tenant *tenants; /* requests of other tenants are refused */
	size_t tenant_count;
	/* SQLite, read-only: the file has no tenant mark. Only with one tenant. */
	bool one_tenant;
	/* SQLite, read-only: the initial schemas (db_use_schemas); NULL: none yet. */
	const char *const *schemas;
};

/* Opens no connection yet. */
MUST_CHECK bool db_open(struct loop *l, const struct db_options *options, struct db **out,
			struct err *e);

struct op *db_query(struct db *d, const struct db_request *request, db_cb cb, void *owner);

enum dialect db_dialect(const struct db *d);

/* The database as a source of this name. The database is borrowed and must outlive the source's
 * last `start`; texts are copied. Freed by the source's `close`. */
struct source *db_source(struct db *d, const char *name, const char *identity);

/* Sets the schemas under which a read-only SQLite file is attached (NULL-ended, each once, at most
 * DB_SCHEMAS_MAX). Open connections are reopened at their next use. Servers ignore this, since they
 * have schemas. ERR_INPUT: too many, or not a plain name. */
MUST_CHECK bool db_use_schemas(struct db *d, const char *const *schemas, struct err *e);

/* Waiting time of the oldest queued request, without writes that wait for group commit; 0: none. */
int64_t db_waited_ms(const struct db *d);

/* Connects to these tenants (NULL-ended; NULL: all) and reports problems through health checks
 * "<name>:<tenant>"; retries every few seconds for tenants whose database is unavailable. Stops
 * watching all other tenants. A writable database is required by its tenant, and a read-only one is
 * optional (enum health_need). */
void db_watch(struct db *d, const char *const *tenants);

/* Cancels running statements (their callbacks get ERR_CANCELLED unless cancelled before), waits for
 * the workers, and frees. It waits at most DB_CLOSE_MS, or DB_CLOSE_WRITE_MS for writes to files;
 * workers still in a statement are then abandoned. */
void db_close(struct db **d);

#endif
