/*
 * Exact statistics of each column over all rows fetched, including those above the row limit,
 * computed while rows arrive. Sums and means of decimals are exact; binary floats are summed by
 * their shortest decimal text.
 */
#ifndef VESPER_STATS_H
#define VESPER_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/decimal.h"

enum trend { TREND_NONE, TREND_UP, TREND_DOWN, TREND_FLAT };

struct column_stats {
	bool partial;  /* the result has more rows than the count + nulls counted here */
	int64_t count; /* not null */
	int64_t nulls;
	int64_t distinct;
	bool distinct_exact; /* false: more than STATS_DISTINCT_EXACT; the count is a lower bound */
	bool numeric; /* all values are numbers; else sum and mean are not set, and min and max are
			 text */
	bool is_sum_exact; /* false: the sum exceeded 128 bits; sum and mean are not set */
	struct decimal sum;
	struct decimal mean; /* 6 decimals, rounded half up */
	const char *min;     /* as text; NULL if count is 0; text is compared by bytes */
	const char *max;
	int64_t min_row; /* row index of the first minimum; -1: not among the fetched rows */
	int64_t max_row;
	const char *first; /* NULL: a null cell */
	const char *last;
	enum trend trend; /* of numbers in row order: last compared with first; flat if within 1 %
			     of the range */
};

struct stats_collector;

struct stats_collector *stats_new(size_t columns);
/* Adds one cell of the current row; text is NULL for SQL NULL. Cells come in order: column 0 ..
 * n-1, row after row. */
void stats_cell(struct stats_collector *s, size_t column, const char *text, size_t len,
		bool numeric_type);
void stats_end_row(struct stats_collector *s);
/* Returns the statistics per column; all memory is in the arena. */
struct column_stats *stats_finish(struct stats_collector *s, struct arena *a);
void stats_free(struct stats_collector **s);

#endif
