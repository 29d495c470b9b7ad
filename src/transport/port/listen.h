/*
 * A listening address. The listener peeks at the first bytes of each connection and hands it over
 * unread: requests under /ws/ with their head, all others at once. The callback takes ownership of
 * the descriptor and of the seat, and frees the seat before it closes the descriptor.
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
	int fd;              /* Takes ownership: a listening descriptor; -1: none */
	void (*on_http)(void *owner, int fd, struct seat *take, const struct sockaddr *from,
			socklen_t from_len);
	/* The head is also still unread in the socket. NULL: this port has no WebSockets, and the
	 * listener does not peek. */
	void (*on_handshake)(void *owner, int fd, struct seat *take, const char *head,
			     size_t head_len);
	void *http_owner;
	void *ws_owner;
};

MUST_CHECK bool listener_open(const struct listener_options *options, struct listener **out,
			      struct err *e);
const char *listener_address(const struct listener *l);
int listener_fd(const struct listener *l); /* Borrowed */
/* Stops accepting because another process accepts from now on; open connections stay. */
void listener_stop_accepting(struct listener *l);
/* Stops accepting and drops connections that are not handed over yet. */
void listener_stop(struct listener *l);
void listener_close(struct listener **l);

#endif
