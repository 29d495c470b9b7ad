/* Time that is relative to today: "last week", "next two years", "3 months ago", "since Monday".
 * "Last week" is the calendar's; "in the last week" rolls back from today. */
#include "know_int.h"

#include <string.h>

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

/* ---- units ---- */

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
static void calendar_unit(const struct time_parser *p, enum unit unit, int offset,
			  struct date *start, struct date *end)
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

static void set_span(struct time_phrase *out, struct date start, struct date end)
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

static enum time_grain grain_of(enum unit unit)
{
	return unit <= UNIT_WEEK ? GRAIN_DAYS : unit == UNIT_YEAR ? GRAIN_YEAR : GRAIN_MONTHS;
}

/* Rolling: from today minus the span to today, both included. */
static void read_rolling(struct time_parser *p, size_t from, size_t to, enum unit unit, int n)
{
	struct time_phrase *out = phrase_add(p, from, to, GRAIN_DAYS);

	set_span(out, back_by(p->today, unit, n), p->today);
}

/* "last 7 days", "next two years", "in the past week" */
static bool read_counted(struct time_parser *p, size_t i, int direction)
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
static bool read_named(struct time_parser *p, size_t i, int direction)
{
	const struct token *t = token_at(p->q, i + 1);
	unsigned months = season_months(t);
	int month = month_named(t->text, t->len), first = month;
	struct time_phrase *out;
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

bool relative_read(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i), *next = token_at(p->q, i + 1);
	int direction = direction_of(t);
	bool this = token_in(t, (const char *const[]){"this", "current", NULL});
	bool rolling = token_is(t, "past") || token_is(t, "trailing");
	enum unit unit = unit_of(next);
	struct time_phrase *out;
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
	out = phrase_add(p, i, i + 2, grain_of(unit));
	set_span(out, start, end);
	out->running = this;
	return true;
}

/* "in two years", "two years from now", "3 years ago" */
bool relative_read_distance(struct time_parser *p, size_t i)
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

bool relative_read_day(struct time_parser *p, size_t i)
{
	const struct token *t = token_at(p->q, i);
	int offset = token_is(t, "yesterday") ? -1 : token_is(t, "tomorrow") ? 1 : 0;
	struct time_phrase *out;

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
bool relative_read_weekday(struct time_parser *p, size_t i)
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
