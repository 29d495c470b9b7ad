/*
 * Relays between a client's socket and libwebsockets, which gets one end of a socketpair. Each
 * client frame is checked (ws_frame.h) before it is passed on; a violation ends the connection with
 * a close frame that gives the reason. Each direction buffers at most one read and pauses until the
 * other side has accepted it. Loop thread only.
 */
#ifndef VESPER_WS_RELAY_H
#define VESPER_WS_RELAY_H

#include <stdint.h>

#include "vesper/list.h"

struct loop;
struct seat;
struct ws_conn;
struct ws_relay;

/* The relays of a server. A relay may outlive its connection until the client has read the last
 * bytes or CLOSE_WAIT_MS have passed. */
struct ws_relays {
	struct list all;
	struct loop *loop;
};

/* Takes ownership of the seat and of `fd`, the client's socket; *lws_fd is the end for
 * libwebsockets. NULL: out of descriptors, see errno; the caller keeps both. */
struct ws_relay *relay_new(struct ws_relays *s, int fd, struct seat *take, struct ws_conn *conn,
			   int *lws_fd);
/* Called when the connection is freed and libwebsockets closes its end. */
void relay_release(struct ws_relay *r);
void relays_tick(struct ws_relays *s, int64_t now_ms);
/* All connections must have been freed. */
void relays_free(struct ws_relays *s);

#endif
