/*
 * Authentication: tokens (HS256 by a secret, RS256 by the issuer's keys; personal access tokens by
 * the store), and one-time tickets for sockets. Loop thread only.
 *
 * The issuer's keys come from its JWK Set. The set is fetched at the start, periodically, and when
 * a token names an unknown key. Unknown keys cause at most one fetch every JWKS_UNKNOWN_MS; a fetch
 * that is due sooner is scheduled for the end of that time. Requests never wait for a fetch; if it
 * fails, the last good set stays in use. Until the first set has arrived, the process is not ready.
 *
 * With a shared cache, rates and tickets are shared by all replicas: a limit applies to all of them
 * together, and a ticket created by one replica is valid once, at any replica. While the cache is
 * unavailable, each replica counts separately and accepts only the tickets that it created
 * meanwhile.
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

/* Requests and questions per minute; 0: unlimited. */
struct rate_limits {
	int64_t user_per_minute;
	int64_t tenant_per_minute;
};

struct identity_options {
	struct jwt_options jwt; /* copied; `keys` is set internally */
	/* Location of the keys: "https://…" of the set or of an OpenID configuration
	 * (…/.well-known/openid-configuration), or "file:///…". NULL or "": RS256 is refused. */
	const char *jwks_url;
	int64_t jwks_refresh_ms;
	struct rate_limits rates;
	struct loop *loop;
	struct http *http;    /* only with jwks_url */
	struct cache *shared; /* among replicas; must outlive this; NULL: a single process */
	struct store *store;  /* holds personal access tokens; must outlive this; NULL: none */
	bool personal_tokens; /* personal access tokens are accepted */
};

/* Settings from the configuration. Keys, roles, loop, http and cache are set by the caller of
 * identity_new. */
struct identity_settings {
	struct settings base;
	struct identity_options options;
};
/* Takes ownership of the arena, also on failure. ERR_INPUT: a setting is invalid; the text names
 * its key. */
MUST_CHECK bool identity_settings_read(const struct config *c, struct arena *take,
				       struct identity_settings **out, struct err *e);

/* ERR_INPUT: no secret and no URL of keys, or an invalid URL. */
MUST_CHECK bool identity_new(const struct identity_options *options, struct identity **out,
			     struct err *e);
/* ERR_INPUT: the settings would change how tokens are verified (by a secret, by an issuer's keys),
 * which needs a restart. */
MUST_CHECK bool identity_can_apply(const struct identity *i,
				   const struct identity_settings *settings, struct err *e);
/* Replaces the settings; token buckets and tickets stay. A new URL of keys is fetched immediately;
 * until that succeeds, no token signed by these keys is accepted. */
void identity_apply_settings(struct identity *i, const struct identity_settings *settings);
/* Mints a token signed with this process's secret; demo mode only. */
void identity_mint(const struct identity *i, struct buf *out, const struct principal *who,
		   int64_t lifetime_s);
/* Sets the permissions of roles; borrowed, ended by a NULL name. */
void identity_set_roles(struct identity *i, const struct jwt_role *roles);
void identity_free(struct identity **i);

/* Verifies a token of the identity provider and returns its principal (free with principal_free).
 * ERR_AUTH: invalid. may_retry: its key is unknown, and the key set is being fetched or will be
 * soon. */
MUST_CHECK bool identity_token(struct identity *i, struct str token, struct principal **out,
			       struct err *e);

/* Verifies any bearer token. Returns NULL if it is already done: *out is the principal, or NULL
 * with *e set; this is always so for tokens of the identity provider. Otherwise the callback gets
 * the principal and takes ownership. ERR_AUTH: the token is invalid; other errors: it cannot be
 * verified now. */
typedef void (*identity_principal_cb)(void *owner, struct principal *take, const struct err *e);
struct op *identity_authenticate(struct identity *i, struct str token, struct principal **out,
				 struct err *e, identity_principal_cb cb, void *owner);
/* Verifies a principal of identity_authenticate again, because its personal access token may have
 * been revoked meanwhile. A principal of the identity provider is copied unchecked. Returns as
 * identity_authenticate. */
struct op *identity_reauthenticate(struct identity *i, const struct principal *who,
				   struct principal **out, struct err *e, identity_principal_cb cb,
				   void *owner);

/* True when personal access tokens are accepted. */
bool identity_has_personal(const struct identity *i);
bool identity_is_personal(struct str token);
/* Appends the text of a new, unguessable personal access token to `out`. */
void identity_generate_personal_token(const char *tenant, struct buf *out);
/* A personal access token was revoked: effective immediately here, and within TOKEN_CACHE_MS in
 * other replicas. */
void identity_personal_revoked(struct identity *i);
/* Permissions in the store's format, separated by one blank. */
void identity_permissions_text(const struct principal *who, struct buf *out);

/* Creates a ticket for this principal and its token, valid once within TICKET_LIFE_MS. The ticket's
 * text is borrowed for the callback. */
#define TICKET_BYTES 44
typedef void (*identity_ticket_cb)(void *owner, const char *ticket);
struct op *identity_ticket_new(struct identity *i, const struct principal *who, struct str token,
			       identity_ticket_cb cb, void *owner);
/* Redeems a ticket. The callback gets its principal (which the callee frees), or NULL and an error:
 * ERR_AUTH, or one of identity_authenticate. */
struct op *identity_ticket_redeem(struct identity *i, struct str ticket, identity_principal_cb cb,
				  void *owner);

/* State of a limit after a request. `limit` 0: no limit. */
struct rate_state {
	int64_t limit;
	int64_t left;
	int64_t full_in_s;
	int64_t wait_ms; /* 0: another request is allowed */
};
struct rate {
	bool allowed;
	struct rate_state user, tenant;
};
/* Counts a request of this principal. Not allowed: the limit is exceeded, and nothing was counted
 * (except in the shared cache, if it allowed the request and this process's own count did not).
 * Returns NULL if *out is already set; else the callback gets the result, and `who` must live until
 * then. */
typedef void (*identity_rate_cb)(void *owner, const struct rate *rate);
struct op *identity_rate(struct identity *i, const struct principal *who, struct rate *out,
			 identity_rate_cb cb, void *owner);

/* True when the principal's token has expired. Tokens of an identity provider get leeway, since its
 * clock may differ. */
bool identity_expired(const struct identity *i, const struct principal *who);

#endif
