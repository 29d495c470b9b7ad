/*
 * Commands to Redis with a reply. The reply to a cancelled operation is still received, and
 * discarded.
 */
#include "cluster_int.h"

#include "vesper/mem.h"

static void cluster_request_free(struct cluster_request *q)
{
	if (q->has_caller && !q->is_cancelled)
		q->cluster->pending_count--;
	if (q->clean)
		q->clean(q);
	mem_free(q);
}

static void on_cancel(struct op *op)
{
	struct cluster_request *q = list_item(op, struct cluster_request, op);

	q->cluster->pending_count--;
	q->is_cancelled = true;
	if (q->is_sent) /* the pending reply frees it */
		return;
	deferred_cancel(&q->deferred);
	cluster_request_free(q);
}

static void on_reply(void *owner, const redisReply *reply)
{
	struct cluster_request *q = owner;

	q->is_sent = false;
	if ((q->is_cancelled && !q->wants_late_reply) || q->answer(q, reply))
		cluster_request_free(q);
}

static void on_unsent(void *owner)
{
	on_reply(owner, NULL);
}

void *cluster_request_new(struct cluster *c, size_t bytes, bool has_caller,
			  bool (*answer)(struct cluster_request *q, const redisReply *reply),
			  void (*clean)(struct cluster_request *q))
{
	struct cluster_request *q = mem_alloc(bytes);

	q->op.cancel = on_cancel;
	q->cluster = c;
	q->has_caller = has_caller;
	q->answer = answer;
	q->clean = clean;
	c->pending_count += has_caller;
	return q;
}

void cluster_request_send(struct cluster_request *q, int argc, const struct str *argv)
{
	struct cluster *c = q->cluster;

	/* Commands without a waiting caller use the write link and no wait budget. */
	q->is_sent = !c->is_closing && redis_link_send(q->has_caller ? c->ask_link : c->write_link,
						       argc, argv, on_reply, q);
	if (q->is_sent)
		return;
	if (q->has_caller)
		loop_defer(c->loop, &q->deferred, on_unsent, q);
	else
		on_unsent(q);
}

struct str reply_text(const redisReply *reply)
{
	if (!reply || (reply->type != REDIS_REPLY_STRING && reply->type != REDIS_REPLY_STATUS))
		return (struct str){NULL, 0};
	return (struct str){reply->str, reply->len};
}

static void on_sent(void *owner, const redisReply *reply)
{
	(void)owner;
	(void)reply;
}

void cluster_send(struct cluster *c, int argc, const struct str *argv)
{
	(void)redis_link_send(c->write_link, argc, argv, on_sent, NULL);
}

void cluster_send_first(struct cluster *c, int argc, const struct str *argv)
{
	if (!redis_link_send(c->ask_link, argc, argv, on_sent, NULL))
		cluster_send(c, argc, argv);
}
