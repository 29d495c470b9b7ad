/*
 * What can go wrong with a request, once for all wires: the wire code, the HTTP status, whether
 * again makes sense, and the user's sentence. Pure.
 */
#ifndef VESPER_PROBLEM_H
#define VESPER_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/err.h"
#include "vesper/str.h"

enum problem {
	PROBLEM_BAD_FRAME,    /* not the shape that was agreed on */
	PROBLEM_UNKNOWN_TYPE, /* a frame of a type that there is not */
	PROBLEM_INVALID,      /* the right shape, but a value that cannot be */
	PROBLEM_TOO_LONG,     /* more than a named limit */
	PROBLEM_HEADERS,      /* the request's head is more than a named limit */
	PROBLEM_UNAUTHORIZED, /* who is asking is not known */
	PROBLEM_DENIED,
	PROBLEM_NOT_FOUND,
	PROBLEM_METHOD,
	PROBLEM_MEDIA_TYPE,
	PROBLEM_EXPECT,    /* Expect asks for what there is not */
	PROBLEM_BODY_LATE, /* the body did not come in time */
	PROBLEM_UPGRADE,   /* only as a WebSocket, or not on this connection */
	PROBLEM_BUSY,
	PROBLEM_CHANGED,      /* If-Match names what is not there any more */
	PROBLEM_PRECONDITION, /* If-Match is missing */
	PROBLEM_EXPIRED,
	PROBLEM_RATE_LIMITED,
	PROBLEM_QUOTA,
	PROBLEM_FULL, /* no place for another connection */
	PROBLEM_UPSTREAM,
	PROBLEM_TIMEOUT,
	PROBLEM_DRAINING,
	PROBLEM_INTERNAL,
	PROBLEM_COUNT,
};

struct problem_row {
	const char *code;
	int status;
	bool retryable;
	const char *title;
	const char *sentence; /* for people */
};

const struct problem_row *problem_row(enum problem p);
enum problem problem_of_err(enum err_code code);
/* A wire code that a turn used. PROBLEM_INTERNAL for one that nobody declared. */
enum problem problem_of_code(const char *code);

/* RFC 9457. `detail` NULL: the sentence of the table. New reference. */
json_t *problem_json(enum problem p, const char *detail, const char *instance,
		     const char *request_id);

/* A chat.error frame outside of any turn (no turn_id, no seq). `message` NULL: the sentence of the
 * table. */
void problem_frame(struct buf *out, enum problem p, const char *message, int retry_after_ms);

#endif
