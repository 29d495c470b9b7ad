/* Worker threads: every job runs off the loop and ends on it, also while the pool closes. Also run
 * under TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <semaphore.h>

#include "vesper/pool.h"

#define JOBS 500

struct job {
	struct pool_job base;
	long input;
	long output;
	pthread_t ran_on;
	int done;
	sem_t *gate; /* waits for it */
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

static void every_job_runs_elsewhere_and_ends_here(void **state)
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
	assert_int_equal(done_count, 0); /* never inside the call */
	loop_run(l);                     /* jobs keep it alive, and nothing else does */
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

static void one_slow_job_holds_up_only_its_thread(void **state)
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
		loop_turn(l);
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
	loop_turn(l);
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
	pool_free(&p); /* NULL is fine */
	loop_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_runs_elsewhere_and_ends_here),
		cmocka_unit_test(one_slow_job_holds_up_only_its_thread),
		cmocka_unit_test(closing_ends_every_job),
		cmocka_unit_test(unused_pool_closes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
