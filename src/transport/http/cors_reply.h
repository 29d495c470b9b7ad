/* The headers that tell a browser what a page of another origin may read. */
#ifndef VESPER_CORS_REPLY_H
#define VESPER_CORS_REPLY_H

#include "request.h"

/* Adds to the answer what the asking page needs to read it. */
void cors_add(struct request *r);
/* Answers an OPTIONS request for a path that has these methods. */
void cors_preflight(struct request *r, const char *methods);

#endif
