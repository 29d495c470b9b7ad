/* Which things grow or decline: a trend for each, with the false discovery rate of many looks. */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERIODS_LEAST 6
#define FALSE_FOUND   0.10 /* share of false ones among those named (Benjamini–Hochberg) */

struct thing {
	const char *name;
	double rate; /* slope a period, as a share of the mean */
	double p, adjusted;
};

struct scan {
	struct thing *items;
	size_t count, not_scored, found;
	size_t periods; /* of the longest series */
};

/* False: too few periods, too many gaps, or no mean above zero that a rate could be of. */
static bool can_score(const struct analysis_series *s, double *mean)
{
	struct calc_sum sum = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (isnan(s->values[i]))
			continue;
		calc_sum_add(&sum, s->values[i]);
		n++;
	}
	*mean = n > 0 ? calc_sum_total(&sum) / (double)n : 0;
	return n >= PERIODS_LEAST && (s->n - n) * 100 <= s->n * CALC_GAPS_PERCENT && *mean > 0;
}

static bool score(struct analysis *x, const uint32_t *rows, size_t n, struct scan *scan,
		  const char *name, struct err *e)
{
	struct thing *t = &scan->items[scan->count];
	struct calc_mann_kendall mk;
	struct calc_theil_sen line;
	struct analysis_series s;
	double mean;

	if (!analysis_series_read(x, rows, n, &s) || !can_score(&s, &mean)) {
		scan->not_scored++;
		return true;
	}
	if (!calc_mann_kendall(&x->calc, s.values, s.n, &mk, e) ||
	    !calc_theil_sen(&x->calc, NULL, s.values, s.n, &line, e))
		return false;
	*t = (struct thing){.name = name, .rate = line.slope / mean, .p = mk.p};
	scan->count++;
	if (s.n > scan->periods)
		scan->periods = s.n;
	return true;
}

static bool scan_all(struct analysis *x, struct scan *scan, struct err *e)
{
	struct analysis_things things;
	double *p, *adjusted;

	analysis_things_read(x, &things);
	scan->items = arena_alloc(x->a, (things.count + 1) * sizeof(*scan->items));
	for (size_t i = 0; i < things.count; i++)
		if (!score(x, things.rows + things.starts[i],
			   things.starts[i + 1] - things.starts[i], scan, things.names[i], e))
			return false;
	p = arena_alloc(x->a, (scan->count + 1) * sizeof(*p));
	for (size_t i = 0; i < scan->count; i++)
		p[i] = scan->items[i].p;
	if (!calc_adjust(&x->calc, p, scan->count, &adjusted, e))
		return false;
	for (size_t i = 0; i < scan->count; i++)
		scan->items[i].adjusted = adjusted[i];
	return true;
}

static int by_rate(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	if (x->rate != y->rate)
		return x->rate < y->rate ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void show(struct analysis *x, const struct scan *scan, bool down)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, arena_printf(x->a, "Change a %s", x->grain), COLUMN_DECIMAL, "%");
	analysis_rows_column(&w, "Proven", COLUMN_TEXT, NULL);
	for (size_t i = 0; i < scan->count; i++) {
		const struct thing *t = &scan->items[down ? i : scan->count - 1 - i];

		if (down ? t->rate >= 0 : t->rate <= 0)
			break;
		analysis_rows_add(&w, (const char *const[]){
					      t->name, arena_printf(x->a, "%.1f", 100 * t->rate),
					      t->adjusted <= FALSE_FOUND ? "yes" : "no"});
	}
	analysis_rows_end(&w);
}

static void say(struct analysis *x, struct scan *scan, bool down)
{
	struct domain_list names;
	const char *list;

	domain_list_init(&names);
	for (size_t i = 0; i < scan->count; i++) {
		const struct thing *t = &scan->items[down ? i : scan->count - 1 - i];

		if (t->adjusted > FALSE_FOUND || (down ? t->rate >= 0 : t->rate <= 0))
			continue;
		scan->found++;
		domain_list_add(&names, "%s", t->name);
	}
	domain_add_count(x->r, x->a, "found", down ? "Declining" : "Growing", scan->found);
	list = domain_list_end(&names, x->a);
	if (scan->found > 0)
		domain_add_text(x->r, x->a, "found_names", down ? "Declining" : "Growing", list);
	domain_add_count(x->r, x->a, "looked_at", "Looked at", scan->count);
	domain_add_count(x->r, x->a, "not_scored", "Not scored", scan->not_scored);
	domain_add_text(x->r, x->a, "method", "Method",
			"Mann-Kendall and Theil-Sen, Benjamini-Hochberg at 10 %");
	if (scan->not_scored > 0)
		analysis_note(x,
			      "%zu %s are not scored: fewer than %d %ss, gaps, or no total above "
			      "zero.",
			      scan->not_scored, x->thing, PERIODS_LEAST, x->grain);
	if (scan->found == 0)
		analysis_note(x, "None is proven to be %s.", down ? "declining" : "growing");
}

static void look(struct result *r, struct arena *a, bool down)
{
	struct scan scan = {0};
	struct analysis x;
	struct err e = {0};

	if (!analysis_begin(r, a, &x))
		return;
	domain_add_text(r, a, "one", "One series is of", x.thing);
	domain_add_text(r, a, "grain", "Period", x.grain);
	if (!scan_all(&x, &scan, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	qsort(scan.items, scan.count, sizeof(*scan.items), by_rate);
	analysis_enough(&x, scan.count > 0);
	if (scan.count == 0)
		analysis_note(&x, "%d %ss or more of one %s are needed; none has them.",
			      PERIODS_LEAST, x.grain, x.thing);
	else
		say(&x, &scan, down);
	show(&x, &scan, down);
}

void analysis_growth(struct result *r, const struct derive_def *of, struct arena *a)
{
	(void)of;
	look(r, a, false);
}

void analysis_decline(struct result *r, const struct derive_def *of, struct arena *a)
{
	(void)of;
	look(r, a, true);
}
