/* The loop: order of callbacks, no callback inside the call that registers it, no blocking while
 * deferred callbacks wait, and a clean end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vesper/limits.h"
#include "vesper/loop.h"

static char trace[256];

static void note(const char *what)
{
	snprintf(trace + strlen(trace), sizeof(trace) - strlen(trace), "%s ", what);
}

static void on_note(void *owner)
{
	note(owner);
}

static int loop_setup(void **state)
{
	struct loop *l;

	trace[0] = '\0';
	assert_true(loop_new(&l, NULL));
	*state = l;
	return 0;
}

static int loop_teardown(void **state)
{
	struct loop *l = *state;

	loop_free(&l);
	assert_null(l);
	return 0;
}

static void deferred_callbacks_run_once_in_order(void **state)
{
	struct loop *l = *state;
	struct deferred a = {0}, b = {0}, c = {0};

	loop_defer(l, &a, on_note, "a");
	loop_defer(l, &b, on_note, "b");
	loop_defer(l, &c, on_note, "c");
	loop_defer(l, &a, on_note, "again"); /* already waiting */
	assert_string_equal(trace, "");
	assert_false(loop_run_once(l));
	assert_string_equal(trace, "a b c ");
	loop_run_once(l);
	assert_string_equal(trace, "a b c ");
}

static void cancelled_deferred_callback_never_runs(void **state)
{
	struct loop *l = *state;
	struct deferred a = {0}, b = {0}, never = {0};

	deferred_cancel(&never); /* was never queued */
	loop_defer(l, &a, on_note, "a");
	loop_defer(l, &b, on_note, "b");
	deferred_cancel(&a);
	deferred_cancel(&a);
	loop_run_once(l);
	assert_string_equal(trace, "b ");
}

struct chain {
	struct loop *loop;
	struct deferred deferred;
	struct deferred *victim;
	int left;
};

static void on_chain(void *owner)
{
	struct chain *c = owner;

	note("x");
	if (c->victim)
		deferred_cancel(c->victim);
	if (--c->left > 0)
		loop_defer(c->loop, &c->deferred, on_chain, c);
}

static void callback_deferred_by_a_callback_waits_one_iteration(void **state)
{
	struct chain c = {.loop = *state, .left = 3};

	loop_defer(c.loop, &c.deferred, on_chain, &c);
	assert_true(loop_run_once(c.loop));
	assert_string_equal(trace, "x ");
	assert_true(loop_run_once(c.loop));
	assert_string_equal(trace, "x x ");
	assert_false(loop_run_once(c.loop));
	assert_string_equal(trace, "x x x ");
}

static void last_callback_waits_for_the_end_of_a_chain(void **state)
{
	struct chain c = {.loop = *state, .left = 3};
	struct deferred last = {0}, cancelled = {0};

	loop_defer_last(c.loop, &last, on_note, "last");
	loop_defer_last(c.loop, &last, on_note, "again"); /* already waiting */
	loop_defer_last(c.loop, &cancelled, on_note, "gone");
	loop_defer(c.loop, &c.deferred, on_chain, &c);
	deferred_cancel(&cancelled);
	assert_true(loop_run_once(c.loop));
	assert_true(loop_run_once(c.loop));
	assert_string_equal(trace, "x x ");
	assert_false(loop_run_once(c.loop));
	assert_string_equal(trace, "x x x last ");
}

static void last_callback_waits_a_limited_number_of_iterations(void **state)
{
	struct chain c = {.loop = *state, .left = 2 * LOOP_LAST_ITERATIONS};
	struct deferred last = {0};

	loop_defer(c.loop, &c.deferred, on_chain, &c);
	loop_defer_last(c.loop, &last, on_note, "last");
	for (int i = 0; i < LOOP_LAST_ITERATIONS; i++)
		loop_run_once(c.loop);
	assert_non_null(strstr(trace, "last "));
	while (loop_run_once(c.loop))
		;
	assert_int_equal(c.left, 0);
}

static void callback_may_cancel_another_of_the_same_iteration(void **state)
{
	struct deferred victim = {0};
	struct chain c = {.loop = *state, .left = 1, .victim = &victim};

	loop_defer(c.loop, &c.deferred, on_chain, &c);
	loop_defer(c.loop, &victim, on_note, "victim");
	loop_run_once(c.loop);
	loop_run_once(c.loop);
	assert_string_equal(trace, "x ");
}

static void waiting_deferred_callbacks_do_not_block_the_loop(void **state)
{
	struct chain c = {.loop = *state, .left = 5};
	struct timer *t = timer_new(c.loop, on_note, "timer");

	timer_start(t, 60000); /* the wait would last that long */
	loop_defer(c.loop, &c.deferred, on_chain, &c);
	for (int i = 0; i < 5; i++)
		assert_true(loop_run_once(c.loop));
	assert_string_equal(trace, "x x x x x ");
	timer_free(&t);
}

static void stop_ends_run(void **state)
{
	struct loop *l = *state;
	struct deferred stop = {0};
	struct timer *t = timer_new(l, on_note, "timer");

	timer_start(t, 60000);
	loop_defer(l, &stop, (deferred_cb)loop_stop, l);
	loop_run(l);
	assert_string_equal(trace, "");
	timer_free(&t);
}

static void *poster(void *arg)
{
	struct loop *l = arg;

	loop_post(l, on_note, "1");
	loop_post(l, on_note, "2");
	loop_post(l, on_note, "3");
	return NULL;
}

static void posts_arrive_in_order(void **state)
{
	struct loop *l = *state;
	pthread_t id;

	assert_int_equal(pthread_create(&id, NULL, poster, l), 0);
	pthread_join(id, NULL);
	assert_string_equal(trace, "");
	loop_run_once(l);
	assert_string_equal(trace, "1 2 3 ");
}

static void posts_left_over_run_at_the_end(void **state)
{
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	loop_post(l, on_note, "last");
	loop_free(&l);
	assert_string_equal(trace, "last ");
}

static void on_busy(void *owner)
{
	struct timespec nap = {.tv_nsec = 20 * 1000 * 1000};

	(void)owner;
	nanosleep(&nap, NULL);
}

static void longest_iteration_counts_work_but_not_waiting(void **state)
{
	struct loop *l = *state;
	struct timer *t = timer_new(l, on_note, "t");
	struct deferred busy = {0};
	int64_t longest = INT64_MAX;

	loop_run_once(l);
	loop_longest_us(l);
	/* Waits for 400 ms without work; repeated if the machine was slow. */
	for (int i = 0; i < 5 && longest >= 300000; i++) {
		timer_start(t, 400);
		loop_run(l);
		longest = loop_longest_us(l);
	}
	assert_true(longest < 300000);
	loop_defer(l, &busy, on_busy, NULL);
	loop_run(l);
	loop_run_once(l);
	assert_true(loop_longest_us(l) >= 19000);
	assert_int_equal(loop_longest_us(l), 0); /* reading the value resets it */
	timer_free(&t);
}

static void timer_that_was_not_freed_fails_an_assertion(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		struct loop *l;

		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr) || !loop_new(&l, NULL))
			_exit(0);
		timer_new(l, on_note, "t");
		loop_free(&l);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
#define LOOP_TEST(f) cmocka_unit_test_setup_teardown(f, loop_setup, loop_teardown)
	const struct CMUnitTest tests[] = {
		LOOP_TEST(deferred_callbacks_run_once_in_order),
		LOOP_TEST(cancelled_deferred_callback_never_runs),
		LOOP_TEST(callback_deferred_by_a_callback_waits_one_iteration),
		LOOP_TEST(last_callback_waits_for_the_end_of_a_chain),
		LOOP_TEST(last_callback_waits_a_limited_number_of_iterations),
		LOOP_TEST(callback_may_cancel_another_of_the_same_iteration),
		LOOP_TEST(waiting_deferred_callbacks_do_not_block_the_loop),
		LOOP_TEST(stop_ends_run),
		LOOP_TEST(posts_arrive_in_order),
		LOOP_TEST(posts_left_over_run_at_the_end),
		LOOP_TEST(longest_iteration_counts_work_but_not_waiting),
		LOOP_TEST(timer_that_was_not_freed_fails_an_assertion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
