/* Counts the types that cells fit, decides the type of a column, and converts its cells. */
#include "types_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/utf8.h"

#define DAY_MS         INT64_C(86400000)
#define NULL_BYTES_MAX 4 /* of the longest word for NULL */
#define FLAG_BYTES_MAX 5

static bool is_one_of(struct str cell, const char *const *words)
{
	for (; *words; words++)
		if (str_eq_nocase(cell, str_of(*words)))
			return true;
	return false;
}

bool types_is_null(struct str cell)
{
	static const char *const words[] = {"na", "n/a", "#n/a", "null", "none", "nan", "-", NULL};
	struct str s = str_trim(cell);

	while (str_starts(s, STR("\xC2\xA0")))
		s = str_trim((struct str){s.p + 2, s.n - 2});
	return s.n == 0 || (s.n <= NULL_BYTES_MAX && is_one_of(s, words));
}

/* ---- flags ---- */

static bool read_flag(struct str cell, bool *out)
{
	static const char *const yes[] = {"true", "yes", "y", "t", NULL};
	static const char *const no[] = {"false", "no", "n", "f", NULL};
	struct str s = str_trim(cell);

	*out = false;
	if (s.n == 0 || s.n > FLAG_BYTES_MAX || !strchr("tyfnTYFN", *s.p))
		return false;
	*out = is_one_of(s, yes);
	return *out || is_one_of(s, no);
}

/* ---- counting ---- */

static void set_example(struct type_counts *c, struct str cell)
{
	size_t n = utf8_cut(cell.p, cell.n, sizeof(c->example) - 1);

	if (c->example[0])
		return;
	memcpy(c->example, cell.p, n);
	c->example[n] = '\0';
}

/* A column has one unit: a number with another unit does not fit. */
static bool has_unit(struct type_counts *c, const struct cell_number *n)
{
	if (!n->unit[0])
		return true;
	if (!c->unit[0])
		memcpy(c->unit, n->unit, sizeof(c->unit));
	return strcmp(c->unit, n->unit) == 0;
}

static void add_counts(struct number_counts *c, const struct cell_number *n)
{
	c->fits++;
	c->ints += n->is_int;
	c->digits = n->before > c->digits ? n->before : c->digits;
	c->scale = n->scale > c->scale ? n->scale : c->scale;
}

static bool same_number(const struct cell_number *a, const struct cell_number *b)
{
	return a->scale == b->scale && strcmp(a->digits, b->digits) == 0;
}

static void count_number(struct type_counts *c, struct str cell)
{
	struct cell_number point, comma;
	bool by_point = cell_number(cell, false, &point), by_comma = by_point;

	/* Without a point and a comma, both readings are the same. */
	if (memchr(cell.p, '.', cell.n) || memchr(cell.p, ',', cell.n))
		by_comma = cell_number(cell, true, &comma);
	else
		comma = point;
	c->codes += cell_is_code(cell);
	by_point = by_point && has_unit(c, &point);
	by_comma = by_comma && has_unit(c, &comma);
	if (by_point)
		add_counts(&c->point, &point);
	if (by_comma)
		add_counts(&c->comma, &comma);
	if (by_point && by_comma && !same_number(&point, &comma)) {
		c->ambiguous_numbers++;
		set_example(c, cell);
	} else if (by_point && (!by_comma) && point.has_separator) {
		c->point.only++;
	} else if (by_comma && !by_point && comma.has_separator) {
		c->comma.only++;
	}
}

static void count_day(struct type_counts *c, struct str cell)
{
	struct cell_time days, months = {0};
	bool by_days = cell_time(cell, false, &days), by_months = by_days;
	const struct cell_time *any = by_days ? &days : &months;

	if (days.by_order)
		by_months = cell_time(cell, true, &months);
	if (!by_days && !by_months)
		return;
	c->days_first += by_days;
	c->months_first += by_months;
	c->only_days_first += by_days && !by_months;
	c->only_months_first += by_months && !by_days;
	if (by_days && by_months && days.is_ambiguous) {
		c->ambiguous_days++;
		set_example(c, cell);
	}
	c->timed += any->has_time;
	c->zoned += any->has_zone;
	c->short_years |= any->short_year;
}

void types_count(struct type_counts *c, struct str cell)
{
	bool yes;

	if (!cell.p || types_is_null(cell))
		return;
	c->cells++;
	c->flags += read_flag(cell, &yes);
	count_number(c, cell);
	count_day(c, cell);
}

/* ---- deciding ---- */

static bool fits_nearly_all(const struct type_counts *c, int64_t fits)
{
	return c->cells > 0 && fits * 1000 >= c->cells * DATA_SOURCE_FIT_PER_MILLE;
}

static const struct cell_form text_form = {.type = COLUMN_TEXT};

static bool decide_comma(const struct type_counts *c, enum type_question *question)
{
	if (c->ambiguous_numbers > 0 && c->point.only == 0 && c->comma.only == 0)
		*question = QUESTION_COMMA_OR_POINT;
	return c->comma.fits > c->point.fits || (c->comma.only > c->point.only);
}

static bool decide_number(const struct type_counts *c, struct cell_form *out,
			  enum type_question *question)
{
	enum type_question asked = QUESTION_NONE;
	bool comma = decide_comma(c, &asked);
	const struct number_counts *n = comma ? &c->comma : &c->point;

	if (c->codes > 0 || !fits_nearly_all(c, n->fits) ||
	    n->digits + n->scale > NUMBER_DIGITS_MAX)
		return false;
	*out = (struct cell_form){.type = COLUMN_INT, .comma = comma, .digits = n->digits};
	if (n->ints < n->fits || asked == QUESTION_COMMA_OR_POINT) {
		out->type = COLUMN_DECIMAL;
		out->scale = n->scale;
		out->digits = n->digits + n->scale;
	}
	memcpy(out->unit, c->unit, sizeof(out->unit));
	*question = asked;
	return true;
}

static bool decide_day(const struct type_counts *c, struct cell_form *out,
		       enum type_question *question)
{
	bool months = c->months_first > c->days_first;
	int64_t fits = months ? c->months_first : c->days_first;

	if (!fits_nearly_all(c, fits) || (c->zoned > 0 && c->zoned < c->timed))
		return false;
	if (c->ambiguous_days > 0 && c->only_days_first == 0 && c->only_months_first == 0)
		*question = QUESTION_DAY_OR_MONTH;
	*out = (struct cell_form){.type = c->timed > 0 ? COLUMN_DATETIME : COLUMN_DATE,
				  .month_first = months,
				  .zoned = c->zoned > 0};
	return true;
}

struct cell_form types_decide(const struct type_counts *c, enum type_question *question)
{
	struct cell_form out = text_form;

	*question = QUESTION_NONE;
	if (fits_nearly_all(c, c->flags))
		out.type = COLUMN_BOOL;
	else if (!decide_number(c, &out, question) && !decide_day(c, &out, question))
		out = text_form;
	return out;
}

/* ---- values ---- */

static const char *decimal_digits(const struct cell_number *n, struct arena *a)
{
	size_t len = strlen(n->digits), scale = (size_t)n->scale, before = (size_t)n->before;
	size_t zeros = scale - (len - before);
	char *text = arena_alloc(a, len + zeros + 4),
	     *p = text; /* room for a sign, a zero, a point and the end */

	if (n->negative && len > 0)
		*p++ = '-';
	if (before == 0)
		*p++ = '0';
	memcpy(p, n->digits, before);
	p += before;
	if (scale > 0) {
		*p++ = '.';
		memset(p, '0', zeros);
		memcpy(p + zeros, n->digits + before, len - before);
		p += scale;
	}
	*p = '\0';
	return text;
}

static bool number_value(const struct cell_form *f, struct str cell, struct arena *a,
			 struct value *out)
{
	struct cell_number n;

	if (!cell_number(cell, f->comma, &n) || (n.unit[0] && strcmp(n.unit, f->unit) != 0) ||
	    n.scale > f->scale || (f->type == COLUMN_INT && !n.is_int))
		return false;
	if (f->type == COLUMN_DECIMAL)
		*out = value_decimal(decimal_digits(&n, a));
	else
		*out = value_int((n.negative ? -1 : 1) * strtoll(n.digits, NULL, 10));
	return true;
}

static bool time_value(const struct cell_form *f, struct str cell, struct arena *a,
		       struct value *out)
{
	struct cell_time t;
	char iso[DATE_ISO_BYTES];
	int64_t ms;

	if (!cell_time(cell, f->month_first, &t) || (f->type == COLUMN_DATE && t.has_time))
		return false;
	ms = t.ms;
	if (t.has_zone) {
		t.day = date_from_days((ms - (ms % DAY_MS + DAY_MS) % DAY_MS) / DAY_MS);
		ms = (ms % DAY_MS + DAY_MS) % DAY_MS;
	}
	date_iso(t.day, iso);
	if (f->type == COLUMN_DATE)
		*out = value_date(arena_strdup(a, iso));
	else
		*out = value_text(arena_printf(a, "%s %02d:%02d:%02d.%03d", iso,
					       (int)(ms / 3600000), (int)(ms / 60000 % 60),
					       (int)(ms / 1000 % 60), (int)(ms % 1000)));
	return true;
}

bool types_value(const struct cell_form *f, struct str cell, struct arena *a, struct value *out)
{
	bool yes;

	if (!cell.p || types_is_null(cell)) {
		*out = value_null();
		return true;
	}
	switch (f->type) {
	case COLUMN_TEXT:
		*out = value_text(arena_strndup(a, cell.p, cell.n));
		return true;
	case COLUMN_BOOL:
		if (!read_flag(cell, &yes))
			return false;
		*out = value_bool(yes);
		return true;
	case COLUMN_INT:
	case COLUMN_DECIMAL:
		return number_value(f, cell, a, out);
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		return time_value(f, cell, a, out);
	}
	return false;
}
