/* Who is at the door: tokens (by the keys of auth), one-time tickets for sockets. Loop-thread only.
 */
#ifndef VESPER_IDENTITY_H
#define VESPER_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"
#include "vesper/jwt.h"
#include "vesper/principal.h"
#include "vesper/str.h"

struct identity;

MUST_CHECK bool identity_new(const struct jwt_options *options, struct identity **out,
			     struct err *e);
void identity_free(struct identity **i);

/* A bearer token becomes a principal (free with principal_free), or ERR_AUTH. */
MUST_CHECK bool identity_token(struct identity *i, struct str token, struct principal **out,
			       struct err *e);

/* A ticket for this principal, good once within TICKET_LIFE_MS. */
#define TICKET_BYTES 44
void identity_ticket_new(struct identity *i, const struct principal *who, char out[TICKET_BYTES]);
MUST_CHECK bool identity_ticket_use(struct identity *i, struct str ticket, struct principal **out,
				    struct err *e);

/* The principal's token has run out (leeway included). */
bool identity_expired(const struct identity *i, const struct principal *who);

#endif
