/*
 * What a sentence claims: its words, names and numbers as one list of tokens, read once. A claim is
 * a few of these tokens: which two things are compared and how, what ranks highest among what, from
 * where to where something moved, what is a part of what. Each is compared with the rows that it
 * names. What agrees or can't be bound completely changes nothing; what contradicts them leaves its
 * number unbound; a number that a complete claim explains is bound.
 */
#ifndef VESPER_GUARD_CLAIM_H
#define VESPER_GUARD_CLAIM_H

#include "read/sentence.h"
#include "telling.h"

#define TOKENS_MAX 240 /* of one sentence; the rest of a longer one claims nothing */

enum token_kind {
	TOKEN_WORD,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_BREAK, /* a character that ends a clause or an aside */
};

struct token {
	enum token_kind kind;
	uint64_t word; /* folded */
	uint32_t is;   /* what the word tells */
	int value;     /* of an ordinal */
	int cardinal;  /* "two"; 0: it is none */
	int month;     /* 1-12: the word is a month, or the number's date is of one */
	int weekday;   /* 1-7: the word is one of their names */
	int id;        /* of a name */
	uint32_t slots;
	struct mark *mark; /* of a number */
	char c;            /* of a break */
	bool agreed;       /* the data says what the word claims */
};

struct claims {
	const struct known *k;
	struct sentence *s;
	struct token tokens[TOKENS_MAX];
	size_t count;
};

/* Reads the sentence and compares its claims; marks of the sentence change. */
void claims_check(const struct known *k, struct sentence *s);

/* One kind of claims each. */
void claims_of_moves(struct claims *c);       /* "rose from 17 to 21" */
void claims_of_parts(struct claims *c);       /* "$1.4M of $2.1M, 67 %" */
void claims_of_comparisons(struct claims *c); /* "A is above B" */
void claims_of_pairs(struct claims *c);       /* "54.80 against 52.14, 2.66 more" */
void claims_of_ranks(struct claims *c);       /* "the lowest" */
void claims_of_hours(struct claims *c);       /* "widest in hours 16 to 21" */
void claims_of_made(struct claims *c);        /* "$880,000 left", "the top two: 34.6 %" */
void claims_of_repeats(struct claims *c);     /* "$34.49 and $34.49" */
void claims_of_multiples(struct claims *c);   /* "nine times as many" */
void claims_of_lists(struct claims *c);       /* "x and y for A and B" */
void claims_of_columns(struct claims *c);     /* "130 MW of generation" */
void claims_of_days(struct claims *c);        /* "Friday, 6 February 2026" */
void claims_account(struct claims *c);        /* what no rule has compared: last */

/* ---- for them ---- */

void token_contradicts(struct token *t);
/* The data says what the word at i claims. */
void token_agrees(struct claims *c, size_t i);
void claim_binds(struct mark *m, const char *formula);
/* A number that can be compared with others: signed. */
bool token_is_amount(const struct token *t);
guard_value token_value(const struct token *t);
/* A superlative that ranks: 1 most, -1 least; 0: none stands there. */
int claim_superlative(const struct claims *c, size_t i);
/* The nearest number, to carry what is wrong with a word. */
struct token *claim_nearest(struct claims *c, size_t i);
/* Does a cell of the row bear the name? */
bool row_has_name(const struct known_table *kt, size_t row, int id);
/* Is the word one of a column's name or label? */
bool column_has_word(const struct known_table *kt, size_t col, uint64_t word);
/* v in size is what is shown, at the decimals shown. */
bool mark_shows(const struct mark *m, guard_value v);
bool units_compare(const struct mark *a, const struct mark *b);
/* The token at i tells this; false past the list's ends. */
bool token_tells(const struct claims *c, size_t i, uint32_t is);
bool token_breaks(const struct claims *c, size_t i, const char *which);

#endif
