/* What a caller may do beside what the token says: use data sources that others share. */
#ifndef VESPER_TRANSPORT_GRANTS_H
#define VESPER_TRANSPORT_GRANTS_H

#include "transport_int.h"
#include "vesper/principal.h"

/* Replaces the caller with one that has the permissions of now: before each request, turn and look
 * at what was answered. */
void grants_apply(const struct transport *t, struct principal **who);

#endif
