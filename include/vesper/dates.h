/*
 * Dates and times in text: years, months, days and hours, spans relative to today, labels of files.
 * Results are in the caller's arena. Pure: any thread.
 */
#ifndef VESPER_DATES_H
#define VESPER_DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/text.h"

/* The company's calendar. All zero: the fiscal year is the calendar year, weeks begin on Monday. */
struct company_calendar {
	int fiscal_start_month; /* 1..12; a fiscal year is named after the year it ends in */
	int week_start;         /* 0 = Monday */
};

int calendar_weekday(const char *name); /* "monday" is 0 */

#define YEARS_MAX 16
#define ASOF_MAX  4

/* An all-zero date leaves that end open. */
struct time_range {
	struct date start, end;
};

/* Bit d: 1 is Monday. */
#define DAYS_WORK    (1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5)
#define DAYS_WEEKEND (1u << 6 | 1u << 7)

struct parsed_time {
	int years[YEARS_MAX];
	unsigned year_months[YEARS_MAX]; /* bit m: month m of that year */
	size_t year_count;
	unsigned months;            /* bit m: month m (1-12); 0: the whole year */
	uint32_t hours;             /* bit h: hour h (0-23) */
	const char *asof[ASOF_MAX]; /* labels, "Jan_2025" */
	size_t asof_count;
	bool has_start, has_end; /* start, end are set: the same time as days, inclusive */
	bool range_only;         /* only `start` and `end` express it exactly */
	bool has_gap;            /* the range of days includes days that were not named */
	bool months_differ;      /* months differ between the years */
	struct date start, end;
	struct time_range readings[2]; /* for a day with two readings */
	size_t reading_count;
	const char *day_type;   /* "weekend": no tool filters by it; or NULL */
	unsigned weekdays;      /* of day_type, bit d: 1 is Monday; 0: none */
	bool days_mixed;        /* several kinds of days are named */
	const char *bad_hour;   /* an invalid hour as written, or NULL */
	const char *bad_day;    /* an invalid day as written (2025-02-30, Q5), or NULL */
	const char *indefinite; /* "last few weeks", or NULL */
	const char *ambiguous;  /* text with two readings, or NULL */
	bool year_before;       /* "the year before" relative to the session context */
	/* Length in days of a span that begins or ends today ("past two weeks"); 0: no such
	 * span. */
	int days_back, days_ahead;
};

/* Reads the times of a question and marks their tokens as used. `out` must be all zero. */
void dates_parse(struct question *q, struct date today, const struct company_calendar *cal,
		 struct arena *a, struct parsed_time *out);
/* Reads "HE 18-22" and "hour ending 7" only. */
void hours_parse_endings(struct question *q, struct arena *a, struct parsed_time *out);
/* Reads the hours of a question; peak hours run from `peak_first` to `peak_last`. 0 to 0: no peak
 * hours are defined, and "peak" means a highest value. */
void hours_parse(struct question *q, int peak_first, int peak_last, struct arena *a,
		 struct parsed_time *out);
/* Fills *out, in all its forms, with a chosen range. */
void dates_of_range(struct date start, struct date end, struct parsed_time *out);
/* Normalizes a label however it is spelled: "January 2025", "2025Q1". NULL: not a label. */
const char *dates_label(const char *text, struct arena *a);

/* ---- words of time ---- */

/* Calls `each` for every word that a time may begin with. */
void dates_words(void (*each)(void *owner, const char *word), void *owner);

enum time_unit {
	UNIT_NONE,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_FORTNIGHT,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_HALF,
	UNIT_YEAR
};
enum time_unit time_unit_of(const struct token *t);
int month_named(const char *text, size_t len); /* 1-12, or 0 */
const char *month_name(int month);             /* lower case */
unsigned season_months(const struct token *t); /* month bits; 0: not a season */
struct date month_end(int year, int month);
bool date_is_before(struct date a, struct date b);

#endif
