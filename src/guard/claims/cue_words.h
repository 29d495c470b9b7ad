/* Words of a natural language that affect the meaning of nearby numbers. */
#ifndef VESPER_GUARD_CUE_WORDS_H
#define VESPER_GUARD_CUE_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum {
	CUE_UP = 1 << 0,      /* "above", "rose": the greater of two, or a gain */
	CUE_DOWN = 1 << 1,    /* "below", "fell" */
	CUE_CHANGE = 1 << 2,  /* "changed", "gap": a difference without direction */
	CUE_MOST = 1 << 3,    /* "highest" */
	CUE_LEAST = 1 << 4,   /* "lowest" */
	CUE_ORDINAL = 1 << 5, /* "second": its value */
	/* "one of the": the superlative that follows is not the overall extreme */
	CUE_PARTLY = 1 << 6,
	CUE_MISSING = 1 << 7,  /* "without" */
	CUE_THAN = 1 << 8,     /* introduces the reference of a comparison */
	CUE_COUNT_OF = 1 << 9, /* "first 24", "top 5" */
	CUE_ABOUT = 1 << 10,   /* "roughly": coarser rounding; value -1: the actual value is less */
	CUE_LABEL = 1 << 11,   /* "step 2": the number is part of a label */
	CUE_AUX = 1 << 12,     /* "are": links a number to what it counts */
	CUE_AT = 1 << 13,      /* "in", "at": introduces the time of an amount */
	CUE_TO = 1 << 14,      /* "through": the end of a range */
	CUE_AND = 1 << 15,
	CUE_PLACE = 1 << 16,   /* "second with", "second place": confirms a rank */
	CUE_MORE = 1 << 17,    /* "518 more views" */
	CUE_AGAINST = 1 << 21, /* "against": the other side's amount follows */
	CUE_MOVE = 1 << 22,    /* "rose": from an earlier to a later amount */
	CUE_FROM = 1 << 23,
	CUE_SUM = 1 << 24,  /* "together" */
	CUE_MEAN = 1 << 25, /* "averages" */
	CUE_SOME = 1 << 20, /* any other listed word */
	/* "most of", "least": not a superlative before "of" and "recent" */
	CUE_QUANTITY = 1 << 19,
	CUE_LATE = 1 << 26,  /* "newest": the latest date */
	CUE_EARLY = 1 << 27, /* "oldest" */
	CUE_SPENT = 1 << 18, /* "the rest", "remaining": a remainder */
	CUE_TIMES = 1 << 28, /* "twice": value is the factor; "times" after a number: 0 */
	CUE_PART = 1 << 29,  /* "half", "quarters" */
	CUE_ELSE = 1 << 30,  /* "later", "only": changes the meaning, but has no rule */
};

struct cue_word {
	const char *word; /* lower case */
	uint32_t cue_flags;
	int value;
};

/* Looks up the word, ignoring case; NULL: not listed. */
const struct cue_word *cue_word_find(const char *word, size_t len);
/* The flags of the word; 0: none. */
uint32_t cue_word_flags(const char *word, size_t len);

#endif
