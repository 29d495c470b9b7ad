/*
 * Runs libwebsockets on the event loop. It does not listen and makes no decisions: it gets one end
 * of a relay, a checked handshake, and checked frames.
 */
#include <libwebsockets.h>

#include "ws_int.h"

#include <assert.h>
#include <string.h>

#include "port/handshake.h"
#include "port/refuse.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static const struct metric connections = {
	.name = "vesper_ws_connections",
	.help = "WebSocket connections that are open.",
	.kind = METRIC_GAUGE,
};

#define TICK_MS  1000
#define TX_BYTES (SEND_BATCH_BYTES + 3 * EVENT_LOG_BYTES_MAX) /* the longest batch */
#define RX_BYTES 1024 /* per socket while it is open; messages are assembled in ws_conn.c */
#define DESTROY_ITERATIONS                                                                         \
	50 /* iterations until the library's handles are closed; two or three suffice */

static void on_log(int level, const char *line)
{
	size_t len = strcspn(line, "\n");

	/* Errors of the library are caused by peers: aborted sockets and the like. */
	log_debug("ws.library", "%s%.*s", level == LLL_ERR ? "" : "note: ", (int)len, line);
}

static void on_established(struct ws_server *s, struct lws *wsi)
{
	struct ws_conn *c = s->adopting;

	assert(c);
	s->adopting = NULL;
	lws_set_opaque_user_data(wsi, c);
	conn_established(c, wsi);
}

static void on_closed(struct lws *wsi)
{
	/* libwebsockets also reports CLOSED for sockets that were never ESTABLISHED; those have no
	 * connection yet. */
	struct ws_conn *c = lws_get_opaque_user_data(wsi);

	if (!c)
		return;
	lws_set_opaque_user_data(wsi, NULL);
	conn_free(&c);
}

/* The peer's answer to our close frame ends the connection. The library answers a close frame that
 * the peer sends first. */
static int on_peer_close(struct ws_conn *c, const unsigned char *payload, size_t len)
{
	if (c->end.code)
		return -1;
	if (len >= 2)
		c->end.peer_code = payload[0] << 8 | payload[1];
	return 0;
}

static int on_ws(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
		 size_t len)
{
	struct ws_conn *c;

	(void)user;
	if (reason == LWS_CALLBACK_ESTABLISHED) {
		on_established(lws_context_user(lws_get_context(wsi)), wsi);
		return 0;
	}
	if (reason == LWS_CALLBACK_CLOSED) {
		on_closed(wsi);
		return 0;
	}
	if (reason != LWS_CALLBACK_RECEIVE && reason != LWS_CALLBACK_RECEIVE_PONG &&
	    reason != LWS_CALLBACK_SERVER_WRITEABLE &&
	    reason != LWS_CALLBACK_WS_PEER_INITIATED_CLOSE)
		return 0;
	c = lws_get_opaque_user_data(wsi);
	if (!c)
		return -1;
	c->last_received_ms =
		reason == LWS_CALLBACK_SERVER_WRITEABLE ? c->last_received_ms : clock_mono_ms();
	if (reason == LWS_CALLBACK_RECEIVE)
		return conn_receive(c, in, len);
	if (reason == LWS_CALLBACK_SERVER_WRITEABLE)
		return conn_writable(c);
	if (reason == LWS_CALLBACK_WS_PEER_INITIATED_CLOSE)
		return on_peer_close(c, in, len);
	return 0;
}

/* Without tx_packet_size, the library splits sent data into chunks of the receive size. */
static const struct lws_protocols protocols[] = {
	{.name = "vesper.v1",
	 .callback = on_ws,
	 .rx_buffer_size = RX_BYTES,
	 .tx_packet_size = TX_BYTES},
	{0},
};

/* The default policy keeps a 300 s timer per socket in one sorted list, which each accept walks.
 * Our own tick sends pings and detects silent peers instead. */
static const lws_retry_bo_t no_validity;

static bool context_new(struct ws_server *s, struct err *e)
{
	void *loops[1] = {loop_native(s->transport->options.loop)};
	struct lws_context_creation_info info = {
		.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
		.foreign_loops = loops,
		.port = CONTEXT_PORT_NO_LISTEN_SERVER,
		.protocols = protocols,
		.vhost_name = "vesper",
		.retry_and_idle_policy = &no_validity,
		.timeout_secs = HEADER_DEADLINE_MS / 1000,
		.server_string = "",
		.gid = -1,
		.uid = -1,
		.user = s,
	};

	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	s->context = lws_create_context(&info);
	if (!s->context)
		return err_set(e, ERR_INTERNAL,
			       "libwebsockets could not be started on the loop (is its uv plugin "
			       "installed?)");
	s->vhost = lws_create_vhost(s->context, &info);
	if (!s->vhost)
		return err_set(e, ERR_INTERNAL, "libwebsockets could not be started");
	return true;
}

static void on_tick(void *owner)
{
	struct ws_server *s = owner;
	int64_t now = clock_mono_ms();

	list_each_safe(node, &s->conns)
		conn_tick(list_item(node, struct ws_conn, node), now);
	relays_tick(&s->relays, now);
	metric_set(&connections, NULL, (int64_t)s->conn_count);
}

bool ws_server_new(struct transport *t, struct ws_server **out, struct err *e)
{
	struct ws_server *s = mem_alloc(sizeof(*s));

	s->transport = t;
	list_init(&s->conns);
	list_init(&s->relays.all);
	s->relays.loop = t->options.loop;
	list_init(&s->pending_auths);
	buf_init(&s->frame, 2 * EVENT_LOG_BYTES_MAX);
	buf_init(&s->batch, LWS_PRE + TX_BYTES);
	if (!context_new(s, e)) {
		ws_server_free(&s);
		return false;
	}
	s->tick = timer_new(t->options.loop, on_tick, s);
	timer_repeat(s->tick, TICK_MS);
	*out = s;
	return true;
}

void ws_server_handshake(void *owner, int fd, struct seat *take, const char *head, size_t head_len)
{
	auth_begin(owner, fd, take, head, head_len);
}

void ws_server_adopt(struct ws_server *s, int fd, const struct handshake *h, size_t head_len,
		     struct ws_conn *take)
{
	struct buf request;
	int lws_fd;

	take->relay = relay_new(&s->relays, fd, take->seat, take, &lws_fd);
	if (!take->relay) {
		log_warn("ws.full", "no descriptors for a socket's relay");
		conn_free(&take);
		refuse_and_close(fd, head_len, CODE_FULL);
		return;
	}
	buf_init(&request, HEADER_BYTES_MAX);
	handshake_rewrite(h, &request);
	socket_discard(fd, head_len); /* frames after the head stay in the socket */
	s->adopting = take;
	/* Calls back ESTABLISHED before it returns; closes the descriptor when it fails. */
	lws_adopt_socket_vhost_readbuf(s->vhost, lws_fd, buf_text(&request), request.n);
	buf_deinit(&request);
	if (s->adopting)
		conn_free(&s->adopting);
}

bool ws_server_has_session(const struct ws_server *s, const struct principal *who,
			   const char *session_id, const struct err *e)
{
	if (!e || e->code != ERR_NOT_FOUND)
		return !e;
	list_each(node, &s->conns) {
		const struct ws_conn *c = list_item(node, struct ws_conn, node);

		if (c->stage == CHAT_READY && principal_same_user(c->who, who) &&
		    strcmp(c->session_id, session_id) == 0)
			return true;
	}
	return false;
}

bool ws_server_is_empty(const struct ws_server *s)
{
	return list_empty(&s->relays.all);
}

static bool is_idle(const struct ws_conn *c)
{
	return c->wsi && c->end.code == 0 && list_empty(&c->turns) && !c->lookup &&
	       !c->pending_message && !c->recheck;
}

size_t ws_server_idle_count(const struct ws_server *s)
{
	size_t idle = 0;

	list_each(node, &s->conns)
		idle += is_idle(list_item(node, struct ws_conn, node));
	return idle;
}

void ws_server_close_idle(struct ws_server *s, size_t max_count)
{
	list_each_safe(node, &s->conns) {
		struct ws_conn *c = list_item(node, struct ws_conn, node);

		if (max_count > 0 && is_idle(c)) {
			conn_close(c, WS_CLOSE_SERVICE_RESTART, "restart");
			max_count--;
		}
	}
}

void ws_server_refuse_new(struct ws_server *s)
{
	pending_auths_close(s);
}

void ws_server_drain(struct ws_server *s)
{
	list_each_safe(node, &s->conns) {
		struct ws_conn *c = list_item(node, struct ws_conn, node);

		turns_pump(c); /* send the last frames of its turns */
		conn_close(c, WS_CLOSE_SERVICE_RESTART, "restart");
	}
}

/* With a foreign loop this takes two calls: the first closes all handles; the second, after the
 * loop has closed them, frees the context. */
static void context_free(struct ws_server *s)
{
	lws_context_destroy(s->context);
	for (int i = 0; i < DESTROY_ITERATIONS; i++)
		loop_run_once(s->transport->options.loop);
	lws_context_destroy(s->context);
}

void ws_server_free(struct ws_server **server)
{
	struct ws_server *s = *server;

	if (!s)
		return;
	*server = NULL;
	pending_auths_close(s);
	timer_free(&s->tick);
	if (s->context)
		context_free(s);
	assert(list_empty(&s->conns));
	relays_free(&s->relays);
	buf_deinit(&s->frame);
	buf_deinit(&s->batch);
	mem_free(s);
}
