/*
 * Parses numbers of table cells: digit groups, a point or a comma, a sign or brackets, one
 * currency sign or code before or after, a percent sign, an exponent.
 */
#include "types_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/utf8.h"

#define NO_BREAK     "\xC2\xA0"
#define NARROW_BREAK "\xE2\x80\xAF"
#define EXPONENT_MAX 30
#define TEXT_MAX     64 /* bytes; longer texts are not numbers */
#define WRITTEN_MAX  (TEXT_MAX + EXPONENT_MAX)

struct reading {
	struct str rest;
	struct cell_number *out;
};

/* The digits without groups and point. A fixed buffer, since it is filled for each cell. */
struct digits {
	char p[WRITTEN_MAX];
	size_t n;
};

static void add_digits(struct digits *d, const char *p, size_t n)
{
	assert(d->n + n <= sizeof(d->p)); /* a cell has at most TEXT_MAX bytes */
	memcpy(d->p + d->n, p, n);
	d->n += n;
}

static bool take(struct str *s, const char *text)
{
	struct str prefix = str_of(text);

	if (!str_starts(*s, prefix))
		return false;
	s->p += prefix.n;
	s->n -= prefix.n;
	return true;
}

static bool take_back(struct str *s, const char *text)
{
	struct str end = str_of(text);

	if (!str_ends(*s, end))
		return false;
	s->n -= end.n;
	return true;
}

static struct str trim(struct str s)
{
	size_t before;

	/* Most cells have no blank at either end. */
	if (s.n > 0 && (unsigned char)(s.p[0] - '!') < 0x5e &&
	    (unsigned char)(s.p[s.n - 1] - '!') < 0x5e)
		return s;
	do {
		before = s.n;
		s = str_trim(s);
		(void)(take(&s, NO_BREAK) || take_back(&s, NO_BREAK));
	} while (s.n != before);
	return s;
}

/* The length in bytes of a unit at this end: a currency sign in use today (Unicode class Sc), a
 * percent sign, or a code of three capitals. 0: none. */
static size_t unit_at(struct str s, bool at_end)
{
	static const char *const signs[] = {"$", "%", "\xC2\xA2", "\xC2\xA3", "\xC2\xA5"};
	const char *p;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (at_end ? str_ends(s, str_of(signs[i])) : str_starts(s, str_of(signs[i])))
			return strlen(signs[i]);
	p = at_end ? s.p + s.n - 3 : s.p;
	if (s.n < 3)
		return 0;
	if (memcmp(p, "\xE2\x82", 2) == 0 && (unsigned char)p[2] >= 0xA0)
		return 3; /* U+20A0 to U+20BF */
	return isupper((unsigned char)p[0]) && isupper((unsigned char)p[1]) &&
			       isupper((unsigned char)p[2])
		       ? 3
		       : 0;
}

static void take_unit(struct reading *r)
{
	size_t n = unit_at(r->rest, false);
	struct str *s = &r->rest;

	if (r->out->unit[0])
		return;
	if (n > 0) {
		memcpy(r->out->unit, s->p, n);
		s->p += n;
		s->n -= n;
	} else if ((n = unit_at(*s, true)) > 0) {
		memcpy(r->out->unit, s->p + s->n - n, n);
		s->n -= n;
	}
	*s = trim(*s);
}

/* Parses signs and units around the digits, in any order. */
static bool take_around(struct reading *r)
{
	bool *negative = &r->out->negative;

	take_unit(r);
	if (take(&r->rest, "(")) {
		*negative = true;
		if (!take_back(&r->rest, ")"))
			return false;
	} else if (take(&r->rest, "-") || take(&r->rest, "\xE2\x88\x92")) {
		*negative = true;
	} else if (!take(&r->rest, "+") && take_back(&r->rest, "-")) {
		*negative = true;
	}
	r->rest = trim(r->rest);
	take_unit(r);
	return r->rest.n > 0;
}

/* The length of a separator between groups of three digits; 0: none here. */
static size_t group_separator_bytes(struct str s, bool comma)
{
	if (s.n > 0 && (*s.p == (comma ? '.' : ',') || *s.p == ' ' || *s.p == '\''))
		return 1;
	if (str_starts(s, STR(NO_BREAK)))
		return 2;
	return str_starts(s, STR(NARROW_BREAK)) ? 3 : 0;
}

static size_t digits_at(struct str s)
{
	size_t n = 0;

	while (n < s.n && isdigit((unsigned char)s.p[n]))
		n++;
	return n;
}

/* Parses the digits before the point, without groups. False: an invalid group. */
static bool take_whole(struct reading *r, bool comma, struct digits *digits)
{
	size_t n = digits_at(r->rest), separator_bytes, first = n;
	const char *kind = NULL;

	add_digits(digits, r->rest.p, n);
	r->rest.p += n;
	r->rest.n -= n;
	while ((separator_bytes = group_separator_bytes(r->rest, comma)) > 0) {
		if (kind && memcmp(kind, r->rest.p, separator_bytes) != 0)
			return false;
		kind = r->rest.p;
		r->rest.p += separator_bytes;
		r->rest.n -= separator_bytes;
		if (digits_at(r->rest) != 3)
			return false;
		add_digits(digits, r->rest.p, 3);
		r->rest.p += 3;
		r->rest.n -= 3;
	}
	r->out->has_separator = kind != NULL;
	return !kind || (first >= 1 && first <= 3 && digits->p[0] != '0');
}

static bool take_exponent(struct reading *r, int *exponent)
{
	bool negative;
	size_t n;

	*exponent = 0;
	if (r->rest.n == 0)
		return true;
	if (!take(&r->rest, "e") && !take(&r->rest, "E"))
		return false;
	negative = take(&r->rest, "-");
	if (!negative)
		(void)take(&r->rest, "+");
	n = digits_at(r->rest);
	if (n == 0 || n != r->rest.n || n > 3)
		return false;
	for (size_t i = 0; i < n; i++)
		*exponent = *exponent * 10 + (r->rest.p[i] - '0');
	*exponent = negative ? -*exponent : *exponent;
	return *exponent <= EXPONENT_MAX && *exponent >= -EXPONENT_MAX;
}

/* Applies the exponent, and removes leading zeros. */
static bool set_digits(struct cell_number *out, struct digits *digits, int scale, int exponent)
{
	const char *p = digits->p;
	size_t n;

	scale -= exponent;
	for (; scale < 0; scale++)
		add_digits(digits, "0", 1);
	n = digits->n;
	for (; n > 0 && *p == '0'; n--)
		p++;
	if (n > NUMBER_DIGITS_MAX || scale > NUMBER_DIGITS_MAX)
		return false;
	memcpy(out->digits, p, n);
	out->digits[n] = '\0';
	out->scale = scale;
	out->before = (int)n > scale ? (int)n - scale : 0;
	return true;
}

static bool read_digits(struct reading *r, bool comma, struct digits *digits)
{
	int exponent, scale = 0;
	size_t n;

	if (!take_whole(r, comma, digits))
		return false;
	r->out->is_int = true;
	if (take(&r->rest, comma ? "," : ".")) {
		n = digits_at(r->rest);
		add_digits(digits, r->rest.p, n);
		r->rest.p += n;
		r->rest.n -= n;
		scale = (int)n;
		r->out->is_int = false;
		r->out->has_separator = true;
	}
	if (digits->n == 0 || !take_exponent(r, &exponent))
		return false;
	r->out->is_int = r->out->is_int && exponent >= 0;
	return set_digits(r->out, digits, scale, exponent);
}

/* True if the cell has no digit, or starts with a letter but not with a currency code. */
static bool is_word(struct str cell)
{
	const unsigned char *p = (const unsigned char *)cell.p;
	size_t i = 0;

	if (isalpha(p[0]))
		return cell.n < 3 || !isupper(p[0]) || !isupper(p[1]) || !isupper(p[2]);
	while (i < cell.n && !isdigit(p[i]))
		i++;
	return i == cell.n;
}

/* The fast path for "-12.5": digits, at most one sign before them and one point or comma within.
 * False: needs the full parser. */
static bool read_plain(struct str cell, bool comma, struct cell_number *out, bool *ok)
{
	struct digits digits = {.n = 0};
	bool negative = *cell.p == '-';
	struct str s = {cell.p + negative, cell.n - negative}, rest;
	size_t whole = digits_at(s), fraction;

	if (whole == 0)
		return false;
	rest = (struct str){s.p + whole, s.n - whole};
	fraction = rest.n > 0 ? digits_at((struct str){rest.p + 1, rest.n - 1}) : 0;
	if (rest.n > 0 && (*rest.p != (comma ? ',' : '.') || fraction + 1 != rest.n))
		return false;
	add_digits(&digits, s.p, whole);
	add_digits(&digits, rest.p + (rest.n > 0), fraction);
	*out = (struct cell_number){
		.negative = negative, .is_int = rest.n == 0, .has_separator = rest.n > 0};
	*ok = set_digits(out, &digits, (int)fraction, 0);
	return true;
}

bool cell_number(struct str cell, bool comma, struct cell_number *out)
{
	struct reading r = {.rest = trim(cell), .out = out};
	struct digits digits;
	bool ok;

	*out = (struct cell_number){0};
	if (cell.n == 0 || cell.n > TEXT_MAX || r.rest.n == 0 || is_word(r.rest))
		return false;
	if (read_plain(r.rest, comma, out, &ok))
		return ok;
	digits.n = 0;
	return take_around(&r) && read_digits(&r, comma, &digits);
}

bool cell_is_code(struct str cell)
{
	struct str s = trim(cell);
	size_t n = digits_at(s);

	return n == s.n && ((n > 1 && *s.p == '0') || n > NUMBER_DIGITS_MAX);
}
