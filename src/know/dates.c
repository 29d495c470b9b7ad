/*
 * What the phrases of time in a question mean together. A forecast year and the label of a file
 * look alike; what stands beside them ("as of", "file", a year of its own) tells which is meant.
 */
#include "know_int.h"

#include <string.h>

#define MONTHS_ALL 0x1FFEu

static struct date month_end(int year, int month)
{
	return (struct date){year, month, date_days_in_month(year, month)};
}

/* Is the phrase marked as a file's label by what stands around it? */
static bool asof_marked(const struct time_parser *p, const struct time_phrase *ph, bool other_year)
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
	return ph->grain == GRAIN_MONTHS && ph->year &&
	       (ph->quarter || (ph->months & (ph->months - 1)) == 0);
}

/* A month of another year beside a year of its own, not joined to it by "and" or "to". */
static bool stands_apart(const struct time_parser *p, const struct time_phrase *ph)
{
	static const char *const joins[] = {"and", "or", "to", "vs", "versus", "through", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *other = &p->phrases[i];

		if (other == ph || other->grain != GRAIN_YEAR || other->asof)
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
	return arena_printf(a, "%c%.2s_%d", month_name(month)[0] - 'a' + 'A', month_name(month) + 1,
			    ph->year);
}

/* Is the phrase joined to another one that names a file ("the Jan 2025 and Jan 2026 files")? */
static bool beside_asof(const struct time_parser *p, const struct time_phrase *ph)
{
	static const char *const joins[] = {"and", "or", "to", "vs", "versus", "with", NULL};

	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *other = &p->phrases[i];

		if (other->asof &&
		    ((other->from == ph->to + 1 && token_in(&p->q->tokens[ph->to], joins)) ||
		     (ph->from == other->to + 1 && token_in(&p->q->tokens[other->to], joins))))
			return true;
	}
	return false;
}

static bool names_file(const struct time_parser *p, struct time_phrase *ph)
{
	bool apart = stands_apart(p, ph);

	if (asof_marked(p, ph, apart)) {
		if (ph->grain == GRAIN_DAYS && !ph->relative) {
			/* a file is named by its month */
			ph->year = ph->start.year;
			ph->months = 1u << ph->start.month;
			ph->grain = GRAIN_MONTHS;
		}
		return has_label_shape(ph);
	}
	if (!has_label_shape(ph) || ph->relative)
		return false;
	return apart || (ph->label && !ph->quarter) || beside_asof(p, ph);
}

static void choose_asof(struct time_parser *p, struct arena *a, struct time_read *out)
{
	for (size_t i = 0; i < p->count; i++)
		p->phrases[i].asof = names_file(p, &p->phrases[i]);
	for (size_t i = 0; i < p->count; i++) {
		struct time_phrase *ph = &p->phrases[i];

		ph->asof = ph->asof || (has_label_shape(ph) && beside_asof(p, ph));
		if (ph->asof && out->asof_count < ASOF_MAX)
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
static void phrase_days(const struct time_phrase *ph, struct date today, int year,
			struct date *start, struct date *end)
{
	int first = 1, last = 12;

	if (ph->grain == GRAIN_DAYS || ph->relative) {
		*start = ph->start;
		*end = ph->running ? today : ph->end;
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

static void collect(const struct time_parser *p, struct time_read *out)
{
	int lone_year = 0;
	bool open = false; /* "since": to today */

	for (size_t i = 0; i < p->count; i++)
		if (!p->phrases[i].asof && p->phrases[i].year)
			lone_year = p->phrases[i].year;
	for (size_t i = 0; i < p->count; i++) {
		const struct time_phrase *ph = &p->phrases[i];
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
			phrase_days(ph, p->today, year, &start, &end);
			widen(out, start, end);
		}
	}
	if (open) {
		out->range_only = true;
		out->end = p->today;
	}
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

void dates_read(struct question *q, struct date today, const struct know_calendar *cal,
		struct arena *a, struct time_read *out)
{
	static const char *const published[] = {"published", "publish",   "released",
						"issued",    "received",  "uploaded",
						"loaded",    "delivered", NULL};
	static const char *const day_types[] = {"weekend", "weekends", "weekday", "weekdays",
						"holiday", "holidays", NULL};
	struct time_parser p = {.q = q, .today = today, .calendar = cal};

	read_year_before(q, out);
	phrases_read(&p);
	if (p.bad_to > p.bad_from)
		out->bad_day = text_between(q, p.bad_from, p.bad_to, a);
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
	struct time_parser p = {.today = {2000, 1, 1}};
	struct question q;

	text_read(text, a, &q);
	p.q = &q;
	phrases_read(&p);
	if (p.count != 1 || !has_label_shape(&p.phrases[0]))
		return NULL;
	for (size_t i = 0; i < q.count; i++)
		if (!q.tokens[i].used &&
		    !token_in(&q.tokens[i], (const char *const[]){"as", "of", "asof", "file", "the",
								  "curve", "release", NULL}))
			return NULL;
	return label_of(&p.phrases[0], a);
}
