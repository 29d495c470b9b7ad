/*
 * Text as users type it, in any case, punctuation and spelling, and what can be parsed without
 * knowing names: tokens, normalized names, numbers. Everything is allocated in the caller's arena.
 * Pure; any thread.
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
	size_t from, to;       /* in bytes of the question */
	char separator;        /* the character before it: ' ' '-' '_' ',' '.' … */
	bool after_apostrophe; /* directly after an apostrophe: '26 */
	bool starts_sentence;  /* first of a sentence */
	bool capitalized;      /* begins with an upper-case letter */
	bool has_letter, has_digit;
	int number;                        /* >= 0 if it is all digits, at most 9 */
	bool used;                         /* used by a mention, date or number */
	bool is_tool_word;                 /* … but it is also a word of the tools */
	const struct language_word *known; /* its entry in the language; NULL: unknown */
};

struct question {
	const char *text;
	const struct language *language; /* borrowed; NULL: no word is known */
	struct token *tokens;
	size_t count;
};

/* Parses a question. `l` NULL: no word is known. */
void text_tokenize(const struct language *l, const char *text, struct arena *a,
		   struct question *out);

/* A name normalized for comparison: its letters and digits, in lower case and without diacritics,
 * and the end of each word. Longer names are truncated. */
#define TEXT_KEY_BYTES_MAX 256
#define FOLDED_WORDS_MAX   32
struct folded {
	char key[TEXT_KEY_BYTES_MAX];
	size_t len;
	uint16_t ends[FOLDED_WORDS_MAX];
	size_t count;
};
void text_fold(const char *text, struct folded *out);

/* The text of the question from token `from` up to but not including token `to`, as written. */
const char *text_between(const struct question *q, size_t from, size_t to, struct arena *a);

/* The token at i; an empty one beyond the end. */
const struct token *token_at(const struct question *q, size_t i);

/* Returns true if the language's list contains the word. */
static inline bool token_in_list(const struct token *t, enum words list)
{
	return t->known && (t->known->lists >> list & 1);
}

/* The number of tokens from i on in the longest matching word or phrase of the list; 0: none. */
size_t words_at(const struct question *q, size_t i, enum words list);
/* Returns true if a word or phrase of the list ends with the token at i. */
bool words_end_at(const struct question *q, size_t i, enum words list);
/* Returns true if the question contains one of them. */
bool words_in(const struct question *q, enum words list);

/* A number in digits or as a word of the language; -1: not a number. */
int token_number(const struct token *t);
/* 1 for "first", ORDINAL_LAST for "last"; 0: no ordinal. */
static inline int token_ordinal(const struct token *t)
{
	return t->known ? t->known->ordinal : 0;
}
int numbers_top_n(const struct language *l, struct question *q); /* 0: none */

/* ---- amounts ---- */

enum bound_side { BOUND_NONE, BOUND_ABOVE, BOUND_BELOW };

/* A number, with its unit and the side that it bounds. */
struct amount {
	size_t from, to; /* in tokens, with the words of the bound */
	struct decimal number;
	const struct unit_def *unit; /* registered, or a combination; NULL: none */
	enum bound_side side;
	bool inclusive; /* of a bound: includes the number itself */
	bool ambiguous; /* not fully understood; must not be used as anything else */
};

/* Finds bounds: "above $60", "between 40 and 50" (two), "60 or more"; marks their tokens as used.
 * Call it after times were parsed. Returns their number. */
size_t amounts_find_bounds(const struct units *u, struct question *q, struct arena *a,
			   struct amount *out, size_t max);
/* Finds numbers with a wanted unit and no bound; marks their tokens as used. */
typedef bool (*amount_unit_filter)(void *owner, const struct unit_def *unit);
size_t amounts_find_plain(const struct units *u, struct question *q, amount_unit_filter wanted,
			  void *owner, struct arena *a, struct amount *out, size_t max);

#endif
