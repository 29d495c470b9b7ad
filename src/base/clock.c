/*
 * The program's time. All code that shows or compares times uses it, so that a demo can use a fixed
 * day and a test can move the time. The frozen values are atomics because workers read the clock
 * too.
 */
#include "vesper/clock.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DAY_MS   INT64_C(86400000)
#define DAYS_MIN (-719162) /* 0001-01-01 */
#define DAYS_MAX 2932896   /* 9999-12-31 */

static _Atomic bool is_frozen; /* both clocks are stopped at frozen_wall_ms and frozen_mono_ms */
static _Atomic int64_t frozen_wall_ms;
static _Atomic int64_t frozen_mono_ms;
static _Atomic bool is_today_frozen;
static _Atomic int64_t today_days;
static _Atomic bool is_question_frozen; /* questions count as asked at question_ms */
static _Atomic int64_t question_ms;

static int64_t system_us(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_now_ms(void)
{
	return is_frozen ? frozen_wall_ms : system_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_mono_ms(void)
{
	return clock_mono_us() / 1000;
}

int64_t clock_mono_us(void)
{
	return is_frozen ? frozen_mono_ms * 1000 : system_us(CLOCK_MONOTONIC);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
	return value < min ? min : value > max ? max : value;
}

int64_t clock_question_ms(void)
{
	int64_t now = clock_now_ms();

	if (is_question_frozen)
		return question_ms;
	return is_today_frozen ? today_days * DAY_MS + (now - floor_div(now, DAY_MS) * DAY_MS)
			       : now;
}

struct date clock_today(void)
{
	return date_from_days(is_today_frozen ? today_days
					      : floor_div(clock_question_ms(), DAY_MS));
}

bool clock_today_is_frozen(void)
{
	return is_today_frozen;
}

bool clock_question_is_frozen(void)
{
	return is_question_frozen;
}

void clock_freeze_today(struct date d)
{
	assert(date_valid(d));
	clock_release();
	today_days = date_to_days(d);
	is_today_frozen = true;
}

void clock_freeze_question_ms(int64_t wall_ms)
{
	clock_release();
	question_ms = wall_ms;
	is_question_frozen = true;
}

void clock_freeze_ms(int64_t wall_ms)
{
	clock_release();
	frozen_wall_ms = wall_ms;
	frozen_mono_ms = clock_mono_ms();
	is_frozen = true;
}

void clock_advance_ms(int64_t ms)
{
	assert(is_frozen);
	frozen_wall_ms += ms;
	frozen_mono_ms += ms;
}

void clock_release(void)
{
	is_frozen = false;
	is_today_frozen = false;
	is_question_frozen = false;
}

static void write_digits(char *to, unsigned value, int digits)
{
	for (int i = digits - 1; i >= 0; i--, value /= 10)
		to[i] = (char)('0' + value % 10);
}

void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_BYTES])
{
	int64_t days = floor_div(wall_ms, DAY_MS);
	struct date d = date_from_days(days);
	unsigned ms = (unsigned)(wall_ms - days * DAY_MS);
	memcpy(out, "0000-00-00T00:00:00.000Z", CLOCK_RFC3339_BYTES);
	write_digits(out, (unsigned)d.year, 4);
	write_digits(out + 5, (unsigned)d.month, 2);
	write_digits(out + 8, (unsigned)d.day, 2);
	write_digits(out + 11, ms / 3600000, 2);
	write_digits(out + 14, ms / 60000 % 60, 2);
	write_digits(out + 17, ms / 1000 % 60, 2);
	write_digits(out + 20, ms % 1000, 3);
}

/* Reads exactly n digits at *p and advances past them; -1 if there are fewer. */
static int take_digits(const char **p, int n)
{
	int value = 0;
	for (int i = 0; i < n; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return -1;
		value = value * 10 + (**p - '0');
	}
	return value;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static bool take_date(const char **p, struct date *out)
{
	struct date d = {0};
	d.year = take_digits(p, 4);
	if (d.year < 0 || !take_char(p, '-'))
		return false;
	d.month = take_digits(p, 2);
	if (d.month < 0 || !take_char(p, '-'))
		return false;
	d.day = take_digits(p, 2);
	if (!date_valid(d))
		return false;
	*out = d;
	return true;
}

/* hh:mm, both in range, as minutes; -1 otherwise. */
static int take_minutes(const char **p)
{
	int hour = take_digits(p, 2);
	if (hour < 0 || hour > 23 || !take_char(p, ':'))
		return -1;
	int minute = take_digits(p, 2);
	return minute < 0 || minute > 59 ? -1 : hour * 60 + minute;
}

/* Reads ".123456" as milliseconds (further digits are truncated). Without a point: 0; a point
 * without digits: -1. */
static int take_fraction_ms(const char **p)
{
	if (!take_char(p, '.'))
		return 0;
	int ms = 0;
	int digits = 0;
	for (; **p >= '0' && **p <= '9'; (*p)++, digits++)
		if (digits < 3)
			ms = ms * 10 + (**p - '0');
	if (digits == 0)
		return -1;
	for (; digits < 3; digits++)
		ms *= 10;
	return ms;
}

/* Reads "Z" or "+hh:mm" as the minutes by which local time is ahead of UTC. */
static bool take_zone(const char **p, int *minutes_out)
{
	if (take_char(p, 'Z') || take_char(p, 'z')) {
		*minutes_out = 0;
		return true;
	}
	int sign = take_char(p, '+') ? 1 : take_char(p, '-') ? -1 : 0;
	int minutes = sign ? take_minutes(p) : -1;
	if (minutes < 0)
		return false;
	*minutes_out = sign * minutes;
	return true;
}

bool clock_parse_rfc3339(const char *text, int64_t *wall_ms, struct err *e)
{
	const char *p = text ? text : "";
	struct date d;
	if (!take_date(&p, &d) || !(take_char(&p, 'T') || take_char(&p, 't') || take_char(&p, ' ')))
		return err_set(e, ERR_INPUT, "not an RFC 3339 time");
	int minutes = take_minutes(&p);
	if (minutes < 0 || !take_char(&p, ':'))
		return err_set(e, ERR_INPUT, "not an RFC 3339 time: time of day");
	int second = take_digits(&p, 2);
	int ms = second < 0 || second > 60 ? -1 : take_fraction_ms(&p);
	int zone;
	if (ms < 0 || !take_zone(&p, &zone) || *p)
		return err_set(e, ERR_INPUT, "not an RFC 3339 time: seconds or zone");
	*wall_ms =
		date_to_days(d) * DAY_MS + (int64_t)(minutes - zone) * 60000 + second * 1000 + ms;
	return true;
}

/* Calendar arithmetic on a year that starts in March, so that the leap day comes last. */
int64_t date_to_days(struct date d)
{
	int64_t y = d.month <= 2 ? d.year - 1 : d.year;
	int64_t era = floor_div(y, 400);
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

struct date date_from_days(int64_t days)
{
	int64_t z = clamp(days, DAYS_MIN, DAYS_MAX) + 719468;
	int64_t era = floor_div(z, 146097);
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	struct date d;
	d.day = (int)(doy - (153 * mp + 2) / 5 + 1);
	d.month = (int)(mp < 10 ? mp + 3 : mp - 9);
	d.year = (int)(yoe + era * 400 + (d.month <= 2));
	return d;
}

bool date_valid(struct date d)
{
	return d.year >= 1 && d.year <= 9999 && d.month >= 1 && d.month <= 12 && d.day >= 1 &&
	       d.day <= date_days_in_month(d.year, d.month);
}

int date_days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	assert(month >= 1 && month <= 12);
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && leap ? 29 : days[month - 1];
}

int date_weekday(struct date d)
{
	int64_t shifted = date_to_days(d) + 3; /* 1970-01-01 was a Thursday */
	return (int)(shifted - floor_div(shifted, 7) * 7);
}

void date_iso(struct date d, char out[DATE_ISO_BYTES])
{
	int year = (int)clamp(d.year, 1, 9999);
	int month = (int)clamp(d.month, 1, 12);
	int day = (int)clamp(d.day, 1, date_days_in_month(year, month));

	write_digits(out, (unsigned)year, 4);
	out[4] = '-';
	write_digits(out + 5, (unsigned)month, 2);
	out[7] = '-';
	write_digits(out + 8, (unsigned)day, 2);
	out[10] = '\0';
}

bool date_parse_start(const char *text, struct date *out)
{
	return take_date(&text, out);
}

bool date_parse_iso(const char *text, struct date *out)
{
	const char *p = text ? text : "";
	struct date d;
	if (!take_date(&p, &d) || *p)
		return false;
	*out = d;
	return true;
}

static bool add_months(struct date from, int64_t months, struct date *out)
{
	int64_t month = (int64_t)from.year * 12 + from.month - 1 + months;
	int last;

	if (month < 12 || month >= 12 * 10000)
		return false;
	*out = (struct date){(int)(month / 12), (int)(month % 12) + 1, from.day};
	last = date_days_in_month(out->year, out->month);
	if (out->day > last)
		out->day = last;
	return true;
}

static bool add_days(struct date from, int64_t days, struct date *out)
{
	int64_t day = date_to_days(from) + days;

	*out = date_from_days(day);
	return date_to_days(*out) == day; /* false if it was clamped to the supported years */
}

bool date_parse_value(const char *text, struct date today, struct date *out)
{
	const char *p = text && strncmp(text, "today", 5) == 0 ? text + 5 : NULL;
	int64_t n = 0, sign;
	int digits = 0;

	if (!p)
		return date_parse_iso(text, out);
	if (!*p) {
		*out = today;
		return true;
	}
	sign = take_char(&p, '+') ? 1 : take_char(&p, '-') ? -1 : 0;
	for (; *p >= '0' && *p <= '9' && digits < 7; p++, digits++)
		n = n * 10 + (*p - '0');
	if (sign == 0 || digits == 0 || !*p || p[1])
		return false;
	switch (*p) {
	case 'd':
		return add_days(today, sign * n, out);
	case 'w':
		return add_days(today, sign * n * 7, out);
	case 'm':
		return add_months(today, sign * n, out);
	case 'y':
		return add_months(today, sign * n * 12, out);
	default:
		return false;
	}
}
