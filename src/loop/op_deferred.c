/* Operations that complete in the next iteration. */
#include "vesper/op_deferred.h"

#include <assert.h>

#include "vesper/list.h"
#include "vesper/mem.h"

static void end(struct op_deferred *o)
{
	if (o->clean)
		o->clean(o);
	mem_free(o);
}

static void on_cancel(struct op *op)
{
	struct op_deferred *o = list_item(op, struct op_deferred, op);

	deferred_cancel(&o->deferred);
	(*o->running)--;
	end(o);
}

/* Decrements the counter first: the callback may free the counter's owner. */
static void on_deferred(void *owner)
{
	struct op_deferred *o = owner;

	(*o->running)--;
	o->answer(o);
	end(o);
}

void *op_deferred_new(struct loop *l, size_t bytes, size_t *running,
		      void (*answer)(struct op_deferred *o), void (*clean)(struct op_deferred *o))
{
	struct op_deferred *o = mem_alloc(bytes);

	assert(bytes >= sizeof(*o));
	o->op.cancel = on_cancel;
	o->running = running;
	o->answer = answer;
	o->clean = clean;
	(*running)++;
	loop_defer(l, &o->deferred, on_deferred, o);
	return o;
}
