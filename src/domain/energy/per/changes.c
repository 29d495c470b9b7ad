/*
 * Changes as text: the shift of each date, the size of each changed number, and the pattern over
 * all date changes.
 */
#include "per_int.h"

#include <stdlib.h>
#include <string.h>

#include "domain_int.h"

enum { FIELDS_MAX = 17 };

/* ---- one moved date ---- */

static bool ends_month(struct date d)
{
	return d.day == date_days_in_month(d.year, d.month);
}

/* True if the day of the month is the same, or both days are the last of their months. */
static bool is_whole_months(struct date before, struct date after, int *months)
{
	*months = (after.year - before.year) * 12 + after.month - before.month;
	return before.day == after.day || (ends_month(before) && ends_month(after));
}

static const char *span_words(struct date before, struct date after, struct arena *a)
{
	int64_t days = date_to_days(after) - date_to_days(before);
	int months;

	if (days == 0)
		return "No change (re-confirmed)";
	if (is_whole_months(before, after, &months))
		return arena_printf(a, "%+d month%s", months, abs(months) == 1 ? "" : "s");
	return arena_printf(a, "%+lld day%s", (long long)days, llabs(days) == 1 ? "" : "s");
}

/* ---- pattern of moved dates ---- */

/* The range of shifts. It is given in months only if every shift is in whole months; 45 days stay
 * 45 days. */
struct moves {
	size_t count, later, earlier, same;
	bool whole; /* all shifts are whole months */
	int min_months, max_months;
	int64_t min_days, max_days;
};

static void add_move(struct moves *m, struct date before, struct date after)
{
	int64_t days = date_to_days(after) - date_to_days(before), size = llabs(days);
	int months;
	bool whole = is_whole_months(before, after, &months);

	m->count++;
	m->same += days == 0;
	m->later += days > 0;
	m->earlier += days < 0;
	if (days <= 0)
		return;
	bool first = m->later == 1;
	m->whole = whole && (first || m->whole);
	m->min_months = first || months < m->min_months ? months : m->min_months;
	m->max_months = first || months > m->max_months ? months : m->max_months;
	m->min_days = first || size < m->min_days ? size : m->min_days;
	m->max_days = first || size > m->max_days ? size : m->max_days;
}

static const char *range_words(long long min, long long max, const char *unit, struct arena *a)
{
	if (min == max)
		return arena_printf(a, "%lld %s%s", min, unit, min == 1 ? "" : "s");
	return arena_printf(a, "%lld to %lld %ss", min, max, unit);
}

static void add_pattern(struct result *r, struct arena *a, const struct moves *m)
{
	const char *words;

	if (m->count == 0)
		return;
	domain_add_count(r, a, "dates_later", "Dates moved later", m->later);
	domain_add_count(r, a, "dates_earlier", "Dates moved earlier", m->earlier);
	domain_add_count(r, a, "dates_same", "Dates re-confirmed", m->same);
	if (m->count < 2)
		return;
	words = arena_printf(a, "%zu of %zu dates moved later", m->later, m->count);
	if (m->later)
		words = arena_printf(a, "%s, by %s", words,
				     m->whole
					     ? range_words(m->min_months, m->max_months, "month", a)
					     : range_words(m->min_days, m->max_days, "day", a));
	if (m->earlier)
		words = arena_printf(a, "%s; %zu moved earlier", words, m->earlier);
	if (m->same)
		words = arena_printf(a, "%s; %zu re-confirmed", words, m->same);
	domain_add_text(r, a, "pattern", "Pattern of the date changes", words);
}

/* ---- numbers ---- */

/* Returns true if the catalogue assigns the field to this kind ("date", "money"). */
static bool is_kind(const struct table *t, const char *field, const char *kind)
{
	int at = table_column(t, "FieldChanged");
	const char *const *g = at >= 0 ? t->columns[at].groups : NULL;

	for (; field && g && *g; g += 2)
		if (strcmp(g[0], field) == 0 && strcmp(g[1], kind) == 0)
			return true;
	return false;
}

static const char *difference(const struct table *t, size_t row, struct arena *a)
{
	struct decimal before, after, change;
	char text[DECIMAL_TEXT_BYTES];

	if (!domain_number(t, row, "PreviousValue", &before) ||
	    !domain_number(t, row, "NewValue", &after) || !decimal_sub(after, before, &change))
		return NULL;
	decimal_text_short(change, text);
	return arena_printf(a, "%s%s", change.units > 0 ? "+" : "", text);
}

/* ---- displayed values ---- */

/* The change log stores every kind of value as text. */
static const char *value_words(const struct table *t, size_t row, const char *column,
			       struct arena *a)
{
	const char *text = table_cell(t, row, column);
	struct decimal amount;
	struct date day;

	if (!text || !*text)
		return "—";
	if (domain_date(t, row, column, &day) && strlen(text) == strlen("2026-02-27"))
		return domain_period(a, text, text);
	if (is_kind(t, table_cell(t, row, "FieldChanged"), "money") &&
	    domain_number(t, row, column, &amount))
		return domain_money(a, amount);
	return text;
}

static void add_words(struct table *t, const char *from, const char *to, struct arena *a)
{
	const char **words = arena_alloc(a, (t->row_count + 1) * sizeof(*words));

	for (size_t row = 0; row < t->row_count; row++)
		words[row] = value_words(t, row, from, a);
	table_add_column(t, to, COLUMN_TEXT, words);
}

/* ---- all rows ---- */

/* Gives text columns that contain only dates the type date. */
static void set_date_columns(struct table *t)
{
	static const char *const names[] = {"PreviousValue", "NewValue"};

	for (size_t i = 0; i < 2; i++) {
		bool all = true;
		struct date d;
		for (size_t row = 0; row < t->row_count; row++)
			all = all && domain_date(t, row, names[i], &d);
		if (all && table_column(t, names[i]) >= 0)
			t->columns[table_column(t, names[i])].type = COLUMN_DATE;
	}
}

static void add_columns(struct table *t, struct moves *moves, struct arena *a)
{
	const char **spans = arena_alloc(a, (t->row_count + 1) * sizeof(*spans));
	const char **amounts = arena_alloc(a, (t->row_count + 1) * sizeof(*amounts));
	bool has_money = false;

	for (size_t row = 0; row < t->row_count; row++) {
		const char *field = table_cell(t, row, "FieldChanged");
		struct date before, after;

		if (is_kind(t, field, "money")) {
			amounts[row] = difference(t, row, a);
			has_money = true;
		} else if (is_kind(t, field, "date") &&
			   domain_date(t, row, "PreviousValue", &before) &&
			   domain_date(t, row, "NewValue", &after)) {
			spans[row] = span_words(before, after, a);
			add_move(moves, before, after);
		} else {
			spans[row] = difference(t, row, a);
		}
	}
	add_words(t, "PreviousValue", "Previous", a);
	add_words(t, "NewValue", "New", a);
	table_add_column(t, "Change", COLUMN_TEXT, spans);
	if (has_money)
		table_add_column(t, "AmountChange", COLUMN_DECIMAL, amounts);
}

/* Adds changes by field, in order of appearance: "FinishDate 5, ProjectStatus 1". Nothing for a
 * single field. */
static void add_fields(struct result *r, struct arena *a, const struct table *t)
{
	const char *names[FIELDS_MAX];
	size_t counts[FIELDS_MAX] = {0}, n = 0;
	const char *words = "";

	for (size_t row = 0; row < t->row_count; row++) {
		const char *field = table_cell(t, row, "FieldChanged");
		size_t i = 0;
		while (field && i < n && strcmp(names[i], field) != 0)
			i++;
		if (!field || i == FIELDS_MAX)
			continue;
		if (i == n)
			names[n++] = field;
		counts[i]++;
	}
	for (size_t i = 0; i < n; i++)
		words = arena_printf(a, "%s%s%s %zu", words, i ? ", " : "", names[i], counts[i]);
	if (n > 1)
		domain_add_text(r, a, "fields", "Changes by field", words);
}

static const char *field_words(const struct table *t, const char *field)
{
	return is_kind(t, field, "date") ? "milestone and task dates" : field;
}

void changes_derive(struct result *r, struct arena *a)
{
	struct table *t = r->tables[0];
	const char *field = args_text(&r->args, "field_changed", a);
	const char *period =
		domain_period(a, args_text(&r->args, "since", a), args_text(&r->args, "until", a));
	struct moves moves = {0};

	add_columns(t, &moves, a);
	set_date_columns(t);
	domain_add_text(r, a, "changes", "Changes",
			arena_printf(a, "%s%lld change%s",
				     t->is_total_exact || !t->truncated ? "" : "at least ",
				     (long long)t->total_rows, t->total_rows == 1 ? "" : "s"));
	if (field)
		domain_add_text(r, a, "field", "Changed field", field_words(t, field));
	if (period)
		domain_add_text(r, a, "period", "Range of days", period);
	add_fields(r, a, t);
	add_pattern(r, a, &moves);
}
