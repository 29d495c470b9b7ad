/*
 * The memory driver's map: a hash map, plus tenant shares in order of use. Expired entries are
 * removed on lookup or by eviction.
 */
#include "cache_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/mem.h"

static size_t entry_bytes(size_t key_len, size_t value_len)
{
	return sizeof(struct entry) + key_len + value_len;
}

struct str entry_value(const struct entry *e)
{
	return (struct str){e->bytes + e->key_len, e->value_len};
}

void entry_retain(struct entry *e)
{
	e->readers++;
}

void entry_release(struct entry *e)
{
	assert(e->readers > 0);
	if (--e->readers == 0 && e->dropped)
		mem_free(e);
}

static void drop(struct entry_map *m, struct entry *e)
{
	hashmap_remove(&m->by_key, &e->by_key);
	list_remove(&e->node);
	shares_remove(&m->shares, &e->share);
	e->dropped = true;
	if (e->readers == 0)
		mem_free(e);
}

void entry_map_init(struct entry_map *m, size_t entries_max, size_t bytes_max)
{
	*m = (struct entry_map){0};
	hashmap_init(&m->by_key);
	list_init(&m->entries);
	shares_init(&m->shares, entries_max, bytes_max);
}

void entry_map_deinit(struct entry_map *m)
{
	while (!list_empty(&m->entries))
		drop(m, list_item(m->entries.next, struct entry, node));
	shares_deinit(&m->shares);
	hashmap_deinit(&m->by_key);
}

static struct entry *find(const struct entry_map *m, struct str key)
{
	struct hashmap_node *node = hashmap_find(&m->by_key, key);

	return node ? hashmap_item(node, struct entry, by_key) : NULL;
}

struct entry *entry_map_find(struct entry_map *m, struct str key)
{
	struct entry *e = find(m, key);

	if (!e)
		return NULL;
	if (e->ends_ms <= clock_mono_ms()) {
		drop(m, e);
		return NULL;
	}
	shares_touch(&e->share);
	return e;
}

/* Every key begins with the tenant. */
static struct str tenant_of(struct str key)
{
	return (struct str){key.p, strnlen(key.p, key.n)};
}

/* Evicts entries until the limits hold. False: the added entry was evicted. */
static bool make_room(struct entry_map *m, struct entry *added)
{
	struct share *over;
	bool is_kept;

	entry_retain(added);
	while ((over = shares_next_to_evict(&m->shares)))
		drop(m, list_item(over, struct entry, share));
	is_kept = !added->dropped;
	entry_release(added);
	return is_kept;
}

bool entry_map_set(struct entry_map *m, struct str key, struct str value, int64_t ttl_ms)
{
	size_t bytes = entry_bytes(key.n, value.n);
	struct entry *e;

	entry_map_remove(m, key);
	if (bytes > m->shares.bytes_max)
		return false;
	e = mem_alloc(bytes);
	e->ends_ms = clock_mono_ms() + ttl_ms;
	e->key_len = key.n;
	e->value_len = value.n;
	memcpy(e->bytes, key.p, key.n);
	if (value.n > 0)
		memcpy(e->bytes + key.n, value.p, value.n);
	hashmap_add(&m->by_key, &e->by_key, (struct str){e->bytes, e->key_len});
	list_append(&m->entries, &e->node);
	shares_add(&m->shares, &e->share, tenant_of(key), bytes);
	return make_room(m, e);
}

void entry_map_remove(struct entry_map *m, struct str key)
{
	struct entry *e = find(m, key);

	if (e)
		drop(m, e);
}

void entry_map_sweep(struct entry_map *m)
{
	int64_t now_ms = clock_mono_ms();

	list_each_safe(node, &m->entries) {
		struct entry *e = list_item(node, struct entry, node);
		if (e->ends_ms <= now_ms)
			drop(m, e);
	}
}
