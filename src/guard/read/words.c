/*
 * Reads numbers in words: "fifty dollars", "three of four projects", "a third of", "twice as
 * high". A number counts only with a unit, out of another number, or before a word of the data.
 * "One of the" and "the second half" are not read. Needs more text only while the current words
 * may become a number.
 */

#include "scan_int.h"
#include "claims/cue_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define ONE ((guard_value)100000000)

static const struct {
	const char *word;
	int value;
} cardinals[] = {
	{"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},      {"five", 5},
	{"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},      {"ten", 10},
	{"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14}, {"fifteen", 15},
	{"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19}, {"twenty", 20},
	{"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},    {"seventy", 70},
	{"eighty", 80},  {"ninety", 90},
};
static const struct {
	const char *word;
	int64_t value;
} scales[] = {{"hundred", 100}, {"thousand", 1000}, {"million", 1000000}, {"billion", 1000000000}};

/* Days of a month; cue_words.c defines their values. */
static const char *const ordinals[] = {
	"first",       "second",     "third",      "fifth",      "eighth",    "ninth",
	"twelfth",     "twentieth",  "thirtieth",  "fourth",     "sixth",     "seventh",
	"tenth",       "eleventh",   "thirteenth", "fourteenth", "fifteenth", "sixteenth",
	"seventeenth", "eighteenth", "nineteenth"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct words {
	const struct unit_words *units;
	const char *p;
	size_t n;
	bool final, more;
};

/* The number of letters at `at`. Sets w->more when the word may continue. */
static size_t word_at(struct words *w, size_t at)
{
	size_t len = 0;

	while (at + len < w->n && isalpha((unsigned char)w->p[at + len]))
		len++;
	w->more = w->more || (at + len >= w->n && !w->final);
	return len;
}

static bool is_word(const char *p, size_t len, const char *word)
{
	return len > 0 && (*p | 0x20) == *word && strncasecmp(p, word, len) == 0 && !word[len];
}

static bool is_prefix_of(const char *p, size_t len, const char *word)
{
	return len > 0 && (*p | 0x20) == *word && strncasecmp(p, word, len) == 0;
}

static int cardinal(const char *p, size_t len)
{
	for (size_t i = 0; i < COUNT(cardinals); i++)
		if (is_word(p, len, cardinals[i].word))
			return cardinals[i].value;
	return 0;
}

static int64_t scale(const char *p, size_t len)
{
	for (size_t i = 0; i < COUNT(scales); i++)
		if (is_word(p, len, scales[i].word))
			return scales[i].value;
	return 0;
}

static bool may_begin(const char *p, size_t len)
{
	for (size_t i = 0; i < COUNT(cardinals); i++)
		if (is_prefix_of(p, len, cardinals[i].word))
			return true;
	for (size_t i = 0; i < COUNT(ordinals); i++)
		if (is_prefix_of(p, len, ordinals[i]))
			return true;
	return is_prefix_of(p, len, "half") || is_prefix_of(p, len, "twice") ||
	       is_prefix_of(p, len, "a");
}

static bool text_follows(struct words *w, size_t at, const char *text)
{
	int match = at <= w->n ? text_starts(w->p + at, w->n - at, w->final, text) : 0;

	w->more = w->more || match < 0;
	return match == 1;
}

/* ---- cardinals ---- */

static bool may_join(int64_t group, int next)
{
	int64_t low = group % 100;

	return group == 0 || low == 0 || (low >= 20 && low % 10 == 0 && next < 10);
}

/* The next word after the one that ends at `at`, skipping a space or dash and "and". */
static size_t next_word(struct words *w, size_t at, size_t *len)
{
	if (!text_follows(w, at, " ") && !text_follows(w, at, "-"))
		return 0;
	if (text_follows(w, at, " and "))
		at += 4;
	*len = word_at(w, at + 1);
	return at + 1;
}

/* Reads "one hundred and twenty", "two million". Returns its bytes; 0: none. */
static size_t read_cardinal(struct words *w, struct shown *s)
{
	int64_t total = 0, group = 0, last = 1;
	size_t at = 0, len = word_at(w, 0), end = 0;

	if (is_word(w->p, len, "a")) {
		at = next_word(w, len, &len);
		if (at == 0 || !scale(w->p + at, len))
			return 0;
		group = 1;
	}
	for (;;) {
		int cardinal_value = cardinal(w->p + at, len);
		int64_t by = scale(w->p + at, len);

		if (cardinal_value && may_join(group, cardinal_value)) {
			group += cardinal_value;
			last = 1;
		} else if (by == 100 && group > 0 && group < 10) {
			group *= 100;
			last = 1;
		} else if (by > 100 && group > 0) {
			total += group * by;
			group = 0;
			last = by;
		} else {
			break;
		}
		end = at + len;
		at = next_word(w, end, &len);
		if (at == 0 || total > 1000000000000)
			break;
	}
	s->value = (total + group) * ONE;
	s->half = last * ONE / 2;
	s->scaled = last > 1;
	return end;
}

/* "of four", "of 4" */
static bool is_out_of(struct words *w, size_t at)
{
	size_t len;

	if (!text_follows(w, at, " of "))
		return false;
	if (at + 4 < w->n && isdigit((unsigned char)w->p[at + 4]))
		return true;
	len = word_at(w, at + 4);
	return cardinal(w->p + at + 4, len) > 0;
}

/* "three times as high". A number of occurrences is not a ratio. */
static bool is_ratio(struct words *w, size_t at)
{
	static const char *const words[] = {"as ",    "higher",  "lower",  "more",
					    "less",   "larger",  "bigger", "greater",
					    "dearer", "cheaper", "the ",   "that "};

	for (size_t i = 0; i < COUNT(words); i++)
		if (text_follows(w, at + 1, words[i]))
			return true;
	return false;
}

/* "Forty-nine dollars and twenty-three cents". */
static void add_part(struct words *w, struct shown *s)
{
	static const char and[] = " and ";
	struct words rest = {
		.units = w->units, .p = w->p + s->len + strlen(and), .final = w->final};
	struct shown part = {0};
	size_t end, with_unit = 0;

	if (!text_follows(w, s->len, and))
		return;
	rest.n = w->n - s->len - strlen(and);
	end = read_cardinal(&rest, &part);
	w->more = w->more || rest.more;
	if (end == 0)
		return;
	part.unit = shown_unit_after(w->units, rest.p + end, rest.n - end, rest.final, &with_unit,
				     &w->more);
	if (unit_base_currency(w->units, part.unit) != s->unit || !shown_convert(&part, s->unit) ||
	    part.value >= ONE)
		return;
	s->value += part.value;
	s->decimals = part.decimals;
	s->half = part.half;
	s->len += strlen(and) + end + with_unit;
}

static bool set_cardinal(struct words *w, struct shown *s)
{
	size_t end = read_cardinal(w, s), with_unit = 0;

	if (end == 0)
		return false;
	s->len = end;
	s->unit =
		shown_unit_after(w->units, w->p + end, w->n - end, w->final, &with_unit, &w->more);
	s->len += with_unit;
	if (unit_base_currency(w->units, s->unit))
		(void)shown_convert(s, unit_base_currency(w->units, s->unit));
	else if (unit_is_money(s->unit))
		add_part(w, s);
	if (!s->unit && text_follows(w, end, "-") && end + 1 < w->n &&
	    isalpha((unsigned char)w->p[end + 1])) /* "twenty-first" */
		return false;
	if (!s->unit) {
		s->out_of = is_out_of(w, end);
		return true;
	}
	if (unit_is_ratio(s->unit))
		return is_ratio(w, s->len);
	/* "one day" is not a time span */
	return s->value > ONE || !s->unit->counted;
}

/* ---- parts and multiples ---- */

static bool set_part(struct words *w, struct shown *s)
{
	static const struct {
		const char *text;
		int64_t percent_of_3; /* times three, so that thirds are integers */
	} parts[] = {{"half of", 150},          {"a third of", 100},    {"one third of", 100},
		     {"one-third of", 100},     {"two thirds of", 200}, {"two-thirds of", 200},
		     {"a quarter of", 75},      {"one quarter of", 75}, {"three quarters of", 225},
		     {"three-quarters of", 225}};
	static const char *const times[] = {"the year", "a year", "the day", "the month",
					    "the time", "2",      "an hour", "the week"};

	for (size_t i = 0; i < COUNT(parts); i++) {
		size_t end = strlen(parts[i].text);

		if (!text_follows(w, 0, parts[i].text) || !text_follows(w, end, " "))
			continue;
		for (size_t k = 0; k < COUNT(times); k++)
			if (text_follows(w, end + 1, times[k]))
				return false;
		s->len = end - strlen(" of");
		s->unit = w->units->percent;
		s->part = true;
		s->value = parts[i].percent_of_3 * ONE / 3;
		s->half = 5 * ONE / 2; /* tolerance for fractions in words */
		return true;
	}
	return false;
}

static bool set_multiple(struct words *w, struct shown *s)
{
	if (!text_follows(w, 0, "twice as ") && !text_follows(w, 0, "twice the ") &&
	    !text_follows(w, 0, "twice that "))
		return false;
	s->len = strlen("twice");
	s->unit = w->units->ratio;
	s->value = 2 * ONE;
	s->half = ONE / 4;
	return true;
}

/* ---- dates ---- */

/* "the fifteenth of January 2025", "January twenty-first": reads a day number. */
static bool set_day(struct words *w, int month, struct shown *s)
{
	size_t len = word_at(w, 0), next = 0, after = 0;
	const struct cue_word *l = cue_word_find(w->p, len);
	int tens = cardinal(w->p, len), day = l && l->cue_flags & CUE_ORDINAL ? l->value : 0;
	struct cursor c = {.units = w->units, .p = w->p, .len = w->n, .final = w->final};
	bool match;

	if (tens == 20 || tens == 30) {
		next = next_word(w, len, &after);
		l = next ? cue_word_find(w->p + next, after) : NULL;
		if (!l || !(l->cue_flags & CUE_ORDINAL) || l->value > 9)
			return false;
		day = tens + l->value;
		len = next + after;
	}
	if (day < 1 || day > 31)
		return false;
	match = scan_day_in_words(&c, s, len, month, day);
	w->more = w->more || c.more;
	s->worded = !match; /* a date is never a figure of speech */
	return match;
}

/* "twenty twenty-six" */
static bool set_year(struct words *w, struct shown *s)
{
	size_t len = word_at(w, 0), at, more;
	int century = cardinal(w->p, len), year;

	if (century != 19 && century != 20)
		return false;
	if (!text_follows(w, len, " "))
		return false;
	at = next_word(w, len, &more);
	year = at ? cardinal(w->p + at, more) : 0;
	if (year < 10)
		return false;
	len = at + more;
	if (year >= 20 && year % 10 == 0 && text_follows(w, len, "-")) {
		at = next_word(w, len, &more);
		year += at ? cardinal(w->p + at, more) : 0;
		len = at + more;
	}
	s->kind = SHOWN_YEAR;
	s->worded = false;
	s->value = (century * 100 + year) * ONE;
	s->len = len;
	return true;
}

int words_cardinal(const char *word, size_t len)
{
	return words_may_begin(*word) ? cardinal(word, len) : 0;
}

bool words_is_cardinal(const char *word, size_t len)
{
	return words_may_begin(*word) && cardinal(word, len) > 0;
}

bool words_may_begin(char c)
{
	switch (c | 0x20) {
	case 'o':
	case 't':
	case 'f':
	case 's':
	case 'e':
	case 'n':
	case 'h':
	case 'a':
		return true;
	default:
		return false;
	}
}

enum scan words_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     int month, struct shown *out)
{
	struct words w = {.units = u, .p = text, .n = len, .final = final};
	struct shown s = {.kind = SHOWN_NUMBER, .worded = true};
	size_t first = word_at(&w, 0);
	bool found;

	*out = (struct shown){0};
	if (!may_begin(text, first))
		return SCAN_DONE;
	if (w.more)
		return SCAN_MORE;
	found = set_day(&w, month, &s) || (!w.more && set_part(&w, &s)) ||
		(!w.more && set_multiple(&w, &s)) || (!w.more && set_year(&w, &s)) ||
		(!w.more && set_cardinal(&w, &s));
	if (w.more)
		return SCAN_MORE;
	if (found)
		*out = s;
	return SCAN_DONE;
}
