/* Growing and declining things: a trend for each, with the false discovery rate controlled over all
 * of them. */
#include "analysis_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/dict.h"

#define PERIODS_MIN          6
#define FALSE_DISCOVERY_RATE 0.10 /* share of false discoveries (Benjamini–Hochberg) */

struct thing {
	const char *name;
	double rate; /* slope per period, as a share of the mean */
	double p, adjusted;
	double total; /* over all periods */
	uint32_t row; /* its first row */
};

struct scan {
	struct thing *items;
	size_t count, not_scored, found;
	bool by_two; /* a thing is a pair of two groups' values */
};

/* False: too few periods, too many gaps, or no positive mean to relate a rate to. */
static bool can_score(const struct analysis_series *s, double *mean, double *total)
{
	struct calc_sum sum = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (isnan(s->values[i]))
			continue;
		calc_sum_add(&sum, s->values[i]);
		n++;
	}
	*total = calc_sum_total(&sum);
	*mean = n > 0 ? *total / (double)n : 0;
	return n >= PERIODS_MIN && (s->n - n) * 100 <= s->n * CALC_GAPS_PERCENT && *mean > 0;
}

static bool score(struct analysis *x, const uint32_t *rows, size_t n, struct scan *scan,
		  const char *name, struct err *e)
{
	struct thing *t = &scan->items[scan->count];
	struct calc_mann_kendall mk;
	struct calc_theil_sen line;
	struct analysis_series s;
	double mean, total;

	if (!analysis_series_read(x, rows, n, &s) || !can_score(&s, &mean, &total)) {
		scan->not_scored++;
		return true;
	}
	if (!calc_mann_kendall(&x->calc, s.values, s.n, &mk, e) ||
	    !calc_theil_sen(&x->calc, NULL, s.values, s.n, &line, e))
		return false;
	*t = (struct thing){
		.name = name, .rate = line.slope / mean, .p = mk.p, .total = total, .row = rows[0]};
	scan->count++;
	return true;
}

static bool scan_all(struct analysis *x, struct scan *scan, struct err *e)
{
	struct analysis_things things;
	double *p, *adjusted;

	analysis_things_read(x, 0, scan->by_two, &things);
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
	return strcmp(x->name, y->name) ? strcmp(x->name, y->name)
	       : x->row < y->row        ? -1
					: x->row > y->row;
}

static void show(struct analysis *x, const struct scan *scan, bool down)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->thing, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, arena_printf(x->a, "Change per %s", x->grain), COLUMN_DECIMAL,
			     "%");
	analysis_rows_column(&w, "Proven", COLUMN_TEXT, NULL);
	for (size_t i = 0; i < scan->count; i++) {
		const struct thing *t = &scan->items[down ? i : scan->count - 1 - i];

		if (down ? t->rate >= 0 : t->rate <= 0)
			break;
		analysis_rows_add(&w, (const char *const[]){
					      t->name, arena_printf(x->a, "%.1f", 100 * t->rate),
					      t->adjusted <= FALSE_DISCOVERY_RATE ? "yes" : "no"});
	}
	analysis_rows_end(&w);
}

static void report(struct analysis *x, struct scan *scan, bool down)
{
	struct domain_list names;
	const char *list;

	domain_list_init(&names);
	for (size_t i = 0; i < scan->count; i++) {
		const struct thing *t = &scan->items[down ? i : scan->count - 1 - i];

		if (t->adjusted > FALSE_DISCOVERY_RATE || (down ? t->rate >= 0 : t->rate <= 0))
			continue;
		scan->found++;
		domain_list_add(&names, "%s", t->name);
	}
	domain_add_count(x->r, x->a, "found", down ? "Declining" : "Growing", scan->found);
	list = domain_list_end(&names, x->a);
	if (scan->found > 0)
		domain_add_text(x->r, x->a, "found_names", down ? "Declining" : "Growing", list);
	domain_add_count(x->r, x->a, "looked_at", "Examined", scan->count);
	domain_add_count(x->r, x->a, "not_scored", "Not scored", scan->not_scored);
	domain_add_text(x->r, x->a, "method", "Method",
			"Mann-Kendall and Theil-Sen, Benjamini-Hochberg at 10 %");
	if (scan->not_scored > 0)
		analysis_note(x,
			      "%zu %s were not scored: they have fewer than %d %ss, gaps, or no "
			      "total above zero.",
			      scan->not_scored, x->thing, PERIODS_MIN, x->grain);
	if (scan->found == 0)
		analysis_note(x, "None is %s beyond what chance explains.",
			      down ? "declining" : "growing");
}

static void scan_trends(struct result *r, struct arena *a, bool down)
{
	struct scan scan = {0};
	struct analysis x;
	struct err e = {0};

	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	domain_add_text(r, a, "one", "One series per", x.thing);
	domain_add_text(r, a, "grain", "Period", x.grain);
	if (!scan_all(&x, &scan, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	qsort(scan.items, scan.count, sizeof(*scan.items), by_rate);
	analysis_set_enough(&x, scan.count > 0);
	if (scan.count == 0)
		analysis_note(&x, "At least %d %ss of one %s are needed; none has that many.",
			      PERIODS_MIN, x.grain, x.thing);
	else
		report(&x, &scan, down);
	show(&x, &scan, down);
}

void analysis_growth(struct result *r, const struct derive_def *of, struct arena *a)
{
	(void)of;
	scan_trends(r, a, false);
}

void analysis_decline(struct result *r, const struct derive_def *of, struct arena *a)
{
	(void)of;
	scan_trends(r, a, true);
}

/* ---- decline by group ---- */

#define RISK_BY_MIN 10 /* fewest things for a meaningful share */

struct segment {
	const char *name;
	size_t examined, found;
	struct calc_sum at_risk;
	double value;
};

static int by_value(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The groups of the scored things, largest value at risk first. */
static struct segment *segments_of(const struct analysis *x, struct scan *scan, size_t *count)
{
	struct segment *segments = arena_alloc(x->a, (scan->count + 1) * sizeof(*segments));
	struct dict known;

	dict_init(&known, x->a);
	*count = 0;
	for (size_t i = 0; i < scan->count; i++) {
		const struct thing *t = &scan->items[i];
		const char *name = analysis_name(x, 1, t->row);
		int at = dict_find(&known, name, strlen(name));

		if (at < 0) {
			at = (int)(*count)++;
			dict_put(&known, name, strlen(name), at);
			segments[at] = (struct segment){.name = name};
		}
		segments[at].examined++;
		if (t->adjusted > FALSE_DISCOVERY_RATE || t->rate >= 0)
			continue;
		scan->found++;
		segments[at].found++;
		calc_sum_add(&segments[at].at_risk, t->total);
	}
	for (size_t i = 0; i < *count; i++)
		segments[i].value = calc_sum_total(&segments[i].at_risk);
	qsort(segments, *count, sizeof(*segments), by_value);
	return segments;
}

static void show_segments(struct analysis *x, const struct segment *segments, size_t count,
			  double all)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->second, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, arena_printf(x->a, "%s at risk", x->label), COLUMN_DECIMAL,
			     x->unit);
	analysis_rows_column(&w, "Share", COLUMN_DECIMAL, "%");
	analysis_rows_column(&w, "Declining", COLUMN_INT, NULL);
	analysis_rows_column(&w, "Examined", COLUMN_INT, NULL);
	for (size_t i = 0; i < count; i++)
		analysis_rows_add(
			&w,
			(const char *const[]){
				segments[i].name, analysis_digits(x->a, segments[i].value),
				all > 0 ? arena_printf(x->a, "%.1f", 100 * segments[i].value / all)
					: NULL,
				arena_printf(x->a, "%zu", segments[i].found),
				arena_printf(x->a, "%zu", segments[i].examined)});
	analysis_rows_end(&w);
}

void analysis_risk_by(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct scan scan = {.by_two = true};
	struct calc_sum sum = {0};
	struct segment *segments;
	struct analysis x;
	struct err e = {0};
	size_t count;
	bool enough;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	if (!scan_all(&x, &scan, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	segments = segments_of(&x, &scan, &count);
	for (size_t i = 0; i < count; i++)
		calc_sum_add(&sum, segments[i].value);
	enough = scan.count >= RISK_BY_MIN && x.r->context->is_additive;
	analysis_set_enough(&x, enough);
	domain_add_text(r, a, "group", "By", x.second);
	domain_add_count(r, a, "looked_at", "Examined", scan.count);
	domain_add_text(r, a, "method", "Method",
			"Mann-Kendall for each, Benjamini-Hochberg at 10 %, shares of the total");
	if (!x.r->context->is_additive)
		analysis_note(&x, "%s is not additive, so groups have no shares of it.", x.label);
	else if (!enough)
		analysis_note(&x,
			      "At least %d with %d or more %ss each are needed to locate the risk; "
			      "there are %zu.",
			      RISK_BY_MIN, PERIODS_MIN, x.grain, scan.count);
	else if (scan.found == 0)
		analysis_note(&x, "None is declining beyond what chance explains.");
	if (enough && scan.found > 0) {
		domain_add_count(r, a, "found", "Declining", scan.found);
		domain_add_text(r, a, "segment", "Most at risk", segments[0].name);
		domain_add_count(r, a, "segment_found", "Declining there", segments[0].found);
		analysis_add_percent(&x, "share", "Its share of the value at risk",
				     segments[0].value / calc_sum_total(&sum));
		analysis_add(&x, "at_risk", "At risk", calc_sum_total(&sum), x.unit);
	}
	show_segments(&x, segments, count, calc_sum_total(&sum));
}
