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
#include "vesper/decimal.h"
#include "vesper/language.h"
#include "vesper/units.h"

struct token {
	const char *text; /* lower case, letters and digits only */
	size_t len;
	size_t from, to; /* bytes of the question */
	char before;     /* the character between it and the one before: ' ' '-' '_' ',' '.' … */
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
	const struct language *language; /* borrowed; NULL: no word is known */
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

/* ---- amounts ---- */

enum bound_side { BOUND_NONE, BOUND_ABOVE, BOUND_BELOW };

/* A number, with its unit and the side that it bounds. */
struct amount {
	size_t from, to; /* tokens, the words of the bound too */
	struct decimal number;
	const struct unit_def
		*unit; /* of the registry, or made of two of it; NULL: none was said */
	enum bound_side side;
	bool inclusive; /* of a bound: the number itself counts */
	bool unclear;   /* not all of it was understood: it may not be taken for anything */
};

/* "above $60", "between 40 and 50" (two), "60 or more"; marks their tokens as used. To be called
 * when the times are read. Returns how many there are. */
size_t amounts_bounds(const struct units *u, struct question *q, struct arena *a,
		      struct amount *out, size_t max);
/* Numbers with a unit that is wanted and no bound; marks their tokens as used. */
typedef bool (*amount_wanted)(void *owner, const struct unit_def *unit);
size_t amounts_plain(const struct units *u, struct question *q, amount_wanted wanted, void *owner,
		     struct arena *a, struct amount *out, size_t max);

#endif
