/* Internal to the loop: its struct, and the list of objects that owners have not freed yet. */
#ifndef VESPER_LOOP_INT_H
#define VESPER_LOOP_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "vesper/list.h"
#include "vesper/loop.h"

struct loop {
	uv_loop_t uv;
	struct list objects;       /* objects not yet freed by their owners */
	struct list deferred;      /* deferred callbacks for the next iteration */
	struct list deferred_last; /* run in an iteration that leaves `deferred` empty */
	int last_wait_count;       /* iterations that `deferred_last` have waited */
	struct list running;       /* deferred callbacks of this iteration that have not run yet */
	uv_idle_t idle; /* active while callbacks are deferred: an active idle handle keeps the wait
			   at zero */
	uv_prepare_t measure; /* measures the working time of each iteration */
	uint64_t measured_ns; /* time of the last measurement */
	uint64_t idle_ns;     /* total waiting time at that point */
	uint64_t longest_ns;  /* longest working time since the last loop_longest_us */
	uv_async_t wake;      /* signals a post */
	pthread_mutex_t lock; /* protects `posts` only */
	struct list posts;
	size_t hold_count; /* jobs of other threads that will post; they keep the loop alive */
};

/* Base of objects that owners must free, so that loop_free can log those that were not freed. */
struct object {
	struct list node;
	const char *kind;
};

void loop_object_add(struct loop *l, struct object *object, const char *kind);
/* Removes the object from the list and closes its handle; `block` is freed when libuv has closed
 * the handle. */
void loop_object_close(struct object *object, uv_handle_t *handle, void *block);

/* Keep loop_run running while another thread works for this loop. */
void loop_hold(struct loop *l);
void loop_release(struct loop *l);

#endif
