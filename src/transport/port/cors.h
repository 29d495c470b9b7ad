/* Which pages of other origins may talk to the port. */
#ifndef VESPER_CORS_H
#define VESPER_CORS_H

#include "transport_int.h"

/* `origin` is the page's, `host` the request's own; NULL origin: no browser's page asks. */
bool cors_origin_allowed(struct transport *t, const char *origin, const char *host);
/* Whether a request that came to this machine's loopback address under `host` was meant for it. A
 * page can give its own name the address 127.0.0.1 and then counts as the same origin (DNS
 * rebinding); addresses, localhost and the hosts of auth.origins are names that it cannot give. */
bool cors_host_is_local(const struct transport *t, const char *host);

#endif
