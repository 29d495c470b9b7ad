/*
 * Checks what a sentence claims. The sentence is read once into a list of tokens: words, names and
 * numbers. A claim consists of a few tokens: a comparison, a rank, a move from one value to
 * another, a part of a whole. Each claim is compared with the rows that it names. A contradiction
 * leaves its number unbound; a complete claim that explains an unbound number binds it. A claim
 * that agrees or is incomplete changes nothing.
 */
#ifndef VESPER_GUARD_CLAIM_H
#define VESPER_GUARD_CLAIM_H

#include "read/sentence.h"
#include "cue_words.h"

#define TOKENS_MAX 240 /* per sentence; later tokens are not checked */

enum token_kind {
	TOKEN_WORD,
	TOKEN_NAME,
	TOKEN_NUMBER,
	TOKEN_BREAK, /* a character that ends a clause or a parenthesis */
};

struct token {
	enum token_kind kind;
	uint64_t word;      /* folded */
	uint32_t cue_flags; /* CUE_… flags of the word */
	int value;          /* for an ordinal */
	int cardinal;       /* 2 for "two"; 0: not a number */
	int month;          /* 1-12: a month name, or the month of the number's date */
	int weekday;        /* 1-7: a weekday name */
	int id;             /* for a name */
	uint32_t slots;
	struct mark *mark; /* for a number */
	char c;            /* for a break */
	bool is_confirmed; /* the data confirms the word */
};

struct claims {
	const struct known *k;
	struct sentence *s;
	struct token tokens[TOKENS_MAX];
	size_t count;
};

/* Reads the sentence and checks its claims. May change the marks of the sentence. */
void claims_check(const struct known *k, struct sentence *s);

/* Each function checks one kind of claim. */
void claims_of_moves(struct claims *c);              /* "rose from 17 to 21" */
void claims_of_parts(struct claims *c);              /* "$1.4M of $2.1M, 67 %" */
void claims_of_comparisons(struct claims *c);        /* "A is above B" */
void claims_of_pairs(struct claims *c);              /* "54.80 against 52.14, 2.66 more" */
void claims_of_ranks(struct claims *c);              /* "the lowest" */
void claims_of_hours(struct claims *c);              /* "widest in hours 16 to 21" */
void claims_of_derived(struct claims *c);            /* "$880,000 left", "the top two: 34.6 %" */
void claims_of_repeats(struct claims *c);            /* "$34.49 and $34.49" */
void claims_of_multiples(struct claims *c);          /* "nine times as many" */
void claims_of_lists(struct claims *c);              /* "x and y for A and B" */
void claims_of_columns(struct claims *c);            /* "130 MW of generation" */
void claims_of_days(struct claims *c);               /* "Friday, 6 February 2026" */
void claims_of_foreign(struct claims *c);            /* a name that the data lacks */
void claims_of_groups(struct claims *c);             /* "Wind 980 MW", "three are at risk" */
void claims_check_unhandled_words(struct claims *c); /* words that no rule compared; called last */

/* ---- helpers ---- */

void token_refute(struct token *t);
/* Marks the word at i as confirmed by the data. */
void token_confirm(struct claims *c, size_t i);
void claim_bind(struct mark *m, const char *formula);
/* Returns true for a number that can be compared. */
bool token_is_amount(const struct token *t);
guard_value token_value(const struct token *t);
/* A superlative that ranks: 1 most, -1 least; 0: not one. */
int claim_superlative(const struct claims *c, size_t i);
/* The nearest number, which a problem with the word is attached to. */
struct token *claim_nearest_number(struct claims *c, size_t i);
/* Returns true when a cell of the row has the name. */
bool row_has_name(const struct known_table *kt, size_t row, int id);
/* Returns true when the column's name or label has the word. */
bool column_has_word(const struct known_table *kt, size_t col, uint64_t word);
/* Returns true when the absolute value of v, rounded to the shown decimals, is shown. */
bool mark_matches(const struct mark *m, guard_value v);
bool units_are_comparable(const struct mark *a, const struct mark *b);
/* Returns true when the token at i has this flag; false outside the list. */
bool token_has_cue(const struct claims *c, size_t i, uint32_t cue_flags);
bool token_breaks(const struct claims *c, size_t i, const char *which);

#endif
