/* Reads parts of periods: "the first two weeks of March", "the end of the year", "the week of
 * March 2". spans.c computes the dates, since the period may still lack its year. */
#include "text_int.h"

/* Reads a period at token i: "March", "last year", "the month". */
static struct time_phrase *read_sliced_period(struct time_parser *p, size_t i)
{
	size_t before = p->count;
	enum time_unit unit;

	i += token_is(token_at(p->q, i), "the");
	unit = time_unit_of(token_at(p->q, i));
	if (phrase_parse_period(p, i))
		return p->count == before + 1 ? &p->phrases[before] : NULL;
	if (unit == UNIT_NONE || token_at(p->q, i)->used)
		return NULL;
	phrase_add_unit(p, i, i + 1, unit, 0, false)->refers_back = true;
	return p->count == before + 1 ? &p->phrases[before] : NULL;
}

/* Reads "first two weeks of", "end of", "rest of", "week of". Returns the start of the period; 0:
 * none. */
static size_t read_slice_prefix(const struct time_parser *p, size_t i, struct time_slice *out)
{
	static const char *const ends[] = {"end", "close", NULL};
	static const char *const starts[] = {"start", "beginning", NULL};
	static const char *const rests[] = {"rest", "remainder", "balance", NULL};
	const struct question *q = p->q;
	const struct token *t = token_at(q, i);
	bool last = token_is(t, "last");
	int n;

	*out = (struct time_slice){0};
	if (token_in(t, ends) || token_in(t, starts)) {
		*out = (struct time_slice){.unit = UNIT_DAY, .n = token_in(t, ends) ? -1 : 1};
		return token_is(token_at(q, i + 1), "of") ? i + 2 : 0;
	}
	if (token_in(t, rests)) {
		out->rest = true;
		return token_is(token_at(q, i + 1), "of") ? i + 2 : 0;
	}
	if (!last && !token_is(t, "first"))
		return 0;
	out->unit = time_unit_of(token_at(q, i + 1));
	out->n = last ? -1 : 1;
	n = token_number(token_at(q, i + 1));
	if (n >= 1 && n <= 366) {
		out->unit = time_unit_of(token_at(q, i + 2));
		out->n *= n;
		i++;
	}
	/* "first half of 2026" is a half-year, "last half of 2026" the second one */
	if (out->unit == UNIT_NONE || (!last && time_unit_months(out->unit) > 1))
		return 0;
	return token_in(token_at(q, i + 2), (const char *const[]){"of", "in", NULL}) ? i + 3 : 0;
}

static bool read_week_of(struct time_parser *p, size_t i)
{
	size_t before = p->count, at = i + 2;
	struct time_phrase *out;
	int back;

	if (!token_is(token_at(p->q, i), "week") || !token_is(token_at(p->q, i + 1), "of"))
		return false;
	at += token_is(token_at(p->q, at), "the");
	if (!phrase_parse_day(p, at) || p->count != before + 1)
		return false;
	out = &p->phrases[before];
	back = (date_weekday(out->start) - p->calendar->week_start + 7) % 7;
	out->start = day_plus(out->start, -back);
	out->end = day_plus(out->start, 6);
	out->from = i;
	p->q->tokens[i].used = true;
	return true;
}

/* "mid-2026", "early March": times without a definite start. */
static bool read_approximate(struct time_parser *p, size_t i)
{
	static const char *const words[] = {"early", "late", NULL};
	static const char *const places[] = {"in", "since", "from",   "until",
					     "by", "for",   "during", NULL};
	const struct token *t = token_at(p->q, i), *next = token_at(p->q, i + 1);
	bool of = token_is(next, "of");
	size_t at = i + 1 + of;
	struct time_phrase *inner;

	if (!token_is(t, "mid") && !(token_is(t, "middle") && of) &&
	    !(token_in(t, words) &&
	      (next->separator == '-' || (i > 0 && token_in(&p->q->tokens[i - 1], places)))))
		return false;
	inner = read_sliced_period(p, at);
	if (!inner)
		return false;
	inner->dropped = true;
	p->indefinite_from = i;
	p->indefinite_to = inner->to;
	p->q->tokens[i].used = true;
	return true;
}

bool slice_parse(struct time_parser *p, size_t i)
{
	struct time_slice slice;
	struct time_phrase *inner;
	size_t at;

	if (token_at(p->q, i)->used)
		return false;
	if (read_week_of(p, i) || read_approximate(p, i))
		return true;
	at = read_slice_prefix(p, i, &slice);
	inner = at > 0 ? read_sliced_period(p, at) : NULL;
	if (!inner)
		return false;
	inner->slice = slice;
	inner->from = i;
	for (size_t n = i; n < at; n++)
		p->q->tokens[n].used = true;
	return true;
}
