/* Request rates of users and tenants. */
#ifndef VESPER_IDENTITY_RATE_H
#define VESPER_IDENTITY_RATE_H

#include "vesper/identity.h"

struct rates;

struct rates *rates_new(const struct rate_limits *limits);
void rates_set_limits(struct rates *r, const struct rate_limits *limits);
void rates_free(struct rates **r);
/* Converts the tokens left in a bucket to a rate state. */
void rate_state_set(double left, int64_t limit, struct rate_state *out);
bool rates_consume(struct rates *r, const struct principal *who, struct rate *out);
/* Counts locally what a shared cache has allowed, because the cache alone is not trusted. Returns
 * false, with the rate in *out, when this process alone has counted more than the limits (plus
 * RATE_SLACK_PERCENT). */
bool rates_confirm(struct rates *r, const struct principal *who, struct rate *out);

#endif
