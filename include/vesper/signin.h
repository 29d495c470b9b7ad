/*
 * Sign-in of browsers by OpenID Connect: authorization code with PKCE (RFC 7636), at the provider
 * whose discovery document auth.jwks_url names.
 *
 * Where tokens are, and why. The refresh token and the ID token never reach a browser: they are in
 * a session here, under a random id that only an HttpOnly cookie of the browser holds. Scripts of
 * the page get the access token alone, for its few minutes, in memory, and send it in a header as
 * every other client does. So no script can take away what lasts, a reload needs no visit to the
 * provider, and the interface takes no cookie: a request that another site makes a browser send is
 * nobody's. The cookie opens two addresses only (a token, signing out), which ask for the page's
 * own Origin besides.
 *
 * A session lies in the cache, sealed with a key that only the cookie gives: reading the cache
 * reveals nothing. One that the cache loses is a visit to the provider, which often asks for
 * nothing. A sign-in that has begun is a sealed cookie and takes no memory here; its state is good
 * once.
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
	const char *public_url; /* "https://vesper.example.com": the daemon as browsers reach it */
	const char *client_id;  /* this application at the provider */
	const char *client_secret; /* "": a public client */
	const char *scope;         /* with blanks between */
	const char *parameters;    /* further ones of the authorization request, encoded; "" */
	bool bearer_is_id_token;   /* the provider's access tokens are no JWTs for us */
	int64_t session_ms;        /* a session ends that long after signing in, used or not */
	const char *secret;        /* of all replicas; "": a random one, so that what has begun ends
				      with the process */
	struct identity *identity; /* these four outlive it */
	struct loop *loop;
	struct http *http;
	struct cache *shared; /* by several processes; NULL: this one is alone */
};

/* Whether server.public_url is an origin that tokens may be sent to, and nothing else. ERR_INPUT
 * names the key. */
MUST_CHECK bool signin_check_public_url(const char *url, struct err *e);
/* What the configuration says; *wanted false: no signin.client_id. ERR_INPUT names the key. Texts
 * are in the arena or the configuration's. */
MUST_CHECK bool signin_options_read(const struct config *c, struct arena *a, bool *wanted,
				    struct signin_options *out, struct err *e);

struct signin *signin_new(const struct signin_options *options);
void signin_free(struct signin **s); /* *s may be NULL; ends what runs without callbacks */

/* The page's own origin: the only one whose requests count. */
const char *signin_origin(const struct signin *s);
/* Cookies are for https only: everywhere but on loopback. */
bool signin_is_secure(const struct signin *s);
int64_t signin_session_ms(const struct signin *s);

/* Where the browser goes, and what its cookie holds until it is back, for SIGNIN_LOGIN_MS.
 * ERR_UPSTREAM: nothing is known of the provider. */
MUST_CHECK bool signin_begin(struct signin *s, struct buf *location, struct buf *cookie,
			     struct err *e);

/* What the browser came back with; each NULL when absent. Copied. */
struct signin_return {
	const char *code, *state, *issuer, *error;
	const char *cookie; /* of signin_begin */
};
/* The new session's id for the cookie. ERR_INPUT: no sign-in of this browser, or one that was used
 * or is over; ERR_DENIED: the provider or the user declined, or Vesper has no such user; ERR_AUTH:
 * tokens that are none; ERR_UPSTREAM, ERR_TIMEOUT, ERR_LIMIT: the provider, later. */
typedef void (*signin_session_cb)(void *owner, const char *session, const struct err *e);
struct op *signin_finish(struct signin *s, const struct signin_return *back, signin_session_cb cb,
			 void *owner);

struct signin_token {
	const char *bearer;
	int64_t expires_ms; /* Unix time */
	const char *name;   /* of the user; or "" */
};
/* The session's token, renewed when it has less than SIGNIN_EARLY_MS left, or when `fresh` is asked
 * for and it is older than SIGNIN_FRESH_MS. Of all who ask at once, on all replicas, one renews it;
 * the renewal goes on when its caller leaves, for a refresh token may be good once only.
 * ERR_AUTH: there is no such session (any more); else as above. Borrowed by the callback. */
typedef void (*signin_token_cb)(void *owner, const struct signin_token *token, const struct err *e);
struct op *signin_token(struct signin *s, const char *session, bool fresh, signin_token_cb cb,
			void *owner);

/* Ends the session, here and at the provider (RFC 7009, OpenID Connect RP-Initiated Logout 1.0).
 * `location`: where the browser goes. */
typedef void (*signin_ended_cb)(void *owner, const char *location);
struct op *signin_end(struct signin *s, const char *session, signin_ended_cb cb, void *owner);

#endif
