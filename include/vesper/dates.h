/*
 * Times as people speak of them: years, months, days and hours, spans relative to today, labels of
 * files. Everything lives in the caller's arena. Pure: any thread.
 */
#ifndef VESPER_DATES_H
#define VESPER_DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/clock.h"
#include "vesper/text.h"

/* How a company counts time. All zero: the fiscal year is the calendar's, weeks begin on Monday. */
struct company_calendar {
	int fiscal_start_month; /* 1..12; a fiscal year is named after the year in which it ends */
	int week_start;         /* 0 = Monday */
};

int calendar_weekday(const char *name); /* "monday" is 0 */

#define YEARS_MAX 16
#define ASOF_MAX  4

/* A day that is all zero: open at this end. */
struct time_range {
	struct date start, end;
};

/* Bit d: 1 is Monday. */
#define DAYS_WORK    (1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5)
#define DAYS_WEEKEND (1u << 6 | 1u << 7)

struct time_read {
	int years[YEARS_MAX];
	unsigned year_months[YEARS_MAX]; /* bit m: month m of that year */
	size_t year_count;
	unsigned months;            /* bit m: month m (1-12); 0: the whole year */
	uint32_t hours;             /* bit h: hour h (0-23) */
	const char *asof[ASOF_MAX]; /* labels, "Jan_2025" */
	size_t asof_count;
	bool has_start, has_end; /* the same time as days, inclusive */
	bool range_only;         /* days are the only right way to say it */
	bool split;              /* the days have a gap */
	bool mixed;              /* not each month is meant of each year */
	struct date start, end;
	struct time_range readings[2]; /* of a day that can be read two ways */
	size_t reading_count;
	const char *day_type; /* "weekend": no tool knows such days; or NULL */
	unsigned weekdays;    /* that it means, bit d: 1 is Monday; 0: no such days */
	bool days_mixed;      /* days of several kinds are named */
	const char *bad_hour; /* as it was written, or NULL */
	const char *bad_day;  /* 2025-02-30, Q5, or NULL */
	const char *vague;    /* "last few weeks", or NULL */
	const char *unclear;  /* what has two readings, or NULL */
	bool year_before;     /* "the year before" that of the session context */
	/* A span that begins or ends today, in days ("past two weeks"); 0: it is none. */
	int days_back, days_ahead;
};

/* Reads the times of a question; the tokens that they are made of are marked as used. `out` is all
 * zero before. */
void dates_read(struct question *q, struct date today, const struct company_calendar *cal,
		struct arena *a, struct time_read *out);
/* The hours that it names; peak hours are those from the first to the last. 0 to 0: there are none,
 * and a peak is anything's highest value. */
void hours_read(struct question *q, int peak_first, int peak_last, struct arena *a,
		struct time_read *out);
/* A range that was chosen, in all its forms. */
void dates_of_range(struct date start, struct date end, struct time_read *out);
/* A label however it is spelled: "January 2025", "2025Q1". NULL: it is none. */
const char *dates_label(const char *text, struct arena *a);

/* ---- words of time ---- */

/* Each word that a time may begin with. */
void dates_words(void (*each)(void *owner, const char *word), void *owner);

enum unit {
	UNIT_NONE,
	UNIT_DAY,
	UNIT_WEEK,
	UNIT_FORTNIGHT,
	UNIT_MONTH,
	UNIT_QUARTER,
	UNIT_HALF,
	UNIT_YEAR
};
enum unit unit_of(const struct token *t);
int month_named(const char *text, size_t len); /* 1-12, or 0 */
const char *month_name(int month);             /* lower case */
unsigned season_months(const struct token *t); /* as bits; 0: it is none */
struct date month_end(int year, int month);
bool day_before(struct date a, struct date b);

#endif
