/*
 * The registry of units: config/units.json, and units added by packs. A unit has a dimension and a
 * factor to the dimension's base unit; only units of one dimension can be compared. Each currency
 * is a separate dimension and never converts. Immutable. Any thread.
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
	STYLE_MONEY,     /* "$2.1M": symbol first, with K and M */
	STYLE_MONEY_PER, /* "$48.73/MWh": currency first, the rest last */
	STYLE_PERCENT,   /* "5.1%" */
	STYLE_COUNT,     /* "8,760": the label names what is counted */
	STYLE_AFTER,     /* "52 MW" */
};

struct unit_def {
	const char *symbol;    /* as in `unit=` of a column */
	const char *dimension; /* "energy", "USD/energy" */
	struct decimal scale;  /* its size in base units; above 0 */
	enum unit_style style;
	int decimals;                 /* decimals shown at most, for styles that round */
	const char *const *spellings; /* its names in words; NULL-ended */
	const char *const
		*glued; /* spellings that may follow a number without a blank; NULL-ended */
	bool counted; /* it is a counted thing ("views"), which a number without a unit may mean */
};

/* Dimensions used in the program: seconds, months, and "1.05x". */
#define UNITS_TIME   "time"
#define UNITS_MONTHS "months"
#define UNITS_RATIO  "ratio"

/* A spelling of a unit in answers. */
struct unit_word {
	const char *text;
	const struct unit_def *unit;
	bool glued;  /* may follow its number without a blank */
	bool spaced; /* may follow its number after a blank */
};

struct units {
	const struct unit_def *items; /* shared units, then those of packs */
	size_t count;
	const struct unit_word *words; /* of all but STYLE_COUNT; longest first, no duplicates */
	size_t word_count;
	const struct unit_word *money; /* those of STYLE_MONEY, in the same order */
	size_t money_count;
};

/* Parses a list of units, the member `member` of a file's object, and appends it to those of `base`
 * (NULL: none). A symbol of `base` must have the same meaning. Everything is allocated in the
 * arena. */
struct words_file;
MUST_CHECK bool units_read(const struct words_file *f, const json_t *list, const char *member,
			   const struct units *base, struct units *out);

/* NULL: the symbol is not registered, or `u` is NULL. */
const struct unit_def *units_find(const struct units *u, const char *symbol);
/* Converts a value between two units exactly. False: their dimensions differ, or the result has too
 * many digits to be exact. */
bool units_convert(struct decimal value, const struct unit_def *from, const struct unit_def *to,
		   struct decimal *out);

#endif
