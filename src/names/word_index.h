/* An index from words (or initials) of names to the values that contain them, as packed ascending
 * numbers. */
#ifndef VESPER_NAMES_WORD_INDEX_H
#define VESPER_NAMES_WORD_INDEX_H

#include "keys.h"

struct word_index {
	struct keys keys;
	uint32_t *lists; /* start of each word's list in `bytes`, then the end */
	uint8_t *bytes;
};

struct word_build;
struct word_build *word_build_new(void);
/* Values must be added in ascending order. */
void word_build_add(struct word_build *b, const char *word, size_t len, uint32_t value);
/* Takes ownership of the build. */
void word_index_init(struct word_index *w, struct word_build **b);
void word_index_deinit(struct word_index *w);

/* Writes the first `max` values of a word. Returns the total number of its values. */
size_t word_index_list(const struct word_index *w, size_t word, uint32_t *out, size_t max);
/* Same, by the word's text. Returns 0 when no name contains it. */
size_t word_index_find(const struct word_index *w, const char *word, size_t len, uint32_t *out,
		       size_t max);

#endif
