/* Formats numbers and dates, for answers, tables and status lines. Digits are rounded as decimals,
 * never as binary floats. */
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

static void add_rounded(struct buf *out, struct decimal d, int scale, bool trim_zeros)
{
	char text[DECIMAL_TEXT_BYTES];

	d = decimal_round(d, scale);
	if (trim_zeros)
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
static void add_money(struct buf *out, struct decimal d, const struct unit_def *unit)
{
	static const struct {
		int64_t from, divisor;
		const char *suffix;
	} steps[] = {{999500, 1000000, "M"}, {1000, 1000, "K"}};
	struct decimal size = absolute(d), scaled;

	buf_str(out, d.units < 0 ? "-" : "");
	buf_str(out, unit->symbol);
	for (size_t i = 0; i < 2; i++)
		if (decimal_cmp(size, decimal_int(steps[i].from)) >= 0 &&
		    decimal_div(size, decimal_int(steps[i].divisor), 6, &scaled)) {
			add_rounded(out, scaled, i == 0 ? 2 : 1, true);
			buf_str(out, steps[i].suffix);
			return;
		}
	add_rounded(out, size, unit->decimals, true);
}

/* Writes "$48.73/MWh": the currency before the number, the unit after it. */
static void add_money_per(struct buf *out, struct decimal d, const struct unit_def *unit)
{
	size_t currency = strcspn(unit->symbol, "/");

	buf_str(out, d.units < 0 ? "-" : "");
	buf_add(out, unit->symbol, currency);
	add_rounded(out, absolute(d), unit->decimals, false);
	buf_str(out, unit->symbol + currency);
}

void view_number(struct buf *out, const struct units *units, const char *digits, const char *unit)
{
	const struct unit_def *u = units_find(units, unit);
	struct decimal d;

	if (!unit || !decimal_parse(digits, &d)) {
		buf_str(out, digits);
		return;
	}
	switch (u ? u->style : STYLE_AFTER) {
	case STYLE_MONEY:
		add_money(out, d, u);
		return;
	case STYLE_MONEY_PER:
		add_money_per(out, d, u);
		return;
	case STYLE_PERCENT:
		add_rounded(out, d, u->decimals, true);
		buf_str(out, u->symbol);
		return;
	case STYLE_COUNT:
		add_grouped(out, digits);
		return;
	case STYLE_AFTER:
		add_grouped(out, digits);
		buf_char(out, ' ');
		buf_str(out, unit);
		return;
	}
}

void view_date(struct buf *out, const struct language *l, const char *iso)
{
	struct date d;

	if (!date_parse_start(iso, &d)) {
		buf_str(out, iso);
		return;
	}
	if (d.day != 1)
		buf_printf(out, "%d ", d.day);
	buf_printf(out, "%s %d", language_text(l, SAY_MONTH_JANUARY + (enum sentence)(d.month - 1)),
		   d.year);
}

static const char *display_text(const struct column *column, const char *text)
{
	for (const char *const *w = column->words; w && *w; w += 2)
		if (strcmp(*w, text ? text : "") == 0)
			return w[1];
	return text;
}

void view_cell(struct buf *out, const struct result *r, const struct column *column,
	       const char *text)
{
	text = display_text(column, text);
	if (!text) {
		buf_str(out, "—");
		return;
	}
	switch (column->type) {
	case COLUMN_INT:
	case COLUMN_DECIMAL:
		view_number(out, r->units, text, column->unit);
		break;
	case COLUMN_DATE:
	case COLUMN_DATETIME:
		view_date(out, r->language, text);
		break;
	case COLUMN_BOOL:
		buf_str(out, language_text(r->language,
					   strcmp(text, "0") == 0 ? SAY_VALUE_NO : SAY_VALUE_YES));
		break;
	case COLUMN_TEXT:
		buf_str(out, text);
		break;
	}
}

void view_row_count(struct buf *out, const struct language *l, const struct table *t)
{
	if (!t->is_total_exact && t->truncated)
		buf_str(out, language_text(l, SAY_VALUE_AT_LEAST));
	buf_printf(out, "%lld", (long long)t->total_rows);
}
