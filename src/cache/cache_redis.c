/*
 * The driver that keeps everything in a Redis. What comes back is only believed when its envelope
 * says that it belongs to just this key and is whole; every other answer is a miss. An answer that
 * the server cannot have meant ends the connection, since nothing behind it could be trusted.
 */
#include "cache_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "redis_link.h"
#include "vesper/arena.h"
#include "vesper/hash.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define PLACE_BYTES_MAX 4096

/* Before the bytes of a value: the form of the envelope, and the digest over key and value. */
#define MAGIC          "vc1:"
#define DIGEST_BYTES   16
#define ENVELOPE_BYTES (sizeof(MAGIC) - 1 + DIGEST_BYTES)

#define VALUE_PREFIX "vesper:v:"
#define LOCK_PREFIX  "vesper:l:"

struct redis {
	struct loop *loop;
	struct arena *arena;
	struct redis_place place;
	struct redis_link *link;
	size_t running; /* operations that their starters still wait for */
	bool refusing;  /* the log knows that it keeps nothing */
};

/* A get or a lock. */
struct asking {
	struct op op;
	struct redis *redis;
	struct later later; /* when nothing could be sent */
	bool sent;
	bool cancelled; /* an answer still comes, and goes nowhere */
	cache_value_cb on_value;
	cache_lock_cb on_lock;
	void *owner;
	size_t key_len;
	char key[];
};

static void count_use(const char *command, const char *outcome)
{
	char name[96];

	snprintf(name, sizeof(name), "vesper_redis_commands_total{command=\"%s\",outcome=\"%s\"}",
		 command, outcome);
	metric_add(name, 1);
}

static bool is_type(const redisReply *reply, int type)
{
	return reply && reply->type == type;
}

/* ---- the envelope ---- */

static void digest_of(struct str key, struct str value, uint8_t out[HASH_SHA256_BYTES])
{
	uint8_t both[2 * HASH_SHA256_BYTES];

	hash_sha256(key.p, key.n, both);
	hash_sha256(value.p, value.n, both + HASH_SHA256_BYTES);
	hash_sha256(both, sizeof(both), out);
}

static void put_in_envelope(struct buf *b, struct str key, struct str value)
{
	uint8_t digest[HASH_SHA256_BYTES];

	digest_of(key, value, digest);
	buf_str(b, MAGIC);
	buf_add(b, digest, DIGEST_BYTES);
	if (value.n > 0)
		buf_add(b, value.p, value.n);
}

static bool take_out(struct str key, const redisReply *reply, struct str *value)
{
	struct str inner;
	uint8_t digest[HASH_SHA256_BYTES];

	if (reply->len < ENVELOPE_BYTES || memcmp(reply->str, MAGIC, sizeof(MAGIC) - 1) != 0)
		return false;
	inner = (struct str){reply->str + ENVELOPE_BYTES, reply->len - ENVELOPE_BYTES};
	digest_of(key, inner, digest);
	if (memcmp(reply->str + sizeof(MAGIC) - 1, digest, DIGEST_BYTES) != 0)
		return false;
	*value = inner;
	return true;
}

/* ---- keys ---- */

static struct str prefixed(struct buf *b, const char *prefix, struct str key)
{
	buf_init(b, CACHE_KEY_BYTES_MAX + sizeof(VALUE_PREFIX));
	buf_str(b, prefix);
	buf_add(b, key.p, key.n);
	return (struct str){b->p, b->n};
}

/* ---- asking ---- */

static void answer(struct asking *q, struct str value, bool locked)
{
	if (!q->cancelled) {
		q->redis->running--;
		if (q->on_lock)
			q->on_lock(q->owner, locked);
		else
			q->on_value(q->owner, value);
	}
	mem_free(q);
}

static void on_cancel(struct op *op)
{
	struct asking *q = list_item(op, struct asking, op);

	q->redis->running--;
	q->cancelled = true;
	if (q->sent) /* its answer still comes, and frees it */
		return;
	later_cancel(&q->later);
	mem_free(q);
}

static void on_unsent(void *owner)
{
	answer(owner, (struct str){NULL, 0}, false);
}

static struct asking *asking_new(struct redis *r, struct str key, void *owner)
{
	struct asking *q = mem_alloc(sizeof(*q) + key.n);

	q->op.cancel = on_cancel;
	q->redis = r;
	q->owner = owner;
	q->key_len = key.n;
	memcpy(q->key, key.p, key.n);
	r->running++;
	return q;
}

static struct op *ask(struct asking *q, const char *command, int argc, const struct str *argv,
		      redis_reply_cb cb)
{
	q->sent = redis_link_send(q->redis->link, argc, argv, cb, q);
	if (!q->sent) {
		count_use(command, "away");
		loop_later(q->redis->loop, &q->later, on_unsent, q);
	}
	return &q->op;
}

/* ---- values ---- */

static void on_get(void *owner, const redisReply *reply)
{
	struct asking *q = owner;
	struct str value = {NULL, 0};

	if (is_type(reply, REDIS_REPLY_STRING) &&
	    !take_out((struct str){q->key, q->key_len}, reply, &value))
		count_use("get", "foreign");
	else if (is_type(reply, REDIS_REPLY_STRING))
		count_use("get", "hit");
	else if (is_type(reply, REDIS_REPLY_NIL))
		count_use("get", "miss");
	else
		count_use("get", reply ? "error" : "lost");
	if (is_type(reply, REDIS_REPLY_STATUS) || is_type(reply, REDIS_REPLY_INTEGER))
		redis_link_distrust(q->redis->link, "GET was answered by something else");
	answer(q, value, false);
}

static struct op *redis_get(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct asking *q = asking_new(self, key, owner);
	struct buf b;
	struct str argv[] = {STR("GET"), prefixed(&b, VALUE_PREFIX, key)};

	q->on_value = cb;
	struct op *op = ask(q, "get", 2, argv, on_get);
	buf_deinit(&b);
	return op;
}

/* Full, or a copy that may only be read: an operator must hear of it, once. */
static void note_refusal(struct redis *r, const redisReply *reply)
{
	if (is_type(reply, REDIS_REPLY_ERROR) && !r->refusing)
		log_warn("redis.refuses", "%s keeps nothing: %s", r->place.shown, reply->str);
	if (reply)
		r->refusing = reply->type == REDIS_REPLY_ERROR;
}

static void on_set(void *owner, const redisReply *reply)
{
	struct redis *r = owner;

	if (is_type(reply, REDIS_REPLY_STATUS))
		count_use("set", "ok");
	else
		count_use("set", reply ? "error" : "lost");
	note_refusal(r, reply);
	if (reply && reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_ERROR)
		redis_link_distrust(r->link, "SET was answered by something else");
}

static void redis_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	struct redis *r = self;
	struct buf b, envelope;
	char ttl[24];
	int n = snprintf(ttl, sizeof(ttl), "%lld", (long long)ttl_ms);

	buf_init(&envelope, ENVELOPE_BYTES + CACHE_VALUE_BYTES_MAX);
	put_in_envelope(&envelope, key, value);
	struct str argv[] = {STR("SET"), prefixed(&b, VALUE_PREFIX, key),
			     (struct str){envelope.p, envelope.n}, STR("PX"),
			     (struct str){ttl, (size_t)n}};
	if (!redis_link_send(r->link, 5, argv, on_set, r))
		count_use("set", "away");
	buf_deinit(&envelope);
	buf_deinit(&b);
}

/* DEL, and the script that unlocks: a number says how many went. */
static void on_removed(void *owner, const redisReply *reply)
{
	struct redis *r = owner;

	if (is_type(reply, REDIS_REPLY_INTEGER))
		count_use("remove", "ok");
	else
		count_use("remove", reply ? "error" : "lost");
	if (reply && reply->type != REDIS_REPLY_INTEGER && reply->type != REDIS_REPLY_ERROR)
		redis_link_distrust(r->link, "a removal was answered by something else");
}

static void redis_remove(void *self, struct str key)
{
	struct redis *r = self;
	struct buf b;
	struct str argv[] = {STR("DEL"), prefixed(&b, VALUE_PREFIX, key)};

	if (!redis_link_send(r->link, 2, argv, on_removed, r))
		count_use("remove", "away");
	buf_deinit(&b);
}

/* ---- locks ---- */

/* One script, since taking and prolonging must not be two steps. */
#define LOCK_SCRIPT                                                                                \
	"if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "           \
	"if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "                              \
	"return redis.call('PEXPIRE', KEYS[1], ARGV[2])"
#define UNLOCK_SCRIPT                                                                              \
	"if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "                              \
	"return redis.call('DEL', KEYS[1])"

static void on_lock(void *owner, const redisReply *reply)
{
	struct asking *q = owner;
	bool locked = is_type(reply, REDIS_REPLY_INTEGER) && reply->integer == 1;

	if (is_type(reply, REDIS_REPLY_INTEGER))
		count_use("lock", locked ? "ok" : "held");
	else
		count_use("lock", reply ? "error" : "lost");
	if (reply && reply->type != REDIS_REPLY_INTEGER && reply->type != REDIS_REPLY_ERROR)
		redis_link_distrust(q->redis->link, "a lock was answered by something else");
	answer(q, (struct str){NULL, 0}, locked);
}

static struct op *redis_lock(void *self, struct str key, struct str token, int64_t ttl_ms,
			     cache_lock_cb cb, void *owner)
{
	struct asking *q = asking_new(self, key, owner);
	struct buf b;
	char ttl[24];
	int n = snprintf(ttl, sizeof(ttl), "%lld", (long long)ttl_ms);
	struct str argv[] = {STR("EVAL"), STR(LOCK_SCRIPT),
			     STR("1"),    prefixed(&b, LOCK_PREFIX, key),
			     token,       (struct str){ttl, (size_t)n}};

	q->on_lock = cb;
	struct op *op = ask(q, "lock", 6, argv, on_lock);
	buf_deinit(&b);
	return op;
}

static void redis_unlock(void *self, struct str key, struct str token)
{
	struct redis *r = self;
	struct buf b;
	struct str argv[] = {STR("EVAL"), STR(UNLOCK_SCRIPT), STR("1"),
			     prefixed(&b, LOCK_PREFIX, key), token};

	if (!redis_link_send(r->link, 5, argv, on_removed, r))
		count_use("remove", "away");
	buf_deinit(&b);
}

/* ---- the whole ---- */

static void redis_close(void *self)
{
	struct redis *r = self;

	assert(r->running == 0);
	redis_link_free(&r->link);
	arena_free(&r->arena);
	mem_free(r);
}

static const struct cache_driver redis_driver = {
	.name = "redis",
	.get = redis_get,
	.set = redis_set,
	.remove = redis_remove,
	.lock = redis_lock,
	.unlock = redis_unlock,
	.close = redis_close,
};

bool cache_redis_new(struct loop *l, const struct cache_redis_options *o, struct cache **out,
		     struct err *e)
{
	struct arena *arena = arena_new(PLACE_BYTES_MAX);
	struct redis_place place;

	assert(o->timeout_ms > 0 && o->timeout_ms <= REDIS_PATIENCE_MS);
	if (!redis_url_parse(o->url, arena, &place, e)) {
		arena_free(&arena);
		return false;
	}
	struct redis *r = mem_alloc(sizeof(*r));
	r->loop = l;
	r->arena = arena;
	r->place = place;
	r->link = redis_link_new(l, &r->place, o->timeout_ms);
	*out = cache_from_driver(&redis_driver, r);
	return true;
}
