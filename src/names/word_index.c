/*
 * Builds the word index. A hash table assigns numbers to distinct words; the lists are made in two
 * passes over pairs of word and value, then packed.
 */
#include "word_index.h"

#include <string.h>

#include "vesper/hash.h"
#include "vesper/mem.h"

struct pair {
	uint32_t word, value;
};

struct word_build {
	char *bytes;
	size_t byte_cap;
	uint32_t *offsets; /* of each distinct word, then the total size */
	size_t offset_cap, count;
	uint32_t *slots; /* word + 1; 0: empty */
	size_t slot_count;
	struct pair *pairs;
	size_t pair_count, pair_cap;
};

struct word_build *word_build_new(void)
{
	struct word_build *b = mem_alloc(sizeof(*b));

	b->offsets = mem_grow(NULL, &b->offset_cap, 1, sizeof(*b->offsets));
	b->offsets[0] = 0;
	b->slot_count = 64;
	b->slots = mem_alloc(b->slot_count * sizeof(*b->slots));
	return b;
}

static size_t hash_of(const char *word, size_t len)
{
	uint64_t h = hash_fnv(HASH_FNV_OFFSET_BASIS, word, len);

	return (size_t)(h ^ (h >> 29));
}

static uint32_t *slot_of(struct word_build *b, const char *word, size_t len)
{
	size_t at = hash_of(word, len) & (b->slot_count - 1);

	for (; b->slots[at]; at = (at + 1) & (b->slot_count - 1)) {
		uint32_t from = b->offsets[b->slots[at] - 1], to = b->offsets[b->slots[at]];

		if (to - from == len && memcmp(b->bytes + from, word, len) == 0)
			break;
	}
	return &b->slots[at];
}

static void grow_slots(struct word_build *b)
{
	mem_free(b->slots);
	b->slot_count *= 2;
	b->slots = mem_alloc(b->slot_count * sizeof(*b->slots));
	for (size_t i = 0; i < b->count; i++)
		*slot_of(b, b->bytes + b->offsets[i], b->offsets[i + 1] - b->offsets[i]) =
			(uint32_t)i + 1;
}

static uint32_t find_or_add_word(struct word_build *b, const char *word, size_t len)
{
	uint32_t *slot = slot_of(b, word, len), end = b->offsets[b->count];

	if (*slot)
		return *slot - 1;
	*slot = (uint32_t)b->count + 1;
	b->bytes = mem_grow(b->bytes, &b->byte_cap, end + len, 1);
	memcpy(b->bytes + end, word, len);
	b->count++;
	b->offsets = mem_grow(b->offsets, &b->offset_cap, b->count + 1, sizeof(*b->offsets));
	b->offsets[b->count] = end + (uint32_t)len;
	if (b->count * 2 > b->slot_count)
		grow_slots(b);
	return (uint32_t)b->count - 1;
}

void word_build_add(struct word_build *b, const char *word, size_t len, uint32_t value)
{
	uint32_t number = find_or_add_word(b, word, len);

	b->pairs = mem_grow(b->pairs, &b->pair_cap, b->pair_count + 1, sizeof(*b->pairs));
	b->pairs[b->pair_count++] = (struct pair){number, value};
}

/* ---- packing ---- */

static size_t write_varint(uint8_t *to, uint32_t n)
{
	size_t len = 0;

	for (; n >= 128; n >>= 7)
		to[len++] = (uint8_t)(n | 128);
	to[len++] = (uint8_t)n;
	return len;
}

static uint32_t read_varint(const uint8_t **from)
{
	uint32_t n = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = *(*from)++;

		n |= (uint32_t)(byte & 127) << shift;
		if (byte < 128)
			return n;
	}
}

/* Groups the values by word; `starts`: the start of each group. */
static uint32_t *group_by_word(const struct word_build *b, uint32_t *starts)
{
	uint32_t *values = mem_alloc((b->pair_count + 1) * sizeof(*values));

	for (size_t i = 0; i < b->pair_count; i++)
		starts[b->pairs[i].word + 1]++;
	for (size_t i = 0; i < b->count; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < b->pair_count; i++)
		values[starts[b->pairs[i].word]++] = b->pairs[i].value;
	/* each start was advanced to the end of its group */
	memmove(starts + 1, starts, b->count * sizeof(*starts));
	starts[0] = 0;
	return values;
}

/* Packs the count, the first value and the differences. A word that occurs twice in a name counts
 * once. */
static size_t pack(uint8_t *to, const uint32_t *values, size_t count)
{
	size_t len = 0, distinct = 0;

	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || values[i] != values[i - 1];
	len += write_varint(to, (uint32_t)distinct);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || values[i] != values[i - 1])
			len += write_varint(to + len, i ? values[i] - values[i - 1] : values[i]);
	return len;
}

void word_index_init(struct word_index *w, struct word_build **build)
{
	struct word_build *b = *build;
	uint32_t *starts = mem_alloc((b->count + 2) * sizeof(*starts)), *values, *order;
	size_t at = 0;

	values = group_by_word(b, starts);
	mem_free(b->pairs);
	mem_free(b->slots);
	order = keys_init(&w->keys, b->bytes ? b->bytes : "", b->offsets, b->count);
	mem_free(b->bytes);
	mem_free(b->offsets);
	w->lists = mem_alloc((b->count + 1) * sizeof(*w->lists));
	w->bytes = mem_alloc((b->pair_count + b->count) * 5 + 1);
	for (size_t i = 0; i < b->count; i++) {
		uint32_t word = order[i];

		w->lists[i] = (uint32_t)at;
		at += pack(w->bytes + at, values + starts[word], starts[word + 1] - starts[word]);
	}
	w->lists[b->count] = (uint32_t)at;
	w->bytes = mem_realloc(w->bytes, at + 1);
	mem_free(order);
	mem_free(values);
	mem_free(starts);
	mem_free(b);
	*build = NULL;
}

void word_index_deinit(struct word_index *w)
{
	keys_deinit(&w->keys);
	mem_free(w->lists);
	mem_free(w->bytes);
	*w = (struct word_index){0};
}

size_t word_index_list(const struct word_index *w, size_t word, uint32_t *out, size_t max)
{
	const uint8_t *at = w->bytes + w->lists[word];
	uint32_t count = read_varint(&at), value = 0;

	for (size_t i = 0; i < count && i < max; i++) {
		value += read_varint(&at);
		out[i] = value;
	}
	return count;
}

size_t word_index_find(const struct word_index *w, const char *word, size_t len, uint32_t *out,
		       size_t max)
{
	size_t at;

	if (len == 0 || keys_find(&w->keys, word, len, &at) == 0)
		return 0;
	return word_index_list(w, at, out, max);
}
