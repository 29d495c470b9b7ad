/*
 * JSON Web Tokens, verified with given keys: compact form, one fixed algorithm list, strict
 * base64url, no `crit`, bounded size, no duplicate members. Pure: keys are fetched elsewhere.
 */
#ifndef VESPER_JWT_H
#define VESPER_JWT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/principal.h"
#include "vesper/str.h"

struct jwt_options {
	const char *hs256_secret; /* NULL or "": HS256 is refused. At least 32 bytes outside demo
				     mode */
	const char *issuer;       /* NULL or "": not checked */
	const char
		*audience; /* NULL or "": not checked; the token may carry a string or an array */
	const char *const *tenants; /* the only tenants that exist; NULL-ended */
	int64_t leeway_s;
};

/* A verified token becomes a principal (free with principal_free). ERR_AUTH otherwise, with a
 * reason for the log that never holds the token. An expired one says "expired". `now_ms` is Unix
 * time. */
MUST_CHECK bool jwt_verify(struct str token, const struct jwt_options *options, int64_t now_ms,
			   struct principal **out, struct err *e);

/* Mints an HS256 token (development, demo, tests). */
void jwt_mint(struct buf *out, const struct principal *who, int64_t now_ms, int64_t life_s,
	      const char *secret);

#endif
