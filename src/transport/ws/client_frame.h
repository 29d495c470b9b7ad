/*
 * Frames of /ws/v1/chat that belong to no turn: parses those of clients into a struct and writes
 * those of the connection. Frames of a turn are a projection (vesper/wire.h). Pure.
 */
#ifndef VESPER_CLIENT_FRAME_H
#define VESPER_CLIENT_FRAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/principal.h"
#include "vesper/str.h"

enum client_frame_type {
	FRAME_MESSAGE,
	FRAME_CANCEL,
	FRAME_SELECT,
	FRAME_AUTH,
	FRAME_RESUME,
	FRAME_PING,
	FRAME_UNKNOWN, /* well-formed, but of an unknown type */
};

/* Texts belong to `root`. Absent members are NULL. */
struct client_frame {
	enum client_frame_type type;
	json_t *root;
	const char *content;       /* message */
	const char *client_msg_id; /* message */
	const char *session_id;    /* message */
	const json_t *filters;     /* message */
	const char *turn_id;       /* cancel (may be absent), resume */
	int64_t last_seq;          /* resume */
	const char *ask_id;        /* select */
	const json_t *values;      /* select */
	const char *token;         /* auth */
	const json_t *t;           /* ping */
};

/* ERR_INPUT: not a frame. ERR_LIMIT: content beyond MESSAGE_BYTES_MAX. The error text never repeats
 * what the client sent. */
MUST_CHECK bool wire_parse(const char *text, size_t len, struct client_frame *out, struct err *e);
void client_frame_deinit(struct client_frame *f);

/* Reads and checks the members of a message that all protocols share: content, client_msg_id,
 * session_id, filters. */
MUST_CHECK bool wire_parse_message(const json_t *root, struct client_frame *out, struct err *e);

void wire_session_ready(struct buf *out, const char *session_id, const struct principal *who);
void wire_auth_expiring(struct buf *out, int64_t expires_ms);
void wire_pong(struct buf *out, const json_t *t); /* t may be NULL */

#endif
