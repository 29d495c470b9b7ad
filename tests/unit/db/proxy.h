/* A loopback proxy in a separate process. It can stop forwarding without closing connections, like
 * a network that fails silently. */
#ifndef PROXY_H
#define PROXY_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROXY_FDS = 256 };

static struct {
	pid_t pid;
	int port;
	int control; /* one byte: '1' resumes forwarding, '0' stops it */
} proxy;

static inline struct sockaddr_in proxy_address(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static inline void proxy_accept(int listener, int port, struct pollfd *fds, int *count)
{
	struct sockaddr_in to = proxy_address(port);
	int client = accept(listener, NULL, NULL);
	int other = socket(AF_INET, SOCK_STREAM, 0);

	if (client < 0 || *count + 2 > PROXY_FDS ||
	    connect(other, (struct sockaddr *)&to, sizeof(to)) != 0) {
		close(client);
		close(other);
		return;
	}
	fds[(*count)++] = (struct pollfd){client, POLLIN, 0};
	fds[(*count)++] = (struct pollfd){other, POLLIN, 0};
}

/* Descriptors 0 and 1 are the control and the listener; then pairs of connected sockets. */
static inline void proxy_forward(struct pollfd *fds, int i)
{
	char bytes[16384];
	ssize_t n = read(fds[i].fd, bytes, sizeof(bytes));
	int other = i ^ 1;

	for (ssize_t done = 0; done < n;) {
		ssize_t sent = send(fds[other].fd, bytes + done, (size_t)(n - done), MSG_NOSIGNAL);

		if (sent <= 0)
			n = -1;
		else
			done += sent;
	}
	if (n > 0)
		return;
	close(fds[i].fd);
	close(fds[other].fd);
	fds[i].fd = fds[other].fd = -1;
}

static inline void proxy_run(int control, int listener, int port)
{
	struct pollfd fds[PROXY_FDS] = {{control, POLLIN, 0}, {listener, POLLIN, 0}};
	int count = 2;
	bool is_forwarding = true;

	for (;;) {
		char c;

		poll(fds, is_forwarding ? (nfds_t)count : 1, -1);
		if (fds[0].revents) {
			if (read(control, &c, 1) != 1)
				_exit(0);
			is_forwarding = c == '1';
			continue;
		}
		if (fds[1].revents)
			proxy_accept(listener, port, fds, &count);
		for (int i = 2; i < count; i++)
			if (fds[i].fd >= 0 && fds[i].revents)
				proxy_forward(fds, i);
	}
}

static inline void proxy_start(int port)
{
	struct sockaddr_in a = proxy_address(0);
	socklen_t size = sizeof(a);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int control[2];

	assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(listener, 64), 0);
	getsockname(listener, (struct sockaddr *)&a, &size);
	proxy.port = ntohs(a.sin_port);
	assert_int_equal(pipe2(control, O_CLOEXEC), 0);
	proxy.pid = fork();
	if (proxy.pid == 0) {
		close(control[1]);
		proxy_run(control[0], listener, port);
	}
	close(control[0]);
	close(listener);
	proxy.control = control[1];
}

static inline void proxy_forward_set(bool on)
{
	assert_int_equal(write(proxy.control, on ? "1" : "0", 1), 1);
	usleep(50000); /* the proxy has read the byte by then */
}

static inline void proxy_stop(void)
{
	close(proxy.control);
	waitpid(proxy.pid, NULL, 0);
}

#endif
