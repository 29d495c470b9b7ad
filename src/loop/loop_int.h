/* What the files of the loop share: the loop itself, and the list of objects that owners have not
 * given back yet. */
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
	struct list given_out; /* every thing whose owner still has it */
	struct list laters;    /* run in the next iteration */
	struct list lasts;     /* run in an iteration after which no later waits */
	int last_waited;       /* iterations */
	struct list running;   /* laters of this iteration that have not run yet */
	uv_idle_t idle; /* active while laters wait: an active idle handle keeps the wait at zero */
	uv_prepare_t measure; /* once an iteration: how long did the last one work? */
	uint64_t measured_ns; /* when that was last asked */
	uint64_t idle_ns;     /* time spent waiting up to then */
	uint64_t longest_ns;  /* work of the longest iteration since loop_longest_us was last called
			       */
	uv_async_t wake;      /* something was posted */
	pthread_mutex_t lock; /* protects `posts` and nothing else */
	struct list posts;
	size_t holds; /* work elsewhere that will post: the loop must not end */
};

/* Base of what is handed out: only so that loop_free can name what was forgotten. */
struct thing {
	struct list node;
	const char *kind;
};

void loop_thing_add(struct loop *l, struct thing *thing, const char *kind);
/* Takes the thing off the list and closes its handle; `block` is freed once libuv has let go of it.
 */
void loop_thing_close(struct thing *thing, uv_handle_t *handle, void *block);

/* Keeps loop_run going while another thread works for this loop. */
void loop_hold(struct loop *l);
void loop_release(struct loop *l);

#endif
