/*
 * The shared cache may be readable and writable by others. So a ticket is stored under its hash,
 * and its value is the token, encrypted with a key derived from the ticket. A reader of the cache
 * gets nothing usable. A writer cannot impersonate a user, because the token is verified again when
 * the ticket is redeemed.
 */
#include "shared.h"

#include <stdio.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/seal.h"

#define MINUTE_MS      60000
#define TICKETS_TENANT "(tickets)" /* used as the tenant; no tenant may have such an id */
#define NAME_BYTES     80

/* ---- rates ---- */

static size_t buckets_of(const struct principal *who, const struct rate_limits *limits,
			 char user_name[NAME_BYTES], struct cache_bucket out[2])
{
	char hash[HASH_HEX_BYTES];
	size_t n = 0;

	hash_sha256_hex(who->user, strlen(who->user), hash);
	snprintf(user_name, NAME_BYTES, "rate:%s", hash);
	if (limits->user_per_minute > 0)
		out[n++] = (struct cache_bucket){{who->tenant, user_name}, limits->user_per_minute};
	if (limits->tenant_per_minute > 0)
		out[n++] = (struct cache_bucket){{who->tenant, "rate"}, limits->tenant_per_minute};
	return n;
}

struct op *shared_rate(struct cache *c, const struct principal *who,
		       const struct rate_limits *limits, cache_consume_cb cb, void *owner)
{
	char user_name[NAME_BYTES];
	struct cache_bucket buckets[2];
	size_t n = buckets_of(who, limits, user_name, buckets);

	return cache_consume(c, buckets, n, MINUTE_MS, cb, owner);
}

void shared_rate_read(const struct cache_consume *consumed, const struct rate_limits *limits,
		      struct rate *out)
{
	size_t n = 0;

	*out = (struct rate){.allowed = consumed->consumed};
	if (limits->user_per_minute > 0)
		rate_state_set(consumed->left[n++], limits->user_per_minute, &out->user);
	if (limits->tenant_per_minute > 0)
		rate_state_set(consumed->left[n], limits->tenant_per_minute, &out->tenant);
}

/* ---- tickets ---- */

static void name_of(struct str ticket, char out[NAME_BYTES])
{
	char hash[HASH_HEX_BYTES];

	hash_sha256_hex(ticket.p, ticket.n, hash);
	snprintf(out, NAME_BYTES, "ticket:%s", hash);
}

static void key_of(struct str ticket, uint8_t out[SEAL_KEY_BYTES])
{
	static const char purpose[] = "the token of a ticket";

	_Static_assert(SEAL_KEY_BYTES == HASH_SHA256_BYTES, "a hash is a key");
	hash_hmac_sha256(ticket.p, ticket.n, purpose, sizeof(purpose) - 1, out);
}

struct op *shared_ticket_store(struct cache *c, const char *ticket, struct str token,
			       cache_confirmed_cb cb, void *owner)
{
	uint8_t key[SEAL_KEY_BYTES];
	char name[NAME_BYTES];
	struct buf sealed;
	struct op *op;

	buf_init(&sealed, 2 * TOKEN_BYTES_MAX);
	key_of(str_of(ticket), key);
	name_of(str_of(ticket), name);
	seal_add(&sealed, key, token);
	op = cache_set_confirmed(c, (struct cache_key){TICKETS_TENANT, name}, sealed.p, sealed.n,
				 TICKET_LIFE_MS, cb, owner);
	buf_deinit(&sealed);
	return op;
}

struct op *shared_ticket_fetch_delete(struct cache *c, struct str ticket, cache_value_cb cb,
				      void *owner)
{
	char name[NAME_BYTES];

	name_of(ticket, name);
	return cache_get_delete(c, (struct cache_key){TICKETS_TENANT, name}, cb, owner);
}

bool shared_ticket_open(struct str ticket, struct str sealed, struct buf *out)
{
	uint8_t key[SEAL_KEY_BYTES];

	key_of(ticket, key);
	return seal_open(out, key, sealed);
}
