/*
 * Finds the type of a column from all of its cells. Each cell is counted for every type that it
 * fits. The narrowest type that nearly all cells fit is chosen; cells that do not fit it become
 * NULL. Pure.
 */
#ifndef VESPER_UPLOAD_TYPES_H
#define VESPER_UPLOAD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/str.h"
#include "vesper/table.h"

#define TYPES_UNIT_BYTES 8 /* "$", "EUR", "%" */

/* How to read the cells of a column. */
struct cell_form {
	enum column_type type;
	int digits, scale;           /* of a decimal: all digits, and those after the point */
	bool comma;                  /* numbers: 1.234,5 instead of 1,234.5 */
	bool month_first;            /* dates: 03/04 is the 4th of March */
	bool zoned;                  /* times have a zone and are stored as UTC */
	char unit[TYPES_UNIT_BYTES]; /* "": none */
};

/* The question to the owner, if the cells are ambiguous. */
enum type_question { QUESTION_NONE, QUESTION_DAY_OR_MONTH, QUESTION_COMMA_OR_POINT };

/* Counts over the cells of a column. Start with {0}. */
struct type_counts {
	int64_t cells; /* without NULLs */
	int64_t flags;
	struct number_counts {
		int64_t fits, ints; /* cells that fit this notation */
		int64_t only;       /* cells that fit only this notation, where the two differ */
		int digits, scale;  /* the most before and after the point */
	} point, comma;
	int64_t ambiguous_numbers;        /* cells that fit both, with different values */
	int64_t codes;                    /* leading zeros, or more digits than a number may have */
	int64_t days_first, months_first; /* dates that fit each order */
	int64_t only_days_first, only_months_first, ambiguous_days;
	int64_t timed, zoned; /* of the dates */
	bool short_years;
	char unit[TYPES_UNIT_BYTES]; /* of the first number with a unit */
	char example[24];            /* the first ambiguous cell */
};

/* True for texts that mean NULL: "", "n/a", "-". */
bool types_is_null(struct str cell);
void types_count(struct type_counts *c, struct str cell);
/* Decides the form of a column. If *question is set, the form is that of the likelier reading. */
struct cell_form types_decide(const struct type_counts *c, enum type_question *question);

/* Converts a cell to a value of the column's type, or to NULL if types_is_null. False: it does not
 * fit. Texts are in the arena. */
bool types_value(const struct cell_form *f, struct str cell, struct arena *a, struct value *out);

#endif
