/*
 * Stopping a statement from another thread. The driver's cancel may come at any time, also when the
 * statement has just ended and another one runs: the lock and the request's number make sure that
 * it hits only what it was meant for.
 */
#include "db_int.h"

#include <pthread.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct stopper {
	pthread_mutex_t lock;
	SQLHSTMT running;
	uint64_t number;
	atomic_int users;
};

struct stopper *stopper_new(void)
{
	struct stopper *s = mem_alloc(sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	atomic_init(&s->users, 1);
	return s;
}

struct stopper *stopper_share(struct stopper *s)
{
	atomic_fetch_add(&s->users, 1);
	return s;
}

void stopper_release(struct stopper **stopper)
{
	struct stopper *s = *stopper;

	*stopper = NULL;
	if (!s || atomic_fetch_sub(&s->users, 1) > 1)
		return;
	pthread_mutex_destroy(&s->lock);
	mem_free(s);
}

void stopper_set(struct stopper *s, SQLHSTMT handle, uint64_t number)
{
	pthread_mutex_lock(&s->lock);
	s->running = handle;
	s->number = number;
	pthread_mutex_unlock(&s->lock);
}

/* Under the lock, so that the handle is not freed meanwhile; the worker waits for that at its end.
 */
void stopper_stop(struct stopper *s, uint64_t number)
{
	pthread_mutex_lock(&s->lock);
	if (s->running && s->number == number)
		SQLCancel(s->running);
	pthread_mutex_unlock(&s->lock);
}

/* One attempt, on its way through the pool of stops. */
struct stop_call {
	struct pool_job base;
	struct request *request; /* NULL once it is gone */
	struct stopper *stopper;
	uint64_t number;
};

static void stop_run(struct pool_job *base)
{
	struct stop_call *s = list_item(base, struct stop_call, base);

	stopper_stop(s->stopper, s->number);
}

static void on_stop_done(struct pool_job *base)
{
	struct stop_call *s = list_item(base, struct stop_call, base);

	if (s->request)
		s->request->stop = NULL;
	stopper_release(&s->stopper);
	mem_free(s);
}

/* A stop that comes just before the statement is sent changes nothing, hence again and again. */
void db_stop_start(struct request *r)
{
	struct stop_call *s;

	timer_start(r->deadline, DB_STOP_REPEAT_MS);
	if (r->stop || !r->pool->stops)
		return;
	s = mem_alloc(sizeof(*s));
	s->base.run = stop_run;
	s->base.done = on_stop_done;
	s->request = r;
	s->stopper = stopper_share(r->job->connection->stopper);
	s->number = r->work.number;
	r->stop = s;
	pool_submit(r->pool->stops, &s->base);
}

void db_stop_forget(struct request *r)
{
	if (r->stop)
		r->stop->request = NULL;
	r->stop = NULL;
}
