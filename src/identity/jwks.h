/* The issuer's keys: fetched in the background, never during a request. The last valid set stays in
 * use. */
#ifndef VESPER_IDENTITY_JWKS_H
#define VESPER_IDENTITY_JWKS_H

#include "provider.h"
#include "vesper/identity.h"

struct jwks;

MUST_CHECK bool jwks_new(const struct identity_options *options, struct jwks **out, struct err *e);
/* ERR_INPUT: the address is not allowed for keys. */
MUST_CHECK bool jwks_url_check(const char *url, struct err *e);
/* Returns true when the address is that of an OpenID configuration. */
bool jwks_is_discovery(const char *url);
/* Returns false when the options name another address. */
bool jwks_apply_options(struct jwks *j, const struct identity_options *options);
void jwks_free(struct jwks **j);
const struct jwt_keys *jwks_keys(const struct jwks *j); /* valid until the loop continues */
/* The sign-in endpoints of the discovery document; NULL: not known yet, or none. */
const struct provider *jwks_provider(const struct jwks *j);
/* Reports that a token named a key that is not in the set. */
void jwks_report_unknown_key(struct jwks *j);

#endif
