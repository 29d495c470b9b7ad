/* Timers. The uv handle is inside the object, so memory is freed only after libuv has closed it. */
#include "loop_int.h"

#include <assert.h>

#include "vesper/mem.h"

struct timer {
	struct object object;
	uv_timer_t uv;
	timer_cb cb;
	void *owner;
};

static void on_timer(uv_timer_t *uv)
{
	struct timer *t = uv->data;

	t->cb(t->owner);
}

struct timer *timer_new(struct loop *l, timer_cb cb, void *owner)
{
	struct timer *t = mem_alloc(sizeof(*t));

	t->cb = cb;
	t->owner = owner;
	uv_timer_init(&l->uv, &t->uv);
	t->uv.data = t;
	loop_object_add(l, &t->object, "a timer");
	return t;
}

/* Zero becomes one: libuv runs due timers until none is left, so a timer that restarts itself at 0
 * would run forever. The loop's time is that of its last iteration. Without an update, a timer
 * started late in a long iteration would expire early. */
void timer_start(struct timer *t, uint64_t after_ms)
{
	uv_update_time(t->uv.loop);
	uv_timer_start(&t->uv, on_timer, after_ms ? after_ms : 1, 0);
}

void timer_repeat(struct timer *t, uint64_t every_ms)
{
	assert(every_ms > 0);
	uv_timer_start(&t->uv, on_timer, every_ms, every_ms);
}

void timer_stop(struct timer *t)
{
	uv_timer_stop(&t->uv);
}

bool timer_is_active(const struct timer *t)
{
	return uv_is_active((const uv_handle_t *)&t->uv);
}

void timer_free(struct timer **timer)
{
	struct timer *t = *timer;

	if (!t)
		return;
	*timer = NULL;
	loop_object_close(&t->object, (uv_handle_t *)&t->uv, t);
}
