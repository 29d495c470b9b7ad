/* Timers: order, rescheduling, repeating, and freeing inside the timer's callback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/loop.h"

struct probe {
	struct loop *loop;
	struct timer *timer;
	int calls;
	int limit; /* frees itself after that many calls */
	uint64_t last_ms;
};

static void on_probe(void *owner)
{
	struct probe *p = owner;

	p->last_ms = loop_now_ms(p->loop);
	if (++p->calls == p->limit)
		timer_free(&p->timer);
}

static void probe_init(struct probe *p, struct loop *l, int limit)
{
	*p = (struct probe){.loop = l, .limit = limit};
	p->timer = timer_new(l, on_probe, p);
}

static void timers_fire_when_due_and_may_free_themselves(void **state)
{
	struct probe early, late;
	struct loop *l;
	uint64_t start;

	(void)state;
	assert_true(loop_new(&l, NULL));
	probe_init(&late, l, 1);
	probe_init(&early, l, 1);
	start = loop_now_ms(l);
	timer_start(late.timer, 30);
	timer_start(early.timer, 10);
	assert_true(timer_is_active(late.timer));
	assert_int_equal(early.calls, 0);
	loop_run(l);
	assert_int_equal(early.calls, 1);
	assert_int_equal(late.calls, 1);
	assert_true(early.last_ms - start >= 10 && late.last_ms - start >= 30);
	assert_null(early.timer);
	loop_free(&l);
}

static void starting_again_reschedules_and_stop_cancels(void **state)
{
	struct probe moved, stopped;
	struct loop *l;
	uint64_t start;

	(void)state;
	assert_true(loop_new(&l, NULL));
	probe_init(&moved, l, 1);
	probe_init(&stopped, l, 1);
	start = loop_now_ms(l);
	timer_start(moved.timer, 5);
	timer_start(moved.timer, 25);
	timer_start(stopped.timer, 5);
	timer_stop(stopped.timer);
	assert_false(timer_is_active(stopped.timer));
	loop_run(l);
	assert_int_equal(moved.calls, 1);
	assert_true(moved.last_ms - start >= 25);
	assert_int_equal(stopped.calls, 0);
	timer_free(&stopped.timer);
	timer_free(&stopped.timer); /* NULL is allowed */
	loop_free(&l);
}

static void repeating_timer_fires_until_freed(void **state)
{
	struct probe p;
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	probe_init(&p, l, 4);
	timer_repeat(p.timer, 2);
	loop_run(l);
	assert_int_equal(p.calls, 4);
	loop_free(&l);
}

static void on_restart(void *owner)
{
	struct probe *p = owner;

	p->calls++;
	timer_start(p->timer, 0);
}

static void restarting_at_zero_does_not_starve_the_loop(void **state)
{
	struct probe p = {0};
	struct loop *l;

	(void)state;
	assert_true(loop_new(&l, NULL));
	p.timer = timer_new(l, on_restart, &p);
	timer_start(p.timer, 0);
	while (p.calls < 3)
		assert_true(loop_run_once(l)); /* returns each time */
	timer_free(&p.timer);
	loop_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timers_fire_when_due_and_may_free_themselves),
		cmocka_unit_test(starting_again_reschedules_and_stop_cancels),
		cmocka_unit_test(repeating_timer_fires_until_freed),
		cmocka_unit_test(restarting_at_zero_does_not_starve_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
