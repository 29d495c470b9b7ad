/*
 * Debian's libwebsockets 4.1 is built without external polling, so bytes between the socket and its
 * parser can only be inspected with a socketpair. The parser accepts unmasked frames, lengths in
 * more bytes than needed, and close codes that no peer may send.
 *
 * A violation shuts the pair down after the last valid byte: libwebsockets reads everything before
 * it, then its answers arrive in order, then its end. Only then is the close frame sent, and
 * only between two frames, so the frames of libwebsockets are tracked too.
 */
#include "ws_relay.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port/seats.h"
#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/loop.h"
#include "vesper/mem.h"
#include "vesper/str.h"
#include "ws_frame.h"
#include "ws_int.h"

#define HEAD_END "\r\n\r\n"

struct ws_relay {
	struct list node;
	struct ws_conn *conn; /* Borrowed; NULL: freed */
	struct seat *seat;

	int client;
	struct fd_watch *client_watch;
	bool client_ended; /* the client has ended its direction */
	bool client_shut;  /* our direction to the client is shut down */

	int pair; /* our end; -1: closed */
	struct fd_watch *pair_watch;

	/* from the client to libwebsockets */
	struct ws_reader in;
	struct buf in_rest;
	bool in_stopped; /* nothing more is passed on */
	bool shut_in;    /* the pair is to be shut down once in_rest is sent */
	int violation;   /* the close code; 0: none */
	struct buf ping; /* the incomplete ping frame */

	/* from libwebsockets to the client */
	struct ws_reader out;
	struct buf out_rest;
	uint8_t head_matched; /* matched bytes of HEAD_END: the answer to the handshake precedes all
				 frames */

	int64_t ending_since_ms; /* 0: not ending */
};

static void on_client(void *owner, int fd, int events);
static void on_pair(void *owner, int fd, int events);

static void set_send_buffer(int fd, int bytes)
{
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

struct ws_relay *relay_new(struct ws_relays *s, int fd, struct seat *take, struct ws_conn *conn,
			   int *lws_fd)
{
	struct ws_relay *r;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
		return NULL;
	set_send_buffer(ends[0], RELAY_IN_BYTES);
	set_send_buffer(ends[1], RELAY_OUT_BYTES);
	set_send_buffer(fd, RELAY_OUT_BYTES); /* otherwise a client that reads nothing occupies
					   megabytes in the kernel */
	r = mem_alloc(sizeof(*r));
	r->conn = conn;
	r->seat = take;
	r->client = fd;
	r->pair = ends[0];
	ws_reader_init(&r->in, WS_CLIENT, FRAME_BYTES_MAX);
	ws_reader_init(&r->out, WS_SERVER, 0);
	buf_init(&r->in_rest, RELAY_READ_BYTES);
	buf_init(&r->out_rest, RELAY_READ_BYTES);
	buf_init(&r->ping, WS_CONTROL_HEAD_BYTES + WS_CONTROL_BYTES_MAX);
	r->client_watch = fd_watch_new(s->loop, fd, on_client, r);
	fd_watch_set(r->client_watch, FD_READ);
	r->pair_watch = fd_watch_new(s->loop, r->pair, on_pair, r);
	fd_watch_set(r->pair_watch, FD_READ);
	list_append(&s->all, &r->node);
	*lws_fd = ends[1];
	return r;
}

static void pair_close(struct ws_relay *r)
{
	if (r->pair < 0)
		return;
	fd_watch_free(&r->pair_watch);
	close(r->pair);
	r->pair = -1;
}

static void relay_free(struct ws_relay *r)
{
	assert(!r->conn);
	pair_close(r);
	fd_watch_free(&r->client_watch);
	seat_free(&r->seat);
	close(r->client);
	buf_deinit(&r->in_rest);
	buf_deinit(&r->out_rest);
	buf_deinit(&r->ping);
	list_remove(&r->node);
	mem_free(r);
}

/* Most sockets are idle, so a buffer is allocated only while it holds bytes. `bytes` may point into
 * it. */
static void rest_set(struct buf *rest, const void *bytes, size_t len)
{
	struct buf old = *rest;

	buf_init(rest, RELAY_READ_BYTES);
	if (len > 0)
		buf_add(rest, bytes, len);
	assert(!buf_over(rest));
	buf_deinit(&old);
}

/* ---- ending ---- */

static void start_ending(struct ws_relay *r)
{
	if (r->ending_since_ms == 0)
		r->ending_since_ms = clock_mono_ms();
}

static void stop_input(struct ws_relay *r, bool shut_pair)
{
	r->in_stopped = true;
	r->shut_in = shut_pair;
	start_ending(r);
}

/* Called when nothing can be sent any more, or when the wait has timed out. The connection ends in
 * the next iteration and releases the relay. */
static void relay_cut(struct ws_relay *r)
{
	stop_input(r, false);
	r->client_ended = r->client_shut = true;
	rest_set(&r->in_rest, NULL, 0);
	rest_set(&r->out_rest, NULL, 0);
	pair_close(r);
	if (r->conn)
		conn_kill(r->conn);
}

/* ---- bytes ---- */

/* Sends what the peer accepts and stores the remainder in `rest`. Returns false when the peer
 * accepts nothing any more. */
static bool pass(int to, struct buf *rest, const void *bytes, size_t len)
{
	ssize_t n = len ? send(to, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	if (n < 0)
		n = 0;
	rest_set(rest, (const char *)bytes + n, len - (size_t)n);
	return true;
}

static void pass_in(struct ws_relay *r, const void *bytes, size_t len)
{
	if (r->pair >= 0 && !pass(r->pair, &r->in_rest, bytes, len)) {
		rest_set(&r->in_rest, NULL,
			 0); /* libwebsockets is closing; its last bytes still arrive */
		stop_input(r, false);
	}
}

/* Skips the answer to the handshake; returns how many bytes belong to it. */
static size_t skip_answer(struct ws_relay *r, const char *bytes, size_t len)
{
	size_t n = 0;

	while (n < len && r->head_matched < sizeof(HEAD_END) - 1) {
		bool matches = bytes[n] == HEAD_END[r->head_matched];

		r->head_matched = matches ? r->head_matched + 1 : bytes[n] == HEAD_END[0];
		n++;
	}
	return n;
}

static void pass_out(struct ws_relay *r, const void *bytes, size_t len)
{
	size_t skip = skip_answer(r, bytes, len);
	int code;

	while (skip < len && !r->out.closed)
		skip += ws_reader_check(&r->out, (const uint8_t *)bytes + skip, len - skip, &code);
	if (!pass(r->client, &r->out_rest, bytes, len))
		relay_cut(r);
}

/* libwebsockets answers the first of several pings that it reads together and drops the others. A
 * single answer for several pings has to be that of the last one (5.5.3), so the relay handles
 * pings. */
static void ping_add(struct ws_relay *r, const void *bytes, size_t len)
{
	char *payload, *mask;

	buf_add(&r->ping, bytes, len);
	if (!ws_reader_is_between_frames(&r->in))
		return;
	payload = r->ping.p + WS_CONTROL_HEAD_BYTES;
	mask = payload - 4;
	len = r->ping.n - WS_CONTROL_HEAD_BYTES;
	for (size_t i = 0; i < len; i++)
		payload[i] ^= mask[i & 3];
	if (r->conn)
		conn_pong(r->conn, payload, len);
	buf_deinit(&r->ping);
	buf_init(&r->ping, WS_CONTROL_HEAD_BYTES + WS_CONTROL_BYTES_MAX);
}

/* Checks what was read, removes pings, and returns how many bytes at the start of the buffer are
 * for libwebsockets. */
static size_t check_in(struct ws_relay *r, char *buffer, size_t len, int *code)
{
	size_t valid_len = 0, at = 0;

	*code = 0;
	while (at < len && !*code && !r->in.closed) {
		size_t valid = ws_reader_check(&r->in, (uint8_t *)buffer + at, len - at, code);

		if (valid > 0 && ws_reader_is_ping(&r->in)) {
			ping_add(r, buffer + at, valid);
		} else if (valid > 0) {
			memmove(buffer + valid_len, buffer + at, valid);
			valid_len += valid;
		}
		at += valid;
	}
	return valid_len;
}

static void client_read(struct ws_relay *r, char *buffer)
{
	ssize_t n = recv(r->client, buffer, RELAY_READ_BYTES, MSG_DONTWAIT);
	int code;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			relay_cut(r);
		return;
	}
	if (n == 0)
		r->client_ended = true;
	if (r->in_stopped)
		return;
	if (n == 0) {
		stop_input(r, true);
		return;
	}
	pass_in(r, buffer, check_in(r, buffer, (size_t)n, &code));
	if (code) {
		r->violation = code;
		if (r->conn)
			r->conn->end.violation = code;
		stop_input(r, true);
	} else if (r->in.closed) {
		stop_input(r, false); /* libwebsockets answers the close frame and ends */
	}
}

/* Sends the close frame of a violation, unless one was sent before. A client that took only a part
 * of a frame gets none. */
static void send_close_reason(struct ws_relay *r)
{
	static const char *const reasons[] = {"protocol error", "not UTF-8", "message too long"};
	const char *reason = reasons[r->violation == WS_CLOSE_INVALID_UTF8 ? 1
				     : r->violation == WS_CLOSE_TOO_LONG   ? 2
									   : 0];
	unsigned char frame[WS_CLOSE_FRAME_BYTES];

	if (r->violation && !r->out.closed && ws_reader_is_between_frames(&r->out) &&
	    r->out_rest.n == 0)
		pass_out(r, frame, ws_close_frame(frame, r->violation, reason));
}

static void pair_read(struct ws_relay *r, char *buffer)
{
	ssize_t n = recv(r->pair, buffer, RELAY_READ_BYTES, MSG_DONTWAIT);

	if (n > 0) {
		pass_out(r, buffer, (size_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		rest_set(&r->in_rest, NULL, 0);
		stop_input(r, false);
		pair_close(r);
		send_close_reason(r);
	}
}

/* ---- events ---- */

/* Shuts down the directions that are complete, and sets the watches of the others. */
static void relay_settle(struct ws_relay *r)
{
	if (r->shut_in && r->in_rest.n == 0 && r->pair >= 0) {
		r->shut_in = false;
		shutdown(r->pair, SHUT_WR);
	}
	if (r->pair < 0 && r->out_rest.n == 0 && !r->client_shut) {
		r->client_shut = true;
		shutdown(r->client, SHUT_WR);
	}
	if (r->client_shut && r->client_ended && !r->conn) {
		relay_free(r);
		return;
	}
	/* Closing a socket with unread bytes resets the connection, which may overtake the last
	 * frames. So after our end was sent, the client is read until it ends too. */
	fd_watch_set(r->client_watch,
		     (!r->client_ended && r->in_rest.n == 0 && (!r->in_stopped || r->client_shut)
			      ? FD_READ
			      : 0) |
			     (r->out_rest.n > 0 ? FD_WRITE : 0));
	if (r->pair_watch)
		fd_watch_set(r->pair_watch, (r->out_rest.n == 0 ? FD_READ : 0) |
						    (r->in_rest.n > 0 ? FD_WRITE : 0));
}

static char *shared_buffer(void)
{
	static char buffer[RELAY_READ_BYTES];

	return buffer;
}

static void on_client(void *owner, int fd, int events)
{
	struct ws_relay *r = owner;

	(void)fd;
	if ((events & FD_WRITE) && r->out_rest.n > 0 &&
	    !pass(r->client, &r->out_rest, r->out_rest.p, r->out_rest.n))
		relay_cut(r);
	if ((events & FD_READ) && !r->client_ended && r->in_rest.n == 0)
		client_read(r, shared_buffer());
	relay_settle(r);
}

static void on_pair(void *owner, int fd, int events)
{
	struct ws_relay *r = owner;

	(void)fd;
	if ((events & FD_WRITE) && r->in_rest.n > 0)
		pass_in(r, r->in_rest.p, r->in_rest.n);
	if ((events & FD_READ) && r->out_rest.n == 0)
		pair_read(r, shared_buffer());
	relay_settle(r);
}

/* ---- interface ---- */

void relay_release(struct ws_relay *r)
{
	r->conn = NULL;
	start_ending(r);
	relay_settle(r);
}

void relays_tick(struct ws_relays *s, int64_t now_ms)
{
	list_each_safe(node, &s->all) {
		struct ws_relay *r = list_item(node, struct ws_relay, node);

		if (r->ending_since_ms == 0 || now_ms - r->ending_since_ms < CLOSE_WAIT_MS)
			continue;
		relay_cut(r);
		relay_settle(r);
	}
}

void relays_free(struct ws_relays *s)
{
	while (!list_empty(&s->all))
		relay_free(list_item(s->all.next, struct ws_relay, node));
}
