/* Helpers of domain modules: reading cells, adding facts, and periods as text. */
#include "domain_int.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"

/* ---- cells ---- */

bool domain_number(const struct table *t, size_t row, const char *column, struct decimal *out)
{
	const char *text = table_cell(t, row, column);

	return text && decimal_parse(text, out);
}

bool domain_date(const struct table *t, size_t row, const char *column, struct date *out)
{
	const char *text = table_cell(t, row, column);

	return text && date_parse_start(text, out);
}

bool domain_cell_is(const struct table *t, size_t row, const char *column, const char *text)
{
	const char *cell = table_cell(t, row, column);

	return cell && text && strcmp(cell, text) == 0;
}

/* ---- facts ---- */

void domain_add_text(struct result *r, struct arena *a, const char *name, const char *label,
		     const char *value)
{
	result_add_fact(r, a, (struct fact){.name = name, .label = label, .value = value});
}

const char *domain_number_text(struct arena *a, struct decimal d)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text(d, text);
	return arena_strdup(a, text);
}

void domain_add_number(struct result *r, struct arena *a, const char *name, const char *label,
		       struct decimal value, const char *unit, const char *formula)
{
	result_add_fact(r, a,
			(struct fact){
				.name = name,
				.label = label,
				.value = domain_number_text(a, value),
				.unit = unit,
				.formula = formula,
			});
}

void domain_add_count(struct result *r, struct arena *a, const char *name, const char *label,
		      size_t count)
{
	domain_add_number(r, a, name, label, decimal_int((int64_t)count), NULL, NULL);
}

void domain_add_percent(struct result *r, struct arena *a, const char *name, const char *label,
			struct decimal part, struct decimal whole)
{
	struct decimal hundredfold, percent;

	if (whole.units <= 0 || !decimal_mul(part, decimal_int(100), &hundredfold) ||
	    !decimal_div(hundredfold, whole, 1, &percent))
		return;
	domain_add_number(r, a, name, label, percent, "%",
			  arena_printf(a, "%s / %s", domain_number_text(a, part),
				       domain_number_text(a, whole)));
}

/* ---- lists ---- */

void domain_list_init(struct domain_list *l)
{
	*l = (struct domain_list){0};
	buf_init(&l->text, FACT_TEXT_BYTES_MAX - 32); /* leaves space for " and n more" */
}

void domain_list_add(struct domain_list *l, const char *fmt, ...)
{
	size_t before = l->text.n;
	bool full = l->left_out > 0 || (l->max > 0 && l->count == l->max);
	va_list args;

	if (!full) {
		if (before > 0)
			buf_str(&l->text, ", ");
		va_start(args, fmt);
		buf_vprintf(&l->text, fmt, args);
		va_end(args);
	}
	if (full || buf_over(&l->text)) {
		l->text.n = before;
		l->left_out++;
	} else {
		l->count++;
	}
}

const char *domain_list_end(struct domain_list *l, struct arena *a)
{
	const char *text = l->left_out > 0 ? arena_printf(a, "%.*s%s%zu more", (int)l->text.n,
							  buf_text(&l->text),
							  l->text.n > 0 ? " and " : "", l->left_out)
					   : arena_strdup(a, buf_text(&l->text));

	buf_deinit(&l->text);
	return text;
}

/* ---- words ---- */

static const char *const months[] = {"January",   "February", "March",    "April",
				     "May",       "June",     "July",     "August",
				     "September", "October",  "November", "December"};

const char *domain_month(const char *number)
{
	long month = number ? strtol(number, NULL, 10) : 0;

	return month >= 1 && month <= 12 ? months[month - 1] : number;
}

static const char *day_words(struct arena *a, struct date d)
{
	return arena_printf(a, "%d %s %d", d.day, months[d.month - 1], d.year);
}

static bool ends_month(struct date d)
{
	return d.day == date_days_in_month(d.year, d.month);
}

const char *domain_period(struct arena *a, const char *from, const char *to)
{
	struct date first, last;
	bool has_first = from && date_parse_iso(from, &first);
	bool has_last = to && date_parse_iso(to, &last);

	if (!has_first && !has_last)
		return NULL;
	if (!has_last)
		return arena_printf(a, "since %s", day_words(a, first));
	if (!has_first)
		return arena_printf(a, "until %s", day_words(a, last));
	if (first.day == 1 && ends_month(last) && first.year == last.year) {
		if (first.month == last.month)
			return arena_printf(a, "%s %d", months[first.month - 1], first.year);
		if (first.month == 1 && last.month == 12)
			return arena_printf(a, "%d", first.year);
		return arena_printf(a, "%s to %s %d", months[first.month - 1],
				    months[last.month - 1], first.year);
	}
	if (date_to_days(first) == date_to_days(last))
		return day_words(a, first);
	return arena_printf(a, "%s to %s", day_words(a, first), day_words(a, last));
}
