/*
 * A running operation that its starter may cancel: a query, a model call, a plan.
 *
 * The starter keeps a `struct op *`. Exactly one of two things happens: the operation's own
 * callback runs (then the pointer is dead), or op_cancel was called (then the callback never runs;
 * what runs on elsewhere is stopped and cleaned up without the starter). Loop thread only.
 */
#ifndef VESPER_OP_H
#define VESPER_OP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct op {
	void (*cancel)(struct op *op);
	void (*pause)(struct op *op, bool paused); /* or NULL: it has nothing to hold back */
};

/* Cancels and sets the caller's pointer to NULL; *op may be NULL. */
static inline void op_cancel(struct op **op)
{
	struct op *o = *op;

	*op = NULL;
	if (o)
		o->cancel(o);
}

/* Back-pressure: while paused, an operation that reads a stream reads none of it. `op` may be NULL.
 */
static inline void op_pause(struct op *op, bool paused)
{
	if (op && op->pause)
		op->pause(op, paused);
}

#endif
