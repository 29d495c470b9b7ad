/*
 * Outgoing HTTP over curl's multi interface on the loop: start, stream, cancel. No redirects are
 * followed. The proxy variables of the environment are honoured. Response bodies are bounded unless
 * they are streamed.
 */
#ifndef VESPER_HTTP_H
#define VESPER_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/op.h"

struct http; /* the client: connection cache, resolver cache */

MUST_CHECK bool http_new(struct loop *l, struct http **out, struct err *e);
/* Certificates of this file (PEM) are trusted from now on instead of the system's. ERR_INPUT when
 * it can't be read. */
MUST_CHECK bool http_trust(struct http *h, const char *ca_file, struct err *e);
/* An address to which secrets may go, and whose answers may be believed: https, or http on this
 * machine. */
bool http_url_is_safe(const char *url);
bool http_is_event_stream(const char *content_type);
/* Cancels what still runs without callbacks. */
void http_free(struct http **h);

struct http_request {
	const char *method; /* "GET", "POST" */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-ended */
	const char *body;           /* copied */
	size_t body_len;
	int64_t connect_ms;    /* each 0: no limit */
	int64_t first_byte_ms; /* from start to the first response byte */
	int64_t idle_ms;       /* between bytes */
	int64_t total_ms;
};

struct http_response {
	int status;
	int64_t retry_after_ms;   /* from retry-after-ms or retry-after; -1 when absent */
	int should_retry;         /* x-should-retry: 1 true, 0 false, -1 absent */
	const char *content_type; /* "" when absent; borrowed for the call */
	const char *request_id;   /* "request-id" header, "" when absent */
};

/* Callbacks come from the loop, in the order head, data*, end. After op_cancel none comes. */
struct http_handler {
	void (*on_head)(void *owner, const struct http_response *response);
	/* False ends the transfer; on_end then says ERR_CANCELLED. */
	bool (*on_data)(void *owner, const char *data, size_t len);
	/* e is NULL when the response came whole (whatever its status). ERR_TIMEOUT names the limit
	 * that passed. */
	void (*on_end)(void *owner, const struct err *e);
};

/* op_pause stops reading the response. */
struct op *http_start(struct http *h, const struct http_request *request,
		      const struct http_handler *handler, void *owner);

int64_t http_running(const struct http *h); /* transfers under way */

#endif
