/*
 * Commands to Redis with a reply. The reply to a cancelled operation is still received, and
 * discarded.
 */
#include "cluster_int.h"

#include "vesper/mem.h"

static void cluster_request_free(struct cluster_request *q)
{
	if (q->counted && !q->cancelled)
		q->cluster->asking--;
	if (q->clean)
		q->clean(q);
	mem_free(q);
}

static void on_cancel(struct op *op)
{
	struct cluster_request *q = list_item(op, struct cluster_request, op);

	q->cluster->asking--;
	q->cancelled = true;
	if (q->sent) /* the pending reply frees it */
		return;
	deferred_cancel(&q->deferred);
	cluster_request_free(q);
}

static void on_reply(void *owner, const redisReply *reply)
{
	struct cluster_request *q = owner;

	q->sent = false;
	if ((q->cancelled && !q->late) || q->answer(q, reply))
		cluster_request_free(q);
}

static void on_unsent(void *owner)
{
	on_reply(owner, NULL);
}

void *cluster_request_new(struct cluster *c, size_t bytes, bool counted,
			  bool (*answer)(struct cluster_request *q, const redisReply *reply),
			  void (*clean)(struct cluster_request *q))
{
	struct cluster_request *q = mem_alloc(bytes);

	q->op.cancel = on_cancel;
	q->cluster = c;
	q->counted = counted;
	q->answer = answer;
	q->clean = clean;
	c->asking += counted;
	return q;
}

void cluster_request_send(struct cluster_request *q, int argc, const struct str *argv)
{
	struct cluster *c = q->cluster;

	/* Commands without a waiting caller use the write link and no wait budget. */
	q->sent = !c->closing &&
		  redis_link_send(q->counted ? c->ask : c->write, argc, argv, on_reply, q);
	if (q->sent)
		return;
	if (q->counted)
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
	(void)redis_link_send(c->write, argc, argv, on_sent, NULL);
}

void cluster_send_first(struct cluster *c, int argc, const struct str *argv)
{
	if (!redis_link_send(c->ask, argc, argv, on_sent, NULL))
		cluster_send(c, argc, argv);
}
