/* The words of units, for the reader of numbers. */
#ifndef VESPER_GUARD_UNITS_H
#define VESPER_GUARD_UNITS_H

#include "guard_int.h"

struct unit_word {
	const char *text;
	enum unit unit;
	bool glued;
	bool foreign; /* no dollars */
};

extern const struct unit_word unit_words[]; /* ended by a NULL text */

#endif
