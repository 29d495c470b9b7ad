#include "vesper/rounds.h"

#include <assert.h>

#include "vesper/loop.h"
#include "vesper/mem.h"

struct rounds {
	struct timer *timer;
	size_t count, at_once;
	size_t at; /* next item of this round; count: all have begun */
	size_t running;
	bool *runs; /* per item: true while it is running */
	rounds_begin_cb begin;
	void *owner;
};

static void begin_more(struct rounds *r)
{
	while (r->running < r->at_once && r->at < r->count) {
		size_t i = r->at++;

		if (r->runs[i])
			continue; /* still running from an earlier round */
		r->runs[i] = r->begin(r->owner, i);
		r->running += r->runs[i];
	}
}

static void on_timer(void *owner)
{
	struct rounds *r = owner;

	if (r->at < r->count)
		return;
	r->at = 0;
	begin_more(r);
}

struct rounds *rounds_new(struct loop *loop, size_t count, size_t at_once, rounds_begin_cb begin,
			  void *owner)
{
	struct rounds *r = mem_alloc(sizeof(*r));

	assert(at_once > 0);
	*r = (struct rounds){.timer = timer_new(loop, on_timer, r),
			     .count = count,
			     .at_once = at_once,
			     .at = count,
			     .runs = mem_alloc(count + 1),
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
	if (!r->runs[i])
		return;
	r->runs[i] = false;
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
	mem_free(r->runs);
	mem_free(r);
}
