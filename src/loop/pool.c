/*
 * Worker threads for blocking calls; each is started when a job needs it. One lock and one
 * condition guard the two queues and the flags below them; everything else belongs to the loop
 * thread. Finished jobs return in batches: a worker posts only if no post is pending.
 */
#include "loop_int.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "vesper/mem.h"
#include "vesper/pool.h"
#include "vesper/str.h"

/* About a third of the CPU share of a thread that serves users; a tenth (10) starved on a busy
 * machine. */
#define NICE_INCREMENT 5

/* A thread that was started and has not been joined. */
struct thread {
	struct list node;
	pthread_t id;
};

struct pool {
	/* loop thread only */
	struct loop *loop;
	char *name;
	struct list started;  /* threads */
	size_t running;       /* number of threads, without those asked to end */
	size_t threads;       /* maximum */
	bool is_low_priority; /* constant once a thread has started */
	unsigned next_number;
	size_t in_flight; /* submitted, not done */
	bool in_done;     /* a done callback is running */
	bool is_freed;    /* only on_finished still uses the block */

	pthread_mutex_t lock; /* guards all members below */
	pthread_cond_t work;
	struct list waiting;
	struct list finished;
	size_t surplus; /* number of threads that must end when idle */
	bool is_posted; /* on_finished is pending */
	bool is_closing;
	bool is_abandoned; /* on_finished runs no callbacks; written by the loop thread */
};

static void on_finished(void *owner);

/* The next job. NULL when this thread must end: there are too many, or the pool is closing and the
 * queue is empty. */
static struct pool_job *job_take(struct pool *p)
{
	struct pool_job *job = NULL;

	pthread_mutex_lock(&p->lock);
	while (list_empty(&p->waiting) && !p->is_closing && p->surplus == 0)
		pthread_cond_wait(&p->work, &p->lock);
	if (p->surplus > 0 && !p->is_closing) {
		p->surplus--;
		/* The signal that this thread received may have been for a job. */
		pthread_cond_signal(&p->work);
		pthread_mutex_unlock(&p->lock);
		return NULL;
	}
	if (!list_empty(&p->waiting)) {
		job = list_item(p->waiting.next, struct pool_job, node);
		list_remove(&job->node);
	}
	pthread_mutex_unlock(&p->lock);
	return job;
}

static void job_return(struct pool *p, struct pool_job *job)
{
	bool post;

	pthread_mutex_lock(&p->lock);
	list_append(&p->finished, &job->node);
	post = !p->is_posted && !p->is_abandoned;
	p->is_posted |= post;
	pthread_mutex_unlock(&p->lock);
	if (post)
		loop_post(p->loop, on_finished, p);
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	struct pool_job *job;

	/* On Linux this affects only the calling thread. If it is refused, the work still runs. */
	if (p->is_low_priority)
		(void)!setpriority(PRIO_PROCESS, (id_t)gettid(),
				   getpriority(PRIO_PROCESS, (id_t)gettid()) + NICE_INCREMENT);
	while ((job = job_take(p)) != NULL) {
		job->run(job);
		job_return(p, job);
	}
	return NULL;
}

static void thread_start(struct pool *p)
{
	struct thread *t = mem_alloc(sizeof(*t));
	char name[16]; /* the kernel's limit */
	sigset_t all;
	sigset_t before;
	int rc;

	/* Only the loop thread handles signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(&t->id, NULL, worker, p);
	assert(rc == 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	snprintf(name, sizeof(name), "%.*s-%u", STR_CUT(p->name, 10), p->next_number++ % 1000);
	pthread_setname_np(t->id, name);
	list_append(&p->started, &t->node);
	p->running++;
}

/* Starts a thread if a job would otherwise have to wait. */
static void thread_start_if_needed(struct pool *p)
{
	if (p->running < p->threads && p->running < p->in_flight)
		thread_start(p);
}

void pool_add_thread(struct pool *p)
{
	p->threads++;
	thread_start_if_needed(p);
}

/* Joins threads that end by `until`. */
static void threads_join_until(struct pool *p, const struct timespec *until)
{
	list_each_safe(node, &p->started) {
		struct thread *t = list_item(node, struct thread, node);

		if (pthread_timedjoin_np(t->id, NULL, until) == ETIMEDOUT)
			continue;
		list_remove(&t->node);
		mem_free(t);
	}
}

void pool_remove_thread(struct pool *p)
{
	const struct timespec now = {0};

	assert(p->threads > 1);
	p->threads--;
	if (p->running <= p->threads)
		return;
	p->running--;
	pthread_mutex_lock(&p->lock);
	p->surplus++;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	threads_join_until(p, &now); /* joins threads that have already ended */
}

struct pool *pool_new(struct loop *l, const char *name, size_t threads)
{
	struct pool *p = mem_alloc(sizeof(*p));

	assert(threads > 0);
	p->loop = l;
	p->name = mem_strdup(name);
	list_init(&p->started);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	list_init(&p->waiting);
	list_init(&p->finished);
	p->threads = threads;
	return p;
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	job->pool = p;
	if (p->in_flight++ == 0)
		loop_hold(p->loop);
	pthread_mutex_lock(&p->lock);
	assert(!p->is_closing);
	list_append(&p->waiting, &job->node);
	pthread_mutex_unlock(&p->lock);
	thread_start_if_needed(p);
	pthread_cond_signal(&p->work); /* without the lock, which the woken thread needs */
}

void pool_lower_priority(struct pool *p)
{
	assert(list_empty(&p->started));
	p->is_low_priority = true;
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

static void finished_run_all(struct pool *p)
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
	mem_free(p->name);
	mem_free(p);
}

static void on_finished(void *owner)
{
	struct pool *p = owner;

	if (p->is_freed) {
		pool_destroy(p); /* pool_free has called done for all jobs; this callback frees
				    the block */
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->is_posted = false;
	pthread_mutex_unlock(&p->lock);
	if (!p->is_abandoned)
		finished_run_all(p);
}

bool pool_finish(struct pool *p, uint64_t within_ms)
{
	struct timespec until;

	assert(!p->in_done);
	pthread_mutex_lock(&p->lock);
	p->is_closing = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (time_t)(within_ms / 1000);
	until.tv_nsec += (long)(within_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	threads_join_until(p, &until);
	finished_run_all(p);
	return list_empty(&p->started);
}

void pool_abandon(struct pool **pool)
{
	struct pool *p = *pool;

	*pool = NULL;
	pthread_mutex_lock(&p->lock);
	p->is_abandoned = true;
	pthread_mutex_unlock(&p->lock);
	if (p->in_flight > 0)
		loop_release(p->loop);
	list_each(node, &p->started)
		pthread_detach(list_item(node, struct thread, node)->id);
}

void pool_free(struct pool **pool)
{
	struct pool *p = *pool;

	if (!p)
		return;
	while (!pool_finish(p, 60000))
		;
	*pool = NULL;
	assert(p->in_flight == 0);
	p->is_freed = true; /* all threads are joined */
	if (!p->is_posted)
		pool_destroy(p);
}
