/*
 * Worker threads for blocking jobs. `run` is called on a worker and may access only its job.
 * `done` is always called on the loop afterwards, even while the pool is being closed. Submit on
 * the loop thread only.
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

/* `threads` is the maximum; each thread is started when a job needs it. */
struct pool *pool_new(struct loop *l, const char *name, size_t threads);
/* Lowers the priority of the pool's threads. Call before the first job. */
void pool_lower_priority(struct pool *p);
void pool_submit(struct pool *p, struct pool_job *job);
size_t pool_idle(const struct pool *p); /* threads without a job; a job ends with its `done` */
/* Adds a thread, to replace one whose job hangs; removes one, after that job has ended. */
void pool_add_thread(struct pool *p);
void pool_remove_thread(struct pool *p);
/* Waits at most `within_ms` for all submitted jobs and calls `done` for those that have run; no job
 * may be submitted afterwards. False: some are still running. Then call it again, or call
 * pool_abandon. Not allowed in a `done`. */
bool pool_finish(struct pool *p, uint64_t within_ms);
/* Abandons hanging jobs: their `done` is never called, and the memory they access must stay valid
 * until the process ends. */
void pool_abandon(struct pool **p);
/* Waits until every submitted job has run (cancel long ones first), calls every `done`, then frees.
 * Not allowed in a `done`. */
void pool_free(struct pool **p);

#endif
