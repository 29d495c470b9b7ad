/*
 * Cancels statements from another thread. The driver's cancel may come at any time, even when the
 * statement has just ended and another one runs. The lock and the work's number ensure that it
 * affects only the intended statement.
 */
#include "db_int.h"

#include <dlfcn.h>
#include <pthread.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct canceller {
	pthread_mutex_t lock;
	SQLHSTMT running; /* the driver's handle if `cancel` is the driver's function */
	SQLRETURN (*cancel)(SQLHSTMT);
	SQLHDBC dbc;
	uint64_t number;
	atomic_int users;
};

struct canceller *canceller_new(void)
{
	struct canceller *s = mem_alloc(sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	atomic_init(&s->users, 1);
	return s;
}

struct canceller *canceller_share(struct canceller *s)
{
	atomic_fetch_add(&s->users, 1);
	return s;
}

void canceller_release(struct canceller **canceller)
{
	struct canceller *s = *canceller;

	*canceller = NULL;
	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	pthread_mutex_destroy(&s->lock);
	mem_free(s);
}

void canceller_connected(struct canceller *s, SQLHDBC dbc)
{
	SQLCHAR name[512] = "";
	SQLSMALLINT length;
	void *driver = NULL;

	s->cancel = NULL;
	s->dbc = dbc;
	if (SQL_SUCCEEDED(SQLGetInfo(dbc, SQL_DRIVER_NAME, name, sizeof(name), &length)))
		driver = dlopen((const char *)name, RTLD_LAZY | RTLD_NOLOAD);
	if (!driver)
		return;
	*(void **)&s->cancel = dlsym(driver, "SQLCancel");
	dlclose(driver); /* the driver manager keeps it loaded */
}

void canceller_set(struct canceller *s, SQLHSTMT handle, uint64_t number)
{
	if (handle && s->cancel &&
	    !SQL_SUCCEEDED(SQLGetInfo(s->dbc, SQL_DRIVER_HSTMT, &handle, sizeof(handle), NULL)))
		handle = NULL;
	pthread_mutex_lock(&s->lock);
	s->running = handle;
	s->number = number;
	pthread_mutex_unlock(&s->lock);
}

/* Holds the lock during the cancel, so that the worker cannot free the handle meanwhile:
 * canceller_set waits for the lock. */
void canceller_cancel(struct canceller *s, uint64_t number)
{
	pthread_mutex_lock(&s->lock);
	if (s->running && s->number == number)
		s->cancel ? s->cancel(s->running) : SQLCancel(s->running);
	pthread_mutex_unlock(&s->lock);
}

/* One attempt to cancel, a job of the pool `cancel_workers`. */
struct cancel_call {
	struct pool_job base;
	struct request *request; /* NULL once it was freed */
	struct pool *cancel_workers;
	struct canceller *canceller;
	uint64_t number;
	bool thread_added; /* it hangs, and a thread was added in place of its thread */
};

static void cancel_run(struct pool_job *base)
{
	struct cancel_call *s = list_item(base, struct cancel_call, base);

	canceller_cancel(s->canceller, s->number);
}

static void on_cancel_returned(struct pool_job *base)
{
	struct cancel_call *s = list_item(base, struct cancel_call, base);

	if (s->request) {
		s->request->cancel_call = NULL;
		if (s->request->cancel_returned_ms == 0)
			s->request->cancel_returned_ms = loop_now_ms(s->request->pool->loop);
	}
	if (s->thread_added)
		pool_remove_thread(s->cancel_workers);
	canceller_release(&s->canceller);
	mem_free(s);
}

static void cancel_attempt(struct request *r)
{
	struct cancel_call *s;

	if (r->cancel_call || !r->pool->cancel_workers)
		return;
	s = mem_alloc(sizeof(*s));
	s->base.run = cancel_run;
	s->base.done = on_cancel_returned;
	s->request = r;
	s->cancel_workers = r->pool->cancel_workers;
	s->canceller = canceller_share(r->job->connection->canceller);
	s->number = r->work->number;
	r->cancel_call = s;
	pool_submit(r->pool->cancel_workers, &s->base);
}

/* A cancel that arrives just before the statement is sent has no effect, so it is repeated. */
void db_stop_start(struct request *r, enum stop reason)
{
	int expected = STOP_NONE;

	if (atomic_compare_exchange_strong(&r->work->stop, &expected, (int)reason)) {
		r->end_ms = loop_now_ms(r->pool->loop);
		r->cancel_returned_ms = 0;
	}
	cancel_attempt(r);
	timer_start(r->deadline, DB_CANCEL_RETRY_MS);
}

void db_stop_detach(struct request *r)
{
	if (r->cancel_call)
		r->cancel_call->request = NULL;
	r->cancel_call = NULL;
}

/* Adds a thread for cancels if the driver's cancel hangs as well. */
static void cancel_add_thread(struct request *r)
{
	struct db_pool *p = r->pool;

	if (r->cancel_call && !r->cancel_call->thread_added &&
	    p->abandoned_count < DB_REPLACED_WORKERS_MAX) {
		r->cancel_call->thread_added = true;
		pool_add_thread(p->cancel_workers);
	}
}

/* Marks the job as abandoned. False: the worker advanced it first. */
static bool job_take(struct job *j, enum job_state state)
{
	int expected = (int)state;

	return atomic_compare_exchange_strong(&j->state, &expected, JOB_ABANDONED);
}

/* Many requests cancelled together wait for each other's cancel. So the worker is abandoned only if
 * a returned cancel had no effect within DB_CANCEL_GRACE_MS, or after DB_CANCEL_HARD_MS. */
static bool is_late(const struct request *r)
{
	uint64_t now = loop_now_ms(r->pool->loop);

	return (r->cancel_returned_ms > 0 && now >= r->cancel_returned_ms + DB_CANCEL_GRACE_MS) ||
	       now >= r->end_ms + DB_CANCEL_HARD_MS;
}

static void deadline_repeat(struct request *r)
{
	if (is_late(r) && (job_take(r->job, JOB_CONFIRMING) || job_take(r->job, JOB_RUNNING))) {
		cancel_add_thread(r);
		db_job_abandon(r->job, false);
		return;
	}
	cancel_attempt(r);
	timer_start(r->deadline, DB_CANCEL_RETRY_MS);
}

static void on_deadline(void *owner)
{
	struct request *r = owner;

	if (r->job && atomic_load(&r->work->stop) != STOP_NONE) {
		deadline_repeat(r);
		return;
	}
	if (r->job) {
		db_stop_start(r, STOP_TIMEOUT);
		return;
	}
	if (r->waiting || r->err.code == ERR_NONE)
		err_set_retry(&r->err, ERR_TIMEOUT,
			      "%s: no connection became available within %lld ms", r->tenant->check,
			      (long long)r->timeout_ms);
	db_queue_remove(r);
	db_request_finish(r);
}

void db_deadline_start(struct request *r)
{
	r->deadline = timer_new(r->pool->loop, on_deadline, r);
	r->end_ms = loop_now_ms(r->pool->loop) + (uint64_t)r->timeout_ms;
	timer_start(r->deadline, (uint64_t)r->timeout_ms);
}

/* An idle connection whose peer disappeared silently. The other idle connections are then suspect
 * too. */
static void on_checkout(void *owner)
{
	struct job *j = owner;

	if (!job_take(j, JOB_CONFIRMING))
		return;
	list_each(node, &j->pool->idle)
		list_item(node, struct connection, node)->must_reopen = true;
	db_job_abandon(j, true);
}

void db_checkout_start(struct job *j)
{
	if (!j->pool->settings.dialect->server || !j->connection->open ||
	    j->connection->must_reopen)
		return;
	j->checkout = timer_new(j->pool->loop, on_checkout, j);
	timer_start(j->checkout, DB_CHECKOUT_MS);
}
