/* Reads times relative to today: "last week", "next two years", "3 months ago", "since Monday".
 * "Last week" is a calendar week; "in the last week" is a rolling span up to today. */
#include "text_int.h"

#include <string.h>

/* The calendar unit at `offset` from the current one. */
static void calendar_unit(const struct time_parser *p, enum time_unit unit, int offset, bool fiscal,
			  struct date *start, struct date *end)
{
	struct date t = p->today;
	int months = time_unit_months(unit), first;

	if (unit == UNIT_DAY) {
		*start = *end = day_plus(t, offset);
		return;
	}
	if (months == 0) {
		int back = (date_weekday(t) - p->calendar->week_start + 7) % 7;

		*start = day_plus(t, offset * time_unit_days(unit) - back);
		*end = day_plus(*start, time_unit_days(unit) - 1);
		return;
	}
	first = fiscal ? fiscal_year_start(p->calendar, t.year).month : 1;
	/* back to the first month of the current unit */
	*start = day_plus_months((struct date){t.year, t.month, 1},
				 offset * months - (t.month - first + 12) % months);
	*end = day_plus(day_plus_months(*start, months), -1);
}

static struct date date_minus(struct date d, enum time_unit unit, int n)
{
	return time_unit_months(unit) ? day_plus_months(d, -n * time_unit_months(unit))
				      : day_plus(d, -n * time_unit_days(unit));
}

struct time_phrase *phrase_add_unit(struct time_parser *p, size_t from, size_t to,
				    enum time_unit unit, int offset, bool fiscal)
{
	struct date start, end;
	struct time_phrase *out;

	calendar_unit(p, unit, offset, fiscal, &start, &end);
	out = time_unit_months(unit) ? phrase_add_months(p, from, to, start, time_unit_months(unit))
				     : phrase_add_days(p, from, to, start, end);
	out->relative = true;
	out->quarter = 0;
	return out;
}

static int direction_of(const struct token *t)
{
	if (token_in(t, (const char *const[]){"last", "past", "previous", "prior", "trailing",
					      "preceding", NULL}))
		return -1;
	if (token_in(t, (const char *const[]){"next", "coming", "upcoming", "following", NULL}))
		return 1;
	return 0;
}

/* Adds a span that starts or ends today. */
static struct time_phrase *add_span(struct time_parser *p, size_t from, size_t to,
				    struct date start, struct date end)
{
	int64_t days = date_to_days(end) - date_to_days(start);
	struct time_phrase *out = phrase_add_days(p, from, to, start, end);

	out->relative = true;
	out->days = (int)(date_is_before(start, p->today) ? -days : days);
	return out;
}

/* Adds a rolling span up to today, both ends included. */
static void add_rolling(struct time_parser *p, size_t from, size_t to, enum time_unit unit, int n)
{
	add_span(p, from, to, date_minus(p->today, unit, n), p->today);
}

/* Reads "7 days", "a couple of weeks" at token i. Returns the end; 0: not a number of units. */
static size_t read_count(const struct time_parser *p, size_t i, int *n, enum time_unit *unit)
{
	const struct question *q = p->q;
	size_t at = i;

	if (token_is(token_at(q, at), "a") && token_is(token_at(q, at + 1), "couple"))
		at++;
	*n = token_number(token_at(q, at));
	at += token_is(token_at(q, at), "couple") && token_is(token_at(q, at + 1), "of") ? 2 : 1;
	if (token_in(token_at(q, at), (const char *const[]){"full", "calendar", "whole", NULL}))
		at++;
	*unit = time_unit_of(token_at(q, at));
	return *n >= 1 && *n <= 1000 && *unit != UNIT_NONE && !token_at(q, at)->used ? at + 1 : 0;
}

/* "last 7 days", "next two years" */
static bool read_counted(struct time_parser *p, size_t i, int direction)
{
	enum time_unit unit;
	int n;
	size_t to = read_count(p, i + 1, &n, &unit);
	struct time_phrase *out;

	if (to == 0)
		return false;
	if (unit == UNIT_YEAR && n < YEARS_MAX && (direction > 0 || n > 1)) {
		for (int y = 1; y <= n; y++) {
			out = phrase_add(p, i, to, GRAIN_YEAR);
			out->year = p->today.year + (direction > 0 ? y : y - n - 1);
		}
		if (direction < 0)
			p->rolling_start = date_minus(p->today, unit, n);
		return true;
	}
	if (direction > 0)
		add_span(p, i, to, p->today, date_minus(p->today, unit, -n));
	else
		add_rolling(p, i, to, unit, n);
	return true;
}

/* "-3" */
static bool is_negative(const struct question *q, const struct token *t)
{
	return t->number >= 0 && t->from > 0 && q->text[t->from - 1] == '-' &&
	       (t->from == 1 || q->text[t->from - 2] == ' ');
}

/* "next 0 days", "last -3 days" */
static bool read_invalid_count(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i + 1);

	if ((t->number != 0 && !is_negative(p->q, t)) ||
	    time_unit_of(token_at(p->q, i + 2)) == UNIT_NONE)
		return false;
	phrase_add(p, i, i + 3, GRAIN_NONE)->dropped = true;
	p->invalid_from = i;
	p->invalid_to = i + 3;
	return true;
}

/* "last few weeks": an indefinite number. */
static bool read_indefinite(struct time_parser *p, size_t i)
{
	size_t at = i + 1;

	if (!token_in(token_at(p->q, at), (const char *const[]){"few", "several", "some", NULL}) ||
	    time_unit_of(token_at(p->q, at + 1)) == UNIT_NONE)
		return false;
	phrase_add(p, i, at + 2, GRAIN_NONE)->dropped = true;
	p->indefinite_from = i;
	p->indefinite_to = at + 2;
	return true;
}

/* Winter spans two years. During winter, "last winter" may be the current one. */
static void add_winter(struct time_parser *p, size_t i, int direction)
{
	bool runs = p->today.month == 12 || p->today.month <= 2;
	/* year of the most recent December */
	int year = p->today.year - (p->today.month < 12);
	struct time_phrase *out;

	if (direction > 0 || (direction == 0 && !runs))
		year++;
	if (direction < 0 && runs)
		year--;
	out = phrase_add_months(p, i, i + 2, (struct date){year, 12, 1}, 3);
	out->quarter = 0;
	if (direction < 0 && runs) {
		out->is_ambiguous = out->relative = true;
		out->other_start = (struct date){year + 1, 12, 1};
	}
}

/* "last January", "next summer", "last Q4": the nearest one before or after today. */
static bool read_named(struct time_parser *p, size_t i, int direction)
{
	const struct token *t = token_at(p->q, i + 1);
	unsigned months = season_months(t);
	int month = month_named(t->text, t->len), first, year = p->today.year;
	struct time_phrase *out;

	if (t->used || token_at(p->q, i + 2)->number >= YEAR_MIN ||
	    (month && is_day_number(token_at(p->q, i + 2))))
		return false;
	if (month)
		months = 1u << month;
	if (!months && t->len == 2 && (t->text[0] == 'q' || t->text[0] == 'h')) {
		int part = t->text[1] - '0', size = t->text[0] == 'q' ? 3 : 6;

		if (part >= 1 && part <= 12 / size)
			months = months_between((part - 1) * size + 1, part * size);
	}
	if (!months)
		return false;
	first = months_first(months);
	if (first > months_last(months)) {
		add_winter(p, i, direction);
		return true;
	}
	if (direction < 0 && first >= p->today.month)
		year--;
	if (direction > 0 && first <= p->today.month)
		year++;
	out = phrase_add(p, i, i + 2, GRAIN_MONTHS);
	out->months = months;
	out->year = year;
	return true;
}

/* "last Friday", "this Friday", "next Friday". The next one is ambiguous if this week's is still
 * ahead: it may also be a week later. */
static bool read_named_day(struct time_parser *p, size_t i, int direction)
{
	const struct token *t = token_at(p->q, i + 1);
	int day = weekday_of(t), ahead;
	struct time_phrase *out;
	struct date at;

	if (day < 0)
		day = weekday_short(t);
	if (day < 0 || t->used)
		return false;
	ahead = (day - date_weekday(p->today) + 7) % 7;
	if (direction < 0)
		at = day_plus(p->today, ahead ? ahead - 7 : -7);
	else if (direction > 0)
		at = day_plus(p->today, ahead ? ahead : 7);
	else
		at = day_plus(p->today,
			      day - date_weekday(p->today) +
				      (day < p->calendar->week_start ? 7 : 0) -
				      (date_weekday(p->today) < p->calendar->week_start ? 7 : 0));
	out = phrase_add_days(p, i, i + 2, at, at);
	out->relative = true;
	if (direction > 0 && ahead > 0 && day > date_weekday(p->today)) {
		out->is_ambiguous = true;
		out->other_start = day_plus(at, 7);
	}
	return true;
}

static bool read_weekend(struct time_parser *p, size_t i, int direction)
{
	int to_saturday = 5 - date_weekday(p->today);
	struct time_phrase *out;
	struct date saturday;

	if (!token_is(token_at(p->q, i + 1), "weekend"))
		return false;
	/* on Sunday, this weekend began yesterday, and the last one a week earlier */
	saturday = day_plus(p->today, to_saturday + direction * 7);
	out = phrase_add_days(p, i, i + 2, saturday, day_plus(saturday, 1));
	out->relative = true;
	if (direction > 0 && to_saturday > 0) {
		out->is_ambiguous = true;
		out->other_start = day_plus(saturday, -7);
	}
	return true;
}

/* "the week before last", "the year after next" */
static bool read_unit_before_last(struct time_parser *p, size_t i)
{
	enum time_unit unit = time_unit_of(token_at(p->q, i));
	bool last = token_is(token_at(p->q, i + 1), "before") &&
		    token_is(token_at(p->q, i + 2), "last");
	bool next =
		token_is(token_at(p->q, i + 1), "after") && token_is(token_at(p->q, i + 2), "next");

	if (unit == UNIT_NONE || (!last && !next))
		return false;
	phrase_add_unit(p, i, i + 3, unit, last ? -2 : 2, false);
	return true;
}

/* Returns true when the period is a rolling span rather than a calendar period. */
static bool is_rolling(const struct time_parser *p, size_t i, int direction)
{
	const struct token *t = token_at(p->q, i);

	if (token_in(t, (const char *const[]){"past", "trailing", NULL}))
		return true;
	return direction < 0 && i >= 2 && token_is(&p->q->tokens[i - 1], "the") &&
	       token_in(&p->q->tokens[i - 2],
			(const char *const[]){"in", "over", "during", "within", NULL});
}

bool relative_parse(struct time_parser *p, size_t i)
{
	static const char *const whole[] = {"full",   "complete",  "calendar", "whole",
					    "entire", "completed", NULL};
	const struct token *t = token_at(p->q, i), *next = token_at(p->q, i + 1);
	int direction = direction_of(t);
	bool this = token_in(t, (const char *const[]){"this", "current", NULL});
	bool fiscal = token_in(next, (const char *const[]){"fiscal", "financial", NULL});
	size_t at = i + 1 + (fiscal || token_in(next, whole));
	enum time_unit unit = time_unit_of(token_at(p->q, at));
	struct time_phrase *out;

	if (t->used)
		return false;
	if (direction && read_invalid_count(p, i))
		return true;
	if (!direction && !this)
		return read_unit_before_last(p, i);
	/* "this past month" */
	if (this && direction_of(next) < 0) {
		if (read_counted(p, i + 1, -1))
			return true;
		if (time_unit_of(token_at(p->q, i + 2)) == UNIT_NONE)
			return false;
		add_rolling(p, i, i + 3, time_unit_of(token_at(p->q, i + 2)), 1);
		return true;
	}
	if (direction && (read_counted(p, i, direction) || read_indefinite(p, i)))
		return true;
	if (unit == UNIT_NONE || token_at(p->q, at)->used)
		return read_named(p, i, direction) || read_named_day(p, i, direction) ||
		       read_weekend(p, i, direction);
	if (at == i + 1 && is_rolling(p, i, direction) &&
	    !(unit == UNIT_YEAR && !token_is(t, "trailing"))) {
		add_rolling(p, i, at + 1, unit, 1);
		return true;
	}
	/* "half year" */
	if (unit == UNIT_HALF && time_unit_of(token_at(p->q, at + 1)) == UNIT_YEAR)
		at++;
	out = phrase_add_unit(p, i, at + 1, unit, direction, fiscal);
	out->ends_today = this;
	/* "the coming week": also a span from today on */
	if (token_in(t, (const char *const[]){"coming", "upcoming", NULL}))
		out->days = (int)(date_to_days(date_minus(p->today, unit, -1)) -
				  date_to_days(p->today));
	return true;
}

/* "in two years", "two years from now", "3 years ago", "within 30 days" */
bool relative_parse_distance(struct time_parser *p, size_t i)
{
	static const char *const now[] = {"now", "today", NULL};
	const struct token *before = i > 0 ? &p->q->tokens[i - 1] : token_at(p->q, p->q->count);
	bool in = token_is(before, "in"), within = token_is(before, "within"), ago, from_now;
	size_t to;
	enum time_unit unit;
	int n;

	if (token_at(p->q, i)->used)
		return false;
	to = read_count(p, i, &n, &unit);
	/* "a week ago" */
	if (to == 0 && token_in(token_at(p->q, i), (const char *const[]){"a", "an", "one", NULL})) {
		unit = time_unit_of(token_at(p->q, i + 1));
		n = 1;
		to = unit != UNIT_NONE ? i + 2 : 0;
		in = in && to;
	}
	if (to == 0)
		return false;
	ago = token_in(token_at(p->q, to), (const char *const[]){"ago", "back", NULL});
	from_now = token_is(token_at(p->q, to), "from") && token_in(token_at(p->q, to + 1), now);
	if (within) {
		add_span(p, i, to, p->today, date_minus(p->today, unit, -n));
		return true;
	}
	if (!ago && !from_now && !in)
		return false;
	phrase_add_unit(p, i, to + (ago ? 1 : from_now ? 2 : 0), unit, ago ? -n : n, false);
	return true;
}

/* "year to date", "ytd" */
static bool read_to_date(struct time_parser *p, size_t i)
{
	static const struct {
		const char *name;
		enum time_unit unit;
	} codes[] = {
		{"ytd", UNIT_YEAR}, {"qtd", UNIT_QUARTER}, {"mtd", UNIT_MONTH}, {"wtd", UNIT_WEEK}};
	const struct token *t = token_at(p->q, i);
	enum time_unit unit = UNIT_NONE;
	size_t to = i + 1;

	for (size_t n = 0; n < sizeof(codes) / sizeof(codes[0]); n++)
		if (token_is(t, codes[n].name))
			unit = codes[n].unit;
	if (unit == UNIT_NONE && token_is(token_at(p->q, i + 1), "to") &&
	    token_is(token_at(p->q, i + 2), "date")) {
		unit = time_unit_of(t);
		to = i + 3;
	}
	if (unit == UNIT_NONE)
		return false;
	phrase_add_unit(p, i, to, unit, 0, false)->ends_today = true;
	return true;
}

bool relative_parse_day(struct time_parser *p, size_t i)
{
	static const char *const to_words[] = {"until", "till",    "to", "through",
					       "from",  "between", NULL};
	const struct token *t = token_at(p->q, i);
	int offset = token_is(t, "yesterday") ? -1 : token_is(t, "tomorrow") ? 1 : 0;
	bool now = token_is(t, "now") && ((i > 0 && token_in(&p->q->tokens[i - 1], to_words)) ||
					  token_in(token_at(p->q, i + 1), to_words));
	size_t to = i + 1;
	struct date day;

	if (t->used)
		return false;
	if (read_to_date(p, i))
		return true;
	/* "the day before yesterday" */
	if (token_is(t, "day") && token_is(token_at(p->q, i + 1), "before") &&
	    token_is(token_at(p->q, i + 2), "yesterday"))
		offset = -2;
	else if (token_is(t, "day") && token_is(token_at(p->q, i + 1), "after") &&
		 token_is(token_at(p->q, i + 2), "tomorrow"))
		offset = 2;
	else if (!offset && !now && !token_in(t, (const char *const[]){"today", "tonight", NULL}))
		return false;
	if (offset == 2 || offset == -2)
		to = i + 3;
	day = day_plus(p->today, offset);
	phrase_add_days(p, i, to, day, day)->relative = true;
	return true;
}

/* "since Monday": the last one before today. */
bool relative_parse_weekday(struct time_parser *p, size_t i)
{
	static const char *const cues[] = {"since", "on",     "until", "till", "from",
					   "after", "before", "to",    "and",  NULL};
	const struct token *t = token_at(p->q, i);
	int day = t->used ? -1 : weekday_of(t), back;
	struct time_phrase *out;

	if (day < 0 && !t->used && i > 0 && token_in(&p->q->tokens[i - 1], cues))
		day = weekday_short(t);
	if (day < 0)
		return false;
	back = (date_weekday(p->today) - day + 6) % 7 + 1;
	out = phrase_add_days(p, i, i + 1, day_plus(p->today, -back), day_plus(p->today, -back));
	out->relative = true;
	out->weekday = day + 1;
	return true;
}
