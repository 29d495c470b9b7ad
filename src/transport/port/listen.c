/*
 * One port for two libraries: the first bytes decide which of them gets a connection. Peeking costs
 * one system call and consumes nothing, so each library reads the connection as if it had accepted
 * it.
 */
#include "listen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "address.h"
#include "handshake.h"
#include "refuse.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

#define WS_PREFIX        "GET /ws/"
#define WS_PREFIX_LEN    (sizeof(WS_PREFIX) - 1)
#define ACCEPTS_PER_TURN 64 /* per loop iteration, so that other events are handled too */

struct listener {
	struct listener_options options;
	struct loop *loop;
	int fd;
	struct fd_watch *watch;
	struct timer *pause;
	int reserve; /* descriptor closed to accept one connection when no others are left */
	char address[ADDRESS_BYTES];
	struct list peeks;   /* undecided connections, oldest first */
	struct list reading; /* WebSocket connections whose head is incomplete, oldest first */
	struct timer *deadline;
};

/* A connection that has not sent enough bytes to be handed over. */
struct peek {
	struct list node;
	struct listener *listener;
	int fd;
	struct seat *seat;
	struct fd_watch *watch;
	uint64_t until_ms;
	bool is_ws;
	struct sockaddr_storage from;
	socklen_t from_len;
};

enum peek_answer { PEEK_MORE, PEEK_GONE, PEEK_HTTP, PEEK_HANDSHAKE, PEEK_TOO_LONG };

static int reserve_open(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void listener_watch(struct listener *l)
{
	fd_watch_set(l->watch, FD_READ);
}

static void on_pause_over(void *owner)
{
	listener_watch(owner);
}

static void deadline_arm(struct listener *l)
{
	uint64_t now = loop_now_ms(l->loop);
	uint64_t next = 0;

	for (int i = 0; i < 2; i++) {
		struct list *queue = i == 0 ? &l->peeks : &l->reading;

		if (!list_empty(queue)) {
			uint64_t until = list_item(queue->next, struct peek, node)->until_ms;

			next = next == 0 || until < next ? until : next;
		}
	}
	if (next == 0)
		timer_stop(l->deadline);
	else
		timer_start(l->deadline, next > now ? next - now : 1);
}

/* The watch is freed before the descriptor is handed over: libuv allows one watch per descriptor,
 * and libwebsockets does not check whether it could add another. */
static void peek_free(struct peek *p)
{
	fd_watch_free(&p->watch);
	list_remove(&p->node);
	mem_free(p);
}

static void peek_drop(struct peek *p)
{
	int fd = p->fd;

	seat_free(&p->seat);
	peek_free(p);
	close(fd);
}

static void drop_expired(struct list *queue, uint64_t now)
{
	list_each_safe(node, queue) {
		struct peek *p = list_item(node, struct peek, node);

		if (p->until_ms > now)
			return;
		peek_drop(p);
	}
}

static void on_deadline(void *owner)
{
	struct listener *l = owner;

	drop_expired(&l->peeks, loop_now_ms(l->loop));
	drop_expired(&l->reading, loop_now_ms(l->loop));
	deadline_arm(l);
}

/* Without this mark, epoll reports a socket with a partial head as readable again and again
 * although no new bytes arrived. */
static void wait_for_bytes_beyond(int fd, size_t len)
{
	int mark = (int)len + 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark));
}

/* Peeks at the bytes that have arrived. All connections share one buffer, which each call fills
 * anew. */
static enum peek_answer peek_look(int fd, bool is_ws, char bytes[HEADER_BYTES_MAX], size_t *len)
{
	ssize_t n =
		recv(fd, bytes, is_ws ? HEADER_BYTES_MAX : WS_PREFIX_LEN, MSG_PEEK | MSG_DONTWAIT);
	size_t head_len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		*len = 0;
		return PEEK_MORE;
	}
	if (n <= 0)
		return PEEK_GONE;
	*len = (size_t)n;
	if (!is_ws && memcmp(bytes, WS_PREFIX, *len) != 0)
		return PEEK_HTTP;
	if (!is_ws)
		return *len < WS_PREFIX_LEN ? PEEK_MORE : PEEK_HANDSHAKE;
	if (handshake_is_complete(bytes, *len, &head_len)) {
		*len = head_len;
		return PEEK_HANDSHAKE;
	}
	return *len < HEADER_BYTES_MAX ? PEEK_MORE : PEEK_TOO_LONG;
}

static void peek_hand_over(struct peek *p, enum peek_answer answer, const char *head, size_t len)
{
	struct listener_options to = p->listener->options;
	struct sockaddr_storage from = p->from;
	socklen_t from_len = p->from_len;
	struct seat *seat = p->seat;
	int fd = p->fd;

	peek_free(p);
	wait_for_bytes_beyond(fd, 0);
	if (answer == PEEK_TOO_LONG) {
		seat_free(&seat);
		refuse_and_close(fd, len, CODE_HEADERS);
	} else if (answer == PEEK_HANDSHAKE) {
		to.on_handshake(to.ws_owner, fd, seat, head, len);
	} else {
		to.on_http(to.http_owner, fd, seat, (struct sockaddr *)&from, from_len);
	}
}

/* Returns true when the connection was handed over or dropped; the peek is then freed. */
static bool peek_step(struct peek *p, bool hung_up)
{
	static char bytes[HEADER_BYTES_MAX];
	struct listener *l = p->listener;
	size_t len = 0;
	enum peek_answer answer = peek_look(p->fd, p->is_ws, bytes, &len);

	if (answer == PEEK_HANDSHAKE && !p->is_ws) {
		p->is_ws = true; /* from here on the whole head has one deadline, however slowly it
				    arrives */
		p->until_ms = loop_now_ms(l->loop) + HEADER_DEADLINE_MS;
		list_remove(&p->node);
		list_append(&l->reading, &p->node);
		answer = peek_look(p->fd, true, bytes, &len);
	}
	if (answer == PEEK_MORE && !hung_up) {
		wait_for_bytes_beyond(p->fd, len);
		return false;
	}
	if (answer == PEEK_MORE || answer == PEEK_GONE)
		peek_drop(p);
	else
		peek_hand_over(p, answer, bytes, len);
	return true;
}

static void on_peek(void *owner, int fd, int events)
{
	struct peek *p = owner;
	struct listener *l = p->listener;

	(void)fd;
	peek_step(p, events & FD_HANGUP);
	deadline_arm(l);
}

static void peek_start(struct listener *l, int fd, struct seat *take,
		       const struct sockaddr_storage *from, socklen_t from_len)
{
	struct peek *p = mem_alloc(sizeof(*p));

	p->listener = l;
	p->fd = fd;
	p->seat = take;
	p->from = *from;
	p->from_len = from_len;
	p->until_ms = loop_now_ms(l->loop) + PEEK_DEADLINE_MS;
	list_append(&l->peeks, &p->node);
	if (peek_step(p, false)) /* the first bytes often arrive with the connection */
		return;
	p->watch = fd_watch_new(l->loop, fd, on_peek, p);
	fd_watch_set(p->watch, FD_READ | FD_HANGUP); /* without FD_HANGUP, a client that leaves
							after "GET" would stay until the deadline */
	deadline_arm(l);
}

static void listener_take(struct listener *l, int fd, const struct sockaddr_storage *from,
			  socklen_t from_len)
{
	struct seat *seat = seat_new(l->options.seats, fd, (const struct sockaddr *)from);
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one,
		   sizeof(one)); /* send tokens without Nagle's delay */
	if (l->options.on_handshake)
		peek_start(l, fd, seat, from, from_len);
	else
		l->options.on_http(l->options.http_owner, fd, seat, (const struct sockaddr *)from,
				   from_len);
}

/* Without a free descriptor, accept fails, the connection stays in the queue and the loop spins on
 * a readable listening socket. Closing the reserve descriptor frees one to accept the connection
 * and close it. */
static void refuse_without_descriptor(struct listener *l)
{
	int fd;

	close(l->reserve);
	fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	l->reserve = reserve_open();
	metric_add(&seats_refused, NULL, 1);
	fd_watch_set(l->watch, 0);
	timer_start(l->pause, LISTEN_PAUSE_MS);
}

static void on_connection(void *owner, int listen_fd, int events)
{
	struct listener *l = owner;

	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
		struct sockaddr_storage from;
		socklen_t from_len = sizeof(from);
		int fd = accept4(listen_fd, (struct sockaddr *)&from, &from_len,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			listener_take(l, fd, &from, from_len);
		} else if (errno == EMFILE || errno == ENFILE) {
			log_warn("listen.full", "no descriptor left for a connection");
			refuse_without_descriptor(l);
			return;
		} else if (errno != ECONNABORTED && errno != EINTR) {
			if (errno != EAGAIN) {
				log_warn("listen.accept", "accept: %s", strerror(errno));
				fd_watch_set(l->watch, 0);
				timer_start(l->pause, LISTEN_PAUSE_MS);
			}
			return;
		}
	}
}

bool listener_open(const struct listener_options *options, struct listener **out, struct err *e)
{
	struct listener *l;
	int fd = options->fd;

	if (fd < 0 && !address_listen(options->address, &fd, e))
		return false;
	l = mem_alloc(sizeof(*l));
	l->options = *options;
	l->loop = options->transport->options.loop;
	l->fd = fd;
	l->reserve = reserve_open();
	address_of(fd, l->address);
	list_init(&l->peeks);
	list_init(&l->reading);
	l->deadline = timer_new(l->loop, on_deadline, l);
	l->pause = timer_new(l->loop, on_pause_over, l);
	l->watch = fd_watch_new(l->loop, fd, on_connection, l);
	listener_watch(l);
	*out = l;
	return true;
}

const char *listener_address(const struct listener *l)
{
	return l->address;
}

int listener_fd(const struct listener *l)
{
	return l->fd;
}

void listener_stop_accepting(struct listener *l)
{
	if (!l->watch)
		return;
	fd_watch_free(&l->watch);
	close(l->fd);
	close(l->reserve);
	timer_stop(l->pause);
}

void listener_stop(struct listener *l)
{
	listener_stop_accepting(l);
	while (!list_empty(&l->peeks))
		peek_drop(list_item(l->peeks.next, struct peek, node));
	while (!list_empty(&l->reading))
		peek_drop(list_item(l->reading.next, struct peek, node));
	timer_stop(l->deadline);
}

void listener_close(struct listener **listener)
{
	struct listener *l = *listener;

	if (!l)
		return;
	*listener = NULL;
	listener_stop(l);
	timer_free(&l->pause);
	timer_free(&l->deadline);
	mem_free(l);
}
