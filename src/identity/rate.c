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
	out->left = (int64_t)left;
	out->full_in_s = (int64_t)(missing * (MINUTE_MS / 1000) / (double)limit) + 1;
	out->wait_ms = left >= 1 ? 0 : (int64_t)((1 - left) * MINUTE_MS / (double)limit) + 1;
}

bool rates_take(struct rates *r, const struct principal *who, struct rate *out)
{
	struct rate rate = {0};
	char *user_key, *tenant_key;
	struct meter *user = NULL, *tenant = NULL;

	user_key = mem_printf("u\x1f%s\x1f%s", who->tenant, who->user);
	tenant_key = mem_printf("t\x1f%s", who->tenant);
	if (r->limits.user_per_minute > 0) {
		user = meter_of(r, user_key, r->limits.user_per_minute);
		meter_fill(user, r->limits.user_per_minute);
	}
	if (r->limits.tenant_per_minute > 0) {
		tenant = meter_of(r, tenant_key, r->limits.tenant_per_minute);
		meter_fill(tenant, r->limits.tenant_per_minute);
	}
	mem_free(user_key);
	mem_free(tenant_key);
	rate.allowed = (!user || user->left >= 1) && (!tenant || tenant->left >= 1);
	if (rate.allowed && user)
		user->left -= 1;
	if (rate.allowed && tenant)
		tenant->left -= 1;
	if (user)
		rate_say(user->left, r->limits.user_per_minute, &rate.user);
	if (tenant)
		rate_say(tenant->left, r->limits.tenant_per_minute, &rate.tenant);
	*out = rate;
	return rate.allowed;
}
