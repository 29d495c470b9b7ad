/*
 * An HTTP server for tests, on the loop under test: answers requests in order with raw bytes, in
 * chunks of any size with any delay, and stores the requests.
 */
#ifndef TINY_SERVER_H
#define TINY_SERVER_H

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vesper/list.h"
#include "vesper/loop.h"
#include "vesper/mem.h"
#include "vesper/str.h"

struct tiny_reply {
	const char *text; /* the whole response, borrowed */
	size_t len;       /* 0: strlen */
	size_t piece;     /* bytes at a time; 0: all at once */
	int piece_ms;     /* pause between pieces */
	int delay_ms;     /* before the first byte */
	bool hang;        /* afterwards: send nothing */
	bool keep;        /* afterwards: the next request */
	bool reset;       /* afterwards: RST. None of the three: close */
};

#define TINY_MAX 64

struct tiny_server {
	struct loop *loop;
	int fd;
	int port;
	char url[64];
	struct fd_watch *watch;
	struct list conns;
	struct tiny_reply replies[TINY_MAX];
	size_t reply_count;
	char *requests[TINY_MAX];
	size_t request_count;
	size_t accepted; /* connections */
	size_t left;     /* connections that the client closed */
};

struct tiny_conn {
	struct list node;
	struct tiny_server *server;
	int fd;
	struct fd_watch *watch;
	struct timer *timer;
	struct buf in;
	struct tiny_reply reply;
	bool replying;
	size_t sent;
};

static inline void tiny_conn_close(struct tiny_conn *c)
{
	list_remove(&c->node);
	fd_watch_free(&c->watch);
	timer_free(&c->timer);
	buf_deinit(&c->in);
	close(c->fd);
	mem_free(c);
}

static inline void tiny_conn_read(struct tiny_conn *c);

static inline void tiny_reply_done(struct tiny_conn *c)
{
	c->replying = false;
	if (c->reply.hang)
		return;
	if (c->reply.keep) {
		tiny_conn_read(c);
		return;
	}
	if (c->reply.reset) {
		struct linger hard = {1, 0};
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	}
	tiny_conn_close(c);
}

static inline void tiny_conn_write(struct tiny_conn *c)
{
	while (c->sent < c->reply.len) {
		size_t n = c->reply.len - c->sent;

		if (c->reply.piece && n > c->reply.piece)
			n = c->reply.piece;
		ssize_t done = send(c->fd, c->reply.text + c->sent, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done < 0 && errno == EAGAIN) {
			fd_watch_set(c->watch, FD_READ | FD_WRITE);
			return;
		}
		if (done < 0) {
			c->server->left++;
			tiny_conn_close(c);
			return;
		}
		c->sent += (size_t)done;
		if (c->reply.piece_ms && c->sent < c->reply.len) {
			timer_start(c->timer, (uint64_t)c->reply.piece_ms);
			return;
		}
	}
	fd_watch_set(c->watch, FD_READ);
	tiny_reply_done(c);
}

static inline void tiny_on_timer(void *owner)
{
	tiny_conn_write(owner);
}

/* Length of the first complete request, 0 if there is none. */
static inline size_t tiny_request_len(const struct buf *in)
{
	const char *end = in->n ? strstr(in->p, "\r\n\r\n") : NULL;
	const char *length = in->n ? strcasestr(in->p, "content-length:") : NULL;
	size_t n;

	if (!end)
		return 0;
	n = (size_t)(end - in->p) + 4;
	if (length && length < end)
		n += (size_t)strtoul(length + 15, NULL, 10);
	return in->n >= n ? n : 0;
}

static inline void tiny_conn_read(struct tiny_conn *c)
{
	struct tiny_server *s = c->server;
	size_t n = tiny_request_len(&c->in);

	if (c->replying || !n)
		return;
	assert(s->request_count < TINY_MAX && s->request_count < s->reply_count);
	c->reply = s->replies[s->request_count];
	s->requests[s->request_count++] = mem_strndup(c->in.p, n);
	memmove(c->in.p, c->in.p + n, c->in.n - n + 1);
	c->in.n -= n;
	c->replying = true;
	c->sent = 0;
	if (c->reply.delay_ms)
		timer_start(c->timer, (uint64_t)c->reply.delay_ms);
	else
		tiny_conn_write(c);
}

static inline void tiny_on_conn(void *owner, int fd, int events)
{
	struct tiny_conn *c = owner;
	char block[16384];

	if (events & FD_READ) {
		ssize_t n = recv(fd, block, sizeof(block), MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN)) {
			c->server->left++;
			tiny_conn_close(c);
			return;
		}
		if (n > 0) {
			buf_add(&c->in, block, (size_t)n);
			tiny_conn_read(c);
			return;
		}
	}
	if ((events & FD_WRITE) && c->replying)
		tiny_conn_write(c);
}

static inline void tiny_on_accept(void *owner, int fd, int events)
{
	struct tiny_server *s = owner;
	struct tiny_conn *c = mem_alloc(sizeof(*c));
	int on = 1;

	(void)events;
	c->fd = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (c->fd < 0) {
		mem_free(c);
		return;
	}
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	s->accepted++;
	c->server = s;
	c->timer = timer_new(s->loop, tiny_on_timer, c);
	buf_init(&c->in, 64 * 1024 * 1024);
	c->watch = fd_watch_new(s->loop, c->fd, tiny_on_conn, c);
	fd_watch_set(c->watch, FD_READ);
	list_append(&s->conns, &c->node);
}

static inline void tiny_server_open(struct tiny_server *s, struct loop *l)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	struct buf url;

	memset(s, 0, sizeof(*s));
	s->loop = l;
	list_init(&s->conns);
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert(s->fd >= 0);
	if (bind(s->fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(s->fd, 128) != 0)
		abort();
	getsockname(s->fd, (struct sockaddr *)&at, &len);
	s->port = ntohs(at.sin_port);
	buf_init(&url, sizeof(s->url) - 1);
	buf_printf(&url, "http://127.0.0.1:%d", s->port);
	memcpy(s->url, url.p, url.n + 1);
	buf_deinit(&url);
	s->watch = fd_watch_new(l, s->fd, tiny_on_accept, s);
	fd_watch_set(s->watch, FD_READ);
}

static inline void tiny_server_add(struct tiny_server *s, struct tiny_reply reply)
{
	assert(s->reply_count < TINY_MAX);
	if (reply.len == 0)
		reply.len = strlen(reply.text);
	s->replies[s->reply_count++] = reply;
}

static inline void tiny_server_close(struct tiny_server *s)
{
	list_each_safe(node, &s->conns)
		tiny_conn_close(list_item(node, struct tiny_conn, node));
	fd_watch_free(&s->watch);
	close(s->fd);
	for (size_t i = 0; i < s->request_count; i++)
		mem_free(s->requests[i]);
}

#endif
