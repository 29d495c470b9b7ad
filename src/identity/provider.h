/* Sign-in members of a provider's discovery document (OpenID Connect Discovery 1.0). */
#ifndef VESPER_IDENTITY_PROVIDER_H
#define VESPER_IDENTITY_PROVIDER_H

#include <jansson.h>

#include "vesper/err.h"

struct provider {
	char *issuer;
	char *authorization; /* where browsers are redirected */
	char *token;
	char *revocation;  /* NULL: tokens cannot be revoked */
	char *end_session; /* NULL: signing out is local */
	bool sends_issuer; /* its replies contain `iss` (RFC 9207) */
};

/* ERR_INPUT: a member is missing, or an address is not https (http on loopback only). */
MUST_CHECK bool provider_read(const json_t *document, struct provider **out, struct err *e);
void provider_free(struct provider **p);

#endif
