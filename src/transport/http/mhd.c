/*
 * libmicrohttpd in its external mode: without a thread or a listening socket, with one epoll
 * descriptor that becomes readable when one of its sockets does. This file adds what that mode
 * lacks: a wake-up after a resume, and deadlines for heads.
 */
#include <microhttpd.h>

#include "mhd.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define TICK_MS 1000
#define POOL_BYTES                                                                                 \
	(2 * HEADER_BYTES_MAX) /* a connection's request head, and room for the answer's head */
#define TIMER_MS_MAX 5000

struct http_server {
	struct transport *transport;
	struct MHD_Daemon *daemon;
	const struct http_route *routes;
	struct fd_watch *watch;
	struct timer *timer;
	struct prepare *prepare;
	bool dirty;
	bool running;
	struct timer *tick;
	struct list waiting;   /* sockets whose next head is incomplete, oldest first */
	struct list requests;  /* active requests */
	struct seat *adopting; /* of the socket being added to the library */
};

/* A client's socket. */
struct peer {
	struct list node; /* in `waiting` */
	int fd;
	struct seat *seat;
	int64_t until_ms;
};

static void server_run(struct http_server *s)
{
	MHD_UNSIGNED_LONG_LONG wait_ms;

	if (s->running) /* never from within one of the library's callbacks */
		return;
	s->running = true;
	s->dirty = false;
	MHD_run(s->daemon);
	s->running = false;
	if (MHD_get_timeout(s->daemon, &wait_ms) == MHD_YES)
		timer_start(s->timer, wait_ms > TIMER_MS_MAX ? TIMER_MS_MAX : wait_ms);
	else
		timer_stop(s->timer);
}

static void on_readable(void *owner, int fd, int events)
{
	(void)fd;
	(void)events;
	server_run(owner);
}

static void on_timer(void *owner)
{
	server_run(owner);
}

/* A resume neither makes the epoll descriptor readable nor affects the library's timeout, so the
 * request would hang until another one arrives. All resumes of an iteration are handled in one run
 * before the next wait. */
static void on_prepare(void *owner)
{
	struct http_server *s = owner;

	if (s->dirty)
		server_run(s);
}

void http_server_kick(struct http_server *s)
{
	s->dirty = true;
}

static struct peer *peer_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* The library's timeout detects silence only: a head sent byte by byte would occupy its socket for
 * hours. */
static void peer_wait(struct http_server *s, struct peer *p)
{
	list_remove(&p->node);
	p->until_ms = clock_mono_ms() + HEADER_DEADLINE_MS;
	list_append(&s->waiting, &p->node);
}

static void on_peer(void *owner, struct MHD_Connection *connection, void **context,
		    enum MHD_ConnectionNotificationCode code)
{
	struct http_server *s = owner;
	struct peer *p = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		p = mem_alloc(sizeof(*p));
		p->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd;
		*context = p;
		p->seat = s->adopting;
		s->adopting = NULL;
		peer_wait(s, p);
	} else {
		list_remove(&p->node);
		seat_free(&p->seat);
		mem_free(p);
	}
}

static enum MHD_Result on_request(void *owner, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_len, void **context)
{
	struct http_server *s = owner;
	struct request *r = *context;

	if (!r) {
		struct peer *p = peer_of(connection);

		r = request_new(s, url, p->seat);
		*context = r;
		list_append(&s->requests, &r->node);
		list_remove(&p->node); /* the head is complete */
	}
	return request_step(r, connection, method, version, upload, upload_len) ? MHD_YES : MHD_NO;
}

static void on_completed(void *owner, struct MHD_Connection *connection, void **context,
			 enum MHD_RequestTerminationCode why)
{
	struct http_server *s = owner;
	struct peer *p = peer_of(connection);

	(void)why;
	if (*context)
		request_free(*context);
	*context = NULL;
	if (!p)
		return;
	seat_idle(p->seat);
	peer_wait(s, p);
}

/* Disables decoding: callers decode after they have split the text. */
static size_t on_unescape(void *owner, struct MHD_Connection *connection, char *text)
{
	(void)owner;
	(void)connection;
	return strlen(text);
}

static void on_log(void *owner, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));

static void on_log(void *owner, const char *fmt, va_list args)
{
	char line[512];

	(void)owner;
	vsnprintf(line, sizeof(line), fmt, args);
	log_debug("http.library", "%.*s", (int)strcspn(line, "\n"), line);
}

static void on_tick(void *owner)
{
	struct http_server *s = owner;
	int64_t now = clock_mono_ms();

	list_each_safe(node, &s->waiting) {
		struct peer *p = list_item(node, struct peer, node);

		if (p->until_ms > now)
			break;
		list_remove(&p->node);
		shutdown(p->fd, SHUT_RDWR); /* the library reads the end and cleans up */
	}
	list_each_safe(node, &s->requests)
		request_tick(list_item(node, struct request, node), now);
}

static struct MHD_Daemon *daemon_start(struct http_server *s)
{
	return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET |
					MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
				0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, on_log,
				NULL, MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT,
				(unsigned int)(SEND_BLOCKED_MS / 1000),
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES,
				MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK,
				on_unescape, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_peer, s,
				MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
}

bool http_server_new(struct transport *t, const struct http_route *routes, struct http_server **out,
		     struct err *e)
{
	struct http_server *s = mem_alloc(sizeof(*s));
	struct loop *loop = t->options.loop;

	s->transport = t;
	s->routes = routes;
	list_init(&s->waiting);
	list_init(&s->requests);
	s->daemon = daemon_start(s);
	if (!s->daemon) {
		mem_free(s);
		return err_set(e, ERR_INTERNAL, "libmicrohttpd could not be started");
	}
	s->timer = timer_new(loop, on_timer, s);
	s->prepare = prepare_new(loop, on_prepare, s);
	s->watch = fd_watch_new(loop,
				MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd,
				on_readable, s);
	fd_watch_set(s->watch, FD_READ);
	s->tick = timer_new(loop, on_tick, s);
	timer_repeat(s->tick, TICK_MS);
	*out = s;
	return true;
}

void http_server_adopt(void *owner, int fd, struct seat *take, const struct sockaddr *from,
		       socklen_t from_len)
{
	struct http_server *s = owner;

	s->adopting = take;
	/* On failure it closes the descriptor, and on_peer is not called. */
	MHD_add_connection(s->daemon, fd, from, from_len);
	seat_free(&s->adopting);
	http_server_kick(s);
}

const struct http_route *http_server_routes(const struct http_server *s)
{
	return s->routes;
}

struct transport *http_server_transport(const struct http_server *s)
{
	return s->transport;
}

struct list *http_server_requests(struct http_server *s)
{
	return &s->requests;
}

/* Stopping with suspended connections aborts the process, so all are resumed first. Two runs: one
 * to resume, one to answer. */
void http_server_free(struct http_server **server)
{
	struct http_server *s = *server;

	if (!s)
		return;
	*server = NULL;
	list_each_safe(node, &s->requests)
		request_abandon(list_item(node, struct request, node));
	server_run(s);
	server_run(s);
	fd_watch_free(&s->watch);
	MHD_stop_daemon(s->daemon);
	assert(list_empty(&s->requests));
	prepare_free(&s->prepare);
	timer_free(&s->timer);
	timer_free(&s->tick);
	mem_free(s);
}
