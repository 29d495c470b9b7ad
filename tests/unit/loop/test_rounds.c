/* Rounds: few items run at once, each once per round, and a hanging item does not delay others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/loop.h"
#include "vesper/rounds.h"

#define COUNT       5
#define RUNNING_MAX 2
#define IDLE        3 /* has nothing to do */

struct probe {
	struct loop *loop;
	struct rounds *rounds;
	struct timer *end;   /* ends the running item that began first */
	size_t queue[COUNT]; /* running items, by start */
	size_t running, running_max, ends;
	int begin_count[COUNT];
	int round_count;
	bool overlaps; /* items of a round still run when the next one begins */
};

static bool begin(void *owner, size_t i)
{
	struct probe *p = owner;

	p->begin_count[i]++;
	if (i == IDLE)
		return false;
	for (size_t k = 0; k < p->running; k++)
		assert_int_not_equal(p->queue[k], i);
	p->queue[p->running] = i;
	if (++p->running > p->running_max)
		p->running_max = p->running;
	timer_start(p->end, 1);
	return true;
}

static void on_end(void *owner)
{
	struct probe *p = owner;
	size_t first = p->queue[0];

	p->ends++;
	p->running--;
	memmove(p->queue, p->queue + 1, p->running * sizeof(*p->queue));
	rounds_end(p->rounds, first);
	rounds_end(p->rounds, IDLE); /* no round began it */
	if (p->begin_count[COUNT - 1] >= p->round_count && (p->running == 0 || p->overlaps))
		loop_stop(p->loop);
	else if (p->running > 0)
		timer_start(p->end, 1);
}

static void run(struct probe *p, uint64_t every_ms, bool now)
{
	assert_true(loop_new(&p->loop, NULL));
	p->end = timer_new(p->loop, on_end, p);
	p->rounds = rounds_new(p->loop, COUNT, RUNNING_MAX, begin, p);
	rounds_start(p->rounds, every_ms, now);
	loop_run(p->loop);
	rounds_free(&p->rounds);
	assert_null(p->rounds);
	rounds_free(&p->rounds);
	timer_free(&p->end);
	loop_free(&p->loop);
}

static void each_item_begins_once_per_round_within_the_limit(void **state)
{
	struct probe p = {.round_count = 1};

	(void)state;
	run(&p, 3600 * 1000, true);
	for (size_t i = 0; i < COUNT; i++)
		assert_int_equal(p.begin_count[i], 1);
	assert_int_equal(p.running_max, RUNNING_MAX);
	assert_int_equal(p.ends, COUNT - 1);
}

static void running_item_is_not_begun_again(void **state)
{
	struct probe p = {.round_count = 3, .overlaps = true};

	(void)state;
	run(&p, 1, false);
	for (size_t i = 0; i < COUNT; i++)
		assert_in_range(p.begin_count[i], 2, 4);
	assert_int_equal(p.running_max, RUNNING_MAX);
}

/* The first item never ends. */
struct hanging {
	struct loop *loop;
	struct rounds *rounds;
	struct timer *end;
	int begin_count[COUNT];
	size_t runs;
};

static bool begin_hanging(void *owner, size_t i)
{
	struct hanging *s = owner;

	s->begin_count[i]++;
	s->runs = i;
	if (i > 0)
		timer_start(s->end, 1);
	return true;
}

static void on_hanging_end(void *owner)
{
	struct hanging *s = owner;

	if (s->begin_count[COUNT - 1] == 3)
		loop_stop(s->loop);
	else
		rounds_end(s->rounds, s->runs);
}

static void hanging_item_does_not_delay_others(void **state)
{
	struct hanging s = {0};

	(void)state;
	assert_true(loop_new(&s.loop, NULL));
	s.end = timer_new(s.loop, on_hanging_end, &s);
	s.rounds = rounds_new(s.loop, COUNT, RUNNING_MAX, begin_hanging, &s);
	rounds_start(s.rounds, 1, true);
	loop_run(s.loop);
	assert_int_equal(s.begin_count[0], 1);
	for (size_t i = 1; i < COUNT; i++)
		assert_int_equal(s.begin_count[i], 3);
	rounds_free(&s.rounds);
	timer_free(&s.end);
	loop_free(&s.loop);
}

static void on_stop(void *owner)
{
	loop_stop(owner);
}

static void round_without_items_begins_nothing(void **state)
{
	struct probe p = {0};
	struct timer *stop;

	(void)state;
	assert_true(loop_new(&p.loop, NULL));
	p.rounds = rounds_new(p.loop, 0, RUNNING_MAX, begin, &p);
	stop = timer_new(p.loop, on_stop, p.loop);
	rounds_start(p.rounds, 1, true);
	timer_start(stop, 5);
	loop_run(p.loop);
	assert_int_equal(p.begin_count[0], 0);
	timer_free(&stop);
	rounds_free(&p.rounds);
	loop_free(&p.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_item_begins_once_per_round_within_the_limit),
		cmocka_unit_test(running_item_is_not_begun_again),
		cmocka_unit_test(hanging_item_does_not_delay_others),
		cmocka_unit_test(round_without_items_begins_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
