/* Which pages of other origins may talk to the port, and what their browsers are told. */
#ifndef VESPER_CORS_H
#define VESPER_CORS_H

#include "request.h"

/* `origin` is the page's, `host` the request's own; NULL origin: no browser's page asks. */
bool cors_origin_allowed(const struct transport *t, const char *origin, const char *host);
/* Adds to the answer what the asking page needs to read it. */
void cors_add(struct request *r);
/* An OPTIONS request for a path that has these methods. */
void cors_preflight(struct request *r, const char *methods);

#endif
