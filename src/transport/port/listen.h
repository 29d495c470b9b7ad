/*
 * A listening address. Each connection shows its first bytes here and is then handed on, whole and
 * unread: requests under /ws/ with their head, everything else at once. Whoever takes a descriptor
 * takes its seat, too, and frees that before closing the descriptor.
 */
#ifndef VESPER_LISTEN_H
#define VESPER_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "seats.h"
#include "transport_int.h"
#include "vesper/err.h"

struct listener;

struct listener_options {
	struct transport *transport;
	struct seats *seats;
	const char *address; /* "127.0.0.1:8080", "[::]:8080" */
	int fd;              /* one that listens already, taken; -1: none */
	void (*on_http)(void *owner, int fd, struct seat *take, const struct sockaddr *from,
			socklen_t from_len);
	/* The head is still in the socket, too. NULL: there are no WebSockets here, nothing is
	 * looked at. */
	void (*on_handshake)(void *owner, int fd, struct seat *take, const char *head,
			     size_t head_len);
	void *http_owner;
	void *ws_owner;
};

MUST_CHECK bool listener_open(const struct listener_options *options, struct listener **out,
			      struct err *e);
const char *listener_address(const struct listener *l);
int listener_fd(const struct listener *l); /* borrowed */
/* Another process accepts from now on; those that are here are led on. */
void listener_leave(struct listener *l);
/* No new connections; those that have not shown their first bytes are dropped. */
void listener_stop(struct listener *l);
void listener_close(struct listener **l);

#endif
