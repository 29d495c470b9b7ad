/* Parses the request that opens a WebSocket. Pure. */
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
	const char *origin; /* sent by browsers only */
	const char *key;
	const char *version;
	const char *authorization;
	const char *forwarded_for; /* value of the last X-Forwarded-For: the proxy's client */
	const char *forwarded;     /* value of the last Forwarded */
	const char *session_id;    /* ?session_id= */
	const char *ticket;        /* ?ticket= */
	const char *token;         /* ?token= */
	const char *bearer;        /* the subprotocol bearer.<token>, without "bearer." */
	bool has_protocols;        /* the client offers subprotocols */
	bool offers_vesper;        /* vesper.v1 is among them */
	bool asks_upgrade;
};

/* Returns true when the bytes hold a complete request head; *head_len is its length. */
bool handshake_is_complete(const char *bytes, size_t len, size_t *head_len);

/* Parses a complete head. Returns false for an invalid handshake; *problem is the error to answer
 * with. */
MUST_CHECK bool handshake_parse(const char *head, size_t len, struct handshake *out,
				enum code *problem);
void handshake_deinit(struct handshake *h);

/* Writes the same request with only the headers that the protocol needs: no credentials, no query,
 * at most one subprotocol. */
void handshake_rewrite(const struct handshake *h, struct buf *out);

#endif
