/* The request that asks for a WebSocket, read from its bytes. Pure. */
#ifndef VESPER_HANDSHAKE_H
#define VESPER_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "problem.h"
#include "vesper/str.h"

/* Texts point into `text`. Absent ones are NULL. */
struct handshake {
	char *text;
	const char *path; /* without the query */
	const char *host;
	const char *origin; /* only browsers send it */
	const char *key;
	const char *version;
	const char *authorization;
	const char *forwarded_for; /* the last X-Forwarded-For: for whom a proxy asks */
	const char *forwarded;     /* and the last Forwarded */
	const char *session_id;    /* ?session_id= */
	const char *ticket;        /* ?ticket= */
	const char *token;         /* ?token= */
	const char *bearer;        /* the subprotocol bearer.<token>, without "bearer." */
	bool has_protocols;        /* the client offers subprotocols */
	bool offers_vesper;        /* vesper.v1 is among them */
	bool asks_upgrade;
};

/* Whether the bytes so far hold a whole request head; its length goes to *head_len. */
bool handshake_is_whole(const char *bytes, size_t len, size_t *head_len);

/* Reads a whole head. False: not a proper handshake, and *problem says what to answer. */
MUST_CHECK bool handshake_parse(const char *head, size_t len, struct handshake *out,
				enum code *problem);
void handshake_deinit(struct handshake *h);

/* The same request with nothing but what the protocol needs: no credentials, no query, at most one
 * subprotocol. */
void handshake_rewrite(const struct handshake *h, struct buf *out);

#endif
