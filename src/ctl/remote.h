/* A running daemon as the verbs reach it over HTTP. */
#ifndef VESPER_CTL_REMOTE_H
#define VESPER_CTL_REMOTE_H

#include <curl/curl.h>

#include "ctl.h"
#include "vesper/str.h"

/* VESPER_URL, or where the configuration listens. */
const char *remote_url(void);
/* VESPER_TOKEN, or of a demo, whose users it signs in: --role R of --tenant T. Free with mem_free;
 * NULL: *e says why. */
char *remote_token(const struct command *cmd, const char *role, struct err *e);
/* ERR_UPSTREAM: nobody answers. What is answered goes where the handle says. */
MUST_CHECK bool remote_post(CURL *curl, const char *path, const char *token, const char *body,
			    struct err *e);
/* What a daemon says instead of what was asked for: the sentence of its problem details. Returns
 * false. */
bool remote_refused(const struct buf *reply, struct err *e);

/* One request: `file` (NULL: none) is its body, else `json` (NULL: none). The reply's JSON, a new
 * reference; NULL where it has none. False: *e says what is wrong. */
struct remote_request {
	const char *method, *path, *token;
	const char *file, *type;
	const json_t *json;
	const char *tag; /* If-Match, or NULL */
};
MUST_CHECK bool remote_call(const struct remote_request *r, json_t **out, struct err *e);

#endif
