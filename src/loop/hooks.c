/* Hooks that do not keep the loop alive: before each wait, and on signals. */
#include "loop_int.h"

#include <assert.h>

#include "vesper/mem.h"

struct prepare {
	struct object object;
	uv_prepare_t uv;
	void (*cb)(void *owner);
	void *owner;
};

struct signal_watch {
	struct object object;
	uv_signal_t uv;
	void (*cb)(void *owner, int signum);
	void *owner;
};

static void on_prepare(uv_prepare_t *uv)
{
	struct prepare *p = uv->data;

	p->cb(p->owner);
}

struct prepare *prepare_new(struct loop *l, void (*cb)(void *owner), void *owner)
{
	struct prepare *p = mem_alloc(sizeof(*p));

	p->cb = cb;
	p->owner = owner;
	uv_prepare_init(&l->uv, &p->uv);
	p->uv.data = p;
	uv_prepare_start(&p->uv, on_prepare);
	uv_unref((uv_handle_t *)&p->uv);
	loop_object_add(l, &p->object, "a prepare hook");
	return p;
}

void prepare_free(struct prepare **prepare)
{
	struct prepare *p = *prepare;

	if (!p)
		return;
	*prepare = NULL;
	loop_object_close(&p->object, (uv_handle_t *)&p->uv, p);
}

static void on_signal(uv_signal_t *uv, int signum)
{
	struct signal_watch *s = uv->data;

	s->cb(s->owner, signum);
}

struct signal_watch *signal_watch_new(struct loop *l, int signum,
				      void (*cb)(void *owner, int signum), void *owner)
{
	struct signal_watch *s = mem_alloc(sizeof(*s));
	int rc = uv_signal_init(&l->uv, &s->uv);

	assert(rc == 0);
	s->cb = cb;
	s->owner = owner;
	s->uv.data = s;
	rc = uv_signal_start(&s->uv, on_signal, signum);
	assert(rc == 0); /* SIGKILL and the like */
	uv_unref((uv_handle_t *)&s->uv);
	loop_object_add(l, &s->object, "a signal watch");
	return s;
}

void signal_watch_free(struct signal_watch **watch)
{
	struct signal_watch *s = *watch;

	if (!s)
		return;
	*watch = NULL;
	loop_object_close(&s->object, (uv_handle_t *)&s->uv, s);
}
