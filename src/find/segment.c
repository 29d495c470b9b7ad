/*
 * Builds a segment from chunks. Each word becomes the number of its stem. Then one counting pass
 * sorts the chunks of all words by stem, and the result is packed.
 */
#include "find_int.h"

#include <assert.h>
#include <stdlib.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

#define TEXT_ARENA_BYTES (1 << 20) /* for the tokens of one chunk */
#define SLOTS_MIN        1024      /* always a power of two */

struct stem_slot {
	uint64_t hash;
	uint32_t words; /* number of occurrences */
	uint32_t number;
};

struct find_builder {
	const struct language *language;
	struct stem_slot *slots; /* hash table; words 0: free */
	size_t slot_count, stem_count;
	uint32_t *words; /* the stem number of each word */
	size_t word_count, word_cap;
	size_t *ends; /* the end of each chunk in `words` */
	size_t chunk_count, chunk_cap;
};

struct find_builder *find_builder_new(const struct language *l)
{
	struct find_builder *b = mem_alloc(sizeof(*b));

	b->language = l;
	b->slot_count = SLOTS_MIN;
	b->slots = mem_alloc(b->slot_count * sizeof(*b->slots));
	return b;
}

void find_builder_free(struct find_builder **builder)
{
	struct find_builder *b = *builder;

	*builder = NULL;
	if (!b)
		return;
	mem_free(b->slots);
	mem_free(b->words);
	mem_free(b->ends);
	mem_free(b);
}

static struct stem_slot *slot_of(struct stem_slot *slots, size_t count, uint64_t hash)
{
	size_t i = hash & (count - 1);

	while (slots[i].words > 0 && slots[i].hash != hash)
		i = (i + 1) & (count - 1);
	return &slots[i];
}

static void grow_slots(struct find_builder *b)
{
	size_t new_count = 2 * b->slot_count;
	struct stem_slot *slots = mem_alloc(new_count * sizeof(*slots));

	for (size_t i = 0; i < b->slot_count; i++)
		if (b->slots[i].words > 0)
			*slot_of(slots, new_count, b->slots[i].hash) = b->slots[i];
	mem_free(b->slots);
	b->slots = slots;
	b->slot_count = new_count;
}

static void add_word(struct find_builder *b, uint64_t hash)
{
	struct stem_slot *s = slot_of(b->slots, b->slot_count, hash);

	if (s->words == 0) {
		*s = (struct stem_slot){.hash = hash, .number = (uint32_t)b->stem_count++};
	}
	s->words++;
	if (b->word_count == b->word_cap)
		b->words = mem_grow(b->words, &b->word_cap, b->word_count + 1, sizeof(*b->words));
	b->words[b->word_count++] = s->number;
	if (2 * b->stem_count > b->slot_count)
		grow_slots(b);
}

static void add_text(struct find_builder *b, struct str text, int times)
{
	struct arena *a = arena_new(TEXT_ARENA_BYTES);
	struct question q;

	text_tokenize(b->language, arena_strndup(a, text.p ? text.p : "", text.n), a, &q);
	for (size_t i = 0; i < q.count; i++)
		for (int k = 0; k < times && !token_in_list(&q.tokens[i], WORDS_STOP); k++)
			add_word(b, find_hash(&q.tokens[i]));
	arena_free(&a);
}

void find_builder_add(struct find_builder *b, struct str heading, struct str text)
{
	assert(b->chunk_count < DOCUMENT_CHUNKS_MAX);
	add_text(b, heading, 2);
	add_text(b, text, 1);
	if (b->chunk_count == b->chunk_cap)
		b->ends = mem_grow(b->ends, &b->chunk_cap, b->chunk_count + 1, sizeof(*b->ends));
	b->ends[b->chunk_count++] = b->word_count;
}

/* ---- packing ---- */

static int compare_hashes(const void *a, const void *b)
{
	uint64_t x = ((const struct stem_slot *)a)->hash, y = ((const struct stem_slot *)b)->hash;

	return x < y ? -1 : x > y;
}

/* The stems sorted by hash; `position_of`: the position of each stem number. */
static struct stem_slot *sorted_stems(const struct find_builder *b, uint32_t *position_of)
{
	struct stem_slot *stems = mem_alloc((b->stem_count + 1) * sizeof(*stems));
	size_t n = 0;

	for (size_t i = 0; i < b->slot_count; i++)
		if (b->slots[i].words > 0)
			stems[n++] = b->slots[i];
	qsort(stems, n, sizeof(*stems), compare_hashes);
	for (size_t i = 0; i < n; i++)
		position_of[stems[i].number] = (uint32_t)i;
	return stems;
}

/* The chunk of every word, grouped by stem and ascending. `starts`: the start of each stem, and the
 * end of the last one. */
static uint32_t *chunks_by_stem(const struct find_builder *b, const struct stem_slot *stems,
				const uint32_t *position_of, size_t *starts)
{
	uint32_t *chunks = mem_alloc((b->word_count + 1) * sizeof(*chunks));
	size_t *next = mem_alloc((b->stem_count + 1) * sizeof(*next));
	size_t word = 0;

	for (size_t i = 0; i < b->stem_count; i++) {
		next[i] = starts[i];
		starts[i + 1] = starts[i] + stems[i].words;
	}
	for (size_t c = 0; c < b->chunk_count; c++)
		for (; word < b->ends[c]; word++)
			chunks[next[position_of[b->words[word]]]++] = (uint32_t)c;
	mem_free(next);
	return chunks;
}

static void write_varint(struct buf *out, uint32_t value)
{
	while (value >= 0x80) {
		buf_char(out, (char)(value | 0x80));
		value >>= 7;
	}
	buf_char(out, (char)value);
}

static void write_postings(struct buf *out, const uint32_t *chunks, size_t count,
			   struct find_term *t)
{
	uint32_t previous = 0;

	for (size_t i = 0, n; i < count; i += n) {
		for (n = 1; i + n < count && chunks[i + n] == chunks[i]; n++)
			continue;
		write_varint(out, chunks[i] - previous);
		write_varint(out, (uint32_t)n);
		previous = chunks[i];
		t->chunk_count++;
		if (n > t->times_max)
			t->times_max = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
	}
}

static void pack_postings(struct find_segment *s, const struct stem_slot *stems,
			  const uint32_t *chunks, const size_t *starts)
{
	struct buf postings;

	buf_init(&postings, UINT32_MAX);
	for (size_t i = 0; i < s->term_count; i++) {
		s->terms[i] = (struct find_term){.hash = stems[i].hash, .at = (uint32_t)postings.n};
		write_postings(&postings, chunks + starts[i], starts[i + 1] - starts[i],
			       &s->terms[i]);
	}
	buf_shrink(&postings);
	s->posting_bytes = postings.n;
	s->postings = (unsigned char *)buf_take(&postings);
}

struct find_segment *find_builder_finish(struct find_builder **builder)
{
	struct find_builder *b = *builder;
	struct find_segment *s = mem_alloc(sizeof(*s));
	uint32_t *position_of = mem_alloc((b->stem_count + 1) * sizeof(*position_of));
	size_t *starts = mem_alloc((b->stem_count + 1) * sizeof(*starts));
	struct stem_slot *stems = sorted_stems(b, position_of);
	uint32_t *chunks = chunks_by_stem(b, stems, position_of, starts);

	s->chunk_count = b->chunk_count;
	s->lengths = mem_alloc((b->chunk_count + 1) * sizeof(*s->lengths));
	for (size_t c = 0; c < b->chunk_count; c++) {
		s->lengths[c] = (uint32_t)(b->ends[c] - (c > 0 ? b->ends[c - 1] : 0));
		if (c == 0 || s->lengths[c] < s->shortest)
			s->shortest = s->lengths[c];
	}
	s->words = b->word_count;
	s->term_count = b->stem_count;
	s->terms = mem_alloc((b->stem_count + 1) * sizeof(*s->terms));
	pack_postings(s, stems, chunks, starts);
	mem_free(position_of);
	mem_free(starts);
	mem_free(stems);
	mem_free(chunks);
	find_builder_free(builder);
	return s;
}

void find_segment_free(struct find_segment **segment)
{
	struct find_segment *s = *segment;

	*segment = NULL;
	if (!s)
		return;
	mem_free(s->lengths);
	mem_free(s->terms);
	mem_free(s->postings);
	mem_free(s);
}

size_t find_segment_chunks(const struct find_segment *s)
{
	return s->chunk_count;
}

size_t find_segment_bytes(const struct find_segment *s)
{
	return sizeof(*s) + (s->chunk_count + 1) * sizeof(*s->lengths) +
	       (s->term_count + 1) * sizeof(*s->terms) + s->posting_bytes;
}

const struct find_term *find_term_of(const struct find_segment *s, uint64_t hash)
{
	size_t at;

	if (s->term_count == 0)
		return NULL;
	at = find_term_estimate(s, hash);
	while (at > 0 && s->terms[at].hash > hash)
		at--;
	while (at + 1 < s->term_count && s->terms[at].hash < hash)
		at++;
	return s->terms[at].hash == hash ? &s->terms[at] : NULL;
}
