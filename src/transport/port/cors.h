/* Checks which pages of other origins may use the port. */
#ifndef VESPER_CORS_H
#define VESPER_CORS_H

#include "transport_int.h"

/* `origin` is that of the page, `host` that of the request. `origin` NULL: the request does not
 * come from a browser's page. */
bool cors_origin_allowed(struct transport *t, const char *origin, const char *host);
/* Returns true when a request to this machine's loopback address under `host` was meant for this
 * server. A page can resolve its own name to 127.0.0.1 and then counts as the same origin (DNS
 * rebinding). It cannot do so with IP addresses, localhost and the hosts of auth.origins. */
bool cors_host_is_local(const struct transport *t, const char *host);

#endif
