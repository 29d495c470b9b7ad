/*
 * Redis driver. Other programs may write to the server, so a value is only accepted with a valid
 * envelope: stored by a process with our secret, under this key, and not expired. Any other reply
 * is a miss. A reply of an impossible type ends the connection, since later replies could not be
 * trusted.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "redis_ask.h"
#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define PLACE_BYTES_MAX 4096

/* Envelope before each value: format, expiry (Unix milliseconds, little-endian), and an HMAC over
 * both, the full key (tenant and name) and the value. */
#define MAGIC          "vc2:"
#define MAGIC_BYTES    (sizeof(MAGIC) - 1)
#define END_BYTES      8
#define HEAD_BYTES     (MAGIC_BYTES + END_BYTES)
#define ENVELOPE_BYTES (HEAD_BYTES + HASH_SHA256_BYTES)

/* Domain separation: the same secret yields different keys for other purposes. */
#define KEY_PURPOSE "vesper: values in a shared cache"

/* ---- envelope ---- */

static void derive_hmac_key(const char *secret, uint8_t out[HASH_SHA256_BYTES])
{
	if (secret && *secret)
		hash_hmac_sha256(secret, strlen(secret), KEY_PURPOSE, sizeof(KEY_PURPOSE) - 1, out);
	else
		hash_random(out, HASH_SHA256_BYTES);
}

/* `head` is the envelope before the HMAC. */
static void sign(const struct redis *r, const char *head, struct str key, struct str value,
		 uint8_t out[HASH_SHA256_BYTES])
{
	uint8_t all[HEAD_BYTES + 2 * HASH_SHA256_BYTES];

	memcpy(all, head, HEAD_BYTES);
	hash_sha256(key.p, key.n, all + HEAD_BYTES);
	hash_sha256(value.p, value.n, all + HEAD_BYTES + HASH_SHA256_BYTES);
	hash_hmac_sha256(r->key, sizeof(r->key), all, sizeof(all), out);
}

static void write_envelope(const struct redis *r, struct buf *b, struct str key, struct str value,
			   int64_t ttl_ms)
{
	uint64_t end_ms = (uint64_t)(clock_now_ms() + ttl_ms);
	uint8_t mac[HASH_SHA256_BYTES];

	buf_str(b, MAGIC);
	for (int i = 0; i < END_BYTES; i++)
		buf_char(b, (char)(end_ms >> (8 * i) & 0xff));
	sign(r, b->p, key, value, mac);
	buf_add(b, mac, sizeof(mac));
	if (value.n > 0)
		buf_add(b, value.p, value.n);
}

static bool is_expired(const char *end)
{
	uint64_t end_ms = 0;

	for (int i = 0; i < END_BYTES; i++)
		end_ms |= (uint64_t)(uint8_t)end[i] << (8 * i);
	return (int64_t)end_ms <= clock_now_ms();
}

static bool open_envelope(const struct redis *r, struct str key, const redisReply *reply,
			  struct str *value)
{
	struct str inner;
	uint8_t mac[HASH_SHA256_BYTES];

	if (reply->len < ENVELOPE_BYTES || memcmp(reply->str, MAGIC, MAGIC_BYTES) != 0)
		return false;
	inner = (struct str){reply->str + ENVELOPE_BYTES, reply->len - ENVELOPE_BYTES};
	sign(r, reply->str, key, inner, mac);
	if (!hash_equal(reply->str + HEAD_BYTES, mac, sizeof(mac)) ||
	    is_expired(reply->str + MAGIC_BYTES))
		return false;
	*value = inner;
	return true;
}

/* ---- values ---- */

static void on_get(void *owner, const redisReply *reply)
{
	struct redis_op *q = owner;
	struct str value = {NULL, 0};

	if (redis_reply_is(reply, REDIS_REPLY_STRING) &&
	    !open_envelope(q->redis, (struct str){q->key, q->key_len}, reply, &value))
		redis_count_command(q->command, "foreign");
	else if (redis_reply_is(reply, REDIS_REPLY_STRING))
		redis_count_command(q->command, "hit");
	else if (redis_reply_is(reply, REDIS_REPLY_NIL))
		redis_count_command(q->command, "miss");
	else
		redis_count_command(q->command, reply ? "error" : "lost");
	if (reply && reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_NIL &&
	    reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(q->redis->link, "GET: unexpected reply type");
	redis_op_finish(q, value, false);
}

static struct op *redis_get(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct redis_op *q = redis_op_new(self, key, owner);
	struct buf b;
	struct str argv[] = {STR("GET"), redis_key(&b, VALUE_PREFIX, key)};

	q->on_value = cb;
	struct op *op = redis_op_send(q, "get", 2, argv, on_get);
	buf_deinit(&b);
	return op;
}

static void on_set(void *owner, const redisReply *reply)
{
	struct redis *r = owner;

	if (redis_reply_is(reply, REDIS_REPLY_STATUS))
		redis_count_command("set", "ok");
	else
		redis_count_command("set", reply ? "error" : "lost");
	redis_log_refusal(r, reply);
	if (reply && reply->type != REDIS_REPLY_STATUS && reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(r->link, "SET: unexpected reply type");
}

static void on_set_confirmed(void *owner, const redisReply *reply)
{
	struct redis_op *q = owner;

	on_set(q->redis, reply);
	redis_op_finish(q, (struct str){NULL, 0}, redis_reply_is(reply, REDIS_REPLY_STATUS));
}

/* `redis_op` NULL: no caller waits. */
static struct op *send_set(struct redis *r, struct str key, struct str value, int64_t ttl_ms,
			   struct redis_op *redis_op)
{
	struct op *op = NULL;
	struct buf b, envelope;
	char ttl[24];
	int n = snprintf(ttl, sizeof(ttl), "%lld", (long long)ttl_ms);

	buf_init(&envelope, ENVELOPE_BYTES + CACHE_VALUE_BYTES_MAX);
	write_envelope(r, &envelope, key, value, ttl_ms);
	struct str argv[] = {STR("SET"), redis_key(&b, VALUE_PREFIX, key),
			     (struct str){envelope.p, envelope.n}, STR("PX"),
			     (struct str){ttl, (size_t)n}};
	if (redis_op)
		op = redis_op_send(redis_op, "set", 5, argv, on_set_confirmed);
	else if (!redis_link_send(r->link, 5, argv, on_set, r))
		redis_count_command("set", "away");
	buf_deinit(&envelope);
	buf_deinit(&b);
	return op;
}

static void redis_set(void *self, struct str key, struct str value, int64_t ttl_ms)
{
	send_set(self, key, value, ttl_ms, NULL);
}

static struct op *redis_set_confirmed(void *self, struct str key, struct str value, int64_t ttl_ms,
				      cache_confirmed_cb cb, void *owner)
{
	struct redis_op *q = redis_op_new(self, key, owner);

	q->on_result = cb;
	return send_set(self, key, value, ttl_ms, q);
}

/* A script, because older servers have no GETDEL. */
#define GET_DELETE_SCRIPT "local v = redis.call('GET', KEYS[1]) redis.call('DEL', KEYS[1]) return v"

static struct op *redis_get_delete(void *self, struct str key, cache_value_cb cb, void *owner)
{
	struct redis_op *q = redis_op_new(self, key, owner);
	struct buf b;
	struct str argv[] = {STR("EVAL"), STR(GET_DELETE_SCRIPT), STR("1"),
			     redis_key(&b, VALUE_PREFIX, key)};

	q->on_value = cb;
	struct op *op = redis_op_send(q, "take", 4, argv, on_get);
	buf_deinit(&b);
	return op;
}

static void redis_remove(void *self, struct str key)
{
	struct redis *r = self;
	struct buf b;
	struct str argv[] = {STR("DEL"), redis_key(&b, VALUE_PREFIX, key)};

	if (!redis_link_send(r->link, 2, argv, redis_on_removed, r))
		redis_count_command("remove", "away");
	buf_deinit(&b);
}

/* ---- driver ---- */

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
	.set_confirmed = redis_set_confirmed,
	.get_delete = redis_get_delete,
	.consume = redis_consume,
	.lock = redis_lock,
	.unlock = redis_unlock,
	.close = redis_close,
};

bool cache_redis_new(struct loop *l, const struct cache_redis_options *o, struct cache **out,
		     struct err *e)
{
	struct arena *arena = arena_new(PLACE_BYTES_MAX);
	struct redis_address place;

	assert(o->timeout_ms > 0 && o->timeout_ms <= REDIS_WAIT_BUDGET_MAX_MS);
	if (!redis_url_parse(o->url, arena, &place, e)) {
		arena_free(&arena);
		return false;
	}
	struct redis *r = mem_alloc(sizeof(*r));
	r->loop = l;
	r->arena = arena;
	r->place = place;
	derive_hmac_key(o->secret, r->key);
	r->link = redis_link_new(l, &r->place,
				 &(struct redis_link_options){.wait_budget_ms = o->timeout_ms});
	*out = cache_from_driver(&redis_driver, r);
	return true;
}
