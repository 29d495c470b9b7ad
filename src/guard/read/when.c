/*
 * Times of amounts. Like names, hours, months and days select rows: "In hour 19 it is …", "August
 * is the highest, at …". The amount must come from such a row.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "known/known_data.h"

#include "vesper/utf8.h"

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

int32_t known_day(const char *text)
{
	char iso[DATE_ISO_BYTES];
	struct date d;

	text = text ? text : "";
	snprintf(iso, sizeof(iso), "%.*s", STR_CUT(text, DATE_ISO_BYTES - 1));
	return date_parse_iso(iso, &d) ? d.year * 10000 + d.month * 100 + d.day : 0;
}

/* Returns true for a column of distinct, ordered dates in a table without other names. */
static bool is_series(const struct known_table *kt, size_t c)
{
	const struct table *t = kt->t;
	int32_t before = 0, direction = 0;

	if ((t->columns[c].type != COLUMN_DATE && t->columns[c].type != COLUMN_DATETIME) ||
	    t->row_count < 2)
		return false;
	for (size_t i = 0; i < t->column_count; i++)
		if (kt->slot[i] >= 0 && kt->rivals[i])
			return false;
	for (size_t r = 0; r < t->row_count; r++) {
		int32_t day = known_day(t->rows[r][c]);

		if (!day || day == before || (direction && (day > before ? 1 : -1) != direction))
			return false;
		if (before)
			direction = day > before ? 1 : -1;
		before = day;
	}
	return true;
}

static int parse_small_int(const char *text, int max)
{
	guard_value v;

	return known_number(text, &v) && v >= 0 && v <= (guard_value)max * 100000000
		       ? (int)(v / 100000000)
		       : -1;
}

void known_add_times(struct known *k, struct known_table *kt)
{
	const struct table *t = kt->t;
	int hour = -1, month = -1, day = -1;

	for (size_t c = 0; c < t->column_count; c++) {
		const struct column *column = &t->columns[c];
		bool key = column->type == COLUMN_INT && !column->unit;

		if (key && hour < 0 && ends_with(column->name, "hour"))
			hour = (int)c;
		else if (key && month < 0 && ends_with(column->name, "month"))
			month = (int)c;
		else if (day < 0 && is_series(kt, c))
			day = (int)c;
	}
	if ((hour < 0 && month < 0 && day < 0) || t->row_count < 2)
		return;
	k->has_times = true;
	kt->times = arena_alloc(k->arena, sizeof(*kt->times) * (t->row_count + 1));
	for (size_t r = 0; r < t->row_count; r++) {
		struct row_time *at = &kt->times[r];

		at->hour = hour >= 0 ? parse_small_int(t->rows[r][hour], 23) : -1;
		at->month = month >= 0 ? parse_small_int(t->rows[r][month], 12) : -1;
		at->day = day >= 0 ? known_day(t->rows[r][day]) : 0;
	}
}

bool row_matches_time(const struct known *k, int table, int64_t row, const struct when *w)
{
	const struct row_time *at = k->tables[table].times;

	if (!at || row < 0)
		return true;
	at += row;
	if (w->hours && at->hour >= 0 && !(w->hours >> at->hour & 1))
		return false;
	if (w->months && at->month >= 0 && !(w->months >> at->month & 1))
		return false;
	if (w->months && !w->from && at->day && !(w->months >> (at->day / 100 % 100) & 1))
		return false;
	return !w->from || !at->day || (at->day >= w->from && at->day <= w->to);
}
