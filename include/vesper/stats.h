/*
 * Exact statistics of each column over every row that was fetched, also those past the row cap,
 * computed while rows arrive. Sums and means of decimals are exact; a column of binary floats is
 * summed by their shortest decimal text.
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
	bool partial;  /* there are more rows than these were counted over: count + nulls */
	int64_t count; /* not null */
	int64_t nulls;
	int64_t distinct;
	bool distinct_exact; /* false: more than STATS_DISTINCT_EXACT, the count is a lower bound */
	bool numeric;        /* every value was a number: sum, mean, min and max are numbers */
	bool sum_exact;      /* false: the sum left 128 bits; sum and mean are not given */
	struct decimal sum;
	struct decimal mean; /* at 6 decimals, half up */
	const char *min;     /* as text; NULL when count is 0; text columns compare by bytes */
	const char *max;
	int64_t at_min; /* row index of the first minimum; -1: not among the rows fetched */
	int64_t at_max;
	const char *first; /* NULL for a null cell */
	const char *last;
	enum trend trend; /* of numbers in row order: last against first, flat within 1 % of the
			     range's size */
};

struct stats_collector;

struct stats_collector *stats_new(size_t columns);
/* One cell of the current row; text is NULL for SQL NULL. Cells come in order: column 0 .. n-1, row
 * after row. */
void stats_cell(struct stats_collector *s, size_t column, const char *text, size_t len,
		bool numeric_type);
void stats_row_done(struct stats_collector *s);
/* Results for each column, all memory in the arena. */
struct column_stats *stats_finish(struct stats_collector *s, struct arena *a);
void stats_free(struct stats_collector **s);

#endif
