/*
 * Time in a question, by grammar over tokens: years, quarters, months, seasons, days, ranges, what
 * is relative to today, and as-of labels. A forecast year and the label of a file look alike; what
 * stands beside them ("as of", "file", a year of its own) tells which is meant.
 */
#include "know_int.h"

#include <stdio.h>
#include <string.h>

#define YEAR_MIN    1990
#define YEAR_MAX    2100
#define SHORT_MIN   20 /* '26 is a year, '99 is not one of a forecast */
#define SHORT_MAX   60
#define PHRASES_MAX 16
#define MONTHS_ALL  0x1FFEu
#define NOT_A_MONTH 0

enum grain { GRAIN_NONE, GRAIN_YEAR, GRAIN_MONTHS, GRAIN_DAYS };

/* One phrase of time. */
struct phrase {
	size_t from, to;
	enum grain grain;
	int year;        /* 0: not said */
	unsigned months; /* bit m */
	int quarter;     /* 1-4 when it is one */
	struct date start, end;
	bool relative; /* to today: has start and end */
	bool label;    /* written as only labels are: Jan_2025, 2025Q1 */
	bool asof;
};

struct parser {
	struct question *q;
	struct date today;
	const struct calendar *calendar;
	struct phrase phrases[PHRASES_MAX];
	size_t count;
};

/* ---- words ---- */

static const char *const month_names[] = {"january",   "february", "march",    "april",
					  "may",       "june",     "july",     "august",
					  "september", "october",  "november", "december"};

static int month_of(const char *text, size_t len)
{
	for (int m = 0; m < 12; m++)
		if (len >= 3 && strncmp(month_names[m], text, len) == 0 &&
		    (len == 3 || len == strlen(month_names[m]) || (m == 8 && len == 4)))
			return m + 1;
	return NOT_A_MONTH;
}

/* "may" and "march" are months only where a month can stand. */
static int month_token(const struct question *q, size_t i)
{
	static const char *const places[] = {
		"in",  "for",    "of",    "from",  "to",      "through", "last", "next", "this",
		"and", "during", "until", "since", "between", "by",      "thru", NULL};
	const struct token *t = token_at(q, i);
	int m = t->used ? NOT_A_MONTH : month_of(t->text, t->len);
	const struct token *after = token_at(q, i + 1);

	if ((m != 3 && m != 5) || t->len == 3)
		if (m != 5)
			return m;
	if (after->number >= YEAR_MIN || (after->number >= SHORT_MIN && after->number <= SHORT_MAX))
		return m;
	if ((i > 0 && token_in(&q->tokens[i - 1], places)) || (t->capital && !t->first))
		return m;
	return NOT_A_MONTH;
}

static bool is_year(int n)
{
	return n >= YEAR_MIN && n <= YEAR_MAX;
}

/* 2025, '26; 0: it is none. */
static int year_token(const struct token *t, bool may_be_short)
{
	if (t->used || t->number < 0)
		return 0;
	if (t->len == 4 && is_year(t->number))
		return t->number;
	if (t->len == 2 && (may_be_short || t->before == '\'') && t->number >= SHORT_MIN &&
	    t->number <= SHORT_MAX)
		return 2000 + t->number;
	return 0;
}

static unsigned months_between(int first, int last)
{
	unsigned bits = 0;

	for (int m = first;; m = m % 12 + 1) {
		bits |= 1u << m;
		if (m == last)
			return bits;
	}
}

static unsigned months_of_quarter(int quarter)
{
	return months_between(quarter * 3 - 2, quarter * 3);
}

static unsigned season_of(const struct token *t)
{
	static const struct {
		const char *name;
		int first, last;
	} seasons[] = {{"spring", 3, 5},     {"summer", 6, 8},  {"fall", 9, 11},
		       {"autumn", 9, 11},    {"winter", 12, 2}, {"summertime", 6, 8},
		       {"wintertime", 12, 2}};

	for (size_t i = 0; i < sizeof(seasons) / sizeof(seasons[0]); i++)
		if (token_is(t, seasons[i].name))
			return months_between(seasons[i].first, seasons[i].last);
	return 0;
}

static int ordinal_of(const struct token *t)
{
	static const char *const words[][3] = {{"first", "1st", NULL},
					       {"second", "2nd", NULL},
					       {"third", "3rd", NULL},
					       {"fourth", "4th", NULL}};

	for (int i = 0; i < 4; i++)
		if (token_in(t, words[i]))
			return i + 1;
	return 0;
}

/* "q1", "1q", "h2": the number behind (or before) the letter; 0: it is none. */
static int lettered(const struct token *t, char letter, int most)
{
	int n = 0;

	if (t->len != 2)
		return 0;
	if (t->text[0] == letter)
		n = t->text[1] - '0';
	else if (t->text[1] == letter)
		n = t->text[0] - '0';
	return n >= 1 && n <= most ? n : 0;
}

/* ---- days ---- */

static struct date add_days(struct date d, int days)
{
	return date_from_days(date_to_days(d) + days);
}

static struct date add_months(struct date d, int months)
{
	int at = d.year * 12 + d.month - 1 + months;
	struct date out = {at / 12, at % 12 + 1, d.day};
	int last = date_days_in_month(out.year, out.month);

	if (out.day > last)
		out.day = last;
	return out;
}

static struct date month_end(int year, int month)
{
	return (struct date){year, month, date_days_in_month(year, month)};
}

/* ---- phrases ---- */

static struct phrase *phrase_add(struct parser *p, size_t from, size_t to, enum grain grain)
{
	static struct phrase spill; /* beyond the most that a question has, phrases are lost */
	struct phrase *out = p->count < PHRASES_MAX ? &p->phrases[p->count++] : &spill;

	*out = (struct phrase){.from = from, .to = to, .grain = grain};
	for (size_t i = from; i < to; i++)
		p->q->tokens[i].used = true;
	return out;
}

/* A year behind tokens that want one: "of 2025", "'26", "_2025". Advances *at over it. */
static int take_year(struct parser *p, size_t *at, bool may_be_short)
{
	size_t i = *at;
	int year;

	if (token_in(token_at(p->q, i), (const char *const[]){"of", "in", "for", NULL}) &&
	    year_token(token_at(p->q, i + 1), false))
		i++;
	year = year_token(token_at(p->q, i), may_be_short);
	if (year)
		*at = i + 1;
	return year;
}

/* 2025-01-15, 2025/01/15 */
static bool read_iso(struct parser *p, size_t i)
{
	const struct token *y = token_at(p->q, i), *m = token_at(p->q, i + 1),
			   *d = token_at(p->q, i + 2);
	struct date day = {y->number, m->number, d->number};
	struct phrase *out;

	if (y->used || y->len != 4 || !is_year(y->number) || m->len != 2 ||
	    (m->before != '-' && m->before != '/') || m->number < 1 || m->number > 12)
		return false;
	if (d->len == 2 && d->before == m->before && date_valid(day)) {
		out = phrase_add(p, i, i + 3, GRAIN_DAYS);
		out->start = out->end = day;
		return true;
	}
	if (m->before != '-' || d->before == '-')
		return false;
	out = phrase_add(p, i, i + 2, GRAIN_MONTHS);
	out->year = y->number;
	out->months = 1u << m->number;
	return true;
}

static bool is_day_number(const struct token *t)
{
	if (t->number >= 1)
		return t->number <= 31 && t->len <= 2 && t->before != '\'';
	return t->has_digit && t->len >= 3 && t->len <= 4 &&
	       token_in(t, (const char *const[]){
				   "1st",  "2nd",  "3rd",  "4th",  "5th",  "6th",  "7th",  "8th",
				   "9th",  "10th", "11th", "12th", "13th", "14th", "15th", "16th",
				   "17th", "18th", "19th", "20th", "21st", "22nd", "23rd", "24th",
				   "25th", "26th", "27th", "28th", "29th", "30th", "31st", NULL});
}

static int day_number(const struct token *t)
{
	int n = 0;

	for (size_t i = 0; i < t->len && t->text[i] >= '0' && t->text[i] <= '9'; i++)
		n = n * 10 + (t->text[i] - '0');
	return n;
}

/* "January 15, 2025", "15 January 2025" */
static bool read_day(struct parser *p, size_t i)
{
	const struct token *a = token_at(p->q, i), *b = token_at(p->q, i + 1);
	int month = month_token(p->q, i), year;
	size_t at = i + 2;
	struct date day;
	struct phrase *out;

	if (month && is_day_number(b) && !b->used)
		day.day = day_number(b);
	else if (is_day_number(a) && !a->used && (month = month_token(p->q, i + 1)))
		day.day = day_number(a);
	else
		return false;
	year = take_year(p, &at, false);
	/* "Jan 25" is January 2025, "Jan 15" a day. */
	if (!year && b->number >= SHORT_MIN && b->number <= SHORT_MAX)
		return false;
	day.year = year ? year : p->today.year;
	day.month = month;
	if (!date_valid(day))
		return false;
	out = phrase_add(p, i, at, GRAIN_DAYS);
	out->start = out->end = day;
	return true;
}

/* "January 2025", "Jan_2025", "Jan-25", "June to August 2026", "January" */
static bool read_month(struct parser *p, size_t i)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	int first = month_token(p->q, i), last = first;
	size_t at = i + 1;
	struct phrase *out;
	char joined;
	int year;

	if (!first)
		return false;
	if (token_in(token_at(p->q, at), to_words) &&
	    month_of(token_at(p->q, at + 1)->text, token_at(p->q, at + 1)->len)) {
		last = month_of(token_at(p->q, at + 1)->text, token_at(p->q, at + 1)->len);
		at += 2;
	} else if (token_at(p->q, at)->before == '-' &&
		   month_of(token_at(p->q, at)->text, token_at(p->q, at)->len)) {
		last = month_of(token_at(p->q, at)->text, token_at(p->q, at)->len);
		at++;
	}
	joined = token_at(p->q, at)->before;
	year = take_year(p, &at, true);
	out = phrase_add(p, i, at, GRAIN_MONTHS);
	out->months = months_between(first, last);
	out->year = year;
	out->label = year && joined == '_' && first == last;
	return true;
}

/* "Jan2025", "jan25", "2025q1", "q12025" in one token. */
static bool read_glued(struct parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i);
	struct token left = *t, right = *t;
	char text[16];
	int month, quarter = 0, year;
	struct phrase *out;

	if (t->used || !t->has_digit || !t->has_letter || t->len < 5 || t->len >= sizeof(text))
		return false;
	month = month_of(t->text, 3);
	left.len = 3;
	if (!month) {
		left.len = 2;
		quarter = lettered(&left, 'q', 4);
	}
	if (month || quarter) {
		right.text = t->text + left.len;
	} else {
		/* the year first: 2025q1 */
		left.len = t->len - 2;
		right.text = t->text + left.len;
		right.len = 2;
		quarter = lettered(&right, 'q', 4);
		if (!quarter || left.len != 4)
			return false;
		memcpy(text, t->text, left.len);
		text[left.len] = '\0';
		right.text = text;
	}
	right.len = strlen(right.text);
	right.number = 0;
	for (size_t n = 0; n < right.len; n++) {
		if (right.text[n] < '0' || right.text[n] > '9')
			return false;
		right.number = right.number * 10 + (right.text[n] - '0');
	}
	year = year_token(&right, true);
	if (!year)
		return false;
	out = phrase_add(p, i, i + 1, GRAIN_MONTHS);
	out->year = year;
	out->quarter = month ? 0 : quarter;
	out->months = month ? 1u << month : months_of_quarter(quarter);
	out->label = true;
	return true;
}

/* "Q1 2025", "2025 Q1", "first quarter of 2025", "H1 2026", "first half of 2026", "Q1_2025" */
static bool read_part(struct parser *p, size_t i)
{
	size_t at = i;
	int year = year_token(token_at(p->q, at), false), part, year_after;
	bool half = false;
	struct phrase *out;
	char joined;

	if (year)
		at++;
	part = lettered(token_at(p->q, at), 'q', 4);
	if (!part && (part = lettered(token_at(p->q, at), 'h', 2)))
		half = true;
	if (part && !token_at(p->q, at)->used) {
		joined = token_at(p->q, at)->before;
		at++;
	} else {
		part = ordinal_of(token_at(p->q, at));
		half = token_is(token_at(p->q, at + 1), "half");
		if (!part || (!half && !token_is(token_at(p->q, at + 1), "quarter")) ||
		    (half && part > 2))
			return false;
		joined = ' ';
		at += 2;
	}
	if (!year) {
		joined = token_at(p->q, at)->before;
		year_after = take_year(p, &at, true);
		year = year_after;
	}
	out = phrase_add(p, i, at, GRAIN_MONTHS);
	out->year = year;
	out->quarter = half ? 0 : part;
	out->months = half ? months_between(part * 6 - 5, part * 6) : months_of_quarter(part);
	out->label = !half && year && joined == '_';
	return true;
}

static bool read_season(struct parser *p, size_t i)
{
	static const char *const places[] = {"in",     "this", "last", "next", "for",
					     "during", "the",  "of",   "and",  NULL};
	const struct token *t = token_at(p->q, i);
	unsigned months = t->used ? 0 : season_of(t);
	size_t at = i + 1;
	struct phrase *out;
	int year;

	if (!months)
		return false;
	year = take_year(p, &at, true);
	/* "prices fall" */
	if (token_is(t, "fall") && !(i > 0 && token_in(&p->q->tokens[i - 1], places)) &&
	    !year_token(token_at(p->q, i + 1), true))
		return false;
	out = phrase_add(p, i, at, GRAIN_MONTHS);
	out->months = months;
	out->year = year;
	return true;
}

/* "cal-27", "Cal27", "calendar year 2027", "CY27", "FY 2026" */
static bool read_calendar_year(struct parser *p, size_t i)
{
	static const char *const names[] = {"cal", "calendar", "cy", "fy", "fiscal", NULL};
	const struct token *t = token_at(p->q, i);
	size_t at = i + 1;
	int year = 0;

	if (t->used)
		return false;
	if (token_in(t, names)) {
		if (token_is(token_at(p->q, at), "year"))
			at++;
		year = take_year(p, &at, true);
	} else if (t->has_digit && t->has_letter) {
		for (const char *const *name = names; *name && !year; name++) {
			size_t n = strlen(*name);
			struct token rest = {.text = t->text + n, .before = '\''};

			if (t->len <= n || strncmp(t->text, *name, n) != 0)
				continue;
			rest.len = t->len - n;
			rest.number = 0;
			for (const char *c = rest.text; *c && rest.number >= 0; c++)
				rest.number = *c >= '0' && *c <= '9' && rest.len <= 4
						      ? rest.number * 10 + (*c - '0')
						      : -1;
			year = year_token(&rest, true);
		}
	}
	if (!year)
		return false;
	phrase_add(p, i, at, GRAIN_YEAR)->year = year;
	return true;
}

/* "2025", "2025-2027", "2025 to 2027", "between 2025 and 2027": each year is a phrase. */
static bool read_year(struct parser *p, size_t i)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	int first = year_token(token_at(p->q, i), false), last = first;
	const struct token *next = token_at(p->q, i + 1);
	bool between = i > 0 && token_is(&p->q->tokens[i - 1], "between");
	size_t to = i + 1;

	if (!first)
		return false;
	if (token_in(next, to_words) || (between && token_is(next, "and"))) {
		last = year_token(token_at(p->q, i + 2), true);
		to = i + 3;
	} else if (next->before == '-' && year_token(next, true)) {
		last = year_token(next, true);
		to = i + 2;
	}
	if (last <= first || last - first >= YEARS_MAX) {
		last = first;
		to = i + 1;
	}
	for (int year = first; year <= last; year++)
		phrase_add(p, i, to, GRAIN_YEAR)->year = year;
	return true;
}

/* ---- relative to today ---- */

enum unit { UNIT_NONE, UNIT_DAY, UNIT_WEEK, UNIT_MONTH, UNIT_QUARTER, UNIT_HALF, UNIT_YEAR };

static enum unit unit_of(const struct token *t)
{
	static const char *const names[] = {"", "day", "week", "month", "quarter", "half", "year"};

	for (int u = UNIT_DAY; u <= UNIT_YEAR; u++) {
		size_t n = strlen(names[u]);

		if (strncmp(t->text, names[u], n) == 0 &&
		    (t->len == n || (t->len == n + 1 && t->text[n] == 's')))
			return (enum unit)u;
	}
	return UNIT_NONE;
}

/* The calendar unit `offset` units from the one that holds today. */
static void calendar_unit(const struct parser *p, enum unit unit, int offset, struct date *start,
			  struct date *end)
{
	struct date t = p->today;
	int months = unit == UNIT_MONTH ? 1 : unit == UNIT_QUARTER ? 3 : unit == UNIT_HALF ? 6 : 12;
	int first;

	if (unit == UNIT_DAY) {
		*start = *end = add_days(t, offset);
		return;
	}
	if (unit == UNIT_WEEK) {
		int back = (date_weekday(t) - p->calendar->week_start + 7) % 7;

		*start = add_days(t, offset * 7 - back);
		*end = add_days(*start, 6);
		return;
	}
	first = (t.month - 1) / months * months + 1;
	*start = add_months((struct date){t.year, first, 1}, offset * months);
	*end = add_days(add_months(*start, months), -1);
}

static struct date back_by(struct date d, enum unit unit, int n)
{
	static const int months[] = {0, 0, 0, 1, 3, 6, 12};

	if (unit == UNIT_DAY || unit == UNIT_WEEK)
		return add_days(d, -n * (unit == UNIT_WEEK ? 7 : 1));
	return add_months(d, -n * months[unit]);
}

static void set_span(struct phrase *out, struct date start, struct date end)
{
	out->start = start;
	out->end = end;
	out->relative = true;
	if (out->grain == GRAIN_DAYS)
		return;
	out->year = start.year;
	if (out->grain == GRAIN_MONTHS)
		out->months = months_between(start.month, end.month);
}

static int direction_of(const struct token *t)
{
	if (token_in(t,
		     (const char *const[]){"last", "past", "previous", "prior", "trailing", NULL}))
		return -1;
	if (token_in(t, (const char *const[]){"next", "coming", "upcoming", "following", NULL}))
		return 1;
	return 0;
}

static enum grain grain_of(enum unit unit)
{
	return unit <= UNIT_WEEK ? GRAIN_DAYS : unit == UNIT_YEAR ? GRAIN_YEAR : GRAIN_MONTHS;
}

/* Rolling: from today minus the span to today, both included. */
static void read_rolling(struct parser *p, size_t from, size_t to, enum unit unit, int n)
{
	struct phrase *out = phrase_add(p, from, to, GRAIN_DAYS);

	set_span(out, back_by(p->today, unit, n), p->today);
}

/* "last 7 days", "next two years", "in the past week" */
static bool read_counted(struct parser *p, size_t i, int direction)
{
	int n = number_of(token_at(p->q, i + 1));
	enum unit unit = unit_of(token_at(p->q, i + 2));

	if (n < 1 || n > 1000 || unit == UNIT_NONE)
		return false;
	if (unit == UNIT_YEAR && n < YEARS_MAX && (direction > 0 || n > 1)) {
		for (int y = 1; y <= n; y++)
			phrase_add(p, i, i + 3, GRAIN_YEAR)->year =
				p->today.year + (direction > 0 ? y : y - n - 1);
		return true;
	}
	if (direction > 0) {
		set_span(phrase_add(p, i, i + 3, GRAIN_DAYS), p->today,
			 back_by(p->today, unit, -n));
		return true;
	}
	read_rolling(p, i, i + 3, unit, n);
	return true;
}

/* "last January", "next summer": the nearest one on that side of today. */
static bool read_named(struct parser *p, size_t i, int direction)
{
	const struct token *t = token_at(p->q, i + 1);
	unsigned months = season_of(t);
	int month = month_of(t->text, t->len), first = month;
	struct phrase *out;
	int year = p->today.year;

	if (token_at(p->q, i + 2)->number >= YEAR_MIN || (!months && !month))
		return false;
	if (!months)
		months = 1u << month;
	else
		for (first = 1;
		     !(months & 1u << first) || (months & 1u << ((first + 10) % 12 + 1));)
			first++;
	if (direction < 0 && first >= p->today.month)
		year--;
	if (direction > 0 && first <= p->today.month)
		year++;
	out = phrase_add(p, i, i + 2, GRAIN_MONTHS);
	out->months = months;
	out->year = year;
	return true;
}

static bool read_relative(struct parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i), *next = token_at(p->q, i + 1);
	int direction = direction_of(t);
	bool this = token_in(t, (const char *const[]){"this", "current", NULL});
	bool rolling = token_is(t, "past") || token_is(t, "trailing");
	enum unit unit = unit_of(next);
	struct date start, end;

	if (t->used || (!direction && !this))
		return false;
	if (this && direction_of(next) < 0 && unit_of(token_at(p->q, i + 2)) != UNIT_NONE) {
		read_rolling(p, i, i + 3, unit_of(token_at(p->q, i + 2)), 1);
		return true;
	}
	if (direction && read_counted(p, i, direction))
		return true;
	if (unit == UNIT_NONE || next->used)
		return read_named(p, i, direction);
	if (i >= 2 && direction < 0 && token_is(&p->q->tokens[i - 1], "the") &&
	    token_in(&p->q->tokens[i - 2],
		     (const char *const[]){"in", "over", "during", "within", NULL}))
		rolling = true;
	if (rolling && unit != UNIT_YEAR) {
		read_rolling(p, i, i + 2, unit, 1);
		return true;
	}
	calendar_unit(p, unit, direction, &start, &end);
	set_span(phrase_add(p, i, i + 2, grain_of(unit)), start, end);
	return true;
}

/* "in two years", "two years from now", "3 years ago" */
static bool read_distance(struct parser *p, size_t i)
{
	int n = number_of(token_at(p->q, i));
	enum unit unit = unit_of(token_at(p->q, i + 1));
	bool in = i > 0 && token_is(&p->q->tokens[i - 1], "in");
	bool ago = token_is(token_at(p->q, i + 2), "ago");
	bool from_now =
		token_is(token_at(p->q, i + 2), "from") &&
		token_in(token_at(p->q, i + 3), (const char *const[]){"now", "today", NULL});
	struct date start, end;

	if (token_at(p->q, i)->used || n < 1 || n > 50 || unit == UNIT_NONE ||
	    !(in || ago || from_now))
		return false;
	calendar_unit(p, unit, ago ? -n : n, &start, &end);
	set_span(phrase_add(p, i, i + (ago ? 3 : from_now ? 4 : 2), grain_of(unit)), start, end);
	return true;
}

static bool read_day_word(struct parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i);
	int offset = token_is(t, "yesterday") ? -1 : token_is(t, "tomorrow") ? 1 : 0;
	struct phrase *out;

	if (t->used)
		return false;
	if (token_in(t, (const char *const[]){"ytd", "mtd", NULL})) {
		bool year = token_is(t, "ytd");

		out = phrase_add(p, i, i + 1, year ? GRAIN_YEAR : GRAIN_MONTHS);
		set_span(out, (struct date){p->today.year, year ? 1 : p->today.month, 1}, p->today);
		return true;
	}
	if (!offset && !token_is(t, "today"))
		return false;
	out = phrase_add(p, i, i + 1, GRAIN_DAYS);
	set_span(out, add_days(p->today, offset), add_days(p->today, offset));
	return true;
}

/* "since Monday": the last one before today. */
static bool read_weekday(struct parser *p, size_t i)
{
	static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
					    "friday", "saturday", "sunday"};
	const struct token *t = token_at(p->q, i);

	for (int n = 0; n < 7 && !t->used; n++)
		if (token_is(t, names[n])) {
			int back = (date_weekday(p->today) - n + 6) % 7 + 1;
			struct date day = add_days(p->today, -back);

			set_span(phrase_add(p, i, i + 1, GRAIN_DAYS), day, day);
			return true;
		}
	return false;
}

static void read_phrases(struct parser *p)
{
	static bool (*const readers[])(struct parser *, size_t) = {
		read_iso,  read_day,           read_relative, read_glued,
		read_part, read_calendar_year, read_month,    read_season,
		read_year, read_day_word,      read_distance, read_weekday,
	};

	for (size_t i = 0; i < p->q->count; i++)
		for (size_t n = 0; n < sizeof(readers) / sizeof(readers[0]); n++)
			if (readers[n](p, i))
				break;
}

/* ---- what the phrases mean together ---- */

/* Is the phrase marked as a file's label by what stands around it? */
static bool asof_marked(const struct parser *p, const struct phrase *ph, bool other_year)
{
	static const char *const files[] = {"file", "files",   "vintage",     "release", "edition",
					    "asof", "version", "publication", NULL};
	static const char *const weak[] = {"curve",  "curves", "forecast", "forecasts", "outlook",
					   "update", "view",   "numbers",  "run",       NULL};
	static const char *const links[] = {"for", "from", "of", "dated", "in", "the", "s", NULL};
	const struct token *b1 = ph->from > 0 ? &p->q->tokens[ph->from - 1] : NULL;
	const struct token *b2 = ph->from > 1 ? &p->q->tokens[ph->from - 2] : NULL;

	if (b1 && token_is(b1, "the") && b2) {
		b1 = b2;
		b2 = ph->from > 2 ? &p->q->tokens[ph->from - 3] : NULL;
	}
	if (b1 && (token_is(b1, "asof") || (token_is(b1, "of") && b2 && token_is(b2, "as"))))
		return true;
	if (ph->grain != GRAIN_MONTHS || !ph->year)
		return false;
	if (b1 && (token_in(b1, files) || (b2 && token_in(b1, links) && token_in(b2, files))))
		return true;
	for (size_t i = ph->to; i < ph->to + 2; i++) {
		const struct token *t = token_at(p->q, i);

		if (token_in(t, files) || (other_year && token_in(t, weak)))
			return true;
		if (token_is(t, "as") && token_is(token_at(p->q, i + 1), "of") && i == ph->to &&
		    !year_token(token_at(p->q, i + 2), false) && !month_token(p->q, i + 2))
			return true;
		if (ph->to + 1 < p->q->count && !t->used && !token_in(t, links))
			break;
	}
	return false;
}

static bool has_label_shape(const struct phrase *ph)
{
	return ph->grain == GRAIN_MONTHS && ph->year &&
	       (ph->quarter || (ph->months & (ph->months - 1)) == 0);
}

/* A month of another year beside a year of its own, not joined to it by "and" or "to". */
static bool stands_apart(const struct parser *p, const struct phrase *ph)
{
	static const char *const joins[] = {"and", "or", "to", "vs", "versus", "through", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct phrase *other = &p->phrases[i];

		if (other == ph || other->grain != GRAIN_YEAR || other->asof)
			continue;
		if ((other->from == ph->to + 1 && token_in(&p->q->tokens[ph->to], joins)) ||
		    (ph->from == other->to + 1 && token_in(&p->q->tokens[other->to], joins)))
			continue;
		return true;
	}
	return false;
}

static const char *label_of(const struct phrase *ph, struct arena *a)
{
	int month = 1;

	if (ph->quarter)
		return arena_printf(a, "Q%d_%d", ph->quarter, ph->year);
	while (!(ph->months & 1u << month))
		month++;
	return arena_printf(a, "%c%.2s_%d", month_names[month - 1][0] - 'a' + 'A',
			    month_names[month - 1] + 1, ph->year);
}

static void choose_asof(struct parser *p, struct arena *a, struct time_read *out)
{
	for (size_t i = 0; i < p->count; i++) {
		struct phrase *ph = &p->phrases[i];
		bool apart = stands_apart(p, ph);

		if (!asof_marked(p, ph, apart) &&
		    !(has_label_shape(ph) && ph->label && (!ph->quarter || apart)) &&
		    !(has_label_shape(ph) && !ph->relative && apart))
			continue;
		if (ph->grain == GRAIN_DAYS && !ph->relative) {
			/* a file is named by its month */
			ph->year = ph->start.year;
			ph->months = 1u << ph->start.month;
			ph->grain = GRAIN_MONTHS;
		}
		if (!has_label_shape(ph))
			continue;
		ph->asof = true;
		if (out->asof_count < ASOF_MAX)
			out->asof[out->asof_count++] = label_of(ph, a);
	}
}

static void widen(struct time_read *out, struct date start, struct date end)
{
	if (!out->has_range || date_to_days(start) < date_to_days(out->start))
		out->start = start;
	if (!out->has_range || date_to_days(end) > date_to_days(out->end))
		out->end = end;
	out->has_range = true;
}

static void add_year(struct time_read *out, int year)
{
	for (size_t i = 0; i < out->year_count; i++)
		if (out->years[i] == year)
			return;
	if (out->year_count < YEARS_MAX)
		out->years[out->year_count++] = year;
}

/* First and last day of a phrase that has a year (its own, or the one of the whole question). */
static void phrase_days(const struct phrase *ph, int year, struct date *start, struct date *end)
{
	int first = 1, last = 12;

	if (ph->grain == GRAIN_DAYS || ph->relative) {
		*start = ph->start;
		*end = ph->end;
		return;
	}
	if (ph->grain == GRAIN_MONTHS && !(ph->months & 1u << 12 && ph->months & 1u << 1)) {
		while (!(ph->months & 1u << first))
			first++;
		while (!(ph->months & 1u << last))
			last--;
	}
	*start = (struct date){year, first, 1};
	*end = month_end(year, last);
}

static void collect(const struct parser *p, struct time_read *out)
{
	int lone_year = 0;
	bool open = false; /* "since": to today */

	for (size_t i = 0; i < p->count; i++)
		if (!p->phrases[i].asof && p->phrases[i].year)
			lone_year = p->phrases[i].year;
	for (size_t i = 0; i < p->count; i++) {
		const struct phrase *ph = &p->phrases[i];
		int year = ph->year ? ph->year : lone_year;
		struct date start, end;

		if (ph->asof)
			continue;
		if (ph->from > 0 && token_is(&p->q->tokens[ph->from - 1], "since"))
			open = true;
		if (ph->grain == GRAIN_DAYS)
			out->range_only = true;
		else if (ph->year)
			add_year(out, ph->year);
		if (ph->grain == GRAIN_MONTHS)
			out->months |= ph->months;
		if (ph->grain == GRAIN_DAYS || year) {
			phrase_days(ph, year, &start, &end);
			widen(out, start, end);
		}
	}
	if (open) {
		out->range_only = true;
		out->end = p->today;
	}
	/* What is still running ends today. */
	if (out->has_range && date_to_days(out->start) <= date_to_days(p->today) &&
	    date_to_days(out->end) > date_to_days(p->today))
		out->end = p->today;
	if (out->range_only) {
		out->year_count = 0;
		out->months = 0;
	}
	if (out->months == MONTHS_ALL)
		out->months = 0;
}

/* "the year before", "the previous year": of what stands, which only the caller knows. */
static void read_year_before(struct question *q, struct time_read *out)
{
	for (size_t i = 0; i + 1 < q->count; i++)
		if (token_is(&q->tokens[i], "year") &&
		    token_in(&q->tokens[i + 1],
			     (const char *const[]){"before", "earlier", "prior", NULL})) {
			out->year_before = true;
			q->tokens[i].used = q->tokens[i + 1].used = true;
		}
}

void dates_read(struct question *q, struct date today, const struct calendar *cal, struct arena *a,
		struct time_read *out)
{
	static const char *const published[] = {"published", "publish",   "released",
						"issued",    "received",  "uploaded",
						"loaded",    "delivered", NULL};
	static const char *const day_types[] = {"weekend", "weekends", "weekday", "weekdays",
						"holiday", "holidays", NULL};
	struct parser p = {.q = q, .today = today, .calendar = cal};

	read_year_before(q, out);
	read_phrases(&p);
	choose_asof(&p, a, out);
	collect(&p, out);
	for (size_t i = 0; i < q->count; i++)
		if (token_in(&q->tokens[i], day_types)) {
			out->day_type = q->tokens[i].text;
			q->tokens[i].used = true;
		}
	for (size_t i = 0; i < q->count; i++)
		if (token_in(&q->tokens[i], published) && out->has_range) {
			out->range_only = true;
			out->year_count = 0;
			out->months = 0;
		}
}

const char *dates_label(const char *text, struct arena *a)
{
	struct parser p = {.today = {2000, 1, 1}};
	struct question q;

	text_read(text, a, &q);
	p.q = &q;
	read_phrases(&p);
	if (p.count != 1 || !has_label_shape(&p.phrases[0]))
		return NULL;
	for (size_t i = 0; i < q.count; i++)
		if (!q.tokens[i].used &&
		    !token_in(&q.tokens[i], (const char *const[]){"as", "of", "asof", "file", "the",
								  "curve", "release", NULL}))
			return NULL;
	return label_of(&p.phrases[0], a);
}
