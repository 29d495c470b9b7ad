/*
 * One socket: assembles messages, sends frames no faster than the peer accepts them, and enforces
 * time limits. Frames of a turn are never queued here: they stay in the turn's log until the socket
 * is ready, so a slow reader uses no extra memory.
 */
#include <libwebsockets.h>

#include "ws_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "client_frame.h"

/* Writing at once instead of in the next WRITEABLE callback saves about four epoll_ctl a frame on
 * libuv. libwebsockets documents writes as allowed in WRITEABLE only; 0 restores that. */
#define DIRECT_WRITE 1

#define FRAME_HEAD_BYTES 10 /* at most */

/* A frame that belongs to no log. The library needs room before the text for its header. */
struct frame {
	struct list node;
	size_t len;
	enum lws_write_protocol protocol;
	unsigned char bytes[];
};

static void conn_send_close(struct ws_conn *c);

static void frame_free(struct ws_conn *c, struct frame *f)
{
	c->queued_bytes -= f->len;
	list_remove(&f->node);
	mem_free(f);
}

struct ws_conn *conn_new(struct ws_server *s, struct seat *take, enum ws_kind kind)
{
	struct ws_conn *c = mem_alloc(sizeof(*c));

	c->server = s;
	c->seat = take;
	c->kind = kind;
	list_init(&c->queue);
	list_init(&c->turns);
	buf_init(&c->message, FRAME_BYTES_MAX);
	return c;
}

/* A peer may send any of 65,536 codes, and each would create a metric, so only the known ones are
 * counted by name. 0 is an end without a close frame. */
static void count_close(int code)
{
	static const int known[] = {0,
				    WS_CLOSE_NORMAL,
				    WS_CLOSE_GOING_AWAY,
				    WS_CLOSE_PROTOCOL,
				    WS_CLOSE_UNSUPPORTED_DATA,
				    WS_CLOSE_INVALID_UTF8,
				    WS_CLOSE_POLICY,
				    WS_CLOSE_TOO_LONG,
				    WS_CLOSE_SERVICE_RESTART,
				    WS_CLOSE_TRY_AGAIN_LATER,
				    WS_CLOSE_UNAUTHORIZED,
				    WS_CLOSE_DENIED,
				    WS_CLOSE_UNKNOWN_SESSION,
				    WS_CLOSE_AUTH_TIMEOUT};
	static const struct metric closes = {
		.name = "vesper_ws_closes_total",
		.help = "WebSocket connections that ended, by the code that either side gave.",
		.labels = {"code"},
	};
	char text[16] = "other";

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == code)
			snprintf(text, sizeof(text), "%d", code);
	metric_add(&closes, (const char *const[]){text}, 1);
}

void conn_free(struct ws_conn **conn)
{
	struct ws_conn *c = *conn;

	*conn = NULL;
	chat_closed(c);
	if (c->wsi) {
		count_close(c->end.code        ? c->end.code
			    : c->end.violation ? c->end.violation
					       : c->end.peer_code);
		list_remove(&c->node);
		c->server->conn_count--;
	}
	while (!list_empty(&c->queue))
		frame_free(c, list_item(c->queue.next, struct frame, node));
	buf_deinit(&c->message);
	principal_free(&c->who);
	if (c->relay)
		relay_release(c->relay);
	else
		seat_free(&c->seat);
	mem_free(c);
}

void conn_established(struct ws_conn *c, struct lws *wsi)
{
	c->wsi = wsi;
	c->opened_ms = c->last_received_ms = clock_mono_ms();
	c->ping_due_ms = c->opened_ms + PING_EVERY_MS;
	list_append(&c->server->conns, &c->node);
	c->server->conn_count++;
	if (c->end.code)
		conn_send_close(c);
	else if (c->kind == WS_CHAT)
		chat_opened(c);
}

/* The only call of lws_write. A failed write frees nothing immediately, because callers still use
 * the connection. */
static void conn_write(struct ws_conn *c, unsigned char *text, size_t len,
		       enum lws_write_protocol protocol)
{
	if (lws_write(c->wsi, text, len, protocol) < 0)
		conn_kill(c);
}

static void conn_want_writable(struct ws_conn *c)
{
	if (c->choked_since_ms == 0) {
		c->choked_since_ms = clock_mono_ms();
		c->merging = true;
	}
	lws_callback_on_writable(c->wsi);
}

bool conn_ready(struct ws_conn *c)
{
	if (!c->wsi || c->end.dead || c->choked_since_ms)
		return false;
	if (!lws_send_pipe_choked(c->wsi))
		return true;
	conn_want_writable(c);
	return false;
}

static void conn_flush_queue(struct ws_conn *c)
{
	while (!list_empty(&c->queue) && conn_ready(c)) {
		struct frame *f = list_item(c->queue.next, struct frame, node);

		conn_write(c, f->bytes + LWS_PRE, f->len, f->protocol);
		frame_free(c, f);
	}
}

void conn_set_reading(struct ws_conn *c, bool enabled)
{
	if (c->wsi && c->reading_paused == enabled && !c->end.dead) {
		c->reading_paused = !enabled;
		lws_rx_flow_control(c->wsi, enabled);
	}
}

/* Pauses reading from a peer that does not read its answers, until it has read some. */
static void conn_balance(struct ws_conn *c)
{
	if (c->queued_bytes > SEND_QUEUE_PAUSE_BYTES)
		conn_set_reading(c, false);
	else if (c->queued_bytes < SEND_QUEUE_RESUME_BYTES && !c->lookup)
		conn_set_reading(c, true);
}

static void conn_queue(struct ws_conn *c, const void *text, size_t len,
		       enum lws_write_protocol protocol)
{
	struct frame *f = mem_alloc(sizeof(*f) + LWS_PRE + len);

	f->len = len;
	f->protocol = protocol;
	memcpy(f->bytes + LWS_PRE, text, len);
	list_append(&c->queue, &f->node);
	c->queued_bytes += len;
	if (DIRECT_WRITE)
		conn_flush_queue(c);
	else
		conn_want_writable(c);
	conn_balance(c);
}

void conn_send(struct ws_conn *c, const struct buf *text)
{
	if (!c->end.code && !c->end.dead)
		conn_queue(c, buf_text(text), text->n, LWS_WRITE_TEXT);
}

/* If a client sends pings without reading, only the last one is answered. */
void conn_pong(struct ws_conn *c, const void *payload, size_t len)
{
	c->last_received_ms = clock_mono_ms();
	if (!c->wsi || c->end.code || c->end.dead)
		return;
	if (!list_empty(&c->queue)) {
		struct frame *last = list_item(c->queue.prev, struct frame, node);

		if (last->protocol == LWS_WRITE_PONG)
			frame_free(c, last);
	}
	conn_queue(c, payload, len, LWS_WRITE_PONG);
}

struct buf *conn_frame_begin(struct ws_conn *c)
{
	buf_reset(&c->server->frame);
	return &c->server->frame;
}

/* RFC 6455, 5.2: a whole text message, not masked. */
static size_t frame_head(unsigned char head[FRAME_HEAD_BYTES], size_t len)
{
	size_t length_bytes = len < 126 ? 0 : len <= UINT16_MAX ? 2 : 8;

	head[0] = 0x81;
	head[1] = (unsigned char)(length_bytes == 0 ? len : length_bytes == 2 ? 126 : 127);
	for (size_t i = 0; i < length_bytes; i++)
		head[2 + i] = (unsigned char)(len >> 8 * (length_bytes - 1 - i));
	return 2 + length_bytes;
}

void conn_frame_end(struct ws_conn *c)
{
	static const char room[LWS_PRE];
	const struct buf *frame = &c->server->frame;
	struct buf *batch = &c->server->batch;
	unsigned char head[FRAME_HEAD_BYTES];

	assert(!buf_over(frame));
	if (batch->n == 0)
		buf_add(batch, room, sizeof(room));
	buf_add(batch, head, frame_head(head, frame->n));
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
		conn_write(c, (unsigned char *)batch->p + LWS_PRE, batch->n - LWS_PRE,
			   LWS_WRITE_RAW);
	buf_reset(batch);
}

/* Sends all pending frames: one frame a cycle is too slow for a model that sends in bursts. */
int conn_writable(struct ws_conn *c)
{
	c->choked_since_ms = 0;
	conn_flush_queue(c);
	if (c->kind == WS_CHAT && !c->end.code)
		turns_pump(c);
	conn_balance(c);
	if (c->end.dead)
		return -1;
	return 0;
}

/* Vesper sends the close frame because libwebsockets 4.1 loses the close code when a write callback
 * asks to close. */
static void conn_send_close(struct ws_conn *c)
{
	unsigned char frame[WS_CLOSE_FRAME_BYTES];

	conn_queue(c, frame, ws_close_frame(frame, c->end.code, c->end.reason), LWS_WRITE_RAW);
}

/* Queued frames are sent first; frames of turns are not sent any more. */
void conn_close(struct ws_conn *c, int code, const char *reason)
{
	if (c->end.code || c->end.dead)
		return;
	c->end.code = code;
	snprintf(c->end.reason, sizeof(c->end.reason), "%s", reason);
	c->end.since_ms = clock_mono_ms();
	if (c->wsi)
		conn_send_close(c);
}

void conn_kill(struct ws_conn *c)
{
	conn_set_reading(c,
			 true); /* libwebsockets does not close a socket that it is not reading */
	c->end.dead = true;
	lws_set_timeout(c->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

static void message_complete(struct ws_conn *c)
{
	if (c->kind == WS_ECHO)
		conn_queue(c, buf_text(&c->message), c->message.n,
			   lws_frame_is_binary(c->wsi) ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
	else
		chat_message(c, buf_text(&c->message), c->message.n);
	/* Most sockets are idle, so no socket keeps the memory of its longest message. */
	buf_deinit(&c->message);
	buf_init(&c->message, FRAME_BYTES_MAX);
}

int conn_receive(struct ws_conn *c, const void *bytes, size_t len)
{
	if (c->end.code || c->end.dead)
		return 0;
	if (c->kind == WS_CHAT && lws_frame_is_binary(c->wsi)) {
		conn_close(c, WS_CLOSE_UNSUPPORTED_DATA, "text frames only");
		return 0;
	}
	buf_add(&c->message, bytes, len); /* the relay limits its size */
	assert(!buf_over(&c->message));
	if (lws_is_final_fragment(c->wsi)) {
		c->partial_since_ms = 0;
		message_complete(c);
	} else if (c->partial_since_ms == 0) {
		c->partial_since_ms = clock_mono_ms();
	}
	return 0;
}

/* Bytes below the library's buffer size are not passed to us, but the library reports how many it
 * still expects. */
static bool message_is_late(struct ws_conn *c, int64_t now_ms)
{
	if (c->partial_since_ms == 0 && lws_remaining_packet_payload(c->wsi) > 0)
		c->partial_since_ms = now_ms;
	if (c->message.n == 0 && lws_remaining_packet_payload(c->wsi) == 0)
		c->partial_since_ms = 0;
	return c->partial_since_ms && now_ms - c->partial_since_ms >= FRAME_DEADLINE_MS &&
	       !c->reading_paused;
}

static void conn_ping(struct ws_conn *c, int64_t now_ms)
{
	if (now_ms - c->last_received_ms > (int64_t)PING_MISSED_MAX * PING_EVERY_MS) {
		conn_kill(c);
		return;
	}
	c->ping_due_ms = now_ms + PING_EVERY_MS;
	conn_queue(c, "vesper", 6, LWS_WRITE_PING);
}

void conn_tick(struct ws_conn *c, int64_t now_ms)
{
	if (c->end.dead)
		return;
	if (c->end.code) {
		if (now_ms - c->end.since_ms >= CLOSE_WAIT_MS)
			conn_kill(c);
		return;
	}
	if (c->choked_since_ms && now_ms - c->choked_since_ms >= SEND_BLOCKED_MS)
		conn_close(c, WS_CLOSE_TRY_AGAIN_LATER, "too slow");
	else if (message_is_late(c, now_ms))
		conn_close(c, WS_CLOSE_POLICY, "message not finished in time");
	else if (now_ms >= c->ping_due_ms)
		conn_ping(c, now_ms);
	if (c->kind == WS_CHAT && !c->end.dead)
		chat_tick(c, now_ms);
}
