/* Shared by the files of auth: keys by kid, and the claims of verified tokens. */
#ifndef VESPER_AUTH_INT_H
#define VESPER_AUTH_INT_H

#include <jansson.h>

#include "vesper/jwt.h"

/* Sets ERR_AUTH with "token: <why>" and returns false. */
bool jwt_refuse(struct err *e, const char *why);

enum key_result { KEY_UNKNOWN, KEY_BAD_SIGNATURE, KEY_VERIFIED };
/* Verifies a signature over the text with the key of this kid (RSASSA-PKCS1-v1_5, SHA-256). */
enum key_result jwt_keys_verify(const struct jwt_keys *keys, const char *kid,
				struct str signed_text, struct str signature);

/* Converts the claims of a token with a verified signature to a principal. */
MUST_CHECK bool jwt_claims_check(const json_t *claims, const struct jwt_options *options,
				 int64_t now_ms, struct principal **out, struct err *e);

/* Checks the claims of an ID token with a verified signature. */
MUST_CHECK bool jwt_id_claims_check(const json_t *claims, const struct jwt_options *options,
				    const char *nonce, int64_t now_ms, struct jwt_user *out,
				    struct err *e);

#endif
