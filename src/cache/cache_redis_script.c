/* Token buckets and locks in Redis. Each operation is one script, so that reading and writing are
 * atomic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis_ask.h"
#include "vesper/limits.h"

/* ---- token buckets ---- */

/* Uses the server's time, so that all replicas agree. Returns the tokens left in thousandths, as
 * one string, since the connection accepts no arrays. A bucket that this script cannot have written
 * (wrong type, not a number, more than full, in the future) counts as full. */
#define CONSUME_SCRIPT                                                                             \
	"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "          \
	"local full = tonumber(ARGV[1]) local left = {} local taken = 1 "                          \
	"for i, key in ipairs(KEYS) do local most = tonumber(ARGV[i + 1]) left[i] = most "         \
	"local m = redis.pcall('HMGET', key, 'left', 'at') "                                       \
	"if m.err then redis.call('DEL', key) m = {} end "                                         \
	"local had, at = tonumber(m[1] or ''), tonumber(m[2] or '') "                              \
	"if had and at and had >= 0 and had <= most and at <= now + full then "                    \
	"left[i] = math.min(most, had + math.max(0, now - at) * most / full) end "                 \
	"if left[i] < 1 then taken = 0 end end "                                                   \
	"local said = {taken} for i, key in ipairs(KEYS) do if taken == 1 then "                   \
	"left[i] = left[i] - 1 redis.call('HSET', key, 'left', string.format('%.6f', left[i]), "   \
	"'at', string.format('%.0f', now)) redis.call('PEXPIRE', key, full) end "                  \
	"said[i + 1] = math.floor(left[i] * 1000) end return table.concat(said, ' ')"

/* Reads the next number of the text, at most `most`. */
static bool read_number(char **at, int64_t most, int64_t *out)
{
	char *end;

	*out = strtoll(*at, &end, 10);
	if (end == *at || *out < 0 || *out > most)
		return false;
	*at = end;
	return true;
}

static bool read_consumed(const struct redis_op *q, const redisReply *reply,
			  struct cache_consume *out)
{
	int64_t taken, left[CACHE_BUCKETS_MAX];
	char *at;

	if (!redis_reply_is(reply, REDIS_REPLY_STRING) || !reply->len)
		return false;
	at = reply->str;
	if (!read_number(&at, 1, &taken))
		return false;
	for (size_t i = 0; i < q->bucket_count; i++)
		if (!read_number(&at, q->capacities[i] * 1000, &left[i]))
			return false;
	if (*at)
		return false;
	out->counted = true;
	out->consumed = taken == 1;
	for (size_t i = 0; i < q->bucket_count; i++)
		out->left[i] = (double)left[i] / 1000;
	return true;
}

static void on_consumed(void *owner, const redisReply *reply)
{
	struct redis_op *q = owner;
	struct cache_consume consumed = {0};

	if (read_consumed(q, reply, &consumed))
		redis_count_command("draw", consumed.consumed ? "ok" : "empty");
	else
		redis_count_command("draw", reply ? "error" : "lost");
	redis_log_refusal(q->redis, reply);
	if (reply && !consumed.counted && reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(q->redis->link, "a token bucket got an invalid reply");
	redis_op_finish_consume(q, &consumed);
}

struct op *redis_consume(void *self, const struct str *keys, const int64_t *most, size_t count,
			 int64_t full_ms, cache_consume_cb cb, void *owner)
{
	struct redis_op *q = redis_op_new(self, keys[0], owner);
	struct buf b[CACHE_BUCKETS_MAX];
	char numbers[CACHE_BUCKETS_MAX + 1][24];
	struct str argv[4 + 2 * CACHE_BUCKETS_MAX] = {STR("EVAL"), STR(CONSUME_SCRIPT)};
	int n = 3 + (int)count;

	q->on_consume = cb;
	q->bucket_count = count;
	memcpy(q->capacities, most, count * sizeof(*most));
	argv[2] = count == 1 ? STR("1") : STR("2");
	snprintf(numbers[0], sizeof(numbers[0]), "%lld", (long long)full_ms);
	argv[n++] = str_of(numbers[0]);
	for (size_t i = 0; i < count; i++) {
		snprintf(numbers[i + 1], sizeof(numbers[0]), "%lld", (long long)most[i]);
		argv[3 + i] = redis_key(&b[i], BUCKET_PREFIX, keys[i]);
		argv[n++] = str_of(numbers[i + 1]);
	}
	struct op *op = redis_op_send(q, "draw", n, argv, on_consumed);
	for (size_t i = 0; i < count; i++)
		buf_deinit(&b[i]);
	return op;
}

/* ---- locks ---- */

/* A script, so that acquiring and extending are atomic. */
#define LOCK_SCRIPT                                                                                \
	"if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end "           \
	"if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "                              \
	"return redis.call('PEXPIRE', KEYS[1], ARGV[2])"
#define UNLOCK_SCRIPT                                                                              \
	"if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "                              \
	"return redis.call('DEL', KEYS[1])"

static void on_lock(void *owner, const redisReply *reply)
{
	struct redis_op *q = owner;
	bool locked = redis_reply_is(reply, REDIS_REPLY_INTEGER) && reply->integer == 1;

	if (redis_reply_is(reply, REDIS_REPLY_INTEGER))
		redis_count_command("lock", locked ? "ok" : "held");
	else
		redis_count_command("lock", reply ? "error" : "lost");
	if (reply && reply->type != REDIS_REPLY_INTEGER && reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(q->redis->link, "lock script: unexpected reply type");
	redis_op_finish(q, (struct str){NULL, 0}, locked);
}

struct op *redis_lock(void *self, struct str key, struct str token, int64_t ttl_ms,
		      cache_lock_cb cb, void *owner)
{
	struct redis_op *q = redis_op_new(self, key, owner);
	struct buf b;
	char ttl[24];
	int n = snprintf(ttl, sizeof(ttl), "%lld", (long long)ttl_ms);
	struct str argv[] = {STR("EVAL"), STR(LOCK_SCRIPT),
			     STR("1"),    redis_key(&b, LOCK_PREFIX, key),
			     token,       (struct str){ttl, (size_t)n}};

	q->on_result = cb;
	struct op *op = redis_op_send(q, "lock", 6, argv, on_lock);
	buf_deinit(&b);
	return op;
}

void redis_unlock(void *self, struct str key, struct str token)
{
	struct redis *r = self;
	struct buf b;
	struct str argv[] = {STR("EVAL"), STR(UNLOCK_SCRIPT), STR("1"),
			     redis_key(&b, LOCK_PREFIX, key), token};

	if (!redis_link_send(r->link, 5, argv, redis_on_removed, r))
		redis_count_command("remove", "away");
	buf_deinit(&b);
}
