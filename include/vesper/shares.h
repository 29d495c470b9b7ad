/*
 * Bounded memory shared by several owners (tenants). When it is full, the item of the largest owner
 * that was added or touched longest ago is evicted first. So one owner can use all of it while
 * others need none, and never evicts items of an owner that holds less.
 *
 * Items are members of their holders' structs. The holder adds an item, then removes the items
 * that shares_next_to_evict returns until it returns NULL. Not thread-safe.
 */
#ifndef VESPER_SHARES_H
#define VESPER_SHARES_H

#include <stddef.h>

#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/str.h"

struct share {
	struct list node;
	struct share_owner *owner;
	size_t bytes;
};

struct shares {
	struct hashmap by_name;
	struct list owners; /* owners with items */
	size_t count, count_max;
	size_t bytes, bytes_max;
};

void shares_init(struct shares *s, size_t count_max, size_t bytes_max);
/* All items must have been removed. */
void shares_deinit(struct shares *s);

/* Adds the item as its owner's newest. The name is copied. */
void shares_add(struct shares *s, struct share *item, struct str owner, size_t bytes);
/* Makes the item its owner's newest. */
void shares_touch(struct share *item);
void shares_remove(struct shares *s, struct share *item);

/* The next item to evict; NULL: none. It may be the item that was added last. */
struct share *shares_next_to_evict(const struct shares *s);

#endif
