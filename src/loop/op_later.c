/* Operations that complete in the next iteration. */
#include "vesper/op_later.h"

#include <assert.h>

#include "vesper/list.h"
#include "vesper/mem.h"

static void end(struct op_later *o)
{
	if (o->clean)
		o->clean(o);
	mem_free(o);
}

static void on_cancel(struct op *op)
{
	struct op_later *o = list_item(op, struct op_later, op);

	later_cancel(&o->later);
	(*o->running)--;
	end(o);
}

/* Decrements the counter first: the callback may free the counter's owner. */
static void on_later(void *owner)
{
	struct op_later *o = owner;

	(*o->running)--;
	o->answer(o);
	end(o);
}

void *op_later_new(struct loop *l, size_t bytes, size_t *running,
		   void (*answer)(struct op_later *o), void (*clean)(struct op_later *o))
{
	struct op_later *o = mem_alloc(bytes);

	assert(bytes >= sizeof(*o));
	o->op.cancel = on_cancel;
	o->running = running;
	o->answer = answer;
	o->clean = clean;
	(*running)++;
	loop_defer(l, &o->later, on_later, o);
	return o;
}
