/* The issuer's keys: fetched off the path of any request, the last good set kept. */
#ifndef VESPER_IDENTITY_JWKS_H
#define VESPER_IDENTITY_JWKS_H

#include "provider.h"
#include "vesper/identity.h"

struct jwks;

MUST_CHECK bool jwks_new(const struct identity_options *options, struct jwks **out, struct err *e);
/* ERR_INPUT: no address that keys may come from. */
MUST_CHECK bool jwks_url_check(const char *url, struct err *e);
/* Whether the address is that of an OpenID configuration. */
bool jwks_is_discovery(const char *url);
/* False: keys come from another address. */
bool jwks_use(struct jwks *j, const struct identity_options *options);
void jwks_free(struct jwks **j);
const struct jwt_keys *jwks_keys(const struct jwks *j); /* valid until the loop goes on */
/* What the discovery document says beside its keys; NULL: there is none yet, or none at all. */
const struct provider *jwks_provider(const struct jwks *j);
/* A token named a key that is not in the set. */
void jwks_missed(struct jwks *j);

#endif
