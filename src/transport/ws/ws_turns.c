/*
 * The turns that a socket watches. An entry is read from its log only when the socket accepts a
 * frame, so a slow reader needs no extra memory.
 */
#include "ws_int.h"

#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/wire.h"

/* A turn that this socket watches. */
struct watched {
	struct list node;
	struct ws_conn *conn;
	struct wire_reader *reader;
};

static void watched_free(struct watched *w)
{
	wire_reader_free(&w->reader);
	list_remove(&w->node);
	mem_free(w);
}

static void on_wake(void *owner)
{
	struct watched *w = owner;

	turns_pump(w->conn);
}

static struct watched *watched_find(const struct ws_conn *c, const struct stream_log *log)
{
	list_each(node, &c->turns) {
		struct watched *w = list_item(node, struct watched, node);

		if (wire_log(w->reader) == log)
			return w;
	}
	return NULL;
}

/* If the turn is already watched, the client wants to resume from `last_seq`. The new watch starts
 * before the old one ends, so that the turn always has a watcher. */
void turns_watch(struct ws_conn *c, struct stream_log *log, uint64_t last_seq)
{
	struct watched *old = watched_find(c, log);
	struct watched *w = mem_alloc(sizeof(*w));

	w->conn = c;
	w->reader = wire_reader_new(log, &wire_chat, last_seq, on_wake, w);
	list_append(&c->turns, &w->node);
	if (old)
		watched_free(old);
}

static bool watched_add_next(struct watched *w)
{
	struct str item;

	if (!wire_next(w->reader, w->conn->merging, &item))
		return false;
	buf_add(conn_frame_begin(w->conn), item.p, item.n);
	conn_frame_end(w->conn);
	return true;
}

/* Returns true when more entries may follow this batch. */
static bool watched_send(struct watched *w)
{
	bool full = false;

	while (!full && watched_add_next(w))
		full = conn_batch_full(w->conn);
	conn_batch_send(w->conn);
	return full;
}

void turns_pump(struct ws_conn *c)
{
	if (c->end.code || c->end.dead)
		return;
	list_each_safe(node, &c->turns) {
		struct watched *w = list_item(node, struct watched, node);

		do {
			/* Checked before the log is read, because what is read must be sent. */
			if (!list_empty(&c->queue) || !conn_ready(c))
				return;
		} while (watched_send(w));
		if (wire_is_at_end(w->reader))
			watched_free(w);
	}
	c->merging = false;
}

void turns_recheck(struct ws_conn *c)
{
	const struct transport_options *o = &c->server->transport->options;

	list_each_safe(node, &c->turns) {
		struct watched *w = list_item(node, struct watched, node);
		const struct stream_log *log = wire_log(w->reader);

		if (stream_may_read(log, c->who))
			continue;
		if (stream_is_closed(log))
			watched_free(w);
		else
			turn_cancel(o->turns, stream_turn_id(log), c->who, CANCEL_USER, NULL, NULL);
	}
}

void turns_revoke(struct ws_conn *c)
{
	while (!list_empty(&c->turns)) {
		struct watched *w = list_item(c->turns.next, struct watched, node);
		struct stream_log *log = wire_log(w->reader);
		bool was_last = stream_watchers(log) == 1 && !stream_is_closed(log);
		char turn_id[UUID_BYTES];

		memcpy(turn_id, stream_turn_id(log), UUID_BYTES);
		watched_free(w);
		if (was_last)
			turn_cancel(c->server->transport->options.turns, turn_id, c->who,
				    CANCEL_UNWATCHED, NULL, NULL);
	}
}

/* Closing the window means that the user no longer wants the answer. After a broken connection
 * the client may reconnect; the turn decides how long to wait for it. */
static void unwatch_turn(struct ws_conn *c, struct watched *w)
{
	const struct stream_log *log = wire_log(w->reader);
	bool was_last = stream_watchers(log) == 1;
	char turn_id[UUID_BYTES];

	memcpy(turn_id, stream_turn_id(log), UUID_BYTES);
	watched_free(w);
	if (c->end.peer_code == WS_CLOSE_NORMAL && !c->end.code && was_last)
		turn_cancel(c->server->transport->options.turns, turn_id, c->who, CANCEL_UNWATCHED,
			    NULL, NULL);
}

void turns_unwatch(struct ws_conn *c)
{
	while (!list_empty(&c->turns))
		unwatch_turn(c, list_item(c->turns.next, struct watched, node));
}
