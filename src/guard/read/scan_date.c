/* Reads dates and times of day, in digits and with the names of months. */
#include "scan_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *const month_names[] = {"January",   "February", "March",    "April",
					  "May",       "June",     "July",     "August",
					  "September", "October",  "November", "December"};

int month_of_word(const char *word, size_t len)
{
	for (int m = 0; len >= 3 && m < 12; m++)
		if (word[0] == month_names[m][0] &&
		    (len == 3 || len == strlen(month_names[m]) || (m == 8 && len == 4)) &&
		    strncasecmp(word, month_names[m], len) == 0)
			return m + 1;
	return 0;
}

int weekday_of_word(const char *word, size_t len)
{
	static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
					   "Friday", "Saturday", "Sunday"};

	for (int d = 0; d < 7; d++)
		if (len == strlen(days[d]) && strncasecmp(word, days[d], len) == 0)
			return d + 1;
	return 0;
}

bool scan_is_year(int y)
{
	return y >= 1900 && y <= 2100;
}

static bool set_date(struct cursor *c, struct shown *s, size_t bytes, int y, int m, int d)
{
	struct date whole = {y, m, d ? d : 1};

	if (c->more || !date_valid(whole))
		return false;
	s->kind = d ? SHOWN_DATE : SHOWN_MONTH;
	s->date = (struct date){y, m, d};
	s->len = bytes;
	return true;
}

/* 2026-02-27, 2026-02 */
bool scan_iso(struct cursor *c, struct shown *s)
{
	size_t second;

	if (scan_digits(c, 0) != 4 || scan_peek(c, 4) != '-' || (second = scan_digits(c, 5)) != 2)
		return false;
	if (scan_peek(c, 7) == '-' && isdigit(scan_peek(c, 8)))
		return scan_digits(c, 8) == 2 &&
		       set_date(c, s, 10, scan_int(c, 0, 4), scan_int(c, 5, 2), scan_int(c, 8, 2));
	return scan_is_year(scan_int(c, 0, 4)) &&
	       set_date(c, s, 7, scan_int(c, 0, 4), scan_int(c, 5, second), 0);
}

/* 2/27/2026, 27.02.2026. With slashes the month comes first if that is a valid date. */
bool scan_slashed(struct cursor *c, struct shown *s)
{
	size_t a = scan_digits(c, 0), b, y;
	unsigned char mark = scan_peek(c, a);
	int first, second, year;

	if (a < 1 || a > 2 || (mark != '/' && mark != '.'))
		return false;
	b = scan_digits(c, a + 1);
	if (b < 1 || b > 2 || scan_peek(c, a + 1 + b) != mark)
		return false;
	y = scan_digits(c, a + b + 2);
	if (y != 4 && !(y == 2 && mark == '/'))
		return false;
	first = scan_int(c, 0, a);
	second = scan_int(c, a + 1, b);
	year = scan_int(c, a + b + 2, y) + (y == 2 ? 2000 : 0);
	if (mark == '.' || first > 12) {
		int swap = first;

		first = second;
		second = swap;
	}
	return set_date(c, s, a + b + 2 + y, year, first, second);
}

/* 16:00 */
bool scan_time(struct cursor *c, struct shown *s)
{
	size_t a = scan_digits(c, 0);

	if (a < 1 || a > 2 || scan_peek(c, a) != ':' || scan_digits(c, a + 1) != 2 || c->more)
		return false;
	s->kind = SHOWN_HOUR;
	s->value = scan_int(c, 0, a);
	s->len = a + 3;
	return s->value <= 24;
}

/* The month named at this position; *bytes: the length of its name. */
static int read_month_word(struct cursor *c, size_t ahead, size_t *bytes)
{
	size_t n = 0;

	if (!isupper(scan_peek(c, ahead)) || !strchr("JFMASOND", scan_peek(c, ahead)))
		return 0;
	while (n < 10 && isalpha(scan_peek(c, ahead + n)))
		n++;
	if (c->more)
		return 0;
	*bytes = n;
	return month_of_word(c->p + c->at + ahead, n);
}

/* Reads ", 2026" or " 2026" after a day and month. Returns the bytes up to its end, or 0. */
static size_t read_year_after(struct cursor *c, size_t ahead, int *year)
{
	size_t at = ahead;

	at += scan_peek(c, at) == ',';
	if (scan_peek(c, at) != ' ')
		return 0;
	at++;
	if (scan_peek(c, at) == '\'' && scan_digits(c, at + 1) == 2 && !c->more) { /* "'26" */
		*year = 2000 + scan_int(c, at + 1, 2);
		return at + 3;
	}
	if (scan_digits(c, at) != 4 || c->more)
		return 0;
	*year = scan_int(c, at, 4);
	return scan_is_year(*year) ? at + 4 : 0;
}

static void set_day(struct cursor *c, struct shown *s, size_t end, int month, int day)
{
	int year = 0;
	size_t whole = read_year_after(c, end, &year);

	if (whole) {
		(void)set_date(c, s, whole, year, month, day);
		return;
	}
	s->kind = SHOWN_DAY;
	s->date = (struct date){0, month, day};
	s->len = end;
}

/* "20 and", "20 to 27", "20-27": the bytes up to the end of a second day of the same month. */
static size_t day_range(struct cursor *c, size_t at)
{
	static const char *const words[] = {" and ", " to ", " through ", "-", "–"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]), digits;

		if (!scan_starts(c, at, words[i]))
			continue;
		digits = scan_digits(c, at + n);
		return digits == 1 || digits == 2 ? n + digits : 0;
	}
	return 0;
}

/* Reads "27 February 2026", "27th of February"; after the name of a month "27, 2026" or "2026". */
bool scan_worded(struct cursor *c, struct shown *s, const struct lead *lead, size_t digits,
		 size_t end)
{
	int value = digits <= 4 ? scan_int(c, 0, digits) : 0;
	size_t at = end, bytes = 0;
	int month;

	if (lead->month && digits == 4 && scan_is_year(value))
		return set_date(c, s, digits, value, lead->month, 0);
	if (lead->month && lead->quote && digits == 2)
		return set_date(c, s, digits, 2000 + value, lead->month, 0);
	if (digits > 2 || value < 1 || value > 31)
		return false;
	if (lead->month) {
		set_day(c, s, end, lead->month, value);
		return true;
	}
	at += day_range(c, at);
	if (scan_peek(c, at) != ' ' && scan_peek(c, at) != '-')
		return false;
	at++;
	if (scan_starts(c, at, "of "))
		at += 3;
	month = read_month_word(c, at, &bytes);
	if (!month)
		return false;
	set_day(c, s, at + bytes, month, value);
	if (at > end + 4) /* "20 to 27 February": covers only the first day */
		s->len = day_range(c, end) ? digits : s->len;
	return true;
}

bool scan_day_in_words(struct cursor *c, struct shown *s, size_t end, int month, int day)
{
	size_t bytes = 0;

	if (month) {
		set_day(c, s, end, month, day);
		return true;
	}
	if (!scan_starts(c, end, " of "))
		return false;
	month = read_month_word(c, end + 4, &bytes);
	if (!month)
		return false;
	set_day(c, s, end + 4 + bytes, month, day);
	return true;
}
