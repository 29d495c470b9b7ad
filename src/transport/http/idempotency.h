/* Requests with an Idempotency-Key: the first one runs, and its answer is sent to every retry. */
#ifndef VESPER_IDEMPOTENCY_H
#define VESPER_IDEMPOTENCY_H

#include "request.h"

/* Returns false without an Idempotency-Key. Otherwise the store is asked; after its answer the
 * handler runs, or the stored answer is sent. An invalid key is answered with a problem. */
bool idempotency_begin(struct request *r);
/* Called with the finished answer. Returns true when it must be stored before it is sent;
 * request_resume follows then. */
bool idempotency_end(struct request *r, const char *type, const void *bytes, size_t len);
/* The request has ended, answered or not. A running store operation finishes without it. */
void idempotency_detach(struct request *r);
/* Called when the port closes: cancels all pending store operations. */
void idempotency_free(struct transport *t);

/* An id derived from tenant, user, purpose and key, in the request's arena. An identical request
 * gets the same id for the object that it creates, even when the key is no longer stored.
 * idempotency_id uses the Idempotency-Key; NULL without one. */
const char *request_derived_id(const struct request *r, const char *purpose, const char *key);
const char *idempotency_id(const struct request *r, const char *purpose);

#endif
