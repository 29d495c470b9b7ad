/*
 * Power BI: tokens with which a browser opens one report, made by a service principal. Loop thread
 * only.
 *
 * No answer needs this service: if it is slow or unavailable, only the call that uses it fails,
 * within PBI_CALL_MS per step. Tokens are stored only in the memory of this process, until shortly
 * before they expire. Callers of one tenant who see the same in a report share its token.
 */
#ifndef VESPER_PBI_H
#define VESPER_PBI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/http.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/principal.h"
#include "vesper/settings.h"

struct config;
struct pbi;

/* The name by which a report with row-level security identifies the caller. */
enum pbi_identity {
	PBI_IDENTITY_NONE, /* no row-level security: all callers see the same rows */
	PBI_IDENTITY_USER,
	PBI_IDENTITY_TENANT,
};

struct pbi_report {
	const char *key;
	const char *place; /* "<workspace id>/<report id>" */
};

/* Callers with the permission have the role inside reports. */
struct pbi_role {
	const char *permission;
	const char *role;
};

struct pbi_options {
	struct loop *loop;
	struct http *http;
	const char *login_url;    /* "https://login.microsoftonline.com" */
	const char *api_url;      /* "https://api.powerbi.com" */
	const char *scope;        /* "https://analysis.windows.net/powerbi/api/.default" */
	const char *const *hosts; /* hosts that serve reports, NULL-ended */
	const char *tenant_id;    /* of the directory */
	const char *client_id;
	const char *client_secret;
	enum pbi_identity identity;
	const struct pbi_report *reports;
	size_t report_count;
	const struct pbi_role *roles; /* only with an identity */
	size_t role_count;
};

/* The configured options. The caller of pbi_new sets loop and http. */
struct pbi_settings {
	struct settings base;
	struct pbi_options options;
	bool wanted; /* false: reports are links only */
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool pbi_settings_read(const struct config *c, struct arena *take,
				  struct pbi_settings **out, struct err *e);

/* Checks that these are plain host names, with or without a port; they go into the page's content
 * security policy. */
MUST_CHECK bool pbi_hosts_check(const char *const *hosts, struct err *e);

/* Options are copied. ERR_INPUT: an invalid address, ID or place. Sends no request yet. */
MUST_CHECK bool pbi_new(const struct pbi_options *options, struct pbi **out, struct err *e);
/* New reference. Callers keep the pbi they started with when it is replaced. NULL is allowed. */
struct pbi *pbi_ref(struct pbi *p);
/* Drops a reference; the last one cancels running requests without callbacks. */
void pbi_free(struct pbi **p);

/* Returns true if a report with this key can be opened. p may be NULL. */
bool pbi_has(const struct pbi *p, const char *key);

/* Borrowed during the call. */
struct pbi_embed {
	const char *report_id;
	const char *embed_url;
	const char *token;
	int64_t expires_ms; /* Unix time */
};

/* embed is NULL on failure. ERR_TIMEOUT: no reply in time. ERR_LIMIT: the service asks to wait (see
 * retry_after_ms). ERR_UPSTREAM: any other failure. */
typedef void (*pbi_embed_cb)(void *owner, const struct pbi_embed *embed, const struct err *e);

/* Gets a token with which `who` may open the report; pbi_has must be true. */
struct op *pbi_embed(struct pbi *p, const struct principal *who, const char *key, pbi_embed_cb cb,
		     void *owner);

/* `reply` is borrowed; NULL on failure. */
typedef void (*pbi_reply_cb)(void *owner, const json_t *reply, const struct err *e);

/* Any request to the service: `path` ("/v1.0/myorg/…") is appended to the API's address. A POST of
 * `body` (borrowed), or a GET if it is NULL. */
struct op *pbi_call(struct pbi *p, const char *path, const json_t *body, pbi_reply_cb cb,
		    void *owner);

#endif
