/* Interface of the WebSocket side to the rest of the port. Loop thread only. */
#ifndef VESPER_WS_H
#define VESPER_WS_H

#include "port/seats.h"
#include "port/transport_int.h"

MUST_CHECK bool ws_server_new(struct transport *t, struct ws_server **out, struct err *e);
/* The listener's callback for requests under /ws/. Takes ownership of the descriptor. */
void ws_server_handshake(void *owner, int fd, struct seat *take, const char *head, size_t head_len);
/* Combines the store's answer about a session with the open sockets: an id announced by
 * session.ready is valid immediately, but stored only with its first message. */
bool ws_server_has_session(const struct ws_server *s, const struct principal *who,
			   const char *session_id, const struct err *e);
/* Returns true when no connection is open. */
bool ws_server_is_empty(const struct ws_server *s);
void ws_server_refuse_new(struct ws_server *s);
/* Closes all sockets with WS_CLOSE_SERVICE_RESTART, after the last frames of their turns. */
void ws_server_drain(struct ws_server *s);
/* The number of sockets that watch no turn and have no lookup pending. */
size_t ws_server_idle_count(const struct ws_server *s);
/* Closes at most `max_count` idle sockets with code 1012. */
void ws_server_close_idle(struct ws_server *s, size_t max_count);
void ws_server_free(struct ws_server **s);

#endif
