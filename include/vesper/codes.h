/*
 * All errors, defined once for all wire formats: the wire code, the HTTP status, whether the same
 * request may succeed later, the code of an error view, and the user's sentence. Pure, any thread.
 */
#ifndef VESPER_CODES_H
#define VESPER_CODES_H

#include <stdbool.h>

#include "vesper/err.h"

/*
 * CODE(name, err of a request, err of a turn, wire, status, retryable, view, title, sentence)
 *
 * ERR_NONE: no struct err maps to this row. Several rows may share a wire code. A turn's error is
 * read from its log by that code alone, which then means the first of these rows.
 */
#define CODES(CODE)                                                                                \
	/* the request's form is invalid */                                                        \
	CODE(BAD_FRAME, ERR_INPUT, ERR_NONE, "bad_frame", 400, false, "INPUT_VALIDATION_FAILED",   \
	     "Bad request", "The request could not be understood.")                                \
	/* a frame of an unknown type */                                                           \
	CODE(UNKNOWN_TYPE, ERR_NONE, ERR_NONE, "unknown_type", 400, false, "INTERNAL",             \
	     "Unknown type", "Unknown message type.")                                              \
	/* the form is valid, a value is not */                                                    \
	CODE(INVALID, ERR_NONE, ERR_NONE, "bad_frame", 422, false, "INPUT_VALIDATION_FAILED",      \
	     "Invalid value", "The request has a value that cannot be used.")                      \
	/* a named limit is exceeded */                                                            \
	CODE(TOO_LONG, ERR_NONE, ERR_NONE, "too_long", 413, false, "INTERNAL",                     \
	     "Content too large", "This message is too long.")                                     \
	/* the request's head exceeds a named limit */                                             \
	CODE(HEADERS, ERR_NONE, ERR_NONE, "too_long", 431, false, "INTERNAL",                      \
	     "Request header fields too large", "The request's headers are too long.")             \
	/* the caller is not authenticated */                                                      \
	CODE(UNAUTHORIZED, ERR_AUTH, ERR_NONE, "unauthorized", 401, false, "INTERNAL",             \
	     "Unauthorized", "Sign in again: the token is missing or not valid.")                  \
	CODE(DENIED, ERR_DENIED, ERR_DENIED, "denied", 403, false, "NOT_PERMITTED", "Forbidden",   \
	     "You do not have permission for this.")                                               \
	CODE(NOT_FOUND, ERR_NOT_FOUND, ERR_NONE, "not_found", 404, false, "NOT_FOUND",             \
	     "Not found", "Not found. Check the address.")                                         \
	CODE(NO_SESSION, ERR_NONE, ERR_NOT_FOUND, "not_found", 404, false, "NOT_FOUND",            \
	     "Not found", "This conversation does not exist.")                                     \
	CODE(METHOD, ERR_NONE, ERR_NONE, "method_not_allowed", 405, false, "INTERNAL",             \
	     "Method not allowed", "This method is not allowed for this address.")                 \
	CODE(MEDIA_TYPE, ERR_NONE, ERR_NONE, "unsupported_media_type", 415, false, "INTERNAL",     \
	     "Unsupported media type", "The body must be application/json.")                       \
	/* Expect names an unsupported expectation */                                              \
	CODE(EXPECT, ERR_NONE, ERR_NONE, "bad_frame", 417, false, "INPUT_VALIDATION_FAILED",       \
	     "Expectation failed", "Expect: only 100-continue is supported.")                      \
	/* WebSocket only, or not on this connection */                                            \
	CODE(UPGRADE, ERR_NONE, ERR_NONE, "upgrade_required", 426, false, "INTERNAL",              \
	     "Upgrade required",                                                                   \
	     "This address takes WebSocket (version 13) only. Open a new connection.")             \
	CODE(BUSY, ERR_BUSY, ERR_NONE, "busy", 409, true, "RETRIEVAL_FAILED", "Conflict",          \
	     "An answer is still being written in this conversation.")                             \
	CODE(DATA_BUSY, ERR_NONE, ERR_BUSY, "busy", 409, true, "RETRIEVAL_FAILED", "Conflict",     \
	     "The data is busy. Try again.")                                                       \
	/* the server is overloaded: nothing was begun */                                          \
	CODE(OVERLOADED, ERR_OVERLOAD, ERR_NONE, "busy", 503, true, "RETRIEVAL_FAILED",            \
	     "Service unavailable", "The server is overloaded. Try again in a moment.")            \
	/* If-Match names an outdated state */                                                     \
	CODE(CHANGED, ERR_NONE, ERR_NONE, "changed", 412, false, "INTERNAL",                       \
	     "Precondition failed", "This was changed in the meantime. Read it again.")            \
	/* If-Match is missing */                                                                  \
	CODE(PRECONDITION, ERR_NONE, ERR_NONE, "precondition_required", 428, false, "INTERNAL",    \
	     "Precondition required", "Send If-Match with the ETag that you read.")                \
	CODE(EXPIRED, ERR_NONE, ERR_NONE, "expired", 410, false, "INPUT_VALIDATION_FAILED",        \
	     "Expired", "This has expired.")                                                       \
	CODE(RATE_LIMITED, ERR_LIMIT, ERR_NONE, "rate_limited", 429, true, "INTERNAL",             \
	     "Too many requests", "You have sent too many requests. Try again shortly.")           \
	CODE(QUOTA, ERR_QUOTA, ERR_QUOTA, "quota", 429, false, "TOKEN_BUDGET_EXCEEDED",            \
	     "Quota used up",                                                                      \
	     "The budget for answers by a model is used up for now. Questions that name the data " \
	     "they want are still answered.")                                                      \
	/* the connection limit is reached */                                                      \
	CODE(FULL, ERR_NONE, ERR_NONE, "rate_limited", 503, true, "INTERNAL",                      \
	     "Service unavailable",                                                                \
	     "The server has reached its limit of connections. Try again shortly.")                \
	CODE(UPSTREAM, ERR_UPSTREAM, ERR_UPSTREAM, "upstream", 503, true, "RETRIEVAL_FAILED",      \
	     "Service unavailable",                                                                \
	     "A service that this needs is unavailable. Try again shortly.")                       \
	CODE(TOO_MUCH, ERR_NONE, ERR_LIMIT, "upstream", 503, true, "RETRIEVAL_FAILED",             \
	     "Service unavailable", "The question needs more than the server can give right now.") \
	CODE(TIMEOUT, ERR_TIMEOUT, ERR_TIMEOUT, "timeout", 504, true, "TIMEOUT", "Timeout",        \
	     "This took too long and was stopped. Try a narrower question.")                       \
	CODE(BODY_LATE, ERR_NONE, ERR_NONE, "timeout", 408, true, "TIMEOUT", "Request timeout",    \
	     "The request's body did not arrive in time. Send it again.")                          \
	CODE(DRAINING, ERR_CANCELLED, ERR_NONE, "draining", 503, true, "RETRIEVAL_FAILED",         \
	     "Restarting", "The server is restarting. Try again shortly.")                         \
	/* the steps of a plan depend on each other in a circle, and nothing else can be run */    \
	CODE(CIRCULAR, ERR_NONE, ERR_NONE, "plan", 422, false, "CIRCULAR_DEPENDENCY", "No plan",   \
	     "No plan was found for this question. Ask for its parts one at a time.")              \
	/* anything without a row above */                                                         \
	CODE(INTERNAL, ERR_INTERNAL, ERR_INTERNAL, "internal", 500, true, "INTERNAL",              \
	     "Internal error", "The server had an internal error. Try again.")

enum code {
#define CODE(name, ...) CODE_##name,
	CODES(CODE)
#undef CODE
		CODE_COUNT,
};

struct code_row {
	enum err_code request, turn;
	const char *wire;
	int status;
	bool retryable;
	const char *view;
	const char *title;
	const char *sentence;
};

const struct code_row *code_row(enum code c);
/* The meaning of a struct err for the sender of a request, and for the user of a turn.
 * CODE_INTERNAL for one without a row. */
enum code code_of_request(enum err_code code);
enum code code_of_turn(enum err_code code);
/* The first row of a wire code. CODE_INTERNAL for one that is not declared. */
enum code code_of_wire(const char *wire);
/* For the code of an error view: true when a retry or a reworded question may succeed. */
bool code_view_is_recoverable(const char *view);

#endif
