/*
 * An operation whose result is available at once, but is delivered in the next loop iteration, like
 * the result of a remote operation. Loop thread only.
 */
#ifndef VESPER_OP_DEFERRED_H
#define VESPER_OP_DEFERRED_H

#include "vesper/loop.h"
#include "vesper/op.h"

/* First member of the operation's own struct. */
struct op_deferred {
	struct op op;
	struct deferred deferred;
	size_t *running;
	void (*answer)(struct op_deferred *o);
	void (*clean)(struct op_deferred *o);
};

/* Allocates a zeroed struct of `bytes`, counted in *running until it answers or is cancelled.
 * `answer` runs in the next iteration and calls the caller's callback. `clean` runs after it, or
 * on cancel, and releases the struct's contents (NULL: nothing to release); then the struct is
 * freed. */
void *op_deferred_new(struct loop *l, size_t bytes, size_t *running,
		      void (*answer)(struct op_deferred *o), void (*clean)(struct op_deferred *o));

#endif
