/* Worker threads: every job runs on a worker thread and its `done` on the loop, also while the
 * pool closes. Also run under TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vesper/pool.h"

#define JOBS 500

struct job {
	struct pool_job base;
	long input;
	long output;
	pthread_t ran_on;
	int done;
	sem_t *gate; /* the job waits for it */
};

static pthread_t loop_thread;
static int done_count;

static void on_run(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);

	if (j->gate)
		sem_wait(j->gate);
	j->ran_on = pthread_self();
	j->output = j->input * 2;
}

static void on_done(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);

	assert_true(pthread_equal(pthread_self(), loop_thread));
	j->done++;
	done_count++;
}

static void jobs_init(struct job *jobs, size_t n)
{
	done_count = 0;
	loop_thread = pthread_self();
	for (size_t i = 0; i < n; i++)
		jobs[i] = (struct job){.base = {.run = on_run, .done = on_done}, .input = (long)i};
}

static void every_job_runs_on_a_worker_and_is_done_on_the_loop(void **state)
{
	static struct job jobs[JOBS];
	struct loop *l;
	struct pool *p;

	(void)state;
	jobs_init(jobs, JOBS);
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "test", 3);
	assert_int_equal(pool_idle(p), 3);
	for (size_t i = 0; i < JOBS; i++)
		pool_submit(p, &jobs[i].base);
	assert_int_equal(pool_idle(p), 0);
	assert_int_equal(done_count, 0); /* not inside pool_submit */
	loop_run(l);                     /* only the jobs keep it alive */
	assert_int_equal(done_count, JOBS);
	for (size_t i = 0; i < JOBS; i++) {
		assert_int_equal(jobs[i].done, 1);
		assert_int_equal(jobs[i].output, 2 * (long)i);
		assert_false(pthread_equal(jobs[i].ran_on, loop_thread));
	}
	assert_int_equal(pool_idle(p), 3);
	pool_free(&p);
	loop_free(&l);
}

static void slow_job_blocks_only_its_thread(void **state)
{
	struct job jobs[3];
	struct loop *l;
	struct pool *p;
	sem_t gate;

	(void)state;
	jobs_init(jobs, 3);
	sem_init(&gate, 0, 0);
	jobs[0].gate = &gate;
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "test", 2);
	for (size_t i = 0; i < 3; i++)
		pool_submit(p, &jobs[i].base);
	while (done_count < 2)
		loop_run_once(l);
	assert_int_equal(jobs[0].done, 0);
	assert_int_equal(pool_idle(p), 1);
	sem_post(&gate);
	loop_run(l);
	assert_int_equal(jobs[0].done, 1);
	pool_free(&p);
	loop_free(&l);
	sem_destroy(&gate);
}

static void closing_ends_every_job(void **state)
{
	static struct job jobs[JOBS];
	struct loop *l;
	struct pool *p;

	(void)state;
	jobs_init(jobs, JOBS);
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "test", 4);
	for (size_t i = 0; i < JOBS; i++)
		pool_submit(p, &jobs[i].base);
	pool_free(&p);
	assert_null(p);
	assert_int_equal(done_count, JOBS);
	loop_run_once(l);
	assert_int_equal(done_count, JOBS);
	loop_free(&l);
}

static void unused_pool_closes(void **state)
{
	struct loop *l;
	struct pool *p;

	(void)state;
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "a name that is longer than the kernel keeps", 2);
	pool_free(&p);
	pool_free(&p); /* NULL is allowed */
	loop_free(&l);
}

/* Threads of this process with this name. */
static int threads_named(const char *name)
{
	char path[PATH_MAX], comm[32];
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	assert_non_null(tasks);
	for (struct dirent *d; (d = readdir(tasks));) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", d->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f))
			n += strncmp(comm, name, strlen(name)) == 0;
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return n;
}

static void threads_start_with_their_jobs(void **state)
{
	static struct job jobs[3];
	struct loop *l;
	struct pool *p;
	sem_t gate;

	(void)state;
	jobs_init(jobs, 3);
	sem_init(&gate, 0, 0);
	jobs[0].gate = jobs[1].gate = &gate;
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "lazy", 2);
	assert_int_equal(threads_named("lazy"), 0);
	assert_int_equal(pool_idle(p), 2);
	for (size_t i = 0; i < 3; i++) {
		pool_submit(p, &jobs[i].base);
		assert_int_equal(threads_named("lazy"), i < 2 ? i + 1 : 2);
	}
	sem_post(&gate);
	sem_post(&gate);
	loop_run(l);
	pool_submit(p, &jobs[2].base);
	loop_run(l);
	assert_int_equal(threads_named("lazy"), 2);
	pool_free(&p);
	loop_free(&l);
	sem_destroy(&gate);
}

static void hanging_thread_is_replaced_and_removed_when_it_returns(void **state)
{
	static struct job jobs[2];
	struct loop *l;
	struct pool *p;
	sem_t gate;

	(void)state;
	jobs_init(jobs, 2);
	sem_init(&gate, 0, 0);
	jobs[0].gate = &gate;
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "test", 1);
	pool_submit(p, &jobs[0].base);
	pool_submit(p, &jobs[1].base);
	pool_add_thread(p);
	while (jobs[1].done == 0)
		loop_run_once(l);
	assert_int_equal(jobs[0].done, 0);
	assert_int_equal(pool_idle(p), 1);
	sem_post(&gate);
	loop_run(l);
	assert_int_equal(jobs[0].done, 1);
	assert_int_equal(pool_idle(p), 2);
	pool_remove_thread(p);
	assert_int_equal(pool_idle(p), 1);
	jobs[1].done = 0;
	pool_submit(p, &jobs[1].base);
	loop_run(l);
	assert_int_equal(jobs[1].done, 1);
	pool_free(&p);
	loop_free(&l);
	sem_destroy(&gate);
}

static void finish_waits_no_longer_than_its_limit(void **state)
{
	static struct job jobs[2];
	struct loop *l;
	struct pool *p;
	sem_t gate;

	(void)state;
	jobs_init(jobs, 2);
	sem_init(&gate, 0, 0);
	jobs[0].gate = &gate;
	assert_true(loop_new(&l, NULL));
	p = pool_new(l, "test", 2);
	pool_submit(p, &jobs[0].base);
	pool_submit(p, &jobs[1].base);
	assert_false(pool_finish(p, 20));
	assert_int_equal(jobs[1].done, 1);
	assert_false(pool_finish(p, 0));
	sem_post(&gate);
	while (!pool_finish(p, 20))
		;
	assert_int_equal(jobs[0].done, 1);
	pool_free(&p);
	loop_free(&l);
	sem_destroy(&gate);
}

/* The block of an abandoned pool is never freed: a thread may still use it. */
static struct pool *abandoned;

static void abandoned_pool_calls_no_callback(void **state)
{
	static struct job job;
	struct loop *l;
	struct pool *p;
	static sem_t gate;

	(void)state;
	jobs_init(&job, 1);
	sem_init(&gate, 0, 0);
	job.gate = &gate;
	assert_true(loop_new(&l, NULL));
	abandoned = p = pool_new(l, "test", 1);
	pool_submit(p, &job.base);
	assert_false(pool_finish(p, 10));
	pool_abandon(&p);
	assert_null(p);
	loop_run(l); /* nothing keeps the loop alive */
	loop_free(&l);
	sem_post(&gate);
	assert_int_equal(job.done, 0);
}

static void on_priority(struct pool_job *base)
{
	struct job *j = list_item(base, struct job, base);

	j->output = getpriority(PRIO_PROCESS, (id_t)gettid());
}

static void low_priority_pool_does_not_affect_other_threads(void **state)
{
	struct job jobs[2] = {{.base = {.run = on_priority, .done = on_done}},
			      {.base = {.run = on_priority, .done = on_done}}};
	int before = getpriority(PRIO_PROCESS, 0);
	struct pool *quiet, *plain;
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	quiet = pool_new(l, "quiet", 1);
	plain = pool_new(l, "plain", 1);
	loop_thread = pthread_self();
	pool_lower_priority(quiet);
	pool_submit(quiet, &jobs[0].base);
	pool_submit(plain, &jobs[1].base);
	loop_run(l);
	assert_true(jobs[0].output > before || before == 19);
	assert_int_equal(jobs[1].output, before);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	pool_free(&quiet);
	pool_free(&plain);
	loop_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_on_a_worker_and_is_done_on_the_loop),
		cmocka_unit_test(slow_job_blocks_only_its_thread),
		cmocka_unit_test(closing_ends_every_job),
		cmocka_unit_test(unused_pool_closes),
		cmocka_unit_test(threads_start_with_their_jobs),
		cmocka_unit_test(hanging_thread_is_replaced_and_removed_when_it_returns),
		cmocka_unit_test(finish_waits_no_longer_than_its_limit),
		cmocka_unit_test(abandoned_pool_calls_no_callback),
		cmocka_unit_test(low_priority_pool_does_not_affect_other_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
