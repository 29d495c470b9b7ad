/*
 * Sign-in of browsers by OpenID Connect: authorization code flow with PKCE (RFC 7636). The
 * provider is the one whose discovery document is named by auth.jwks_url.
 *
 * Token storage. The refresh token and the ID token never reach a browser. They are in a session
 * on the server, under a random ID that only an HttpOnly cookie of the browser contains. Scripts
 * of the page get only the access token, keep it in memory for its few minutes, and send it in a
 * header as every other client does. So a script cannot steal a long-lived token, a reload needs
 * no visit to the provider, and the API accepts no cookies: a cross-site request has no user. The
 * cookie is accepted at two addresses only (getting a token, signing out), and these also require
 * the page's own Origin.
 *
 * A session is stored in the cache, encrypted with a key derived from the cookie, so reading the
 * cache reveals nothing. If the cache loses a session, the browser visits the provider again,
 * often without any input from the user. A started sign-in is an encrypted cookie and uses no
 * memory here; its state is valid once.
 *
 * Loop thread only. Callbacks run from the loop.
 */
#ifndef VESPER_SIGNIN_H
#define VESPER_SIGNIN_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/cache.h"
#include "vesper/config.h"
#include "vesper/err.h"
#include "vesper/http.h"
#include "vesper/identity.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/str.h"

struct signin;

struct signin_options {
	const char *public_url;    /* "https://vesper.example.com", as browsers reach it */
	const char *client_id;     /* this application's ID at the provider */
	const char *client_secret; /* "": a public client */
	const char *scope;         /* separated by blanks */
	const char *parameters;    /* further parameters of the authorization request, encoded */
	bool bearer_is_id_token; /* send the ID token: the provider's access tokens are not JWTs for
				    Vesper */
	int64_t session_ms;      /* lifetime of a session after sign-in, even when it is used */
	const char *secret; /* equal on all replicas; "": random, so started sign-ins end with the
			       process */
	struct identity *identity; /* borrowed, as the next three; must outlive the signin */
	struct loop *loop;
	struct http *http;
	struct cache *shared; /* shared with other replicas; NULL: only one replica */
};

/* Checks that server.public_url is an origin that tokens may be sent to, without a path.
 * ERR_INPUT: the error names the key. */
MUST_CHECK bool signin_check_public_url(const char *url, struct err *e);
/* Reads the configuration; *is_enabled is false without signin.client_id. The caller sets `secret`
 * and the members after it. ERR_INPUT: the error
 * names the key. Texts are in the arena, or borrowed from the configuration. */
MUST_CHECK bool signin_options_read(const struct config *c, struct arena *a, bool *is_enabled,
				    struct signin_options *out, struct err *e);

struct signin *signin_new(const struct signin_options *options);
void signin_free(struct signin **s); /* *s may be NULL; cancels operations without callbacks */

/* The page's origin, the only one whose requests are accepted. */
const char *signin_origin(const struct signin *s);
/* Returns true if cookies need https, which is always except on loopback. */
bool signin_is_secure(const struct signin *s);
int64_t signin_session_ms(const struct signin *s);

/* Starts a sign-in. `location`: where the browser is sent. `cookie`: the value it keeps until it
 * returns, for SIGNIN_LOGIN_MS. ERR_UPSTREAM: the provider's discovery document is not loaded. */
MUST_CHECK bool signin_begin(struct signin *s, struct buf *location, struct buf *cookie,
			     struct err *e);

/* Parameters that the browser returned with; each NULL if absent. Copied. */
struct signin_return {
	const char *code, *state, *issuer, *error;
	const char *cookie; /* cookie of signin_begin */
};
/* Finishes a sign-in; `session` is the new session's ID for the cookie. ERR_INPUT: this browser
 * has no sign-in, or it was used or expired. ERR_DENIED: the provider or the user declined, or
 * Vesper does not know the user. ERR_AUTH: invalid tokens. ERR_UPSTREAM, ERR_TIMEOUT, ERR_LIMIT:
 * the provider failed; retry later. */
typedef void (*signin_session_cb)(void *owner, const char *session, const struct err *e);
struct op *signin_finish(struct signin *s, const struct signin_return *back, signin_session_cb cb,
			 void *owner);

struct signin_token {
	const char *bearer;
	int64_t expires_ms; /* Unix time */
	const char *name;   /* of the user; or "" */
};
/* Gets the session's token. It is renewed if it has less than SIGNIN_EARLY_MS left, or if
 * `fresh` is set and it is older than SIGNIN_FRESH_MS. Concurrent callers on all replicas share
 * one renewal. It continues when its caller cancels, because a refresh token may be valid only
 * once. ERR_AUTH: the session does not exist or has ended; other errors as for signin_finish.
 * `token` is borrowed by the callback. */
typedef void (*signin_token_cb)(void *owner, const struct signin_token *token, const struct err *e);
struct op *signin_token(struct signin *s, const char *session, bool fresh, signin_token_cb cb,
			void *owner);

/* Ends the session, here and at the provider (RFC 7009, OpenID Connect RP-Initiated Logout 1.0).
 * `location`: where the browser is sent. It continues when its caller cancels. */
typedef void (*signin_ended_cb)(void *owner, const char *location);
struct op *signin_end(struct signin *s, const char *session, signin_ended_cb cb, void *owner);

#endif
