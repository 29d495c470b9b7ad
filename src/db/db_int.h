/*
 * What the files of the database folder share.
 *
 * Two sides, cut cleanly. The loop side (db_pool.c, db_request.c, db_watch.c) queues requests,
 * picks connections and calls back. The worker side (db_worker.c, db_odbc.c, db_fetch.c and the
 * dialect) opens connections and runs statements; it touches nothing but the job it was given. The
 * only thing both touch at the same time is work.stop.
 */
#ifndef VESPER_DB_INT_H
#define VESPER_DB_INT_H

#include <sql.h>
#include <sqlext.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/db.h"
#include "vesper/list.h"
#include "vesper/pool.h"
#include "vesper/str.h"

struct db {
	const struct db_driver *driver;
	void *self;
	enum dialect dialect;
};

struct source;
struct tenant;
struct connection;

/* What went wrong in ODBC, and what it means. */
struct diag {
	char state[6];
	SQLINTEGER native;
	char message[160]; /* for operators; never a bound value */
};

struct verdict {
	enum err_code code;
	bool may_retry;
	bool lost; /* the connection is of no use any more */
};

/* One bound place, ready for SQLBindParameter. */
struct bound {
	SQLSMALLINT c_type;
	SQLSMALLINT sql_type;
	SQLULEN size;
	const void *data;
	SQLLEN length; /* or SQL_NULL_DATA */
	int64_t number;
	double real;
};

/* Everything that differs from one database product to the next. */
struct db_dialect {
	enum dialect dialect;
	void (*init)(void); /* before the first connection of the process */
	void (*connection_string)(const struct tenant *t, SQLHENV env, struct buf *out);
	/* On the worker: before SQLDriverConnect, and with NULL after it. */
	void (*connecting)(struct connection *c);
	/* Brings a fresh connection into its working state and confirms the tenant. */
	bool (*set_up)(struct connection *c, struct err *e);
	/* Asks again which tenant the connection sees. */
	bool (*confirm)(struct connection *c, struct err *e);
	void (*bind)(const struct value *v, struct bound *out);
	/* `guess`: the driver had no declaration to go by, only the first row's value. */
	enum column_type (*column_type)(SQLSMALLINT sql_type, const char *type_name, bool *guess);
	struct verdict (*judge)(const struct diag *d);
	const char *begin;
	const char *commit;
	const char *rollback;
	const char *savepoint;
	const char *release;
	const char *rollback_to;
};

extern const struct db_dialect db_sqlite;

/* Options of one database, constant once it is open. */
struct source {
	const struct db_dialect *dialect;
	char *name;
	char *dsn;
	bool read_only;
	bool create;
	bool full_sync;
	size_t workers;
	size_t queue;
	size_t max_rows;
	int64_t timeout_ms;
};

struct tenant {
	const struct source *source;
	char *id;
	char *file;
	char *check; /* name of its health check */
	/* the loop's */
	struct list writes;      /* waiting write requests */
	struct list writer_node; /* in pool.writers while some wait and none runs */
	bool writing;
	bool watched;
	bool down;
	bool probing;
};

enum stop { STOP_NO, STOP_TIMEOUT, STOP_CANCEL };

/* What one request asks of a worker, and what comes back. */
struct work {
	struct arena *arena;
	struct db_statement *statements;
	size_t count;
	size_t max_rows;
	atomic_int stop;       /* set by the loop at any time, read by the worker */
	struct table **tables; /* room for `count` */
	size_t table_count;
	int64_t *spent_us; /* for each statement that was started */
	size_t started;
	struct err err; /* ERR_NONE: done */
};

struct request {
	struct op op;
	struct list node; /* in a queue, or in its job */
	struct work work;
	struct db_pool *pool;
	struct tenant *tenant;
	struct job *job; /* while it runs */
	struct timer *deadline;
	struct later later; /* for those refused at once */
	uint64_t number;    /* order of arrival */
	bool waiting;       /* in a queue */
	int64_t timeout_ms;
	bool write;
	bool probe; /* only opens and confirms; for the watch */
	db_cb cb;   /* NULL once cancelled */
	void *owner;
};

struct request *db_request_new(struct db_pool *p, const struct db_request *from, db_cb cb,
			       void *owner);
/* Calls back (unless cancelled) and frees. Not while a worker has it. */
void db_request_finish(struct request *r);
void db_request_tables_free(struct work *w);

/* What a worker gets: requests that run one after the other on one connection. */
struct job {
	struct pool_job base;
	struct list node; /* in pool.running */
	struct db_pool *pool;
	struct tenant *tenant;
	struct connection *connection;
	struct connection *evicted; /* of another tenant: closed to make room */
	struct list requests;
	bool write;
};

void db_job_run(struct pool_job *base);

/* A connection to one tenant's data. Made and freed on the loop, used by the worker that has its
 * job. */
struct connection {
	struct list node; /* the loop's: in pool.idle */
	const struct tenant *tenant;
	SQLHENV env;
	SQLHDBC dbc;
	bool open;
	bool lost;
	struct list prepared; /* most recently used first */
	size_t prepared_count;
	char *cell; /* room for one value */
	size_t cell_size;
	struct work *running; /* what the dialect's own interruption looks at; the worker's */
	void *native;         /* the dialect's */
};

struct connection *db_connection_new(const struct tenant *t);
void db_connection_free(struct connection **c);
/* All of these are the worker's. */
MUST_CHECK bool db_connection_open(struct connection *c, struct err *e);
void db_connection_close(struct connection *c);
/* Runs every statement of the work; its tables are added. */
MUST_CHECK bool db_connection_run(struct connection *c, struct work *w, struct err *e);
/* One statement of ours without values and without interest in its result. On the way back from a
 * failure the result may be ignored too. */
bool db_connection_exec(struct connection *c, const char *text, struct err *e);
/* The first cell of the first row, at most out_size - 1 bytes. False without an error text of its
 * own when there is no row: *found says so. */
MUST_CHECK bool db_connection_ask(struct connection *c, const char *text, char *out,
				  size_t out_size, bool *found, struct err *e);

/* A prepared statement of a connection. */
struct prepared {
	struct list node;
	SQLHSTMT handle;
	size_t length;
	char *text;
};

/* Reads the result of an executed statement, if it has one. `stale` is set when the driver's types
 * can't be trusted for another run. */
MUST_CHECK bool db_fetch_table(struct connection *c, SQLHSTMT handle, struct work *w,
			       const char *name, bool *stale, struct err *e);
/* Fills e from the handle's diagnosis and the work's stop; marks a lost connection. Returns false.
 */
bool db_odbc_fail(struct connection *c, SQLSMALLINT type, SQLHANDLE handle, const char *what,
		  struct err *e);
/* ERR_TIMEOUT or ERR_CANCELLED when the loop asked to stop; true when it did not. */
MUST_CHECK bool db_work_may_go_on(const struct work *w, struct err *e);

/* The loop side. */
struct db_pool {
	struct loop *loop;
	struct source source;
	struct tenant *tenants;
	size_t tenant_count;
	struct pool *workers;
	struct list reads;   /* waiting, oldest first */
	struct list writers; /* tenants whose oldest write may start */
	struct list running; /* jobs */
	struct list idle;    /* connections, most recently used first */
	size_t connections;
	size_t waiting;
	uint64_t next_number;
	struct timer *watch;
	bool closing;
	char *gauge_busy; /* metric names */
	char *gauge_idle;
	char *gauge_queue;
};

extern const struct db_driver db_pool_driver;
MUST_CHECK bool db_pool_open(struct loop *l, const struct db_options *options,
			     const struct db_dialect *dialect, struct db_pool **out, struct err *e);
/* Puts a request in the queue and starts what can start. */
void db_pool_submit(struct db_pool *p, struct request *r);

/* Takes a waiting request out of its queue; one that waits nowhere is left alone. */
void db_pool_forget(struct request *r);

void db_pool_watch(struct db_pool *p); /* db_watch.c */
/* A request of the tenant ended so: keeps the health check up to date. */
void db_watch_note(struct tenant *t, const struct err *e);

#endif
