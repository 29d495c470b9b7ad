/* Words (or initials) of names, and the values that have each: ascending numbers, packed. */
#ifndef VESPER_NAMES_WORD_INDEX_H
#define VESPER_NAMES_WORD_INDEX_H

#include "keys.h"

struct word_index {
	struct keys keys;
	uint32_t *lists; /* where the list of each word begins in `bytes`, and the end */
	uint8_t *bytes;
};

struct word_build;
struct word_build *word_build_new(void);
/* Values must be added in ascending order. */
void word_build_add(struct word_build *b, const char *word, size_t len, uint32_t value);
/* Takes the build. */
void word_index_init(struct word_index *w, struct word_build **b);
void word_index_deinit(struct word_index *w);

/* The first `max` values of a word; returns how many it has in all. */
size_t word_index_list(const struct word_index *w, size_t word, uint32_t *out, size_t max);
/* The same by the word itself; 0 when no name has it. */
size_t word_index_find(const struct word_index *w, const char *word, size_t len, uint32_t *out,
		       size_t max);

#endif
