/*
 * Limits on the length of values. A short statement can produce gigabytes: with a large width, or
 * with nested calls that each repeat a text. The SQL gate computes the most bytes that each
 * expression can have from its parts, without running it, and refuses an expression over the limit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate_check.h"
#include "vesper/limits.h"

#define OTHER_BYTES 64 /* numbers, dates, booleans */

static size_t plus(size_t a, size_t b)
{
	return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static size_t times(size_t a, size_t b)
{
	return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t sum_of(const struct gate_expr *list)
{
	size_t n = 0;

	for (; list; list = list->next)
		n = plus(n, list->bytes);
	return n;
}

static size_t largest_of(const struct gate_expr *list)
{
	size_t n = 0;

	for (; list; list = list->next)
		n = larger(n, list->bytes);
	return n;
}

size_t gate_length_of_query(const struct gate_query *q)
{
	size_t n = GATE_CELL_BYTES;

	for (size_t i = 0; i < q->result_columns.count; i++)
		n = larger(n, q->result_columns.items[i].bytes);
	for (const struct gate_term *term = q->terms; term; term = term->next) {
		if (term->query)
			n = larger(n, gate_length_of_query(term->query));
		for (const struct gate_item *item = term->select ? term->select->items : NULL; item;
		     item = item->next)
			n = larger(n, item->value->bytes);
	}
	return n;
}

size_t gate_length_of_rows(const struct gate_expr *rows)
{
	size_t n = 0;

	for (; rows; rows = rows->next)
		n = larger(n, largest_of(rows->kids));
	return n;
}

/* REPLACE(in, what, by). The worst case is one byte for `what`, unless it is a literal. */
static size_t length_of_replace(const struct gate_expr *x)
{
	const struct gate_expr *what = x->kids->next, *by = what->next;
	size_t least = what->kind == GATE_STRING && what->text.n > 2 ? what->text.n - 2 : 1;
	size_t each = by->bytes / least + (by->bytes % least > 0);

	return times(x->kids->bytes, larger(each, 1));
}

/* The most bytes of a value that is cut to `characters`, if that is a literal; 4 bytes each. */
static size_t length_of_part(size_t bytes, const struct gate_expr *characters)
{
	if (!characters || characters->kind != GATE_NUMBER || characters->text.n > 6)
		return larger(bytes, OTHER_BYTES);
	size_t n = 4 * strtoul(characters->text.p, NULL, 10);
	return n < bytes ? n : bytes;
}

static size_t length_of_call(const struct gate_expr *x)
{
	if (str_eq_nocase(x->text, STR("REPLACE")))
		return length_of_replace(x);
	if (str_eq_nocase(x->text, STR("STRING_AGG")))
		return larger(sum_of(x->kids), GATE_JOINED_BYTES);
	if (str_eq_nocase(x->text, STR("LEFT")) || str_eq_nocase(x->text, STR("RIGHT")))
		return length_of_part(x->kids->bytes, x->kids->next);
	if (str_eq_nocase(x->text, STR("SUBSTRING")))
		return length_of_part(x->kids->bytes, x->kids->next->next);
	return larger(sum_of(x->kids), OTHER_BYTES);
}

/* True if the result may be as long as all operands together. The result of a condition or of
 * arithmetic is short, however long its operands are. */
static bool may_be_long(const struct gate_expr *x)
{
	switch (x->kind) {
	case GATE_CHAIN:
		return x->kids->next->op[0] == '|' || x->kids->next->op[0] == '+';
	case GATE_PAREN:
	case GATE_CAST:
	case GATE_CONVERT:
	case GATE_TRIM:
	case GATE_SUBSTRING:
	case GATE_COLLATE:
		return true;
	default:
		return false;
	}
}

bool gate_check_length(const struct gate *g, struct gate_expr *x)
{
	size_t type_bytes = x->type && x->type->sizes > 0 ? 4 * (size_t)x->type->size[0] : 0;

	if (x->kind == GATE_STRING)
		x->bytes = x->text.n;
	else if (x->kind == GATE_CALL)
		x->bytes = length_of_call(x);
	else if (x->kind == GATE_CASE)
		x->bytes = larger(largest_of(x->kids), x->otherwise ? x->otherwise->bytes : 0);
	else if (x->kind == GATE_QUERY)
		x->bytes = gate_length_of_query(x->query);
	else
		x->bytes = larger(may_be_long(x) ? sum_of(x->kids) : 0,
				  larger(type_bytes, OTHER_BYTES));
	return x->bytes <= GATE_VALUE_BYTES_MAX ||
	       gate_limit_reached(
		       g, x->at,
		       "this may become longer than %d bytes; shorten its parts with LEFT",
		       GATE_VALUE_BYTES_MAX);
}

/* ---- numbers and widths ---- */

bool gate_check_number(const struct gate *g, const struct gate_expr *x)
{
	char text[GATE_NUMBER_BYTES_MAX + 1];

	memcpy(text, x->text.p, x->text.n);
	text[x->text.n] = '\0';
	return isfinite(strtod(text, NULL)) ||
	       gate_limit_reached(g, x->at, "a number larger than 1.8e308");
}

/* A format such as N2 or yyyy-MM. A letter with many digits would set a large width. */
static bool check_format(const struct gate *g, const struct gate_expr *format)
{
	size_t digits = 0;

	if (format->kind != GATE_STRING)
		return gate_refuse(g, format->at,
				   "FORMAT takes its format as a string, such as 'N2'");
	for (size_t i = 0; i < format->text.n; i++) {
		char c = format->text.p[i];

		digits = c >= '0' && c <= '9' ? digits + 1 : 0;
		if (digits > GATE_WIDTH_DIGITS_MAX || i > GATE_FORMAT_BYTES_MAX)
			return gate_limit_reached(g, format->at,
						  "a format of more than %d characters or with a "
						  "width of more than %d digits",
						  GATE_FORMAT_BYTES_MAX, GATE_WIDTH_DIGITS_MAX);
	}
	return true;
}

static bool check_width(const struct gate *g, const struct gate_expr *width)
{
	return (width->kind == GATE_NUMBER && width->text.n <= GATE_WIDTH_DIGITS_MAX) ||
	       gate_limit_reached(g, width->at, "a width must be a number of at most %d digits",
				  GATE_WIDTH_DIGITS_MAX);
}

/* Checks the widths of FORMAT(value, format) and STR(value, width, …). FORMAT is refused outside of
 * SQL Server: PostgreSQL and SQLite take the format first and do not limit its widths. */
bool gate_check_widths(const struct gate *g, const struct gate_expr *x)
{
	if (str_eq_nocase(x->text, STR("FORMAT"))) {
		if (g->dialect != DIALECT_MSSQL)
			return gate_refuse(g, x->at,
					   "FORMAT exists only in SQL Server; return the value "
					   "itself, or use ROUND or CAST");
		return check_format(g, x->kids->next);
	}
	if (!str_eq_nocase(x->text, STR("STR")))
		return true;
	for (const struct gate_expr *width = x->kids->next; width; width = width->next)
		if (!check_width(g, width))
			return false;
	return true;
}
