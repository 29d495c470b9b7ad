/* Things that have been inactive for longer than usual: days since the last activity compared with
 * their own median interval. */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVALS_MIN 4 /* intervals between active days */
#define SILENT_TIMES  2 /* times its own median interval */

struct silent {
	const char *name;
	int64_t last;
	double days, usual; /* days since the last activity; median interval */
};

struct silences {
	struct analysis_things things;
	int64_t as_of; /* the last day of all things */
	struct silent *items;
	size_t count, not_scored, found;
};

static int by_day(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Longest relative to its own interval first. */
static int by_silence(const void *a, const void *b)
{
	const struct silent *x = a, *y = b;
	double p = x->days / x->usual, q = y->days / y->usual;

	if (p != q)
		return p > q ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Reads the days with activity, ascending; returns their number. */
static size_t days_of(const struct analysis *x, const struct silences *s, size_t i, double *days)
{
	size_t n = 0;
	int64_t day;

	for (size_t k = s->things.starts[i]; k < s->things.starts[i + 1]; k++)
		if (analysis_period_of_row(x, s->things.rows[k], &day) &&
		    x->values[s->things.rows[k]] > 0)
			days[n++] = (double)day;
	qsort(days, n, sizeof(*days), by_day);
	return n;
}

static bool score(struct analysis *x, struct silences *s, size_t i, double *days, struct err *e)
{
	const double half = 0.5;
	size_t n = days_of(x, s, i, days), present;
	struct silent one = {.name = s->things.names[i]};

	if (n <= INTERVALS_MIN) {
		s->not_scored++;
		return true;
	}
	one.last = (int64_t)days[n - 1];
	one.days = (double)(s->as_of - one.last);
	for (size_t k = 0; k + 1 < n; k++)
		days[k] = days[k + 1] - days[k];
	if (!calc_quantiles(&x->calc, days, n - 1, &half, 1, &one.usual, &present, e))
		return false;
	s->found += one.days > SILENT_TIMES * one.usual;
	s->items[s->count++] = one;
	return true;
}

static bool read_silences(struct analysis *x, struct silences *s, struct err *e)
{
	double *days = arena_alloc(x->a, (x->n + 1) * sizeof(*days));
	int64_t day;

	s->as_of = INT64_MIN;
	for (size_t i = 0; i < x->n; i++)
		if (analysis_period_of_row(x, i, &day) && x->values[i] > 0 && day > s->as_of)
			s->as_of = day;
	analysis_things_read(x, 0, false, &s->things);
	s->items = arena_alloc(x->a, (s->things.count + 1) * sizeof(*s->items));
	for (size_t i = 0; i < s->things.count; i++)
		if (!score(x, s, i, days, e))
			return false;
	qsort(s->items, s->count, sizeof(*s->items), by_silence);
	return true;
}

static void show(struct analysis *x, const struct silences *s)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Days since the last activity", COLUMN_INT, NULL);
	analysis_rows_column(&w, "Usual interval in days", COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, "Last day", COLUMN_DATE, NULL);
	for (size_t i = 0; i < s->count; i++)
		analysis_rows_add(
			&w, (const char *const[]){s->items[i].name,
						  arena_printf(x->a, "%.0f", s->items[i].days),
						  analysis_digits(x->a, s->items[i].usual),
						  analysis_period(x, s->items[i].last)});
	analysis_rows_end(&w);
}

static void report(struct analysis *x, const struct silences *s)
{
	struct domain_list names;

	domain_add_count(x->r, x->a, "inactive", "Silent for longer than usual", s->found);
	if (s->found == 0) {
		analysis_note(x, "None is silent for more than twice its usual interval.");
		return;
	}
	analysis_names_begin(&names);
	for (size_t i = 0; i < s->found; i++)
		domain_list_add(&names, "%s", s->items[i].name);
	domain_add_text(x->r, x->a, "names", "Which", domain_list_end(&names, x->a));
	domain_add_text(x->r, x->a, "longest", "Longest silent relative to its usual interval",
			s->items[0].name);
	domain_add_count(x->r, x->a, "longest_days", "Days since its last activity",
			 (size_t)s->items[0].days);
	analysis_add(x, "longest_usual", "Its usual interval in days", s->items[0].usual, NULL);
}

void analysis_inactivity(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct silences s = {0};
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	domain_add_text(r, a, "one", "One row per", x.thing);
	if (!read_silences(&x, &s, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	if (s.as_of > INT64_MIN)
		domain_add_text(r, a, "as_of", "Counted up to", analysis_period(&x, s.as_of));
	domain_add_count(r, a, "looked_at", "Examined", s.count);
	domain_add_count(r, a, "not_scored", "Not scored", s.not_scored);
	domain_add_text(r, a, "method", "Method",
			"no activity for more than twice its own median interval");
	analysis_set_enough(&x, s.count > 0);
	if (s.not_scored > 0)
		analysis_note(&x,
			      "Not scored: %zu with fewer than %d intervals between activities.",
			      s.not_scored, INTERVALS_MIN);
	if (s.count > 0)
		report(&x, &s);
	show(&x, &s);
}
