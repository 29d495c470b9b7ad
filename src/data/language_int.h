/* What the parts of the language's reader share. */
#ifndef LANGUAGE_INT_H
#define LANGUAGE_INT_H

#include "vesper/language.h"

/* ---- language_words.c: words to what is known of them ---- */

struct language_words;
struct language_words *language_words_new(struct arena *a);
void language_words_number(struct language_words *w, const char *word, int number);
/* A word, or several with blanks between them. `ordinal`: 0 for none. */
void language_words_add(struct language_words *w, const char *text, enum words list, int ordinal);

/* ---- language_say.c ---- */

struct language_text;
MUST_CHECK bool language_sentences_read(const struct words_file *f, const json_t *object,
					const struct language_text **out);

#endif
