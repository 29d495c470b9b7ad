/* Requests with an Idempotency-Key: the first runs, its answer is the answer of all. */
#ifndef VESPER_IDEMPOTENCY_H
#define VESPER_IDEMPOTENCY_H

#include "request.h"

/* True: the store is asked, and the handler runs (or not) when it has answered. */
bool idempotency_begin(struct request *r);
/* The answer is there: true when it must be kept before it is sent; then request_resume follows. */
bool idempotency_end(struct request *r, const char *type, const void *bytes, size_t len);
/* The request is over, answered or not: what is on its way to the store comes to its end without
 * it. */
void idempotency_leave(struct request *r);
/* The port closes: nothing is waited for any more. */
void idempotency_free(struct transport *t);

/* An id that follows from the key, so that the same request means the same thing again even when
 * nobody remembers it: for what a request makes. `purpose` tells several apart. */
/* The same for any other name of the caller's: the same tenant, user, purpose and key give the same
 * id. In the request's arena. */
const char *request_derived_id(const struct request *r, const char *purpose, const char *key);
const char *idempotency_id(const struct request *r, const char *purpose);

#endif
