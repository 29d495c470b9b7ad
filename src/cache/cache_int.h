/*
 * Internals of the cache folder: the map of the memory driver, without its callbacks.
 */
#ifndef CACHE_INT_H
#define CACHE_INT_H

#include "vesper/cache.h"
#include "vesper/hashmap.h"
#include "vesper/shares.h"

/* One value. An evicted entry stays allocated until its last reader releases it. */
struct entry {
	struct hashmap_node by_key; /* in the map, like node */
	struct list node;
	struct share share; /* tenant's share */
	int64_t ends_ms;    /* monotonic clock */
	size_t readers;
	bool dropped;
	size_t key_len;
	size_t value_len;
	char bytes[]; /* key, then value */
};

/* A map with limits. When it is full, the least recently used entry of the tenant with the most
 * entries is evicted. */
struct map {
	struct hashmap by_key;
	struct list entries;
	struct shares shares;
};

void map_init(struct map *m, size_t entries_max, size_t bytes_max);
void map_deinit(struct map *m);
/* Finds an entry that has not expired, or NULL; marks it as used. */
struct entry *map_find(struct map *m, struct str key);
/* Adds or replaces. False: it does not fit. */
bool map_set(struct map *m, struct str key, struct str value, int64_t ttl_ms);
void map_remove(struct map *m, struct str key);
/* Removes expired entries. */
void map_sweep(struct map *m);

struct str entry_value(const struct entry *e);
void entry_hold(struct entry *e);
void entry_release(struct entry *e);

#endif
