/* Detection of each kind of fault, by the rules in health.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "health_int.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"

#define STRONG_SUN        200.0
#define POWER_RATIO_MAX   1.1
#define POWER_RATIO_MIN   (-0.01)
#define COUNTER_FALLS_KWH 0.001
#define OUTAGE_RATIO_MAX  0.005
#define RUN_GAP           2
#define RUN_OUTAGE        2
#define RUN_SAME          4
#define SAME_TOLERANCE    1e-6
#define LINE_TOLERANCE    1e-5
#define LINE_RATIO_MIN    0.01
#define NEAR_RATING       0.01
#define HAMPEL_WINDOW     7
#define HAMPEL_K          3.0
#define SPIKE_RATIO_MIN   0.25
#define WEAK_SHARE        0.9
#define WEAK_Z            (-3.0)
#define Z_OF_SCALE        (0.6745 * 1.4826)

static void set(struct grid *g, size_t first, size_t last, enum fault fault)
{
	for (size_t i = first; i <= last; i++)
		if (!g->fault[i])
			g->fault[i] = (uint8_t)fault;
}

static bool is_daylight(const struct grid *g, size_t i)
{
	return g->sun[i] >= DAYLIGHT;
}

/* A run of missing readings that spans a night is one gap. */
static void find_gaps(struct grid *g)
{
	size_t first = 0, light = 0;

	for (size_t i = 0; i <= g->n; i++) {
		if (i < g->n && isnan(g->p[i])) {
			light += is_daylight(g, i);
			continue;
		}
		if (light >= RUN_GAP)
			set(g, first, i - 1, FAULT_GAP);
		first = i + 1;
		light = 0;
	}
}

static void find_impossible(struct grid *g)
{
	double before = (double)NAN;

	for (size_t i = 0; i < g->n; i++) {
		bool new_day = i == 0 || g->day[i] != g->day[i - 1];

		if (new_day)
			before = (double)NAN;
		if (g->p[i] > POWER_RATIO_MAX * g->rating ||
		    g->p[i] < POWER_RATIO_MIN * g->rating || g->e[i] < before - COUNTER_FALLS_KWH)
			set(g, i, i, FAULT_IMPOSSIBLE);
		if (!isnan(g->e[i]))
			before = g->e[i];
	}
}

static bool set_runs(const struct solar *s, struct grid *g, const bool *flags, size_t min,
		     enum fault fault, struct err *e)
{
	struct calc_run *runs;
	size_t count;

	if (!calc_runs(&s->calc, flags, g->n, min, &runs, &count, e))
		return false;
	for (size_t i = 0; i < count; i++)
		set(g, runs[i].first, runs[i].last, fault);
	return true;
}

static bool find_outages(const struct solar *s, struct grid *g, struct err *e)
{
	bool *dead = arena_alloc(s->a, g->n + 1);

	for (size_t i = 0; i < g->n; i++)
		dead[i] = !g->fault[i] && g->sun[i] >= STRONG_SUN &&
			  g->p[i] <= OUTAGE_RATIO_MAX * g->rating;
	return set_runs(s, g, dead, RUN_OUTAGE, FAULT_OUTAGE, e);
}

/* Power of the quarter hours without a fault so far and above `min` × rating; NAN elsewhere. */
static double *fault_free_power(const struct solar *s, const struct grid *g, double min)
{
	double *p = arena_alloc(s->a, (g->n + 1) * sizeof(*p));

	for (size_t i = 0; i < g->n; i++)
		p[i] = !g->fault[i] && g->p[i] > min * g->rating ? g->p[i] : (double)NAN;
	return p;
}

/* A constant value at the rating is valid: the inverter is at its limit. */
static bool find_frozen(const struct solar *s, struct grid *g, struct err *e)
{
	double *p = fault_free_power(s, g, 0);
	struct calc_run *runs;
	size_t count;

	for (size_t i = 0; i < g->n; i++)
		if (fabs(p[i] - g->rating) <= NEAR_RATING * g->rating)
			p[i] = (double)NAN;
	if (!calc_runs_equal(&s->calc, p, g->n, SAME_TOLERANCE * g->rating, RUN_SAME, &runs, &count,
			     e))
		return false;
	for (size_t i = 0; i < count; i++)
		set(g, runs[i].first, runs[i].last, FAULT_FROZEN);
	return true;
}

static bool find_interpolated(const struct solar *s, struct grid *g, struct err *e)
{
	struct calc_run *runs;
	size_t count;

	if (!calc_runs_straight(&s->calc, fault_free_power(s, g, LINE_RATIO_MIN), g->n,
				LINE_TOLERANCE * g->rating, RUN_SAME, &runs, &count, e))
		return false;
	for (size_t i = 0; i < count; i++)
		set(g, runs[i].first, runs[i].last, FAULT_INTERPOLATED);
	return true;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of the window around a position; NAN if it is empty. */
static double window_median(const double *values, size_t n, size_t at)
{
	double window[HAMPEL_WINDOW];
	size_t half = HAMPEL_WINDOW / 2, count = 0;

	for (size_t i = at > half ? at - half : 0; i < n && i <= at + half; i++)
		if (!isnan(values[i]))
			window[count++] = values[i];
	qsort(window, count, sizeof(*window), ascending);
	return calc_quantile_sorted(window, count, 0.5);
}

/* A cloud changes power and sun together, and temperature and load bend P/G slightly. So only a
 * deviation from the power expected for the sun is a spike. */
static bool find_spikes(const struct solar *s, struct grid *g, struct err *e)
{
	double *ratio = arena_alloc(s->a, (g->n + 1) * sizeof(*ratio));
	size_t found;
	bool *spikes;

	for (size_t i = 0; i < g->n; i++)
		ratio[i] = g->fault[i] || isnan(g->p[i]) ? (double)NAN
			   : !g->has_sensor              ? g->p[i]
			   : is_daylight(g, i)           ? g->p[i] / g->sun[i]
							 : (double)NAN;
	if (!calc_hampel(&s->calc, ratio, g->n, HAMPEL_WINDOW, HAMPEL_K, &spikes, &found, e))
		return false;
	for (size_t i = 0; i < g->n; i++) {
		double expected = spikes[i] ? window_median(ratio, g->n, i) : (double)NAN;

		if (g->has_sensor)
			expected *= g->sun[i];
		if (fabs(g->p[i] - expected) >= SPIKE_RATIO_MIN * g->rating)
			set(g, i, i, FAULT_SPIKE);
	}
	return true;
}

static bool is_weak(const struct grid *g, double yield)
{
	double z = Z_OF_SCALE * (yield - g->reference) / g->scale;

	return yield < WEAK_SHARE * g->reference && (z < WEAK_Z || !(g->scale > 0));
}

static void find_weak_days(struct grid *g)
{
	for (size_t i = g->period, end; i < g->n; i = end) {
		end = health_day_end(g, i);
		if (!is_weak(g, health_yield(g, i, end - 1)))
			continue;
		for (size_t k = i; k < end; k++)
			if (is_daylight(g, k) && !isnan(g->p[k]))
				set(g, k, k, FAULT_WEAK);
	}
}

bool health_find(const struct solar *s, struct grid *g, struct err *e)
{
	find_gaps(g);
	find_impossible(g);
	if (!find_outages(s, g, e) || !find_frozen(s, g, e) || !find_interpolated(s, g, e) ||
	    !find_spikes(s, g, e))
		return false;
	find_weak_days(g);
	return true;
}
