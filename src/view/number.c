/* Numbers and dates in the house style, in one place for answers, tables and status lines. Exact:
 * digits are rounded as decimals, never as binary floats. */
#include "view_int.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/decimal.h"

/* "1234567.5" -> "1,234,567.5"; the sign stays in front. */
static void add_grouped(struct buf *out, const char *digits)
{
	size_t whole;

	if (*digits == '-') {
		buf_char(out, '-');
		digits++;
	}
	whole = strcspn(digits, ".");
	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
	buf_str(out, digits + whole);
}

static void add_rounded(struct buf *out, struct decimal d, int scale, bool shorten)
{
	char text[DECIMAL_TEXT_BYTES];

	d = decimal_round(d, scale);
	if (shorten)
		decimal_text_short(d, text);
	else
		decimal_text(d, text);
	add_grouped(out, text);
}

static struct decimal absolute(struct decimal d)
{
	if (d.units < 0)
		d.units = -d.units;
	return d;
}

/* "$2.1M", "$800K", "$950" */
static void add_money(struct buf *out, struct decimal d)
{
	static const struct {
		int64_t from, divisor;
		const char *unit;
	} steps[] = {{999500, 1000000, "M"}, {1000, 1000, "K"}};
	struct decimal size = absolute(d), scaled;

	buf_str(out, d.units < 0 ? "-$" : "$");
	for (size_t i = 0; i < 2; i++)
		if (decimal_cmp(size, decimal_int(steps[i].from)) >= 0 &&
		    decimal_div(size, decimal_int(steps[i].divisor), 6, &scaled)) {
			add_rounded(out, scaled, i == 0 ? 2 : 1, true);
			buf_str(out, steps[i].unit);
			return;
		}
	add_rounded(out, size, 2, true);
}

void view_number(struct buf *out, const char *digits, const char *unit)
{
	struct decimal d;

	if (!decimal_parse(digits, &d)) {
		buf_str(out, digits);
		return;
	}
	if (!unit) {
		buf_str(out, digits);
	} else if (strcmp(unit, "$") == 0) {
		add_money(out, d);
	} else if (unit[0] == '$') {
		buf_str(out, d.units < 0 ? "-$" : "$");
		add_rounded(out, absolute(d), 2, false);
		buf_str(out, unit + 1);
	} else if (strcmp(unit, "%") == 0) {
		add_rounded(out, d, 1, true);
		buf_char(out, '%');
	} else if (strcmp(unit, "count") == 0) {
		add_grouped(out, digits);
	} else {
		add_grouped(out, digits);
		buf_printf(out, " %s", unit);
	}
}

void view_date(struct buf *out, const char *iso)
{
	static const char *const months[] = {"January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December"};
	struct date d;

	if (!date_parse_start(iso, &d)) {
		buf_str(out, iso);
		return;
	}
	if (d.day != 1)
		buf_printf(out, "%d ", d.day);
	buf_printf(out, "%s %d", months[d.month - 1], d.year);
}

static const char *words_of(const struct column *column, const char *text)
{
	for (const char *const *w = column->words; w && *w; w += 2)
		if (strcmp(*w, text ? text : "") == 0)
			return w[1];
	return text;
}

void view_cell(struct buf *out, const struct column *column, const char *text)
{
	text = words_of(column, text);
	if (!text) {
		buf_str(out, "—");
		return;
	}
	switch (column->type) {
	case COLUMN_INT:
	case COLUMN_DECIMAL:
		view_number(out, text, column->unit);
		break;
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		view_date(out, text);
		break;
	case COLUMN_BOOL:
		buf_str(out, strcmp(text, "0") == 0 ? "no" : "yes");
		break;
	case COLUMN_TEXT:
		buf_str(out, text);
		break;
	}
}

void view_row_count(struct buf *out, const struct table *t)
{
	buf_printf(out, "%s%lld", t->total_exact || !t->truncated ? "" : "at least ",
		   (long long)t->total_rows);
}
