/* Parses cells as numbers and as days. */
#ifndef VESPER_UPLOAD_TYPES_INT_H
#define VESPER_UPLOAD_TYPES_INT_H

#include "types.h"

#include "vesper/clock.h"

#define NUMBER_DIGITS_MAX 15 /* a double is exact to this many */

struct cell_number {
	bool negative;
	char digits[NUMBER_DIGITS_MAX + 1]; /* without leading zeros; "" is 0 */
	int before, scale;                  /* digits before and after the point */
	bool is_int;                        /* no point was written */
	bool has_separator;                 /* a point or groups were written */
	char unit[TYPES_UNIT_BYTES];
};

/* "1,234.5", or with `comma` "1.234,5". */
bool cell_number(struct str cell, bool comma, struct cell_number *out);
/* "007", "4929123412341234": identifiers that look like numbers. */
bool cell_is_code(struct str cell);

struct cell_time {
	struct date day;
	bool is_ambiguous; /* swapping day and month gives another valid day */
	bool by_order;     /* written as two numbers and a year */
	bool short_year;
	bool has_time, has_zone;
	int64_t ms; /* since midnight; with a zone: since 1970, UTC */
};
bool cell_time(struct str cell, bool month_first, struct cell_time *out);

#endif
