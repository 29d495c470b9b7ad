/* The members of a segment, shared by building and searching. */
#ifndef VESPER_FIND_INT_H
#define VESPER_FIND_INT_H

#include "vesper/find.h"
#include "vesper/hash.h"
#include "vesper/text.h"
#include "vesper/words.h"

/* A stem. Its postings are the bytes of the segment from `at` to those of the next stem. */
struct find_term {
	uint64_t hash;
	uint32_t at;
	uint16_t chunk_count; /* chunks with the stem */
	uint16_t times_max;   /* most occurrences in one chunk, at most UINT16_MAX */
};
_Static_assert(DOCUMENT_CHUNKS_MAX <= UINT16_MAX, "chunk_count must fit");

struct find_segment {
	uint32_t *lengths; /* of each chunk in words; words of the heading count twice */
	uint32_t shortest; /* the smallest length */
	size_t chunk_count;
	uint64_t words;          /* of all chunks */
	struct find_term *terms; /* sorted by hash */
	size_t term_count;
	unsigned char *postings; /* varints: difference to the previous chunk, occurrences */
	size_t posting_bytes;
};

/* Mixes the hash, since FNV of a short word is not evenly distributed. */
static inline uint64_t find_hash(const struct token *t)
{
	char stem[STEM_BYTES];
	size_t n = word_stem(t->text, t->len, stem);
	uint64_t hash = hash_fnv(HASH_FNV_OFFSET_BASIS, stem, n);

	hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
	return hash ^ hash >> 32;
}

/* The estimated position of a stem, since hashes are evenly distributed. */
static inline size_t find_term_estimate(const struct find_segment *s, uint64_t hash)
{
	return (size_t)(((unsigned __int128)hash * s->term_count) >> 64);
}
/* NULL: the segment does not contain it. */
const struct find_term *find_term_of(const struct find_segment *s, uint64_t hash);

struct find_posting {
	uint32_t chunk, times;
};
struct find_postings {
	const unsigned char *at;
	uint32_t remaining, chunk;
};
static inline struct find_postings find_postings_of(const struct find_segment *s,
						    const struct find_term *t)
{
	return (struct find_postings){s->postings + t->at, t->chunk_count, 0};
}

static inline uint32_t find_varint(const unsigned char **at)
{
	uint32_t value = **at;
	int shift = 0;

	if (value < 0x80) { /* most values */
		(*at)++;
		return value;
	}
	value = 0;
	do
		value |= (uint32_t)(**at & 0x7F) << shift;
	while (shift += 7, *(*at)++ & 0x80);
	return value;
}

static inline bool find_next_posting(struct find_postings *p, struct find_posting *out)
{
	if (p->remaining == 0)
		return false;
	p->remaining--;
	p->chunk += find_varint(&p->at);
	out->chunk = p->chunk;
	out->times = find_varint(&p->at);
	return true;
}

#endif
