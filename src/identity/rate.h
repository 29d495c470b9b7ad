/* Request rates of users and tenants. */
#ifndef VESPER_IDENTITY_RATE_H
#define VESPER_IDENTITY_RATE_H

#include "vesper/identity.h"

struct rates;

struct rates *rates_new(const struct rate_limits *limits);
void rates_use(struct rates *r, const struct rate_limits *limits);
void rates_free(struct rates **r);
/* How a meter with so much left stands. */
void rate_say(double left, int64_t limit, struct rate_state *out);
bool rates_take(struct rates *r, const struct principal *who, struct rate *out);
/* Counts here what a shared cache has allowed, whose word alone is not enough: false, and *out says
 * why, when this process alone has seen more than the limits allow (and RATE_SLACK_PERCENT). */
bool rates_confirm(struct rates *r, const struct principal *who, struct rate *out);

#endif
