/* A series compared with its past: moving means, the current value, and percentiles among peers by
 * period. */
#include "analysis_int.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define WINDOW_DEFAULT 3
#define PERCENTILE_MIN 20 /* things per period, as in vs_average */

/* ---- moving means ---- */

/* NAN unless the window is complete and has no gap. */
static double mean_until(const struct analysis_series *s, size_t i, size_t window)
{
	struct calc_sum sum = {0};

	if (i + 1 < window)
		return NAN;
	for (size_t k = i + 1 - window; k <= i; k++)
		calc_sum_add(&sum, s->values[k]);
	return calc_sum_total(&sum) / (double)window;
}

static double show_moving(struct analysis *x, const struct analysis_series *s, size_t window)
{
	struct analysis_rows w;
	struct calc_sum total = {0};

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, analysis_period_type(x), NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Moving mean", COLUMN_DECIMAL, x->unit);
	if (x->r->context->is_additive)
		analysis_rows_column(&w, "Running total", COLUMN_DECIMAL, x->unit);
	for (size_t i = 0; i < s->n; i++) {
		calc_sum_add(&total, isnan(s->values[i]) ? 0 : s->values[i]);
		analysis_rows_add(
			&w, (const char *const[]){analysis_period_cell(x, s->first + (int64_t)i),
						  analysis_digits(x->a, s->values[i]),
						  analysis_digits(x->a, mean_until(s, i, window)),
						  analysis_digits(x->a, calc_sum_total(&total))});
	}
	analysis_rows_end(&w);
	return calc_sum_total(&total);
}

void analysis_moving(struct result *r, const struct derive_def *of, struct arena *a)
{
	size_t window = analysis_count_arg(r, "window", WINDOW_DEFAULT);
	struct analysis_series s;
	struct analysis x;
	double total;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	domain_add_count(r, a, "window", "Periods of a mean", window);
	domain_add_text(r, a, "method", "Method", "trailing means of full windows");
	analysis_set_enough(&x, s.n > window);
	if (s.n <= window)
		analysis_note(&x, "At least %zu %ss are needed for means of %zu; there are %zu.",
			      window + 1, x.grain, window, s.n);
	total = show_moving(&x, &s, window);
	if (s.n <= window)
		return;
	analysis_add(&x, "last", "Last value", s.values[s.n - 1], x.unit);
	analysis_add(&x, "last_window", "Mean of the last periods", mean_until(&s, s.n - 1, window),
		     x.unit);
	analysis_add(&x, "before_window", "Same mean one period earlier",
		     mean_until(&s, s.n - 2, window), x.unit);
	if (r->context->is_additive)
		analysis_add(&x, "total", "Running total", total, x.unit);
}

/* ---- current value ---- */

struct summary {
	double total, mean, last;
	size_t n, high, low; /* n: periods with a value; high, low: the extreme periods */
};

static struct summary summarize(const struct analysis_series *s)
{
	struct summary t = {.last = NAN};
	struct calc_sum sum = {0};

	for (size_t i = 0; i < s->n; i++) {
		double v = s->values[i];

		if (isnan(v))
			continue;
		if (t.n == 0 || v > s->values[t.high])
			t.high = i;
		if (t.n == 0 || v < s->values[t.low])
			t.low = i;
		calc_sum_add(&sum, v);
		t.last = v;
		t.n++;
	}
	t.total = calc_sum_total(&sum);
	t.mean = t.n > 0 ? t.total / (double)t.n : (double)NAN;
	return t;
}

static void add_summary(struct analysis_rows *w, const struct analysis_series *s, const char *label)
{
	struct summary t = summarize(s);
	struct arena *a = w->x->a;

	analysis_rows_add(w, (const char *const[]){
				     label, analysis_digits(a, t.mean), analysis_digits(a, t.last),
				     t.n > 0 ? analysis_digits(a, s->values[t.low]) : NULL,
				     t.n > 0 ? analysis_digits(a, s->values[t.high]) : NULL});
}

void analysis_baseline(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_series s;
	struct analysis_rows w;
	struct summary t;
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	t = summarize(&s);
	analysis_set_enough(&x, t.n > 0);
	if (t.n == 0)
		analysis_note(&x, "%s has no value.", x.label);
	analysis_add(&x, "mean", "Mean per period", t.mean, x.unit);
	analysis_add(&x, "last", "Last value", t.last, x.unit);
	if (t.n > 0) {
		analysis_add(&x, "high", "Highest", s.values[t.high], x.unit);
		domain_add_text(r, a, "high_period", "Its period",
				analysis_period(&x, s.first + (int64_t)t.high));
		analysis_add(&x, "low", "Lowest", s.values[t.low], x.unit);
		domain_add_text(r, a, "low_period", "Its period",
				analysis_period(&x, s.first + (int64_t)t.low));
		if (r->context->is_additive)
			analysis_add(&x, "total", "Total", t.total, x.unit);
	}
	analysis_rows_begin(&w, &x);
	analysis_rows_column(&w, "Measure", COLUMN_TEXT, NULL);
	analysis_rows_column(&w, arena_printf(a, "Mean per %s", x.grain), COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, arena_printf(a, "Last %s", x.grain), COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, "Lowest", COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, "Highest", COLUMN_DECIMAL, NULL);
	add_summary(&w, &s, x.label);
	for (size_t i = 1; i < analysis_measures(&x); i++) {
		struct analysis other = x;

		other.values = analysis_measure(&x, i, &other.label);
		if (other.values && analysis_series_read(&other, NULL, x.n, &s))
			add_summary(&w, &s, other.label);
	}
	analysis_rows_end(&w);
}

/* ---- percentile by period ---- */

struct history {
	struct analysis_series own; /* of the requested thing */
	double *percentiles;        /* of each of its periods; NAN: too few peers */
	size_t *peers;
	double **values; /* of all things, by period */
};

static void collect(const struct analysis *x, struct history *h)
{
	int64_t at;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < h->own.n && pass == 1; i++) {
			h->values[i] = arena_alloc(x->a, (h->peers[i] + 1) * sizeof(**h->values));
			h->peers[i] = 0;
		}
		for (size_t i = 0; i < x->n; i++) {
			if (!analysis_period_of_row(x, i, &at) || isnan(x->values[i]) ||
			    at < h->own.first || at >= h->own.first + (int64_t)h->own.n)
				continue;
			at -= h->own.first;
			if (pass == 1)
				h->values[at][h->peers[at]] = x->values[i];
			h->peers[at]++;
		}
	}
}

static bool read_history(struct analysis *x, struct history *h, struct err *e)
{
	h->percentiles = arena_alloc(x->a, (h->own.n + 1) * sizeof(*h->percentiles));
	h->peers = arena_alloc(x->a, (h->own.n + 1) * sizeof(*h->peers));
	h->values = arena_alloc(x->a, (h->own.n + 1) * sizeof(*h->values));
	collect(x, h);
	for (size_t i = 0; i < h->own.n; i++) {
		h->percentiles[i] = NAN;
		if (isnan(h->own.values[i]) || h->peers[i] < PERCENTILE_MIN)
			continue;
		if (!calc_percentile(&x->calc, h->values[i], h->peers[i], h->own.values[i],
				     &h->percentiles[i], e))
			return false;
	}
	return true;
}

static void show_history(struct analysis *x, const struct history *h)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, analysis_period_type(x), NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Percentile", COLUMN_DECIMAL, NULL);
	analysis_rows_column(&w, "Compared", COLUMN_INT, NULL);
	for (size_t i = 0; i < h->own.n; i++)
		analysis_rows_add(
			&w, (const char *const[]){
				    analysis_period_cell(x, h->own.first + (int64_t)i),
				    analysis_digits(x->a, h->own.values[i]),
				    isnan(h->percentiles[i])
					    ? NULL
					    : arena_printf(x->a, "%.1f", 100 * h->percentiles[i]),
				    arena_printf(x->a, "%zu", h->peers[i])});
	analysis_rows_end(&w);
}

/* Compares the last period that has a percentile with the one a cycle before, or else with the
 * first. */
static void report_history(struct analysis *x, const struct history *h)
{
	size_t last = h->own.n, first = 0, cycle = analysis_cycle(x);

	while (last > 0 && isnan(h->percentiles[last - 1]))
		last--;
	while (first < last && isnan(h->percentiles[first]))
		first++;
	analysis_set_enough(x, first + 1 < last);
	if (first + 1 >= last) {
		analysis_note(x,
			      "Two %ss with a value and at least %d others to compare with are "
			      "needed for a change of percentile.",
			      x->grain, PERCENTILE_MIN);
		return;
	}
	last--;
	if (cycle > 1 && last >= cycle && !isnan(h->percentiles[last - cycle]))
		first = last - cycle;
	domain_add_text(x->r, x->a, "then_period", "Then",
			analysis_period(x, h->own.first + (int64_t)first));
	domain_add_text(x->r, x->a, "then", "Percentile then",
			arena_printf(x->a, "%.1f", 100 * h->percentiles[first]));
	domain_add_text(x->r, x->a, "now_period", "Now",
			analysis_period(x, h->own.first + (int64_t)last));
	domain_add_text(x->r, x->a, "now", "Percentile now",
			arena_printf(x->a, "%.1f", 100 * h->percentiles[last]));
	domain_add_text(
		x->r, x->a, "change", "Change in points",
		arena_printf(x->a, "%+.1f", 100 * (h->percentiles[last] - h->percentiles[first])));
}

void analysis_vs_history(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *name = args_find(&r->args, "name");
	struct analysis_things things;
	struct history h = {0};
	struct analysis x;
	struct err e = {0};
	size_t i = 0;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_require_all(&x))
		return;
	analysis_things_read(&x, 0, false, &things);
	while (name && i < things.count && strcasecmp(things.names[i], name->values[0].text) != 0)
		i++;
	if (!name || i == things.count) {
		analysis_set_enough(&x, false);
		if (name)
			analysis_note(&x, "%s has no value for %s.", name->values[0].text, x.label);
		else
			analysis_note(&x, "Name the %s to compare with its past.", x.thing);
		return;
	}
	domain_add_text(r, a, "name", "Examined", things.names[i]);
	domain_add_text(r, a, "method", "Method", "mid-rank percentile among all of each period");
	if (!analysis_series_begin(&x, things.rows + things.starts[i],
				   things.starts[i + 1] - things.starts[i], &h.own))
		return;
	if (!read_history(&x, &h, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	report_history(&x, &h);
	show_history(&x, &h);
}
