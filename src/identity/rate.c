/*
 * Limits the requests of users and tenants per minute with token buckets, which refill evenly, so
 * that no caller gains by waiting for the end of a window. When there are too many buckets, the
 * least recently used one of the tenant with the most buckets is evicted, since it is full again
 * anyway.
 */
#include "rate.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/shares.h"

#define MINUTE_MS 60000

struct token_bucket {
	struct hashmap_node by_key;
	struct share share; /* of its tenant */
	char *key;
	double left;
	int64_t at_mono_ms;
};

struct rates {
	struct rate_limits limits;
	struct hashmap buckets;
	struct shares shares;
};

void rates_set_limits(struct rates *r, const struct rate_limits *limits)
{
	r->limits = *limits;
}

struct rates *rates_new(const struct rate_limits *limits)
{
	struct rates *r = mem_alloc(sizeof(*r));

	r->limits = *limits;
	shares_init(&r->shares, TOKEN_BUCKETS_MAX, SIZE_MAX);
	hashmap_init(&r->buckets);
	return r;
}

static void bucket_free(struct rates *r, struct token_bucket *b)
{
	hashmap_remove(&r->buckets, &b->by_key);
	shares_remove(&r->shares, &b->share);
	mem_free(b->key);
	mem_free(b);
}

void rates_free(struct rates **rates)
{
	struct rates *r = *rates;

	if (!r)
		return;
	*rates = NULL;
	hashmap_each(node, &r->buckets)
		bucket_free(r, hashmap_item(node, struct token_bucket, by_key));
	hashmap_deinit(&r->buckets);
	shares_deinit(&r->shares);
	mem_free(r);
}

static struct token_bucket *bucket_new(struct rates *r, const char *key, const char *tenant,
				       int64_t limit)
{
	struct token_bucket *b = mem_alloc(sizeof(*b));

	b->key = mem_strdup(key);
	b->left = (double)limit;
	b->at_mono_ms = clock_mono_ms();
	hashmap_add(&r->buckets, &b->by_key, str_of(b->key));
	shares_add(&r->shares, &b->share, str_of(tenant), 0);
	return b;
}

static struct token_bucket *bucket_of_key(struct rates *r, const char *key, const char *tenant,
					  int64_t limit)
{
	struct hashmap_node *node = hashmap_find(&r->buckets, str_of(key));
	struct token_bucket *b;

	if (!node)
		return bucket_new(r, key, tenant, limit);
	b = hashmap_item(node, struct token_bucket, by_key);
	shares_touch(&b->share);
	return b;
}

static void bucket_refill(struct token_bucket *b, int64_t limit)
{
	int64_t now = clock_mono_ms();

	b->left += (double)(now - b->at_mono_ms) * (double)limit / MINUTE_MS;
	if (b->left > (double)limit)
		b->left = (double)limit;
	b->at_mono_ms = now;
}

void rate_state_set(double left, int64_t limit, struct rate_state *out)
{
	double missing = (double)limit - left;

	out->limit = limit;
	out->left = left > 0 ? (int64_t)left : 0;
	out->full_in_s = (int64_t)(missing * (MINUTE_MS / 1000) / (double)limit) + 1;
	out->wait_ms = left >= 1 ? 0 : (int64_t)((1 - left) * MINUTE_MS / (double)limit) + 1;
}

/* The refilled bucket of this key; NULL: no limit. */
static struct token_bucket *bucket_refilled(struct rates *r, const char *key, const char *tenant,
					    int64_t limit)
{
	struct token_bucket *b = limit > 0 ? bucket_of_key(r, key, tenant, limit) : NULL;

	if (b)
		bucket_refill(b, limit);
	return b;
}

static bool has_token(const struct token_bucket *b, int64_t limit, bool confirming)
{
	double slack = confirming ? 1 + (double)limit * RATE_SLACK_PERCENT / 100 : 0;

	return !b || b->left + slack >= 1;
}

static bool consume(struct rates *r, const struct principal *who, bool confirming, struct rate *out)
{
	int64_t user_limit = r->limits.user_per_minute, tenant_limit = r->limits.tenant_per_minute;
	char *user_key = mem_printf("u\x1f%s\x1f%s", who->tenant, who->user);
	char *tenant_key = mem_printf("t\x1f%s", who->tenant);
	struct token_bucket *user = bucket_refilled(r, user_key, who->tenant, user_limit);
	struct token_bucket *tenant = bucket_refilled(r, tenant_key, who->tenant, tenant_limit);
	bool allowed = has_token(user, user_limit, confirming) &&
		       has_token(tenant, tenant_limit, confirming);

	mem_free(user_key);
	mem_free(tenant_key);
	if (allowed && user)
		user->left -= 1;
	if (allowed && tenant)
		tenant->left -= 1;
	if (allowed && confirming) /* the shared cache has the remaining tokens */
		return true;
	*out = (struct rate){.allowed = allowed};
	if (user)
		rate_state_set(user->left, user_limit, &out->user);
	if (tenant)
		rate_state_set(tenant->left, tenant_limit, &out->tenant);
	return allowed;
}

static bool consume_and_evict(struct rates *r, const struct principal *who, bool confirming,
			      struct rate *out)
{
	bool allowed = consume(r, who, confirming, out);
	struct share *excess;

	while ((excess = shares_next_to_evict(&r->shares)))
		bucket_free(r, list_item(excess, struct token_bucket, share));
	return allowed;
}

bool rates_consume(struct rates *r, const struct principal *who, struct rate *out)
{
	return consume_and_evict(r, who, false, out);
}

bool rates_confirm(struct rates *r, const struct principal *who, struct rate *out)
{
	return consume_and_evict(r, who, true, out);
}
