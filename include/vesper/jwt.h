/*
 * JSON Web Tokens, verified with given keys: compact serialization, fixed algorithms, strict
 * base64url, no `crit`, bounded size, no duplicate members. A token cannot choose its trusted key
 * or algorithm: `jku`, `x5u` and `jwk` are never followed. Pure: keys are fetched elsewhere.
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

/* Parses a JWK Set (RFC 7517) of at most JWKS_KEYS_MAX keys. Keys that can't verify RS256
 * signatures (another kty, use or alg) are skipped. ERR_INPUT: a weak or malformed RSA key, a
 * missing or duplicate kid, too many keys, or no usable key. */
MUST_CHECK bool jwt_keys_parse(const char *text, size_t len, struct jwt_keys **out, struct err *e);
struct jwt_keys *jwt_keys_new_empty(void); /* until the first set arrives: every kid is unknown */
size_t jwt_keys_count(const struct jwt_keys *keys);
void jwt_keys_free(struct jwt_keys **keys);

/* The permissions of one value of the roles claim. */
struct jwt_role {
	const char *name;
	const char *const *permissions; /* NULL-terminated */
};

struct jwt_options {
	/* NULL or "": HS256 is refused. At least 32 bytes outside demo mode. */
	const char *hs256_secret;
	const struct jwt_keys *keys; /* NULL: RS256 is refused */
	const char *issuer; /* NULL or "": not checked. {tenantid} is replaced by the token's tid */
	/* NULL or "": not checked. The claim may be a string or an array. */
	const char *audience;
	const char *const *tenants; /* all known tenants; NULL-terminated */
	/* Claim values of these tenants, in the same order; NULL: the tenant names. */
	const char *const *tenant_values;
	const char *tenant_claim; /* NULL: "tenant_id" */
	const char *user_claim;   /* NULL: "sub" */
	/* Permissions by role, for tokens without `permissions`; the last entry has a NULL name.
	 * NULL: `permissions` is mandatory. */
	const struct jwt_role *roles;
	/* Required in `scp` of a user's token. A token without `scp` belongs to an application and
	 * must have roles. NULL or "": not checked. */
	const char *scope;
	/* Client IDs that are accepted in `azp` or `appid`; NULL-terminated. NULL or empty: any. */
	const char *const *clients;
	int64_t leeway_s;
};

/* Verifies a token and returns its principal (free with principal_free). ERR_AUTH: invalid, with a
 * reason for the log that never contains the token. The reason for an expired token is "expired".
 * If the token's key is unknown, may_retry is set, since the next set of keys may contain it.
 * `now_ms` is Unix time. */
MUST_CHECK bool jwt_verify(struct str token, const struct jwt_options *options, int64_t now_ms,
			   struct principal **out, struct err *e);

/* The user of an ID token. */
#define JWT_SUBJECT_BYTES                                                                          \
	256 /* at most 255 ASCII characters (OpenID Connect Core 1.0, section 2) */
#define JWT_NAME_BYTES 200
struct jwt_user {
	char subject[JWT_SUBJECT_BYTES];
	char name[JWT_NAME_BYTES]; /* display name: "name", else "preferred_username" or "email"; or
				      "" */
};

/* Verifies an ID token (OpenID Connect Core 1.0, section 3.1.3.7): signed with RS256 by one of the
 * keys, from the issuer, for options->audience, within its validity period, and with this nonce
 * (NULL: any). options->hs256_secret must be NULL. ERR_AUTH: as in jwt_verify. Tenants and roles
 * are not checked. */
MUST_CHECK bool jwt_id_token(struct str token, const struct jwt_options *options, const char *nonce,
			     int64_t now_ms, struct jwt_user *out, struct err *e);

/* Mints an HS256 token (development, demo, tests). */
void jwt_mint(struct buf *out, const struct principal *who, int64_t now_ms, int64_t lifetime_s,
	      const char *secret);

#endif
