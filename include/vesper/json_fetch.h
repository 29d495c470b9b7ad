/*
 * One request to a service that replies with a JSON object, and the encoding of form bodies. Only
 * the code of a service's error is kept, because its texts may repeat what was sent. Loop thread
 * only.
 */
#ifndef VESPER_JSON_FETCH_H
#define VESPER_JSON_FETCH_H

#include <jansson.h>

#include "vesper/http.h"
#include "vesper/str.h"

#define JSON_FETCH_ERROR_BYTES 61

struct json_fetch {
	struct op *op;
	struct buf body;
	int status;                         /* 0: no response */
	char error[JSON_FETCH_ERROR_BYTES]; /* the service's code ("invalid_grant"), or "" */
	int64_t retry_after_ms;             /* -1: not given */
	/* reply NULL: failure with ERR_UPSTREAM, ERR_TIMEOUT or ERR_LIMIT. Borrowed. */
	void (*done)(void *owner, json_t *reply, const struct err *e);
	void *owner;
};

struct json_fetch_request {
	const char *url;
	const char *authorization; /* the header's value; NULL: none */
	const char *type;          /* of the body; NULL: GET */
	const char *body;
	int64_t total_ms;
};

void json_fetch_init(struct json_fetch *t, void (*done)(void *, json_t *, const struct err *),
		     void *owner);
void json_fetch_start(struct json_fetch *t, struct http *http, const struct json_fetch_request *r);
void json_fetch_end(struct json_fetch *t); /* cancels; needs an init before another start */

#define FORM_TYPE "application/x-www-form-urlencoded"
/* Adds a member of a form or a query ("&name=value"; the first without &), percent-encoded. */
void form_add(struct buf *out, const char *name, const char *value);
/* Adds an encoded value alone. */
void form_encode(struct buf *out, const char *value);

#endif
