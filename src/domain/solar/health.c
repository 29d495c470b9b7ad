/*
 * Faults of an inverter, by quarter hour. Daylight is G ≥ 50 W/m2; without a sensor, G is the mean
 * power of the peers, per mille of their rating. The first fault that applies is used:
 *
 *   gap               2 or more missing in daylight; 4 hours or more are critical
 *   impossible        P above 1.1 or below -0.01 of the rating, or the day's counter falls
 *   outage            G ≥ 200 and P at most 0.5 % of the rating, 2 or more
 *   frozen            the same value 4 times or more, not 0 and not within 1 % of the rating
 *   interpolated      4 or more on a sloping line above 1 % of the rating: filled in by the logger
 *   spike             Hampel filter (window 7, k 3) on P/G, and P at least 25 % of the rating away
 *                     from that expected for G; without a sensor both on P
 *   underperformance  E/H of a day below 0.9 of the median of the reference days and robust
 *                     z < -3, over daylight without another fault
 *
 * The reference is the 28 days before the period; at least 10 must have data. Gaps (unless the
 * counter continued), outages and underperformance lose energy: the reference times G, less the
 * measured energy. Score = 100 × (weights of the pack × availability, energy index up to 1,
 * completeness).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain_int.h"
#include "health_int.h"

#define LONG_GAP_H 4.0

static const char *const fault_names[FAULTS] = {[FAULT_GAP] = "gap",
						[FAULT_IMPOSSIBLE] = "impossible",
						[FAULT_OUTAGE] = "outage",
						[FAULT_FROZEN] = "frozen",
						[FAULT_SPIKE] = "spike",
						[FAULT_INTERPOLATED] = "interpolated",
						[FAULT_WEAK] = "underperformance"};

/* Quarter hours with one fault. Those of a weak day are one finding, even if others lie between. */
struct finding {
	enum fault fault;
	size_t first, last, quarters;
	struct calc_sum expected, actual; /* kWh */
};

static bool is_continuation(const struct grid *g, const struct finding *f, size_t i)
{
	if (g->fault[i] != f->fault)
		return false;
	return f->fault == FAULT_WEAK ? g->day[i] == g->day[f->last] : i == f->last + 1;
}

static void add_quarter(const struct grid *g, struct finding *f, size_t i)
{
	double expected = g->reference * g->sun[i] * QUARTER_H / 1000;

	f->last = i;
	f->quarters++;
	if (g->sun[i] >= DAYLIGHT && !isnan(expected)) {
		calc_sum_add(&f->expected, expected);
		if (g->p[i] > 0)
			calc_sum_add(&f->actual, g->p[i] * QUARTER_H / 1000);
	}
}

/* Sorted by start. */
static size_t collect(const struct grid *g, struct finding *out)
{
	size_t n = 0;

	for (size_t i = g->period; i < g->n; i++) {
		size_t k = n;

		if (!g->fault[i])
			continue;
		while (k > 0 && !is_continuation(g, &out[k - 1], i))
			k--;
		if (k == 0)
			out[n++] = (struct finding){.fault = (enum fault)g->fault[i], .first = i};
		add_quarter(g, &out[k == 0 ? n - 1 : k - 1], i);
	}
	return n;
}

/* ---- lost energy ---- */

/* The energy that the counter measured during a gap within one day. */
static double counter_energy(const struct grid *g, const struct finding *f)
{
	if (f->fault != FAULT_GAP || f->first == 0 || f->last + 1 >= g->n ||
	    g->day[f->first - 1] != g->day[f->last + 1])
		return 0;
	double more = g->e[f->last + 1] - g->e[f->first - 1];
	return more > 0 ? more : 0;
}

/* NAN: no loss can be computed for this fault. */
static double lost_kwh(const struct grid *g, const struct finding *f)
{
	double kwh;

	if (isnan(g->reference) ||
	    (f->fault != FAULT_GAP && f->fault != FAULT_OUTAGE && f->fault != FAULT_WEAK))
		return (double)NAN;
	kwh = calc_sum_total(&f->expected) - calc_sum_total(&f->actual) - counter_energy(g, f);
	return kwh > 0 ? kwh : 0;
}

static double hours(const struct finding *f)
{
	return (double)f->quarters * QUARTER_H;
}

static const char *severity(const struct finding *f)
{
	switch (f->fault) {
	case FAULT_OUTAGE:
		return "critical";
	case FAULT_GAP:
		return hours(f) >= LONG_GAP_H ? "critical" : "warning";
	case FAULT_IMPOSSIBLE:
	case FAULT_FROZEN:
	case FAULT_WEAK:
		return "warning";
	default:
		return "info";
	}
}

static const char *evidence(const struct solar *s, const struct grid *g, const struct finding *f)
{
	double kw = g->p[f->first] / 1000;

	switch (f->fault) {
	case FAULT_GAP:
		return arena_printf(s->a, "No readings for %.2f hours.", hours(f));
	case FAULT_IMPOSSIBLE:
		return arena_printf(s->a,
				    "%.2f kW at a rating of %.1f kW, or a falling energy counter.",
				    kw, g->rating / 1000);
	case FAULT_OUTAGE:
		return arena_printf(s->a, "No power for %.2f hours at %.0f %s.", hours(f),
				    g->sun[f->first],
				    g->has_sensor ? "W/m2 and more" : "per mille of the peers");
	case FAULT_FROZEN:
		return arena_printf(s->a, "A constant %.4f kW for %.2f hours.", kw, hours(f));
	case FAULT_INTERPOLATED:
		return arena_printf(s->a,
				    "A straight line for %.2f hours: interpolated by the logger.",
				    hours(f));
	case FAULT_SPIKE:
		return arena_printf(s->a, "%.2f kW differs strongly from the readings around it.",
				    kw);
	default:
		return arena_printf(s->a, "%.0f %% of the output that the %zu days before suggest.",
				    100 * calc_sum_total(&f->actual) / calc_sum_total(&f->expected),
				    g->days);
	}
}

/* ---- rows and facts ---- */

static int64_t at(const struct grid *g, size_t i)
{
	return g->start_ms + (int64_t)i * QUARTER_MS;
}

static void begin_rows(const struct solar *s, struct solar_rows *w)
{
	solar_rows_begin(w, s->a);
	solar_rows_column(w, "kind", COLUMN_TEXT);
	solar_rows_column(w, "day", COLUMN_DATE);
	solar_rows_column(w, "start", COLUMN_DATETIME);
	solar_rows_column(w, "end", COLUMN_DATETIME);
	solar_rows_column(w, "severity", COLUMN_TEXT);
	solar_rows_column(w, "lost_kwh", COLUMN_DECIMAL);
	solar_rows_column(w, "evidence", COLUMN_TEXT);
}

static void show(const struct solar *s, const struct grid *g, const struct finding *f,
		 struct solar_rows *w)
{
	solar_rows_add(w, (const char *const[]){
				  fault_names[f->fault], solar_iso(s->a, g->day[f->first]),
				  solar_local(s->a, g->zone, at(g, f->first)),
				  solar_local(s->a, g->zone, at(g, f->last + 1)), severity(f),
				  solar_digits(s->a, lost_kwh(g, f), 2), evidence(s, g, f)});
}

struct share {
	size_t light, running, present, due;
	struct calc_sum energy, expected;
};

static void count(const struct grid *g, struct share *c)
{
	for (size_t i = g->period; i < g->n; i++) {
		bool light = g->sun[i] >= DAYLIGHT;

		c->due++;
		c->present += isnan(g->p[i]) ? 0 : 1;
		if (!light)
			continue;
		c->light++;
		c->running += g->fault[i] != FAULT_GAP && g->fault[i] != FAULT_OUTAGE;
		calc_sum_add(&c->energy, g->p[i] > 0 ? g->p[i] : 0);
		if (!isnan(g->reference))
			calc_sum_add(&c->expected, g->reference * g->sun[i]);
	}
}

/* A missing part is left out with its weight. A note of the reference gives the reason. */
static void add_score(struct solar *s, double availability, double energy, double completeness)
{
	const double weights[] = {solar_factor(s, FACTOR_AVAILABILITY),
				  solar_factor(s, FACTOR_ENERGY),
				  solar_factor(s, FACTOR_COMPLETENESS)};
	const double parts[] = {availability, energy > 1 ? 1 : energy, completeness};
	double sum = 0, all = 0;

	for (size_t i = 0; i < 3; i++) {
		if (isnan(parts[i]))
			continue;
		sum += weights[i] * parts[i];
		all += weights[i];
	}
	solar_add(s, "healthScore", "Health score", 100 * sum / all, 1, NULL,
		  arena_printf(s->a,
			       "100 × (%.2g availability + %.2g energy index + %.2g completeness)",
			       weights[0], weights[1], weights[2]));
}

static void add_facts(struct solar *s, const struct grid *g)
{
	struct share c = {0};
	double availability, energy, completeness;

	count(g, &c);
	availability = c.light ? (double)c.running / (double)c.light : (double)NAN;
	energy = calc_sum_total(&c.expected) > 0
			 ? calc_sum_total(&c.energy) / calc_sum_total(&c.expected)
			 : (double)NAN;
	completeness = c.due ? (double)c.present / (double)c.due : (double)NAN;
	solar_add(s, "availability", "Availability", 100 * availability, 1, "%",
		  arena_printf(s->a, "%zu / %zu quarter hours of daylight", c.running, c.light));
	solar_add(s, "energyIndex", "Energy relative to the reference", energy, 3, NULL,
		  arena_printf(s->a, "median of %zu days", g->days));
	solar_add(s, "completeness", "Readings received", 100 * completeness, 1, "%",
		  arena_printf(s->a, "%zu / %zu quarter hours", c.present, c.due));
	if (c.light == 0)
		solar_note(
			s,
			"This period has no daylight, or neither a sensor nor other inverters show "
			"when there was daylight.");
	else
		add_score(s, availability, energy, completeness);
}

static void add_findings(struct solar *s, const struct grid *g, struct table *t)
{
	struct finding *all = arena_alloc(s->a, (g->n + 1) * sizeof(*all));
	size_t n = collect(g, all);
	struct calc_sum sum = {0};
	struct solar_rows w;

	begin_rows(s, &w);
	for (size_t i = 0; i < n; i++) {
		show(s, g, &all[i], &w);
		if (!isnan(lost_kwh(g, &all[i])))
			calc_sum_add(&sum, lost_kwh(g, &all[i]));
	}
	domain_add_count(s->r, s->a, "anomalyCount", "Anomalies", n);
	if (!isnan(g->reference))
		solar_add(s, "lostKwh", "Energy lost", calc_sum_total(&sum), 1, "kWh", NULL);
	solar_rows_end(&w, t);
}

void solar_health(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0];
	const struct arg *given = args_find(&r->args, "days");
	int64_t days = given ? given->values[0].number : 7;
	struct solar_rows none;
	struct grid g;
	struct err e = {0};

	solar_add_words(&s, "loggerId", "Inverter", table_cell(t, 0, "id"));
	if (!health_grid(&s, days, &g) || !health_find(&s, &g, &e)) {
		if (e.code)
			solar_note(&s, "The readings cannot be assessed: %s.", e.text);
		begin_rows(&s, &none);
		solar_rows_end(&none, t);
		return;
	}
	solar_add_words(&s, "period", "Period",
			domain_period(a, solar_iso(a, g.n > g.period ? g.day[g.period] : 0),
				      solar_iso(a, solar_local_day(g.zone, s.now_ms - 1))));
	add_findings(&s, &g, t);
	add_facts(&s, &g);
}
