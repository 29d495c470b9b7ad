/*
 * The event loop: timers, descriptors, work for the next iteration, signals, and a clean end.
 *
 * One loop, one thread; every function here is loop-thread only, except loop_post. Nothing called
 * from the loop may block. Callbacks always run from the loop, never from inside the function that
 * armed them.
 */
#ifndef VESPER_LOOP_H
#define VESPER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/list.h"

struct loop;

MUST_CHECK bool loop_new(struct loop **out, struct err *e);
/* Runs until loop_stop, or until nothing is left that keeps it alive: timers, descriptors, laters,
 * jobs of a pool. Signal watches and prepare hooks do not. */
void loop_run(struct loop *l);
/* Ends loop_run after the current iteration. */
void loop_stop(struct loop *l);
/* Closes what is left and frees. Asserts that every timer, watch and later was given back. */
void loop_free(struct loop **l);
/* One iteration without waiting: for tests and for the orderly end. True when something is still
 * alive. */
bool loop_turn(struct loop *l);
/* The library's own loop, for glues that need it (libwebsockets' foreign loop). */
void *loop_native(struct loop *l);
/* Milliseconds of the loop's own clock (cached once an iteration). */
uint64_t loop_now_ms(struct loop *l);
/* Longest single iteration's work since the last call, in microseconds: the health of "nothing
 * blocks". */
int64_t loop_longest_us(struct loop *l);

/* A timer. Heap object owned by the caller; it may be freed inside its own callback. */
struct timer;
typedef void (*timer_cb)(void *owner);
struct timer *timer_new(struct loop *l, timer_cb cb, void *owner);
void timer_start(struct timer *t, uint64_t after_ms); /* once; starting again moves it */
void timer_repeat(struct timer *t, uint64_t every_ms);
void timer_stop(struct timer *t);
bool timer_active(const struct timer *t);
void timer_free(struct timer **t); /* *t may be NULL */

/* A watch on a borrowed descriptor. Free it before the descriptor is closed. */
enum {
	FD_READ = 1,
	FD_WRITE = 2,
	FD_HANGUP = 4
}; /* errors arrive as FD_READ | FD_WRITE
    * (and FD_HANGUP when asked for) */
struct fd_watch;
typedef void (*fd_cb)(void *owner, int fd, int events);
struct fd_watch *fd_watch_new(struct loop *l, int fd, fd_cb cb, void *owner);
void fd_watch_set(struct fd_watch *w, int events); /* 0 stops */
void fd_watch_free(struct fd_watch **w);           /* allowed inside its own callback */

/* Runs cb once, in the next iteration, in the order of the calls. The node lives in the caller's
 * struct (zeroed first). */
typedef void (*later_cb)(void *owner);
struct later {
	struct list node;
	later_cb cb;
	void *owner;
};
void loop_later(struct loop *l, struct later *later, later_cb cb,
		void *owner); /* already waiting: nothing changes */
/* The same, but only when no later is waiting any more, or after LOOP_LAST_ITERATIONS: for who
 * tells others what the laters have done, all at once. */
void loop_last(struct loop *l, struct later *later, later_cb cb, void *owner);
void later_cancel(struct later *later);

/* Called once before each wait for events (after timers and callbacks): for libraries that must be
 * kicked. */
struct prepare;
struct prepare *prepare_new(struct loop *l, void (*cb)(void *owner), void *owner);
void prepare_free(struct prepare **p);

/* Signals: the callback runs on the loop. SIGPIPE is ignored by loop_new. */
struct signal_watch;
struct signal_watch *signal_watch_new(struct loop *l, int signum,
				      void (*cb)(void *owner, int signum), void *owner);
void signal_watch_free(struct signal_watch **s);

/* The only call that is safe from any thread: runs cb(owner) on the loop, in order of arrival. */
void loop_post(struct loop *l, void (*cb)(void *owner), void *owner);

#endif
