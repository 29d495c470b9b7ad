/*
 * A hiredis connection as a guest of our loop.
 */
#ifndef REDIS_GLUE_H
#define REDIS_GLUE_H

#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <stddef.h>

#include "vesper/loop.h"

/* Once, when hiredis is about to free the context; `why` is valid during the call. */
typedef void (*redis_gone_cb)(void *owner, const char *why);

/* Whoever sends counts here what is not answered yet: nothing else is taken for a reply. */
struct redis_glue_options {
	const size_t *unanswered;
	size_t reply_bytes, reply_elements; /* 0: the usual */
	redis_gone_cb gone;
	void *owner;
};

void redis_glue_attach(struct loop *l, redisAsyncContext *ac, const struct redis_glue_options *o);

#endif
