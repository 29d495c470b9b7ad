/* What the processes that share a cache count and keep together: rates and tickets. */
#ifndef VESPER_IDENTITY_SHARED_H
#define VESPER_IDENTITY_SHARED_H

#include "rate.h"
#include "vesper/cache.h"

/* Counts a request; `count` false in the callback: there was no answer. */
struct op *shared_rate(struct cache *c, const struct principal *who,
		       const struct rate_limits *limits, cache_draw_cb cb, void *owner);
/* What a draw says of the limits. */
void shared_rate_read(const struct cache_draw *drawn, const struct rate_limits *limits,
		      struct rate *out);

/* The token that the ticket stands for, where only the ticket can read it. */
struct op *shared_ticket_keep(struct cache *c, const char *ticket, struct str token,
			      cache_kept_cb cb, void *owner);
struct op *shared_ticket_take(struct cache *c, struct str ticket, cache_value_cb cb, void *owner);
/* Adds the token to `out`. False: what was taken is no token of this ticket. */
bool shared_ticket_open(struct str ticket, struct str taken, struct buf *out);

#endif
