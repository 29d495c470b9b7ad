/*
 * The value of energy: energy × rate, and the avoided CO2 by published factors. The rate is the
 * requested one, otherwise each logger's tariff, otherwise the pack's setting. Currencies are never
 * converted. Days without data are counted and reported, never filled.
 */
#include "solar_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain_int.h"

struct savings {
	struct calc_sum energy, dollars, euros;
	size_t with_dollars, with_euros, without_rate;
	int64_t days_with, days_due;
	const char *logger_without_rate; /* a logger without a rate */
};

/* NAN: unknown. */
static double rate_of(const struct solar *s, const struct table *t, size_t row)
{
	const struct arg *given = args_find(&s->r->args, "rate");
	struct decimal d;
	double own = solar_cell(t, row, "tariff");

	if (given && given->count == 1 && given->values[0].text &&
	    decimal_parse(given->values[0].text, &d))
		return strtod(given->values[0].text, NULL);
	return isnan(own) ? solar_factor(s, FACTOR_TARIFF) : own;
}

static int64_t days_between(const struct solar *s)
{
	const char *from = args_text(&s->r->args, "start_date", s->a);
	const char *to = args_text(&s->r->args, "end_date", s->a);
	struct date first, last;

	if (!from || !to || !date_parse_iso(from, &first) || !date_parse_iso(to, &last))
		return 0;
	return date_to_days(last) - date_to_days(first) + 1;
}

static bool is_euro(const struct table *t, size_t row)
{
	return domain_cell_is(t, row, "currency", "EUR");
}

static void add_logger(struct solar *s, const struct table *t, size_t row, struct savings *sum,
		       struct solar_rows *w)
{
	double energy = solar_cell(t, row, "energy"), rate = rate_of(s, t, row);
	double money = energy * rate, days = solar_cell(t, row, "days");
	bool euro = is_euro(t, row) && !args_find(&s->r->args, "rate");

	if (!isnan(energy))
		calc_sum_add(&sum->energy, energy);
	if (isnan(rate)) {
		sum->without_rate++;
		sum->logger_without_rate = table_cell(t, row, "logger_id");
	} else if (!isnan(money)) {
		calc_sum_add(euro ? &sum->euros : &sum->dollars, money);
		sum->with_euros += euro;
		sum->with_dollars += !euro;
	}
	sum->days_with += isnan(days) ? 0 : (int64_t)days;
	sum->days_due += days_between(s);
	solar_rows_add(w, (const char *const[]){
				  table_cell(t, row, "logger_id"), table_cell(t, row, "name"),
				  solar_digits(s->a, energy, 3), solar_digits(s->a, money, 2),
				  isnan(money) ? NULL
				  : euro       ? "EUR"
					       : "USD",
				  solar_digits(s->a, days, 0)});
}

static void add_climate(struct solar *s, double energy)
{
	const struct factor *co2 = derive_factor(s->r->context, FACTOR_CO2);
	const struct factor *tree = derive_factor(s->r->context, FACTOR_TREE);
	double kg = co2 ? energy * co2->value : (double)NAN;

	if (!co2)
		return;
	solar_add(
		s, "co2Offset", "CO2 avoided", kg, 1, "kg",
		arena_printf(s->a, "%s kWh × %s kg/kWh", solar_digits(s->a, energy, 3), co2->text));
	solar_add_words(s, "co2Source", "Source of the CO2 factor", co2->source);
	if (!tree)
		return;
	solar_add(s, "treesEquivalent", "Equivalent trees over ten years", kg / tree->value, 1,
		  "trees",
		  arena_printf(s->a, "%s kg / %s kg", solar_digits(s->a, kg, 1), tree->text));
	solar_add_words(s, "treeSource", "Source of the tree factor", tree->source);
}

static void begin_rows(struct solar *s, struct solar_rows *w)
{
	solar_rows_begin(w, s->a);
	solar_rows_column(w, "logger_id", COLUMN_TEXT);
	solar_rows_column(w, "name", COLUMN_TEXT);
	solar_rows_column(w, "energy", COLUMN_DECIMAL);
	solar_rows_column(w, "savings", COLUMN_DECIMAL);
	solar_rows_column(w, "currency", COLUMN_TEXT);
	solar_rows_column(w, "days", COLUMN_INT);
}

static void add_money(struct solar *s, const struct savings *sum)
{
	const char *how = args_find(&s->r->args, "rate") ? "energy × the requested rate"
							 : "energy × tariff of each logger";

	if (sum->with_dollars)
		solar_add(s, "savings", "Savings", calc_sum_total(&sum->dollars), 2, "$", how);
	if (sum->with_euros)
		solar_add(s, "savingsEuro", "Savings in euros", calc_sum_total(&sum->euros), 2, "€",
			  how);
	if (sum->without_rate)
		solar_note(s,
			   "No tariff is known for %s%s, so its savings cannot be computed. Give a "
			   "rate, such as 0.12 $/kWh.",
			   sum->logger_without_rate, sum->without_rate > 1 ? " and others" : "");
}

void solar_savings(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0];
	struct savings sum = {0};
	struct solar_rows w;

	begin_rows(&s, &w);
	for (size_t i = 0; i < t->row_count; i++)
		add_logger(&s, t, i, &sum, &w);
	solar_rows_end(&w, t);
	solar_add(&s, "energyGenerated", "Energy", calc_sum_total(&sum.energy), 3, "kWh", NULL);
	add_money(&s, &sum);
	add_climate(&s, calc_sum_total(&sum.energy));
	domain_add_number(r, a, "daysWithData", "Days with data", decimal_int(sum.days_with),
			  "days", NULL);
	domain_add_number(
		r, a, "daysWithout", "Days without data",
		decimal_int(sum.days_due > sum.days_with ? sum.days_due - sum.days_with : 0),
		"days", NULL);
	solar_add_words(&s, "period", "Period",
			domain_period(a, args_text(&r->args, "start_date", a),
				      args_text(&r->args, "end_date", a)));
}
