/*
 * One socket: puts messages together, lets frames out no faster than the peer takes them, and
 * watches the clock. What a turn says is never queued here: it stays in the turn's log until the
 * socket is ready for it, so a slow reader costs nothing but time.
 */
#include "ws_int.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "wire.h"

#define SEND_UNSENT_BYTES_MAX                                                                      \
	(SEND_BATCH_BYTES + 3 * EVENT_LOG_BYTES_MAX) /* the longest batch that is made at all */

/* A frame that belongs to no log. */
struct frame {
	struct list node;
	int opcode;
	size_t len;
	char bytes[];
};

struct ws_conn *conn_new(struct ws_server *s, struct seat *take, enum ws_kind kind)
{
	struct ws_conn *c = mem_alloc(sizeof(*c));

	c->server = s;
	c->seat = take;
	c->fd = -1;
	c->kind = kind;
	list_init(&c->queue);
	list_init(&c->turns);
	ws_reader_init(&c->reader, FRAME_BYTES_MAX);
	buf_init(&c->message, FRAME_BYTES_MAX);
	buf_init(&c->unread, WS_READ_BYTES);
	buf_init(&c->unsent, SEND_UNSENT_BYTES_MAX);
	return c;
}

/* A peer may say any of 65,536 codes, and each would be a metric: those that mean something here
 * have a name. 0 is an end without a closing frame. */
static void count_close(int code)
{
	static const int known[] = {0,
				    WS_CLOSE_NORMAL,
				    WS_CLOSE_GOING_AWAY,
				    WS_CLOSE_PROTOCOL,
				    WS_CLOSE_NOT_TEXT,
				    WS_CLOSE_BAD_TEXT,
				    WS_CLOSE_POLICY,
				    WS_CLOSE_TOO_LONG,
				    WS_CLOSE_RESTART,
				    WS_CLOSE_LATER,
				    WS_CLOSE_UNAUTHORIZED,
				    WS_CLOSE_DENIED,
				    WS_CLOSE_UNKNOWN_SESSION,
				    WS_CLOSE_SILENT};
	char metric[64];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == code) {
			snprintf(metric, sizeof(metric), "vesper_ws_closes_total{code=\"%d\"}",
				 code);
			metric_add(metric, 1);
			return;
		}
	metric_add("vesper_ws_closes_total{code=\"other\"}", 1);
}

void conn_free(struct ws_conn **conn)
{
	struct ws_conn *c = *conn;

	*conn = NULL;
	chat_closed(c);
	if (c->fd >= 0) {
		count_close(c->close_code ? c->close_code : c->peer_code);
		list_remove(&c->node);
		c->server->conn_count--;
	}
	while (!list_empty(&c->queue)) {
		struct frame *f = list_item(c->queue.next, struct frame, node);

		list_remove(&f->node);
		mem_free(f);
	}
	later_cancel(&c->resume);
	later_cancel(&c->end);
	fd_watch_free(&c->watch);
	seat_free(&c->seat);
	if (c->fd >= 0)
		close(c->fd);
	buf_deinit(&c->message);
	buf_deinit(&c->unread);
	buf_deinit(&c->unsent);
	principal_free(&c->who);
	mem_free(c);
}

/* ---- the end ---- */

static void on_end(void *owner)
{
	struct ws_conn *c = owner;

	conn_free(&c);
}

/* Nothing is destroyed here and now: callers are in the middle of something. */
static void conn_kill(struct ws_conn *c)
{
	if (c->dead)
		return;
	c->dead = true;
	if (c->watch)
		fd_watch_set(c->watch, 0);
	loop_later(c->server->transport->options.loop, &c->end, on_end, c);
}

/* ---- bytes out ---- */

/* What came before is read first. */
static bool may_read(const struct ws_conn *c)
{
	return !c->dead && !c->listening_paused && c->unread.n == 0;
}

static void conn_watch(struct ws_conn *c)
{
	if (!c->dead && c->watch)
		fd_watch_set(c->watch,
			     (may_read(c) ? FD_READ : 0) | (c->choked_since_ms ? FD_WRITE : 0));
}

static void conn_choke(struct ws_conn *c)
{
	c->choked_since_ms = clock_mono_ms();
	c->merging = true;
	conn_watch(c);
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* The only place that sends. What the socket does not take is kept and goes first when it does. */
static void conn_put(struct ws_conn *c, const struct iovec *parts, int count)
{
	const struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts,
				       .msg_iovlen = (size_t)count};
	ssize_t n = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	size_t taken = n > 0 ? (size_t)n : 0;

	assert(c->unsent.n == 0);
	if (n < 0 && !would_block()) {
		conn_kill(c);
		return;
	}
	for (int i = 0; i < count; i++) {
		size_t skip = taken < parts[i].iov_len ? taken : parts[i].iov_len;

		taken -= skip;
		buf_add(&c->unsent, (const char *)parts[i].iov_base + skip,
			parts[i].iov_len - skip);
	}
	assert(!buf_over(&c->unsent));
	if (c->unsent.n > 0)
		conn_choke(c);
}

bool conn_ready(struct ws_conn *c)
{
	return c->fd >= 0 && !c->dead && !c->choked_since_ms;
}

static void conn_put_frame(struct ws_conn *c, int opcode, const char *text, size_t len)
{
	unsigned char head[WS_OUR_HEAD_BYTES_MAX];
	const struct iovec parts[] = {
		{.iov_base = head, .iov_len = ws_frame_head(head, opcode, len)},
		{.iov_base = (void *)(uintptr_t)text, .iov_len = len},
	};

	conn_put(c, parts, 2);
}

/* What was said last is out: a peer that has closed, or that nothing is read of, may go. */
static void conn_after_last(struct ws_conn *c)
{
	if (!list_empty(&c->queue) || !conn_ready(c))
		return;
	if (c->peer_closed)
		conn_kill(c);
	else if (c->failed)
		shutdown(c->fd, SHUT_WR);
}

static void conn_flush_queue(struct ws_conn *c)
{
	while (!list_empty(&c->queue) && conn_ready(c)) {
		struct frame *f = list_item(c->queue.next, struct frame, node);

		list_remove(&f->node);
		c->queued_bytes -= f->len;
		conn_put_frame(c, f->opcode, f->bytes, f->len);
		mem_free(f);
	}
	if (c->peer_closed || c->failed)
		conn_after_last(c);
}

static void on_resume(void *owner);

void conn_listen(struct ws_conn *c, bool yes)
{
	if (c->fd < 0 || c->listening_paused != yes || c->dead)
		return;
	c->listening_paused = !yes;
	if (yes && c->unread.n > 0)
		loop_later(c->server->transport->options.loop, &c->resume, on_resume, c);
	else
		conn_watch(c);
}

/* A peer that asks without reading the answers is not listened to until it has read some. */
static void conn_balance(struct ws_conn *c)
{
	if (c->queued_bytes > SEND_QUEUE_PAUSE_BYTES)
		conn_listen(c, false);
	else if (c->queued_bytes < SEND_QUEUE_RESUME_BYTES && !c->lookup)
		conn_listen(c, true);
}

static void conn_queue(struct ws_conn *c, int opcode, const void *text, size_t len)
{
	struct frame *f = mem_alloc(sizeof(*f) + len);

	f->opcode = opcode;
	f->len = len;
	memcpy(f->bytes, text, len);
	list_append(&c->queue, &f->node);
	c->queued_bytes += len;
	conn_flush_queue(c);
	conn_balance(c);
}

static bool is_closing(const struct ws_conn *c)
{
	return c->close_code || c->peer_closed || c->dead;
}

void conn_send(struct ws_conn *c, const struct buf *text)
{
	if (!is_closing(c))
		conn_queue(c, WS_TEXT, buf_text(text), text->n);
}

struct buf *conn_frame_begin(struct ws_conn *c)
{
	buf_reset(&c->server->frame);
	return &c->server->frame;
}

void conn_frame_end(struct ws_conn *c)
{
	const struct buf *frame = &c->server->frame;
	struct buf *batch = &c->server->batch;
	unsigned char head[WS_OUR_HEAD_BYTES_MAX];

	assert(!buf_over(frame));
	buf_add(batch, head, ws_frame_head(head, WS_TEXT, frame->n));
	buf_add(batch, buf_text(frame), frame->n);
}

bool conn_batch_full(const struct ws_conn *c)
{
	return c->server->batch.n >= SEND_BATCH_BYTES;
}

void conn_batch_send(struct ws_conn *c)
{
	struct buf *batch = &c->server->batch;

	assert(!buf_over(batch));
	if (batch->n > 0)
		conn_put(c, &(struct iovec){.iov_base = batch->p, .iov_len = batch->n}, 1);
	buf_reset(batch);
}

/* Sends what was left over. True: all of it is out. */
static bool conn_flush_unsent(struct ws_conn *c)
{
	ssize_t n = send(c->fd, c->unsent.p + c->sent, c->unsent.n - c->sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && !would_block()) {
		conn_kill(c);
		return false;
	}
	if (n > 0) {
		c->sent += (size_t)n;
		c->choked_since_ms = clock_mono_ms();
	}
	if (c->sent < c->unsent.n)
		return false;
	buf_deinit(&c->unsent); /* idle sockets are many */
	buf_init(&c->unsent, SEND_UNSENT_BYTES_MAX);
	c->sent = 0;
	c->choked_since_ms = 0;
	return true;
}

/* All frames that there are: one a cycle could not keep up with a model that bursts. */
static void conn_writable(struct ws_conn *c)
{
	if (!conn_flush_unsent(c))
		return;
	conn_flush_queue(c);
	if (c->kind == WS_CHAT && !is_closing(c))
		turns_pump(c);
	conn_balance(c);
	conn_watch(c);
}

static void conn_say_goodbye(struct ws_conn *c, int code, const char *reason)
{
	size_t len = strlen(reason);
	char payload[2 + sizeof(c->close_reason)] = {(char)(code >> 8), (char)(code & 0xff)};

	memcpy(payload + 2, reason, len);
	conn_queue(c, WS_CLOSE, payload, 2 + len);
}

/* Frames that wait go out first; turns are heard no more. */
void conn_close(struct ws_conn *c, int code, const char *reason)
{
	if (is_closing(c))
		return;
	c->close_code = code;
	snprintf(c->close_reason, sizeof(c->close_reason), "%s", reason);
	c->closing_since_ms = clock_mono_ms();
	if (c->fd >= 0)
		conn_say_goodbye(c, code, c->close_reason);
}

/* ---- bytes in ---- */

static void message_whole(struct ws_conn *c, int opcode)
{
	if (c->kind == WS_ECHO)
		conn_queue(c, opcode, buf_text(&c->message), c->message.n);
	else
		chat_message(c, buf_text(&c->message), c->message.n);
	/* Idle sockets are many: none keeps the memory of its longest message. */
	buf_deinit(&c->message);
	buf_init(&c->message, FRAME_BYTES_MAX);
}

static void on_data(struct ws_conn *c, const struct ws_event *e)
{
	if (c->kind == WS_CHAT && e->opcode == WS_BINARY) {
		conn_close(c, WS_CLOSE_NOT_TEXT, "text frames only");
		return;
	}
	buf_add(&c->message, e->bytes, e->len);
	if (!e->last)
		return;
	c->partial_since_ms = 0;
	message_whole(c, e->opcode);
}

/* The answer to our closing frame ends the connection; to one of the peer's own we answer with its
 * code. */
static void on_peer_close(struct ws_conn *c, const struct ws_event *e)
{
	if (c->close_code) {
		conn_kill(c);
		return;
	}
	c->peer_code = e->code;
	c->peer_closed = true;
	c->closing_since_ms = clock_mono_ms();
	conn_queue(c, WS_CLOSE, e->bytes, e->code ? 2 : 0);
}

static void on_control(struct ws_conn *c, const struct ws_event *e)
{
	if (e->opcode == WS_CLOSE)
		on_peer_close(c, e);
	else if (e->opcode == WS_PING && !c->close_code)
		conn_queue(c, WS_PONG, e->bytes, e->len);
}

static void on_fail(struct ws_conn *c, const struct ws_event *e)
{
	c->failed = true;
	conn_close(c, e->code,
		   e->code == WS_CLOSE_TOO_LONG   ? "message too long"
		   : e->code == WS_CLOSE_BAD_TEXT ? "not UTF-8"
						  : "protocol error");
	conn_after_last(c);
}

static void conn_event(struct ws_conn *c, const struct ws_event *e)
{
	if (e->kind == WS_EVENT_FAIL)
		on_fail(c, e);
	else if (e->kind == WS_EVENT_CONTROL)
		on_control(c, e);
	else if (e->kind == WS_EVENT_DATA && !c->close_code)
		on_data(c, e);
}

/* Up to where something has to be waited for; the rest is kept. */
static void conn_read(struct ws_conn *c, uint8_t *bytes, size_t len)
{
	struct ws_event e = {.kind = WS_EVENT_DATA};
	size_t at = 0;

	while (e.kind != WS_EVENT_NONE && !c->failed && !c->peer_closed && !c->dead &&
	       !c->listening_paused) {
		at += ws_reader_next(&c->reader, bytes + at, len - at, &e);
		conn_event(c, &e);
	}
	if (c->listening_paused && !c->failed && !c->peer_closed && !c->dead)
		buf_add(&c->unread, bytes + at, len - at);
	if (ws_reader_idle(&c->reader))
		c->partial_since_ms = 0;
	else if (c->partial_since_ms == 0)
		c->partial_since_ms = clock_mono_ms();
}

static void on_resume(void *owner)
{
	struct ws_conn *c = owner;
	struct buf rest = c->unread;

	buf_init(&c->unread, WS_READ_BYTES);
	if (!c->listening_paused)
		conn_read(c, (uint8_t *)rest.p, rest.n);
	else
		buf_add(&c->unread, rest.p, rest.n);
	buf_deinit(&rest);
	conn_watch(c);
}

static void conn_readable(struct ws_conn *c)
{
	ssize_t n = recv(c->fd, c->server->rx, sizeof(c->server->rx), MSG_DONTWAIT);

	if (n < 0 && would_block())
		return;
	if (n <= 0) {
		conn_kill(c);
		return;
	}
	c->heard_ms = clock_mono_ms();
	if (!c->failed && !c->peer_closed)
		conn_read(c, c->server->rx, (size_t)n);
}

static void on_socket(void *owner, int fd, int events)
{
	struct ws_conn *c = owner;

	(void)fd;
	if ((events & FD_WRITE) && c->choked_since_ms && !c->dead)
		conn_writable(c);
	if ((events & FD_READ) && may_read(c))
		conn_readable(c);
}

void conn_established(struct ws_conn *c, int fd, const struct buf *answer)
{
	c->fd = fd;
	c->watch = fd_watch_new(c->server->transport->options.loop, fd, on_socket, c);
	c->opened_ms = c->heard_ms = clock_mono_ms();
	c->ping_due_ms = c->opened_ms + PING_EVERY_MS;
	list_append(&c->server->conns, &c->node);
	c->server->conn_count++;
	conn_put(c, &(struct iovec){.iov_base = answer->p, .iov_len = answer->n}, 1);
	conn_watch(c);
	if (c->close_code)
		conn_say_goodbye(c, c->close_code, c->close_reason);
	else if (c->kind == WS_CHAT)
		chat_opened(c);
}

/* ---- time ---- */

static void conn_ping(struct ws_conn *c, int64_t now_ms)
{
	if (now_ms - c->heard_ms > (int64_t)PING_MISSED_MAX * PING_EVERY_MS) {
		conn_kill(c);
		return;
	}
	c->ping_due_ms = now_ms + PING_EVERY_MS;
	conn_queue(c, WS_PING, "vesper", 6);
}

void conn_tick(struct ws_conn *c, int64_t now_ms)
{
	if (c->dead)
		return;
	if (c->closing_since_ms) {
		if (now_ms - c->closing_since_ms >= CLOSE_WAIT_MS)
			conn_kill(c);
		return;
	}
	if (c->choked_since_ms && now_ms - c->choked_since_ms >= SEND_BLOCKED_MS)
		conn_close(c, WS_CLOSE_LATER, "too slow");
	else if (c->partial_since_ms && !c->listening_paused &&
		 now_ms - c->partial_since_ms >= FRAME_DEADLINE_MS)
		conn_close(c, WS_CLOSE_POLICY, "message not finished in time");
	else if (now_ms >= c->ping_due_ms)
		conn_ping(c, now_ms);
	if (c->kind == WS_CHAT && !c->dead)
		chat_tick(c, now_ms);
}
