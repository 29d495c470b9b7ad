/*
 * Reads one number with its sign, currency, digit groups, decimals, K or M, and unit; or a date,
 * hour, rank or list number. Returns SCAN_MORE when the next byte could change the result, so that
 * chunk boundaries have no effect.
 */
#include "scan_int.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 18

unsigned char scan_peek(struct cursor *c, size_t ahead)
{
	if (c->at + ahead < c->len)
		return (unsigned char)c->p[c->at + ahead];
	c->more = c->more || !c->final;
	return 0;
}

int text_starts(const char *text, size_t len, bool final, const char *word)
{
	for (size_t i = 0; word[i]; i++) {
		if (i == len)
			return final ? 0 : -1;
		if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i]))
			return 0;
	}
	return 1;
}

bool scan_starts(struct cursor *c, size_t ahead, const char *word)
{
	int match = c->at + ahead <= c->len ? text_starts(c->p + c->at + ahead,
							  c->len - c->at - ahead, c->final, word)
					    : 0;

	c->more = c->more || match < 0;
	return match == 1;
}

size_t scan_digits(struct cursor *c, size_t ahead)
{
	size_t n = 0;

	while (isdigit(scan_peek(c, ahead + n)))
		n++;
	return n;
}

int scan_int(const struct cursor *c, size_t ahead, size_t digits)
{
	int value = 0;

	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (c->p[c->at + ahead + i] - '0');
	return value;
}

/* ---- sign and currency ---- */

static size_t sign_at(const char *p, size_t len, bool *more)
{
	if (len > 0 && (*p == '-' || *p == '+'))
		return 1;
	if (len > 0 && (unsigned char)*p == 0xE2) {
		*more = *more || len < 3;
		return len >= 3 && memcmp(p, "−", 3) == 0 ? 3 : 0;
	}
	return 0;
}

size_t shown_unsupported(const char *p, size_t len, bool final, bool *more)
{
	size_t at = 0;

	for (;;) {
		const unsigned char *u = (const unsigned char *)p + at;
		size_t left = len - at, n = 0;

		if (left == 0) {
			*more = *more || (at > 0 && !final);
			return at;
		}
		if (u[0] == 0xEF && left >= 3 && u[1] == 0xBC && u[2] >= 0x90 && u[2] <= 0x99)
			n = 3; /* full width */
		else if (u[0] == 0xD9 && left >= 2 && u[1] >= 0xA0 && u[1] <= 0xA9)
			n = 2; /* Arabic */
		else if (u[0] == 0xDB && left >= 2 && u[1] >= 0xB0 && u[1] <= 0xB9)
			n = 2;
		else if (u[0] == 0xE2 && left >= 3 && u[1] == 0x81 &&
			 (u[2] == 0xB0 || (u[2] >= 0xB4 && u[2] <= 0xB9)))
			n = 3; /* superscript */
		else if (u[0] == 0xC2 && left >= 2 && u[1] >= 0xBC && u[1] <= 0xBE)
			n = 2; /* fractions */
		if (n == 0)
			return at;
		at += n;
	}
}

size_t shown_prefix(const struct unit_words *u, const char *p, size_t len, bool final, bool *more)
{
	bool cut = false;
	size_t n = sign_at(p, len, &cut), currency;

	(void)unit_currency_at(u, p + n, len - n, &currency, &cut);
	n += currency;
	n += n ? sign_at(p + n, len - n, &cut) : 0;
	*more = !final && n == len;
	if (n > 0 && n < len && isdigit((unsigned char)p[n]))
		return n;
	return 0;
}

/* ---- numbers ---- */

/* The bytes of a space that groups thousands: no-break, thin, narrow. */
static size_t group_space(struct cursor *c, size_t ahead)
{
	if (scan_peek(c, ahead) == 0xC2 && scan_peek(c, ahead + 1) == 0xA0)
		return 2;
	if (scan_peek(c, ahead) == 0xE2 && scan_peek(c, ahead + 1) == 0x80 &&
	    (scan_peek(c, ahead + 2) == 0xAF || scan_peek(c, ahead + 2) == 0x89))
		return 3;
	return 0;
}

/* Reads digits with groups. Returns their bytes. `first`: the digits before the first group. */
static size_t read_whole(struct cursor *c, size_t first, struct shown *s, guard_value *units)
{
	size_t at = first, digits = first;

	*units = 0;
	for (size_t i = 0; i < first && i < DIGITS_MAX; i++)
		*units = *units * 10 + (c->p[c->at + i] - '0');
	while (first <= 3) {
		size_t mark = scan_peek(c, at) == ',' || scan_peek(c, at) == '\''
				      ? 1
				      : group_space(c, at);

		if (mark == 0 || !isdigit(scan_peek(c, at + mark)) ||
		    scan_digits(c, at + mark) != 3)
			break;
		for (size_t i = 0; i < 3; i++)
			*units = *units * 10 + (c->p[c->at + at + mark + i] - '0');
		at += mark + 3;
		digits += 3;
		s->grouped = true;
		if (digits > DIGITS_MAX)
			break;
	}
	return at;
}

static guard_value power_of_ten(int n)
{
	guard_value p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

/* Sets value and half from the digits. Returns their bytes; 0: too many digits. */
static size_t read_decimal(struct cursor *c, struct shown *s)
{
	size_t first = scan_digits(c, 0), at, fraction = 0;
	guard_value units;

	if (first > DIGITS_MAX)
		return 0;
	at = read_whole(c, first, s, &units);
	if (scan_peek(c, at) == '.' && isdigit(scan_peek(c, at + 1)))
		fraction = scan_digits(c, at + 1);
	if (fraction > GUARD_SCALE)
		return 0;
	for (size_t i = 0; i < fraction; i++)
		units = units * 10 + (c->p[c->at + at + 1 + i] - '0');
	s->decimals = (int)fraction;
	s->value = units * power_of_ten(GUARD_SCALE - s->decimals);
	s->half = power_of_ten(GUARD_SCALE - s->decimals) / 2;
	return at + (fraction ? fraction + 1 : 0);
}

static bool word_ends(struct cursor *c, size_t ahead)
{
	return !isalnum(scan_peek(c, ahead)) && scan_peek(c, ahead) < 0x80;
}

static size_t read_scale(struct cursor *c, size_t at, guard_value *factor)
{
	static const struct {
		const char *text;
		int64_t factor;
		bool exact_case;
	} scales[] = {{"million", 1000000, false}, {"billion", 1000000000, false},
		      {"thousand", 1000, false},   {"bn", 1000000000, false},
		      {"mm", 1000000, false},      {"K", 1000, false},
		      {"M", 1000000, true},        {"B", 1000000000, true}};
	size_t space = scan_peek(c, at) == ' ';

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		size_t n = strlen(scales[i].text);

		if (!scan_starts(c, at + space, scales[i].text) || !word_ends(c, at + space + n))
			continue;
		if (scales[i].exact_case &&
		    scan_peek(c, at + space) != (unsigned char)scales[i].text[0])
			continue;
		*factor = scales[i].factor;
		return at + space + n;
	}
	return at;
}

static const struct unit_def *read_unit_word(struct cursor *c, size_t at, bool glued, size_t *end)
{
	bool here = c->at + at < c->len;
	int first = here ? tolower((unsigned char)c->p[c->at + at]) : 0;

	for (size_t i = 0; c->units && i < c->units->count; i++) {
		const struct unit_word *w = &c->units->items[i];
		size_t n;

		if (here && first != tolower((unsigned char)*w->text))
			continue;
		n = strlen(w->text);
		if (!(glued ? w->glued : w->spaced) || !scan_starts(c, at, w->text))
			continue;
		if (isalpha((unsigned char)w->text[n - 1]) && !word_ends(c, at + n))
			continue;
		*end = at + n;
		return w->unit;
	}
	return NULL;
}

const struct unit_def *shown_unit_after(const struct unit_words *u, const char *text, size_t len,
					bool final, size_t *taken, bool *more)
{
	struct cursor c = {.units = u, .p = text, .len = len, .final = final};
	const struct unit_def *unit;

	*taken = 0;
	unit = scan_peek(&c, 0) == ' ' ? read_unit_word(&c, 1, false, taken) : NULL;
	*more = *more || c.more;
	return unit;
}

static bool to_guard_scale(struct decimal d, guard_value *out)
{
	struct decimal rounded = decimal_round(d, GUARD_SCALE);

	*out = rounded.units * power_of_ten(GUARD_SCALE - rounded.scale);
	return decimal_cmp(rounded, d) == 0;
}

bool shown_convert(struct shown *s, const struct unit_def *to)
{
	const struct unit_def *from = s->unit;
	struct decimal value, half;
	guard_value size, step;

	if (!units_convert((struct decimal){s->value, GUARD_SCALE}, from, to, &value) ||
	    !units_convert((struct decimal){s->half, GUARD_SCALE}, from, to, &half) ||
	    !to_guard_scale(value, &size) || !to_guard_scale(half, &step))
		return false;
	s->value = size;
	s->half = step;
	s->unit = to;
	for (struct decimal d = from->scale;
	     decimal_cmp(d, to->scale) < 0 && decimal_mul(d, decimal_int(10), &d);)
		s->decimals++;
	return true;
}

/* Reads the unit after the number: adjacent, after a space, or after closing emphasis. In the last
 * case it affects the result but not the length. */
static size_t read_unit(struct cursor *c, size_t at, struct shown *s)
{
	size_t end = at, hidden = at, space = 1;
	const struct unit_def *u;

	while (scan_peek(c, hidden) == '*' && hidden < at + 3)
		hidden++;
	if (scan_peek(c, at) == 0xC2 && scan_peek(c, at + 1) == 0xA0)
		space = 2;
	if (hidden > at) {
		u = read_unit_word(c, hidden, true, &end);
		if (!u && scan_peek(c, hidden) == ' ')
			u = read_unit_word(c, hidden + 1, false, &end);
		end = at;
	} else if (scan_peek(c, at) == ' ' || space == 2) {
		u = read_unit_word(c, at + space, false, &end);
	} else {
		u = read_unit_word(c, at, true, &end);
	}
	if (s->currency) {
		s->unit = unit_in_currency(c->units, u, s->currency);
		return unit_is_money(s->unit) ? at : end;
	}
	s->unit = u;
	if (unit_base_currency(c->units, u))
		(void)shown_convert(s, unit_base_currency(c->units, u));
	return end;
}

static bool is_ordinal(struct cursor *c, size_t at)
{
	return (scan_starts(c, at, "st") || scan_starts(c, at, "nd") || scan_starts(c, at, "rd") ||
		scan_starts(c, at, "th")) &&
	       word_ends(c, at + 2);
}

/* "4 pm" */
static bool read_12_hour(struct cursor *c, struct shown *s, size_t at, int value)
{
	size_t space = scan_peek(c, at) == ' ';
	bool pm, am;

	if (value < 1 || value > 12)
		return false;
	pm = scan_starts(c, at + space, "pm");
	am = scan_starts(c, at + space, "am");
	if ((!pm && !am) || !word_ends(c, at + space + 2))
		return false;
	s->kind = SHOWN_HOUR;
	s->value = value % 12 + (pm ? 12 : 0);
	s->len = at + space + 2;
	return true;
}

/* "5" in "5 to 6 pm", "11 and 1 pm": takes am or pm from the second number. */
static bool read_12_hour_range(struct cursor *c, struct shown *s, size_t digits, int value)
{
	static const char *const range_words[] = {" to ", " and ", " through ", " - ",
						  "-",    "–",     " – "};
	struct shown end = {0};

	if (value < 1 || value > 12 || digits > 2)
		return false;
	for (size_t i = 0; i < sizeof(range_words) / sizeof(range_words[0]); i++) {
		size_t at = digits + strlen(range_words[i]), more;

		if (!scan_starts(c, digits, range_words[i]))
			continue;
		more = scan_digits(c, at);
		if (more < 1 || more > 2 ||
		    !read_12_hour(c, &end, at + more, scan_int(c, at, more)))
			return false;
		s->kind = SHOWN_HOUR;
		s->value = value % 12 + (end.value >= 12 ? 12 : 0);
		if (s->value > end.value) /* "11 to 1 pm" */
			s->value -= 12;
		s->len = digits;
		return s->value >= 0;
	}
	return false;
}

/* Reads whole numbers that are not amounts. Returns false for an amount. */
static bool read_non_amount(struct cursor *c, struct shown *s, const struct lead *lead,
			    size_t digits)
{
	int value = digits <= 4 ? scan_int(c, 0, digits) : 0;
	unsigned char next = scan_peek(c, digits);

	if (lead->line_start && digits <= 3 && (next == '.' || next == ')') &&
	    !isdigit(scan_peek(c, digits + 1))) {
		s->kind = SHOWN_TEXT;
		return true;
	}
	if (is_ordinal(c, digits) && !c->more) {
		if (scan_worded(c, s, lead, digits, digits + 2))
			return true;
		s->kind = SHOWN_RANK;
		s->value = value;
		s->len = digits + 2;
		return true;
	}
	if (scan_worded(c, s, lead, digits, digits))
		return true;
	if (lead->quarter && digits == 4 && scan_is_year(value)) {
		s->kind = SHOWN_QUARTER;
		s->date = (struct date){value, lead->quarter, 0};
		return true;
	}
	if (!lead->hour_ending &&
	    (read_12_hour(c, s, digits, value) || read_12_hour_range(c, s, digits, value)))
		return true;
	if ((lead->hour || lead->hour_ending) && digits <= 2 && next != '%' &&
	    value >= lead->hour_ending) {
		s->kind = SHOWN_HOUR;
		s->value = lead->hour_ending || value == 24 ? value - 1 : value;
		return true;
	}
	if (lead->rank) {
		s->kind = SHOWN_RANK;
		s->value = value;
		return true;
	}
	if (scan_starts(c, 0, "24/7")) {
		s->kind = SHOWN_TEXT;
		s->len = 4;
		return true;
	}
	return false;
}

/* "1.2e6" */
static bool read_exponent(struct cursor *c, size_t at, struct shown *s)
{
	size_t sign, digits;

	if (scan_peek(c, at) != 'e' && scan_peek(c, at) != 'E')
		return false;
	sign = scan_peek(c, at + 1) == '-' || scan_peek(c, at + 1) == '+';
	digits = scan_digits(c, at + 1 + sign);
	if (digits == 0)
		return false;
	s->len = at + 1 + sign + digits;
	return true;
}

/* "$2.98/MW" with an unknown unit: an amount per something, not money. */
static bool is_per_unknown(struct cursor *c, const struct shown *s)
{
	return unit_is_money(s->unit) && scan_peek(c, s->len) == '/' &&
	       isalpha(scan_peek(c, s->len + 1));
}

static void read_amount(struct cursor *c, struct shown *s)
{
	size_t end = read_decimal(c, s), at;
	guard_value factor = 1;

	if (end == 0) { /* too long for an amount: an id */
		s->kind = SHOWN_TEXT;
		return;
	}
	s->len = end;
	at = read_scale(c, end, &factor);
	s->scaled = factor > 1;
	s->value *= factor;
	s->half = s->half * factor;
	s->len = read_unit(c, at, s);
	/* "3D", "7x24": a word that begins with a digit */
	if (read_exponent(c, end, s) || is_per_unknown(c, s))
		s->kind = SHOWN_UNSUPPORTED;
	else if (s->len == end && !s->currency &&
		 (isalpha(scan_peek(c, end)) || scan_peek(c, end) == '_'))
		s->kind = SHOWN_TEXT;
	else if (!s->scaled && !s->grouped && !s->currency && s->decimals == 0 && end == 4 &&
		 !s->unit && scan_is_year(scan_int(c, 0, 4)))
		s->kind = SHOWN_YEAR;
}

/* Reads sign and currency, in either order. */
static void read_prefix(struct cursor *c, struct shown *s)
{
	bool cut = false;

	while (c->at < c->len && !isdigit((unsigned char)c->p[c->at])) {
		size_t sign = sign_at(c->p + c->at, c->len - c->at, &cut);

		s->minus = s->minus || (sign > 0 && c->p[c->at] != '+');
		s->plus = s->plus || (sign > 0 && c->p[c->at] == '+');
		if (sign == 0)
			s->currency = unit_currency_at(c->units, c->p + c->at, c->len - c->at,
						       &sign, &cut);
		c->at += sign;
	}
}

enum scan shown_scan(const struct unit_words *u, const char *text, size_t len, bool final,
		     const struct lead *lead, struct shown *out)
{
	struct cursor c = {.units = u, .p = text, .len = len, .final = final};
	struct shown s = {.kind = SHOWN_NUMBER};
	size_t digits;

	read_prefix(&c, &s);
	s.currency = s.currency ? s.currency : lead->currency;
	s.minus = s.minus || lead->minus;
	digits = scan_digits(&c, 0);
	s.len = digits;
	if (c.more)
		return SCAN_MORE;
	if (s.currency || c.at > 0 ||
	    !(scan_iso(&c, &s) || scan_slashed(&c, &s) || scan_time(&c, &s) ||
	      (digits <= 4 &&
	       (scan_peek(&c, digits) != ',' || !isdigit(scan_peek(&c, digits + 1))) &&
	       (scan_peek(&c, digits) != '.' || !isdigit(scan_peek(&c, digits + 1))) &&
	       read_non_amount(&c, &s, lead, digits)))) {
		s = (struct shown){.kind = SHOWN_NUMBER,
				   .minus = s.minus,
				   .plus = s.plus,
				   .currency = s.currency};
		s.len = digits;
		read_amount(&c, &s);
	}
	if (c.more)
		return SCAN_MORE;
	s.len += c.at;
	*out = s;
	return SCAN_DONE;
}
