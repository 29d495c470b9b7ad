/*
 * Tokens and tickets at the door. A ticket stands in for a token where a browser can't send
 * headers: it is kept as a hash only, works once, and is gone after half a minute, so that one
 * found in a log is worth nothing.
 */
#include "jwks.h"
#include "rate.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"

#define TICKET_SECRET_BYTES 32
#define BUCKETS             1024

struct ticket {
	struct list by_age;
	struct list in_bucket;
	uint8_t hash[HASH_SHA256_BYTES];
	struct principal *who;
	int64_t ends_mono_ms;
};

struct identity {
	struct jwt_options options; /* deep copy, but for the roles */
	struct jwks *jwks;          /* NULL: RS256 is refused */
	struct rates *rates;
	struct list by_age; /* tickets, oldest first */
	struct list buckets[BUCKETS];
	size_t ticket_count;
};

static const char *const *texts_copy(const char *const *tenants)
{
	if (!tenants)
		return NULL;
	size_t n = 0;
	while (tenants[n])
		n++;
	const char **copy = mem_alloc((n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = mem_strdup(tenants[i]);
	return copy;
}

static void texts_free(const char *const *texts)
{
	for (const char *const *text = texts; text && *text; text++)
		mem_free((char *)*text);
	mem_free((void *)texts);
}

static struct jwt_options options_copy(const struct jwt_options *o)
{
	return (struct jwt_options){
		.hs256_secret = mem_strdup(o->hs256_secret),
		.issuer = mem_strdup(o->issuer),
		.audience = mem_strdup(o->audience),
		.tenants = texts_copy(o->tenants),
		.tenant_values = texts_copy(o->tenant_values),
		.tenant_claim = mem_strdup(o->tenant_claim),
		.user_claim = mem_strdup(o->user_claim),
		.roles = o->roles,
		.leeway_s = o->leeway_s,
	};
}

bool identity_new(const struct identity_options *options, struct identity **out, struct err *e)
{
	bool by_secret = options->jwt.hs256_secret && *options->jwt.hs256_secret;
	bool by_keys = options->jwks_url && *options->jwks_url;
	struct jwks *jwks = NULL;
	struct identity *i;
	if (!by_secret && !by_keys)
		return err_set(e, ERR_INPUT, "no key to verify tokens with");
	if (by_keys && !jwks_new(options, &jwks, e))
		return false;
	i = mem_alloc(sizeof(*i));
	i->jwks = jwks;
	i->rates = rates_new(&options->rates);
	i->options = options_copy(&options->jwt);
	list_init(&i->by_age);
	for (size_t b = 0; b < BUCKETS; b++)
		list_init(&i->buckets[b]);
	*out = i;
	return true;
}

void identity_use_roles(struct identity *i, const struct jwt_role *roles)
{
	i->options.roles = roles;
}

static void ticket_free(struct identity *i, struct ticket *t)
{
	list_remove(&t->by_age);
	list_remove(&t->in_bucket);
	principal_free(&t->who);
	mem_free(t);
	i->ticket_count--;
}

static struct ticket *ticket_oldest(struct identity *i)
{
	return list_empty(&i->by_age) ? NULL : list_item(i->by_age.next, struct ticket, by_age);
}

/* All tickets live equally long, so the oldest end first. */
static void tickets_expire(struct identity *i)
{
	struct ticket *t;
	while ((t = ticket_oldest(i)) && t->ends_mono_ms <= clock_mono_ms())
		ticket_free(i, t);
}

void identity_free(struct identity **i)
{
	if (!*i)
		return;
	struct ticket *t;
	while ((t = ticket_oldest(*i)))
		ticket_free(*i, t);
	struct jwt_options *o = &(*i)->options;
	jwks_free(&(*i)->jwks);
	rates_free(&(*i)->rates);
	texts_free(o->tenants);
	texts_free(o->tenant_values);
	mem_free((char *)o->hs256_secret);
	mem_free((char *)o->issuer);
	mem_free((char *)o->audience);
	mem_free((char *)o->tenant_claim);
	mem_free((char *)o->user_claim);
	mem_free(*i);
	*i = NULL;
}

bool identity_token(struct identity *i, struct str token, struct principal **out, struct err *e)
{
	struct jwt_options options = i->options;
	struct err why = {0};
	if (i->jwks)
		options.keys = jwks_keys(i->jwks);
	if (jwt_verify(token, &options, clock_now_ms(), out, &why))
		return true;
	if (i->jwks && why.may_retry)
		jwks_missed(i->jwks);
	return err_set(e, why.code, "%s", why.text);
}

static struct list *bucket_of(struct identity *i, const uint8_t hash[HASH_SHA256_BYTES])
{
	uint32_t number;
	memcpy(&number, hash, sizeof(number));
	return &i->buckets[number % BUCKETS];
}

void identity_ticket_new(struct identity *i, const struct principal *who, char out[TICKET_BYTES])
{
	tickets_expire(i);
	if (i->ticket_count == TICKETS_MAX)
		ticket_free(i, ticket_oldest(i));

	uint8_t secret[TICKET_SECRET_BYTES];
	hash_random(secret, sizeof(secret));
	struct buf text;
	buf_init(&text, TICKET_BYTES);
	hash_base64url(&text, secret, sizeof(secret));
	assert(text.n == TICKET_BYTES - 1);
	memcpy(out, buf_text(&text), TICKET_BYTES);
	buf_deinit(&text);

	struct ticket *t = mem_alloc(sizeof(*t));
	hash_sha256(out, TICKET_BYTES - 1, t->hash);
	t->who = principal_copy(who);
	t->ends_mono_ms = clock_mono_ms() + TICKET_LIFE_MS;
	list_append(&i->by_age, &t->by_age);
	list_append(bucket_of(i, t->hash), &t->in_bucket);
	i->ticket_count++;
}

static struct ticket *ticket_find(struct identity *i, struct str ticket)
{
	if (ticket.n != TICKET_BYTES - 1)
		return NULL;
	uint8_t hash[HASH_SHA256_BYTES];
	hash_sha256(ticket.p, ticket.n, hash);
	list_each(node, bucket_of(i, hash)) {
		struct ticket *t = list_item(node, struct ticket, in_bucket);
		if (hash_equal(t->hash, hash, sizeof(hash)))
			return t;
	}
	return NULL;
}

bool identity_ticket_use(struct identity *i, struct str ticket, struct principal **out,
			 struct err *e)
{
	tickets_expire(i);
	struct ticket *t = ticket_find(i, ticket);
	if (!t)
		return err_set(e, ERR_AUTH, "ticket: unknown, used or expired");
	struct principal *who = t->who;
	t->who = NULL;
	ticket_free(i, t);
	if (identity_expired(i, who)) {
		principal_free(&who);
		return err_set(e, ERR_AUTH, "expired");
	}
	*out = who;
	return true;
}

bool identity_rate(struct identity *i, const struct principal *who, struct rate *out)
{
	return rates_take(i->rates, who, out);
}

bool identity_expired(const struct identity *i, const struct principal *who)
{
	return clock_now_ms() >= who->expires_ms + i->options.leeway_s * 1000;
}
