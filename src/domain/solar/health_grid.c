/* Builds the grid of quarter hours from readings, and the reference from the days before the
 * period. */
#include "health_int.h"

#include <math.h>
#include <string.h>

#include "vesper/calc_summary.h"
#include "vesper/limits.h"

#define REFERENCE_DAYS 28
#define REFERENCE_MIN  10
#define DAY_MIN        8 /* quarter hours of daylight */

static double *nan_array(const struct solar *s, size_t n)
{
	double *values = arena_alloc(s->a, (n + 1) * sizeof(*values));

	for (size_t i = 0; i < n; i++)
		values[i] = (double)NAN;
	return values;
}

/* Places a frame's column on the grid. Of two readings in a quarter hour the first is used. */
static const double *by_time(const struct solar *s, const struct grid *g, const char *frame,
			     const char *column, double factor)
{
	const struct frame *f = result_frame(s->r, frame);
	const struct frame_column *ts = f ? frame_column(f, "ts") : NULL;
	const struct frame_column *c = f ? frame_column(f, column) : NULL;
	double *out = nan_array(s, g->n);

	for (size_t i = 0; c && i < f->rows; i++) {
		int64_t at = (ts->v.i[i] - g->start_ms) / QUARTER_MS;

		if (ts->v.i[i] >= g->start_ms && at < (int64_t)g->n && isnan(out[at]))
			out[at] = frame_number(c, i) * factor;
	}
	return out;
}

static bool has_any(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			return true;
	return false;
}

static void set_days(const struct solar *s, struct grid *g)
{
	int32_t *day = arena_alloc(s->a, (g->n + 1) * sizeof(*day));

	for (size_t i = 0; i < g->n; i++)
		day[i] = (int32_t)solar_local_day(g->zone, g->start_ms + (int64_t)i * QUARTER_MS);
	g->day = day;
}

size_t health_day_end(const struct grid *g, size_t first)
{
	size_t i = first;

	while (i < g->n && g->day[i] == g->day[first])
		i++;
	return i;
}

double health_yield(const struct grid *g, size_t first, size_t last)
{
	struct calc_sum power = {0}, sun = {0};
	size_t n = 0;

	for (size_t i = first; i <= last; i++) {
		if (!(g->sun[i] >= DAYLIGHT) || isnan(g->p[i]) || g->fault[i])
			continue;
		calc_sum_add(&power, g->p[i] > 0 ? g->p[i] : 0);
		calc_sum_add(&sun, g->sun[i]);
		n++;
	}
	return n < DAY_MIN ? (double)NAN : calc_sum_total(&power) / calc_sum_total(&sun);
}

static void set_reference(struct solar *s, struct grid *g)
{
	double yields[REFERENCE_DAYS + 2];
	struct calc_spread spread = {0};
	struct err e;
	size_t n = 0;

	g->reference = g->scale = (double)NAN;
	for (size_t i = 0, end; i < g->period; i = end) {
		end = health_day_end(g, i);
		if (n < sizeof(yields) / sizeof(yields[0]))
			yields[n++] = health_yield(g, i, end - 1);
	}
	if (!calc_spread(&s->calc, yields, n, &spread, &e))
		return;
	g->days = spread.n;
	if (spread.n < REFERENCE_MIN) {
		solar_note(s,
			   "Only %zu of the %d days before can be used for comparison and %d are "
			   "needed, so underperformance and lost energy were not assessed.",
			   spread.n, REFERENCE_DAYS, REFERENCE_MIN);
		return;
	}
	g->reference = spread.median;
	g->scale = spread.scale;
}

/* The period ends now, or with the requested last day. */
static void set_end(struct solar *s, const struct zone *z)
{
	const struct arg *given = args_find(&s->r->args, "last_day");
	struct date last;
	int64_t end;

	if (!given || !date_parse_iso(given->values[0].text, &last))
		return;
	end = zone_day_ms(z, date_to_days(last) + 1);
	s->now_ms = end < s->now_ms ? end : s->now_ms;
}

bool health_grid(struct solar *s, int64_t days, struct grid *g)
{
	const struct table *t = s->r->tables[0];
	int64_t last, first;

	*g = (struct grid){.zone = solar_zone(s, table_cell(t, 0, "timezone")),
			   .rating = 1000 * solar_cell(t, 0, "rating_kw")};
	if (!(g->rating > 0))
		g->rating = 1000 * solar_cell(t, 0, "capacity_kw");
	if (!(g->rating > 0)) {
		solar_note(s, "The rated power of %s is unknown, so its health cannot be assessed.",
			   table_cell(t, 0, "id"));
		return false;
	}
	set_end(s, g->zone);
	last = solar_local_day(g->zone, s->now_ms - 1);
	first = last - days;
	g->start_ms = zone_day_ms(g->zone, first - REFERENCE_DAYS);
	if (s->now_ms > g->start_ms)
		g->n = (size_t)((s->now_ms - g->start_ms) / QUARTER_MS);
	g->period = (size_t)((zone_day_ms(g->zone, first) - g->start_ms) / QUARTER_MS);
	g->p = by_time(s, g, "readings", "p", 1);
	g->e = by_time(s, g, "readings", "e", 1);
	g->sun = by_time(s, g, "sensor", "g", 1);
	g->has_sensor = has_any(g->sun, g->n);
	if (!g->has_sensor)
		g->sun = by_time(s, g, "peers", "share", 1000);
	g->fault = arena_alloc(s->a, g->n + 1);
	set_days(s, g);
	set_reference(s, g);
	return true;
}
