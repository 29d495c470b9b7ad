/*
 * Outgoing HTTP with curl's multi interface on the loop: start, stream, cancel. Redirects are not
 * followed. The proxy variables of the environment apply. Response bodies are limited to
 * HTTP_RESPONSE_BYTES_MAX, except event streams.
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
/* Trusts the certificates of this file (PEM) from now on instead of the system's. ERR_INPUT: the
 * file can't be read. */
MUST_CHECK bool http_set_ca_file(struct http *h, const char *ca_file, struct err *e);
/* Returns true for a URL that may receive secrets and whose responses may be trusted: https, or
 * http on this machine. */
bool http_url_is_safe(const char *url);
bool http_is_event_stream(const char *content_type);
/* Cancels running transfers without callbacks. */
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

/* Callbacks run from the loop, in the order head, data*, end. After op_cancel none runs. */
struct http_handler {
	void (*on_head)(void *owner, const struct http_response *response);
	/* False ends the transfer; on_end then gets ERR_CANCELLED. */
	bool (*on_data)(void *owner, const char *data, size_t len);
	/* e is NULL when the response was complete (whatever its status). ERR_TIMEOUT: a time
	 * limit passed, which the text names. ERR_LIMIT: the body is too large. */
	void (*on_end)(void *owner, const struct err *e);
};

/* op_pause stops reading the response. */
struct op *http_start(struct http *h, const struct http_request *request,
		      const struct http_handler *handler, void *owner);

int64_t http_running(const struct http *h); /* running transfers */

#endif
