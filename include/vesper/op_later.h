/*
 * An operation whose answer is known at once and is delivered in the next iteration of the loop, as
 * the answer of another machine would be. Loop thread only.
 */
#ifndef VESPER_OP_LATER_H
#define VESPER_OP_LATER_H

#include "vesper/loop.h"
#include "vesper/op.h"

/* First member of the operation's own struct. */
struct op_later {
	struct op op;
	struct later later;
	size_t *running;
	void (*answer)(struct op_later *o);
	void (*clean)(struct op_later *o);
};

/* A zeroed struct of so many bytes, counted in *running until it answers or is cancelled. `answer`
 * runs in the next iteration and calls the caller's callback. `clean` gives back what the struct
 * holds, afterwards or on cancel (NULL: nothing); then the struct is freed. */
void *op_later_new(struct loop *l, size_t bytes, size_t *running,
		   void (*answer)(struct op_later *o), void (*clean)(struct op_later *o));

#endif
