/* What the parts of the Redis driver share: who waits for an answer, and how keys are told apart.
 */
#ifndef REDIS_ASK_H
#define REDIS_ASK_H

#include "cache_int.h"
#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/redis.h"

#define VALUE_PREFIX "vesper:v:"
#define LOCK_PREFIX  "vesper:l:"
#define METER_PREFIX "vesper:m:"

struct redis {
	struct loop *loop;
	struct arena *arena;
	struct redis_place place;
	struct redis_link *link;
	uint8_t key[HASH_SHA256_BYTES]; /* of the values' HMAC */
	size_t running;                 /* operations that their starters still wait for */
	bool refusing;                  /* the log knows that it keeps nothing */
};

/* Somebody waits for what it gives. */
struct asking {
	struct op op;
	struct redis *redis;
	struct later later; /* when nothing could be sent */
	bool sent;
	bool cancelled;      /* an answer still comes, and goes nowhere */
	const char *command; /* for the metrics */
	cache_value_cb on_value;
	cache_lock_cb on_yes;
	cache_draw_cb on_draw;
	void *owner;
	size_t meters;
	int64_t most[CACHE_METERS_MAX];
	size_t key_len;
	char key[];
};

void redis_count_use(const char *command, const char *outcome);
bool redis_reply_is(const redisReply *reply, int type);
/* The key as it is stored, in the buffer, which the caller ends. */
struct str redis_key(struct buf *b, const char *prefix, struct str key);
struct asking *redis_asking_new(struct redis *r, struct str key, void *owner);
/* Sends it; where nothing can be sent the waiting one hears so later. */
struct op *redis_ask(struct asking *q, const char *command, int argc, const struct str *argv,
		     redis_reply_cb cb);
/* These call back, unless cancelled, and free. */
void redis_answer(struct asking *q, struct str value, bool yes);
void redis_answer_draw(struct asking *q, const struct cache_draw *drawn);
/* Tells operators, once, when the server keeps nothing. */
void redis_note_refusal(struct redis *r, const redisReply *reply);
void redis_on_removed(void *owner, const redisReply *reply); /* for what nobody waits for */

/* cache_redis_script.c: what must be one step on the server. */
struct op *redis_draw(void *self, const struct str *keys, const int64_t *most, size_t count,
		      int64_t full_ms, cache_draw_cb cb, void *owner);
struct op *redis_lock(void *self, struct str key, struct str token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner);
void redis_unlock(void *self, struct str key, struct str token);

#endif
