/*
 * Text as people type it, in any case, punctuation and spelling, and what is read from it without
 * knowing any name: tokens, names as they are compared, numbers. Everything lives in the caller's
 * arena. Pure: any thread.
 */
#ifndef VESPER_TEXT_H
#define VESPER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/dict.h"
#include "vesper/language.h"
#include "vesper/units.h"

struct token {
	const char *text; /* lower case, letters and digits only */
	size_t len;
	size_t from, to; /* bytes of the question */
	char before;     /* what stands between it and the one before: ' ' '-' '_' ',' '.' … */
	bool quoted;     /* an apostrophe stands right before it: '26 */
	bool first;      /* of a sentence */
	bool capital;    /* begins with an upper-case letter */
	bool has_letter, has_digit;
	int number;                        /* >= 0 when it is all digits and not longer than 9 */
	bool used;                         /* a mention, date or number took it */
	bool word;                         /* … but it is a word of the tools as well */
	const struct language_word *known; /* by the language; NULL: it is no word of it */
};

struct question {
	const char *text;
	struct token *tokens;
	size_t count;
};

/* `l` NULL: no word is known. */
void text_read(const struct language *l, const char *text, struct arena *a, struct question *out);

/* A name as it is compared: its letters and digits, lower case and without marks, and where each
 * word ends. What is longer than fits is left out. */
#define TEXT_KEY_BYTES_MAX 256
#define FOLDED_WORDS_MAX   32
struct folded {
	char key[TEXT_KEY_BYTES_MAX];
	size_t len;
	uint16_t ends[FOLDED_WORDS_MAX];
	size_t count;
};
void text_fold(const char *text, struct folded *out);

/* The words of the question from token `from` up to `to`, as they were written. */
const char *text_between(const struct question *q, size_t from, size_t to, struct arena *a);

/* The token at i, or an empty one past the end. */
const struct token *token_at(const struct question *q, size_t i);

/* Does the language's list name the word? */
static inline bool token_says(const struct token *t, enum words list)
{
	return t->known && (t->known->lists >> list & 1);
}

/* How many tokens from i on are a word or phrase of the list, the longest one; 0: none. */
size_t words_at(const struct question *q, size_t i, enum words list);
/* Does a word or phrase of the list end with the token at i? */
bool words_end_at(const struct question *q, size_t i, enum words list);
/* Is one of them anywhere in the question? */
bool words_in(const struct question *q, enum words list);

/* A number written as digits or as a word of the language; -1 for anything else. */
int token_number(const struct token *t);
int numbers_top_n(const struct language *l, struct question *q); /* 0: none */
/* The words that are part of an amount: spellings of those units that may stand right at a number
 * ("MW", "dollars"; not "hours", which are counted). */
void numbers_unit_words(const struct units *u, struct dict *out);
/* "above $60", as it was written, or NULL. */
const char *numbers_threshold(const struct dict *unit_words, struct question *q, struct arena *a);

#endif
