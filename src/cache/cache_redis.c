/*
 * The driver that keeps everything in a Redis. What comes back is only believed when its envelope
 * says that it belongs to just this key and is whole; every other answer is a miss. An answer that
 * the server cannot have meant ends the connection, since nothing behind it could be trusted.
 */
#include "cache_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
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
#define METER_PREFIX "vesper:m:"

struct redis {
	struct loop *loop;
	struct arena *arena;
	struct redis_place place;
	struct redis_link *link;
	size_t running; /* operations that their starters still wait for */
	bool refusing;  /* the log knows that it keeps nothing */
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

static void answer_draw(struct asking *q, const struct cache_draw *drawn)
{
	if (!q->cancelled) {
		q->redis->running--;
		q->on_draw(q->owner, drawn);
	}
	mem_free(q);
}

static void answer(struct asking *q, struct str value, bool yes)
{
	if (!q->cancelled) {
		q->redis->running--;
		if (q->on_yes)
			q->on_yes(q->owner, yes);
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
	static const struct cache_draw nothing;
	struct asking *q = owner;

	if (q->on_draw)
		answer_draw(q, &nothing);
	else
		answer(q, (struct str){NULL, 0}, false);
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
	q->command = command;
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
		count_use(q->command, "foreign");
	else if (is_type(reply, REDIS_REPLY_STRING))
		count_use(q->command, "hit");
	else if (is_type(reply, REDIS_REPLY_NIL))
		count_use(q->command, "miss");
	else
		count_use(q->command, reply ? "error" : "lost");
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

static void on_kept(void *owner, const redisReply *reply)
{
	struct asking *q = owner;

	on_set(q->redis, reply);
	answer(q, (struct str){NULL, 0}, is_type(reply, REDIS_REPLY_STATUS));
}

/* `asking` NULL: nobody waits for it. */
static struct op *send_set(struct redis *r, struct str key, struct str value, int64_t ttl_ms,
			   struct asking *asking)
{
	struct op *op = NULL;
	struct buf b, envelope;
	char ttl[24];
	int n = snprintf(ttl, sizeof(ttl), "%lld", (long long)ttl_ms);

	buf_init(&envelope, ENVELOPE_BYTES + CACHE_VALUE_BYTES_MAX);
	put_in_envelope(&envelope, key, value);
	struct str argv[] = {STR("SET"), prefixed(&b, VALUE_PREFIX, key),
			     (struct str){envelope.p, envelope.n}, STR("PX"),
			     (struct str){ttl, (size_t)n}};
	if (asking)
		op = ask(asking, "set", 5, argv, on_kept);
	else if (!redis_link_send(r->link, 5, argv, on_set, r))
		count_use("set", "away");
	buf_deinit(&envelope);
	buf_deinit(&b);
	return op;
}

static void redis_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	send_set(self, key, value, ttl_ms, NULL);
}

static struct op *redis_keep(void *self, struct str key, struct str value, int64_t ttl_ms,
			     cache_kept_cb cb, void *owner)
{
	struct asking *q = asking_new(self, key, owner);

	q->on_yes = cb;
	return send_set(self, key, value, ttl_ms, q);
}

/* One script: GETDEL is younger than many a server. */
#define TAKE_SCRIPT "local v = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) return v"

static struct op *redis_take(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct asking *q = asking_new(self, key, owner);
	struct buf b;
	struct str argv[] = {STR("EVAL"), STR(TAKE_SCRIPT), STR("1"),
			     prefixed(&b, VALUE_PREFIX, key)};

	q->on_value = cb;
	struct op *op = ask(q, "take", 4, argv, on_get);
	buf_deinit(&b);
	return op;
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

/* ---- meters ---- */

/* Time is the server's, so that all who draw have the same. What is left comes in thousandths, and
 * all of it as one text: the connection takes no arrays. */
#define DRAW_SCRIPT                                                                                \
	"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "          \
	"local full = tonumber(ARGV[1]) local left = {} local taken = 1 "                          \
	"for i, key in ipairs(KEYS) do local most = tonumber(ARGV[i + 1]) left[i] = most "         \
	"local m = redis.call('HMGET', key, 'left', 'at') if m[1] and m[2] then "                  \
	"left[i] = math.min(most, m[1] + math.max(0, now - m[2]) * most / full) end "              \
	"if left[i] < 1 then taken = 0 end end "                                                   \
	"local said = {taken} for i, key in ipairs(KEYS) do if taken == 1 then "                   \
	"left[i] = left[i] - 1 redis.call('HSET', key, 'left', string.format('%.6f', left[i]), "   \
	"'at', string.format('%.0f', now)) redis.call('PEXPIRE', key, full) end "                  \
	"said[i + 1] = math.floor(left[i] * 1000) end return table.concat(said, ' ')"

static bool read_drawn(const struct asking *q, const redisReply *reply, struct cache_draw *out)
{
	long long numbers[CACHE_METERS_MAX + 1];
	char *at;

	if (!is_type(reply, REDIS_REPLY_STRING) || !reply->len)
		return false;
	at = reply->str;
	for (size_t i = 0; i <= q->meters; i++) {
		char *end;

		numbers[i] = strtoll(at, &end, 10);
		if (end == at || numbers[i] < 0)
			return false;
		at = end;
	}
	if (*at)
		return false;
	out->counted = true;
	out->taken = numbers[0] == 1;
	for (size_t i = 0; i < q->meters; i++)
		out->left[i] = (double)numbers[i + 1] / 1000;
	return true;
}

static void on_drawn(void *owner, const redisReply *reply)
{
	struct asking *q = owner;
	struct cache_draw drawn = {0};

	if (read_drawn(q, reply, &drawn))
		count_use("draw", drawn.taken ? "ok" : "empty");
	else
		count_use("draw", reply ? "error" : "lost");
	note_refusal(q->redis, reply);
	if (reply && !drawn.counted && reply->type != REDIS_REPLY_ERROR)
		redis_link_distrust(q->redis->link, "a meter was answered by something else");
	answer_draw(q, &drawn);
}

static struct op *redis_draw(void *self, const struct str *keys, const int64_t *most, size_t count,
			     int64_t full_ms, cache_draw_cb cb, void *owner)
{
	struct asking *q = asking_new(self, keys[0], owner);
	struct buf b[CACHE_METERS_MAX];
	char numbers[CACHE_METERS_MAX + 1][24];
	struct str argv[4 + 2 * CACHE_METERS_MAX] = {STR("EVAL"), STR(DRAW_SCRIPT)};
	int n = 3 + (int)count;

	q->on_draw = cb;
	q->meters = count;
	argv[2] = count == 1 ? STR("1") : STR("2");
	snprintf(numbers[0], sizeof(numbers[0]), "%lld", (long long)full_ms);
	argv[n++] = str_of(numbers[0]);
	for (size_t i = 0; i < count; i++) {
		snprintf(numbers[i + 1], sizeof(numbers[0]), "%lld", (long long)most[i]);
		argv[3 + i] = prefixed(&b[i], METER_PREFIX, keys[i]);
		argv[n++] = str_of(numbers[i + 1]);
	}
	struct op *op = ask(q, "draw", n, argv, on_drawn);
	for (size_t i = 0; i < count; i++)
		buf_deinit(&b[i]);
	return op;
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

	q->on_yes = cb;
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
	.keep = redis_keep,
	.take = redis_take,
	.draw = redis_draw,
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
