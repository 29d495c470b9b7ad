/*
 * Runs a hiredis connection on our loop.
 */
#ifndef REDIS_GLUE_H
#define REDIS_GLUE_H

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <stddef.h>

#include "vesper/loop.h"

/* Called once, before hiredis frees the context; `why` is valid during the call. */
typedef void (*redis_gone_cb)(void *owner, const char *why);

/* The sender maintains the count of unanswered commands; other replies are rejected. */
struct redis_glue_options {
	const size_t *unanswered;
	size_t reply_bytes, reply_elements; /* 0: default */
	redis_gone_cb gone;
	void *owner;
};

void redis_glue_attach(struct loop *l, redisAsyncContext *ac, const struct redis_glue_options *o);

#endif
