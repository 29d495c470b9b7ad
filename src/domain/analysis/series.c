/* Analyses of a time series: trend, season, change, projection. */
#include "analysis_int.h"

#include <math.h>
#include <string.h>

/* Shows the series, and a computed column next to it. */
static void show(struct analysis *x, const struct analysis_series *s, const char *name,
		 const double *computed)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, analysis_period_type(x), NULL);
	analysis_rows_column(&w, x->label, COLUMN_DECIMAL, x->unit);
	if (computed)
		analysis_rows_column(&w, name, COLUMN_DECIMAL, x->unit);
	for (size_t i = 0; i < s->n; i++)
		analysis_rows_add(&w,
				  (const char *const[]){
					  analysis_period_cell(x, s->first + (int64_t)i),
					  analysis_digits(x->a, s->values[i]),
					  computed ? analysis_digits(x->a, computed[i]) : NULL});
	analysis_rows_end(&w);
}

/* Adds the fact `enough`. False: too many gaps, or too few periods. */
static bool is_enough(struct analysis *x, enum calc_status status, const char *too_few)
{
	analysis_set_enough(x, status != CALC_TOO_FEW && status != CALC_GAPS);
	if (status == CALC_GAPS)
		analysis_note(
			x, "More than %d %% of the %ss have no value, so no conclusion is drawn.",
			CALC_GAPS_PERCENT, x->grain);
	if (status == CALC_TOO_FEW)
		analysis_note(x, "%s", too_few);
	return status != CALC_TOO_FEW && status != CALC_GAPS;
}

/* ---- trend ---- */

static const double *line_of(struct analysis *x, const struct analysis_series *s,
			     const struct calc_theil_sen *line)
{
	double *out = arena_alloc(x->a, (s->n + 1) * sizeof(*out));

	for (size_t i = 0; i < s->n; i++)
		out[i] = line->intercept + line->slope * (double)i;
	return out;
}

static void report_trend(struct analysis *x, const struct analysis_series *s,
			 const struct calc_trend *t)
{
	static const char *const directions[] = {[CALC_NO_DIRECTION] = "none",
						 [CALC_UP] = "up",
						 [CALC_DOWN] = "down",
						 [CALC_STABLE] = "stable"};
	const double *line = line_of(x, s, &t->line);
	bool has_direction = t->direction == CALC_UP || t->direction == CALC_DOWN;

	domain_add_text(x->r, x->a, "direction", "Direction", directions[t->direction]);
	analysis_add_p(x, t->kendall.p);
	domain_add_text(x->r, x->a, "method", "Method",
			t->is_corrected
				? "Mann-Kendall and Theil-Sen, corrected for autocorrelation"
				: "Mann-Kendall and Theil-Sen");
	if (has_direction) {
		analysis_add(x, "slope", "Change per period", t->line.slope, x->unit);
		analysis_add(x, "slope_low", "Lower end, 95 %", t->line.low, x->unit);
		analysis_add(x, "slope_high", "Upper end, 95 %", t->line.high, x->unit);
		if (line[0] > 0)
			analysis_add_percent(x, "change_pct", "Change along the line",
					     line[s->n - 1] / line[0] - 1);
	} else if (t->direction == CALC_STABLE) {
		analysis_note(x, "%s is stable: it changes by less than 1 %% of its median per %s.",
			      x->label, x->grain);
	} else {
		analysis_note(x,
			      "%s has no clear direction over these %zu %ss: the differences may "
			      "well be chance.",
			      x->label, s->n, x->grain);
	}
	show(x, s, "Trend", has_direction ? line : NULL);
}

void analysis_trend(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_series s;
	struct calc_trend t;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	if (!calc_trend(&x.calc, s.values, s.n, &t, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	if (is_enough(&x, t.status,
		      arena_printf(a, "At least %d %ss are needed for a trend; there %s %zu.",
				   CALC_TREND_MIN, x.grain, t.kendall.n == 1 ? "is" : "are",
				   t.kendall.n)))
		report_trend(&x, &s, &t);
	else
		show(&x, &s, NULL, NULL);
}

/* ---- seasonality ---- */

/* Shows the mean seasonal component for each position in the cycle. */
static void show_season(struct analysis *x, const struct analysis_series *s,
			const struct calc_season *season, size_t cycle)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, COLUMN_TEXT, NULL);
	analysis_rows_column(&w, "Above or below the trend", COLUMN_DECIMAL, x->unit);
	for (size_t p = 0; p < cycle; p++) {
		struct calc_sum sum = {0};
		size_t n = 0;

		for (size_t i = p; i < s->n; i += cycle, n++)
			calc_sum_add(&sum, season->season[i]);
		analysis_rows_add(&w,
				  (const char *const[]){
					  analysis_cycle_position(x, s->first + (int64_t)p),
					  analysis_digits(x->a, calc_sum_total(&sum) / (double)n)});
	}
	analysis_rows_end(&w);
}

static void report_season(struct analysis *x, const struct analysis_series *s,
			  const struct calc_season *season, size_t cycle)
{
	domain_add_text(x->r, x->a, "season", "Season",
			season->is_seasonal ? arena_printf(x->a, "%zu", cycle) : "none");
	domain_add_text(x->r, x->a, "method", "Method", "STL and Kruskal-Wallis");
	analysis_add(x, "strength", "Strength, 0 to 1", season->strength, NULL);
	analysis_add_p(x, season->p);
	if (!season->is_seasonal) {
		analysis_note(x, "%s has no season that these %zu %ss could prove.", x->label, s->n,
			      x->grain);
		show(x, s, NULL, NULL);
		return;
	}
	domain_add_text(x->r, x->a, "peak", "Highest",
			analysis_cycle_position(x, s->first + (int64_t)season->high));
	domain_add_text(x->r, x->a, "low", "Lowest",
			analysis_cycle_position(x, s->first + (int64_t)season->low));
	show_season(x, s, season, cycle);
}

void analysis_seasonality(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct calc_season season;
	struct analysis_series s;
	struct analysis x;
	struct err e = {0};
	size_t cycle;
	bool has_too_few;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	cycle = analysis_cycle(&x);
	if (cycle == 0) {
		analysis_set_enough(&x, false);
		analysis_note(&x, "A %s is not part of a longer cycle.", x.grain);
		show(&x, &s, NULL, NULL);
		return;
	}
	if (!calc_season(&x.calc, s.values, s.n, cycle, &season, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	has_too_few = season.status == CALC_OK && s.n < CALC_SEASON_PERIODS * cycle;
	if (is_enough(&x, has_too_few ? CALC_TOO_FEW : season.status,
		      "Three full cycles are needed to tell a season from chance."))
		report_season(&x, &s, &season, cycle);
	else
		show(&x, &s, NULL, NULL);
}

/* ---- change ---- */

static double growth_of(double now, double before)
{
	return before > 0 ? now / before - 1 : (double)NAN;
}

static void report_change(struct analysis *x, const struct analysis_series *s)
{
	double last = s->values[s->n - 1], before = s->values[s->n - 2], first = s->values[0];
	size_t cycle = analysis_cycle(x);
	int64_t at = s->first + (int64_t)s->n - 1;

	domain_add_text(x->r, x->a, "last_period", "Last period", analysis_period(x, at));
	domain_add_text(x->r, x->a, "before_period", "Period before", analysis_period(x, at - 1));
	analysis_add(x, "last", "Last period", last, x->unit);
	analysis_add(x, "before", "Period before", before, x->unit);
	analysis_add(x, "change", "Change", last - before, x->unit);
	analysis_add_percent(x, "change_pct", "Change", growth_of(last, before));
	if (cycle > 1 && strcmp(x->grain, "hour") != 0 && s->n > cycle)
		analysis_add_percent(x, "cycle_pct", "Compared with one cycle before",
				     growth_of(last, s->values[s->n - 1 - cycle]));
	if (first > 0 && last > 0)
		analysis_add_percent(x, "rate", "Mean rate per period",
				     pow(last / first, 1 / (double)(s->n - 1)) - 1);
}

static void report_shift(struct analysis *x, const struct analysis_series *s)
{
	struct calc_shift shift;
	struct err e = {0};

	if (!calc_shift(&x->calc, s->values, s->n, &shift, &e) || shift.status != CALC_OK)
		return;
	analysis_add(x, "shift_p", "p of the largest shift", shift.p, NULL);
	if (shift.p >= 0.05)
		return;
	domain_add_text(x->r, x->a, "shift_at", "Level shifts from",
			analysis_period(x, s->first + (int64_t)shift.row));
	analysis_add(x, "shift_before", "Mean before", shift.before, x->unit);
	analysis_add(x, "shift_after", "Mean after", shift.after, x->unit);
}

void analysis_change(struct result *r, const struct derive_def *of, struct arena *a)
{
	struct analysis_series s;
	struct analysis x;

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	analysis_set_enough(&x, s.n >= 2);
	if (s.n >= 2) {
		report_change(&x, &s);
		report_shift(&x, &s);
	} else {
		analysis_note(&x, "At least two %ss are needed for a change; there is %zu.",
			      x.grain, s.n);
	}
	show(&x, &s, NULL, NULL);
}

/* ---- projection ---- */

#define PROJECT_MIN 12

static const char *method_of(const struct calc_forecast *f, size_t cycle, struct arena *a)
{
	switch (f->method) {
	case CALC_LAST:
		return "last value";
	case CALC_MEAN:
		return "mean of the last periods";
	case CALC_SEASONAL:
		return arena_printf(a, "value %zu periods before", cycle);
	case CALC_SMOOTH:
		break;
	}
	return "exponential smoothing";
}

static void show_forecast(struct analysis *x, const struct analysis_series *s,
			  const struct calc_forecast *f, size_t horizon)
{
	struct analysis_rows w;

	analysis_rows_begin(&w, x);
	analysis_rows_column(&w, x->grain, analysis_period_type(x), NULL);
	analysis_rows_column(&w, "Projection", COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Lower end", COLUMN_DECIMAL, x->unit);
	analysis_rows_column(&w, "Upper end", COLUMN_DECIMAL, x->unit);
	for (size_t i = 0; i < horizon; i++)
		analysis_rows_add(
			&w, (const char *const[]){
				    analysis_period_cell(x, s->first + (int64_t)(s->n + i)),
				    analysis_digits(x->a, f->values[i]),
				    f->band80 ? analysis_digits(x->a, f->band80[i].low) : NULL,
				    f->band80 ? analysis_digits(x->a, f->band80[i].high) : NULL});
	analysis_rows_end(&w);
}

static void report_forecast(struct analysis *x, const struct calc_forecast *f, size_t cycle)
{
	domain_add_text(x->r, x->a, "method", "Method", method_of(f, cycle, x->a));
	analysis_add(x, "total", "Total of the periods ahead", f->total, x->unit);
	analysis_add(x, "low80", "Lower end of the total, 80 %", f->total80.low, x->unit);
	analysis_add(x, "high80", "Upper end of the total, 80 %", f->total80.high, x->unit);
	analysis_add(x, "mae", "Mean error of the total in the backtest", f->mae[f->method],
		     x->unit);
	analysis_add(x, "naive_mae", "Mean error of repeating the last value", f->mae[CALC_LAST],
		     x->unit);
	if (isnan(f->total80.low))
		analysis_note(x, "No interval is given: the history is too short for a backtest.");
}

void analysis_project(struct result *r, const struct derive_def *of, struct arena *a)
{
	const struct arg *given = args_find(&r->args, "horizon");
	struct calc_forecast_options options = {.horizon = given ? (size_t)given->values[0].number
								 : 1};
	struct analysis_series s;
	struct calc_forecast f;
	struct analysis x;
	struct err e = {0};

	(void)of;
	if (!analysis_begin(r, a, &x) || !analysis_series_begin(&x, NULL, x.n, &s))
		return;
	if (options.horizon > 1 && options.horizon > s.n / 2) {
		options.horizon = s.n >= 4 ? s.n / 2 : 1;
		analysis_note(&x, "%zu %ss of history are too few to project more than %zu ahead.",
			      s.n, x.grain, options.horizon);
	}
	options.season = analysis_cycle(&x) > 1 && s.n > analysis_cycle(&x) + options.horizon
				 ? analysis_cycle(&x)
				 : 1;
	options.before = options.season;
	if (!calc_forecast(&x.calc, s.values, s.n, &options, &f, &e)) {
		analysis_fail(&x, &e);
		return;
	}
	domain_add_count(r, a, "horizon", "Periods ahead", options.horizon);
	if (!is_enough(&x, s.n < PROJECT_MIN ? CALC_TOO_FEW : f.status,
		       arena_printf(a, "At least %d %ss are needed for a projection; there %s %zu.",
				    PROJECT_MIN, x.grain, s.n == 1 ? "is" : "are", s.n))) {
		analysis_add(&x, "last", "Last value", s.values[s.n - 1], x.unit);
		show(&x, &s, NULL, NULL);
		return;
	}
	report_forecast(&x, &f, options.season);
	show_forecast(&x, &s, &f, options.horizon);
}
