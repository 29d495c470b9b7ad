/*
 * Worker threads for blocking jobs. `run` is called on a worker and may touch its job only; `done`
 * is called on the loop afterwards, always, also when the pool is being closed. Submitting is
 * loop-thread only.
 */
#ifndef VESPER_POOL_H
#define VESPER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/list.h"
#include "vesper/loop.h"

struct pool;

struct pool_job {
	struct list node; /* private */
	void (*run)(struct pool_job *job);
	void (*done)(struct pool_job *job);
	struct pool *pool; /* private */
};

/* As many threads at most; each is started when there is a job for it. */
struct pool *pool_new(struct loop *l, const char *name, size_t threads);
/* Before the first job: its threads leave the processor to others that want it. */
void pool_give_way(struct pool *p);
void pool_submit(struct pool *p, struct pool_job *job);
size_t pool_idle(const struct pool *p); /* threads without a job; a job counts until its done */
/* One thread more, in place of one whose job does not come back; and one fewer, when it has. */
void pool_widen(struct pool *p);
void pool_narrow(struct pool *p);
/* Waits so long for every submitted job and calls the done of those that have run; nothing may be
 * submitted any more. False: some still run. Then call it again, or leave the pool. Not from a
 * done. */
bool pool_finish(struct pool *p, uint64_t within_ms);
/* Gives up on jobs that do not come back: their done is never called, and whatever they touch must
 * stay until the process ends. */
void pool_leave(struct pool **p);
/* Waits until every submitted job has run (cancel what is long first), calls every done, then
 * frees. Not from a done. */
void pool_free(struct pool **p);

#endif
