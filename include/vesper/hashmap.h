/*
 * A hash map of nodes embedded in their owners' structs, keyed by bytes. Keys are hashed with a
 * secret per map (SipHash), so that callers who choose keys cannot make them collide. It grows with
 * its content. One thread at a time.
 */
#ifndef VESPER_HASHMAP_H
#define VESPER_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/str.h"

struct hashmap_node {
	struct hashmap_node *next;
	uint64_t hash;
	struct str key;
};

struct hashmap {
	struct hashmap_node **buckets;
	size_t bucket_count; /* a power of two */
	size_t count;
	uint64_t secret[2];
};

void hashmap_init(struct hashmap *m);
/* Nodes belong to their owners, who remove them first or drop them together with the map. */
void hashmap_deinit(struct hashmap *m);

/* The node of this key, or NULL. */
struct hashmap_node *hashmap_find(const struct hashmap *m, struct str key);
/* Adds a node under a new key. The key is borrowed and must outlive the node. */
void hashmap_add(struct hashmap *m, struct hashmap_node *node, struct str key);
/* Removes a node that is in the map. */
void hashmap_remove(struct hashmap *m, struct hashmap_node *node);

/* The next node, in no particular order; `node` NULL: the first. NULL at the end. */
struct hashmap_node *hashmap_next(const struct hashmap *m, const struct hashmap_node *node);

/* The loop's body may remove the current node. */
#define hashmap_each(node, m)                                                                      \
	for (struct hashmap_node *node = hashmap_next(m, NULL), *node##_next;                      \
	     node && (node##_next = hashmap_next(m, node), true); node = node##_next)

#define hashmap_item(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

#endif
