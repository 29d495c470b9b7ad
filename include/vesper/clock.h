/*
 * The program's clock, and calendar dates. All code reads wall time and today's date here, so that
 * tests and demos can freeze them. Any thread; freeze only at start-up and in tests.
 */
#ifndef VESPER_CLOCK_H
#define VESPER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "vesper/err.h"

struct date {
	int year;  /* 1..9999 */
	int month; /* 1..12 */
	int day;   /* 1..31 */
};

int64_t clock_now_ms(void);  /* Unix time */
int64_t clock_mono_ms(void); /* monotonic; only for differences */
int64_t clock_mono_us(void);
/* The time at which a question counts as asked: the frozen time; if only the day is frozen, that
 * day at the current time of day; else now. */
int64_t clock_question_ms(void);
struct date clock_today(void); /* UTC date of clock_question_ms, or the frozen one */

bool clock_today_is_frozen(void);
bool clock_question_is_frozen(void);

/* Freezes today's date or the time of questions, in place of any earlier freeze. clock_now_ms still
 * returns the real time, because tokens and stored times are compared with the clocks of other
 * machines. */
void clock_freeze_today(struct date d);
void clock_freeze_question_ms(int64_t wall_ms);
/* Tests only: stops both clocks, wall time at `wall_ms`; clock_advance_ms moves them.
 * clock_release undoes every freeze. */
void clock_freeze_ms(int64_t wall_ms);
void clock_advance_ms(int64_t ms);
void clock_release(void);

#define CLOCK_RFC3339_BYTES 25
/* "2026-02-27T09:00:00.000Z" */
void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_BYTES]);
MUST_CHECK bool clock_parse_rfc3339(const char *text, int64_t *wall_ms, struct err *e);

/* Proleptic Gregorian calendar; days are counted from 1970-01-01. */
int64_t date_to_days(struct date d);
/* Clamped to the years 1 to 9999. */
struct date date_from_days(int64_t days);
bool date_valid(struct date d);
int date_days_in_month(int year, int month);
int date_weekday(struct date d); /* 0 = Monday */
#define DATE_ISO_BYTES 11
/* Writes YYYY-MM-DD. Year, month and day are clamped to valid values, because arithmetic may give
 * invalid ones. */
void date_iso(struct date d, char out[DATE_ISO_BYTES]);
bool date_parse_iso(const char *text, struct date *out); /* exactly YYYY-MM-DD */
/* YYYY-MM-DD, or relative to `today`: "today", "today-30d", "today+2w" (d, w, m, y). A day that the
 * month does not have becomes its last day. */
bool date_parse_value(const char *text, struct date today, struct date *out);
/* Parses the date at the start of a timestamp. Ignores what follows it. */
bool date_parse_start(const char *text, struct date *out);

#endif
