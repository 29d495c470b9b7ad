/*
 * The grammar of absolute times: years, quarters, months, seasons, weeks and days, and trading
 * codes (1Q25, cal-27, FY26 Q2).
 */
#include "text_int.h"

#include <string.h>

struct time_phrase *phrase_add(struct time_parser *p, size_t from, size_t to, enum time_grain grain)
{
	struct time_phrase *out = p->count < PHRASES_MAX ? &p->phrases[p->count++] : &p->overflow;

	*out = (struct time_phrase){.from = from, .to = to, .grain = grain};
	for (size_t i = from; i < to; i++)
		p->q->tokens[i].used = true;
	return out;
}

struct time_phrase *phrase_add_days(struct time_parser *p, size_t from, size_t to,
				    struct date start, struct date end)
{
	struct time_phrase *out = phrase_add(p, from, to, GRAIN_DAYS);

	out->start = start;
	out->end = end;
	out->has_dates = true;
	return out;
}

/* Adds whole months from a day on: a year, months of one year, or else a span. */
struct time_phrase *phrase_add_months(struct time_parser *p, size_t from, size_t to,
				      struct date start, int months)
{
	struct time_phrase *out = phrase_add(p, from, to, GRAIN_MONTHS);

	out->start = start;
	out->end = day_plus(day_plus_months(start, months), -1);
	out->has_dates = true;
	out->year = start.year;
	if (months == 12 && start.month == 1)
		out->grain = GRAIN_YEAR;
	else
		out->months = months_between(start.month, out->end.month);
	if (months == 3 && start.month % 3 == 1)
		out->quarter = start.month / 3 + 1;
	return out;
}

static bool add_invalid(struct time_parser *p, size_t from, size_t to)
{
	phrase_add(p, from, to, GRAIN_NONE)->dropped = true;
	p->invalid_from = from;
	p->invalid_to = to;
	return true;
}

/* Reads a year after tokens that require one: "of 2025", "'26", "_2025". Advances *at. */
static int read_year_after(struct time_parser *p, size_t *at, bool may_be_short)
{
	size_t i = *at;
	int year;

	if (token_in(token_at(p->q, i), (const char *const[]){"of", "in", "for", NULL}) &&
	    year_token(token_at(p->q, i + 1), false))
		i++;
	year = year_token(token_at(p->q, i), may_be_short);
	/* "Jan 25-31": a day, not a year */
	if (year && token_at(p->q, i)->len == 2 && token_at(p->q, i + 1)->separator == '-' &&
	    is_day_number(token_at(p->q, i + 1)))
		return 0;
	if (year)
		*at = i + 1;
	return year;
}

/* ---- days ---- */

/* "15t17" in 2025-01-15T17:00: the day and the hour. */
static int day_and_hour(const struct token *t, int *hour)
{
	*hour = -1;
	if (t->len == 2)
		return t->number;
	if (t->len != 5 || t->text[2] != 't' || day_number(t) == 0)
		return -1;
	*hour = (t->text[3] - '0') * 10 + (t->text[4] - '0');
	return day_number(t);
}

/* 2025-01-15, 2025/01/15, 2025-01-15T17:00Z, 2025-01, 2026-W09 */
static bool read_iso(struct time_parser *p, size_t i)
{
	const struct token *y = token_at(p->q, i), *m = token_at(p->q, i + 1),
			   *d = token_at(p->q, i + 2);
	struct date day = {y->number, m->number, 0};
	size_t to = i + 3;
	int hour;

	if (y->len != 4 || !year_token(y, false) || m->used || m->len != 2 || m->number < 0 ||
	    (m->separator != '-' && m->separator != '/'))
		return false;
	day.day = d->separator == m->separator ? day_and_hour(d, &hour) : -1;
	if (day.day < 0) {
		if (m->number == 0 || (m->number > 12 && !may_be_short_year(m->number)))
			return add_invalid(p, i, i + 2);
		if (m->number > 12)
			return false;
		struct time_phrase *out = phrase_add(p, i, i + 2, GRAIN_MONTHS);

		out->year = y->number;
		out->months = 1u << m->number;
		return true;
	}
	if (!date_valid(day) || hour > 23)
		return add_invalid(p, i, to);
	while (hour >= 0 && token_at(p->q, to)->separator == ':')
		to++;
	if (hour >= 0)
		p->hours |= 1u << hour;
	phrase_add_days(p, i, to, day, day);
	return true;
}

/* 3/14/2025, 14.3.2025, 3-4-25. If both orders give a valid day, the user is asked. */
static bool read_slashed(struct time_parser *p, size_t i)
{
	const struct token *a = token_at(p->q, i), *b = token_at(p->q, i + 1),
			   *c = token_at(p->q, i + 2);
	bool is_month_first, is_day_first;
	struct date month_first, day_first;
	struct time_phrase *out;
	int year;

	if (a->used || a->number < 0 || a->len > 2 || b->number < 0 ||
	    (b->separator != '/' && b->separator != '-' && b->separator != '.'))
		return false;
	/* 1/2025 */
	if (b->separator == '/' && b->len == 4 && year_token(b, false) && a->number >= 1 &&
	    a->number <= 12) {
		out = phrase_add(p, i, i + 2, GRAIN_MONTHS);
		out->year = b->number;
		out->months = 1u << a->number;
		return true;
	}
	if (b->len > 2 || c->used || c->separator != b->separator)
		return false;
	year = year_token(c, b->separator == '/');
	if (!year)
		return false;
	month_first = (struct date){year, a->number, b->number};
	day_first = (struct date){year, b->number, a->number};
	is_month_first = date_valid(month_first) && b->separator != '.';
	is_day_first = date_valid(day_first);
	if (!is_month_first && !is_day_first)
		return add_invalid(p, i, i + 3);
	out = phrase_add_days(p, i, i + 3, is_month_first ? month_first : day_first,
			      is_month_first ? month_first : day_first);
	out->is_ambiguous = is_month_first && is_day_first && a->number != b->number;
	out->other_start = day_first;
	if (is_month_first != is_day_first)
		p->order = is_month_first ? ORDER_MONTH_FIRST : ORDER_DAY_FIRST;
	return true;
}

/* Reads a year that may also be relative to today: "July 4 this year". Advances *at. */
static int read_day_year(struct time_parser *p, size_t *at, bool may_be_short)
{
	static const char *const years[] = {"last", "this", "next"};
	int year = read_year_after(p, at, may_be_short);

	for (int n = 0; n < 3 && !year; n++)
		if (token_is(token_at(p->q, *at), years[n]) &&
		    token_is(token_at(p->q, *at + 1), "year")) {
			year = p->today.year + n - 1;
			*at += 2;
		}
	return year;
}

/* The most recent year in which the day or month occurred. */
int most_recent_year(struct date today, int month, int day)
{
	bool has_occurred = month < today.month || (month == today.month && day <= today.day);

	return has_occurred ? today.year : today.year - 1;
}

/* The second day of "10 to 20 February", "between 10 and 20 February", "the 10th to the 20th of
 * February" at token i; 0: none. *to: the token after it. */
static int second_day(const struct time_parser *p, size_t i, size_t *to)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	const struct question *q = p->q;
	size_t before = i - (i > 0 && token_is(&q->tokens[i - 1], "the")), at = i + 1;
	bool between = before > 0 && token_is(&q->tokens[before - 1], "between");

	if (token_in(token_at(q, at), to_words) || (between && token_is(token_at(q, at), "and")))
		at += 1 + token_is(token_at(q, at + 1), "the");
	else if (token_at(q, at)->separator != '-')
		return 0;
	if (!is_day_number(token_at(q, at)) ||
	    !month_token(q, at + 1 + token_is(token_at(q, at + 1), "of")))
		return 0;
	*to = at + 1;
	return day_number(token_at(q, at));
}

/* "January 15, 2025", "15 January 2025", "the 3rd of March", "March 5-12" */
static bool read_day(struct time_parser *p, size_t i)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	const struct token *a = token_at(p->q, i), *b = token_at(p->q, i + 1);
	bool on = i > 0 && token_is(&p->q->tokens[i - 1], "on");
	int month = month_token(p->q, i), first, last = 0, year;
	size_t at = i + 1;
	struct date start, end;

	if (month && is_day_number(b)) {
		first = day_number(b);
		at = i + 2;
	} else if (is_day_number(a)) {
		first = day_number(a);
		last = second_day(p, i, &at);
		at += token_is(token_at(p->q, at), "of");
		month = month_token(p->q, at++);
	} else {
		return false;
	}
	if (!month)
		return false;
	if (!last &&
	    (token_at(p->q, at)->separator == '-' || token_in(token_at(p->q, at), to_words))) {
		size_t next = at + token_in(token_at(p->q, at), to_words);

		if (is_day_number(token_at(p->q, next)) && !month_token(p->q, next + 1) &&
		    token_at(p->q, next + 1)->separator != '/') {
			last = day_number(token_at(p->q, next));
			at = next + 1;
		}
	}
	year = read_day_year(p, &at, last != 0);
	/* "Jan 25" is January 2025, "Jan 15" a day, and "Dec 20 to Jan 5" starts with a day. */
	on = on || (token_in(token_at(p->q, at), to_words) && month_token(p->q, at + 1) &&
		    is_day_number(token_at(p->q, at + 2)) &&
		    !may_be_short_year(day_number(token_at(p->q, at + 2))));
	if (!year && !last && !on && b->len == 2 && may_be_short_year(b->number) &&
	    b->number == first)
		return false;
	start = (struct date){year ? year : most_recent_year(p->today, month, first), month, first};
	end = start;
	end.day = last ? last : first;
	if (!date_valid(start) || !date_valid(end))
		return add_invalid(p, i, at);
	if (date_is_before(end, start))
		return false;
	phrase_add_days(p, i, at, start, end)->year_inferred = !year;
	return true;
}

/* "since New Year", "on Christmas Day", "on Independence Day 2027" */
static bool read_holiday(struct time_parser *p, size_t i)
{
	static const struct {
		const char *first, *second;
		int month, day;
		bool needs_day; /* only with "day" or "eve" */
	} holidays[] = {{"new", "year", 1, 1, false},
			{"new", "years", 1, 1, false},
			{"christmas", NULL, 12, 25, false},
			{"xmas", NULL, 12, 25, false},
			{"independence", NULL, 7, 4, true}};
	static const char *const edges[] = {"since", "until", "till", "before", "after",
					    "from",  "on",    "by",   "at",     NULL};
	const struct question *q = p->q;
	bool has_edge_word = i > 0 && token_in(&q->tokens[i - 1], edges);
	struct date day;
	bool named;
	int year;

	for (size_t n = 0; n < sizeof(holidays) / sizeof(holidays[0]); n++) {
		size_t at = i + 1 + (holidays[n].second != NULL);

		if (token_at(q, i)->used || !token_is(token_at(q, i), holidays[n].first) ||
		    (holidays[n].second && !token_is(token_at(q, i + 1), holidays[n].second)))
			continue;
		at += holidays[n].second && token_is(token_at(q, at), "s");
		named = token_in(token_at(q, at), (const char *const[]){"day", "eve", NULL});
		if (!named && (holidays[n].needs_day || !has_edge_word))
			return false;
		day = (struct date){0, holidays[n].month, holidays[n].day};
		year = p->today.year;
		if (named && token_is(token_at(q, at), "eve"))
			day = day_plus((struct date){year, day.month, day.day}, -1);
		at += named;
		year = read_day_year(p, &at, true);
		day.year = year ? year : most_recent_year(p->today, day.month, day.day);
		phrase_add_days(p, i, at, day, day)->year_inferred = !year;
		return true;
	}
	return false;
}

/* "week 9 of 2026", "2026-W09", "W09 2026": ISO 8601 weeks. */
static bool read_week(struct time_parser *p, size_t i)
{
	size_t at = i;
	int year = year_token(token_at(p->q, at), false), week = -1, monday;
	const struct token *t;
	struct date fourth, start;

	at += year != 0;
	t = token_at(p->q, at);
	if (!t->used && t->text[0] == 'w' && t->len == 3 && t->has_digit) {
		week = (t->text[1] - '0') * 10 + (t->text[2] - '0');
		at++;
	} else if (token_is(t, "week") && token_at(p->q, at + 1)->number >= 1 &&
		   token_at(p->q, at + 1)->len <= 2) {
		week = token_at(p->q, at + 1)->number;
		at += 2;
	}
	if (week < 0)
		return false;
	if (!year)
		year = read_year_after(p, &at, false);
	if (!year)
		year = p->today.year;
	fourth = (struct date){year, 1, 4};
	monday = -date_weekday(fourth);
	start = day_plus(fourth, monday + (week - 1) * 7);
	/* a week belongs to the year of its Thursday */
	if (week < 1 || day_plus(start, 3).year != year)
		return add_invalid(p, i, at);
	phrase_add_days(p, i, at, start, day_plus(start, 6));
	return true;
}

/* ---- months ---- */

/* "January 2025", "Jan_2025", "Jan-25", "June to August 2026", "January" */
static bool read_month(struct time_parser *p, size_t i)
{
	static const char *const to_words[] = {"to", "through", "thru", "until", "till", NULL};
	int first = month_token(p->q, i), last = first;
	size_t at = i + 1, next;
	struct time_phrase *out;
	const struct token *t;
	char joined;
	int year;

	if (!first)
		return false;
	next = at + token_in(token_at(p->q, at), to_words);
	t = token_at(p->q, next);
	if (!t->used && (next > at || t->separator == '-') && month_named(t->text, t->len) &&
	    !is_day_number(token_at(p->q, next + 1))) {
		last = month_named(t->text, t->len);
		at = next + 1;
	}
	joined = token_at(p->q, at)->separator;
	year = read_year_after(p, &at, true);
	out = phrase_add(p, i, at, GRAIN_MONTHS);
	out->months = months_between(first, last);
	out->year = year;
	out->label = year && joined == '_' && first == last;
	/* "November to February 2026" ends in that year */
	if (year && last < first) {
		out->has_dates = true;
		out->start = (struct date){year - 1, first, 1};
		out->end = month_end(year, last);
	}
	return true;
}

/* "Jan2025", "jan25" */
static bool read_month_with_digits(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i);
	size_t letters = strcspn(t->text, "0123456789"), digits = t->len - letters;
	int month = t->used ? 0 : month_named(t->text, letters), year = 0;
	struct time_phrase *out;

	if (!month || strspn(t->text + letters, "0123456789") != digits || digits > 4)
		return false;
	for (size_t n = letters; n < t->len; n++)
		year = year * 10 + (t->text[n] - '0');
	year = year_of_number(year, digits, true);
	if (!year)
		return false;
	out = phrase_add(p, i, i + 1, GRAIN_MONTHS);
	out->months = 1u << month;
	out->year = year;
	out->label = true;
	return true;
}

/* "Is winter dearer than summer", "the cheapest season": compared seasons do not restrict the
 * months, unless each has its own year. */
static bool compares_seasons(const struct question *q)
{
	size_t seasons = 0, with_year = 0;
	unsigned first = 0, months;
	bool named = false;

	for (size_t i = 0; i < q->count; i++) {
		const struct token *t = &q->tokens[i], *next = token_at(q, i + 1);

		named = named || token_in(t, (const char *const[]){"season", "seasons", NULL});
		months = token_is(t, "fall") ? 0 : season_months(t);
		named = named || (first && months && months != first);
		first = first ? first : months;
		seasons += months != 0;
		/* a used number is the year of a season that was read earlier */
		with_year += months != 0 &&
			     (year_token(next, true) || (next->used && next->number >= 0));
	}
	return named && with_year < seasons;
}

/* "summer 26", "the fall of 2025", "winter 2025/26" */
static bool read_season(struct time_parser *p, size_t i)
{
	static const char *const places[] = {"in",     "this", "last", "next", "for",
					     "during", "the",  "of",   "and",  NULL};
	const struct token *t = token_at(p->q, i), *next;
	unsigned months = t->used ? 0 : season_months(t);
	size_t at = i + 1;
	struct time_phrase *out;
	int year, second;

	if (!months)
		return false;
	if (compares_seasons(p->q))
		return false;
	year = read_year_after(p, &at, true);
	/* "prices fall in 2025" */
	if (token_is(t, "fall") && !year_token(token_at(p->q, i + 1), true) &&
	    !token_is(token_at(p->q, i + 1), "of") &&
	    !(i > 0 && token_in(&p->q->tokens[i - 1], places)))
		return false;
	next = token_at(p->q, at);
	second = next->separator == '/' || next->separator == '-' ? year_token(next, true) : 0;
	if (year && second == year + 1 && months & 1u << 12) {
		phrase_add_months(p, i, at + 1, (struct date){year, 12, 1}, 3);
		return true;
	}
	out = phrase_add(p, i, at, GRAIN_MONTHS);
	out->months = months;
	out->year = year;
	return true;
}

/* ---- years ---- */

/* "2025", "2025-2027", "2025 to 2027", "between 2025 and 2027": adds one phrase per year. */
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
	} else if (next->separator == '-' && year_token(next, true)) {
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

/* "twenty twenty-six" */
static bool read_spoken_year(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i), *next = token_at(p->q, i + 1);
	int tens = next->number < 0 && !next->used ? token_number(next) : -1;
	int ones = token_at(p->q, i + 2)->number < 0 ? token_number(token_at(p->q, i + 2)) : -1;
	bool has_ones = ones >= 1 && ones <= 9 && !token_at(p->q, i + 2)->used;

	if (t->used || !token_is(t, "twenty") || tens < SHORT_YEAR_MIN || tens > SHORT_YEAR_MAX ||
	    tens % 10 != 0)
		return false;
	phrase_add(p, i, i + 2 + has_ones, GRAIN_YEAR)->year = 2000 + tens + (has_ones ? ones : 0);
	return true;
}

/* "in 27", "NP15 27 avg": a short year after a place word or a name, when no other year is given
 * and nothing is counted. */
static bool read_short_year(struct time_parser *p, size_t i)
{
	static const char *const places[] = {"in", "yr", "for", NULL};
	const struct token *t = token_at(p->q, i), *before = token_at(p->q, i - 1),
			   *next = token_at(p->q, i + 1);
	bool has_place_word = i > 0 && token_in(before, places), ends;

	if (i == 0 || t->used || t->len != 2 || t->separator != ' ' ||
	    !may_be_short_year(t->number) || (!has_place_word && !before->used) ||
	    before->number >= 0)
		return false;
	for (size_t n = 0; n < p->count; n++)
		if (p->phrases[n].year || p->phrases[n].has_dates)
			return false;
	ends = i + 1 >= p->q->count || next->starts_sentence || next->separator == ',';
	if (!ends &&
	    (next->separator != ' ' || !(next->used || token_in_list(next, WORDS_AGGREGATES) ||
					 token_in_list(next, WORDS_EXCLUSION_JOINTS) ||
					 (has_place_word && token_is(next, "if")))))
		return false;
	phrase_add(p, i, i + 1, GRAIN_YEAR)->year = 2000 + t->number;
	return true;
}

/* ---- all ---- */

bool phrase_parse_day(struct time_parser *p, size_t i)
{
	return read_iso(p, i) || read_slashed(p, i) || read_day(p, i);
}

bool phrase_parse_period(struct time_parser *p, size_t i)
{
	return relative_parse(p, i) || code_parse(p, i) || read_month_with_digits(p, i) ||
	       read_month(p, i) || read_season(p, i) || read_year(p, i);
}

void phrases_parse(struct time_parser *p)
{
	static bool (*const readers[])(struct time_parser *, size_t) = {
		read_iso,
		read_slashed,
		slice_parse,
		read_day,
		read_holiday,
		relative_parse,
		read_week,
		code_parse,
		read_month_with_digits,
		read_month,
		read_season,
		read_year,
		read_spoken_year,
		relative_parse_day,
		relative_parse_distance,
		relative_parse_weekday,
	};

	for (size_t i = 0; i < p->q->count; i++) {
		if (!may_start_time(&p->q->tokens[i]))
			continue;
		for (size_t n = 0; n < sizeof(readers) / sizeof(readers[0]); n++)
			if (readers[n](p, i))
				break;
	}
	for (size_t i = 1; i < p->q->count; i++)
		if (p->q->tokens[i].len == 2 && read_short_year(p, i))
			break;
}
