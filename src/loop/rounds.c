/* Begins the operations of a round, a limited number at a time (rounds.h). */
#include "vesper/rounds.h"

#include <assert.h>

#include "vesper/loop.h"
#include "vesper/mem.h"

struct rounds {
	struct timer *timer;
	size_t count, max_running;
	size_t next_item; /* to begin in this round; count: all have begun */
	size_t running;
	bool *is_running; /* per item */
	rounds_begin_cb begin;
	void *owner;
};

static void begin_more(struct rounds *r)
{
	while (r->running < r->max_running && r->next_item < r->count) {
		size_t i = r->next_item++;

		if (r->is_running[i])
			continue; /* still running from an earlier round */
		r->is_running[i] = r->begin(r->owner, i);
		r->running += r->is_running[i];
	}
}

static void on_timer(void *owner)
{
	struct rounds *r = owner;

	if (r->next_item < r->count)
		return;
	r->next_item = 0;
	begin_more(r);
}

struct rounds *rounds_new(struct loop *loop, size_t count, size_t max_running,
			  rounds_begin_cb begin, void *owner)
{
	struct rounds *r = mem_alloc(sizeof(*r));

	assert(max_running > 0);
	*r = (struct rounds){.timer = timer_new(loop, on_timer, r),
			     .count = count,
			     .max_running = max_running,
			     .next_item = count,
			     .is_running = mem_alloc(count + 1),
			     .begin = begin,
			     .owner = owner};
	return r;
}

void rounds_start(struct rounds *r, uint64_t every_ms, bool now)
{
	timer_repeat(r->timer, every_ms);
	if (now)
		on_timer(r);
}

void rounds_end(struct rounds *r, size_t i)
{
	assert(i < r->count);
	if (!r->is_running[i])
		return;
	r->is_running[i] = false;
	r->running--;
	begin_more(r);
}

void rounds_free(struct rounds **rounds)
{
	struct rounds *r = *rounds;

	if (!r)
		return;
	*rounds = NULL;
	timer_free(&r->timer);
	mem_free(r->is_running);
	mem_free(r);
}
