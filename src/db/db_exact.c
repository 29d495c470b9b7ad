/*
 * Sums, means, rounding and month arithmetic of SQLite with the semantics of a server's decimals.
 * SQLite stores decimals as binary fractions: the mean of 62.97 and 62.98 is then slightly below
 * 62.975 and would be rounded down. Here a number is its shortest decimal text, sums are exact, and
 * a half is rounded away from zero. Numbers with more digits than SUM_SCALE are added as SQLite
 * does.
 */
#include "db_int.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/decimal.h"
#include "vesper/limits.h"

#define SUM_SCALE     DB_SUM_SCALE
#define SUM_UNIT      1000000
#define MEAN_SCALE    15
#define EXACT_SCALE   10   /* decimal places of sums and differences of decimals */
#define YEARS_MAX     9999 /* limit of struct date */
#define FUNCTION_BITS (SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)

struct mean {
	int64_t units; /* sum of the exact values, at SUM_SCALE */
	double total;  /* sum of all values */
	int64_t count;
	int64_t inexact;        /* number of inexact values */
	int64_t units_overflow; /* not 0: `units` overflowed */
	/* for sums: the sum of the integers, and the number of other values */
	int64_t integers, fractions;
	int64_t integer_overflow;
};

static bool is_small(double x)
{
	return x < DB_EXACT_BELOW && x > -DB_EXACT_BELOW;
}

static bool units_of(double x, int64_t *units)
{
	double scaled = x * SUM_UNIT;

	if (!is_small(scaled))
		return false;
	*units = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
	return (double)*units / SUM_UNIT == x; /* division is correctly rounded */
}

/* `sign` is -1 when the row leaves a window. */
static void aggregate_add(sqlite3_context *context, sqlite3_value *value, int sign)
{
	struct mean *m = sqlite3_aggregate_context(context, sizeof(*m));
	int64_t units;
	double x;

	if (!m || sqlite3_value_numeric_type(value) == SQLITE_NULL)
		return;
	x = sqlite3_value_double(value);
	m->count += sign;
	m->total += sign * x;
	if (sqlite3_value_numeric_type(value) != SQLITE_INTEGER)
		m->fractions += sign;
	else
		m->integer_overflow |= __builtin_add_overflow(
			m->integers, sign * sqlite3_value_int64(value), &m->integers);
	if (!units_of(x, &units))
		m->inexact += sign;
	else
		m->units_overflow |= __builtin_add_overflow(m->units, sign * units, &m->units);
}

static void mean_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	aggregate_add(context, argv[0], 1);
}

static void mean_inverse(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	aggregate_add(context, argv[0], -1);
}

static double double_of(struct decimal d)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text(d, text);
	return strtod(text, NULL);
}

static void mean_value(sqlite3_context *context)
{
	const struct mean *m = sqlite3_aggregate_context(context, 0);
	struct decimal mean;

	if (!m || m->count == 0)
		return; /* NULL */
	if (m->inexact == 0 && !m->units_overflow &&
	    decimal_div((struct decimal){m->units, SUM_SCALE}, decimal_int(m->count), MEAN_SCALE,
			&mean))
		sqlite3_result_double(context, double_of(mean));
	else
		sqlite3_result_double(context, m->total / (double)m->count);
}

/* 0.1 added ten thousand times is 1000, not 1000.0000000001588. */
static void sum_value(sqlite3_context *context)
{
	const struct mean *m = sqlite3_aggregate_context(context, 0);

	if (!m || m->count == 0)
		return; /* NULL */
	if (m->fractions == 0 && m->integer_overflow)
		sqlite3_result_error(context, "integer overflow", -1);
	else if (m->fractions == 0)
		sqlite3_result_int64(context, m->integers);
	else if (m->inexact == 0 && !m->units_overflow)
		sqlite3_result_double(context, double_of((struct decimal){m->units, SUM_SCALE}));
	else
		sqlite3_result_double(context, m->total);
}

/* EXACT_PART(x): the aggregate's state as bytes, input of EXACT_SUM and EXACT_AVG over several
 * parts. NULL: no row has a number. */
static void part_value(sqlite3_context *context)
{
	const struct mean *m = sqlite3_aggregate_context(context, 0);

	if (m && m->count != 0)
		sqlite3_result_blob(context, m, sizeof(*m), SQLITE_TRANSIENT);
}

/* A value that is not a part counts as NULL. */
static void part_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct mean *m = sqlite3_aggregate_context(context, sizeof(*m)), part;
	const void *bytes =
		sqlite3_value_type(argv[0]) == SQLITE_BLOB ? sqlite3_value_blob(argv[0]) : NULL;

	(void)argc;
	if (!m || !bytes || sqlite3_value_bytes(argv[0]) != sizeof(part))
		return;
	memcpy(&part, bytes, sizeof(part));
	m->count += part.count;
	m->total += part.total;
	m->inexact += part.inexact;
	m->fractions += part.fractions;
	m->units_overflow |=
		part.units_overflow | __builtin_add_overflow(m->units, part.units, &m->units);
	m->integer_overflow |= part.integer_overflow |
			       __builtin_add_overflow(m->integers, part.integers, &m->integers);
}

/* Parses the shortest text that reads back as x. */
static bool decimal_of(double x, struct decimal *out)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	return decimal_parse(text, out);
}

static void round_value(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t scale = argc > 1 ? sqlite3_value_int64(argv[1]) : 0;
	struct decimal d;
	double x;

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
	    (argc > 1 && sqlite3_value_type(argv[1]) == SQLITE_NULL))
		return; /* NULL */
	x = sqlite3_value_double(argv[0]);
	scale = scale < 0 ? 0 : scale > DECIMAL_SCALE_MAX ? DECIMAL_SCALE_MAX : scale;
	if (is_small(x) && decimal_of(x, &d) && d.scale > scale)
		x = double_of(decimal_round(d, (int)scale));
	sqlite3_result_double(context, x);
}

/* ADD_MONTHS(date, n): one month after the 31st is the last day of the next month, as on servers.
 * SQLite's own "+1 month" overflows into the month after. */
static void add_months(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[0]);
	int64_t n = sqlite3_value_int64(argv[1]), months;
	char iso[DATE_ISO_BYTES];
	struct date d;
	int last;

	(void)argc;
	if (!text || sqlite3_value_type(argv[1]) == SQLITE_NULL || n < -YEARS_MAX * 12 ||
	    n > YEARS_MAX * 12 || !date_parse_start(text, &d))
		return; /* NULL */
	months = (int64_t)d.year * 12 + d.month - 1 + n;
	if (months < 12 || months >= (YEARS_MAX + 1) * 12)
		return;
	d.year = (int)(months / 12);
	d.month = (int)(months % 12) + 1;
	last = date_days_in_month(d.year, d.month);
	d.day = d.day < last ? d.day : last;
	date_iso(d, iso);
	sqlite3_result_text(context, iso, -1, SQLITE_TRANSIENT);
}

/* DATE_FROM_PARTS(year, month, day): NULL for an invalid date. */
static void date_from_parts(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	char iso[DATE_ISO_BYTES];
	struct date d;

	for (int i = 0; i < argc; i++)
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return; /* NULL */
	d = (struct date){sqlite3_value_int(argv[0]), sqlite3_value_int(argv[1]),
			  sqlite3_value_int(argv[2])};
	if (!date_valid(d))
		return;
	date_iso(d, iso);
	sqlite3_result_text(context, iso, -1, SQLITE_TRANSIENT);
}

/* EXACT(x): returns integers and texts unchanged, and fractions as decimals would give them. In
 * binary, 1000000.1 - 1000000 is 0.09999999997671694. */
static void exact_value(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct decimal d;
	double x;

	(void)argc;
	if (sqlite3_value_type(argv[0]) != SQLITE_FLOAT) {
		sqlite3_result_value(context, argv[0]);
		return;
	}
	x = sqlite3_value_double(argv[0]);
	if (is_small(x) && decimal_of(x, &d) && d.scale > EXACT_SCALE)
		x = double_of(decimal_round(d, EXACT_SCALE));
	sqlite3_result_double(context, x);
}

bool db_exact_use(struct connection *c, struct err *e)
{
	bool done = sqlite3_create_window_function(c->native, "avg", 1, FUNCTION_BITS, NULL,
						   mean_step, mean_value, mean_value, mean_inverse,
						   NULL) == SQLITE_OK &&
		    sqlite3_create_window_function(c->native, "sum", 1, FUNCTION_BITS, NULL,
						   mean_step, sum_value, sum_value, mean_inverse,
						   NULL) == SQLITE_OK;

	done = done &&
	       sqlite3_create_function(c->native, "exact_part", 1, FUNCTION_BITS, NULL, NULL,
				       mean_step, part_value) == SQLITE_OK &&
	       sqlite3_create_function(c->native, "exact_sum", 1, FUNCTION_BITS, NULL, NULL,
				       part_step, sum_value) == SQLITE_OK &&
	       sqlite3_create_function(c->native, "exact_avg", 1, FUNCTION_BITS, NULL, NULL,
				       part_step, mean_value) == SQLITE_OK;
	for (int argc = 1; argc <= 2; argc++)
		done = done && sqlite3_create_function(c->native, "round", argc, FUNCTION_BITS,
						       NULL, round_value, NULL, NULL) == SQLITE_OK;
	done = done && sqlite3_create_function(c->native, "add_months", 2, FUNCTION_BITS, NULL,
					       add_months, NULL, NULL) == SQLITE_OK;
	done = done && sqlite3_create_function(c->native, "date_from_parts", 3, FUNCTION_BITS, NULL,
					       date_from_parts, NULL, NULL) == SQLITE_OK;
	done = done && sqlite3_create_function(c->native, "exact", 1, FUNCTION_BITS, NULL,
					       exact_value, NULL, NULL) == SQLITE_OK;
	return done ||
	       err_set(e, ERR_UPSTREAM, "%s: cannot register the functions for exact decimals",
		       c->tenant->settings->name);
}
