/* Which pages of other origins may talk to the port, and what their browsers are told. */
#ifndef VESPER_CORS_H
#define VESPER_CORS_H

#include "request.h"

/* `origin` is the page's, `host` the request's own; NULL origin: no browser's page asks. */
bool cors_origin_allowed(const struct transport *t, const char *origin, const char *host);
/* Whether a request that came to this machine's loopback address under `host` was meant for it. A
 * page can give its own name the address 127.0.0.1 and then counts as the same origin (DNS
 * rebinding); addresses, localhost and the hosts of auth.origins are names that it cannot give. */
bool cors_host_is_local(const struct transport *t, const char *host);
/* Adds to the answer what the asking page needs to read it. */
void cors_add(struct request *r);
/* An OPTIONS request for a path that has these methods. */
void cors_preflight(struct request *r, const char *methods);

#endif
