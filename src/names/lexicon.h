/*
 * The known names of one dimension, searchable by whole name, by word, by initials, and by fuzzy
 * match. Immutable, so a worker thread may build it and several users share it. Loop thread only:
 * reference counting.
 */
#ifndef VESPER_NAMES_LEXICON_H
#define VESPER_NAMES_LEXICON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "word_index.h"

#define LEXICON_WORDS     1u /* also find names by a single word or several adjacent words */
#define LEXICON_INITIALS  2u
#define LEXICON_FROM_DATA (LEXICON_WORDS | LEXICON_INITIALS)
#define LEXICON_ORIGIN    4u /* store the input index of each value */

struct lexicon {
	int refs;
	size_t count;
	uint64_t hash; /* of all added values, in input order */
	char *texts;   /* as written, NUL-terminated, in key order */
	uint32_t *text_offsets;
	uint32_t *origin;  /* or NULL */
	uint16_t *parents; /* index into parent_names; NULL: no parents */
	const char **parent_names;
	size_t parent_count;
	struct keys names; /* string i is the key of value i */
	struct word_index words, initials;
	size_t longest_words; /* words in the longest name */
};

/* ---- building ---- */

struct lexicon_build;
struct lexicon_build *lexicon_build_new(void);
/* Copies the text. `parent`: the value of another dimension that it belongs to, or NULL. Returns
 * false when a limit is reached (NLU_VALUES_MAX or size). */
bool lexicon_build_add(struct lexicon_build *b, const char *text, const char *parent);
size_t lexicon_build_count(const struct lexicon_build *b);
uint64_t lexicon_build_hash(const struct lexicon_build *b);
/* Any thread. Takes ownership of the build. Returns NULL when `cancelled` (may be NULL) becomes
 * true. */
const struct lexicon *lexicon_new(struct lexicon_build **b, unsigned flags,
				  const atomic_bool *cancelled);
void lexicon_build_free(struct lexicon_build **b);

const struct lexicon *lexicon_ref(const struct lexicon *l);
void lexicon_unref(const struct lexicon **l); /* l may point to NULL; sets it to NULL */

/* ---- searching ---- */

const char *lexicon_text(const struct lexicon *l, size_t value);
const char *lexicon_parent(const struct lexicon *l, size_t value); /* or NULL */

/* Each function writes up to `max` values and returns the total number. `key`: folded by
 * text_fold. */
size_t lexicon_find(const struct lexicon *l, const char *key, size_t len, uint32_t *out,
		    size_t max);
size_t lexicon_find_word(const struct lexicon *l, const char *word, size_t len, uint32_t *out,
			 size_t max);
size_t lexicon_find_initials(const struct lexicon *l, const char *key, size_t len, uint32_t *out,
			     size_t max);
/* Several adjacent words within longer names; `ends[i]` is the end of word i in the key. */
size_t lexicon_find_words(const struct lexicon *l, const char *key, const uint16_t *ends,
			  size_t count, uint32_t *out, size_t max);

/* Returns how many leading words may form a name or a prefix of one, or a part of one if words are
 * indexed. 0: no name begins with or contains the first word. */
size_t lexicon_prefix_words(const struct lexicon *l, const struct folded *words);

struct fuzzy_value {
	uint32_t value;
	uint8_t distance;
	bool part; /* a word of the name matches, not the whole name */
	/* A different name rather than a misspelled one: other digits, or two edits and another
	 * first letter, which is seldom mistyped ("radiology", "cardiology"). */
	bool other_name;
	uint32_t shared; /* number of values with the same matching word */
	uint8_t rank;    /* lower ranks are closer */
};
struct similar_value {
	uint32_t value;
	uint32_t shared; /* number of shared trigrams, at least two */
};
/* Finds similar names beyond the fuzzy match: those that share most trigrams, best first. In a
 * large lexicon only names that share a word, exactly or nearly, are compared. */
size_t lexicon_find_similar(const struct lexicon *l, const struct folded *words,
			    struct similar_value *out, size_t max);
/* Fuzzy match, closest first, at most `max`. */
size_t lexicon_find_fuzzy(const struct lexicon *l, const char *key, size_t len, int limit,
			  struct fuzzy_value *out, size_t max);

#endif
