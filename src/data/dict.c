/* Hash map from words to numbers, with open addressing. Words are copied into the arena and never
 * removed. */
#include "vesper/dict.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "vesper/hash.h"

#define SIZE_FIRST 32

/* 16 bytes, since each tool and each list of packs has a table. */
struct dict_slot {
	const char *word; /* NULL: free */
	uint32_t len;
	int number;
};

static size_t hash_of(const char *word, size_t len)
{
	uint64_t h = hash_fnv(HASH_FNV_OFFSET_BASIS, word, len);

	return (size_t)(h ^ (h >> 29));
}

void dict_init(struct dict *d, struct arena *a)
{
	*d = (struct dict){.arena = a};
}

static struct dict_slot *slot_of(const struct dict *d, const char *word, size_t len)
{
	size_t at = hash_of(word, len) & (d->size - 1);

	while (d->slots[at].word &&
	       (d->slots[at].len != len || memcmp(d->slots[at].word, word, len) != 0))
		at = (at + 1) & (d->size - 1);
	return &d->slots[at];
}

static void dict_grow(struct dict *d)
{
	struct dict old = *d;

	d->size = old.size ? old.size * 2 : SIZE_FIRST;
	d->slots = arena_alloc(d->arena, d->size * sizeof(*d->slots));
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].word)
			*slot_of(d, old.slots[i].word, old.slots[i].len) = old.slots[i];
}

int dict_find(const struct dict *d, const char *word, size_t len)
{
	const struct dict_slot *s;

	if (d->size == 0)
		return -1;
	s = slot_of(d, word, len);
	return s->word ? s->number : -1;
}

void dict_put(struct dict *d, const char *word, size_t len, int number)
{
	struct dict_slot *s;

	assert(number >= 0 && len <= UINT32_MAX);
	if ((d->count + 1) * 4 > d->size * 3) /* at least a quarter stays free, so searches end */
		dict_grow(d);
	s = slot_of(d, word, len);
	if (!s->word) {
		d->count++;
		s->word = arena_strndup(d->arena, word, len);
		s->len = (uint32_t)len;
	}
	s->number = number;
}
