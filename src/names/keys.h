/*
 * Many short strings, packed: a million of them take about twice the memory of their letters.
 *
 * Supports exact search and fuzzy search with up to two edits (insert, delete, replace, swap
 * adjacent characters). Fuzzy search walks the sorted strings as a radix tree. The walk tracks a
 * band of edit distances and prunes branches where all of them exceed the limit.
 *
 * A walk from the front alone would visit most of the first levels, because two errors fit any
 * prefix. Therefore every string is stored forward and reversed. Of two errors, one half of the
 * query has at most one, or the other half has none, so a walk that starts with that half visits
 * few branches.
 *
 * Indexes of trigrams or deletions would need several times the memory, and a common word ("solar"
 * in every third name) makes long trigram lists. bench_names prints the memory used.
 */
#ifndef VESPER_NAMES_KEYS_H
#define VESPER_NAMES_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/text.h"

#define KEY_EDITS_MAX 2

struct key_node;

/* The strings in one direction, sorted. */
struct key_side {
	char *bytes;       /* concatenated, without terminators */
	uint32_t *offsets; /* of each string, then the total size */
	struct key_node *nodes;
	size_t node_count;
};

#define KEY_TRAITS 1024 /* a power of two */

struct keys {
	struct key_side forward, backward;
	/* hashes of end bytes and lengths; rejects most absent strings */
	uint64_t traits[KEY_TRAITS / 64];
	uint64_t heads[KEY_TRAITS / 64]; /* the same for their first bytes */
	uint32_t *numbers;               /* by backward string: its forward index */
	size_t count;
};

/* Copies `count` strings, bytes[offsets[i]] up to offsets[i + 1], in any order, possibly with
 * duplicates. Afterwards string i is the i-th in sorted order. Returns the input index of each;
 * the caller frees the array. */
uint32_t *keys_init(struct keys *k, const char *bytes, const uint32_t *offsets, size_t count);
void keys_deinit(struct keys *k);

const char *keys_at(const struct keys *k, size_t i, size_t *len);
/* Returns how many strings equal the key; *first: the index of the first. */
size_t keys_find(const struct keys *k, const char *key, size_t len, size_t *first);
/* Finds the strings that begin with the key. *lo and *hi limit the search on entry and hold the
 * range found on return. Returns false when there are none. */
bool keys_find_prefix(const struct keys *k, const char *key, size_t len, size_t *lo, size_t *hi);
/* Calls `each` for every string within `limit` edits (at most KEY_EDITS_MAX), in no particular
 * order. A string may be reported twice. */
typedef void (*keys_fuzzy_cb)(void *owner, size_t number, int distance);
void keys_find_fuzzy(const struct keys *k, const char *key, size_t len, int limit,
		     keys_fuzzy_cb each, void *owner);

#endif
