/*
 * Power BI: tokens with which a browser opens one report, made by a service principal. Loop-thread
 * only.
 *
 * Nothing in here is needed for an answer: a service that is slow or away fails only the call that
 * asks it, within PBI_CALL_MS for each step. Tokens are kept in this process's memory until shortly
 * before they expire, and nowhere else; a token is shared by callers of one tenant who would see
 * the same of the same report.
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

/* Whose rows a report with row-level security shows: by which name it knows the caller. */
enum pbi_identity {
	PBI_IDENTITY_NONE, /* the report has no such security: everybody sees the same */
	PBI_IDENTITY_USER,
	PBI_IDENTITY_TENANT,
};

struct pbi_report {
	const char *key;
	const char *place; /* "<workspace id>/<report id>" */
};

/* Who has the permission has the role inside reports. */
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
	const char *const *hosts; /* that reports are shown from, NULL-ended */
	const char *tenant_id;    /* the directory's */
	const char *client_id;
	const char *client_secret;
	enum pbi_identity identity;
	const struct pbi_report *reports;
	size_t report_count;
	const struct pbi_role *roles; /* with an identity only */
	size_t role_count;
};

/* What the configuration says; loop and http are set by the caller of pbi_new. */
struct pbi_settings {
	struct settings base;
	struct pbi_options options;
	bool wanted; /* else reports only link */
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool pbi_settings_read(const struct config *c, struct arena *take,
				  struct pbi_settings **out, struct err *e);

/* Plain names of hosts, with a port or without; they go into the page's policy. */
MUST_CHECK bool pbi_hosts_check(const char *const *hosts, struct err *e);

/* Options are copied. ERR_INPUT: an address, id or place that can't be. Nothing is asked yet. */
MUST_CHECK bool pbi_new(const struct pbi_options *options, struct pbi **out, struct err *e);
/* A pbi is replaced by a new one; each caller holds the one that it began with. NULL is fine. */
struct pbi *pbi_hold(struct pbi *p);
/* Lets go; the last one cancels what still runs without callbacks. */
void pbi_free(struct pbi **p);

/* A report of this key can be opened. p may be NULL. */
bool pbi_has(const struct pbi *p, const char *key);

/* Borrowed for the call. */
struct pbi_embed {
	const char *report_id;
	const char *embed_url;
	const char *token;
	int64_t expires_ms; /* Unix time */
};

/* embed is NULL when it failed: ERR_TIMEOUT, ERR_LIMIT (the service wants us to wait, see
 * retry_after_ms), ERR_UPSTREAM. */
typedef void (*pbi_embed_cb)(void *owner, const struct pbi_embed *embed, const struct err *e);

/* A token with which `who` may open the report; pbi_has must be true. */
struct op *pbi_embed(struct pbi *p, const struct principal *who, const char *key, pbi_embed_cb cb,
		     void *owner);

/* `reply` is borrowed, NULL when it failed. */
typedef void (*pbi_reply_cb)(void *owner, const json_t *reply, const struct err *e);

/* Any call of the service: `path` ("/v1.0/myorg/…") goes after the address of the interface. A GET,
 * or a POST of `body` (borrowed) when there is one. */
struct op *pbi_call(struct pbi *p, const char *path, const json_t *body, pbi_reply_cb cb,
		    void *owner);

#endif
