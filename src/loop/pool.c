/*
 * Threads for calls that block. One lock and one condition guard the two queues; everything else is
 * the loop thread's. Finished jobs travel back in batches: a worker posts only when the finished
 * queue was empty.
 */
#include "loop_int.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>

#include "vesper/mem.h"
#include "vesper/pool.h"

struct pool {
	struct loop *loop;
	size_t threads;
	pthread_t *ids;
	size_t in_flight; /* loop thread only: submitted, not done */
	bool in_done;     /* loop thread only: some job's done is running */

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t work;
	struct list waiting;
	struct list finished;
	bool posted; /* on_finished is on its way */
	bool closing;
};

static void on_finished(void *owner);

/* The next job, or NULL when the pool closes and nothing is left to run. */
static struct pool_job *job_take(struct pool *p)
{
	struct pool_job *job = NULL;

	pthread_mutex_lock(&p->lock);
	while (list_empty(&p->waiting) && !p->closing)
		pthread_cond_wait(&p->work, &p->lock);
	if (!list_empty(&p->waiting)) {
		job = list_item(p->waiting.next, struct pool_job, node);
		list_remove(&job->node);
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void job_give_back(struct pool *p, struct pool_job *job)
{
	bool post;

	pthread_mutex_lock(&p->lock);
	list_append(&p->finished, &job->node);
	post = !p->posted;
	p->posted = true;
	pthread_mutex_unlock(&p->lock);
	if (post)
		loop_post(p->loop, on_finished, p);
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	struct pool_job *job;

	while ((job = job_take(p)) != NULL) {
		job->run(job);
		job_give_back(p, job);
	}
	return NULL;
}

static void threads_start(struct pool *p, const char *name)
{
	sigset_t all;
	sigset_t before;

	/* Signals are the loop thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < p->threads; i++) {
		char short_name[16]; /* the kernel's limit */
		int rc = pthread_create(&p->ids[i], NULL, worker, p);

		assert(rc == 0);
		snprintf(short_name, sizeof(short_name), "%.10s-%u", name, (unsigned)(i % 1000));
		pthread_setname_np(p->ids[i], short_name);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct pool *pool_new(struct loop *l, const char *name, size_t threads)
{
	struct pool *p = mem_alloc(sizeof(*p));

	assert(threads > 0);
	p->loop = l;
	p->threads = threads;
	p->ids = mem_alloc(threads * sizeof(*p->ids));
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	list_init(&p->waiting);
	list_init(&p->finished);
	threads_start(p, name);
	return p;
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	job->pool = p;
	if (p->in_flight++ == 0)
		loop_hold(p->loop);
	pthread_mutex_lock(&p->lock);
	assert(!p->closing);
	list_append(&p->waiting, &job->node);
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

size_t pool_idle(const struct pool *p)
{
	return p->in_flight < p->threads ? p->threads - p->in_flight : 0;
}

static struct pool_job *finished_take(struct pool *p)
{
	struct pool_job *job = NULL;

	pthread_mutex_lock(&p->lock);
	if (!list_empty(&p->finished)) {
		job = list_item(p->finished.next, struct pool_job, node);
		list_remove(&job->node);
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void finished_run(struct pool *p)
{
	struct pool_job *job;

	while ((job = finished_take(p)) != NULL) {
		assert(p->in_flight > 0);
		if (--p->in_flight == 0)
			loop_release(p->loop);
		p->in_done = true;
		job->done(job);
		p->in_done = false;
	}
}

static void pool_destroy(struct pool *p)
{
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	mem_free(p->ids);
	mem_free(p);
}

static void on_finished(void *owner)
{
	struct pool *p = owner;
	bool closed;

	pthread_mutex_lock(&p->lock);
	p->posted = false;
	closed = p->closing;
	pthread_mutex_unlock(&p->lock);
	if (closed)
		pool_destroy(p); /* pool_free ran the jobs' ends and left the block to us */
	else
		finished_run(p);
}

void pool_free(struct pool **pool)
{
	struct pool *p = *pool;
	bool posted;

	if (!p)
		return;
	*pool = NULL;
	assert(!p->in_done);
	pthread_mutex_lock(&p->lock);
	p->closing = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->threads; i++)
		pthread_join(p->ids[i], NULL);
	finished_run(p);
	assert(p->in_flight == 0);
	pthread_mutex_lock(&p->lock);
	posted = p->posted;
	pthread_mutex_unlock(&p->lock);
	if (!posted)
		pool_destroy(p);
}
