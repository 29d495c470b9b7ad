/* Rounds: a few at once, each once a round, and no second round while one goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/loop.h"
#include "vesper/rounds.h"

#define COUNT   5
#define AT_ONCE 2
#define IDLE    3 /* has nothing to do */

struct probe {
	struct loop *loop;
	struct rounds *rounds;
	struct timer *end; /* ends one of those that run: the first */
	bool runs[COUNT];
	size_t running, most, ends;
	int begun[COUNT];
	int rounds_wanted;
};

static bool begin(void *owner, size_t i)
{
	struct probe *p = owner;

	p->begun[i]++;
	if (i == IDLE)
		return false;
	p->runs[i] = true;
	if (++p->running > p->most)
		p->most = p->running;
	timer_start(p->end, 1);
	return true;
}

static void on_end(void *owner)
{
	struct probe *p = owner;

	size_t i = 0;

	while (!p->runs[i])
		i++;
	p->runs[i] = false;
	p->ends++;
	p->running--;
	rounds_end(p->rounds, i);
	rounds_end(p->rounds, IDLE); /* which no round began */
	if (p->running > 0)
		timer_start(p->end, 1);
	else if (p->begun[COUNT - 1] == p->rounds_wanted)
		loop_stop(p->loop);
}

static void run(struct probe *p, uint64_t every_ms, bool now)
{
	assert_true(loop_new(&p->loop, NULL));
	p->end = timer_new(p->loop, on_end, p);
	p->rounds = rounds_new(p->loop, COUNT, AT_ONCE, begin, p);
	rounds_start(p->rounds, every_ms, now);
	loop_run(p->loop);
	rounds_free(&p->rounds);
	assert_null(p->rounds);
	rounds_free(&p->rounds);
	timer_free(&p->end);
	loop_free(&p->loop);
}

static void each_is_begun_once_a_round_and_few_at_once(void **state)
{
	struct probe p = {.rounds_wanted = 1};

	(void)state;
	run(&p, 3600 * 1000, true);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(p.begun[i], 1);
	assert_int_equal(p.most, AT_ONCE);
	assert_int_equal(p.ends, COUNT - 1);
}

static void a_round_that_takes_longer_is_not_begun_twice(void **state)
{
	struct probe p = {.rounds_wanted = 3};

	(void)state;
	run(&p, 1, false);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(p.begun[i], 3);
	assert_int_equal(p.most, AT_ONCE);
}

static void on_stop(void *owner)
{
	loop_stop(owner);
}

static void none_is_a_round_too(void **state)
{
	struct probe p = {0};
	struct timer *stop;

	(void)state;
	assert_true(loop_new(&p.loop, NULL));
	p.rounds = rounds_new(p.loop, 0, AT_ONCE, begin, &p);
	stop = timer_new(p.loop, on_stop, p.loop);
	rounds_start(p.rounds, 1, true);
	timer_start(stop, 5);
	loop_run(p.loop);
	assert_int_equal(p.begun[0], 0);
	timer_free(&stop);
	rounds_free(&p.rounds);
	loop_free(&p.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_begun_once_a_round_and_few_at_once),
		cmocka_unit_test(a_round_that_takes_longer_is_not_begun_twice),
		cmocka_unit_test(none_is_a_round_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
