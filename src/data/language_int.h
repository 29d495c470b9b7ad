/* Shared by the files that read a language. */
#ifndef LANGUAGE_INT_H
#define LANGUAGE_INT_H

#include "vesper/language.h"

/* ---- language_words.c: lookup of words ---- */

struct language_words;
struct language_words *language_words_new(struct arena *a);
void language_words_number(struct language_words *w, const char *word, int number);
void language_words_ordinal(struct language_words *w, const char *word, int ordinal);
/* Adds a word or a phrase with blanks. */
void language_words_add(struct language_words *w, const char *text, enum words list);

/* ---- language_say.c ---- */

struct language_text;
MUST_CHECK bool language_sentences_read(const struct words_file *f, const json_t *object,
					const struct language_text **out);

#endif
