/*
 * JSON Web Tokens, verified with given keys: compact form, fixed algorithms, strict base64url, no
 * `crit`, bounded size, no duplicate members. Nothing in a token says which key or algorithm is to
 * be trusted: `jku`, `x5u` and `jwk` are never followed. Pure: keys are fetched elsewhere.
 */
#ifndef VESPER_JWT_H
#define VESPER_JWT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/principal.h"
#include "vesper/str.h"

/* The public keys of an issuer, by their kid. Immutable. */
struct jwt_keys;

/* A JWK Set (RFC 7517) of at most JWKS_KEYS_MAX keys. Keys that can't verify RS256 signatures
 * (another kty, use or alg) are passed over; a weak or broken RSA key, a kid that comes twice, or a
 * set with no usable key is ERR_INPUT. */
MUST_CHECK bool jwt_keys_parse(const char *text, size_t len, struct jwt_keys **out, struct err *e);
struct jwt_keys *jwt_keys_none(void); /* before the first set is there: every kid is unknown */
size_t jwt_keys_count(const struct jwt_keys *keys);
void jwt_keys_free(struct jwt_keys **keys);

/* What a value of the roles claim stands for. */
struct jwt_role {
	const char *name;
	const char *const *permissions; /* NULL-ended */
};

struct jwt_options {
	/* NULL or "": HS256 is refused. At least 32 bytes outside demo mode. */
	const char *hs256_secret;
	const struct jwt_keys *keys; /* NULL: RS256 is refused */
	const char *issuer; /* NULL or "": not checked. {tenantid} stands for the token's tid */
	/* NULL or "": not checked. The token may carry a string or an array. */
	const char *audience;
	const char *const *tenants; /* the only tenants that exist; NULL-ended */
	/* What the claim says for each of them; NULL: the tenant itself. */
	const char *const *tenant_values;
	const char *tenant_claim; /* NULL: "tenant_id" */
	const char *user_claim;   /* NULL: "sub" */
	/* Of a token without `permissions`: its `roles`, ended by a NULL name. NULL: there must be
	 * `permissions`. */
	const struct jwt_role *roles;
	/* A user's token must have it in `scp`; one without `scp` is an application's own and must
	 * have roles. NULL or "": not checked. */
	const char *scope;
	/* The applications that tokens may come from, by `azp` or `appid`; NULL-ended. NULL or
	 * none: any. */
	const char *const *clients;
	int64_t leeway_s;
};

/* A verified token becomes a principal (free with principal_free). ERR_AUTH otherwise, with a
 * reason for the log that never holds the token. An expired one says "expired"; one whose key is
 * not known may be fine with the next set of keys (may_retry). `now_ms` is Unix time. */
MUST_CHECK bool jwt_verify(struct str token, const struct jwt_options *options, int64_t now_ms,
			   struct principal **out, struct err *e);

/* Whom an ID token speaks of. */
#define JWT_SUBJECT_BYTES                                                                          \
	256 /* at most 255 ASCII characters (OpenID Connect Core 1.0, section 2) */
#define JWT_NAME_BYTES 200
struct jwt_user {
	char subject[JWT_SUBJECT_BYTES];
	char name[JWT_NAME_BYTES]; /* to be shown: "name", else "preferred_username" or "email"; or
				      "" */
};

/* An ID token (OpenID Connect Core 1.0, section 3.1.3.7): RS256 by the keys, from the issuer, for
 * options->audience as the application, within its times, of this nonce (NULL: any). ERR_AUTH
 * otherwise, as jwt_verify. Tenants and roles are not looked at. */
MUST_CHECK bool jwt_id_token(struct str token, const struct jwt_options *options, const char *nonce,
			     int64_t now_ms, struct jwt_user *out, struct err *e);

/* Mints an HS256 token (development, demo, tests). */
void jwt_mint(struct buf *out, const struct principal *who, int64_t now_ms, int64_t life_s,
	      const char *secret);

#endif
