/* Internals of reading one number: the cursor, and dates. */
#ifndef VESPER_GUARD_SCAN_INT_H
#define VESPER_GUARD_SCAN_INT_H

#include "guard_int.h"

/* A position in the text. `more`: a reader needed bytes beyond the end. */
struct cursor {
	const struct unit_words *units;
	const char *p;
	size_t len, at;
	bool final, more;
};

/* scan.c */
/* The byte at cursor + ahead; 0 past the end, which sets `more` unless `final`. */
unsigned char scan_peek(struct cursor *c, size_t ahead);
bool scan_starts(struct cursor *c, size_t ahead, const char *word);
size_t scan_digits(struct cursor *c, size_t ahead); /* the number of digits there */
int scan_int(const struct cursor *c, size_t ahead, size_t digits);

/* scan_date.c: return true and fill *s on a match */
bool scan_is_year(int y);
bool scan_iso(struct cursor *c, struct shown *s);
bool scan_slashed(struct cursor *c, struct shown *s);
bool scan_time(struct cursor *c, struct shown *s);
/* Reads what may follow a day number: " of February 2025", ", 2025". `month`: named before, or 0.
 */
bool scan_day_in_words(struct cursor *c, struct shown *s, size_t end, int month, int day);
bool scan_worded(struct cursor *c, struct shown *s, const struct lead *lead, size_t digits,
		 size_t end);

#endif
