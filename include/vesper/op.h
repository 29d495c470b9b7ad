/*
 * A running operation that its starter may cancel: a query, a model call, a plan.
 *
 * The starter keeps a `struct op *`. Exactly one of two things happens. Either the operation's
 * callback runs, and the pointer becomes invalid. Or op_cancel is called, and the callback never
 * runs; work that is still running elsewhere is stopped and cleaned up. Loop thread only.
 */
#ifndef VESPER_OP_H
#define VESPER_OP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct op {
	void (*cancel)(struct op *op);
	void (*pause)(struct op *op, bool paused); /* or NULL: nothing to pause */
};

/* Cancels, and sets the caller's pointer to NULL; *op may be NULL. */
static inline void op_cancel(struct op **op)
{
	struct op *o = *op;

	*op = NULL;
	if (o)
		o->cancel(o);
}

/* Back-pressure: a paused operation does not read from its stream. `op` may be NULL. */
static inline void op_pause(struct op *op, bool paused)
{
	if (op && op->pause)
		op->pause(op, paused);
}

#endif
