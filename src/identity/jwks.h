/* The issuer's keys: fetched off the path of any request, the last good set kept. */
#ifndef VESPER_IDENTITY_JWKS_H
#define VESPER_IDENTITY_JWKS_H

#include "vesper/identity.h"

struct jwks;

MUST_CHECK bool jwks_new(const struct identity_options *options, struct jwks **out, struct err *e);
void jwks_free(struct jwks **j);
const struct jwt_keys *jwks_keys(const struct jwks *j); /* valid until the loop goes on */
/* A token named a key that is not in the set. */
void jwks_missed(struct jwks *j);

#endif
