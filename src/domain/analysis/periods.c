/* Periods of a series: converts the map's time groups to consecutive numbers and back. */
#include "analysis_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOURS 24

enum period { HOUR, DAY, WEEK, MONTH, QUARTER, YEAR, PERIODS };

static const struct {
	const char *name;
	size_t cycle; /* periods of a season; 0: none */
} periods[PERIODS] = {
	[HOUR] = {"hour", HOURS}, [DAY] = {"day", 7},         [WEEK] = {"week", 52},
	[MONTH] = {"month", 12},  [QUARTER] = {"quarter", 4}, [YEAR] = {"year", 0},
};

/* PERIODS: not a period, such as weekday. */
static enum period period_of(const struct analysis *x)
{
	enum period p = HOUR;

	while (p < PERIODS && (!x->grain || strcmp(periods[p].name, x->grain) != 0))
		p++;
	return p;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Weeks begin on Monday; 1970-01-01 was a Thursday. */
static int64_t week_of(int64_t day)
{
	return floor_div(day + 3, 7);
}

static bool number_of_day(enum period p, struct date d, int hour, int64_t *out)
{
	switch (p) {
	case HOUR:
		*out = date_to_days(d) * HOURS + hour;
		return true;
	case DAY:
		*out = date_to_days(d);
		return true;
	case WEEK:
		*out = week_of(date_to_days(d));
		return true;
	case MONTH:
		*out = (int64_t)d.year * 12 + d.month - 1;
		return true;
	case QUARTER:
		*out = (int64_t)d.year * 4 + (d.month - 1) / 3;
		return true;
	case YEAR:
		*out = d.year;
		return true;
	case PERIODS:
		break;
	}
	return false;
}

/* "2024-03", "2024-Q1", "2024", "2024-03-04", "2024-03-04T17" */
static bool number_of(enum period p, const char *text, int64_t *out)
{
	struct date d = {.month = 1, .day = 1};
	int n = 1, hour = 0;

	if (!text || sscanf(text, "%4d", &d.year) != 1)
		return false;
	if (p == QUARTER && sscanf(text + 4, "-Q%d", &n) != 1)
		return false;
	if (p == QUARTER)
		d.month = 3 * n - 2;
	if (p == MONTH && sscanf(text + 4, "-%2d", &d.month) != 1)
		return false;
	if ((p == HOUR || p == DAY || p == WEEK) && !date_parse_start(text, &d))
		return false;
	if (p == HOUR && sscanf(text + 10, "T%2d", &hour) != 1)
		return false;
	return date_valid(d) && number_of_day(p, d, hour, out);
}

bool analysis_period_of_row(const struct analysis *x, size_t row, int64_t *out)
{
	return number_of(period_of(x), frame_text(&x->frame->columns[x->groups - 1], row), out);
}

struct span {
	int64_t first, last;
	size_t known;
};

static struct span span_of(const struct analysis *x, const uint32_t *rows, size_t count,
			   int64_t *numbers)
{
	struct span s = {0};

	for (size_t i = 0; i < count; i++) {
		int64_t n;

		if (!analysis_period_of_row(x, rows ? rows[i] : i, &n))
			continue;
		numbers[i] = n;
		if (s.known++ == 0)
			s.first = s.last = n;
		if (n < s.first)
			s.first = n;
		if (n > s.last)
			s.last = n;
	}
	return s;
}

bool analysis_series_read(struct analysis *x, const uint32_t *rows, size_t count,
			  struct analysis_series *out)
{
	int64_t *numbers = arena_alloc(x->a, (count + 1) * sizeof(*numbers)), now;
	struct analysis_series s = {0};
	struct span span;

	for (size_t i = 0; i < count; i++)
		numbers[i] = INT64_MIN;
	span = span_of(x, rows, count, numbers);
	if (span.known == 0 || span.last - span.first >= CALC_SERIES_MAX)
		return false;
	s.first = span.first;
	s.n = (size_t)(span.last - span.first) + 1;
	s.values = arena_alloc(x->a, s.n * sizeof(*s.values));
	for (size_t i = 0; i < s.n; i++)
		s.values[i] = NAN;
	for (size_t i = 0; i < count; i++)
		if (numbers[i] != INT64_MIN)
			s.values[numbers[i] - s.first] = x->values[rows ? rows[i] : i];
	if (s.n > 1 && number_of_day(period_of(x), x->r->context->today, 0, &now) &&
	    (period_of(x) == HOUR ? floor_div(span.last, HOURS) == floor_div(now, HOURS)
				  : span.last == now)) {
		s.left_out = analysis_period(x, span.last);
		s.n--;
	}
	*out = s;
	return true;
}

bool analysis_series_begin(struct analysis *x, const uint32_t *rows, size_t count,
			   struct analysis_series *out)
{
	if (!analysis_series_read(x, rows, count, out)) {
		analysis_set_enough(x, false);
		analysis_note(x, "The data has no dates, or they span more than %d %ss.",
			      CALC_SERIES_MAX, x->grain);
		return false;
	}
	domain_add_text(x->r, x->a, "grain", "Period", x->grain);
	domain_add_count(x->r, x->a, "n", "Periods", out->n);
	if (out->left_out)
		analysis_note(x, "The last %s, %s, is incomplete and is left out.", x->grain,
			      out->left_out);
	return true;
}

const char *analysis_period(const struct analysis *x, int64_t n)
{
	char iso[DATE_ISO_BYTES];

	switch (period_of(x)) {
	case HOUR:
		date_iso(date_from_days(floor_div(n, HOURS)), iso);
		return arena_printf(x->a, "%sT%02d", iso, (int)(n - floor_div(n, HOURS) * HOURS));
	case DAY:
		date_iso(date_from_days(n), iso);
		return arena_strdup(x->a, iso);
	case WEEK:
		date_iso(date_from_days(n * 7 - 3), iso);
		return arena_strdup(x->a, iso);
	case MONTH:
		return arena_printf(x->a, "%04d-%02d", (int)(n / 12), (int)(n % 12) + 1);
	case QUARTER:
		return arena_printf(x->a, "%04d-Q%d", (int)(n / 4), (int)(n % 4) + 1);
	default:
		return arena_printf(x->a, "%d", (int)n);
	}
}

enum column_type analysis_period_type(const struct analysis *x)
{
	enum period p = period_of(x);

	return p == DAY || p == WEEK || p == MONTH ? COLUMN_DATE
	       : p == YEAR                         ? COLUMN_INT
						   : COLUMN_TEXT;
}

const char *analysis_period_cell(const struct analysis *x, int64_t n)
{
	const char *words = analysis_period(x, n);

	return period_of(x) == MONTH ? arena_printf(x->a, "%s-01", words) : words;
}

size_t analysis_cycle(const struct analysis *x)
{
	enum period p = period_of(x);

	return p < PERIODS ? periods[p].cycle : 0;
}

const char *analysis_cycle_position(const struct analysis *x, int64_t n)
{
	static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
					       "Friday", "Saturday", "Sunday"};
	enum period p = period_of(x);

	switch (p) {
	case DAY:
		return weekdays[date_weekday(date_from_days(n))];
	case MONTH:
		return domain_month(arena_printf(x->a, "%d", (int)(n % 12) + 1));
	case QUARTER:
		return arena_printf(x->a, "Q%d", (int)(n % 4) + 1);
	case HOUR:
		return arena_printf(x->a, "hour %d", (int)(n - floor_div(n, HOURS) * HOURS));
	case WEEK:
		return arena_printf(x->a, "week %d of 52", (int)(n % 52) + 1);
	default:
		return analysis_period(x, n);
	}
}
