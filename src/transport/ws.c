/* The sockets of the port: how one begins, and how all end. */
#include "ws_int.h"

#include <assert.h>
#include <string.h>

#include "handshake.h"
#include "refuse.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define TICK_MS 1000

static void on_tick(void *owner)
{
	struct ws_server *s = owner;
	int64_t now = clock_mono_ms();

	list_each_safe(node, &s->conns)
		conn_tick(list_item(node, struct ws_conn, node), now);
	metric_set("vesper_ws_connections", (int64_t)s->conn_count);
}

struct ws_server *ws_server_new(struct transport *t)
{
	struct ws_server *s = mem_alloc(sizeof(*s));

	s->transport = t;
	list_init(&s->conns);
	list_init(&s->doors);
	buf_init(&s->frame, 2 * EVENT_LOG_BYTES_MAX);
	buf_init(&s->batch, SEND_BATCH_BYTES + 3 * EVENT_LOG_BYTES_MAX);
	s->tick = timer_new(t->options.loop, on_tick, s);
	timer_repeat(s->tick, TICK_MS);
	return s;
}

void ws_server_handshake(void *owner, int fd, struct seat *take, const char *head, size_t head_len)
{
	door_open(owner, fd, take, head, head_len);
}

void ws_server_adopt(struct ws_server *s, int fd, const struct handshake *h, size_t head_len,
		     struct ws_conn *c)
{
	struct buf answer;

	(void)s;
	buf_init(&answer, HEADER_BYTES_MAX);
	handshake_accept(h, &answer);
	socket_discard(fd, head_len); /* frames behind it stay in the socket */
	conn_established(c, fd, &answer);
	buf_deinit(&answer);
}

void ws_server_drain(struct ws_server *s)
{
	doors_close(s);
	list_each_safe(node, &s->conns) {
		struct ws_conn *c = list_item(node, struct ws_conn, node);

		turns_pump(c); /* the last words of its turns */
		conn_close(c, WS_CLOSE_RESTART, "restart");
	}
}

void ws_server_free(struct ws_server **server)
{
	struct ws_server *s = *server;

	if (!s)
		return;
	*server = NULL;
	doors_close(s);
	timer_free(&s->tick);
	while (!list_empty(&s->conns)) {
		struct ws_conn *c = list_item(s->conns.next, struct ws_conn, node);

		conn_free(&c);
	}
	assert(s->conn_count == 0);
	buf_deinit(&s->frame);
	buf_deinit(&s->batch);
	mem_free(s);
}
