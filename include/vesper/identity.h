/*
 * Who is at the door: tokens (HS256 by a secret, RS256 by the issuer's keys; personal ones by the
 * store), one-time tickets for sockets. Loop-thread only.
 *
 * The issuer's keys come from its JWK Set, fetched at the start, again and again, and when a token
 * names a key that is not known (at most every JWKS_UNKNOWN_MS; a name that comes in between is
 * looked for then). No request ever waits for that; when it fails, the last good set stays. Until
 * the first set is there the process is not ready.
 *
 * With a shared cache, rates are counted and tickets kept for all processes that share it: a limit
 * is one limit, and a ticket made by one is good at another, once. While the cache is silent each
 * process counts for itself, and a ticket that it makes is good with itself only.
 */
#ifndef VESPER_IDENTITY_H
#define VESPER_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/cache.h"
#include "vesper/err.h"
#include "vesper/http.h"
#include "vesper/jwt.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/principal.h"
#include "vesper/settings.h"
#include "vesper/str.h"

struct config;
struct identity;
struct store;

/* Requests and questions a minute; 0: as many as they like. */
struct rate_limits {
	int64_t user_per_minute;
	int64_t tenant_per_minute;
};

struct identity_options {
	struct jwt_options jwt; /* copied; `keys` is the identity's own business */
	/* Where the keys are: "https://…" of the set itself or of an OpenID configuration
	 * (…/.well-known/openid-configuration), or "file:///…". NULL or "": RS256 is refused. */
	const char *jwks_url;
	int64_t jwks_refresh_ms;
	struct rate_limits rates;
	struct loop *loop;
	struct http *http;    /* with jwks_url only */
	struct cache *shared; /* by several processes, outlives this; NULL: this one is alone */
	struct store *store;  /* of personal access tokens, outlives this; NULL: there are none */
	bool personal_tokens; /* they are served */
};

/* What the configuration says; keys, roles, loop, http and cache are set by the caller of
 * identity_new. */
struct identity_settings {
	struct settings base;
	struct identity_options options;
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool identity_settings_read(const struct config *c, struct arena *take,
				       struct identity_settings **out, struct err *e);

/* ERR_INPUT: no way to verify tokens, or an address of keys that can't be. */
MUST_CHECK bool identity_new(const struct identity_options *options, struct identity **out,
			     struct err *e);
/* ERR_INPUT: tokens would be verified in another way (a secret, an issuer's keys), which must be
 * said at the start. */
MUST_CHECK bool identity_can_use(const struct identity *i, const struct identity_settings *settings,
				 struct err *e);
/* From now on; meters and tickets stay. Another address of keys is asked at once, and until it has
 * answered no token signed by them is good. */
void identity_use(struct identity *i, const struct identity_settings *settings);
/* A token of this process's own, as by its secret; demo mode only. */
void identity_mint(const struct identity *i, struct buf *out, const struct principal *who,
		   int64_t life_s);
/* What roles stand for from now on; borrowed, ended by a NULL name. */
void identity_use_roles(struct identity *i, const struct jwt_role *roles);
void identity_free(struct identity **i);

/* A token of the identity provider becomes a principal (free with principal_free), or ERR_AUTH;
 * may_retry: its key is not known yet, and is asked for. */
MUST_CHECK bool identity_token(struct identity *i, struct str token, struct principal **out,
			       struct err *e);

/* The principal of any bearer token. NULL: *out has it, or is NULL and *e says why; every token of
 * the identity provider ends so. Otherwise the callback gets the principal and takes ownership.
 * ERR_AUTH: the token is not valid; others: it cannot be verified now. */
typedef void (*identity_who_cb)(void *owner, struct principal *take, const struct err *e);
struct op *identity_who(struct identity *i, struct str token, struct principal **out, struct err *e,
			identity_who_cb cb, void *owner);
/* The same for a principal from here whose token may have been revoked since. */
struct op *identity_again(struct identity *i, const struct principal *who, struct principal **out,
			  struct err *e, identity_who_cb cb, void *owner);

/* Whether personal access tokens are served. */
bool identity_has_personal(const struct identity *i);
bool identity_is_personal(struct str token);
/* Adds a new one to `out`: its text, which nobody can guess. */
void identity_personal_make(const char *tenant, struct buf *out);
/* One was revoked: this process knows it at once, others within TOKENS_KNOWN_MS. */
void identity_personal_revoked(struct identity *i);
/* Permissions as the store has them: one blank between them. */
void identity_permissions_text(const struct principal *who, struct buf *out);

/* A ticket for this principal, whose token this is; good once within TICKET_LIFE_MS. Borrowed by
 * the callback. */
#define TICKET_BYTES 44
typedef void (*identity_ticket_cb)(void *owner, const char *ticket);
struct op *identity_ticket_new(struct identity *i, const struct principal *who, struct str token,
			       identity_ticket_cb cb, void *owner);
/* Whom the ticket stands for (the callee frees it), or NULL and ERR_AUTH. */
struct op *identity_ticket_use(struct identity *i, struct str ticket, identity_who_cb cb,
			       void *owner);

/* How a limit stands after a request. `limit` 0: there is none. */
struct rate_state {
	int64_t limit;
	int64_t left;
	int64_t full_in_s;
	int64_t wait_ms; /* 0: another one may come */
};
struct rate {
	bool allowed;
	struct rate_state user, tenant;
};
/* Counts a request of this principal; not allowed: one too many, and nothing was counted. NULL: it
 * is in *out already; else the callback says it, and `who` must live until then. */
typedef void (*identity_rate_cb)(void *owner, const struct rate *rate);
struct op *identity_rate(struct identity *i, const struct principal *who, struct rate *out,
			 identity_rate_cb cb, void *owner);

/* The principal's token has run out: an identity provider's with leeway, since its clock may
 * differ.
 */
bool identity_expired(const struct identity *i, const struct principal *who);

#endif
