/* Inside of reading one number: the place that is read at, and dates. */
#ifndef VESPER_GUARD_SCAN_INT_H
#define VESPER_GUARD_SCAN_INT_H

#include "guard_int.h"

/* Text from a place on; `more`: something asked for bytes that are not here yet. */
struct cursor {
	const struct unit_words *units;
	const char *p;
	size_t len, at;
	bool final, more;
};

/* scan.c */
/* The byte `ahead` of the cursor; 0 past the end, which is noted unless it is the true end. */
unsigned char scan_peek(struct cursor *c, size_t ahead);
bool scan_starts(struct cursor *c, size_t ahead, const char *word);
size_t scan_digits(struct cursor *c, size_t ahead); /* how many stand there */
int scan_int(const struct cursor *c, size_t ahead, size_t digits);

/* scan_date.c: true: it is one, and *s says which */
bool scan_is_year(int y);
bool scan_iso(struct cursor *c, struct shown *s);
bool scan_slashed(struct cursor *c, struct shown *s);
bool scan_time(struct cursor *c, struct shown *s);
/* " of February 2025", ", 2025": what may follow the number of a day; `month`: it has come before.
 */
bool scan_day_in_words(struct cursor *c, struct shown *s, size_t end, int month, int day);
bool scan_worded(struct cursor *c, struct shown *s, const struct lead *lead, size_t digits,
		 size_t end);

#endif
