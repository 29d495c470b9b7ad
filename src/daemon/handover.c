/*
 * Passes the listening sockets to the next process, so that no connection is refused while a new
 * version starts. The sockets are passed, not bound again, because connections queued on a second
 * socket would be lost. The next process loads everything first; if it fails before it is ready,
 * this one continues. Sockets may also come from a supervisor (LISTEN_FDS).
 */
#include "daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"

#define PASSED_FROM     3 /* first descriptor of LISTEN_FDS */
#define PASSED_MAX      2
#define MESSAGE_BYTES   256
#define READY           "ready"
#define HANDOVER_WAIT_S 5 /* for the sockets of the running process */

struct handover {
	struct daemon *daemon;
	int listener; /* listens for the next process; -1: none */
	struct fd_watch *listener_watch;
	int next; /* connection to the next process while it loads; -1: none */
	struct fd_watch *next_watch;
	struct sockets sockets;
	int previous; /* connection to the previous process, which waits for us; -1: none */
};

static bool make_address(const struct daemon *d, struct sockaddr_un *out, struct err *e)
{
	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (snprintf(out->sun_path, sizeof(out->sun_path), "%s/handover.sock",
		     config_text(d->config, "data_dir")) < (int)sizeof(out->sun_path))
		return true;
	return err_set(e, ERR_INPUT, "handover: data_dir is too long for a socket address");
}

static bool is_listening(int fd)
{
	int yes = 0;
	socklen_t len = sizeof(yes);

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &len) == 0 && yes;
}

static bool is_ours(int fd)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

/* ---- from a supervisor ---- */

/* Names are those of LISTEN_FDNAMES; the first descriptor without a name is the public port. */
static void take_supervisor_sockets(struct sockets *out)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	const char *names = getenv("LISTEN_FDNAMES");
	long count = fds ? strtol(fds, NULL, 10) : 0;

	if (!pid || strtol(pid, NULL, 10) != getpid())
		return;
	for (int fd = PASSED_FROM; fd < PASSED_FROM + count && count <= PASSED_MAX; fd++) {
		size_t n = names ? strcspn(names, ":") : 0;
		int *target = n == strlen("admin") && strncmp(names, "admin", n) == 0
				      ? &out->admin
				      : &out->listen;

		names = names && names[n] ? names + n + 1 : NULL;
		if (!is_listening(fd) || *target >= 0)
			continue;
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		*target = fd;
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
}

/* ---- from the previous process ---- */

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

/* Reads the descriptors passed with a message. */
static size_t read_descriptors(struct msghdr *m, int fds[PASSED_MAX])
{
	size_t count = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < n && count < PASSED_MAX; i++)
			memcpy(&fds[count++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return count;
}

static bool receive_sockets(int fd, struct sockets *out, struct err *e)
{
	char text[MESSAGE_BYTES];
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
	} control;
	struct iovec io = {text, sizeof(text)};
	struct msghdr m = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	int fds[PASSED_MAX];
	size_t count = n > 0 ? read_descriptors(&m, fds) : 0;
	json_t *message = n > 0 ? json_loadb(text, (size_t)n, 0, NULL) : NULL;
	size_t admin = json_is_true(json_object_get(message, "admin"));
	bool ok = json_integer_value(json_object_get(message, "v")) == HANDOVER_VERSION &&
		  count == 1 + admin && is_listening(fds[0]) && (!admin || is_listening(fds[1]));

	json_decref(message);
	if (!ok) {
		close_all(fds, count);
		return err_set(e, ERR_UPSTREAM,
			       "handover: the running process did not pass its sockets");
	}
	*out = (struct sockets){fds[0], admin ? fds[1] : -1};
	return true;
}

/* Without a running process, the start continues without sockets. */
static bool receive_from_previous(struct handover *h, struct err *e)
{
	const struct timeval wait = {.tv_sec = HANDOVER_WAIT_S};
	struct sockaddr_un address;
	int fd;

	if (!make_address(h->daemon, &address, e))
		return false;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		log_warn("handover.none", "%s: %s; starting without a handover", address.sun_path,
			 strerror(errno));
		if (fd >= 0)
			close(fd);
		return true;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (!is_ours(fd) || !receive_sockets(fd, &h->sockets, e)) {
		close(fd);
		return e->code != ERR_NONE ||
		       err_set(e, ERR_DENIED, "handover: %s belongs to another user",
			       address.sun_path);
	}
	h->previous = fd;
	return true;
}

bool handover_begin(struct daemon *d, bool take_over, struct handover **out, struct err *e)
{
	struct handover *h = mem_alloc(sizeof(*h));

	*h = (struct handover){
		.daemon = d, .listener = -1, .next = -1, .previous = -1, .sockets = {-1, -1}};
	*out = h;
	take_supervisor_sockets(&h->sockets);
	return !take_over || receive_from_previous(h, e);
}

struct sockets handover_sockets(const struct handover *h)
{
	return h->sockets;
}

/* ---- to the next process ---- */

static void drop_next(struct handover *h)
{
	fd_watch_free(&h->next_watch);
	if (h->next >= 0)
		close(h->next);
	h->next = -1;
}

static void on_next(void *owner, int fd, int events)
{
	struct handover *h = owner;
	char text[MESSAGE_BYTES];
	ssize_t n = recv(fd, text, sizeof(text), MSG_DONTWAIT);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	drop_next(h);
	if (n == (ssize_t)strlen(READY) && memcmp(text, READY, (size_t)n) == 0) {
		log_info("handover.done",
			 "the next process accepts connections; running turns finish in this one");
		fd_watch_free(&h->listener_watch);
		close(h->listener);
		h->listener = -1;
		daemon_hand_over(h->daemon);
	} else {
		log_warn("handover.failed", "the next process ended before it was ready");
	}
}

static bool send_sockets(int to, const struct sockets *s)
{
	int fds[PASSED_MAX] = {s->listen, s->admin};
	size_t bytes = (s->admin >= 0 ? 2 : 1) * sizeof(int);
	char text[MESSAGE_BYTES];
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(PASSED_MAX * sizeof(int))];
	} control = {0};
	struct iovec io = {text, 0};
	struct msghdr m = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = CMSG_SPACE(bytes)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	io.iov_len = (size_t)snprintf(text, sizeof(text), "{\"v\":%d,\"listen\":true,\"admin\":%s}",
				      HANDOVER_VERSION, s->admin >= 0 ? "true" : "false");
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(c), fds, bytes);
	return sendmsg(to, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)io.iov_len;
}

/* Accepts one process at a time: another one is refused while the first loads. */
static void on_connection(void *owner, int listener, int events)
{
	struct handover *h = owner;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct sockets sockets = transport_sockets(h->daemon->transport);

	(void)events;
	if (fd < 0)
		return;
	if (h->next >= 0 || h->daemon->end.stopping || !is_ours(fd) ||
	    !send_sockets(fd, &sockets)) {
		log_warn("handover.refused",
			 "wrong user, another handover in progress, or shutdown");
		close(fd);
		return;
	}
	h->next = fd;
	h->next_watch = fd_watch_new(h->daemon->loop, fd, on_next, h);
	fd_watch_set(h->next_watch, FD_READ);
	log_info("handover.begun", "the next process has the sockets and is loading");
}

static bool listener_open(struct handover *h, struct err *e)
{
	struct sockaddr_un address;
	mode_t mask;
	bool bound;

	if (!make_address(h->daemon, &address, e))
		return false;
	unlink(address.sun_path); /* left by a process that has ended or is ending */
	h->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	bound = h->listener >= 0 &&
		bind(h->listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		listen(h->listener, 1) == 0;
	umask(mask);
	if (!bound)
		return err_set(e, ERR_INPUT, "handover: %s: %s", address.sun_path, strerror(errno));
	h->listener_watch = fd_watch_new(h->daemon->loop, h->listener, on_connection, h);
	fd_watch_set(h->listener_watch, FD_READ);
	return true;
}

bool handover_ready(struct handover *h, struct err *e)
{
	if (config_bool(h->daemon->config, "handover") && !listener_open(h, e))
		return false;
	if (h->previous < 0)
		return true;
	if (send(h->previous, READY, strlen(READY), MSG_NOSIGNAL) < 0)
		log_warn("handover.previous_ended", "the previous process has ended: %s",
			 strerror(errno));
	close(h->previous);
	h->previous = -1;
	return true;
}

void handover_free(struct handover **handover)
{
	struct handover *h = *handover;

	if (!h)
		return;
	*handover = NULL;
	drop_next(h);
	fd_watch_free(&h->listener_watch);
	if (h->listener >= 0)
		close(h->listener);
	if (h->previous >= 0)
		close(h->previous);
	mem_free(h);
}
