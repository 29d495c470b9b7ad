/*
 * How much each user and each tenant may ask in a minute: a meter that fills up again evenly, so
 * that nobody gains by waiting for a window's edge. Meters are dropped when too many are there, the
 * longest unused first: those are full again anyway.
 */
#include "rate.h"

#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"

#define BUCKETS   4096
#define MINUTE_MS 60000

struct meter {
	struct list by_use;
	struct list in_bucket;
	uint8_t hash[HASH_SHA256_BYTES];
	double left;
	int64_t at_mono_ms;
};

struct rates {
	struct rate_limits limits;
	struct list by_use; /* longest unused first */
	struct list buckets[BUCKETS];
	size_t count;
};

struct rates *rates_new(const struct rate_limits *limits)
{
	struct rates *r = mem_alloc(sizeof(*r));

	r->limits = *limits;
	list_init(&r->by_use);
	for (size_t i = 0; i < BUCKETS; i++)
		list_init(&r->buckets[i]);
	return r;
}

static void meter_free(struct rates *r, struct meter *m)
{
	list_remove(&m->by_use);
	list_remove(&m->in_bucket);
	mem_free(m);
	r->count--;
}

static struct meter *longest_unused(struct rates *r)
{
	return list_item(r->by_use.next, struct meter, by_use);
}

void rates_free(struct rates **rates)
{
	struct rates *r = *rates;

	if (!r)
		return;
	*rates = NULL;
	while (!list_empty(&r->by_use))
		meter_free(r, longest_unused(r));
	mem_free(r);
}

static struct list *bucket_of(struct rates *r, const uint8_t hash[HASH_SHA256_BYTES])
{
	uint32_t number;

	memcpy(&number, hash, sizeof(number));
	return &r->buckets[number % BUCKETS];
}

static struct meter *meter_new(struct rates *r, const uint8_t hash[HASH_SHA256_BYTES],
			       int64_t limit)
{
	struct meter *m = mem_alloc(sizeof(*m));

	if (r->count == METERS_MAX)
		meter_free(r, longest_unused(r));
	memcpy(m->hash, hash, sizeof(m->hash));
	m->left = (double)limit;
	m->at_mono_ms = clock_mono_ms();
	list_append(&r->by_use, &m->by_use);
	list_append(bucket_of(r, hash), &m->in_bucket);
	r->count++;
	return m;
}

static struct meter *meter_of(struct rates *r, const char *key, int64_t limit)
{
	uint8_t hash[HASH_SHA256_BYTES];

	hash_sha256(key, strlen(key), hash);
	list_each(node, bucket_of(r, hash)) {
		struct meter *m = list_item(node, struct meter, in_bucket);

		if (memcmp(m->hash, hash, sizeof(hash)) == 0) {
			list_remove(&m->by_use);
			list_append(&r->by_use, &m->by_use);
			return m;
		}
	}
	return meter_new(r, hash, limit);
}

static void meter_fill(struct meter *m, int64_t limit)
{
	int64_t now = clock_mono_ms();

	m->left += (double)(now - m->at_mono_ms) * (double)limit / MINUTE_MS;
	if (m->left > (double)limit)
		m->left = (double)limit;
	m->at_mono_ms = now;
}

void rate_say(double left, int64_t limit, struct rate_state *out)
{
	double missing = (double)limit - left;

	out->limit = limit;
	out->left = left > 0 ? (int64_t)left : 0;
	out->full_in_s = (int64_t)(missing * (MINUTE_MS / 1000) / (double)limit) + 1;
	out->wait_ms = left >= 1 ? 0 : (int64_t)((1 - left) * MINUTE_MS / (double)limit) + 1;
}

/* The meter of this key as it stands now; NULL: there is no limit. */
static struct meter *meter_now(struct rates *r, const char *key, int64_t limit)
{
	struct meter *m = limit > 0 ? meter_of(r, key, limit) : NULL;

	if (m)
		meter_fill(m, limit);
	return m;
}

static bool has_one(const struct meter *m, int64_t limit, bool confirming)
{
	double slack = confirming ? 1 + (double)limit * RATE_SLACK_PERCENT / 100 : 0;

	return !m || m->left + slack >= 1;
}

static bool take(struct rates *r, const struct principal *who, bool confirming, struct rate *out)
{
	int64_t user_limit = r->limits.user_per_minute, tenant_limit = r->limits.tenant_per_minute;
	char *user_key = mem_printf("u\x1f%s\x1f%s", who->tenant, who->user);
	char *tenant_key = mem_printf("t\x1f%s", who->tenant);
	struct meter *user = meter_now(r, user_key, user_limit);
	struct meter *tenant = meter_now(r, tenant_key, tenant_limit);
	bool allowed =
		has_one(user, user_limit, confirming) && has_one(tenant, tenant_limit, confirming);

	mem_free(user_key);
	mem_free(tenant_key);
	if (allowed && user)
		user->left -= 1;
	if (allowed && tenant)
		tenant->left -= 1;
	if (allowed && confirming) /* what is left, the shared cache knows */
		return true;
	*out = (struct rate){.allowed = allowed};
	if (user)
		rate_say(user->left, user_limit, &out->user);
	if (tenant)
		rate_say(tenant->left, tenant_limit, &out->tenant);
	return allowed;
}

bool rates_take(struct rates *r, const struct principal *who, struct rate *out)
{
	return take(r, who, false, out);
}

bool rates_confirm(struct rates *r, const struct principal *who, struct rate *out)
{
	return take(r, who, true, out);
}
