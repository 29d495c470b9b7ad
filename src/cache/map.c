/*
 * The map of the memory driver: a fixed table of chains beside the tenants' shares in the order of
 * use. Its size is bounded from the first day, so the table never grows; what is over is found when
 * it is looked for, or goes with the longest unused.
 */
#include "cache_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/mem.h"

#define BUCKETS 4096 /* a power of two */

/* FNV-1a: names are made by code, so nobody outside can aim at one chain. */
static uint64_t hash_of(struct str key)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < key.n; i++)
		h = (h ^ (unsigned char)key.p[i]) * 1099511628211u;
	return h;
}

static size_t entry_bytes(size_t key_len, size_t value_len)
{
	return sizeof(struct entry) + key_len + value_len;
}

struct str entry_value(const struct entry *e)
{
	return (struct str){e->bytes + e->key_len, e->value_len};
}

void entry_hold(struct entry *e)
{
	e->readers++;
}

void entry_release(struct entry *e)
{
	assert(e->readers > 0);
	if (--e->readers == 0 && e->dropped)
		mem_free(e);
}

static bool has_key(const struct entry *e, uint64_t hash, struct str key)
{
	return e->hash == hash && str_eq((struct str){e->bytes, e->key_len}, key);
}

static struct entry **bucket_of(struct map *m, uint64_t hash)
{
	return &m->buckets[hash % BUCKETS];
}

/* Where the chain points to the entry, or to its end. */
static struct entry **place_of(struct map *m, uint64_t hash, struct str key)
{
	struct entry **at = bucket_of(m, hash);

	while (*at && !has_key(*at, hash, key))
		at = &(*at)->next;
	return at;
}

static void drop(struct map *m, struct entry **at)
{
	struct entry *e = *at;

	*at = e->next;
	list_remove(&e->node);
	shares_remove(&m->shares, &e->share);
	e->dropped = true;
	if (e->readers == 0)
		mem_free(e);
}

static void drop_entry(struct map *m, struct entry *e)
{
	drop(m, place_of(m, e->hash, (struct str){e->bytes, e->key_len}));
}

void map_init(struct map *m, size_t entries_max, size_t bytes_max)
{
	*m = (struct map){
		.buckets = mem_alloc(BUCKETS * sizeof(struct entry *)),
	};
	list_init(&m->entries);
	shares_init(&m->shares, entries_max, bytes_max);
}

void map_deinit(struct map *m)
{
	while (!list_empty(&m->entries))
		drop_entry(m, list_item(m->entries.next, struct entry, node));
	shares_deinit(&m->shares);
	mem_free(m->buckets);
}

struct entry *map_find(struct map *m, struct str key)
{
	struct entry **at = place_of(m, hash_of(key), key);

	if (!*at)
		return NULL;
	if ((*at)->ends_ms <= clock_mono_ms()) {
		drop(m, at);
		return NULL;
	}
	shares_renew(&(*at)->share);
	return *at;
}

/* The tenant opens every key. */
static struct str tenant_of(struct str key)
{
	return (struct str){key.p, strnlen(key.p, key.n)};
}

/* False: the entry itself had to go. */
static bool make_room(struct map *m, struct entry *added)
{
	struct share *over;
	bool stays;

	entry_hold(added);
	while ((over = shares_over(&m->shares)))
		drop_entry(m, list_item(over, struct entry, share));
	stays = !added->dropped;
	entry_release(added);
	return stays;
}

bool map_set(struct map *m, struct str key, struct str value, int64_t ttl_ms)
{
	size_t bytes = entry_bytes(key.n, value.n);
	struct entry *e;

	map_remove(m, key);
	if (bytes > m->shares.bytes_max)
		return false;
	e = mem_alloc(bytes);
	e->hash = hash_of(key);
	e->ends_ms = clock_mono_ms() + ttl_ms;
	e->key_len = key.n;
	e->value_len = value.n;
	memcpy(e->bytes, key.p, key.n);
	if (value.n > 0)
		memcpy(e->bytes + key.n, value.p, value.n);
	e->next = *bucket_of(m, e->hash);
	*bucket_of(m, e->hash) = e;
	list_append(&m->entries, &e->node);
	shares_add(&m->shares, &e->share, tenant_of(key), bytes);
	return make_room(m, e);
}

void map_remove(struct map *m, struct str key)
{
	struct entry **at = place_of(m, hash_of(key), key);

	if (*at)
		drop(m, at);
}

void map_sweep(struct map *m)
{
	int64_t now_ms = clock_mono_ms();

	list_each_safe(node, &m->entries) {
		struct entry *e = list_item(node, struct entry, node);
		if (e->ends_ms <= now_ms)
			drop_entry(m, e);
	}
}
