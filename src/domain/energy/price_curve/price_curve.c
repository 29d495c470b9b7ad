/*
 * The price curve module: hub-zones and markets compared, peak and off-peak, seasonal and daily
 * shape. The SQL computes averages; comparisons, differences and ratios are derived here.
 */
#include "vesper/domain.h"

#include <stdlib.h>
#include <string.h>

#include "domain_int.h"

extern const struct domain price_curve_domain;

static struct table *table_of(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->table_count; i++)
		if (strcmp(r->tables[i]->name, name) == 0)
			return r->tables[i];
	return NULL;
}

/* Rows are sorted with the newest file first. Facts describe that file's vendor, the leading
 * one. */
static bool is_leading(const struct table *t, size_t row, const struct table *main)
{
	return domain_cell_is(t, row, "Vendor", table_cell(main, 0, "Vendor"));
}

static int hour_in(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);
	long hour = text ? strtol(text, NULL, 10) : -1;

	return hour >= 0 && hour < HOURS_PER_DAY ? (int)hour : -1;
}

/* ---- two or more side by side ---- */

/* The most expensive and the cheapest of the leading vendor's rows. */
struct sides {
	const char *high, *low;
	int64_t high_cents, low_cents;
	size_t count;
};

static struct sides find_sides(const struct table *t, const char *column)
{
	struct sides s = {0};

	for (size_t row = 0; row < t->row_count; row++) {
		const char *name = table_cell(t, row, column);
		int64_t cents;
		if (!name || !is_leading(t, row, t) ||
		    !domain_cents(t, row, "AvgPrice_PerMWh", &cents))
			continue;
		if (s.count == 0 || cents > s.high_cents) {
			s.high = name;
			s.high_cents = cents;
		}
		if (s.count == 0 || cents <= s.low_cents) {
			s.low = name;
			s.low_cents = cents;
		}
		s.count++;
	}
	return s;
}

/* `what`: "zone" or "market". */
static void add_sides(struct result *r, struct arena *a, const struct sides *s, const char *what)
{
	domain_add_text(r, a, arena_printf(a, "higher_%s", what), "Dearest", s->high);
	domain_add_price(r, a, "higher_price", arena_printf(a, "%s: average", s->high),
			 s->high_cents);
	domain_add_text(r, a, arena_printf(a, "lower_%s", what), "Cheapest", s->low);
	domain_add_price(r, a, "lower_price", arena_printf(a, "%s: average", s->low), s->low_cents);
	domain_add_gap(r, a, s->high, s->high_cents, s->low, s->low_cents);
}

/* ---- compare_hub_zones ---- */

/* "CAISO", or "CAISO and ERCOT" if the zones are in two markets. */
static void add_markets(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	const char *first = table_cell(t, 0, "Market"), *other = NULL;

	for (size_t row = 1; first && row < t->row_count; row++)
		if (!domain_cell_is(t, row, "Market", first))
			other = table_cell(t, row, "Market");
	if (first)
		domain_add_text(r, a, "markets", "Market",
				other ? arena_printf(a, "%s and %s", first, other) : first);
}

static void derive_zones(struct result *r, struct arena *a)
{
	struct table *hourly = table_of(r, "hourly");
	struct sides sides = find_sides(r->tables[0], "HubZone");
	const char **spreads = arena_alloc(a, (hourly->row_count + 1) * sizeof(*spreads));
	int64_t gaps[HOURS_PER_DAY], first, second;
	unsigned seen = 0;

	for (size_t row = 0; row < hourly->row_count; row++) {
		int hour = hour_in(hourly, row, "Hour");
		if (!domain_cents(hourly, row, "FirstPrice_PerMWh", &first) ||
		    !domain_cents(hourly, row, "SecondPrice_PerMWh", &second))
			continue;
		spreads[row] = domain_cents_text(a, first - second);
		if (hour < 0 || !is_leading(hourly, row, r->tables[0]))
			continue;
		gaps[hour] = llabs(first - second);
		seen |= 1u << hour;
	}
	table_add_column(hourly, "Spread_PerMWh", COLUMN_DECIMAL, spreads);
	add_markets(r, a);
	if (sides.count != 2)
		return;
	add_sides(r, a, &sides, "zone");
	if (seen == (1u << HOURS_PER_DAY) - 1)
		domain_add_widest(r, a, gaps);
}

static bool compare_hub_zones(struct tool_call *call, struct err *e)
{
	const struct arg *zones = args_find(tool_args(call), "hub_zones");

	if (zones->count != 2 || strcmp(zones->values[0].text, zones->values[1].text) == 0)
		return err_set(e, ERR_INPUT, "Exactly two different hub-zones can be compared.");
	return tool_sql_run_and_derive(call, derive_zones, e);
}

/* ---- compare_markets ---- */

static bool read_market_gaps(const struct table *t, const struct table *main, const struct sides *s,
			     int64_t gaps[HOURS_PER_DAY])
{
	int64_t cents[2][HOURS_PER_DAY];
	unsigned seen[2] = {0, 0};

	for (size_t row = 0; row < t->row_count; row++) {
		bool is_low = domain_cell_is(t, row, "Market", s->low);
		int hour = hour_in(t, row, "Hour");
		if (hour < 0 || !is_leading(t, row, main) ||
		    (!is_low && !domain_cell_is(t, row, "Market", s->high)) ||
		    (seen[is_low] >> hour & 1) || /* an older file of the same market */
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

static void derive_markets(struct result *r, struct arena *a)
{
	const struct table *hourly = result_table(r, "hourly");
	struct sides sides = find_sides(r->tables[0], "Market");
	int64_t gaps[HOURS_PER_DAY];

	if (sides.count < 2 || strcmp(sides.high, sides.low) == 0)
		return;
	add_sides(r, a, &sides, "market");
	if (read_market_gaps(hourly, r->tables[0], &sides, gaps))
		domain_add_widest(r, a, gaps);
}

static bool compare_markets(struct tool_call *call, struct err *e)
{
	const struct arg *markets = args_find(tool_args(call), "markets");

	if (markets->count < 2)
		return err_set(e, ERR_INPUT, "At least two markets are needed for a comparison.");
	return tool_sql_run_and_derive(call, derive_markets, e);
}

/* ---- get_peak_offpeak_spread ---- */

static void add_spread(struct result *r, struct arena *a, int64_t peak, int64_t off_peak)
{
	const struct table *t = r->tables[0];
	struct decimal spread = {.units = peak - off_peak, .scale = 2};
	int first = hour_in(t, 0, "FirstPeakHour"), last = hour_in(t, 0, "LastPeakHour");

	domain_add_number(r, a, "peak_spread", "Peak minus off-peak", spread, PRICE_UNIT,
			  arena_printf(a, "%s - %s", domain_cents_text(a, peak),
				       domain_cents_text(a, off_peak)));
	domain_add_percent(r, a, "peak_spread_percent", "Peak above off-peak", spread,
			   (struct decimal){.units = off_peak, .scale = 2});
	if (first >= 0 && last >= 0)
		domain_add_text(r, a, "peak_hours", "Peak hours",
				domain_hours_words(a, first, last));
}

static void derive_spread(struct result *r, struct arena *a)
{
	struct table *t = r->tables[0];
	const char **spreads = arena_alloc(a, (t->row_count + 1) * sizeof(*spreads));

	for (size_t row = 0; row < t->row_count; row++) {
		int64_t peak, off_peak;
		if (!domain_cents(t, row, "PeakPrice_PerMWh", &peak) ||
		    !domain_cents(t, row, "OffPeakPrice_PerMWh", &off_peak))
			continue;
		spreads[row] = domain_cents_text(a, peak - off_peak);
		if (row == 0)
			add_spread(r, a, peak, off_peak);
	}
	table_add_column(t, "Spread_PerMWh", COLUMN_DECIMAL, spreads);
}

static bool get_peak_offpeak_spread(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_spread, e);
}

/* ---- shapes ---- */

/* The number of rows of the leading curve: those before the vendor or market changes. */
static size_t leading_rows(const struct table *t)
{
	size_t n = 0;

	while (n < t->row_count && is_leading(t, n, t) &&
	       domain_cell_is(t, n, "Market", table_cell(t, 0, "Market")))
		n++;
	return n;
}

/* Finds the rows with the highest and the lowest average among the first `n`. False when all are
 * equal. */
static bool find_extremes(const struct table *t, size_t n, size_t *high, size_t *low)
{
	int64_t cents, highest = INT64_MIN, lowest = INT64_MAX;

	for (size_t row = 0; row < n; row++) {
		if (!domain_cents(t, row, "AvgPrice_PerMWh", &cents))
			continue;
		if (cents > highest) {
			highest = cents;
			*high = row;
		}
		if (cents < lowest) {
			lowest = cents;
			*low = row;
		}
	}
	return highest > lowest;
}

static void add_extreme(struct result *r, struct arena *a, const char *which, const char *unit,
			size_t row, const char *words)
{
	int64_t cents = 0;

	if (!domain_cents(r->tables[0], row, "AvgPrice_PerMWh", &cents))
		return;
	domain_add_text(r, a, arena_printf(a, "%s_%s", which, unit),
			arena_printf(a, "%s of the %s price", unit, which), words);
	domain_add_price(r, a, arena_printf(a, "%s_price", which),
			 arena_printf(a, "%s average: %s", which, words), cents);
}

static void add_seasons(struct result *r, struct arena *a)
{
	const struct table *t = result_table(r, "seasons");
	struct domain_list list;
	const char *words;

	domain_list_init(&list);
	for (size_t row = 0; row < t->row_count; row++) {
		const char *season = table_cell(t, row, "Season");
		int64_t cents;
		if (!season || !is_leading(t, row, r->tables[0]) ||
		    !domain_cell_is(t, row, "Market", table_cell(r->tables[0], 0, "Market")) ||
		    !domain_cents(t, row, "AvgPrice_PerMWh", &cents))
			continue;
		domain_list_add(&list, "%s $%s", season, domain_cents_text(a, cents));
	}
	words = domain_list_end(&list, a);
	if (*words)
		domain_add_text(r, a, "seasons", "Average by season", words);
}

static void derive_year(struct result *r, struct arena *a)
{
	const struct table *t = r->tables[0];
	int64_t high_cents, low_cents;
	size_t high = 0, low = 0;

	if (!find_extremes(t, leading_rows(t), &high, &low) ||
	    !domain_cents(t, high, "AvgPrice_PerMWh", &high_cents) ||
	    !domain_cents(t, low, "AvgPrice_PerMWh", &low_cents))
		return;
	add_extreme(r, a, "highest", "month", high, domain_month(table_cell(t, high, "Month")));
	add_extreme(r, a, "lowest", "month", low, domain_month(table_cell(t, low, "Month")));
	domain_add_price(r, a, "month_range", "Highest minus lowest month", high_cents - low_cents);
	add_seasons(r, a);
}

static bool get_seasonal_shape(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_year, e);
}

/* The hours of one vendor and market. */
struct day_curve {
	const char *vendor, *market;
	int64_t cents, hours;
};

enum { DAY_CURVES_MAX = 64 }; /* further curves get no shape */

struct day_curves {
	struct day_curve items[DAY_CURVES_MAX];
	size_t count;
};

/* NULL: the row has no vendor or market, or there are too many curves. */
static struct day_curve *day_curve_of(struct day_curves *all, const struct table *t, size_t row)
{
	const char *vendor = table_cell(t, row, "Vendor"), *market = table_cell(t, row, "Market");
	size_t i = 0;

	if (!vendor || !market)
		return NULL;
	while (i < all->count && (strcmp(all->items[i].vendor, vendor) != 0 ||
				  strcmp(all->items[i].market, market) != 0))
		i++;
	if (i == DAY_CURVES_MAX)
		return NULL;
	if (i == all->count)
		all->items[all->count++] = (struct day_curve){.vendor = vendor, .market = market};
	return &all->items[i];
}

static void add_hours(struct day_curves *all, const struct table *t)
{
	int64_t cents;

	for (size_t row = 0; row < t->row_count; row++) {
		struct day_curve *c = day_curve_of(all, t, row);
		if (!c || !domain_cents(t, row, "AvgPrice_PerMWh", &cents))
			continue;
		c->cents += cents;
		c->hours++;
	}
}

/* An hour's price in percent of the mean of its curve. */
static const char *hour_shape(struct day_curves *all, const struct table *t, size_t row,
			      struct arena *a)
{
	const struct day_curve *c = day_curve_of(all, t, row);
	struct decimal sum = {.scale = 2}, share;
	int64_t own;

	if (!c || !domain_cents(t, row, "AvgPrice_PerMWh", &own))
		return NULL;
	sum.units = c->cents;
	if (sum.units <= 0 ||
	    !decimal_div((struct decimal){.units = (__int128)own * 100 * c->hours, .scale = 2}, sum,
			 1, &share))
		return NULL;
	return domain_number_text(a, share);
}

static void add_shape(struct result *r, struct arena *a, const char *name, const char *shape)
{
	if (shape)
		result_add_fact(r, a,
				(struct fact){.name = name,
					      .label = "Percentage of the day's average",
					      .value = shape,
					      .unit = "%"});
}

static void derive_day(struct result *r, struct arena *a)
{
	struct table *t = r->tables[0];
	const char **shapes = arena_alloc(a, (t->row_count + 1) * sizeof(*shapes));
	struct day_curves all = {0};
	size_t high = 0, low = 0;
	int dearest, cheapest;

	add_hours(&all, t);
	for (size_t row = 0; row < t->row_count; row++)
		shapes[row] = hour_shape(&all, t, row, a);
	table_add_column(t, "Shape", COLUMN_DECIMAL, shapes);
	if (!find_extremes(t, leading_rows(t), &high, &low))
		return;
	dearest = hour_in(t, high, "Hour");
	cheapest = hour_in(t, low, "Hour");
	if (dearest < 0 || cheapest < 0)
		return;
	add_extreme(r, a, "highest", "hour", high, domain_hours_words(a, dearest, dearest));
	add_shape(r, a, "highest_shape", shapes[high]);
	add_extreme(r, a, "lowest", "hour", low, domain_hours_words(a, cheapest, cheapest));
	add_shape(r, a, "lowest_shape", shapes[low]);
}

static bool get_daily_shape(struct tool_call *call, struct err *e)
{
	return tool_sql_run_and_derive(call, derive_day, e);
}

/* Tools shared with other domains are defined there, functions included. */
static const struct tool_entry tools[] = {
	{"compare_hub_zones", compare_hub_zones},
	{"get_peak_offpeak_spread", get_peak_offpeak_spread},
	{"get_seasonal_shape", get_seasonal_shape},
	{"get_daily_shape", get_daily_shape},
	{"compare_markets", compare_markets},
	{0},
};

const struct domain price_curve_domain = {"price_curve", "energy", tools, NULL};
