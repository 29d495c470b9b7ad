/* Stems of English words, and words as people misspell them. Pure: any thread. */
#ifndef VESPER_WORDS_H
#define VESPER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- stems ---- */

#define STEM_BYTES 32
size_t word_stem(const char *word, size_t len, char out[STEM_BYTES]);

/* ---- misspelled ---- */

/* Edits (insert, delete, replace, swap neighbours) between two keys; more than `limit` gives limit
 * + 1. */
int fuzzy_distance(const char *a, size_t a_len, const char *b, size_t b_len, int limit);
/* Edits that a name of this length forgives. */
int fuzzy_limit(const char *key, size_t len);
/* Digits must agree: they tell such names apart. */
bool fuzzy_same_digits(const char *a, size_t a_len, const char *b, size_t b_len);

#define FUZZY_BYTES_MIN 4 /* shorter names forgive nothing */

#endif
