/*
 * Determines the meaning of all time phrases of a question. A year and a file label look alike;
 * the context ("as of", "file", another year) decides.
 */
#include "text_int.h"

#include <limits.h>
#include <string.h>

#define MONTHS_ALL 0x1FFEu

static const char *const files[] = {"file", "files",   "vintage",     "release", "edition",
				    "asof", "version", "publication", NULL};

/* Returns true when nearby words mark the phrase as a file label. */
static bool is_marked_as_file(const struct time_parser *p, const struct time_phrase *ph,
			      bool other_year)
{
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
	if (ph->grain != GRAIN_MONTHS || !ph->year || ph->relative)
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

static bool has_label_shape(const struct time_phrase *ph)
{
	return ph->grain == GRAIN_MONTHS && ph->year && !ph->dropped && !ph->slice.n &&
	       (ph->quarter || (ph->months & (ph->months - 1)) == 0);
}

/* Returns true for a month next to a separate year, not joined by "and" or "to". */
static bool is_separate_from_year(const struct time_parser *p, const struct time_phrase *ph)
{
	static const char *const joins[] = {"and", "or", "to", "vs", "versus", "through", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *other = &p->phrases[i];

		if (other == ph || other->grain != GRAIN_YEAR || other->is_file_label)
			continue;
		if ((other->from == ph->to + 1 && token_in(&p->q->tokens[ph->to], joins)) ||
		    (ph->from == other->to + 1 && token_in(&p->q->tokens[other->to], joins)))
			continue;
		return true;
	}
	return false;
}

static const char *label_of(const struct time_phrase *ph, struct arena *a)
{
	int month = 1;

	if (ph->quarter)
		return arena_printf(a, "Q%d_%d", ph->quarter, ph->year);
	while (!(ph->months & 1u << month))
		month++;
	return arena_printf(a, "%c%.*s_%d", month_name(month)[0] - 'a' + 'A', 2,
			    month_name(month) + 1, ph->year);
}

/* Returns true when the phrase is joined to one that names a file ("the Jan 2025 and Jan 2026
 * files"). */
static bool joined_to_file_label(const struct time_parser *p, const struct time_phrase *ph)
{
	static const char *const joins[] = {"and", "or", "to", "vs", "versus", "with", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *other = &p->phrases[i];

		if (other->is_file_label &&
		    ((other->from == ph->to + 1 && token_in(&p->q->tokens[ph->to], joins)) ||
		     (ph->from == other->to + 1 && token_in(&p->q->tokens[other->to], joins))))
			return true;
	}
	return false;
}

/* "What did they say in their Jan 2025 file" asks for its content; "file" is then part of the
 * label. */
static void mark_file_words(const struct time_parser *p, const struct time_phrase *ph)
{
	size_t from = ph->from > 2 ? ph->from - 2 : 0;

	for (size_t i = from;
	     i < ph->to + 2 && i < p->q->count && words_in(p->q, WORDS_CONTENT_VERBS); i++)
		p->q->tokens[i].used |= token_in(&p->q->tokens[i], files);
}

static bool names_file(const struct time_parser *p, struct time_phrase *ph)
{
	bool apart = is_separate_from_year(p, ph);

	if (is_marked_as_file(p, ph, apart)) {
		mark_file_words(p, ph);
		if (ph->grain == GRAIN_DAYS && !ph->relative) {
			/* a file is named by month */
			ph->year = ph->start.year;
			ph->months = 1u << ph->start.month;
			ph->grain = GRAIN_MONTHS;
		}
		return has_label_shape(ph);
	}
	if (!has_label_shape(ph) || ph->relative)
		return false;
	return apart || (ph->label && !ph->quarter) || joined_to_file_label(p, ph);
}

static void find_file_labels(struct time_parser *p, struct arena *a, struct parsed_time *out)
{
	for (size_t i = 0; i < p->count; i++)
		p->phrases[i].is_file_label = names_file(p, &p->phrases[i]);
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		ph->is_file_label =
			ph->is_file_label || (has_label_shape(ph) && joined_to_file_label(p, ph));
		if (ph->is_file_label && out->asof_count < ASOF_MAX)
			out->asof[out->asof_count++] = label_of(ph, a);
	}
}

/* ---- collecting ---- */

static void extend_range(struct parsed_time *out, struct date start, struct date end)
{
	if (!out->has_start || date_is_before(start, out->start))
		out->start = start;
	if (!out->has_end || date_is_before(out->end, end))
		out->end = end;
	out->has_start = out->has_end = true;
}

static void add_year(struct parsed_time *out, int year, unsigned months)
{
	for (size_t i = 0; i < out->year_count; i++)
		if (out->years[i] == year) {
			out->year_months[i] |= months;
			return;
		}
	if (out->year_count == YEARS_MAX)
		return;
	out->years[out->year_count] = year;
	out->year_months[out->year_count++] = months;
}

/* Adds each month of a span of whole months. */
static void add_months(struct parsed_time *out, struct date start, struct date end)
{
	for (int year = start.year; year <= end.year && year - start.year < YEARS_MAX; year++)
		add_year(out, year,
			 months_between(year == start.year ? start.month : 1,
					year == end.year ? end.month : 12));
}

/* The days of a span with an open end. A span that began in the past ends today. */
static struct time_range open_range(const struct time_parser *p, enum time_edge edge,
				    struct date start, struct date end)
{
	struct time_range r = {start, end};

	switch (edge) {
	case EDGE_NONE:
		return r;
	case EDGE_BEFORE:
		return (struct time_range){.end = day_plus(start, -1)};
	case EDGE_UNTIL:
		return (struct time_range){.end = end};
	case EDGE_AFTER:
		r.start = day_plus(end, 1);
		break;
	case EDGE_SINCE:
		break;
	}
	r.end = date_is_before(p->today, r.start) ? (struct date){0} : p->today;
	return r;
}

static void add_open(const struct time_parser *p, const struct time_phrase *ph, struct date start,
		     struct date end, struct parsed_time *out)
{
	struct time_range r = open_range(p, ph->edge, start, end);

	out->range_only = true;
	if (date_valid(r.start)) {
		out->start = r.start;
		out->has_start = true;
	}
	if (date_valid(r.end)) {
		out->end = r.end;
		out->has_end = true;
	}
}

static void add_ambiguous(const struct time_parser *p, const struct time_phrase *ph,
			  struct parsed_time *out)
{
	int64_t days = date_to_days(ph->end) - date_to_days(ph->start);
	struct date end = day_plus(ph->other_start, (int)days);

	if (ph->grain != GRAIN_DAYS)
		end = month_end(end.year, end.month);
	out->readings[0] = open_range(p, ph->edge, ph->start, ph->end);
	out->readings[1] = open_range(p, ph->edge, ph->other_start, end);
	out->reading_count = 2;
}

static void add_phrase(const struct time_parser *p, const struct time_phrase *ph, struct arena *a,
		       struct parsed_time *out)
{
	struct date start, end;

	if (ph->grain == GRAIN_MONTHS && !ph->year && !ph->has_dates) {
		out->months |= ph->months;
		return;
	}
	phrase_span(ph, &start, &end);
	if (ph->edge != EDGE_NONE) {
		add_open(p, ph, start, end, out);
	} else {
		if (ph->grain == GRAIN_DAYS)
			out->range_only = true;
		else if (ph->grain == GRAIN_MONTHS && !ph->has_dates)
			add_year(out, ph->year, ph->months);
		else
			add_months(out, start, end);
		extend_range(out, start,
			     ph->ends_today && date_is_before(p->today, end) ? p->today : end);
	}
	if (ph->is_ambiguous) {
		add_ambiguous(p, ph, out);
		out->ambiguous = text_between(p->q, ph->from, ph->to, a);
	}
}

/* Returns true when months between the first and the last are missing. */
static bool months_have_gap(const struct parsed_time *t)
{
	int first = INT_MAX, last = 0, count = 0;

	for (size_t i = 0; i < t->year_count; i++)
		for (int m = 1; m <= 12; m++)
			if (t->year_months[i] & 1u << m) {
				int at = t->years[i] * 12 + m;

				first = at < first ? at : first;
				last = at > last ? at : last;
				count++;
			}
	return count > 0 && last - first + 1 != count;
}

/* Converts months without a year to days of their most recent occurrence. */
static void add_months_without_year(const struct time_parser *p, struct parsed_time *out)
{
	int first = months_first(out->months);
	int year = most_recent_year(p->today, first, 1);
	struct date start = {year, first, 1}, end = month_end(year, months_last(out->months));

	if (date_is_before(end, start))
		end = month_end(year + 1, months_last(out->months));
	extend_range(out, start, date_is_before(p->today, end) ? p->today : end);
	for (int m = 1; m <= 12; m++)
		if (out->months & 1u << m &&
		    !(months_between(first, months_last(out->months)) & 1u << m))
			out->has_gap = true;
}

/* Assigns months to the years. Sets flags when years and months combined cover more than the
 * question names. */
static void assign_months(struct parsed_time *out)
{
	unsigned months = out->months;

	for (size_t i = 0; i < out->year_count; i++) {
		out->year_months[i] |= months;
		out->months_differ =
			out->months_differ || out->year_months[i] != out->year_months[0];
		out->months |= out->year_months[i];
	}
	out->has_gap = out->has_gap || months_have_gap(out);
	if (out->range_only) {
		out->year_count = 0;
		out->months = 0;
	}
	if (out->months == MONTHS_ALL && !out->months_differ)
		out->months = 0;
}

static bool is_collected(const struct time_phrase *ph)
{
	return !ph->is_file_label && !ph->dropped && ph->grain != GRAIN_NONE;
}

/* Sets the number of days if the span is the only time. */
static void set_span_length(const struct time_parser *p, const struct time_phrase *ph,
			    struct parsed_time *out)
{
	for (size_t i = 0; i < p->count; i++)
		if (&p->phrases[i] != ph && is_collected(&p->phrases[i]))
			return;
	if (ph->edge != EDGE_NONE || ph->slice.n || ph->slice.rest)
		return;
	out->days_back = ph->days < 0 ? -ph->days : 0;
	out->days_ahead = ph->days > 0 ? ph->days : 0;
}

/* "since June 3, but only in October": the text of months that cannot be combined with days.
 * NULL: none. */
static const char *months_without_year_text(const struct time_parser *p, struct arena *a)
{
	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *ph = &p->phrases[i];

		if (is_collected(ph) && ph->grain == GRAIN_MONTHS && !ph->year && !ph->has_dates)
			return text_between(p->q, ph->from, ph->to, a);
	}
	return NULL;
}

static void collect(const struct time_parser *p, struct arena *a, struct parsed_time *out)
{
	for (size_t i = 0; i < p->count; i++)
		if (is_collected(&p->phrases[i]))
			set_span_length(p, &p->phrases[i], out);
	for (size_t i = 0; i < p->count; i++)
		if (is_collected(&p->phrases[i]))
			add_phrase(p, &p->phrases[i], a, out);
	if (out->range_only && out->months && !out->indefinite)
		out->indefinite = months_without_year_text(p, a);
	if (out->year_before && out->year_count == 1 && !out->range_only) {
		add_year(out, out->years[0] - 1, out->year_months[0]);
		extend_range(out, day_plus_months(out->start, -12), out->end);
		out->year_before = false;
	}
	if (out->year_count == 0 && out->months && !out->range_only)
		add_months_without_year(p, out);
	assign_months(out);
	/* "last two years" are calendar years for tools with years, else days back from today */
	if (date_valid(p->rolling_start) && out->has_start && !out->range_only) {
		out->start = p->rolling_start;
		out->end = p->today;
	}
}

void dates_of_range(struct date start, struct date end, struct parsed_time *out)
{
	bool whole = date_valid(start) && date_valid(end);
	bool months = whole && start.day == 1 && end.day == date_days_in_month(end.year, end.month);

	*out = (struct parsed_time){.range_only = !months,
				    .has_start = date_valid(start),
				    .start = start,
				    .has_end = date_valid(end),
				    .end = end};
	if (!months)
		return;
	add_months(out, start, end);
	assign_months(out);
}

/* "the year before 2026" */
static void resolve_year_before(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];
		struct token *before = ph->from > 1 ? &p->q->tokens[ph->from - 2] : NULL;

		if (!before || ph->grain != GRAIN_YEAR || ph->relative ||
		    !token_is(before, "year") || !token_is(before + 1, "before"))
			continue;
		before->used = before[1].used = true;
		ph->from -= 2;
		ph->year--;
	}
}

/* "the year before", "the previous year": relative to the session context, which only the caller
 * knows, or to a named year. */
static void read_year_before(struct question *q, struct parsed_time *out, struct arena *a)
{
	static const char *const words[] = {"before", "earlier", "prior", NULL};

	for (size_t i = 0; i + 1 < q->count; i++)
		if (token_in(&q->tokens[i + 1], words) && token_is(&q->tokens[i], "year") &&
		    !token_is(token_at(q, i + 2), "last") &&
		    !year_token(token_at(q, i + 2), false)) {
			out->year_before = true;
			q->tokens[i].used = q->tokens[i + 1].used = true;
		} else if (token_in(&q->tokens[i + 1], words) &&
			   time_unit_of(&q->tokens[i]) != UNIT_NONE &&
			   (i + 2 == q->count || q->tokens[i + 2].starts_sentence)) {
			/* "and the month before?": relative to the session context; not supported
			 */
			out->indefinite = text_between(q, i, i + 2, a);
			q->tokens[i].used = q->tokens[i + 1].used = true;
		}
}

/* "as of today" means the current data and is not a filter. */
static void drop_now(struct time_parser *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		if (ph->grain == GRAIN_DAYS && ph->relative && is_marked_as_file(p, ph, false) &&
		    date_to_days(ph->end) == date_to_days(p->today))
			ph->dropped = true;
	}
}

static void read_day_type(struct question *q, struct parsed_time *out)
{
	for (size_t i = 0; i < q->count; i++) {
		struct token *t = &q->tokens[i];
		bool weekend = token_in_list(t, WORDS_WEEKENDS);
		bool weekday = token_in_list(t, WORDS_GRAIN_WEEKDAY);

		if (t->used || !(weekend || weekday || token_in_list(t, WORDS_HOLIDAYS)))
			continue;
		out->days_mixed |= out->day_type != NULL;
		out->weekdays = weekend ? DAYS_WEEKEND : weekday ? DAYS_WORK : 0;
		out->day_type = t->text;
		t->used = true;
	}
}

void dates_parse(struct question *q, struct date today, const struct company_calendar *cal,
		 struct arena *a, struct parsed_time *out)
{
	static const char *const published[] = {"published", "publish",   "released",
						"issued",    "received",  "uploaded",
						"loaded",    "delivered", NULL};
	struct time_parser p = {.q = q, .today = today, .calendar = cal};

	read_year_before(q, out, a);
	phrases_parse(&p);
	if (p.invalid_to > p.invalid_from)
		out->bad_day = text_between(q, p.invalid_from, p.invalid_to, a);
	if (p.indefinite_to > p.indefinite_from)
		out->indefinite = text_between(q, p.indefinite_from, p.indefinite_to, a);
	drop_now(&p);
	resolve_year_before(&p);
	find_file_labels(&p, a, out);
	spans_combine(&p);
	collect(&p, a, out);
	out->hours |= p.hours;
	read_day_type(q, out);
	for (size_t i = 0; i < q->count; i++)
		if (token_in(&q->tokens[i], published) && out->has_start) {
			out->range_only = true;
			out->year_count = 0;
			out->months = 0;
		}
}

const char *dates_label(const char *text, struct arena *a)
{
	static const struct company_calendar plain = {0};
	struct time_parser p = {.today = {2000, 1, 1}, .calendar = &plain};
	struct question q;

	text_tokenize(NULL, text, a, &q);
	p.q = &q;
	phrases_parse(&p);
	if (p.count != 1 || !has_label_shape(&p.phrases[0]))
		return NULL;
	for (size_t i = 0; i < q.count; i++)
		if (!q.tokens[i].used &&
		    !token_in(&q.tokens[i], (const char *const[]){"as", "of", "asof", "file", "the",
								  "curve", "release", NULL}))
			return NULL;
	return label_of(&p.phrases[0], a);
}
