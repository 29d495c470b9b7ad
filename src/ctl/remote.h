/* Requests of the verbs to a running daemon over HTTP. */
#ifndef VESPER_CTL_REMOTE_H
#define VESPER_CTL_REMOTE_H

#include <curl/curl.h>

#include "ctl.h"
#include "vesper/str.h"

/* VESPER_URL, or the address in the configuration. */
const char *remote_url(void);
/* VESPER_TOKEN, or the token of a demo user with --role R in --tenant T. Free with mem_free. NULL:
 * failed, with the reason in *e. */
char *remote_token(const struct command *cmd, const char *role, struct err *e);
/* ERR_UPSTREAM: no answer. The answer is written as configured in the handle. */
MUST_CHECK bool remote_post(CURL *curl, const char *path, const char *token, const char *body,
			    struct err *e);
/* Sets *e to the sentence of the daemon's problem details. Returns false. */
bool remote_refused(const struct buf *reply, struct err *e);

/* Sends one request: `file` (NULL: none) is its body, else `json` (NULL: none). *out is the JSON of
 * the reply, a new reference; NULL: the reply has none. Returns false on an error. */
struct remote_request {
	const char *method, *path, *token;
	const char *file, *type;
	const json_t *json;
	const char *tag; /* If-Match, or NULL */
};
MUST_CHECK bool remote_call(const struct remote_request *r, json_t **out, struct err *e);

#endif
