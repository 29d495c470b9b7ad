/*
 * Many short strings, packed: a million of them take about as much memory as their letters twice.
 *
 * They are asked for exactly, and nearly: with up to two edits (insert, delete, replace, swap
 * neighbours). For the latter the sorted strings are seen as a radix tree, whose walk keeps a band
 * of edit distances and leaves every branch where all of them are too large. From the front alone
 * that would visit most of the first levels, because two errors fit any beginning. So each string
 * is there twice, as it is and reversed: of two errors one half of the query has at most one, or
 * the other half has none, and a walk that starts with that half meets few branches. Lists of
 * trigrams or of deletions would take several times the memory, and a common word ("solar" in every
 * third name) makes long lists of the former; bench_names prints what this one takes.
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
	char *bytes;       /* one after the other, without ends */
	uint32_t *offsets; /* of each string, and of the end */
	struct key_node *nodes;
	size_t node_count;
};

#define KEY_TRAITS 1024 /* a power of two */

struct keys {
	struct key_side forward, backward;
	uint64_t traits[KEY_TRAITS / 64]; /* which ends and lengths there are: most questions are
					     answered by that */
	uint64_t heads[KEY_TRAITS / 64];  /* the same of their first bytes */
	uint32_t *numbers;                /* the forward number of each backward string */
	size_t count;
};

/* Copies `count` strings, bytes[offsets[i]] up to offsets[i + 1], in any order and with any
 * repeated. Afterwards string i is the i-th in sorted order; the result tells which of the given
 * ones that was. The caller frees it. */
uint32_t *keys_init(struct keys *k, const char *bytes, const uint32_t *offsets, size_t count);
void keys_deinit(struct keys *k);

const char *keys_at(const struct keys *k, size_t i, size_t *len);
/* How many are equal to it; *first is the first one's number. */
size_t keys_find(const struct keys *k, const char *key, size_t len, size_t *first);
/* Strings that begin with the key: *lo up to *hi, which bound where to look before and where they
 * are after. False: there are none. */
bool keys_begin(const struct keys *k, const char *key, size_t len, size_t *lo, size_t *hi);
/* Calls for each one within `limit` edits (at most KEY_EDITS_MAX), in no order; for some twice. */
typedef void (*keys_near_cb)(void *owner, size_t number, int distance);
void keys_near(const struct keys *k, const char *key, size_t len, int limit, keys_near_cb each,
	       void *owner);

#endif
