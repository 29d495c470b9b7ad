/*
 * What can be named in one dimension: its values by whole name, by word, by initials, and nearly.
 * Immutable once made, so that it may be made on a worker thread and used by many; who shares it
 * counts references on the loop thread.
 */
#ifndef VESPER_NAMES_LEXICON_H
#define VESPER_NAMES_LEXICON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "word_index.h"

#define LEXICON_WORDS    1u /* a name of several words is found by one of them, or some in a row */
#define LEXICON_INITIALS 2u
#define LEXICON_LEARNED  (LEXICON_WORDS | LEXICON_INITIALS)
#define LEXICON_ORIGIN   4u /* keep which of the added ones each value was */

struct lexicon {
	int refs;
	size_t count;
	uint64_t hash; /* of all that was added, in its order */
	size_t added;
	char *texts; /* as they are written, each with its end; in the order of their keys */
	uint32_t *text_offsets;
	uint32_t *origin;  /* or NULL */
	uint16_t *parents; /* index into parent_names, or NULL: they have none */
	const char **parent_names;
	size_t parent_count;
	struct keys names; /* string i is the key of value i */
	struct word_index words, initials;
	size_t longest_words; /* words of the longest name */
};

/* ---- making one ---- */

struct lexicon_build;
struct lexicon_build *lexicon_build_new(void);
/* Copies. `parent`: the value of another dimension that it belongs to, or NULL. False: no more fit
 * (KNOW_VALUES_MAX, or too many bytes). */
bool lexicon_build_add(struct lexicon_build *b, const char *text, const char *parent);
size_t lexicon_build_count(const struct lexicon_build *b);
uint64_t lexicon_build_hash(const struct lexicon_build *b);
/* On any thread. Takes the build. NULL when `cancelled` (may be NULL) came true meanwhile. */
const struct lexicon *lexicon_new(struct lexicon_build **b, unsigned flags,
				  const atomic_bool *cancelled);
void lexicon_build_free(struct lexicon_build **b);

const struct lexicon *lexicon_ref(const struct lexicon *l);
void lexicon_unref(const struct lexicon **l); /* *l may be NULL; it is NULL afterwards */

/* ---- asking it ---- */

const char *lexicon_text(const struct lexicon *l, size_t value);
const char *lexicon_parent(const struct lexicon *l, size_t value); /* or NULL */

/* Each writes up to `max` values and returns how many there are in all. `key`: folded, see
 * text_fold. */
size_t lexicon_find(const struct lexicon *l, const char *key, size_t len, uint32_t *out,
		    size_t max);
size_t lexicon_find_word(const struct lexicon *l, const char *word, size_t len, uint32_t *out,
			 size_t max);
size_t lexicon_find_initials(const struct lexicon *l, const char *key, size_t len, uint32_t *out,
			     size_t max);
/* Several words in a row within longer names; `ends[i]` is where word i ends in the key. */
size_t lexicon_find_words(const struct lexicon *l, const char *key, const uint16_t *ends,
			  size_t count, uint32_t *out, size_t max);

/* How many of these words, the first `count`, may be (the beginning of) a name, or a part of one
 * where single words are known; 0: no name begins with the first of them, nor has it. */
size_t lexicon_reach(const struct lexicon *l, const struct folded *words);

struct near_value {
	uint32_t value;
	uint8_t distance;
	bool part; /* a word of its name is near, not the whole */
	/* Other digits, or two edits and another first letter, which is seldom mistyped: another
	 * name then, not a misspelled one ("radiology", "cardiology"). */
	bool other_name;
	uint32_t shared; /* how many values are as near by the same word */
	uint8_t rank;    /* less is nearer */
};
struct like_value {
	uint32_t value;
	uint32_t shared; /* trigrams, more than one */
};
/* Names that are like it without being near: those with most trigrams in common, the most alike
 * first. In a large lexicon only names that share a word with it, or nearly, are compared. */
size_t lexicon_like(const struct lexicon *l, const struct folded *words, struct like_value *out,
		    size_t max);
/* The nearest first, at most `max`. */
size_t lexicon_near(const struct lexicon *l, const char *key, size_t len, int limit,
		    struct near_value *out, size_t max);

#endif
