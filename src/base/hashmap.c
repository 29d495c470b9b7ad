/* Chained buckets in a table that doubles when there are as many nodes as buckets. */
#include "vesper/hashmap.h"

#include <assert.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/mem.h"

#define BUCKETS_AT_FIRST 16

static uint64_t rotl(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

/* SipHash-1-3, as in the tables of Rust and Python. The words are read in the machine's byte order:
 * a hash never leaves the process. */
static uint64_t siphash(const uint64_t secret[2], struct str key)
{
	uint64_t v[4] = {
		secret[0] ^ UINT64_C(0x736f6d6570736575), secret[1] ^ UINT64_C(0x646f72616e646f6d),
		secret[0] ^ UINT64_C(0x6c7967656e657261), secret[1] ^ UINT64_C(0x7465646279746573)};
	size_t at = 0;

	for (bool last = false; !last; at += 8) {
		uint64_t word = 0;

		last = key.n - at < 8;
		memcpy(&word, key.p + at, last ? key.n - at : 8);
		if (last)
			word |= (uint64_t)key.n << 56;
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static struct hashmap_node **bucket_of(const struct hashmap *m, uint64_t hash)
{
	return &m->buckets[hash & (m->bucket_count - 1)];
}

static void buckets_new(struct hashmap *m, size_t count)
{
	m->bucket_count = count;
	m->buckets = mem_alloc(count * sizeof(struct hashmap_node *));
}

void hashmap_init(struct hashmap *m)
{
	*m = (struct hashmap){0};
	hash_random(m->secret, sizeof(m->secret));
	buckets_new(m, BUCKETS_AT_FIRST);
}

void hashmap_deinit(struct hashmap *m)
{
	mem_free(m->buckets);
	*m = (struct hashmap){0};
}

struct hashmap_node *hashmap_find(const struct hashmap *m, struct str key)
{
	uint64_t hash = siphash(m->secret, key);
	struct hashmap_node *node = *bucket_of(m, hash);

	while (node && (node->hash != hash || !str_eq(node->key, key)))
		node = node->next;
	return node;
}

struct hashmap_node *hashmap_next(const struct hashmap *m, const struct hashmap_node *node)
{
	size_t i = node ? (node->hash & (m->bucket_count - 1)) + 1 : 0;
	struct hashmap_node *next = node ? node->next : NULL;

	while (!next && i < m->bucket_count)
		next = m->buckets[i++];
	return next;
}

static void chain(struct hashmap *m, struct hashmap_node *node)
{
	struct hashmap_node **bucket = bucket_of(m, node->hash);

	node->next = *bucket;
	*bucket = node;
}

static void grow(struct hashmap *m)
{
	struct hashmap_node **old = m->buckets;
	size_t count = m->bucket_count;

	buckets_new(m, 2 * count);
	for (size_t i = 0; i < count; i++) {
		for (struct hashmap_node *node = old[i], *next; node; node = next) {
			next = node->next;
			chain(m, node);
		}
	}
	mem_free(old);
}

void hashmap_add(struct hashmap *m, struct hashmap_node *node, struct str key)
{
	assert(!hashmap_find(m, key));
	if (m->count == m->bucket_count)
		grow(m);
	node->key = key;
	node->hash = siphash(m->secret, key);
	chain(m, node);
	m->count++;
}

void hashmap_remove(struct hashmap *m, struct hashmap_node *node)
{
	struct hashmap_node **at = bucket_of(m, node->hash);

	while (*at != node) {
		assert(*at);
		at = &(*at)->next;
	}
	*at = node->next;
	m->count--;
}
