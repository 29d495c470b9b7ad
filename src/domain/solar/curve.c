/*
 * The power curve of a day, and a comparison of loggers.
 *
 * Energy is the last value of the day's counter, otherwise the trapezoidal integral of the readings
 * without gaps above 30 minutes. The trend compares each daylight quarter hour with the one 24
 * hours before (Mann–Kendall, p < 0.05), because the daily bell curve alone is not a trend.
 */
#include "solar_int.h"

#include <math.h>
#include <string.h>

#include "domain_int.h"
#include "vesper/calc_series.h"
#include "vesper/calc_trend.h"

#define BRIDGE_H   0.5
#define DAYLIGHT_W 50.0 /* per m2 */
#define TREND_MIN  8
#define TREND_P    0.05
#define DAY_MS     INT64_C(86400000)

struct day {
	const struct zone *zone;
	size_t n;
	int64_t *ms;
	double *kw, *irradiance, *counter;
};

static struct day read_day(const struct solar *s, const struct table *t)
{
	struct day d = {.ms = arena_alloc(s->a, (t->row_count + 1) * sizeof(*d.ms)),
			.kw = arena_alloc(s->a, (t->row_count + 1) * sizeof(double)),
			.irradiance = arena_alloc(s->a, (t->row_count + 1) * sizeof(double)),
			.counter = arena_alloc(s->a, (t->row_count + 1) * sizeof(double))};

	for (size_t i = 0; i < t->row_count; i++) {
		if (!solar_time(t, i, "ts", &d.ms[d.n]))
			continue;
		d.zone = solar_zone(s, table_cell(t, i, "timezone"));
		d.kw[d.n] = solar_cell(t, i, "p") / 1000;
		d.irradiance[d.n] = solar_cell(t, i, "g");
		d.counter[d.n++] = solar_cell(t, i, "e");
	}
	return d;
}

/* ---- energy ---- */

static double max_of(const double *values, size_t n)
{
	double max = (double)NAN;

	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]) && !(values[i] <= max))
			max = values[i];
	return max;
}

static double area_of(const struct solar *s, const struct day *d)
{
	double *hours = arena_alloc(s->a, (d->n + 1) * sizeof(*hours));
	double *kw = arena_alloc(s->a, (d->n + 1) * sizeof(*kw));
	struct calc_area area;
	struct err e;

	for (size_t i = 0; i < d->n; i++) {
		hours[i] = (double)(d->ms[i] - d->ms[0]) / 3600000.0;
		kw[i] = d->kw[i] < 0 ? 0 : d->kw[i];
	}
	return calc_integral(&s->calc, hours, kw, d->n, BRIDGE_H, &area, &e) &&
			       area.status == CALC_OK
		       ? area.area
		       : (double)NAN;
}

static void add_energy(struct solar *s, const struct day *d)
{
	double counted = max_of(d->counter, d->n);
	double energy = isnan(counted) ? area_of(s, d) : counted;

	if (isnan(energy))
		return;
	solar_add(s, "totalEnergy", "Energy", energy, 3, "kWh", NULL);
	solar_add_words(
		s, "energyMethod", "Method",
		isnan(counted)
			? "trapezoidal rule over the readings, gaps above 30 minutes left out"
			: "counter of the logger");
}

/* ---- trend ---- */

static bool is_day(const struct day *d, size_t i)
{
	return isnan(d->irradiance[i]) ? d->kw[i] > 0 : d->irradiance[i] >= DAYLIGHT_W;
}

static void add_trend(struct solar *s, const struct day *d, const struct day *before)
{
	double *change = arena_alloc(s->a, (d->n + 1) * sizeof(*change));
	struct calc_mann_kendall test;
	size_t n = 0, k = 0;
	struct err e;

	for (size_t i = 0; i < d->n; i++) {
		while (k < before->n && before->ms[k] < d->ms[i] - DAY_MS)
			k++;
		if (k < before->n && before->ms[k] == d->ms[i] - DAY_MS && is_day(d, i) &&
		    !isnan(d->kw[i] - before->kw[k]))
			change[n++] = d->kw[i] - before->kw[k];
	}
	if (n < TREND_MIN || !calc_mann_kendall(&s->calc, change, n, &test, &e)) {
		solar_note(s,
			   "No trend is given: %zu daylight quarter hours have a counterpart on "
			   "the day before, and %d are needed.",
			   n, TREND_MIN);
		return;
	}
	solar_add_words(s, "trend", "Trend compared with the day before",
			!(test.p < TREND_P) ? "stable"
			: test.s > 0        ? "increasing"
					    : "decreasing");
}

/* ---- get_power_curve ---- */

static double mean(const double *values, size_t n)
{
	struct calc_sum sum = {0};
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		calc_sum_add(&sum, values[i]);
		count++;
	}
	return count ? calc_sum_total(&sum) / (double)count : (double)NAN;
}

static void show_day(struct solar *s, const struct day *d, struct table *t)
{
	struct solar_rows w;

	solar_rows_begin(&w, s->a);
	solar_rows_column(&w, "time", COLUMN_DATETIME);
	solar_rows_column(&w, "power_kw", COLUMN_DECIMAL);
	solar_rows_column(&w, "irradiance", COLUMN_DECIMAL);
	for (size_t i = 0; i < d->n; i++)
		solar_rows_add(&w, (const char *const[]){solar_local(s->a, d->zone, d->ms[i]),
							 solar_digits(s->a, d->kw[i], 3),
							 solar_digits(s->a, d->irradiance[i], 1)});
	solar_rows_end(&w, t);
}

static void add_peak(struct solar *s, const struct day *d)
{
	double peak = max_of(d->kw, d->n);

	for (size_t i = 0; i < d->n && !isnan(peak); i++) {
		if (d->kw[i] < peak)
			continue;
		solar_add(s, "peakValue", "Peak", peak, 3, "kW", NULL);
		solar_add_words(s, "peakTime", "Time of the peak",
				solar_local(s->a, d->zone, d->ms[i]));
		return;
	}
	solar_note(s, "No power was recorded on this day.");
}

void solar_curve(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0], *b = solar_table(&s, "before");
	struct day d = read_day(&s, t), before = read_day(&s, b);

	add_peak(&s, &d);
	solar_add(&s, "avgValue", "Average over the day", mean(d.kw, d.n), 3, "kW", NULL);
	add_energy(&s, &d);
	add_trend(&s, &d, &before);
	if (d.n > 0)
		solar_add_words(&s, "date", "Day", solar_iso(a, solar_local_day(d.zone, d.ms[0])));
	show_day(&s, &d, t);
	show_day(&s, &before, b);
}

/* ---- compare_loggers ---- */

struct side {
	const char *id, *name;
	double value, per_kwp;
};

static bool is_metric(const struct solar *s, const char *metric)
{
	const char *given = args_text(&s->r->args, "metric", s->a);

	return given && strcmp(given, metric) == 0;
}

static double average_power(const struct table *series, const char *id)
{
	struct calc_sum sum = {0};
	size_t n = 0;

	for (size_t i = 0; i < series->row_count; i++) {
		double p = solar_cell(series, i, "p");

		if (!domain_cell_is(series, i, "logger_id", id) || isnan(p))
			continue;
		calc_sum_add(&sum, p / 1000);
		n++;
	}
	return n ? calc_sum_total(&sum) / (double)n : (double)NAN;
}

static struct side read_side(const struct solar *s, const struct table *t, size_t row,
			     const struct table *series)
{
	struct side side = {.id = table_cell(t, row, "logger_id"),
			    .name = table_cell(t, row, "name")};
	double capacity = solar_cell(t, row, "capacity_kw");

	side.value = is_metric(s, "energy")       ? solar_cell(t, row, "energy_kwh")
		     : is_metric(s, "irradiance") ? solar_cell(t, row, "insolation")
						  : average_power(series, side.id);
	side.per_kwp =
		capacity > 0 && !is_metric(s, "irradiance") ? side.value / capacity : (double)NAN;
	return side;
}

/* Loggers are ranked by value per kW of capacity, if that is known. */
static double rank_value(const struct side *side)
{
	return isnan(side->per_kwp) ? side->value : side->per_kwp;
}

static size_t rank_of(const struct side *sides, size_t n, size_t i)
{
	size_t rank = 1;

	for (size_t k = 0; k < n; k++)
		rank += rank_value(&sides[k]) > rank_value(&sides[i]);
	return rank;
}

static const char *unit_of(const struct solar *s)
{
	return is_metric(s, "energy") ? "kWh" : is_metric(s, "irradiance") ? "kWh/m2" : "kW";
}

static void show_sides(struct solar *s, const struct side *sides, size_t n, struct table *t)
{
	struct solar_rows w;

	solar_rows_begin(&w, s->a);
	solar_rows_column(&w, "logger_id", COLUMN_TEXT);
	solar_rows_column(&w, "name", COLUMN_TEXT);
	solar_rows_column(&w, "value", COLUMN_DECIMAL);
	solar_rows_column(&w, "unit", COLUMN_TEXT);
	solar_rows_column(&w, "per_kwp", COLUMN_DECIMAL);
	solar_rows_column(&w, "rank", COLUMN_INT);
	for (size_t i = 0; i < n; i++)
		solar_rows_add(&w,
			       (const char *const[]){
				       sides[i].id, sides[i].name,
				       solar_digits(s->a, sides[i].value, 3),
				       isnan(sides[i].value) ? NULL : unit_of(s),
				       solar_digits(s->a, sides[i].per_kwp, 4),
				       isnan(rank_value(&sides[i]))
					       ? NULL
					       : arena_printf(s->a, "%zu", rank_of(sides, n, i))});
	solar_rows_end(&w, t);
}

static void add_extremes(struct solar *s, const struct side *sides, size_t n)
{
	const struct side *best = NULL, *worst = NULL;

	for (size_t i = 0; i < n; i++) {
		if (isnan(rank_value(&sides[i])))
			continue;
		if (!best || rank_value(&sides[i]) > rank_value(best))
			best = &sides[i];
		if (!worst || rank_value(&sides[i]) < rank_value(worst))
			worst = &sides[i];
	}
	if (!best || best == worst)
		return;
	solar_add_words(s, "best", "Best", best->id);
	solar_add_words(s, "worst", "Worst", worst->id);
	if (rank_value(worst) > 0)
		solar_add(s, "spreadPct", "Best above worst, relative to capacity",
			  100 * (rank_value(best) / rank_value(worst) - 1), 1, "%", NULL);
}

static void show_series(struct solar *s, struct table *t)
{
	struct solar_rows w;

	solar_rows_begin(&w, s->a);
	solar_rows_column(&w, "time", COLUMN_DATETIME);
	solar_rows_column(&w, "logger_id", COLUMN_TEXT);
	solar_rows_column(&w, "power_kw", COLUMN_DECIMAL);
	for (size_t i = 0; i < t->row_count; i++) {
		const struct zone *z = solar_zone(s, table_cell(t, i, "timezone"));
		int64_t ms;

		if (solar_time(t, i, "ts", &ms))
			solar_rows_add(
				&w, (const char *const[]){
					    solar_local(s->a, z, ms), table_cell(t, i, "logger_id"),
					    solar_digits(s->a, solar_cell(t, i, "p") / 1000, 3)});
	}
	solar_rows_end(&w, t);
}

void solar_compare(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0], *series = solar_table(&s, "series");
	struct side *sides = arena_alloc(a, (t->row_count + 1) * sizeof(*sides));
	const struct arg *given = args_find(&r->args, "logger_ids");
	const char *date = table_cell(t, 0, "date");
	size_t n = t->row_count;

	for (size_t i = 0; i < n; i++)
		sides[i] = read_side(&s, t, i, series);
	solar_add_words(&s, "date", "Day", date);
	add_extremes(&s, sides, n);
	if (given && n < given->count)
		solar_note(&s, "Only %zu of the %zu loggers %s data on this day.", n, given->count,
			   n == 1 ? "has" : "have");
	show_sides(&s, sides, n, t);
	show_series(&s, series);
}
