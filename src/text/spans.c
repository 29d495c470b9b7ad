/*
 * Combines time phrases: years with months, parts ("the end of") with periods, ranges of two
 * phrases, and open ends ("since", "until").
 */
#include "text_int.h"

#include <string.h>

void phrase_span(const struct time_phrase *ph, struct date *start, struct date *end)
{
	if (ph->has_dates) {
		*start = ph->start;
		*end = ph->end;
		return;
	}
	*start = (struct date){ph->year, 1, 1};
	*end = month_end(ph->year, 12);
	if (ph->grain != GRAIN_MONTHS || (ph->months & 1u << 12 && ph->months & 1u << 1))
		return;
	start->month = months_first(ph->months);
	*end = month_end(ph->year, months_last(ph->months));
}

static bool is_active(const struct time_phrase *ph)
{
	return !ph->dropped && !ph->is_file_label && ph->grain != GRAIN_NONE;
}

static bool is_months_without_year(const struct time_phrase *ph)
{
	return is_active(ph) && ph->grain == GRAIN_MONTHS && !ph->year && !ph->has_dates;
}

static void set_span(struct time_phrase *ph, struct date start, struct date end,
		     enum time_grain grain)
{
	ph->start = start;
	ph->end = end;
	ph->has_dates = true;
	ph->grain = grain;
	ph->quarter = 0;
	ph->year = start.year;
	ph->months = grain == GRAIN_MONTHS ? months_between(start.month, end.month) : 0;
}

/* ---- order of day and month ---- */

static void resolve_day_month_order(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (!ph->is_ambiguous || ph->relative || p->order == ORDER_UNKNOWN)
			continue;
		ph->is_ambiguous = false;
		if (p->order == ORDER_DAY_FIRST)
			ph->start = ph->end = ph->other_start;
	}
}

/* ---- years ---- */

static bool joined_by(const struct time_parser *p, const struct time_phrase *a,
		      const struct time_phrase *b, const char *const *words)
{
	return b->from == a->to + 1 && token_in(&p->q->tokens[a->to], words);
}

/* "January 2025 and 2026": the month applies to both years. */
static unsigned months_joined_to(const struct time_parser *p, const struct time_phrase *year)
{
	static const char *const joins[] = {"and", "or", "vs", "versus", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *ph = &p->phrases[i];

		if (is_active(ph) && ph->grain == GRAIN_MONTHS && ph->year && !ph->has_dates &&
		    joined_by(p, ph, year, joins))
			return ph->months;
	}
	return 0;
}

static void set_months(struct time_phrase *year, unsigned months)
{
	year->grain = GRAIN_MONTHS;
	year->months = months;
	year->has_dates = false;
	year->ends_today = false;
}

/* Months without a year belong to the years in the question, if any. */
static void apply_months_to_years(struct time_parser *p)
{
	unsigned months = 0;
	bool any = false;

	for (size_t i = 0; i < p->count; i++)
		if (is_months_without_year(&p->phrases[i]))
			months |= p->phrases[i].months;
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (!is_active(ph) || ph->grain != GRAIN_YEAR || ph->slice.n || ph->slice.rest)
			continue;
		if (months) {
			set_months(ph, months);
			any = true;
		} else if (months_joined_to(p, ph)) {
			set_months(ph, months_joined_to(p, ph));
		}
	}
	for (size_t i = 0; any && i < p->count; i++)
		p->phrases[i].dropped =
			p->phrases[i].dropped || is_months_without_year(&p->phrases[i]);
}

/* "July and August 2025": the year of the next months with one, else of the previous months. */
static int year_of_neighbour(const struct time_parser *p, const struct time_phrase *ph)
{
	int before = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *other = &p->phrases[i];

		if (!is_active(other) || other->grain != GRAIN_MONTHS || !other->year ||
		    other->relative)
			continue;
		if (other->from > ph->from)
			return other->year;
		before = other->year;
	}
	return before;
}

static void infer_month_years(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (is_months_without_year(&p->phrases[i]))
			p->phrases[i].year = year_of_neighbour(p, &p->phrases[i]);
}

/* Sets the most recent year of months without one, or the next for a future time. */
static void set_recent_year(const struct time_parser *p, struct time_phrase *ph, bool ahead)
{
	int first = months_first(ph->months);

	ph->year = most_recent_year(p->today, first, 1) + (ahead && first < p->today.month);
}

/* ---- parts of an earlier period ---- */

/* Returns true when the phrase is a second period rather than a part. */
static bool is_second_period(const struct time_parser *p, const struct time_phrase *ph)
{
	static const char *const words[] = {"and",  "or", "vs", "versus", "with",
					    "than", "to", "by", "from",   NULL};
	size_t i = ph->from;

	while (i > 0 && token_is(&p->q->tokens[i - 1], "the"))
		i--;
	return i > 0 && token_in(&p->q->tokens[i - 1], words);
}

static bool is_whole(const struct time_phrase *ph, enum time_grain grain, unsigned months)
{
	return is_active(ph) && ph->grain == grain && !ph->slice.n && !ph->slice.rest &&
	       __builtin_popcount(ph->months) == __builtin_popcount(months);
}

/* The last whole period before the phrase, or NULL. */
static struct time_phrase *whole_before(struct time_parser *p, const struct time_phrase *part,
					enum time_grain grain, unsigned months)
{
	struct time_phrase *found = NULL;

	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (ph->from < part->from && is_whole(ph, grain, months) &&
		    (!found || ph->from > found->from))
			found = ph;
	}
	return found;
}

/* "in 2027. Only the last quarter of the year": narrows the earlier year. */
static void resolve_back_reference(struct time_parser *p, struct time_phrase *part)
{
	struct time_phrase *whole = whole_before(p, part, part->grain, part->months);

	if (!whole)
		return;
	part->year = whole->year;
	part->months = whole->months;
	part->has_dates = whole->has_dates;
	part->start = whole->start;
	part->end = whole->end;
	part->relative = whole->relative;
	whole->dropped = !is_second_period(p, part);
}

/* "last quarter, only in October": narrows the quarter to a month. */
static void narrow_to_month(struct time_parser *p, struct time_phrase *part)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *whole = &p->phrases[i];

		if (!is_active(whole) || whole->from > part->from || whole->grain != GRAIN_MONTHS ||
		    !whole->year || whole->slice.n || whole->slice.rest ||
		    (whole->months & part->months) != part->months ||
		    whole->months == part->months || is_second_period(p, part))
			continue;
		part->year = whole->year;
		whole->dropped = true;
		return;
	}
}

/* "in 2026, last quarter": ambiguous between the last quarter of 2026 and the previous quarter. */
static void resolve_last(struct time_parser *p, struct time_phrase *part)
{
	const struct token *first = &p->q->tokens[part->from];
	struct time_phrase *year = whole_before(p, part, GRAIN_YEAR, 0);
	int count = __builtin_popcount(part->months);
	struct date start, end;

	if (!year || year->relative || year->year == part->year || is_second_period(p, part) ||
	    !token_is(first, "last"))
		return;
	phrase_span(part, &start, &end);
	set_span(part, start, end, GRAIN_MONTHS);
	part->is_ambiguous = true;
	part->other_start = (struct date){year->year, 13 - count, 1};
	year->dropped = true;
}

static void resolve_parts(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (is_active(ph) && ph->refers_back)
			resolve_back_reference(p, ph);
		else if (is_months_without_year(ph) && !ph->slice.n && !ph->slice.rest)
			narrow_to_month(p, ph);
		else if (is_active(ph) && ph->relative && ph->grain == GRAIN_MONTHS && !ph->slice.n)
			resolve_last(p, ph);
	}
}

/* ---- parts of periods ---- */

static void slice_months(struct time_phrase *ph, struct date start, struct date end, int n)
{
	struct date after = day_plus(end, 1);

	if (n > 0)
		end = day_plus(day_plus_months(start, n), -1);
	else
		start = day_plus_months(after, n);
	set_span(ph, start, end, GRAIN_MONTHS);
}

static void slice_days(struct time_phrase *ph, struct date start, struct date end, int n)
{
	if (n > 0)
		end = day_plus(start, n - 1);
	else
		start = day_plus(end, n + 1);
	set_span(ph, start, end, GRAIN_DAYS);
}

static void resolve_slice(const struct time_parser *p, struct time_phrase *ph)
{
	const struct time_slice *s = &ph->slice;
	struct date start, end;

	if (!is_active(ph) || (!s->n && !s->rest))
		return;
	if (is_months_without_year(ph))
		set_recent_year(p, ph, false);
	phrase_span(ph, &start, &end);
	ph->ends_today = false;
	if (s->rest)
		set_span(ph, date_is_before(start, p->today) ? p->today : start, end, GRAIN_DAYS);
	else if (time_unit_months(s->unit))
		slice_months(ph, start, end, s->n * time_unit_months(s->unit));
	else
		slice_days(ph, start, end, s->n * time_unit_days(s->unit));
}

/* "Monday of last week" */
static void resolve_weekday(struct time_parser *p, struct time_phrase *day)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *week = &p->phrases[i];
		bool is_adjacent =
			week->from == day->to || week->to == day->from ||
			(day->from == week->to + 1 && token_is(&p->q->tokens[week->to], "on")) ||
			(week->from == day->to + 1 &&
			 token_in(&p->q->tokens[day->to],
				  (const char *const[]){"of", "in", "the", NULL}));

		if (week == day || !is_active(week) || week->grain != GRAIN_DAYS || !is_adjacent ||
		    date_to_days(week->end) - date_to_days(week->start) != 6)
			continue;
		week->dropped = true;
		day->start = week->start;
		while (date_weekday(day->start) != day->weekday - 1)
			day->start = day_plus(day->start, 1);
		day->end = day->start;
	}
}

/* ---- ranges ---- */

static bool is_range(const struct time_parser *p, const struct time_phrase *a,
		     const struct time_phrase *b)
{
	static const char *const to_words[] = {"to",   "through", "thru", "until",
					       "till", "upto",    NULL};
	const struct question *q = p->q;
	size_t before = a->from;

	if (b->from == a->to)
		return q->tokens[b->from].separator == '-' && a->grain == b->grain;
	if (b->from == a->to + 2 && token_is(&q->tokens[a->to + 1], "the") &&
	    token_in(&q->tokens[a->to], to_words))
		return true;
	if (before > 0 && token_is(&q->tokens[before - 1], "the"))
		before--;
	return joined_by(p, a, b, to_words) ||
	       (before > 0 && token_is(&q->tokens[before - 1], "between") &&
		joined_by(p, a, b, (const char *const[]){"and", NULL}));
}

/* Sets the missing year of one end so that the range runs forward. */
static void infer_range_year(struct time_phrase *a, struct time_phrase *b)
{
	if (is_months_without_year(a) && (b->year || b->has_dates)) {
		struct date start, end;

		phrase_span(b, &start, &end);
		a->year = start.year - (months_first(a->months) > start.month);
	} else if (is_months_without_year(b) && (a->year || a->has_dates)) {
		struct date start, end;

		phrase_span(a, &start, &end);
		b->year = end.year + (months_first(b->months) < end.month);
	} else if (a->year_inferred && b->grain == GRAIN_DAYS && !b->year_inferred) {
		a->start.year = a->end.year = b->start.year - (a->start.month > b->start.month);
	}
}

static enum time_grain range_grain(const struct time_phrase *a, const struct time_phrase *b)
{
	if (a->grain == GRAIN_DAYS || b->grain == GRAIN_DAYS)
		return GRAIN_DAYS;
	return a->grain == GRAIN_YEAR && b->grain == GRAIN_YEAR ? GRAIN_YEAR : GRAIN_MONTHS;
}

static bool join_range(struct time_phrase *a, struct time_phrase *b)
{
	struct date start, end, unused;

	infer_range_year(a, b);
	if (is_months_without_year(a) && is_months_without_year(b)) {
		a->months = months_between(months_first(a->months), months_last(b->months));
		b->dropped = true;
		return true;
	}
	if (is_months_without_year(a) || is_months_without_year(b))
		return false;
	if (a->weekday && b->weekday && date_is_before(b->end, a->start))
		a->start = day_plus(a->start, -7);
	phrase_span(a, &start, &unused);
	phrase_span(b, &unused, &end);
	if (date_is_before(end, start))
		return false;
	a->to = b->to;
	a->relative = a->relative || b->relative;
	a->ends_today = false;
	a->is_ambiguous = a->is_ambiguous || b->is_ambiguous;
	if (a->is_ambiguous && !date_valid(a->other_start))
		a->other_start = start;
	set_span(a, start, end, range_grain(a, b));
	b->dropped = true;
	return true;
}

static void join_ranges(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t n = i + 1; n < p->count && is_active(&p->phrases[i]); n++)
			if (is_active(&p->phrases[n]) &&
			    is_range(p, &p->phrases[i], &p->phrases[n]))
				(void)join_range(&p->phrases[i], &p->phrases[n]);
}

/* ---- open ends ---- */

static enum time_edge edge_of(const struct time_parser *p, const struct time_phrase *ph)
{
	static const struct {
		const char *word;
		enum time_edge edge;
	} before[] = {{"since", EDGE_SINCE}, {"after", EDGE_AFTER},    {"before", EDGE_BEFORE},
		      {"until", EDGE_UNTIL}, {"till", EDGE_UNTIL},     {"through", EDGE_UNTIL},
		      {"thru", EDGE_UNTIL},  {"starting", EDGE_SINCE}, {"beginning", EDGE_SINCE},
		      {"upto", EDGE_UNTIL},  {"post", EDGE_AFTER},     {"pre", EDGE_BEFORE}};
	static const char *const links[] = {"the", "in", "from", "on", "with", NULL};
	static const char *const onward[] = {"on",    "onward", "onwards", "forward",
					     "later", "beyond", "after",   NULL};
	static const char *const earlier[] = {"earlier", "before", NULL};
	const struct question *q = p->q;
	const struct token *next = token_at(q, ph->to);
	size_t i = ph->from;
	bool from;

	while (i > 0 && token_in(&q->tokens[i - 1], links))
		i--;
	from = i < ph->from && token_is(&q->tokens[ph->from - 1], "from");
	if (i > 1 && token_is(&q->tokens[i - 1], "to") && token_is(&q->tokens[i - 2], "up"))
		return EDGE_UNTIL;
	if (i > 1 && token_is(&q->tokens[i - 1], "to") && token_is(&q->tokens[i - 2], "back"))
		return EDGE_SINCE;
	for (size_t n = 0; i > 0 && n < sizeof(before) / sizeof(before[0]); n++)
		if (token_is(&q->tokens[i - 1], before[n].word))
			return before[n].edge;
	if (token_in(next, (const char *const[]){"and", "or", NULL}))
		next = token_at(q, ph->to + 1);
	else if (!from &&
		 !token_in(next, (const char *const[]){"onward", "onwards", "forward", NULL}))
		return EDGE_NONE;
	if (token_in(next, onward) && next->text[0])
		return EDGE_SINCE;
	return token_in(next, earlier) ? EDGE_UNTIL : EDGE_NONE;
}

void spans_combine(struct time_parser *p)
{
	resolve_day_month_order(p);
	for (size_t i = 0; i < p->count; i++)
		if (p->phrases[i].weekday && is_active(&p->phrases[i]))
			resolve_weekday(p, &p->phrases[i]);
	resolve_parts(p);
	join_ranges(p);
	apply_months_to_years(p);
	infer_month_years(p);
	for (size_t i = 0; i < p->count; i++)
		resolve_slice(p, &p->phrases[i]);
	join_ranges(p);
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (!is_active(ph))
			continue;
		ph->edge = edge_of(p, ph);
		if (is_months_without_year(ph) && ph->edge != EDGE_NONE)
			set_recent_year(p, ph, ph->edge == EDGE_BEFORE || ph->edge == EDGE_UNTIL);
	}
}
