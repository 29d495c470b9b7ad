/* Shared by the parts of the Redis driver: pending operations and key prefixes. */
#ifndef REDIS_ASK_H
#define REDIS_ASK_H

#include "cache_int.h"
#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/redis.h"

#define VALUE_PREFIX  "vesper:v:"
#define LOCK_PREFIX   "vesper:l:"
#define BUCKET_PREFIX "vesper:m:"

struct redis {
	struct loop *loop;
	struct arena *arena;
	struct redis_address place;
	struct redis_link *link;
	uint8_t key[HASH_SHA256_BYTES]; /* HMAC key for values */
	size_t running;                 /* operations whose callback is pending */
	bool refusing;                  /* a refusal was logged */
};

/* An operation whose caller waits. */
struct redis_op {
	struct op op;
	struct redis *redis;
	struct deferred deferred; /* reports that the command was not sent */
	bool sent;
	bool cancelled;      /* the pending reply is discarded */
	const char *command; /* for metrics */
	cache_value_cb on_value;
	cache_lock_cb on_result;
	cache_consume_cb on_consume;
	void *owner;
	size_t bucket_count;
	int64_t capacities[CACHE_BUCKETS_MAX];
	size_t key_len;
	char key[];
};

void redis_count_command(const char *command, const char *outcome);
bool redis_reply_is(const redisReply *reply, int type);
/* Writes the stored form of the key into the buffer; the caller frees the buffer. */
struct str redis_key(struct buf *b, const char *prefix, struct str key);
struct redis_op *redis_op_new(struct redis *r, struct str key, void *owner);
/* Sends the command. If that fails, the callback runs later. */
struct op *redis_op_send(struct redis_op *q, const char *command, int argc, const struct str *argv,
			 redis_reply_cb cb);
/* Both call the callback, unless cancelled, and free the operation. */
void redis_op_finish(struct redis_op *q, struct str value, bool yes);
void redis_op_finish_consume(struct redis_op *q, const struct cache_consume *consumed);
/* Logs once when the server refuses writes. */
void redis_log_refusal(struct redis *r, const redisReply *reply);
/* Callback for removals without a waiting caller. */
void redis_on_removed(void *owner, const redisReply *reply);

/* cache_redis_script.c: operations that must be atomic on the server. */
struct op *redis_consume(void *self, const struct str *keys, const int64_t *most, size_t count,
			 int64_t full_ms, cache_consume_cb cb, void *owner);
struct op *redis_lock(void *self, struct str key, struct str token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner);
void redis_unlock(void *self, struct str key, struct str token);

#endif
