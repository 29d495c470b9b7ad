/*
 * The day-ahead module. Its tools are SQL files; arithmetic over their rows is done here, exactly
 * and once, so that neither templates nor models compute.
 *
 * Prices are compared as whole cents, as they are displayed: a gap is the difference of the two
 * displayed figures.
 */
#include "vesper/domain.h"

#include <stdlib.h>
#include <string.h>

#include "domain_int.h"
#include "vesper/limits.h"

enum { FACTS_PER_CURVE = 8 };

extern const struct domain dayahead_domain;

/* ---- curves: one vendor's file for one market ---- */

struct curve {
	const char *vendor, *market, *asof, *asof_date;
	int64_t cents; /* average of the year */
};

static bool read_curve(const struct table *t, size_t row, struct curve *out)
{
	*out = (struct curve){
		.vendor = table_cell(t, row, "Vendor"),
		.market = table_cell(t, row, "Market"),
		.asof = table_cell(t, row, "AsOf"),
		.asof_date = table_cell(t, row, "AsOfDate"),
	};
	return out->vendor && out->market && out->asof && out->asof_date;
}

static bool is_row_of(const struct table *t, size_t row, const struct curve *c)
{
	return domain_cell_is(t, row, "Vendor", c->vendor) &&
	       domain_cell_is(t, row, "Market", c->market) &&
	       domain_cell_is(t, row, "AsOf", c->asof) &&
	       domain_cell_is(t, row, "AsOfDate", c->asof_date);
}

static void add_price(struct result *r, struct arena *a, const struct curve *c, const char *name,
		      const char *what, int64_t cents)
{
	result_add_fact(r, a,
			(struct fact){
				.name = name,
				.label = arena_printf(a, "%s %s: %s", c->vendor, c->asof, what),
				.value = domain_cents_text(a, cents),
				.unit = PRICE_UNIT,
			});
}

/* ---- compare_vendors ---- */

/* Finds the newest file of each vendor, by date and never by label. Returns the number of vendors;
 * 0 when the rows are of more than one market. */
static size_t find_leading(const struct table *t, struct curve *leading, size_t cap)
{
	size_t count = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		struct curve c;
		size_t i = 0;
		if (!read_curve(t, row, &c) || !domain_cents(t, row, "AvgPrice_PerMWh", &c.cents))
			continue;
		if (count > 0 && strcmp(c.market, leading[0].market) != 0)
			return 0;
		while (i < count && strcmp(leading[i].vendor, c.vendor) != 0)
			i++;
		if (i == cap)
			return 0;
		if (i == count)
			leading[count++] = c;
		else if (strcmp(c.asof_date, leading[i].asof_date) > 0)
			leading[i] = c;
	}
	return count;
}

/* Computes the absolute gap of each hour. False unless both curves have all hours. */
static bool read_gaps(const struct table *t, const struct curve *high, const struct curve *low,
		      int64_t gaps[HOURS_PER_DAY])
{
	int64_t cents[2][HOURS_PER_DAY];
	unsigned seen[2] = {0, 0};

	for (size_t row = 0; row < t->row_count; row++) {
		const char *text = table_cell(t, row, "Hour");
		bool is_low = is_row_of(t, row, low);
		long hour = text ? strtol(text, NULL, 10) : -1;
		if (hour < 0 || hour >= HOURS_PER_DAY || (!is_low && !is_row_of(t, row, high)) ||
		    !domain_cents(t, row, "AvgPrice_PerMWh", &cents[is_low][hour]))
			continue;
		seen[is_low] |= 1u << hour;
	}
	for (int hour = 0; hour < HOURS_PER_DAY; hour++) {
		if (!(seen[0] >> hour & seen[1] >> hour & 1))
			return false;
		gaps[hour] = llabs(cents[0][hour] - cents[1][hour]);
	}
	return true;
}

static void derive_comparison(struct result *r, struct arena *a)
{
	enum { VENDORS_MAX = 8 };
	const struct table *hourly = result_table(r, "hourly");
	struct curve leading[VENDORS_MAX];
	size_t count = find_leading(r->tables[0], leading, VENDORS_MAX);
	const struct curve *high = leading, *low = leading;
	int64_t gaps[HOURS_PER_DAY];

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++) {
		if (leading[i].cents > high->cents)
			high = &leading[i];
		if (leading[i].cents <= low->cents)
			low = &leading[i];
		add_price(r, a, &leading[i], "average", "average", leading[i].cents);
	}
	domain_add_text(r, a, "higher_vendor", "Higher vendor", high->vendor);
	domain_add_text(r, a, "higher_asof", "Its as-of", high->asof);
	add_price(r, a, high, "higher_price", "higher average", high->cents);
	domain_add_text(r, a, "lower_vendor", "Lower vendor", low->vendor);
	domain_add_text(r, a, "lower_asof", "Its as-of", low->asof);
	add_price(r, a, low, "lower_price", "lower average", low->cents);
	domain_add_gap(r, a, high->vendor, high->cents, low->vendor, low->cents);
	if (hourly && read_gaps(hourly, high, low, gaps))
		domain_add_widest(r, a, gaps);
}

static bool compare_vendors(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_comparison, e);
}

/* ---- get_hourly_price_distribution ---- */

static void add_hour(struct result *r, struct arena *a, const struct curve *c, const char *which,
		     const char *hour, int64_t cents)
{
	long number = hour ? strtol(hour, NULL, 10) : -1;

	if (number < 0 || number >= HOURS_PER_DAY)
		return;
	domain_add_text(r, a, arena_printf(a, "%s_hour", which),
			arena_printf(a, "%s %s: hour of the %s price", c->vendor, c->asof, which),
			domain_hours_words(a, (int)number, (int)number));
	add_price(r, a, c, arena_printf(a, "%s_price", which),
		  arena_printf(a, "%s average of an hour", which), cents);
}

static void add_extremes(struct result *r, struct arena *a, const struct table *t,
			 const struct curve *c)
{
	const char *high_hour = NULL, *low_hour = NULL;
	int64_t high = INT64_MIN, low = INT64_MAX, cents;

	for (size_t row = 0; row < t->row_count; row++) {
		if (!is_row_of(t, row, c) || !domain_cents(t, row, "AvgPrice_PerMWh", &cents))
			continue;
		if (cents > high) {
			high = cents;
			high_hour = table_cell(t, row, "Hour");
		}
		if (cents < low) {
			low = cents;
			low_hour = table_cell(t, row, "Hour");
		}
	}
	if (high == low)
		return; /* one hour, or all equal: no extreme */
	add_hour(r, a, c, "highest", high_hour, high);
	add_hour(r, a, c, "lowest", low_hour, low);
}

static void add_spread(struct result *r, struct arena *a, const struct table *periods,
		       const struct curve *c)
{
	int64_t peak, off_peak;
	size_t row = 0;

	while (row < periods->row_count && !is_row_of(periods, row, c))
		row++;
	if (row == periods->row_count || !domain_cents(periods, row, "PeakPrice_PerMWh", &peak) ||
	    !domain_cents(periods, row, "OffPeakPrice_PerMWh", &off_peak))
		return;
	add_price(r, a, c, "peak_price", "peak average", peak);
	add_price(r, a, c, "off_peak_price", "off-peak average", off_peak);
	result_add_fact(
		r, a,
		(struct fact){
			.name = "peak_spread",
			.label = arena_printf(a, "%s %s: peak minus off-peak", c->vendor, c->asof),
			.value = domain_cents_text(a, peak - off_peak),
			.unit = PRICE_UNIT,
			.formula = arena_printf(a, "%s - %s", domain_cents_text(a, peak),
						domain_cents_text(a, off_peak)),
		});
}

static const char *limit_text(const struct result *r, struct arena *a, const char *name,
			      const char *within, const char *beyond)
{
	const char *price = args_text(&r->args, name, a);
	const struct arg *incl = args_find(&r->args, arena_printf(a, "%s_incl", name));
	bool is_inclusive = !incl || incl->values[0].number != 0;

	return price ? arena_printf(a, "%s $%s", is_inclusive ? within : beyond, price) : NULL;
}

/* Adds the conditions on day and price, if there are any. */
static void add_limits(struct result *r, struct arena *a)
{
	const char *day = args_text(&r->args, "day", a);
	const char *above = limit_text(r, a, "min_price", "at or above", "above");
	const char *below = limit_text(r, a, "max_price", "at or below", "below");

	if (day)
		domain_add_text(r, a, "day", "Day", domain_period(a, day, day));
	if (above || below)
		domain_add_text(r, a, "bound", "Prices included",
				above && below ? arena_printf(a, "%s and %s", above, below)
				: above        ? above
					       : below);
}

/* Adds the number of hours that satisfy the price conditions. */
static void add_hours(struct result *r, struct arena *a, const struct table *periods,
		      const struct curve *c)
{
	struct decimal hours;

	for (size_t row = 0; row < periods->row_count; row++)
		if (is_row_of(periods, row, c) &&
		    domain_number(periods, row, "DataPoints", &hours)) {
			domain_add_number(
				r, a, "hours",
				arena_printf(a, "%s %s: hours at these prices", c->vendor, c->asof),
				hours, "hours", NULL);
			return;
		}
}

/* Adds the facts of each curve in row order, so that those of the leading curve come first. */
static void derive_shape(struct result *r, struct arena *a)
{
	const struct table *main = r->tables[0];
	const struct table *periods = result_table(r, "periods");
	struct curve before = {0}, c;
	size_t curves = 0; /* limited by the number of facts: each scans all rows */

	add_limits(r, a);

	for (size_t row = 0; row < main->row_count; row++) {
		if (!read_curve(main, row, &c) || (before.vendor && is_row_of(main, row, &before)))
			continue;
		if (++curves > RESULT_FACTS_MAX / FACTS_PER_CURVE) {
			result_facts_truncated(r, a);
			return;
		}
		add_extremes(r, a, main, &c);
		if (periods && result_fact(r, "bound"))
			add_hours(r, a, periods, &c);
		if (periods)
			add_spread(r, a, periods, &c);
		before = c;
	}
}

static bool get_hourly_price_distribution(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_shape, e);
}

static const struct tool_entry tools[] = {
	{"get_average_annual_price", tool_sql_run},
	{"get_hourly_price_distribution", get_hourly_price_distribution},
	{"list_available_curves", tool_sql_run},
	{"compare_vendors", compare_vendors},
	{0},
};

const struct domain dayahead_domain = {"dayahead", "energy", tools, NULL};
