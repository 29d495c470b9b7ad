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

/* A map with limits. When it is full, the least recently used entry of the tenant that uses most is
 * evicted. */
struct entry_map {
	struct hashmap by_key;
	struct list entries;
	struct shares shares;
};

void entry_map_init(struct entry_map *m, size_t entries_max, size_t bytes_max);
void entry_map_deinit(struct entry_map *m);
/* Finds an entry that has not expired, or NULL; marks it as used. */
struct entry *entry_map_find(struct entry_map *m, struct str key);
/* Adds or replaces. False: it does not fit. */
bool entry_map_set(struct entry_map *m, struct str key, struct str value, int64_t ttl_ms);
void entry_map_remove(struct entry_map *m, struct str key);
/* Removes expired entries. */
void entry_map_sweep(struct entry_map *m);

struct str entry_value(const struct entry *e);
void entry_retain(struct entry *e);
void entry_release(struct entry *e);

#endif
