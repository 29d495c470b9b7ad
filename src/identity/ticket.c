/*
 * Tickets replace a token where a browser cannot send headers. Only the hash is stored, a ticket
 * works once, and it expires after half a minute, so a ticket found in a log is worthless.
 */
#include "ticket.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/hashmap.h"
#include "vesper/limits.h"
#include "vesper/list.h"
#include "vesper/mem.h"
#include "vesper/shares.h"

#define TICKET_SECRET_BYTES 32

struct ticket {
	struct list by_age;
	struct hashmap_node by_hash;
	struct share share; /* of its tenant */
	uint8_t hash[HASH_SHA256_BYTES];
	struct principal *who;
	int64_t ends_mono_ms;
};

struct tickets {
	struct list by_age; /* oldest first */
	struct hashmap by_hash;
	struct shares shares;
};

struct tickets *tickets_new(void)
{
	struct tickets *all = mem_alloc(sizeof(*all));

	list_init(&all->by_age);
	shares_init(&all->shares, TICKETS_MAX, SIZE_MAX);
	hashmap_init(&all->by_hash);
	return all;
}

static void ticket_free(struct tickets *all, struct ticket *t)
{
	list_remove(&t->by_age);
	hashmap_remove(&all->by_hash, &t->by_hash);
	shares_remove(&all->shares, &t->share);
	principal_free(&t->who);
	mem_free(t);
}

static struct ticket *ticket_oldest(struct tickets *all)
{
	return list_empty(&all->by_age) ? NULL : list_item(all->by_age.next, struct ticket, by_age);
}

/* All tickets have the same lifetime, so the oldest expire first. */
static void tickets_expire(struct tickets *all)
{
	struct ticket *t;

	while ((t = ticket_oldest(all)) && t->ends_mono_ms <= clock_mono_ms())
		ticket_free(all, t);
}

void tickets_free(struct tickets **tickets)
{
	struct tickets *all = *tickets;
	struct ticket *t;

	*tickets = NULL;
	if (!all)
		return;
	while ((t = ticket_oldest(all)))
		ticket_free(all, t);
	hashmap_deinit(&all->by_hash);
	shares_deinit(&all->shares);
	mem_free(all);
}

static struct str hash_key(const uint8_t hash[HASH_SHA256_BYTES])
{
	return (struct str){(const char *)hash, HASH_SHA256_BYTES};
}

void ticket_generate(char out[TICKET_BYTES])
{
	uint8_t secret[TICKET_SECRET_BYTES];
	struct buf text;

	hash_random(secret, sizeof(secret));
	buf_init(&text, TICKET_BYTES);
	hash_base64url(&text, secret, sizeof(secret));
	assert(text.n == TICKET_BYTES - 1);
	memcpy(out, buf_text(&text), TICKET_BYTES);
	buf_deinit(&text);
}

void tickets_add(struct tickets *all, const char *ticket, const struct principal *who)
{
	struct ticket *t = mem_alloc(sizeof(*t));
	struct share *excess;

	tickets_expire(all);
	hash_sha256(ticket, TICKET_BYTES - 1, t->hash);
	t->who = principal_copy(who);
	t->ends_mono_ms = clock_mono_ms() + TICKET_LIFE_MS;
	list_append(&all->by_age, &t->by_age);
	hashmap_add(&all->by_hash, &t->by_hash, hash_key(t->hash));
	shares_add(&all->shares, &t->share, str_of(t->who->tenant), 0);
	while ((excess = shares_next_to_evict(&all->shares)))
		ticket_free(all, list_item(excess, struct ticket, share));
}

static struct ticket *ticket_find(struct tickets *all, struct str ticket)
{
	uint8_t hash[HASH_SHA256_BYTES];
	struct hashmap_node *node;

	if (ticket.n != TICKET_BYTES - 1)
		return NULL;
	hash_sha256(ticket.p, ticket.n, hash);
	node = hashmap_find(&all->by_hash, hash_key(hash));
	return node ? hashmap_item(node, struct ticket, by_hash) : NULL;
}

struct principal *tickets_redeem(struct tickets *all, struct str ticket)
{
	struct principal *who;
	struct ticket *t;

	tickets_expire(all);
	t = ticket_find(all, ticket);
	if (!t)
		return NULL;
	who = t->who;
	t->who = NULL;
	ticket_free(all, t);
	return who;
}
