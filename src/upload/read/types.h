/*
 * The type of a column by all of its cells. Each cell is counted for every type that it fits; the
 * narrowest type that nearly all fit wins, and what does not fit it becomes NULL. Pure.
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

/* How the cells of a column are read. */
struct cell_form {
	enum column_type type;
	int digits, scale;           /* of a decimal: all of them, and those behind the point */
	bool comma;                  /* numbers: 1.234,5 and not 1,234.5 */
	bool month_first;            /* dates: 03/04 is the 4th of March */
	bool zoned;                  /* times have a zone and are stored as UTC */
	char unit[TYPES_UNIT_BYTES]; /* "": none */
};

/* What a column's cells can't decide, and its owner is asked. */
enum type_question { QUESTION_NONE, QUESTION_DAY_OR_MONTH, QUESTION_COMMA_OR_POINT };

/* Counts over the cells of a column. Start with {0}. */
struct type_counts {
	int64_t cells; /* without NULLs */
	int64_t flags;
	struct number_counts {
		int64_t fits, ints; /* as this kind of number */
		int64_t only;       /* as this kind alone, where both would differ */
		int digits, scale;  /* most before the point, and behind it */
	} point, comma;
	int64_t unclear_numbers;          /* read either way, with different values */
	int64_t codes;                    /* leading zeros, or more digits than a number has here */
	int64_t days_first, months_first; /* dates, in either reading */
	int64_t only_days_first, only_months_first, unclear_days;
	int64_t timed, zoned; /* of the dates */
	bool short_years;
	char unit[TYPES_UNIT_BYTES]; /* of the first number that has one */
	char example[24];            /* the first unclear cell */
};

/* Whether the text stands for nothing: "", "n/a", "-". */
bool types_is_null(struct str cell);
void types_count(struct type_counts *c, struct str cell);
/* The type; where *question is set, that of its first reading. */
struct cell_form types_decide(const struct type_counts *c, enum type_question *question);

/* A cell as a value of the column's type; a NULL for one that stands for nothing. False: it does
 * not fit. Texts are in the arena. */
bool types_value(const struct cell_form *f, struct str cell, struct arena *a, struct value *out);

#endif
