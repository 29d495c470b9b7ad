/* Shared inside auth: a key by its kid, and what a verified token claims. */
#ifndef VESPER_AUTH_INT_H
#define VESPER_AUTH_INT_H

#include <jansson.h>

#include "vesper/jwt.h"

/* ERR_AUTH with "token: <why>"; false. */
bool jwt_refuse(struct err *e, const char *why);

enum key_answer { KEY_UNKNOWN, KEY_WRONG, KEY_RIGHT };
/* Whether the key of this kid made this signature over the text (RSASSA-PKCS1-v1_5, SHA-256). */
enum key_answer jwt_keys_verify(const struct jwt_keys *keys, const char *kid,
				struct str signed_text, struct str signature);

/* The claims of a token whose signature holds, as a principal. */
MUST_CHECK bool jwt_claims_check(const json_t *claims, const struct jwt_options *options,
				 int64_t now_ms, struct principal **out, struct err *e);

/* What an ID token says, whose signature holds. */
MUST_CHECK bool jwt_id_claims_check(const json_t *claims, const struct jwt_options *options,
				    const char *nonce, int64_t now_ms, struct jwt_user *out,
				    struct err *e);

#endif
