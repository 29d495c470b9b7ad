/*
 * The grammar of time in a question: years, quarters, months, seasons, days and ranges as they are
 * written, and the ways to write an as-of label.
 */
#include "know_int.h"

#include <string.h>

#define SHORT_MIN   20 /* '26 is a year of a forecast, '99 is not */
#define SHORT_MAX   60
#define NOT_A_MONTH 0

/* ---- words ---- */

static const char *const month_names[] = {"january",   "february", "march",    "april",
					  "may",       "june",     "july",     "august",
					  "september", "october",  "november", "december"};

int month_named(const char *text, size_t len)
{
	for (int m = 0; m < 12; m++)
		if (len >= 3 && strncmp(month_names[m], text, len) == 0 &&
		    (len == 3 || len == strlen(month_names[m]) || (m == 8 && len == 4)))
			return m + 1;
	return NOT_A_MONTH;
}

/* "may" and "march" are months only where a month can stand. */
int month_token(const struct question *q, size_t i)
{
	static const char *const places[] = {
		"in",  "for",    "of",    "from",  "to",      "through", "last", "next", "this",
		"and", "during", "until", "since", "between", "by",      "thru", NULL};
	const struct token *t = token_at(q, i);
	int m = t->used ? NOT_A_MONTH : month_named(t->text, t->len);
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
int year_token(const struct token *t, bool may_be_short)
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

unsigned months_between(int first, int last)
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

unsigned season_months(const struct token *t)
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

const char *month_name(int month)
{
	return month_names[month - 1];
}

/* ---- phrases ---- */

struct time_phrase *phrase_add(struct time_parser *p, size_t from, size_t to, enum time_grain grain)
{
	static struct time_phrase spill; /* beyond the most that a question has, phrases are lost */
	struct time_phrase *out = p->count < PHRASES_MAX ? &p->phrases[p->count++] : &spill;

	*out = (struct time_phrase){.from = from, .to = to, .grain = grain};
	for (size_t i = from; i < to; i++)
		p->q->tokens[i].used = true;
	return out;
}

/* A year behind tokens that want one: "of 2025", "'26", "_2025". Advances *at over it. */
static int take_year(struct time_parser *p, size_t *at, bool may_be_short)
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
static bool read_iso(struct time_parser *p, size_t i)
{
	const struct token *y = token_at(p->q, i), *m = token_at(p->q, i + 1),
			   *d = token_at(p->q, i + 2);
	struct date day = {y->number, m->number, d->number};
	struct time_phrase *out;

	if (y->used || y->len != 4 || !is_year(y->number) || m->len != 2 ||
	    (m->before != '-' && m->before != '/') || m->number < 1 || m->number > 12)
		return false;
	if (d->len == 2 && d->before == m->before && date_valid(day)) {
		out = phrase_add(p, i, i + 3, GRAIN_DAYS);
		out->start = out->end = day;
		return true;
	}
	if (d->len == 2 && d->before == m->before && d->number >= 0) {
		phrase_add(p, i, i + 3, GRAIN_NONE);
		p->bad_from = i;
		p->bad_to = i + 3;
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
static bool read_day(struct time_parser *p, size_t i)
{
	const struct token *a = token_at(p->q, i), *b = token_at(p->q, i + 1);
	int month = month_token(p->q, i), year;
	size_t at = i + 2;
	struct date day;
	struct time_phrase *out;

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
static bool read_month(struct time_parser *p, size_t i)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	int first = month_token(p->q, i), last = first;
	size_t at = i + 1;
	struct time_phrase *out;
	char joined;
	int year;

	if (!first)
		return false;
	if (token_in(token_at(p->q, at), to_words) &&
	    month_named(token_at(p->q, at + 1)->text, token_at(p->q, at + 1)->len)) {
		last = month_named(token_at(p->q, at + 1)->text, token_at(p->q, at + 1)->len);
		at += 2;
	} else if (token_at(p->q, at)->before == '-' &&
		   month_named(token_at(p->q, at)->text, token_at(p->q, at)->len)) {
		last = month_named(token_at(p->q, at)->text, token_at(p->q, at)->len);
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
static bool read_glued(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i);
	struct token left = *t, right = *t;
	char text[16];
	int month, quarter = 0, year;
	struct time_phrase *out;

	if (t->used || !t->has_digit || !t->has_letter || t->len < 5 || t->len >= sizeof(text))
		return false;
	month = month_named(t->text, 3);
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
static bool read_part(struct time_parser *p, size_t i)
{
	size_t at = i;
	int year = year_token(token_at(p->q, at), false), part, year_after;
	bool half = false;
	struct time_phrase *out;
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

static bool read_season(struct time_parser *p, size_t i)
{
	static const char *const places[] = {"in",     "this", "last", "next", "for",
					     "during", "the",  "of",   "and",  NULL};
	const struct token *t = token_at(p->q, i);
	unsigned months = t->used ? 0 : season_months(t);
	size_t at = i + 1;
	struct time_phrase *out;
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
static bool read_calendar_year(struct time_parser *p, size_t i)
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
static bool read_year(struct time_parser *p, size_t i)
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

/* ---- all ---- */

void phrases_read(struct time_parser *p)
{
	static bool (*const readers[])(struct time_parser *, size_t) = {
		read_iso,
		read_day,
		relative_read,
		read_glued,
		read_part,
		read_calendar_year,
		read_month,
		read_season,
		read_year,
		relative_read_day,
		relative_read_distance,
		relative_read_weekday,
	};

	for (size_t i = 0; i < p->q->count; i++)
		for (size_t n = 0; n < sizeof(readers) / sizeof(readers[0]); n++)
			if (readers[n](p, i))
				break;
}
