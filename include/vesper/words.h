/* Stems of English words, and fuzzy matches of misspelled words. Pure; any thread. */
#ifndef VESPER_WORDS_H
#define VESPER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- stems ---- */

#define STEM_BYTES 32
size_t word_stem(const char *word, size_t len, char out[STEM_BYTES]);

/* ---- misspelled ---- */

/* Edit distance (insert, delete, replace, swap neighbors) of two keys; limit + 1 if it is more than
 * `limit`. */
int fuzzy_distance(const char *a, size_t a_len, const char *b, size_t b_len, int limit);
/* Largest edit distance of a match, by the length of the name. */
int fuzzy_limit(const char *key, size_t len);
/* Returns true if the keys have equal digits; different digits mean different names. */
bool fuzzy_same_digits(const char *a, size_t a_len, const char *b, size_t b_len);

#define FUZZY_BYTES_MIN 4 /* shorter names need an exact match */

#endif
