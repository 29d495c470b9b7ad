/*
 * Redis commands with a waiting caller. The reply to a cancelled command is still received, and
 * discarded.
 */
#include "redis_ask.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

void redis_count_command(const char *command, const char *outcome)
{
	static const struct metric commands = {
		.name = "vesper_redis_commands_total",
		.help = "Commands sent to Redis, by how they ended.",
		.labels = {"command", "outcome"},
	};

	metric_add(&commands, (const char *const[]){command, outcome}, 1);
}

bool redis_reply_is(const redisReply *reply, int type)
{
	return reply && reply->type == type;
}

struct str redis_key(struct buf *b, const char *prefix, struct str key)
{
	buf_init(b, CACHE_KEY_BYTES_MAX + sizeof(VALUE_PREFIX));
	buf_str(b, prefix);
	buf_add(b, key.p, key.n);
	return (struct str){b->p, b->n};
}

void redis_op_finish_consume(struct redis_op *q, const struct cache_consume *consumed)
{
	if (!q->cancelled) {
		q->redis->running--;
		q->on_consume(q->owner, consumed);
	}
	mem_free(q);
}

void redis_op_finish(struct redis_op *q, struct str value, bool yes)
{
	if (!q->cancelled) {
		q->redis->running--;
		if (q->on_result)
			q->on_result(q->owner, yes);
		else
			q->on_value(q->owner, value);
	}
	mem_free(q);
}

static void on_cancel(struct op *op)
{
	struct redis_op *q = list_item(op, struct redis_op, op);

	q->redis->running--;
	q->cancelled = true;
	if (q->sent) /* the pending reply frees it */
		return;
	deferred_cancel(&q->deferred);
	mem_free(q);
}

static void on_unsent(void *owner)
{
	static const struct cache_consume not_counted;
	struct redis_op *q = owner;

	if (q->on_consume)
		redis_op_finish_consume(q, &not_counted);
	else
		redis_op_finish(q, (struct str){NULL, 0}, false);
}

struct redis_op *redis_op_new(struct redis *r, struct str key, void *owner)
{
	struct redis_op *q = mem_alloc(sizeof(*q) + key.n);

	q->op.cancel = on_cancel;
	q->redis = r;
	q->owner = owner;
	q->key_len = key.n;
	memcpy(q->key, key.p, key.n);
	r->running++;
	return q;
}

struct op *redis_op_send(struct redis_op *q, const char *command, int argc, const struct str *argv,
			 redis_reply_cb cb)
{
	q->command = command;
	q->sent = redis_link_send(q->redis->link, argc, argv, cb, q);
	if (!q->sent) {
		redis_count_command(command, "away");
		loop_defer(q->redis->loop, &q->deferred, on_unsent, q);
	}
	return &q->op;
}

/* Logs once when the server refuses writes: it is full, or a read-only replica. */
void redis_log_refusal(struct redis *r, const redisReply *reply)
{
	if (redis_reply_is(reply, REDIS_REPLY_ERROR) && !r->refusing)
		log_warn("redis.write_refused", "%s refused a write: %s", r->place.shown,
			 reply->str);
	if (reply)
		r->refusing = reply->type == REDIS_REPLY_ERROR;
}

/* Handles replies to DEL and the unlock script: the number of removed keys. */
void redis_on_removed(void *owner, const redisReply *reply)
{
	struct redis *r = owner;

	if (redis_reply_is(reply, REDIS_REPLY_INTEGER))
		redis_count_command("remove", "ok");
	else
		redis_count_command("remove", reply ? "error" : "lost");
	if (reply && reply->type != REDIS_REPLY_INTEGER && reply->type != REDIS_REPLY_ERROR)
		redis_link_protocol_error(r->link, "removal: unexpected reply type");
}
