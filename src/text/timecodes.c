/*
 * Reads codes for parts of years: "Q1 2025", "1Q25", "2025_Q1", "H2", "first half of 2026",
 * "cal-27", "FY26 Q2". Spacing does not matter, so tokens are split into runs of letters and
 * digits.
 */
#include "text_int.h"

#include <string.h>

#define ATOMS_MAX 8

struct atom {
	const char *text;
	size_t len;
	int number;  /* -1: letters */
	char before; /* separator before its token; 0 inside a token */
	bool quoted;
	size_t token;
};

struct code {
	struct atom atoms[ATOMS_MAX];
	size_t count;
	int part; /* 0: none */
	bool half, fiscal, calendar;
	int year;
	bool label;        /* part and year joined as in labels */
	bool invalid_part; /* an invalid part such as Q5 */
	size_t to;         /* the token after the code */
};

static void add_runs(struct code *c, const struct token *t, size_t token)
{
	for (size_t from = 0, to; from < t->len && c->count < ATOMS_MAX; from = to) {
		bool digit = t->text[from] >= '0' && t->text[from] <= '9';
		struct atom *a = &c->atoms[c->count++];
		int number = 0;

		for (to = from; to < t->len && to - from < 9; to++) {
			if ((t->text[to] >= '0' && t->text[to] <= '9') != digit)
				break;
			number = digit ? number * 10 + (t->text[to] - '0') : -1;
		}
		*a = (struct atom){t->text + from,
				   to - from,
				   number,
				   from ? '\0' : t->separator,
				   !from && t->after_apostrophe,
				   token};
	}
}

static const struct atom *atom_at(const struct code *c, size_t i)
{
	static const struct atom none = {.text = "", .number = -1, .before = '.'};

	return i < c->count ? &c->atoms[i] : &none;
}

static bool atom_is(const struct atom *a, const char *word)
{
	return a->len == strlen(word) && strncmp(a->text, word, a->len) == 0;
}

static bool atom_in(const struct atom *a, const char *const *words)
{
	for (; *words; words++)
		if (atom_is(a, *words))
			return true;
	return false;
}

/* Reads "q1", "1q", "h2", "quarter 1", "first quarter". Returns the end; the year of "q12025" is
 * not read. */
static size_t read_part(struct code *c, size_t i)
{
	static const char *const words[] = {"q", "qtr", "quarter", "h", "half", NULL};
	static const char *const ordinals[] = {"first", "second", "third", "fourth"};
	struct atom *a = (struct atom *)atom_at(c, i);
	struct atom *b = (struct atom *)atom_at(c, i + 1);
	int number = 0;
	bool half, year_follows = false;

	if (atom_in(a, words) && b->number > 0) {
		half = a->text[0] == 'h';
		number = b->number;
		/* "Q12025" */
		if (b->len == 3 || b->len == 5) {
			number = b->text[0] - '0';
			*b = (struct atom){b->text + 1, b->len - 1, 0, '\0', false, b->token};
			for (size_t n = 0; n < b->len; n++)
				b->number = b->number * 10 + (b->text[n] - '0');
			year_follows = true;
		}
	} else if (a->number > 0 && a->len == 1 && b->before == '\0' &&
		   (atom_is(b, "q") || atom_is(b, "h"))) {
		half = atom_is(b, "h");
		number = a->number;
	} else {
		/* "1st" is two atoms */
		if (a->number > 0 &&
		    atom_in(b, (const char *const[]){"st", "nd", "rd", "th", NULL}))
			number = a->number;
		for (int n = 0; n < 4 && !number; n++)
			if (atom_is(a, ordinals[n]))
				number = n + 1;
		if (number && a->number > 0)
			b = (struct atom *)atom_at(c, ++i + 1);
		half = atom_is(b, "half");
		if (!number || (!half && !atom_is(b, "quarter") && !atom_is(b, "qtr")))
			return 0;
	}
	if (number > 9)
		return 0;
	c->invalid_part = number > (half ? 2 : 4);
	c->part = number;
	c->half = half;
	return year_follows ? i + 1 : i + 2;
}

/* Reads a year of four digits, or of two where allowed. */
static size_t read_year(struct code *c, size_t i, bool may_be_short)
{
	const struct atom *a = atom_at(c, i);

	if (i > 0 && atom_in(a, (const char *const[]){"of", "in", "for", NULL}) &&
	    atom_at(c, i + 1)->len == 4)
		a = atom_at(c, ++i);
	if (a->number < 0)
		return 0;
	c->year = year_of_number(a->number, a->len, may_be_short || a->quoted);
	return c->year ? i + 1 : 0;
}

/* "fy", "fiscal year", "cal", "calendar year" */
static size_t read_calendar_name(struct code *c, size_t i)
{
	static const char *const fiscal[] = {"fy", "fiscal", NULL};
	static const char *const calendar[] = {"cal", "calendar", "cy", NULL};
	const struct atom *a = atom_at(c, i);
	bool is_fiscal = atom_in(a, fiscal);

	if (!is_fiscal && !atom_in(a, calendar))
		return i;
	c->fiscal = c->fiscal || is_fiscal;
	c->calendar = !c->fiscal;
	i++;
	return i + (atom_is(atom_at(c, i), "year") || atom_is(atom_at(c, i), "yr"));
}

/* Reads part, year and name in any order. Returns the number of atoms. */
static size_t read_all(struct code *c)
{
	size_t i = 0, to;

	for (int round = 0; round < 4; round++) {
		size_t before = i;

		if (!c->fiscal && !c->calendar)
			i = read_calendar_name(c, i);
		if (!c->part && (to = read_part(c, i)) > 0)
			i = to;
		if (!c->year) {
			bool may_be_short = c->part || c->fiscal || c->calendar;
			size_t at = i;

			/* "Q2 of FY26" */
			if (c->part &&
			    atom_in(atom_at(c, at), (const char *const[]){"of", "in", NULL}) &&
			    read_calendar_name(c, at + 1) > at + 1)
				at = read_calendar_name(c, at + 1);
			to = read_year(c, at, may_be_short);
			if (to > 0) {
				c->label = c->part && (atom_at(c, at)->before == '_' ||
						       atom_at(c, at)->before == '\0');
				i = to;
			}
		} else if (c->part && i > before && atom_at(c, before)->before == '_') {
			c->label = true;
		}
		if (i == before)
			break;
		if (c->year && c->part && i > 0 && atom_at(c, before)->number == c->year)
			c->label = c->label || atom_at(c, before + 1)->before == '\0';
	}
	return i;
}

/* "FY25/26", "FY 2025-26": uses the year in which it ends. */
static size_t read_second_year(struct code *c, size_t i)
{
	const struct atom *a = atom_at(c, i);
	int second = a->number < 0 ? 0 : year_of_number(a->number, a->len, true);

	if (!c->fiscal || !c->year || second != c->year + 1 ||
	    (a->before != '/' && a->before != '-'))
		return i;
	c->year = second;
	return i + 1;
}

/* The first month of a fiscal year. A fiscal year is named after the year in which it ends. */
struct date fiscal_year_start(const struct company_calendar *cal, int year)
{
	int month = cal->fiscal_start_month ? cal->fiscal_start_month : 1;

	return (struct date){month == 1 ? year : year - 1, month, 1};
}

static void add_code(struct time_parser *p, size_t i, const struct code *c)
{
	int months = c->part ? (c->half ? 6 : 3) : 12;
	int offset = c->part ? (c->part - 1) * months : 0;
	struct time_phrase *out;

	if (c->year) {
		struct date start = c->fiscal ? fiscal_year_start(p->calendar, c->year)
					      : (struct date){c->year, 1, 1};

		out = phrase_add_months(p, i, c->to, day_plus_months(start, offset), months);
		out->label = c->label && !c->fiscal;
		if (c->half || c->fiscal)
			out->quarter = 0;
		return;
	}
	out = phrase_add(p, i, c->to, GRAIN_MONTHS);
	out->quarter = c->half ? 0 : c->part;
	out->months = months_between(offset + 1, offset + months);
}

bool code_parse(struct time_parser *p, size_t i)
{
	struct code c = {0};
	size_t length;

	for (size_t n = i; n < p->q->count && n < i + 5 && !p->q->tokens[n].used; n++)
		add_runs(&c, &p->q->tokens[n], n);
	if (p->q->tokens[i].used)
		return false;
	length = read_second_year(&c, read_all(&c));
	if (length == 0 || (!c.part && !c.calendar && !c.fiscal) || (!c.part && !c.year))
		return false;
	/* a code ends at a token boundary */
	if (length < c.count && c.atoms[length].before == '\0')
		return false;
	c.to = c.atoms[length - 1].token + 1;
	/* "2h" alone is not a half-year */
	if (!c.year && c.atoms[0].number >= 0)
		return false;
	if (c.invalid_part) {
		phrase_add(p, i, c.to, GRAIN_NONE)->dropped = true;
		p->invalid_from = i;
		p->invalid_to = c.to;
		return true;
	}
	if (c.fiscal && !c.year)
		return false;
	add_code(p, i, &c);
	return true;
}
