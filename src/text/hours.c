/*
 * Reads hours of the day, 0-23. Traders use hour-ending notation: HE17 is hour 16, and HE25 is
 * invalid. Clock times and peak words map to the same numbers.
 */
#include "text_int.h"

#include <stdlib.h>
#include <string.h>

#define HOURS_ALL 0xFFFFFFu

struct hours {
	struct question *q;
	struct arena *arena;
	struct parsed_time *out;
};

static void mark_used(struct question *q, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < q->count; i++)
		q->tokens[i].used = true;
}

static uint32_t hours_between(int first, int last)
{
	uint32_t bits = 0;

	for (int h = first;; h = (h + 1) % 24) {
		bits |= 1u << h;
		if (h == last)
			return bits;
	}
}

static void set_invalid(struct hours *h, size_t from, size_t to)
{
	h->out->bad_hour = text_between(h->q, from, to, h->arena);
	mark_used(h->q, from, to);
}

static bool is_range_word(const struct token *t)
{
	return token_in(
		t, (const char *const[]){"to", "through", "thru", "until", "till", "and", NULL});
}

/* Reads "16", "16-21", "16 to 21", "he16 - he21" from token i on. Returns the end; 0: not a
 * number. */
static size_t read_pair(const struct question *q, size_t i, int *first, int *last)
{
	const struct token *t = token_at(q, i), *next = token_at(q, i + 1);
	size_t at = i + 1;

	if (t->used || t->number < 0 || t->len > 2)
		return 0;
	*first = *last = t->number;
	if (is_range_word(next) &&
	    (!token_is(next, "and") || (i >= 2 && token_is(&q->tokens[i - 2], "between")) ||
	     (i >= 1 && token_is(&q->tokens[i - 1], "between"))))
		at = i + 2;
	else if (next->separator != '-')
		return i + 1;
	next = token_at(q, at);
	if (token_in(next, (const char *const[]){"he", "hour", "hours", NULL}))
		next = token_at(q, ++at);
	if (token_in(next, (const char *const[]){"ending", "ended", NULL}))
		next = token_at(q, ++at);
	if (next->number >= 0 && next->len <= 2 && !next->used) {
		*last = next->number;
		return at + 1;
	}
	if (next->len > 2 && strncmp(next->text, "he", 2) == 0 && next->text[2] >= '0' &&
	    next->text[2] <= '9') {
		*last = (int)strtol(next->text + 2, NULL, 10);
		return at + 1;
	}
	return i + 1;
}

/* Hour ending: 1-24. */
static void set_ending(struct hours *h, size_t from, size_t to, int first, int last)
{
	if (first < 1 || first > 24 || last < 1 || last > 24) {
		set_invalid(h, from, to);
		return;
	}
	h->out->hours |= hours_between(first - 1, last - 1);
	mark_used(h->q, from, to);
}

/* Continues a list of hours at token i: "HE 7, 8 and 9". */
static size_t read_more(struct hours *h, size_t i)
{
	for (;;) {
		const struct token *t = token_at(h->q, i);
		bool has_and = token_in(t, (const char *const[]){"and", "or", NULL});
		const struct token *number = has_and ? token_at(h->q, i + 1) : t;

		if (number->used || number->number < 1 || number->number > 24 || number->len > 2 ||
		    (!has_and && number->separator != ','))
			return i;
		set_ending(h, i, i + has_and + 1, number->number, number->number);
		i += (size_t)has_and + 1;
	}
}

/* "HE17", "HE 16-21", "hour ending 17", "hours ending 16 to 21" */
static size_t read_ending(struct hours *h, size_t i)
{
	const struct token *t = token_at(h->q, i);
	int first, last;
	size_t at = 0, to;
	char *end;

	if (t->used)
		return 0;
	if (token_is(t, "he") &&
	    !(t->starts_sentence && t->capitalized && token_at(h->q, i + 1)->number < 0))
		at = i + 1;
	else if ((token_is(t, "hour") || token_is(t, "hours")) &&
		 token_in(token_at(h->q, i + 1),
			  (const char *const[]){"ending", "endings", "ended", NULL}))
		at = i + 2;
	if (at > 0) {
		to = read_pair(h->q, at, &first, &last);
		if (to == 0)
			return 0;
		set_ending(h, i, to, first, last);
		return read_more(h, to);
	}
	if (t->len < 3 || t->len > 5 || strncmp(t->text, "he", 2) != 0)
		return 0;
	first = last = (int)strtol(t->text + 2, &end, 10);
	if (*end)
		return 0;
	to = i + 1;
	/* "HE16-21", "HE16 to HE21" */
	if (token_at(h->q, to)->separator == '-' || is_range_word(token_at(h->q, to))) {
		struct token saved = *t, *slot = &h->q->tokens[i];
		int number = first;
		size_t pair_end;

		slot->number = number;
		slot->len = 2;
		pair_end = read_pair(h->q, i, &first, &last);
		*slot = saved;
		to = pair_end > to ? pair_end : to;
	}
	set_ending(h, i, to, first, last);
	return to;
}

/* "hour 17", "hours 16-21", "hour 24" (the last hour) */
static size_t read_hour_word(struct hours *h, size_t i)
{
	const struct token *t = token_at(h->q, i);
	int first, last;
	size_t to;

	if (t->used || !token_in(t, (const char *const[]){"hour", "hours", "hr", "hrs", NULL}))
		return 0;
	to = read_pair(h->q, i + 1, &first, &last);
	if (to == 0)
		return 0;
	first = first == 24 ? 23 : first;
	last = last == 24 ? 23 : last;
	if (first > 23 || last > 23) {
		set_invalid(h, i, to);
		return to;
	}
	h->out->hours |= hours_between(first, last);
	mark_used(h->q, i, to);
	return to;
}

/* A time of day at token i. */
struct clock_time {
	int hour;          /* 0-24, or -1 */
	bool has_day_half; /* with am or pm */
	bool pm;
	bool is_bare_number; /* a plain number */
	bool has_minutes;    /* with minutes after the hour */
	size_t to;
};

/* "in the evening" from token i on. Returns the number of words; 0: no half of the day is named. */
static size_t day_half_words(const struct question *q, size_t i, bool *pm)
{
	const struct token *part = token_at(q, i + 2);

	*pm = token_in(part, (const char *const[]){"afternoon", "evening", NULL});
	return token_is(token_at(q, i), "in") && token_is(token_at(q, i + 1), "the") &&
			       (*pm || token_is(part, "morning"))
		       ? 3
		       : 0;
}

static struct clock_time clock_at(const struct question *q, size_t i)
{
	const struct token *t = token_at(q, i), *next = token_at(q, i + 1);
	struct clock_time out = {.hour = -1, .to = i + 1};
	const char *half = t->text;
	long n;
	char *end;

	if (t->used || t->len > 4)
		return out;
	n = strtol(t->text, &end, 10);
	if (end == t->text || n > 24)
		return out;
	/* "17:30" */
	if (t->number >= 0 && next->separator == ':' && !next->used && day_number(next) < 60) {
		out.has_minutes = day_number(next) > 0;
		out.hour = (int)n;
		out.to = i + 2;
		half = next->number >= 0 ? token_at(q, i + 2)->text : next->text + 2;
	} else {
		half = t->number >= 0 ? next->text : end;
		out.is_bare_number = true;
	}
	out.pm = strcmp(half, "pm") == 0;
	out.has_day_half = (out.pm || strcmp(half, "am") == 0) && n >= 1 && n <= 12;
	if (out.has_day_half) {
		/* a separate token */
		out.to += half == token_at(q, out.to)->text;
		out.hour = (int)n % 12 + (out.pm ? 12 : 0);
		out.is_bare_number = false;
	} else if (n >= 1 && n <= 12 && t->number >= 0 && day_half_words(q, out.to, &out.pm) > 0) {
		out.has_day_half = true;
		out.to += day_half_words(q, out.to, &out.pm);
		out.hour = (int)n % 12 + (out.pm ? 12 : 0);
		out.is_bare_number = false;
	} else if (out.is_bare_number) {
		out.hour = n <= 12 && t->number >= 1 ? (int)n : -1;
	}
	return out;
}

static struct clock_time read_time(const struct question *q, size_t i)
{
	const struct token *t = token_at(q, i);

	if (!t->used && (token_is(t, "noon") || token_is(t, "midnight")))
		return (struct clock_time){.hour = token_is(t, "noon") ? 12 : 0, .to = i + 1};
	return clock_at(q, i);
}

/* "at 5pm", "17:00". Ranges such as "from 4pm to 9pm", "4-9 pm", "between 16:00 and 20:00" exclude
 * the second hour. */
static size_t read_clock(struct hours *h, size_t i)
{
	struct clock_time first = read_time(h->q, i), last;
	size_t at = first.to;

	if (first.hour < 0)
		return 0;
	if (is_range_word(token_at(h->q, at)) || token_at(h->q, at)->separator == '-') {
		last = read_time(h->q, is_range_word(token_at(h->q, at)) ? at + 1 : at);
		if (first.is_bare_number && last.has_day_half)
			first.hour = first.hour % 12 + (last.pm ? 12 : 0);
		if (last.hour >= 0 && !last.is_bare_number && last.hour != first.hour) {
			int end = last.has_minutes ? last.hour : last.hour + 23;

			h->out->hours |= hours_between(first.hour % 24, end % 24);
			mark_used(h->q, i, last.to);
			return last.to;
		}
	}
	if (first.is_bare_number)
		return 0;
	h->out->hours |= 1u << first.hour % 24;
	mark_used(h->q, i, first.to);
	return first.to;
}

/* "5x16", "7x8": trading blocks, days per week by hours per day. */
static size_t read_block(struct hours *h, size_t i, uint32_t peak)
{
	static const struct {
		const char *name;
		bool off, weekdays;
	} blocks[] = {{"5x16", false, true}, {"7x16", false, false}, {"7x8", true, false}};
	struct token *t = &h->q->tokens[i];

	for (size_t n = 0; n < sizeof(blocks) / sizeof(blocks[0]); n++)
		if (!t->used && token_is(t, blocks[n].name)) {
			h->out->hours |= blocks[n].off ? HOURS_ALL & ~peak : peak;
			if (blocks[n].weekdays)
				h->out->day_type = t->text;
			t->used = true;
			return i + 1;
		}
	return 0;
}

/* "the peak premium": a difference, which needs peak and off-peak hours. */
static bool is_difference(const struct question *q, size_t peak)
{
	static const char *const words[] = {"premium",    "premia",       "discount",
					    "spread",     "differential", "uplift",
					    "difference", "delta",        NULL};

	return token_in(token_at(q, peak + 1), words);
}

/* "peak", "on-peak hours", "off-peak"; both together mean the whole day. */
static void read_peak(struct hours *h, int peak_first, int peak_last)
{
	uint32_t peak = hours_between(peak_first, peak_last), hours = 0;
	struct question *q = h->q;

	for (size_t i = 0; peak_last > 0 && i < q->count; i++) {
		bool off = token_is(&q->tokens[i], "offpeak"),
		     on = token_is(&q->tokens[i], "onpeak");

		if (token_is(&q->tokens[i], "peak")) {
			off = i > 0 && token_is(&q->tokens[i - 1], "off");
			on = !off;
		}
		if ((off || on) && is_difference(q, i))
			hours = HOURS_ALL;
		hours |= off ? HOURS_ALL & ~peak : on ? peak : 0;
	}
	if (hours != HOURS_ALL)
		h->out->hours |= hours;
}

void hours_parse_endings(struct question *q, struct arena *a, struct parsed_time *out)
{
	struct hours h = {q, a, out};

	for (size_t i = 0; i < q->count;) {
		size_t to = read_ending(&h, i);

		i = to > i ? to : i + 1;
	}
}

void hours_parse(struct question *q, int peak_first, int peak_last, struct arena *a,
		 struct parsed_time *out)
{
	struct hours h = {q, a, out};
	uint32_t before = out->hours;

	for (size_t i = 0; i < q->count;) {
		size_t to = read_ending(&h, i);

		if (to == 0)
			to = read_hour_word(&h, i);
		if (to == 0)
			to = read_clock(&h, i);
		if (to == 0 && peak_last > 0)
			to = read_block(&h, i, hours_between(peak_first, peak_last));
		i = to > i ? to : i + 1;
	}
	if (out->hours == before)
		read_peak(&h, peak_first, peak_last);
	if (out->hours == HOURS_ALL)
		out->hours = 0;
}
