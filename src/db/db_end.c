/*
 * The end of a job. Its requests are answered; after a transient failure they are retried with
 * backoff, unless a statement could run twice. A source that keeps failing is skipped for a moment
 * by the circuit breaker. When a worker does not return, it is abandoned: its requests are
 * answered, and its memory stays allocated until it returns.
 */
#include "db_int.h"

#include <assert.h>
#include <stdio.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

static struct work *work_of(struct list *node)
{
	return list_item(node, struct work, node);
}

/* ---- circuit breaker ---- */

bool db_breaker_refuses(const struct db_pool *p, struct err *e)
{
	if (!breaker_blocks(&p->breaker, (int64_t)loop_now_ms(p->loop)))
		return false;
	err_set_retry(e, ERR_UPSTREAM, "%s is unavailable: %s", p->settings.name, p->last_failure);
	e->retry_after_ms = DB_BREAKER_MS;
	return true;
}

/* Refuses waiting requests, which would fail in the same way. Probes stay queued: one of them
 * detects when the source is available again. */
static void refuse_waiting(struct db_pool *p, struct list *queue)
{
	list_each_safe(node, queue) {
		struct request *r = list_item(node, struct request, node);

		if (r->work->probe || !db_breaker_refuses(p, &r->err))
			continue;
		db_queue_remove(r);
		list_append(&p->refused, &r->node);
	}
}

static void on_breaker_opened(struct db_pool *p, bool is_first, const char *reason)
{
	struct err refusal = {0};

	if (is_first)
		log_warn("db.unavailable",
			 "%s: the circuit breaker opened after %lld consecutive failures; last "
			 "failure: %s",
			 p->settings.name, (long long)p->breaker.failures, reason);
	snprintf(p->last_failure, sizeof(p->last_failure), "%s", reason);
	if (is_first && db_breaker_refuses(p, &refusal))
		db_watch_unavailable(p, &refusal);
	for (size_t i = 0; i < p->tenant_count; i++) {
		refuse_waiting(p, &p->tenants[i].reads);
		refuse_waiting(p, &p->tenants[i].writes);
	}
}

static void breaker_record(struct db_pool *p, struct job *j, bool is_unavailable, bool succeeded,
			   const char *reason)
{
	struct breaker *b = &p->breaker;
	bool was_open = b->open;

	if (!p->settings.dialect->server)
		return;
	if (succeeded) {
		if (was_open)
			log_info("db.recovered", "%s is available again", p->settings.name);
		breaker_succeeded(b);
	} else if (!is_unavailable) {
		breaker_undecided(b, j->probe);
	} else if (breaker_failed(b, j->probe, (int64_t)loop_now_ms(p->loop))) {
		on_breaker_opened(p, !was_open, reason);
	}
}

/* ---- retry ---- */

static uint64_t backoff_ms(const struct request *r)
{
	static const uint64_t steps_ms[] = {200, 1000, 4000};
	uint64_t ms;

	if (r->attempts >= (int)(sizeof(steps_ms) / sizeof(steps_ms[0])))
		return 0;
	ms = steps_ms[r->attempts];
	return ms + ms / 8 * (r->number % 3); /* spreads the retries */
}

static void on_backoff_over(void *owner)
{
	struct request *r = owner;

	list_remove(&r->node);
	timer_free(&r->backoff);
	if (db_breaker_refuses(r->pool, &r->err))
		db_request_finish(r);
	else
		db_pool_enqueue(r->pool, r);
}

/* True: the request will be retried and must not be answered now. */
static bool retry_later(struct request *r, const struct job *j)
{
	struct db_pool *p = r->pool;
	uint64_t ms = backoff_ms(r);
	struct work *retry;

	if (p->closing || !r->cb || r->work->probe || !j->connection->transient || ms == 0 ||
	    atomic_load(&r->work->stop) != STOP_NONE || (r->write && j->sent) ||
	    loop_now_ms(p->loop) + ms >= r->end_ms)
		return false;
	retry = db_work_clone(r->work);
	db_work_free(&r->work);
	r->work = retry;
	retry->request = r;
	r->attempts++;
	list_append(&p->retrying, &r->node);
	r->backoff = timer_new(p->loop, on_backoff_over, r);
	timer_start(r->backoff, ms);
	return true;
}

/* ---- end of a job ---- */

static void job_free(struct job *j)
{
	while (!list_empty(&j->works)) {
		struct work *w = work_of(j->works.next);

		list_remove(&w->node);
		db_work_free(&w);
	}
	timer_free(&j->checkout);
	mem_free(j);
}

/* The worker of an abandoned job has returned. Its connection was asked to cancel, so it is
 * closed. */
static void abandoned_job_done(struct job *j)
{
	struct db_pool *p = j->pool;

	list_remove(&j->node);
	p->abandoned_count--;
	if (j->thread_added)
		pool_remove_thread(p->workers);
	db_connection_free(&j->connection);
	db_connection_free(&j->evicted);
	job_free(j);
	db_pool_pump(p);
}

/* Derives the availability of the source from a job's end. */
static void job_record_health(struct db_pool *p, struct job *j)
{
	const struct connection *c = j->connection;
	const struct work *first = work_of(j->works.next);
	/* A cancel may break the connection, so its loss does not mean that the source failed. */
	bool is_unavailable = c->lost && c->transient && atomic_load(&first->stop) == STOP_NONE;

	breaker_record(p, j, is_unavailable, j->sent && !is_unavailable, first->err.text);
}

/* A failure that would have been retried, had the pool not been closed meanwhile, becomes
 * ERR_CANCELLED. */
static void mark_cancelled(struct request *r, const struct job *j)
{
	const struct db_pool *p = r->pool;

	if (p->closing && r->err.code == ERR_UPSTREAM && j->connection->transient &&
	    !(r->write && j->sent))
		err_set(&r->err, ERR_CANCELLED, "%s was closed", p->settings.name);
}

/* Removes the works from the job and lists their requests in order, to be answered. Requests that
 * will be retried are not listed. */
static void requests_take(struct job *j, struct list *out)
{
	while (!list_empty(&j->works)) {
		struct work *w = work_of(j->works.next);
		struct request *r = w->request;

		list_remove(&w->node);
		r->job = NULL;
		r->err = w->err;
		db_stop_detach(r);
		mark_cancelled(r, j);
		if (!retry_later(r, j))
			list_append(out, &r->node);
	}
}

static void requests_finish(struct list *requests)
{
	while (!list_empty(requests)) {
		struct request *r = list_item(requests->next, struct request, node);

		list_remove(&r->node);
		db_watch_record(r->tenant, r->err.code == ERR_NONE ? NULL : &r->err);
		db_request_finish(r);
	}
}

void db_pool_refuse(struct db_pool *p)
{
	requests_finish(&p->refused);
}

static void tenant_job_ended(struct job *j)
{
	list_remove(&j->node);
	j->tenant->running--;
	if (j->write)
		j->tenant->writing = false;
	db_queue_update(j->pool, j->tenant);
}

/* The job is finished before any callback runs, so that callbacks may start and cancel requests. */
void db_job_done(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);
	struct db_pool *p = j->pool;
	struct list done;

	if (atomic_load(&j->state) == JOB_ABANDONED) {
		abandoned_job_done(j);
		return;
	}
	list_init(&done);
	tenant_job_ended(j);
	job_record_health(p, j);
	requests_take(j, &done);
	db_connection_free(&j->evicted);
	db_pool_return_connection(p, j->connection);
	job_free(j);
	db_pool_pump(p);
	requests_finish(&done);
	db_pool_refuse(p);
}

/* ---- abandoned jobs ---- */

/* Detaches the request from its work, which the worker still uses, and gives it a copy. */
static void request_detach(struct work *w, bool requeue)
{
	struct request *r = w->request;

	w->request = NULL;
	r->job = NULL;
	r->work = db_work_clone(w);
	r->work->request = r;
	db_stop_detach(r);
	if (requeue && r->cb)
		return;
	r->work->started = w->count > 0;
	if (!db_work_may_continue(w, &r->err))
		err_prefix(&r->err, "%s: the statement could not be cancelled", r->tenant->check);
	else
		err_set_retry(&r->err, ERR_UPSTREAM, "%s does not respond", r->tenant->check);
}

void db_job_abandon(struct job *j, bool requeue)
{
	struct db_pool *p = j->pool;
	struct list done;

	list_init(&done);
	timer_free(&j->checkout);
	tenant_job_ended(j);
	list_append(&p->abandoned, &j->node);
	p->connections--;
	if (p->abandoned_count++ < DB_REPLACED_WORKERS_MAX && !p->closing) {
		j->thread_added = true;
		pool_add_thread(p->workers);
	}
	list_each(node, &j->works) {
		struct work *w = work_of(node);
		struct request *r = w->request;
		int expected = STOP_NONE;

		request_detach(w, requeue);
		atomic_compare_exchange_strong(&w->stop, &expected, STOP_CANCEL);
		if (requeue && r->cb)
			db_queue_add(r);
		else
			list_append(&done, &r->node);
	}
	breaker_record(p, j, !requeue, false, "it does not respond");
	if (!requeue) {
		struct err e = {0};

		err_set_retry(&e, ERR_UPSTREAM, "%s does not respond", p->settings.name);
		db_watch_record(j->tenant, &e);
	}
	db_pool_pump(p);
	requests_finish(&done);
	db_pool_refuse(p);
}
