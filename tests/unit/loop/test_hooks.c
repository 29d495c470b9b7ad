/* Prepare hooks and signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <unistd.h>

#include "vesper/loop.h"

struct probe {
	int calls;
	int signum;
	struct prepare *prepare;
	struct signal_watch *signals;
};

static void on_prepare(void *owner)
{
	struct probe *p = owner;

	if (++p->calls == 3)
		prepare_free(&p->prepare);
}

static void prepare_runs_once_per_iteration(void **state)
{
	struct probe p = {0};
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	p.prepare = prepare_new(l, on_prepare, &p);
	assert_int_equal(p.calls, 0);
	assert_false(loop_run_once(l)); /* a hook alone does not keep the loop alive */
	assert_int_equal(p.calls, 1);
	loop_run_once(l);
	loop_run_once(l);
	loop_run_once(l);
	assert_int_equal(p.calls, 3);
	loop_free(&l);
}

/* The hook runs after timers and deferred callbacks, before the loop waits again. */
static void on_dirty(void *owner)
{
	int *calls = owner;

	*calls = 100;
}

static void prepare_runs_after_the_callbacks(void **state)
{
	struct probe p = {0};
	struct deferred dirty = {0};
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	p.prepare = prepare_new(l, on_prepare, &p);
	loop_defer(l, &dirty, on_dirty, &p.calls);
	loop_run_once(l);
	assert_int_equal(p.calls, 101);
	prepare_free(&p.prepare);
	loop_free(&l);
}

static void on_signal(void *owner, int signum)
{
	struct probe *p = owner;

	p->signum = signum;
	signal_watch_free(&p->signals);
}

static void signals_arrive_on_the_loop(void **state)
{
	struct probe p = {0};
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	p.signals = signal_watch_new(l, SIGUSR1, on_signal, &p);
	kill(getpid(), SIGUSR1);
	assert_int_equal(p.signum, 0);
	for (int i = 0; i < 1000 && p.signum == 0; i++)
		loop_run_once(l);
	assert_int_equal(p.signum, SIGUSR1);
	kill(getpid(), SIGPIPE); /* ignored: the process goes on */
	loop_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prepare_runs_once_per_iteration),
		cmocka_unit_test(prepare_runs_after_the_callbacks),
		cmocka_unit_test(signals_arrive_on_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
