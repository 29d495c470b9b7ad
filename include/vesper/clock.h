/*
 * Time as the program sees it. Wall time and today's date come through here, so that tests and
 * demos can own them. Safe from every thread; freezing is for start-up and tests only.
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
int64_t clock_mono_ms(void); /* only for differences */
int64_t clock_mono_us(void);
/* When a question is asked: the frozen moment; on a frozen day, its time of day; else now. */
int64_t clock_question_ms(void);
struct date clock_today(void); /* UTC date of clock_question_ms, or the frozen one */

bool clock_today_is_frozen(void);
bool clock_question_is_frozen(void);

/* From now on today is `d`, or questions are asked at `wall_ms`. Wall time goes on as it is: tokens
 * and stored times are compared with others' clocks. */
void clock_freeze_today(struct date d);
void clock_freeze_question_ms(int64_t wall_ms);
/* Tests: both clocks stand still at these values until moved; clock_release undoes every freeze. */
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
/* A date that the calendar does not have, as arithmetic may give, is written as the nearest one. */
void date_iso(struct date d, char out[DATE_ISO_BYTES]);
bool date_parse_iso(const char *text, struct date *out); /* exactly YYYY-MM-DD */
/* YYYY-MM-DD, or counted from `today`: "today", "today-30d", "today+2w" (d, w, m, y); a day that
 * the month lacks is its last one. */
bool date_parse_value(const char *text, struct date today, struct date *out);
/* The day at the start of a date or a time stamp. */
bool date_parse_start(const char *text, struct date *out);

#endif
