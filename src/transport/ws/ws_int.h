/*
 * The WebSocket side. ws.c is the glue to libwebsockets, ws_auth.c decides who may come in,
 * ws_relay.c checks the frames of a client before libwebsockets gets them, ws_conn.c is one socket
 * (messages in, frames out, time), ws_chat.c is what the messages of /ws/v1/chat mean.
 * libwebsockets' header is needed by ws.c and ws_conn.c only.
 */
#ifndef VESPER_WS_INT_H
#define VESPER_WS_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/problem.h"
#include "port/seats.h"
#include "port/transport_int.h"
#include "vesper/list.h"
#include "vesper/principal.h"
#include "vesper/str.h"
#include "vesper/uuid.h"
#include "ws.h"
#include "ws_frame.h"
#include "ws_relay.h"

struct lws;
struct lws_context;
struct lws_vhost;

struct ws_server {
	struct transport *transport;
	struct lws_context *context;
	struct lws_vhost *vhost;
	struct ws_conn *adopting; /* being handed to libwebsockets right now */
	struct list conns;
	size_t conn_count;
	struct ws_relays relays;
	struct list doors; /* handshakes that wait for the store */
	struct timer *tick;
	struct buf frame; /* where a frame's text is put together: one at a time */
	struct buf batch; /* whole frames of one socket, on their way out together */
};

enum ws_kind { WS_CHAT, WS_ECHO };

enum chat_stage {
	CHAT_REFUSED, /* opened only to be closed with a code that a browser can read */
	CHAT_AUTH,    /* waits for the first frame to say who it is */
	CHAT_CHECK,   /* its session is being looked up */
	CHAT_READY,
	CHAT_LEFT,
};

struct ws_conn {
	struct list node;
	struct ws_server *server;
	struct lws *wsi; /* NULL until established */
	struct ws_relay *relay;
	struct seat *seat; /* the relay's, from the adoption on */
	enum ws_kind kind;

	/* bytes in */
	struct buf message;       /* a client's message as far as it is here */
	int64_t partial_since_ms; /* 0: no message is under way */
	bool listening_paused;

	/* bytes out: frames that belong to no log; those of turns stay in their logs until the
	 * socket takes them */
	struct list queue;
	size_t queued_bytes;
	int64_t choked_since_ms; /* 0: it is not */
	bool merging; /* it was choked: adjacent tokens go as one until all is caught up */

	/* time */
	int64_t opened_ms;
	int64_t heard_ms;
	int64_t ping_due_ms;

	/* the end */
	struct {
		int code; /* 0: none of ours */
		char reason[WS_CLOSE_REASON_BYTES];
		int64_t since_ms;
		bool dead; /* a write failed: only the library's own clean-up is left */
		int peer_code;
		int violation; /* the relay ends it with this code; 0: none */
	} end;

	/* the chat */
	enum chat_stage stage;
	struct principal *who;
	char session_id[UUID_BYTES];
	bool session_given; /* by the client: it must exist */
	bool warned;        /* auth.expiring was said */
	int64_t checked_ms; /* whether its token is still good */
	struct op *again;   /* ... is being asked */
	struct list turns;
	struct op *lookup;
	struct arena *lookup_arena;
	struct client_frame *held; /* a message whose session is being looked up */
};

/* ws.c */
/* Hands the socket to libwebsockets, which answers 101. Takes the connection. */
struct handshake;
void ws_server_adopt(struct ws_server *s, int fd, const struct handshake *h, size_t head_len,
		     struct ws_conn *take);

/* ws_auth.c */
void door_open(struct ws_server *s, int fd, struct seat *take, const char *head, size_t head_len);
void doors_close(struct ws_server *s);

/* ws_conn.c: `who` is copied, `session_id` NULL: a new one. */
struct ws_conn *conn_new(struct ws_server *s, struct seat *take, enum ws_kind kind);
void conn_free(struct ws_conn **c);
void conn_established(struct ws_conn *c, struct lws *wsi);
/* Nonzero: libwebsockets shall close. */
int conn_receive(struct ws_conn *c, const void *bytes, size_t len);
int conn_writable(struct ws_conn *c);
void conn_tick(struct ws_conn *c, int64_t now_ms);
/* Sends a frame that belongs to no turn, after those that wait. */
void conn_send(struct ws_conn *c, const struct buf *text);
void conn_close(struct ws_conn *c, int code, const char *reason);
void conn_pong(struct ws_conn *c, const void *payload, size_t len);
/* Ends without a close frame, in the next iteration. */
void conn_kill(struct ws_conn *c);
/* The peer is not read from until it may go on: what it says waits in the kernel. */
void conn_listen(struct ws_conn *c, bool yes);
/* Whether the socket takes a frame now; if not, conn_writable comes when it does. */
bool conn_ready(struct ws_conn *c);
/* Frames of turns that are there at the same moment go out in one write, each as it is. Only when
 * conn_ready, and without going back to the loop in between: where a frame's text is put together,
 * what adds it to the batch, and what sends that. */
struct buf *conn_frame_begin(struct ws_conn *c);
void conn_frame_end(struct ws_conn *c);
bool conn_batch_full(const struct ws_conn *c);
void conn_batch_send(struct ws_conn *c);

/* ws_chat.c */
void chat_opened(struct ws_conn *c);
void chat_message(struct ws_conn *c, const char *text, size_t len);
void chat_tick(struct ws_conn *c, int64_t now_ms);
void chat_closed(struct ws_conn *c);

/* ws_turns.c: from after this entry on; a turn that is watched already begins again from there. */
void turns_watch(struct ws_conn *c, struct stream_log *log, uint64_t last_seq);
/* Takes entries off the logs as long as the socket takes frames. */
void turns_pump(struct ws_conn *c);
/* The user holds other permissions now: what began with more of them is told no further. */
void turns_recheck(struct ws_conn *c);
/* The user's token is no longer good: turns that nobody else watches end. */
void turns_revoke(struct ws_conn *c);
/* The socket is gone. */
void turns_leave(struct ws_conn *c);

#endif
