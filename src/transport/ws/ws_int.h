/*
 * The WebSocket side. ws.c binds libwebsockets, ws_auth.c authenticates, and ws_relay.c checks
 * client frames before libwebsockets gets them. ws_conn.c is one socket (messages in, frames out,
 * time limits), and ws_chat.c implements the messages of /ws/v1/chat. Only ws.c and ws_conn.c need
 * libwebsockets' header.
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
	struct ws_conn *adopting; /* the connection being handed to libwebsockets */
	struct list conns;
	size_t conn_count;
	struct ws_relays relays;
	struct list pending_auths; /* handshakes that wait for a lookup */
	struct timer *tick;
	struct buf frame; /* buffer for the text of one frame */
	struct buf batch; /* complete frames of one socket that are sent together */
};

enum ws_kind { WS_CHAT, WS_ECHO };

enum chat_stage {
	CHAT_REFUSED, /* opened only to be closed with a code that a browser can read */
	CHAT_AUTH,    /* waits for the first frame to authenticate */
	CHAT_CHECK,   /* its session is being looked up */
	CHAT_READY,
	CHAT_CLOSED,
};

struct ws_conn {
	struct list node;
	struct ws_server *server;
	struct lws *wsi; /* NULL until established */
	struct ws_relay *relay;
	struct seat *seat; /* owned by the relay once the connection is adopted */
	enum ws_kind kind;

	/* bytes in */
	struct buf message;       /* the incomplete message of the client */
	int64_t partial_since_ms; /* 0: no incomplete message */
	bool reading_paused;

	/* bytes out: frames that belong to no log; frames of turns stay in their logs until the
	 * socket accepts them */
	struct list queue;
	size_t queued_bytes;
	int64_t choked_since_ms; /* 0: not choked */
	bool merging; /* after a choke: adjacent tokens are merged until the socket has caught up */

	/* time */
	int64_t opened_ms;
	int64_t last_received_ms;
	int64_t ping_due_ms;

	/* closing */
	struct {
		int code; /* our close code; 0: none */
		char reason[WS_CLOSE_REASON_BYTES];
		int64_t since_ms;
		bool dead; /* a write failed: only the library's clean-up is left */
		int peer_code;
		int violation; /* the close code that the relay ends it with; 0: none */
	} end;

	/* the chat */
	enum chat_stage stage;
	struct principal *who;
	char session_id[UUID_BYTES];
	bool session_given; /* by the client: the session must exist */
	bool warned;        /* auth.expiring was sent */
	int64_t checked_ms; /* when the token was last checked */
	struct op *recheck; /* the running token check */
	struct list turns;
	struct op *lookup;
	struct arena *lookup_arena;
	struct client_frame *pending_message; /* a message that waits for a lookup */
};

/* ws.c */
struct handshake;
/* Hands the socket to libwebsockets, which answers 101. Takes ownership of the connection. */
void ws_server_adopt(struct ws_server *s, int fd, const struct handshake *h, size_t head_len,
		     struct ws_conn *take);

/* ws_auth.c */
void auth_begin(struct ws_server *s, int fd, struct seat *take, const char *head, size_t head_len);
void pending_auths_close(struct ws_server *s);

/* ws_conn.c: takes ownership of the seat. */
struct ws_conn *conn_new(struct ws_server *s, struct seat *take, enum ws_kind kind);
void conn_free(struct ws_conn **c);
void conn_established(struct ws_conn *c, struct lws *wsi);
/* Nonzero: libwebsockets must close the socket. */
int conn_receive(struct ws_conn *c, const void *bytes, size_t len);
int conn_writable(struct ws_conn *c);
void conn_tick(struct ws_conn *c, int64_t now_ms);
/* Sends a frame that belongs to no turn, after the queued ones. */
void conn_send(struct ws_conn *c, const struct buf *text);
void conn_close(struct ws_conn *c, int code, const char *reason);
void conn_pong(struct ws_conn *c, const void *payload, size_t len);
/* Ends the connection without a close frame, in the next iteration. */
void conn_kill(struct ws_conn *c);
/* With false, stops reading from the peer: its data stays in the kernel. */
void conn_set_reading(struct ws_conn *c, bool enabled);
/* Returns true when the socket accepts a frame now; otherwise conn_writable is called when it
 * does. */
bool conn_ready(struct ws_conn *c);
/* Frames of turns that are ready together are sent in one write. Only when conn_ready, and within
 * one loop iteration: begin returns the buffer for a frame's text, end adds the frame to the batch,
 * and conn_batch_send sends it. */
struct buf *conn_frame_begin(struct ws_conn *c);
void conn_frame_end(struct ws_conn *c);
bool conn_batch_full(const struct ws_conn *c);
void conn_batch_send(struct ws_conn *c);

/* ws_chat.c */
void chat_opened(struct ws_conn *c);
void chat_message(struct ws_conn *c, const char *text, size_t len);
void chat_tick(struct ws_conn *c, int64_t now_ms);
void chat_closed(struct ws_conn *c);

/* ws_turns.c: sends the entries after `last_seq`; a turn that is already watched restarts from
 * there. */
void turns_watch(struct ws_conn *c, struct stream_log *log, uint64_t last_seq);
/* Sends log entries as long as the socket accepts frames. */
void turns_pump(struct ws_conn *c);
/* The user's permissions have changed: cancels running turns that began with permissions the user
 * no longer has, and stops sending finished ones. */
void turns_recheck(struct ws_conn *c);
/* The user's token is no longer valid: turns without other watchers end. */
void turns_revoke(struct ws_conn *c);
/* The socket is closed. */
void turns_unwatch(struct ws_conn *c);

#endif
