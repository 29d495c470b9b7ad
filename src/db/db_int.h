/*
 * What the files of the database folder share.
 *
 * Two sides, cut cleanly. The loop side (db_pool.c, db_request.c, db_watch.c) queues requests,
 * picks connections and calls back. The worker side (db_worker.c, db_connection.c, its link
 * db_odbc.c or db_native.c, db_allow.c, db_fetch.c and the dialect) opens connections and runs
 * statements; it touches nothing but the job it was given. The only thing both touch at the same
 * time is work.stop.
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

/* What went wrong, as ODBC tells it, and what it means. */
struct diag {
	char state[6];
	SQLINTEGER native;
	char message[160]; /* for operators; never a bound value */
};

struct verdict {
	enum err_code code;
	bool may_retry;
	bool lost;      /* the connection is of no use any more */
	bool transient; /* the same unit may go through on a fresh connection */
};

/* One bound place, ready for SQLBindParameter. */
struct bound {
	SQLSMALLINT c_type;
	SQLSMALLINT sql_type;
	SQLULEN size;
	SQLSMALLINT digits; /* after the point */
	const void *data;
	SQLLEN length; /* or SQL_NULL_DATA */
	int64_t number;
	unsigned char bit;
	SQL_DATE_STRUCT date;
};

/* How a driver is told of a wide text that may be longer than nvarchar(4000). */
enum db_long_text {
	DB_LONG_BY_SIZE, /* SQL_WVARCHAR of size 0 is nvarchar(max): msodbcsql */
	DB_LONG_BY_TYPE, /* SQL_WLONGVARCHAR: FreeTDS cuts any SQL_WVARCHAR, and says nothing */
};

#define TENANT_SEEN_BYTES 1024 /* what a connection says of its tenant */

/* What connections are made with. All of it is the worker's. */
struct db_link {
	bool (*connect)(struct connection *c, struct err *e);
	void (*disconnect)(struct connection *c); /* nothing is prepared any more */
	/* Which tenant does it see? `seen` is empty before the call and stays so for none. */
	bool (*confirm)(struct connection *c, char seen[TENANT_SEEN_BYTES], struct err *e);
	bool (*prepare)(struct connection *c, const char *text, size_t length, void **handle,
			struct err *e);
	void (*drop)(void *handle);
	/* Binds, runs, and adds the table if there is one. */
	bool (*execute)(struct connection *c, void *handle, struct work *w,
			const struct source_statement *s, struct err *e);
	bool (*exec)(struct connection *c, const char *text, struct err *e);
	bool (*ask)(struct connection *c, const char *text, char *out, size_t out_size, bool *found,
		    struct err *e);
};

extern const struct db_link db_link_odbc;   /* servers */
extern const struct db_link db_link_native; /* SQLite files */

/* Everything that differs from one database product to the next. */
struct db_dialect {
	enum dialect dialect;
	const struct db_link *link;
	/* One server for all tenants: statements are stopped by SQLCancel from another thread, and
	 * a connection that was asked to stop is never used again. */
	bool server;
	bool wide;          /* texts travel as UTF-16 */
	void (*init)(void); /* before the first connection of the process */
	void (*connection_string)(const struct tenant *t, struct buf *out); /* ODBC only */
	/* Brings a fresh connection into its working state and gives it its tenant. */
	bool (*set_up)(struct connection *c, struct err *e);
	/* Whether what the connection reads was put in another's place since; may be NULL. */
	bool (*replaced)(const struct connection *c);
	/* Asks which tenant the connection sees: one row, one column. */
	const char *(*confirm_text)(const struct connection *c);
	/* Before a statement is prepared or run again; may be NULL. */
	void (*starting)(struct connection *c, const struct source_statement *s);
	struct verdict (*judge)(const struct diag *d);
	const char *begin;
	const char *commit;
	const char *rollback;
	const char *savepoint;
	const char *release; /* NULL where savepoints need none */
	const char *forget;  /* after a commit of deletions; NULL: nothing to do */
	const char *rollback_to;
};

extern const struct db_dialect db_mssql;
extern const struct db_dialect db_postgres;
extern const struct db_dialect db_sqlite;

/* Names under which a SQLite file is attached. Never changed: others take its place. */
struct db_schemas {
	struct db_schemas *before; /* that it took the place of; freed with the pool */
	char *names[DB_SCHEMAS_MAX];
	size_t count;
	char *confirm; /* asks whose file it is */
};

/* Options of one database, constant once it is open, but for the schemas. */
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
	size_t connections; /* open at most */
	size_t queue;
	size_t share;       /* of the workers, for one tenant */
	size_t queue_share; /* of the queue */
	size_t max_rows;
	int64_t timeout_ms;
	int64_t transaction_idle_ms;
};

struct tenant {
	const struct db_settings *source;
	char *id;
	char *file;
	char *check; /* name of its health check */
	/* the loop's */
	struct list reads;  /* waiting, oldest first */
	struct list writes; /* the same */
	struct list turn;   /* in pool.turns while it has something that may start */
	size_t waiting;
	size_t patient; /* of the writes: not worth a transaction of their own yet */
	size_t urgent;  /* the others */
	struct timer *patience;
	size_t running; /* jobs */
	bool writing;
	bool watched;
	bool down;
	bool to_probe;
	struct db_pool *pool;
};

enum stop { STOP_NO, STOP_TIMEOUT, STOP_CANCEL };

/* What one request asks of a worker, and what comes back. It lies in its own arena, because a
 * worker may be stuck with it long after the request was answered. */
struct work {
	struct list node;        /* in its job */
	struct request *request; /* the loop's; NULL when nobody waits for it any more */
	struct arena *arena;
	struct source_statement *statements;
	size_t count;
	size_t max_rows; /* of a statement whose sink says nothing else */
	bool forget;
	bool probe;            /* only opens and confirms; for the watch */
	uint64_t number;       /* what a stop must name; new for each attempt */
	atomic_int stop;       /* set by the loop at any time, read by the worker */
	struct table **tables; /* room for `count` */
	struct frame **frames; /* one a statement; NULL: it has none */
	size_t table_count;
	int64_t *spent_us; /* for each statement that was started */
	size_t started;
	struct err err; /* ERR_NONE: done */
};

struct request {
	struct op op;
	struct list node; /* in a queue of its tenant, or in pool.resting */
	struct work *work;
	struct db_pool *pool;
	struct tenant *tenant;
	struct job *job;        /* while it runs */
	struct stop_call *stop; /* an attempt to stop it that has not ended */
	struct timer *deadline; /* while it is being stopped: the next attempt at that */
	struct timer *rest;     /* before it is tried again */
	struct later later;     /* for those refused at once */
	struct err err;         /* how it ends; of the last attempt while it rests */
	uint64_t number;        /* order of arrival */
	uint64_t queued_ms;     /* since when it waits, by the loop's clock */
	uint64_t end_ms;        /* when its time is over, by the loop's clock */
	uint64_t stopped_ms;    /* when the first attempt to stop it came back; 0: none did */
	int attempts;
	bool waiting; /* in a queue */
	int64_t timeout_ms;
	bool write;
	bool patient;          /* still */
	struct frame **frames; /* the caller's */
	db_cb cb;              /* NULL once cancelled */
	void *owner;
};

struct request *db_request_new(struct db_pool *p, const struct db_request *from, db_cb cb,
			       void *owner);
/* Calls back (unless cancelled) and frees. Not while a worker has it. */
void db_request_finish(struct request *r);
/* The same statements, not yet run. */
struct work *db_work_again(const struct work *w);
void db_work_free(struct work **w);
void db_work_tables_free(struct work *w);

/* Where a job is. The worker and the loop both move it, each from what it last knew. */
enum job_state { JOB_CONFIRMING, JOB_RUNNING, JOB_OVER, JOB_GIVEN_UP };

/* What a worker gets: work that runs piece after piece on one connection. */
struct job {
	struct pool_job base;
	struct list node; /* in pool.running, or in pool.lost */
	struct db_pool *pool;
	struct tenant *tenant;
	struct connection *connection;
	struct connection *evicted; /* of another tenant: closed to make room */
	struct list works;
	struct timer *checkout; /* how long confirming an idle connection may take */
	atomic_int state;
	bool sent;  /* the tenant was confirmed: statements may have been sent */
	bool probe; /* the breaker waits for it */
	bool write;
	bool widened; /* given up, and another thread does what its thread should */
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
	char *wide; /* room for one value as UTF-16 */
	size_t wide_size;
	bool transient; /* the last failure was one that may pass */
	bool suspect;   /* idle for long, or beside one that broke: opened anew at its next use */
	int64_t opened_ms;
	struct work *running; /* what SQLite's progress handler looks at; the worker's */
	/* What the statement that is prepared or run may touch; NULL: what the connection may. */
	const struct source_allow *allow;
	void *native;                     /* SQLite's own handle */
	const struct db_schemas *schemas; /* SQLite, read-only: it was opened with */
	dev_t device;                     /* the same: the file that was opened */
	ino_t inode;
	void *confirm;               /* the prepared question for the tenant */
	void *controls[DB_CONTROLS]; /* SQLite: prepared, in the order of db_native.c; NULL */
	struct stopper *stopper;
	bool plain; /* PostgreSQL: statements run without a cursor now */
	enum db_long_text long_text;
};

void db_odbc_init(void); /* before the first connection of the process */
struct connection *db_connection_new(const struct tenant *t);
void db_connection_free(struct connection **c);
/* All of these are the worker's. */
MUST_CHECK bool db_connection_open(struct connection *c, struct err *e);
/* Which tenant does it see? Anything but its own: the connection is lost. */
MUST_CHECK bool db_connection_confirm(struct connection *c, struct err *e);
void db_connection_close(struct connection *c);
/* Fills e from what went wrong and the work's stop; marks a lost connection. Returns false. */
bool db_connection_fail(struct connection *c, const struct diag *d, const struct verdict *v,
			const char *what, struct err *e);
/* Runs every statement of the work; its tables are added. */
MUST_CHECK bool db_connection_run(struct connection *c, struct work *w, struct err *e);
/* One statement of ours without values and without interest in its result. On the way back from a
 * failure the result may be ignored too. */
bool db_connection_exec(struct connection *c, const char *text, struct err *e);
/* The first cell of the first row, at most out_size - 1 bytes. False without an error text of its
 * own when there is no row: *found says so. */
MUST_CHECK bool db_connection_ask(struct connection *c, const char *text, char *out,
				  size_t out_size, bool *found, struct err *e);

/* The same with values; through ODBC. */
MUST_CHECK bool db_odbc_exec_values(struct connection *c, const char *text,
				    const struct value *values, size_t count, struct err *e);

/*
 * Stopping a statement from another thread. The worker says what runs, for which request; a stop
 * hits only that. Shared by the connection and by stops on their way; the last one frees it.
 */
struct stopper;
struct stopper *stopper_new(void);
struct stopper *stopper_share(struct stopper *s);
void stopper_release(struct stopper **s);
/* The worker's: a fresh connection. The driver is asked directly where its library can be found:
 * the driver manager's SQLCancel forgets the statement's errors without a lock, while the worker
 * may be writing them. */
void stopper_connected(struct stopper *s, SQLHDBC dbc);
/* The worker's: from here on `handle` runs for the request of that number, or nothing (NULL). */
void stopper_set(struct stopper *s, SQLHSTMT handle, uint64_t number);
/* Any other thread's; may block as long as the driver's SQLCancel does. */
void stopper_stop(struct stopper *s, uint64_t number);

/* The loop's: has the running request's statement stopped, again and again until the worker is back
 * with it or is given up. */
void db_stop_start(struct request *r, enum stop why);
/* The request goes; an attempt that is on its way finds nothing any more. */
void db_stop_forget(struct request *r);

/* Every value with a type of its own. What has to be made for it lives in the arena. */
void db_bind(const struct value *v, struct arena *a, bool wide, enum db_long_text long_text,
	     struct bound *out);
enum column_type db_column_type(SQLSMALLINT sql_type);

/* UTF-8 to UTF-16 in the arena, and back into the buffer (false: no room). Bytes that are no text
 * become U+FFFD. */
SQLWCHAR *db_wide_from(struct arena *a, const char *text, size_t *units);
size_t db_wide_to(const SQLWCHAR *wide, size_t units, char *out);

/* A prepared statement of a connection. */
struct prepared {
	struct list node;
	void *handle;
	size_t length;
	char *text;
};

/* Where rows come from, one after the other. */
struct db_rows {
	bool (*next)(struct db_rows *r, bool *more, struct err *e);
	/* Name and type of a column, once the first row was read. `guess`: nothing declares the
	 * type, it is that of the first row's value. */
	bool (*describe)(struct db_rows *r, size_t i, struct arena *a, struct column *column,
			 bool *guess, struct err *e);
	/* A cell of the current row in a buffer of the connection, with some room behind it; NULL
	 * for NULL. */
	bool (*cell)(struct db_rows *r, size_t i, const struct column *column, char **text,
		     size_t *length, struct err *e);
};

/* Reads them into a table that is added to the work; without columns there is none. */
MUST_CHECK bool db_fetch_table(struct db_rows *from, size_t columns, struct work *w,
			       const struct source_statement *s, struct err *e);
/* The same into a frame of the work. */
MUST_CHECK bool db_fetch_frame(struct db_rows *from, size_t columns, struct work *w,
			       const struct source_statement *s, struct err *e);
/* Bytes that are no UTF-8 become "?". */
void db_cell_make_valid(char *text, size_t length);
bool db_cell_too_long(const struct column *column, struct err *e); /* returns false */
/* Reads the result of an executed ODBC statement, if it has one. */
MUST_CHECK bool db_odbc_read(struct connection *c, SQLHSTMT handle, struct work *w,
			     const struct source_statement *s, struct err *e);
/* As db_connection_fail, from the handle's diagnosis. */
bool db_odbc_fail(struct connection *c, SQLSMALLINT type, SQLHANDLE handle, const char *what,
		  struct err *e);
/* A file: URI; with every unusual byte escaped nothing in a path can end it or the text around it.
 */
void db_sqlite_uri(struct buf *out, const char *path, const char *mode);
/* SQLite's memory, counted for the statement that runs on this thread; db_memory.c. */
void db_memory_init(void); /* before the library is used */
void db_memory_begin(int64_t bytes_max);
bool db_memory_end(void); /* true: the statement wanted more */
/* SQLite's temporary files are blocks of memory from now on; db_temporary.c. */
void db_temporary_init(void);
/* By the declared type; of an expression by what the first row has, which is a guess. */
enum column_type db_sqlite_column_type(const char *name, bool *guess);
/* From here on the connection can only read the attached schemas: through c->allow, where that is
 * set. */
void db_allow_reading_only(struct connection *c);
/* Means and rounding of the connection's statements are those of exact decimals (db_exact.c). */
bool db_exact_use(struct connection *c, struct err *e);
struct source_allow *db_allow_copy(struct arena *a, const struct source_allow *from);
/* ERR_TIMEOUT or ERR_CANCELLED when the loop asked to stop; true when it did not. */
MUST_CHECK bool db_work_may_go_on(const struct work *w, struct err *e);

/* The loop side. */

struct db_pool {
	struct loop *loop;
	struct db_settings source;
	struct tenant *tenants;
	size_t tenant_count;
	struct pool *workers;
	struct pool *stops;  /* calls SQLCancel, which may block; NULL without a server */
	struct list turns;   /* tenants with something that may start, who waits longest first */
	struct list resting; /* requests that will be tried again */
	struct list running; /* jobs */
	struct list refused; /* requests that the breaker is about to refuse */
	struct list lost;    /* jobs whose worker did not come back yet */
	size_t lost_count;
	struct list idle; /* connections, most recently used first */
	size_t connections;
	size_t waiting;
	uint64_t next_number;
	struct breaker breaker;
	char away[200]; /* the failure that opened it */
	struct timer *watch;
	bool probing;
	size_t probe_next;
	bool closing;
	struct db_pool *next_left; /* closed, but with workers that did not come back */
	char *name;                /* the source's */
};

extern const struct db_driver db_pool_driver;
MUST_CHECK bool db_pool_open(struct loop *l, const struct db_options *options,
			     const struct db_dialect *dialect, struct db_pool **out, struct err *e);
/* Starts a request's time, puts it in the queue and starts what can start. */
void db_pool_submit(struct db_pool *p, struct request *r);
/* The same for one whose time runs already. */
void db_pool_again(struct db_pool *p, struct request *r);
void db_pool_pump(struct db_pool *p);
/* Answers those that the breaker refused. */
void db_pool_refuse(struct db_pool *p);
/* A connection that is not in use any more. */
void db_pool_give_back(struct db_pool *p, struct connection *c);

/* db_queue.c: who is next. */
size_t db_queue_share(size_t all, size_t tenants);
void db_queue_add(struct request *r);
void db_queue_remove(struct request *r); /* one that waits nowhere is left alone */
int64_t db_queue_waited_ms(const struct db_pool *p);
struct request *db_queue_next(struct db_pool *p);
/* Its patient writes may start now; the tenant's patience ends with this. */
void db_queue_hurry(struct tenant *t);
/* Something of the tenant's started or ended. */
void db_queue_update(struct db_pool *p, struct tenant *t);

/* db_end.c: what becomes of a job. */
void db_job_done(struct pool_job *base);
/* Its worker does not come back: its requests are answered, or when nothing of them was sent tried
 * again on another connection. The state is JOB_GIVEN_UP already. */
void db_job_abandon(struct job *j, bool again);
bool db_breaker_refuses(const struct db_pool *p, struct err *e);

/* db_stop.c */
void db_deadline_start(struct request *r);
void db_checkout_start(struct job *j);

/* db_schemas.c */
MUST_CHECK bool db_pool_use_schemas(struct db_pool *p, const char *const *names, struct err *e);
void db_schemas_free(struct db_settings *s);

void db_pool_watch(struct db_pool *p, const char *const *tenants); /* db_watch.c */
/* A request of the tenant ended so: keeps the health check up to date. */
void db_watch_note(struct tenant *t, const struct err *e);
/* The source is left alone, so that no tenant is served: each one's check says so. */
void db_watch_away(struct db_pool *p, const struct err *e);

#endif
