/*
 * Internal header of the database folder.
 *
 * The loop side (db_pool.c, db_queue.c, db_end.c, db_stop.c, db_request.c, db_watch.c) queues
 * requests, picks connections and calls back. The worker side (db_worker.c, db_connection.c, its
 * link db_odbc.c or db_native.c, db_allow.c, db_fetch.c and the dialect) opens connections and runs
 * statements; it touches only the job it was given. Only atomics (work.stop, job.state) are touched
 * by both sides at the same time.
 */
#ifndef VESPER_DB_INT_H
#define VESPER_DB_INT_H

#include <sql.h>
#include <sqlext.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vesper/arena.h"
#include "vesper/breaker.h"
#include "vesper/db.h"
#include "vesper/frame.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/pool.h"
#include "vesper/str.h"

struct db {
	const struct db_driver *driver;
	void *self;
	enum dialect dialect;
};

struct db_settings;
struct tenant;
struct connection;
struct work;

#define DB_CONTROLS 4 /* statements around writes: begin, commit, savepoint, release */

/* A failure as ODBC reports it, and the error that the caller gets. */
struct diag {
	char state[6];
	SQLINTEGER native;
	char message[160]; /* for operators; never a bound value */
};

struct error_class {
	enum err_code code;
	bool may_retry;
	bool lost;      /* the connection cannot be used again */
	bool transient; /* a retry on a fresh connection may succeed */
};

/* One bound parameter, ready for SQLBindParameter. */
struct bound {
	SQLSMALLINT c_type;
	SQLSMALLINT sql_type;
	SQLULEN size;
	SQLSMALLINT digits; /* after the decimal point */
	const void *data;
	SQLLEN length; /* or SQL_NULL_DATA */
	int64_t number;
	unsigned char bit;
	SQL_DATE_STRUCT date;
};

/* How a text longer than nvarchar(4000) is bound. */
enum db_long_text {
	DB_LONG_BY_SIZE, /* SQL_WVARCHAR of size 0 is nvarchar(max): msodbcsql */
	DB_LONG_BY_TYPE, /* SQL_WLONGVARCHAR: FreeTDS silently truncates any SQL_WVARCHAR */
};

#define TENANT_SEEN_BYTES 1024 /* size of the tenant ID that a connection reports */

/* The client library behind a connection. Worker thread only. */
struct db_link {
	bool (*connect)(struct connection *c, struct err *e);
	void (*disconnect)(struct connection *c); /* all statements are dropped before */
	/* Reads the tenant that the connection sees into `seen`. The caller empties `seen` first;
	 * it stays empty if there is no tenant. */
	bool (*confirm)(struct connection *c, char seen[TENANT_SEEN_BYTES], struct err *e);
	bool (*prepare)(struct connection *c, const char *text, size_t length, void **handle,
			struct err *e);
	void (*drop)(void *handle);
	/* Binds, runs, and adds the result to the work, if the statement has one. */
	bool (*execute)(struct connection *c, void *handle, struct work *w,
			const struct source_statement *s, struct err *e);
	bool (*exec)(struct connection *c, const char *text, struct err *e);
	bool (*read_cell)(struct connection *c, const char *text, char *out, size_t out_size,
			  bool *found, struct err *e);
};

extern const struct db_link db_link_odbc;   /* servers */
extern const struct db_link db_link_native; /* SQLite files */

/* Everything that differs between database products. */
struct db_dialect {
	enum dialect dialect;
	const struct db_link *link;
	/* One server for all tenants: another thread cancels statements with SQLCancel, and a
	 * connection that was asked to cancel is never reused. */
	bool server;
	bool wide;          /* texts are sent as UTF-16 */
	void (*init)(void); /* before the first connection of the process */
	void (*connection_string)(const struct tenant *t, struct buf *out); /* ODBC only */
	/* Configures a fresh connection and sets its tenant. */
	bool (*set_up)(struct connection *c, struct err *e);
	/* Returns true when the data that the connection reads has been replaced since it was
	 * opened. May be NULL. */
	bool (*replaced)(const struct connection *c);
	/* The query for the tenant that the connection sees: one row, one column. */
	const char *(*confirm_text)(const struct connection *c);
	/* Called before a statement is prepared or run again. May be NULL. */
	void (*before_statement)(struct connection *c, const struct source_statement *s);
	struct error_class (*classify)(const struct diag *d);
	const char *begin;
	const char *commit;
	const char *rollback;
	const char *savepoint;
	const char *release;       /* NULL: savepoints need no release */
	const char *secure_delete; /* secure delete, after the commit; NULL: nothing to do */
	const char *rollback_to;
};

extern const struct db_dialect db_mssql;
extern const struct db_dialect db_postgres;
extern const struct db_dialect db_sqlite;

/* Names under which a SQLite file is attached. Immutable; a change publishes a new list. */
struct db_schemas {
	struct db_schemas *before; /* the list it replaced; freed with the pool */
	char *names[DB_SCHEMAS_MAX];
	size_t count;
	char *confirm; /* query for the tenant of the file */
};

/* Options of one database. Constant once it is open, except `schemas`. */
struct db_settings {
	_Atomic(struct db_schemas *) schemas; /* NULL: none */
	bool one_tenant;
	const struct db_dialect *dialect;
	char *name;
	char *dsn;
	bool read_only;
	bool create;
	bool full_sync;
	size_t workers;
	size_t connections; /* limit of open connections */
	size_t queue;
	size_t share;       /* workers that one tenant may use */
	size_t queue_share; /* queue entries that one tenant may use */
	size_t max_rows;
	int64_t timeout_ms;
	int64_t transaction_idle_ms;
};

struct tenant {
	const struct db_settings *settings;
	char *id;
	char *file;
	char *check; /* name of its health check */
	/* loop thread only */
	struct list reads;      /* waiting, oldest first */
	struct list writes;     /* waiting, oldest first */
	struct list ready_node; /* in pool.ready_tenants while a request of it may start */
	size_t waiting;
	size_t group_commit; /* waiting writes that wait for group commit */
	size_t immediate;    /* the other waiting writes */
	struct timer *group_commit_timer;
	size_t running; /* jobs */
	bool writing;
	bool watched;
	bool down;
	bool needs_probe;
	struct db_pool *pool;
};

enum stop { STOP_NONE, STOP_TIMEOUT, STOP_CANCEL };

/* The statements of one request and their results. Allocated in its own arena, because a worker may
 * still use it long after the request was answered. */
struct work {
	struct list node;        /* in its job */
	struct request *request; /* loop thread only; NULL once the request was detached */
	struct arena *arena;
	struct source_statement *statements;
	size_t count;
	size_t max_rows; /* for statements whose sink sets no limit */
	bool secure_delete;
	bool probe;            /* only opens and confirms; for health checks */
	uint64_t number;       /* identifies the run for cancels; new for each run */
	atomic_int stop;       /* enum stop; written by the loop at any time, read by the worker */
	struct table **tables; /* capacity: `count` */
	struct frame **frames; /* one per statement; NULL: it has no frame sink */
	size_t table_count;
	int64_t *spent_us; /* for each statement that was started */
	size_t started;
	struct err err; /* ERR_NONE: success */
};

struct request {
	struct op op;
	struct list node; /* in a queue of its tenant, or in pool.retrying or pool.refused */
	struct work *work;
	struct db_pool *pool;
	struct tenant *tenant;
	struct job *job;                 /* while it runs */
	struct cancel_call *cancel_call; /* the pending attempt to cancel it */
	struct timer *deadline;          /* once cancelled: time of the next attempt to cancel */
	struct timer *backoff;           /* retry backoff */
	struct deferred deferred;        /* for requests refused at once */
	struct err err;                  /* its result; during backoff, that of the last attempt */
	uint64_t number;                 /* order of arrival */
	uint64_t queued_ms;              /* when it was queued, by the loop's clock */
	uint64_t end_ms;                 /* its deadline, by the loop's clock */
	uint64_t cancel_returned_ms; /* when the first attempt to cancel it returned; 0: none did */
	int attempts;
	bool waiting; /* in a queue */
	int64_t timeout_ms;
	bool write;
	bool group_commit;     /* still waits for group commit */
	struct frame **frames; /* borrowed from the caller */
	db_cb cb;              /* NULL once cancelled */
	void *owner;
};

struct request *db_request_new(struct db_pool *p, const struct db_request *from, db_cb cb,
			       void *owner);
/* Calls back (unless cancelled) and frees the request. Must not be called while a worker runs it.
 */
void db_request_finish(struct request *r);
/* New work with the same statements and no results. */
struct work *db_work_clone(const struct work *w);
void db_work_free(struct work **w);
void db_work_tables_free(struct work *w);

/* State of a job. The worker and the loop both change it by compare-and-exchange. */
enum job_state { JOB_CONFIRMING, JOB_RUNNING, JOB_OVER, JOB_ABANDONED };

/* A unit for a worker: works that run in order on one connection. */
struct job {
	struct pool_job base;
	struct list node; /* in pool.running, or in pool.abandoned */
	struct db_pool *pool;
	struct tenant *tenant;
	struct connection *connection;
	struct connection *evicted; /* of another tenant: closed to make room */
	struct list works;
	struct timer *checkout; /* time limit of confirming an idle connection */
	atomic_int state;
	bool sent;  /* the tenant was confirmed: statements may have been sent */
	bool probe; /* the half-open circuit breaker waits for its result */
	bool write;
	bool thread_added; /* abandoned, and a thread was added in place of its worker */
};

void db_job_run(struct pool_job *base);

/* A connection to one tenant's data. Allocated and freed on the loop, used by the worker that runs
 * its job. */
struct connection {
	struct list node; /* loop thread only: in pool.idle */
	const struct tenant *tenant;
	SQLHENV env;
	SQLHDBC dbc;
	bool open;
	bool lost;
	struct list prepared; /* most recently used first */
	size_t prepared_count;
	char *cell; /* buffer for one value */
	size_t cell_size;
	char *wide; /* buffer for one value as UTF-16 */
	size_t wide_size;
	bool transient;   /* the last failure was transient */
	bool must_reopen; /* too old, or idle when another one timed out: reopened at its next use
			   */
	int64_t opened_ms;
	struct work *running; /* read by SQLite's progress handler; worker thread only */
	/* What the current statement may read; NULL: everything that the connection may read. */
	const struct source_allow *allow;
	void *native;                     /* sqlite3 * */
	const struct db_schemas *schemas; /* SQLite, read-only: the list it was opened with */
	dev_t device; /* SQLite, read-only: identifies the file that was opened */
	ino_t inode;
	void *confirm;               /* the prepared query for the tenant */
	void *controls[DB_CONTROLS]; /* SQLite: prepared, in the order of db_native.c; NULL: not yet
				      */
	struct canceller *canceller;
	bool plain; /* PostgreSQL: statements now run without a cursor */
	enum db_long_text long_text;
};

void db_odbc_init(void); /* before the first connection of the process */
struct connection *db_connection_new(const struct tenant *t);
void db_connection_free(struct connection **c);
/* Worker thread only, all of these. */
MUST_CHECK bool db_connection_open(struct connection *c, struct err *e);
/* Checks which tenant the connection sees. If it is not its own, or the check fails, the connection
 * is marked lost. */
MUST_CHECK bool db_connection_confirm(struct connection *c, struct err *e);
void db_connection_close(struct connection *c);
/* Sets e from the error class, or from the work's stop if there was one. Marks a lost connection.
 * Returns false. */
bool db_connection_fail(struct connection *c, const struct diag *d, const struct error_class *v,
			const char *what, struct err *e);
/* Runs every statement of the work and adds the results to it. */
MUST_CHECK bool db_connection_run(struct connection *c, struct work *w, struct err *e);
/* Runs one internal statement without values and discards its result. Callers may ignore the return
 * value when they clean up after a failure. */
bool db_connection_exec(struct connection *c, const char *text, struct err *e);
/* Reads the first cell of the first row, at most out_size - 1 bytes. Without a row, or with NULL,
 * *found is false and the call succeeds. */
MUST_CHECK bool db_connection_read_cell(struct connection *c, const char *text, char *out,
					size_t out_size, bool *found, struct err *e);

/* As db_connection_exec, with bound values. ODBC only. */
MUST_CHECK bool db_odbc_exec_values(struct connection *c, const char *text,
				    const struct value *values, size_t count, struct err *e);

/*
 * Cancels a statement from another thread. The worker registers the running statement and the
 * number of its work; a cancel affects only that run. Shared by the connection and by cancels in
 * progress; the last owner frees it.
 */
struct canceller;
struct canceller *canceller_new(void);
struct canceller *canceller_share(struct canceller *s);
void canceller_release(struct canceller **s);
/* Worker thread only: a fresh connection. Looks up SQLCancel in the driver's library if that can be
 * found. The driver manager's SQLCancel clears the statement's errors without a lock, while the
 * worker may be writing them. */
void canceller_connected(struct canceller *s, SQLHDBC dbc);
/* Worker thread only: from now on `handle` runs for the work of that number, or nothing (NULL). */
void canceller_set(struct canceller *s, SQLHSTMT handle, uint64_t number);
/* Any other thread; may block as long as the driver's SQLCancel does. */
void canceller_cancel(struct canceller *s, uint64_t number);

/* Loop thread only: cancels the running request's statement, repeatedly until the worker returns or
 * is abandoned. */
void db_stop_start(struct request *r, enum stop reason);
/* Called before the request is freed: a pending attempt to cancel no longer refers to it. */
void db_stop_detach(struct request *r);

/* Binds a value with its exact type. Converted copies are allocated in the arena. */
void db_bind(const struct value *v, struct arena *a, bool wide, enum db_long_text long_text,
	     struct bound *out);
enum column_type db_column_type(SQLSMALLINT sql_type);

/* Converts UTF-8 to UTF-16 in the arena, and back into `out`, which must hold three bytes per unit.
 * Invalid sequences become U+FFFD. */
SQLWCHAR *db_wide_from(struct arena *a, const char *text, size_t *units);
size_t db_wide_to(const SQLWCHAR *wide, size_t units, char *out);

/* A prepared statement of a connection. */
struct prepared {
	struct list node;
	void *handle;
	size_t length;
	char *text;
};

/* The rows of a result, read one after the other. */
struct db_rows {
	bool (*next)(struct db_rows *r, bool *more, struct err *e);
	/* Name and type of a column, once the first row was read or there is none. `is_inferred`:
	 * the type is not declared but taken from the first row's value. */
	bool (*describe)(struct db_rows *r, size_t i, struct arena *a, struct column *column,
			 bool *is_inferred, struct err *e);
	/* A cell of the current row, in a buffer of the connection with spare bytes behind it; NULL
	 * for NULL. */
	bool (*cell)(struct db_rows *r, size_t i, const struct column *column, char **text,
		     size_t *length, struct err *e);
};

/* Reads the rows into a table that is added to the work. Without columns no table is added. */
MUST_CHECK bool db_fetch_table(struct db_rows *from, size_t columns, struct work *w,
			       const struct source_statement *s, struct err *e);
/* As db_fetch_table, into a frame of the work. */
MUST_CHECK bool db_fetch_frame(struct db_rows *from, size_t columns, struct work *w,
			       const struct source_statement *s, struct err *e);
/* Replaces invalid UTF-8 bytes by "?". */
void db_cell_make_valid(char *text, size_t length);
bool db_cell_too_long(const struct column *column, struct err *e); /* returns false */
/* Reads the result of an executed ODBC statement, if it has one. */
MUST_CHECK bool db_odbc_read(struct connection *c, SQLHSTMT handle, struct work *w,
			     const struct source_statement *s, struct err *e);
/* As db_connection_fail, from the handle's diagnostic record. */
bool db_odbc_fail(struct connection *c, SQLSMALLINT type, SQLHANDLE handle, const char *what,
		  struct err *e);
/* Appends a file: URI. Every unusual byte is escaped, so no path can end the URI or the SQL string
 * around it. */
void db_sqlite_uri(struct buf *out, const char *path, const char *mode);
/* Accounting of SQLite's memory for the statement that runs on this thread; db_memory.c. */
void db_memory_init(void); /* before the library is used */
void db_memory_begin(int64_t bytes_max);
bool db_memory_end(void); /* true: the statement exceeded its limit */
/* Keeps SQLite's temporary files in memory from now on; db_temporary.c. */
void db_temporary_init(void);
/* Maps a declared type. For an expression the name is the type of its first value, and *is_inferred
 * is true. */
enum column_type db_sqlite_column_type(const char *name, bool *is_inferred);
/* Restricts the connection to reading the attached schemas, further restricted by
 * c->allow if it is set. */
void db_allow_reading_only(struct connection *c);
/* Makes the connection compute sums, means and rounding with exact decimals (db_exact.c). */
bool db_exact_use(struct connection *c, struct err *e);
struct source_allow *db_allow_copy(struct arena *a, const struct source_allow *from);
/* False with ERR_TIMEOUT or ERR_CANCELLED when the loop asked the worker to stop. */
MUST_CHECK bool db_work_may_continue(const struct work *w, struct err *e);

/* The loop side. */

struct db_pool {
	struct loop *loop;
	struct db_settings settings;
	struct tenant *tenants;
	size_t tenant_count;
	struct pool *workers;
	struct pool *cancel_workers; /* calls SQLCancel, which may block; NULL without a server */
	struct list
		ready_tenants; /* tenants with a request that may start, longest waiting first */
	struct list retrying;  /* requests in retry backoff */
	struct list running;   /* jobs */
	struct list refused;   /* requests that the circuit breaker is about to refuse */
	struct list abandoned; /* jobs of abandoned workers that have not returned */
	size_t abandoned_count;
	struct list idle; /* connections, most recently used first */
	size_t connections;
	size_t waiting;
	uint64_t next_number;
	struct breaker breaker;
	char last_failure[200]; /* the failure that opened the breaker */
	struct timer *watch;
	bool probing;
	size_t probe_next;
	bool closing;
	struct db_pool *next_abandoned; /* next closed pool with abandoned workers */
	char *name;                     /* the source's */
};

extern const struct db_driver db_pool_driver;
MUST_CHECK bool db_pool_open(struct loop *l, const struct db_options *options,
			     const struct db_dialect *dialect, struct db_pool **out, struct err *e);
/* Starts a request's deadline, queues it and starts requests that can run. */
void db_pool_submit(struct db_pool *p, struct request *r);
/* As db_pool_submit, for a request whose deadline is already running. */
void db_pool_enqueue(struct db_pool *p, struct request *r);
void db_pool_pump(struct db_pool *p);
/* Answers the requests that the circuit breaker refused. */
void db_pool_refuse(struct db_pool *p);
/* Returns a connection that is no longer in use. */
void db_pool_return_connection(struct db_pool *p, struct connection *c);

/* db_queue.c: order of the waiting requests */
size_t db_queue_share(size_t all, size_t tenants);
void db_queue_add(struct request *r);
void db_queue_remove(struct request *r); /* no effect on a request that is not queued */
int64_t db_queue_waited_ms(const struct db_pool *p);
struct request *db_queue_next(struct db_pool *p);
/* Lets the tenant's writes that wait for group commit start now. */
void db_queue_start_group_commits(struct tenant *t);
/* Call after a request of the tenant started or ended. */
void db_queue_update(struct db_pool *p, struct tenant *t);

/* db_end.c: the end of a job */
void db_job_done(struct pool_job *base);
/* Abandons the job's worker. Its requests are answered; with `requeue`, valid if nothing was sent,
 * they are queued again for another connection. The caller has already set JOB_ABANDONED. */
void db_job_abandon(struct job *j, bool requeue);
bool db_breaker_refuses(const struct db_pool *p, struct err *e);

/* db_stop.c */
void db_deadline_start(struct request *r);
void db_checkout_start(struct job *j);

/* db_schemas.c */
MUST_CHECK bool db_pool_use_schemas(struct db_pool *p, const char *const *names, struct err *e);
void db_schemas_free(struct db_settings *s);

void db_pool_watch(struct db_pool *p, const char *const *tenants); /* db_watch.c */
/* Updates the tenant's health check from the result of a request. */
void db_watch_record(struct tenant *t, const struct err *e);
/* The circuit breaker is open, so no tenant is served: sets each tenant's health check to down. */
void db_watch_unavailable(struct db_pool *p, const struct err *e);

#endif
