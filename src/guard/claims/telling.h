/* The words of a natural language that say something of the numbers beside them. */
#ifndef VESPER_GUARD_TELLING_H
#define VESPER_GUARD_TELLING_H

#include <stddef.h>
#include <stdint.h>

enum {
	TELLS_UP = 1 << 0,       /* "above", "rose": the greater of two, or a gain */
	TELLS_DOWN = 1 << 1,     /* "below", "fell" */
	TELLS_CHANGE = 1 << 2,   /* "changed", "gap": a size whose sign is not told */
	TELLS_MOST = 1 << 3,     /* "highest" */
	TELLS_LEAST = 1 << 4,    /* "lowest" */
	TELLS_ORDINAL = 1 << 5,  /* "second": its value */
	TELLS_PARTLY = 1 << 6,   /* "one of the": what follows is no extreme of all */
	TELLS_MISSING = 1 << 7,  /* "without" */
	TELLS_THAN = 1 << 8,     /* leads to what something is compared with */
	TELLS_COUNT_OF = 1 << 9, /* "first 24", "top 5" */
	TELLS_ABOUT =
		1 << 10, /* "roughly": rounded further than the digits say; value -1: it is less */
	TELLS_LABEL = 1 << 11, /* "step 2": the number is part of a label */
	TELLS_AUX = 1 << 12,   /* "are": stands between a number and what it counts */
	TELLS_AT = 1 << 13,    /* "in", "at": leads to the time that an amount belongs to */
	TELLS_TO = 1 << 14,    /* "through": the end of a range */
	TELLS_AND = 1 << 15,
	TELLS_PLACE = 1 << 16,   /* "second with", "second place": the ordinal was a rank */
	TELLS_MORE = 1 << 17,    /* "518 more views" */
	TELLS_AGAINST = 1 << 21, /* "against": another one's amount follows */
	TELLS_MOVE = 1 << 22,    /* "rose": from an earlier amount to a later one */
	TELLS_FROM = 1 << 23,
	TELLS_SUM = 1 << 24,      /* "together" */
	TELLS_MEAN = 1 << 25,     /* "averages" */
	TELLS_SOME = 1 << 20,     /* any word at all */
	TELLS_QUANTITY = 1 << 19, /* "most of", "least": no superlative before "of" and "recent" */
	TELLS_LATE = 1 << 26,     /* "newest": the last of dates */
	TELLS_EARLY = 1 << 27,    /* "oldest" */
	TELLS_SPENT = 1 << 18,    /* "the rest", "remaining": what is left of something */
	TELLS_TIMES = 1 << 28,    /* "twice": its value; "times" after a number: 0 */
	TELLS_PART = 1 << 29,     /* "half", "quarters" */
	TELLS_ELSE = 1 << 30, /* "later", "only": it changes what is said, and no rule reads it */
};

struct telling {
	const char *word; /* small letters */
	uint32_t is;
	int value;
};

/* NULL: it says nothing. In any case of letters. */
const struct telling *telling_find(const char *word, size_t len);
/* The same as flags; 0: none. */
uint32_t telling_of(const char *word, size_t len);

#endif
