/* Permissions that a caller has beside those of the token: use of data sources that other users
 * share. */
#ifndef VESPER_TRANSPORT_GRANTS_H
#define VESPER_TRANSPORT_GRANTS_H

#include "transport_int.h"
#include "vesper/principal.h"

/* Replaces *who with a principal that holds the current permissions. Called before each request,
 * each turn and each read of an earlier answer. */
void grants_apply(const struct transport *t, struct principal **who);

#endif
