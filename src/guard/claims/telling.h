/* Words of a natural language that affect the meaning of nearby numbers. */
#ifndef VESPER_GUARD_TELLING_H
#define VESPER_GUARD_TELLING_H

#include <stddef.h>
#include <stdint.h>

enum {
	TELLS_UP = 1 << 0,      /* "above", "rose": the greater of two, or a gain */
	TELLS_DOWN = 1 << 1,    /* "below", "fell" */
	TELLS_CHANGE = 1 << 2,  /* "changed", "gap": a difference without direction */
	TELLS_MOST = 1 << 3,    /* "highest" */
	TELLS_LEAST = 1 << 4,   /* "lowest" */
	TELLS_ORDINAL = 1 << 5, /* "second": its value */
	/* "one of the": the superlative that follows is not the overall extreme */
	TELLS_PARTLY = 1 << 6,
	TELLS_MISSING = 1 << 7,  /* "without" */
	TELLS_THAN = 1 << 8,     /* introduces the reference of a comparison */
	TELLS_COUNT_OF = 1 << 9, /* "first 24", "top 5" */
	TELLS_ABOUT = 1 << 10, /* "roughly": coarser rounding; value -1: the actual value is less */
	TELLS_LABEL = 1 << 11, /* "step 2": the number is part of a label */
	TELLS_AUX = 1 << 12,   /* "are": links a number to what it counts */
	TELLS_AT = 1 << 13,    /* "in", "at": introduces the time of an amount */
	TELLS_TO = 1 << 14,    /* "through": the end of a range */
	TELLS_AND = 1 << 15,
	TELLS_PLACE = 1 << 16,   /* "second with", "second place": confirms a rank */
	TELLS_MORE = 1 << 17,    /* "518 more views" */
	TELLS_AGAINST = 1 << 21, /* "against": the other side's amount follows */
	TELLS_MOVE = 1 << 22,    /* "rose": from an earlier to a later amount */
	TELLS_FROM = 1 << 23,
	TELLS_SUM = 1 << 24,  /* "together" */
	TELLS_MEAN = 1 << 25, /* "averages" */
	TELLS_SOME = 1 << 20, /* any other listed word */
	/* "most of", "least": not a superlative before "of" and "recent" */
	TELLS_QUANTITY = 1 << 19,
	TELLS_LATE = 1 << 26,  /* "newest": the latest date */
	TELLS_EARLY = 1 << 27, /* "oldest" */
	TELLS_SPENT = 1 << 18, /* "the rest", "remaining": a remainder */
	TELLS_TIMES = 1 << 28, /* "twice": value is the factor; "times" after a number: 0 */
	TELLS_PART = 1 << 29,  /* "half", "quarters" */
	TELLS_ELSE = 1 << 30,  /* "later", "only": changes the meaning, but has no rule */
};

struct telling {
	const char *word; /* lower case */
	uint32_t is;
	int value;
};

/* Looks up the word, ignoring case; NULL: not listed. */
const struct telling *telling_find(const char *word, size_t len);
/* The flags of the word; 0: none. */
uint32_t telling_of(const char *word, size_t len);

#endif
