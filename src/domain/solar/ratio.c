/*
 * Performance ratio after IEC 61724-1: PR = Y_f / Y_r with Y_f = E_AC / P_0 and Y_r = H_POA / (1
 * kW/m2), over the quarter hours with both power and irradiance. Negative irradiance counts as 0.
 * Over several days it is the ratio of the sums. PR'_STC divides by Σ C_k·G_k instead, with C_k = 1
 * + γ·(T_k - 25), if T is available for 80 % of the quarter hours.
 */
#include "solar_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain_int.h"

#define GAMMA_DEFAULT   (-0.4) /* % per degree, if the logger has none */
#define TEMPERATURE_MIN 0.8
#define COMPLETE_MIN    0.8
#define REFERENCE_MIN_H 0.5
#define STC_C           25.0
#define METHOD          "IEC 61724-1: final yield / reference yield"

struct ratio {
	size_t due, both, with_t;
	struct calc_sum energy, insolation, corrected; /* kWh, kWh/m2 */
	double capacity;
};

/* Sums a logger's readings that have power and irradiance. */
static void sum_readings(const struct frame *f, const char *id, double gamma, struct ratio *out)
{
	const struct frame_column *ids = frame_column(f, "logger_id"), *p = frame_column(f, "p"),
				  *g = frame_column(f, "g"), *t = frame_column(f, "t");

	for (size_t i = 0; i < f->rows; i++) {
		const char *reading_id = frame_text(ids, i);
		double power = frame_number(p, i), sun = frame_number(g, i),
		       temperature = frame_number(t, i);
		double insolation;

		if (!reading_id || strcmp(reading_id, id) != 0 || isnan(power) || isnan(sun))
			continue;
		insolation = (sun > 0 ? sun : 0) * QUARTER_H / 1000;
		out->both++;
		calc_sum_add(&out->energy, (power > 0 ? power : 0) * QUARTER_H / 1000);
		calc_sum_add(&out->insolation, insolation);
		if (isnan(temperature))
			continue;
		out->with_t++;
		calc_sum_add(&out->corrected,
			     insolation * (1 + gamma / 100 * (temperature - STC_C)));
	}
}

static size_t due_quarters(const struct solar *s, const struct zone *z)
{
	const char *from = args_text(&s->r->args, "start_date", s->a);
	const char *to = args_text(&s->r->args, "end_date", s->a);
	struct date first, last;
	size_t due = 0;

	if (!from || !to || !date_parse_iso(from, &first) || !date_parse_iso(to, &last))
		return 0;
	for (int64_t day = date_to_days(first); day <= date_to_days(last); day++)
		due += solar_quarters(z, day, s->now_ms);
	return due;
}

static double capacity_of(const struct solar *s, const struct table *t, size_t row)
{
	const struct arg *given = args_find(&s->r->args, "capacity_kw");
	double own = solar_cell(t, row, "capacity_kw");

	if (given && given->count == 1)
		own = given->values[0].type == VALUE_INT ? (double)given->values[0].number
							 : strtod(given->values[0].text, NULL);
	return own > 0 ? own : (double)NAN;
}

static double pr_of(const struct ratio *x, double capacity)
{
	double reference = calc_sum_total(&x->insolation);

	return reference > 0 ? calc_sum_total(&x->energy) / capacity / reference : (double)NAN;
}

static double pr_stc_of(const struct ratio *x, double capacity)
{
	double corrected = calc_sum_total(&x->corrected);

	if ((double)x->with_t < TEMPERATURE_MIN * (double)x->both || !(corrected > 0))
		return (double)NAN;
	return calc_sum_total(&x->energy) / capacity / corrected;
}

static void add_sums(struct ratio *all, const struct ratio *one)
{
	all->due += one->due;
	all->both += one->both;
	all->with_t += one->with_t;
	all->capacity += one->capacity;
	calc_sum_add(&all->energy, calc_sum_total(&one->energy));
	/* weighted by capacity: the fleet's ratio is that of the sums */
	calc_sum_add(&all->insolation, one->capacity * calc_sum_total(&one->insolation));
	calc_sum_add(&all->corrected, one->capacity * calc_sum_total(&one->corrected));
}

static void add_logger(struct solar *s, const struct table *t, size_t row, const struct frame *f,
		       struct ratio *all, struct solar_rows *w)
{
	const char *id = table_cell(t, row, "logger_id");
	double gamma = solar_cell(t, row, "gamma");
	struct ratio one = {.capacity = capacity_of(s, t, row)};

	if (isnan(one.capacity)) {
		solar_note(s, "The capacity of %s is unknown. Give one, such as 50 kW.", id);
		return;
	}
	one.due = due_quarters(s, solar_zone(s, table_cell(t, row, "timezone")));
	sum_readings(f, id, isnan(gamma) ? GAMMA_DEFAULT : gamma, &one);
	if (one.both == 0) {
		solar_note(s,
			   "No irradiance was recorded for %s, so its performance ratio cannot be "
			   "computed.",
			   id);
		return;
	}
	if (isnan(gamma))
		solar_note(s,
			   "The temperature coefficient of %s is unknown; %.1f %% per degree is "
			   "assumed.",
			   id, GAMMA_DEFAULT);
	solar_rows_add(w, (const char *const[]){
				  id, table_cell(t, row, "name"),
				  solar_digits(s->a, pr_of(&one, one.capacity), 4),
				  solar_digits(s->a, pr_stc_of(&one, one.capacity), 4),
				  solar_digits(s->a, calc_sum_total(&one.energy) / one.capacity, 3),
				  solar_digits(s->a, calc_sum_total(&one.insolation), 3)});
	add_sums(all, &one);
}

static void add_confidence(struct solar *s, double completeness, double reference)
{
	bool low = completeness < COMPLETE_MIN || reference < REFERENCE_MIN_H;

	solar_add(s, "completeness", "Quarter hours with power and irradiance", 100 * completeness,
		  1, "%", NULL);
	solar_add_words(s, "confidence", "Confidence", low ? "low" : "normal");
	if (completeness < COMPLETE_MIN)
		solar_note(s, "Confidence is low: only %.0f %% of the quarter hours have data.",
			   100 * completeness);
	if (reference < REFERENCE_MIN_H)
		solar_note(s, "Confidence is low: there were only %.2f hours of full sun.",
			   reference);
}

static void add_fleet(struct solar *s, const struct ratio *all)
{
	double reference = calc_sum_total(&all->insolation) / all->capacity;

	/* insolation and corrected are already multiplied by capacity */
	solar_add(s, "pr", "Performance ratio", pr_of(all, 1), 4, NULL, METHOD);
	solar_add(s, "prStc", "Performance ratio corrected to 25 degrees", pr_stc_of(all, 1), 4,
		  NULL, NULL);
	solar_add(s, "finalYield", "Final yield", calc_sum_total(&all->energy) / all->capacity, 3,
		  "hours", NULL);
	solar_add(s, "referenceYield", "Reference yield", reference, 3, "hours", NULL);
	if (!(calc_sum_total(&all->insolation) > 0))
		solar_note(s, "There was no sunlight in this period, so the performance ratio "
			      "cannot be computed.");
	if (all->due > 0)
		add_confidence(s, (double)all->both / (double)all->due, reference);
}

void solar_ratio(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	const struct frame *f = result_frame(r, "readings");
	struct table *t = r->tables[0];
	struct ratio all = {0};
	struct solar_rows w;

	solar_rows_begin(&w, a);
	solar_rows_column(&w, "logger_id", COLUMN_TEXT);
	solar_rows_column(&w, "name", COLUMN_TEXT);
	solar_rows_column(&w, "pr", COLUMN_DECIMAL);
	solar_rows_column(&w, "pr_stc", COLUMN_DECIMAL);
	solar_rows_column(&w, "final_yield", COLUMN_DECIMAL);
	solar_rows_column(&w, "reference_yield", COLUMN_DECIMAL);
	for (size_t i = 0; i < t->row_count; i++)
		add_logger(&s, t, i, f, &all, &w);
	solar_rows_end(&w, t);
	solar_add_words(&s, "method", "Method", METHOD);
	solar_add_words(&s, "period", "Period",
			domain_period(a, args_text(&r->args, "start_date", a),
				      args_text(&r->args, "end_date", a)));
	if (all.both > 0)
		add_fleet(&s, &all);
}
