/* Runs libmicrohttpd on the event loop: takes accepted sockets, calls request_step. */
#ifndef VESPER_MHD_H
#define VESPER_MHD_H

#include <stdbool.h>
#include <sys/socket.h>

#include "request.h"
#include "port/seats.h"
#include "port/transport_int.h"
#include "vesper/err.h"

MUST_CHECK bool http_server_new(struct transport *t, const struct http_route *routes,
				struct http_server **out, struct err *e);
/* The listener's callback. Takes ownership of the descriptor. */
void http_server_adopt(void *owner, int fd, struct seat *take, const struct sockaddr *from,
		       socklen_t from_len);
const struct http_route *http_server_routes(const struct http_server *s);
struct transport *http_server_transport(const struct http_server *s);
/* The active requests. Borrowed. */
struct list *http_server_requests(struct http_server *s);
/* Makes the library run before the loop waits again, after a resume or a new connection. */
void http_server_kick(struct http_server *s);
void http_server_free(struct http_server **s);

#endif
