/*
 * Parses days and times of table cells: ISO dates, two numbers and a year in either order, or a
 * month's name. A time of day and a zone may follow.
 */
#include "types_int.h"

#include <ctype.h>
#include <string.h>

#include "vesper/dates.h"

#define YEAR_MIN   1000
#define PIVOT      70 /* two-digit years are 1970 to 2069 */
#define TEXT_MAX   40 /* bytes; longer texts are not times */
#define DAY_MS     INT64_C(86400000)
#define MINUTE_MS  INT64_C(60000)
#define HALF_DAY_H 12

/* A number of `min_digits` to `max_digits` digits at the start; -1: none. */
static int take_number(struct str *s, size_t min_digits, size_t max_digits)
{
	size_t n = 0;
	int value = 0;

	while (n < s->n && isdigit((unsigned char)s->p[n]) && n <= max_digits)
		value = value * 10 + (s->p[n++] - '0');
	if (n < min_digits || n > max_digits)
		return -1;
	s->p += n;
	s->n -= n;
	return value;
}

static char take_char(struct str *s, const char *any)
{
	char c;

	if (s->n == 0 || !strchr(any, *s->p) || !*s->p)
		return '\0';
	c = *s->p;
	s->p++;
	s->n--;
	return c;
}

static void take_blanks(struct str *s)
{
	while (take_char(s, " ,"))
		;
}

static int take_month(struct str *s)
{
	size_t n = 0;
	char word[TEXT_MAX];
	int month;

	for (; n < s->n && n + 1 < sizeof(word) && isalpha((unsigned char)s->p[n]); n++)
		word[n] = (char)tolower((unsigned char)s->p[n]);
	month = n >= 3 ? month_named(word, n) : 0;
	if (month == 0)
		return -1;
	s->p += n;
	s->n -= n;
	(void)take_char(s, ".");
	return month;
}

static int take_year(struct str *s, struct cell_time *out)
{
	struct str before = *s;
	int year = take_number(s, 4, 4);

	if (year >= 0)
		return year;
	*s = before;
	year = take_number(s, 2, 2);
	out->short_year = year >= 0;
	return year < 0 ? -1 : year + (year < PIVOT ? 2000 : 1900);
}

static bool set_day(struct cell_time *out, int year, int month, int day)
{
	out->day = (struct date){year, month, day};
	return year >= YEAR_MIN && date_valid(out->day);
}

/* "2025-04-03", "2025/4/3" */
static bool take_iso(struct str *s, struct cell_time *out)
{
	int year = take_number(s, 4, 4), month, day;
	char separator = take_char(s, "-/.");

	if (year < 0 || !separator)
		return false;
	month = take_number(s, 1, 2);
	if (take_char(s, "-/.") != separator)
		return false;
	day = take_number(s, 1, 2);
	return set_day(out, year, month, day);
}

/* "03/04/2025", "3.4.25": with points, the day always comes first. */
static bool take_ordered(struct str *s, bool month_first, struct cell_time *out)
{
	int first = take_number(s, 1, 2), second, year;
	char separator = take_char(s, "/.-");
	struct cell_time other = {0};
	bool ok;

	if (first < 0 || !separator)
		return false;
	second = take_number(s, 1, 2);
	if (second < 0 || take_char(s, "/.-") != separator || (year = take_year(s, out)) < 0)
		return false;
	out->by_order = separator != '.';
	if (!out->by_order)
		return set_day(out, year, second, first);
	ok = month_first ? set_day(out, year, first, second) : set_day(out, year, second, first);
	out->is_ambiguous = ok && first != second &&
			    (month_first ? set_day(&other, year, second, first)
					 : set_day(&other, year, first, second));
	return ok;
}

/* "3 Apr 2025", "03-Apr-25", "Apr 3, 2025" */
static bool take_named(struct str *s, struct cell_time *out)
{
	bool month_first = s->n > 0 && isalpha((unsigned char)*s->p);
	int day = month_first ? 0 : take_number(s, 1, 2), month;

	(void)take_char(s, "-/.");
	take_blanks(s);
	month = take_month(s);
	(void)take_char(s, "-/");
	take_blanks(s);
	if (month_first) {
		day = take_number(s, 1, 2);
		take_blanks(s);
	}
	return day >= 0 && month >= 0 && set_day(out, take_year(s, out), month, day);
}

/* Parses "AM" and "PM"; "p.m." is not supported. False: the hour does not fit. */
static bool take_am_pm(struct str *s, int *hour)
{
	bool pm;

	take_blanks(s);
	if (s->n < 2 || (s->p[1] | 0x20) != 'm' || !strchr("apAP", *s->p))
		return true;
	pm = (*s->p | 0x20) == 'p';
	if (*hour < 1 || *hour > HALF_DAY_H)
		return false;
	*hour = *hour % HALF_DAY_H + (pm ? HALF_DAY_H : 0);
	s->p += 2;
	s->n -= 2;
	return true;
}

static bool take_zone(struct str *s, struct cell_time *out)
{
	struct str before = *s;
	int hours, minutes;
	char sign;

	take_blanks(s);
	if (s->n == 0)
		return true;
	out->has_zone = true;
	if (take_char(s, "Zz"))
		return s->n == 0;
	sign = take_char(s, "+-");
	hours = sign ? take_number(s, 2, 2) : -1;
	(void)take_char(s, ":");
	minutes = s->n > 0 ? take_number(s, 2, 2) : 0;
	if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59 || s->n > 0) {
		*s = before;
		return false;
	}
	out->ms += (sign == '+' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
	return true;
}

static bool take_time(struct str *s, struct cell_time *out)
{
	int hour, minute, second = 0, fraction = 0, unit = 100;

	hour = take_number(s, 1, 2);
	if (hour < 0 || !take_char(s, ":"))
		return false;
	minute = take_number(s, 2, 2);
	if (take_char(s, ":")) {
		second = take_number(s, 2, 2);
		if (second >= 0 && take_char(s, ".,"))
			for (; s->n > 0 && isdigit((unsigned char)*s->p);
			     s->p++, s->n--, unit /= 10)
				fraction += (*s->p - '0') * unit;
	}
	if (!take_am_pm(s, &hour) || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
	    second > 59)
		return false;
	out->has_time = true;
	out->ms = ((hour * 60 + minute) * 60 + second) * INT64_C(1000) + fraction;
	return take_zone(s, out);
}

static bool take_day(struct str *s, bool month_first, struct cell_time *out)
{
	struct str begin = *s;

	if (take_iso(s, out))
		return true;
	*s = begin;
	if (take_ordered(s, month_first, out))
		return true;
	if (out->by_order)
		return false;
	*s = begin;
	return take_named(s, out);
}

static bool has_digit(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (isdigit((unsigned char)s.p[i]))
			return true;
	return false;
}

bool cell_time(struct str cell, bool month_first, struct cell_time *out)
{
	struct str s = str_trim(cell);
	bool is_separated;

	*out = (struct cell_time){0};
	if (s.n < 6 || s.n > TEXT_MAX || !has_digit(s) || !take_day(&s, month_first, out))
		return false;
	if (s.n == 0)
		return true;
	is_separated = take_char(&s, "T ");
	take_blanks(&s);
	if (!is_separated || !take_time(&s, out))
		return false;
	if (out->has_zone)
		out->ms += date_to_days(out->day) * DAY_MS;
	return true;
}
