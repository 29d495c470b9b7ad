/*
 * One table, so that a socket and a REST call that fail for the same reason say the same thing. The
 * operator's text of an error goes to the log; only what a caller did wrong is told in detail.
 */
#include "problem.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"

static const struct problem_row rows[PROBLEM_COUNT] = {
	[PROBLEM_BAD_FRAME] = {"bad_frame", 400, false, "Bad request",
			       "The request could not be understood."},
	[PROBLEM_UNKNOWN_TYPE] = {"unknown_type", 400, false, "Unknown type",
				  "Messages of this type are not known here."},
	[PROBLEM_INVALID] = {"bad_frame", 422, false, "Invalid value",
			     "The request has a value that cannot be used."},
	[PROBLEM_TOO_LONG] = {"too_long", 413, false, "Content too large",
			      "This message is too long."},
	[PROBLEM_HEADERS] = {"too_long", 431, false, "Request header fields too large",
			     "The request's head is too long."},
	[PROBLEM_UNAUTHORIZED] = {"unauthorized", 401, false, "Unauthorized",
				  "A valid token is needed."},
	[PROBLEM_DENIED] = {"denied", 403, false, "Forbidden",
			    "You do not have the permission for this."},
	[PROBLEM_NOT_FOUND] = {"not_found", 404, false, "Not found", "There is no such thing."},
	[PROBLEM_METHOD] = {"method_not_allowed", 405, false, "Method not allowed",
			    "This cannot be done here."},
	[PROBLEM_MEDIA_TYPE] = {"unsupported_media_type", 415, false, "Unsupported media type",
				"The body must be application/json."},
	[PROBLEM_EXPECT] = {"bad_frame", 417, false, "Expectation failed",
			    "Expect: only 100-continue is known here."},
	[PROBLEM_BODY_LATE] = {"timeout", 408, true, "Request timeout",
			       "The request's body did not arrive in time. Send it again."},
	[PROBLEM_UPGRADE] =
		{"upgrade_required", 426, false, "Upgrade required",
		 "This address speaks WebSocket (version 13), on a connection of its own."},
	[PROBLEM_BUSY] = {"busy", 409, true, "Conflict",
			  "An answer is still being written in this conversation."},
	[PROBLEM_CHANGED] = {"changed", 412, false, "Precondition failed",
			     "This was changed in the meantime. Read it again."},
	[PROBLEM_PRECONDITION] = {"precondition_required", 428, false, "Precondition required",
				  "Say with If-Match which state the change is meant for."},
	[PROBLEM_EXPIRED] = {"expired", 410, false, "Expired", "This has expired."},
	[PROBLEM_RATE_LIMITED] =
		{"rate_limited", 429, true, "Too many requests",
		 "There are too many requests at the moment. Please try again shortly."},
	[PROBLEM_QUOTA] = {"quota", 429, false, "Quota used up", "The quota is used up."},
	[PROBLEM_FULL] = {"rate_limited", 503, true, "Service unavailable",
			  "The server has no room for another connection. Try again shortly."},
	[PROBLEM_UPSTREAM] =
		{"upstream", 503, true, "Service unavailable",
		 "A service that is needed for this does not answer. Please try again shortly."},
	[PROBLEM_TIMEOUT] = {"timeout", 504, true, "Timeout",
			     "This took too long and was stopped."},
	[PROBLEM_DRAINING] = {"draining", 503, true, "Restarting",
			      "The service is restarting. Please try again shortly."},
	[PROBLEM_INTERNAL] = {"internal", 500, true, "Internal error",
			      "Something went wrong on our side."},
};

const struct problem_row *problem_row(enum problem p)
{
	assert(p < PROBLEM_COUNT);
	return &rows[p];
}

enum problem problem_of_err(enum err_code code)
{
	switch (code) {
	case ERR_INPUT:
		return PROBLEM_BAD_FRAME;
	case ERR_AUTH:
		return PROBLEM_UNAUTHORIZED;
	case ERR_DENIED:
		return PROBLEM_DENIED;
	case ERR_NOT_FOUND:
		return PROBLEM_NOT_FOUND;
	case ERR_BUSY:
		return PROBLEM_BUSY;
	case ERR_LIMIT:
		return PROBLEM_RATE_LIMITED;
	case ERR_QUOTA:
		return PROBLEM_QUOTA;
	case ERR_TIMEOUT:
		return PROBLEM_TIMEOUT;
	case ERR_UPSTREAM:
		return PROBLEM_UPSTREAM;
	case ERR_CANCELLED:
		return PROBLEM_DRAINING;
	case ERR_NONE:
	case ERR_INTERNAL:
		break;
	}
	return PROBLEM_INTERNAL;
}

enum problem problem_of_code(const char *code)
{
	for (int p = 0; p < PROBLEM_COUNT; p++)
		if (strcmp(rows[p].code, code) == 0)
			return (enum problem)p;
	return PROBLEM_INTERNAL;
}

json_t *problem_json(enum problem p, const char *detail, const char *instance,
		     const char *request_id)
{
	const struct problem_row *row = problem_row(p);
	json_t *body = json_object();

	json_set_str(body, "type", "about:blank");
	json_set_str(body, "title", row->title);
	json_set_int(body, "status", row->status);
	json_set_str(body, "detail", detail ? detail : row->sentence);
	json_set_str(body, "instance", instance);
	json_set_str(body, "code", row->code);
	json_set_str(body, "request_id", request_id);
	return body;
}

void problem_frame(struct buf *out, enum problem p, const char *message, int retry_after_ms)
{
	const struct problem_row *row = problem_row(p);

	if (!message)
		message = row->sentence;
	buf_printf(out, "{\"type\":\"chat.error\",\"code\":\"%s\",\"message\":", row->code);
	buf_json_str(out, message, strlen(message));
	buf_printf(out, ",\"retryable\":%s", row->retryable ? "true" : "false");
	if (retry_after_ms > 0)
		buf_printf(out, ",\"retry_after_ms\":%d", retry_after_ms);
	buf_str(out, ",\"suggestions\":[]}");
}
