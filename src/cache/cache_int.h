/*
 * Inside the cache folder: the map of the memory driver, apart from its callbacks.
 */
#ifndef CACHE_INT_H
#define CACHE_INT_H

#include "vesper/cache.h"
#include "vesper/hashmap.h"
#include "vesper/shares.h"

/* One value. It outlives its place in the map for as long as somebody reads it. */
struct entry {
	struct hashmap_node by_key; /* in the map, as the next */
	struct list node;
	struct share share; /* its tenant's */
	int64_t ends_ms;    /* of the monotonic clock */
	size_t readers;
	bool dropped;
	size_t key_len;
	size_t value_len;
	char bytes[]; /* key, then value */
};

/* Bounded: a value that needs room pushes out the longest unused one of the tenant that has the
 * most. */
struct map {
	struct hashmap by_key;
	struct list entries;
	struct shares shares;
};

void map_init(struct map *m, size_t entries_max, size_t bytes_max);
void map_deinit(struct map *m);
/* What is kept and not over yet, or NULL; it counts as used now. */
struct entry *map_find(struct map *m, struct str key);
/* Replaces. False: there is no room for it. */
bool map_set(struct map *m, struct str key, struct str value, int64_t ttl_ms);
void map_remove(struct map *m, struct str key);
/* Removes what is over. */
void map_sweep(struct map *m);

struct str entry_value(const struct entry *e);
void entry_hold(struct entry *e);
void entry_release(struct entry *e);

#endif
