/* Rates and tickets that processes share through a cache. */
#ifndef VESPER_IDENTITY_SHARED_H
#define VESPER_IDENTITY_SHARED_H

#include "rate.h"
#include "vesper/cache.h"

/* Counts a request. `counted` false in the callback: the cache did not answer. */
struct op *shared_rate(struct cache *c, const struct principal *who,
		       const struct rate_limits *limits, cache_consume_cb cb, void *owner);
/* Converts the token buckets' state to a rate. */
void shared_rate_read(const struct cache_consume *consumed, const struct rate_limits *limits,
		      struct rate *out);

/* Stores the token for the ticket, encrypted so that only the ticket can decrypt it. */
struct op *shared_ticket_store(struct cache *c, const char *ticket, struct str token,
			       cache_confirmed_cb cb, void *owner);
struct op *shared_ticket_fetch_delete(struct cache *c, struct str ticket, cache_value_cb cb,
				      void *owner);
/* Adds the token to `out`. Returns false when the stored value is not a token of this ticket. */
bool shared_ticket_open(struct str ticket, struct str sealed, struct buf *out);

#endif
