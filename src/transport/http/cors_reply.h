/* The CORS headers. */
#ifndef VESPER_CORS_REPLY_H
#define VESPER_CORS_REPLY_H

#include "request.h"

/* Adds the headers that the requesting page needs to read the answer. */
void cors_add(struct request *r);
/* Answers an OPTIONS request for a path that has these methods. */
void cors_preflight(struct request *r, const char *methods);

#endif
