/*
 * The event loop: timers, descriptors, deferred callbacks, signals and an orderly shutdown.
 *
 * A loop runs on one thread. Loop thread only, except loop_post. A callback must not block.
 * Callbacks always run from the loop, never from inside the function that registered them.
 */
#ifndef VESPER_LOOP_H
#define VESPER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/list.h"

struct loop;

MUST_CHECK bool loop_new(struct loop **out, struct err *e);
/* Runs until loop_stop, or until nothing keeps the loop alive. Timers, descriptors, deferred
 * callbacks and pool jobs keep it alive; signal watches and prepare hooks do not. */
void loop_run(struct loop *l);
/* Ends loop_run after the current iteration. */
void loop_stop(struct loop *l);
/* Frees the loop. Asserts that every timer, watch and hook has been freed and that no deferred
 * callback is waiting. */
void loop_free(struct loop **l);
/* Runs one iteration without waiting; for tests and for shutdown. Returns true if something still
 * keeps the loop alive. */
bool loop_run_once(struct loop *l);
/* The uv_loop_t, for libraries that run on it (the foreign loop of libwebsockets). Borrowed. */
void *loop_native(struct loop *l);
/* The loop's clock in milliseconds, updated once per iteration. */
uint64_t loop_now_ms(struct loop *l);
/* The longest time that one iteration has worked since the last call, in microseconds. A high value
 * means that a callback blocks. */
int64_t loop_longest_us(struct loop *l);

/* A timer. The caller owns it, and may free it in its callback. */
struct timer;
typedef void (*timer_cb)(void *owner);
struct timer *timer_new(struct loop *l, timer_cb cb, void *owner);
void timer_start(struct timer *t, uint64_t after_ms); /* fires once; another start reschedules it */
void timer_repeat(struct timer *t, uint64_t every_ms);
void timer_stop(struct timer *t);
bool timer_is_active(const struct timer *t);
void timer_free(struct timer **t); /* *t may be NULL */

/* A watch on a borrowed descriptor. Free it before the descriptor is closed. An error is
 * reported as FD_READ | FD_WRITE, with FD_HANGUP if the owner watches for it. */
enum { FD_READ = 1, FD_WRITE = 2, FD_HANGUP = 4 };
struct fd_watch;
typedef void (*fd_cb)(void *owner, int fd, int events);
struct fd_watch *fd_watch_new(struct loop *l, int fd, fd_cb cb, void *owner);
void fd_watch_set(struct fd_watch *w, int events); /* 0: none */
void fd_watch_free(struct fd_watch **w);           /* allowed in its callback */

/* A deferred callback: runs once, in the next iteration, in the order of the calls. `deferred` is
 * part of the caller's struct; zero it before its first use. No effect while it is already waiting.
 */
typedef void (*deferred_cb)(void *owner);
struct deferred {
	struct list node;
	deferred_cb cb;
	void *owner;
};
void loop_defer(struct loop *l, struct deferred *deferred, deferred_cb cb, void *owner);
/* Like loop_defer, but runs when no callback of loop_defer is waiting, or after
 * LOOP_LAST_ITERATIONS iterations. Used to batch notifications. */
void loop_defer_last(struct loop *l, struct deferred *deferred, deferred_cb cb, void *owner);
void deferred_cancel(struct deferred *deferred);

/* A prepare hook: called once before each wait for events, after timers and callbacks. Some
 * libraries have work to do before the loop waits. */
struct prepare;
struct prepare *prepare_new(struct loop *l, void (*cb)(void *owner), void *owner);
void prepare_free(struct prepare **p);

/* Signals: the callback runs on the loop. SIGPIPE is ignored by loop_new. */
struct signal_watch;
struct signal_watch *signal_watch_new(struct loop *l, int signum,
				      void (*cb)(void *owner, int signum), void *owner);
void signal_watch_free(struct signal_watch **s);

/* Any thread. Runs cb(owner) on the loop thread, in order of arrival. */
void loop_post(struct loop *l, void (*cb)(void *owner), void *owner);

#endif
