/* What signing in needs of the identity beside its public side. */
#ifndef VESPER_IDENTITY_INT_H
#define VESPER_IDENTITY_INT_H

#include "provider.h"
#include "vesper/identity.h"

/* The provider's own description; NULL: not known (yet), or of another issuer than the configured
 * one. Valid until the loop goes on. */
const struct provider *identity_provider(const struct identity *i);
/* An ID token for this application; nonce NULL: any. ERR_AUTH; may_retry: its key is not known yet,
 * and is asked for. */
MUST_CHECK bool identity_id_token(struct identity *i, struct str token, const char *client,
				  const char *nonce, struct jwt_user *out, struct err *e);

#endif
