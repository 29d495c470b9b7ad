/* What the files of pbi share: one request, and the service principal's own token. */
#ifndef VESPER_PBI_INT_H
#define VESPER_PBI_INT_H

#include "vesper/list.h"
#include "vesper/pbi.h"
#include "vesper/str.h"

/* ---- fetch.c: a request whose answer is a JSON object ---- */

struct pbi_fetch {
	struct op *op;
	struct buf body;
	int status;
	int64_t retry_after_ms; /* -1: the service said nothing */
	/* reply NULL: it failed. Status 401 is told apart by `status`. */
	void (*done)(void *owner, json_t *reply, const struct err *e);
	void *owner;
};

struct pbi_fetch_request {
	const char *url;
	const char *bearer; /* NULL: none */
	const char *type;   /* of the body; NULL: a GET */
	const char *body;
};

void pbi_fetch_init(struct pbi_fetch *t, void (*done)(void *, json_t *, const struct err *),
		    void *owner);
void pbi_fetch_start(struct pbi_fetch *t, struct http *http, const struct pbi_fetch_request *r);
void pbi_fetch_end(struct pbi_fetch *t); /* cancels; may be started again after an init only */

/* ---- service.c: calls with the service principal's token ---- */

struct pbi_service;

MUST_CHECK bool pbi_service_new(const struct pbi_options *o, struct pbi_service **out,
				struct err *e);
void pbi_service_free(struct pbi_service **s);
/* See pbi_call. */
struct op *pbi_service_call(struct pbi_service *s, const char *path, const json_t *body,
			    pbi_reply_cb cb, void *owner);

#endif
