/*
 * The registry of units: config/units.json, and what packs add. A unit has a dimension, which says
 * what may be compared with it, and a factor to the dimension's base unit. Currencies are
 * dimensions of their own and never convert. Immutable. Any thread.
 */
#ifndef VESPER_UNITS_H
#define VESPER_UNITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/decimal.h"
#include "vesper/err.h"

enum unit_style {
	STYLE_MONEY,     /* "$2.1M": the symbol in front, in steps of K and M */
	STYLE_MONEY_PER, /* "$48.73/MWh": the currency in front, the rest behind */
	STYLE_PERCENT,   /* "5.1%" */
	STYLE_COUNT,     /* "8,760": what is counted stands in the label */
	STYLE_AFTER,     /* "52 MW" */
};

struct unit_def {
	const char *symbol;    /* as `unit=` of a column names it */
	const char *dimension; /* "energy", "USD/energy" */
	struct decimal scale;  /* so many base units is one of it; above 0 */
	enum unit_style style;
	int decimals;                 /* that are shown at most, of styles that round */
	const char *const *spellings; /* as words; NULL-ended */
	const char *const *glued;     /* that may follow a number without a blank; NULL-ended */
	bool counted; /* it says what is counted ("views"): a number alone may be so many */
};

/* Dimensions that the program knows: seconds, months, and "1.05x". */
#define UNITS_TIME   "time"
#define UNITS_MONTHS "months"
#define UNITS_RATIO  "ratio"

/* A unit as an answer may write it. */
struct unit_word {
	const char *text;
	const struct unit_def *unit;
	bool glued;  /* may follow its number without a blank */
	bool spaced; /* … and after one */
};

struct units {
	const struct unit_def *items; /* the shared ones, then those of packs */
	size_t count;
	const struct unit_word
		*words; /* of all but STYLE_COUNT; the longest first, no text twice */
	size_t word_count;
	const struct unit_word *money; /* those of STYLE_MONEY, in the same order */
	size_t money_count;
};

/* Reads a list of units: the member `member` of a file's object, after those of `base` (NULL:
 * none). A symbol that is there already must mean the same. Everything in the arena. */
struct words_file;
MUST_CHECK bool units_read(const struct words_file *f, const json_t *list, const char *member,
			   const struct units *base, struct units *out);

/* NULL for a symbol that is not registered, and for `u` NULL. */
const struct unit_def *units_find(const struct units *u, const char *symbol);
/* A value in one unit as the same in another, exactly. False: their dimensions differ, or it has
 * too many digits. */
bool units_convert(struct decimal value, const struct unit_def *from, const struct unit_def *to,
		   struct decimal *out);

#endif
