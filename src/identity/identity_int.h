/* Functions of the identity that only sign-in uses. */
#ifndef VESPER_IDENTITY_INT_H
#define VESPER_IDENTITY_INT_H

#include "provider.h"
#include "vesper/identity.h"

/* The provider's discovery data; NULL: not loaded, or its issuer is not the configured one. Valid
 * until the loop continues. */
const struct provider *identity_provider(const struct identity *i);
/* Verifies an ID token for this application; nonce NULL: any. ERR_AUTH: invalid; may_retry: its key
 * is not known yet and is being fetched. */
MUST_CHECK bool identity_id_token(struct identity *i, struct str token, const char *client,
				  const char *nonce, struct jwt_user *out, struct err *e);

#endif
