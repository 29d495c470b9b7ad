/*
 * Bounded room that several owners (tenants) share. Where more is in it than there may be, the
 * oldest item of the owner that holds the most goes first; so one owner may fill the room while the
 * others need none of it, and never pushes out one that holds less.
 *
 * Items live in their holders' structs. The holder adds, then removes what shares_over names until
 * it names nothing. One thread at a time.
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
	struct list owners; /* those that hold something */
	size_t count, count_max;
	size_t bytes, bytes_max;
};

void shares_init(struct shares *s, size_t count_max, size_t bytes_max);
/* Every item must be removed. */
void shares_deinit(struct shares *s);

/* The item is the newest of its owner now. The name is copied. */
void shares_add(struct shares *s, struct share *item, struct str owner, size_t bytes);
void shares_renew(struct share *item);
void shares_remove(struct shares *s, struct share *item);

/* What has to go next; NULL: nothing. It may be the item that was added last. */
struct share *shares_over(const struct shares *s);

#endif
