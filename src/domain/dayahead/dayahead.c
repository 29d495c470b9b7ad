/*
 * The day-ahead module. Its tools are statements in files; what needs arithmetic over their rows is
 * derived here, exactly and once, so that neither a template nor a model ever has to.
 *
 * Prices are compared as whole cents, the way people read them: a gap is the difference of the two
 * figures that the answer shows.
 */
#include "vesper/domain.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/decimal.h"

#define PRICE_UNIT "$/MWh"
enum { HOURS_A_DAY = 24, FACTS_A_CURVE = 7 };

extern const struct domain dayahead_domain;

/* ---- cells ---- */

/* The price in cents; false for NULL or no number. */
static bool read_cents(const struct table *t, size_t row, const char *column, int64_t *cents)
{
	const char *text = table_cell(t, row, column);
	struct decimal d;

	if (!text || !decimal_parse(text, &d))
		return false;
	d = decimal_round(d, 2);
	if (d.scale != 2 || d.units > INT64_MAX / 1000 || d.units < INT64_MIN / 1000)
		return false;
	*cents = (int64_t)d.units;
	return true;
}

static const char *cents_text(struct arena *a, int64_t cents)
{
	char text[DECIMAL_TEXT_BYTES];

	decimal_text((struct decimal){.units = cents, .scale = 2}, text);
	return arena_strdup(a, text);
}

static bool is_cell(const struct table *t, size_t row, const char *column, const char *text)
{
	const char *cell = table_cell(t, row, column);

	return cell && text && strcmp(cell, text) == 0;
}

/* ---- curves: what one vendor's file says about one market ---- */

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
	return is_cell(t, row, "Vendor", c->vendor) && is_cell(t, row, "Market", c->market) &&
	       is_cell(t, row, "AsOf", c->asof) && is_cell(t, row, "AsOfDate", c->asof_date);
}

static void add_price(struct result *r, struct arena *a, const struct curve *c, const char *name,
		      const char *what, int64_t cents)
{
	result_add_fact(r, a,
			(struct fact){
				.name = name,
				.label = arena_printf(a, "%s %s: %s", c->vendor, c->asof, what),
				.value = cents_text(a, cents),
				.unit = PRICE_UNIT,
			});
}

static void add_text(struct result *r, struct arena *a, const char *name, const char *label,
		     const char *value)
{
	result_add_fact(r, a, (struct fact){.name = name, .label = label, .value = value});
}

/* ---- compare_vendors ---- */

/* The newest file of each vendor, by date and never by label, is the one that it is judged by.
 * Returns how many vendors there are; 0 when the rows are of more than one market. */
static size_t find_leading(const struct table *t, struct curve *leading, size_t cap)
{
	size_t count = 0;

	for (size_t row = 0; row < t->row_count; row++) {
		struct curve c;
		size_t i = 0;
		if (!read_curve(t, row, &c) || !read_cents(t, row, "AvgPrice_PerMWh", &c.cents))
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

static void add_gap(struct result *r, struct arena *a, const struct curve *high,
		    const struct curve *low)
{
	struct decimal gap = {.units = high->cents - low->cents, .scale = 2}, percent;
	struct decimal hundredfold = {.units = gap.units * 100, .scale = 2};
	const char *gap_text = cents_text(a, high->cents - low->cents);
	const char *low_text = cents_text(a, low->cents);
	char text[DECIMAL_TEXT_BYTES];

	result_add_fact(
		r, a,
		(struct fact){
			.name = "gap",
			.label = arena_printf(a, "%s minus %s", high->vendor, low->vendor),
			.value = gap_text,
			.unit = PRICE_UNIT,
			.formula = arena_printf(a, "%s - %s", cents_text(a, high->cents), low_text),
		});
	if (low->cents <= 0 ||
	    !decimal_div(hundredfold, (struct decimal){.units = low->cents, .scale = 2}, 1,
			 &percent))
		return; /* a percentage of nothing or less says nothing */
	decimal_text(percent, text);
	result_add_fact(r, a,
			(struct fact){
				.name = "gap_percent",
				.label = arena_printf(a, "%s above %s", high->vendor, low->vendor),
				.value = text,
				.unit = "%",
				.formula = arena_printf(a, "%s / %s", gap_text, low_text),
			});
}

/* Absolute gap of each hour; false unless both curves have all hours. */
static bool read_gaps(const struct table *t, const struct curve *high, const struct curve *low,
		      int64_t gaps[HOURS_A_DAY])
{
	int64_t cents[2][HOURS_A_DAY];
	unsigned seen[2] = {0, 0};

	for (size_t row = 0; row < t->row_count; row++) {
		const char *text = table_cell(t, row, "Hour");
		bool of_low = is_row_of(t, row, low);
		long hour = text ? strtol(text, NULL, 10) : -1;
		if (hour < 0 || hour >= HOURS_A_DAY || (!of_low && !is_row_of(t, row, high)) ||
		    !read_cents(t, row, "AvgPrice_PerMWh", &cents[of_low][hour]))
			continue;
		seen[of_low] |= 1u << hour;
	}
	for (int hour = 0; hour < HOURS_A_DAY; hour++) {
		if (!(seen[0] >> hour & seen[1] >> hour & 1))
			return false;
		gaps[hour] = llabs(cents[0][hour] - cents[1][hour]);
	}
	return true;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * The hours where the gap is widest, as its width at half height: the run of hours around the
 * largest gap that stay above the middle between the median gap and the largest one. A gap whose
 * peak rises above the median by less than a quarter of itself is about the same all day; then
 * there are no such hours.
 */
static bool find_widest(const int64_t gaps[HOURS_A_DAY], int *first, int *last)
{
	int64_t sorted[HOURS_A_DAY];
	int at = 0;

	memcpy(sorted, gaps, sizeof(sorted));
	qsort(sorted, HOURS_A_DAY, sizeof(sorted[0]), by_size);
	int64_t median = sorted[HOURS_A_DAY / 2], largest = sorted[HOURS_A_DAY - 1];
	if ((largest - median) * 4 < largest || largest == 0)
		return false;
	while (gaps[at] != largest)
		at++;
	for (*first = at; *first > 0 && 2 * gaps[*first - 1] >= median + largest;)
		(*first)--;
	for (*last = at; *last < HOURS_A_DAY - 1 && 2 * gaps[*last + 1] >= median + largest;)
		(*last)++;
	return true;
}

/* Hours are told as hour ending: hour 15 is HE 16. */
static void add_widest(struct result *r, struct arena *a, const int64_t gaps[HOURS_A_DAY])
{
	int first, last;
	struct decimal sum = {.scale = 2}, mean;

	if (!find_widest(gaps, &first, &last))
		return;
	for (int hour = first; hour <= last; hour++)
		sum.units += gaps[hour];
	add_text(r, a, "widest_hours", "Hours where the gap is widest (hour ending)",
		 first == last ? arena_printf(a, "HE %d", first + 1)
			       : arena_printf(a, "HE %d-%d", first + 1, last + 1));
	if (!decimal_div(sum, decimal_int(last - first + 1), 2, &mean))
		return;
	result_add_fact(r, a,
			(struct fact){
				.name = "widest_gap",
				.label = "Average gap in these hours",
				.value = cents_text(a, (int64_t)mean.units),
				.unit = PRICE_UNIT,
			});
}

static void derive_comparison(struct result *r, struct arena *a)
{
	enum { VENDORS_MAX = 8 };
	const struct table *hourly = result_table(r, "hourly");
	struct curve leading[VENDORS_MAX];
	size_t count = find_leading(r->tables[0], leading, VENDORS_MAX);
	const struct curve *high = leading, *low = leading;
	int64_t gaps[HOURS_A_DAY];

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++) {
		if (leading[i].cents > high->cents)
			high = &leading[i];
		if (leading[i].cents <= low->cents)
			low = &leading[i];
		add_price(r, a, &leading[i], "average", "average", leading[i].cents);
	}
	add_text(r, a, "higher_vendor", "Higher vendor", high->vendor);
	add_text(r, a, "higher_asof", "Its as-of", high->asof);
	add_price(r, a, high, "higher_price", "higher average", high->cents);
	add_text(r, a, "lower_vendor", "Lower vendor", low->vendor);
	add_text(r, a, "lower_asof", "Its as-of", low->asof);
	add_price(r, a, low, "lower_price", "lower average", low->cents);
	add_gap(r, a, high, low);
	if (hourly && read_gaps(hourly, high, low, gaps))
		add_widest(r, a, gaps);
}

static bool compare_vendors(struct tool_call *call, struct err *e)
{
	return tool_sql_run_then(call, derive_comparison, e);
}

/* ---- get_hourly_price_distribution ---- */

static void add_hour(struct result *r, struct arena *a, const struct curve *c, const char *which,
		     const char *hour, int64_t cents)
{
	long number = hour ? strtol(hour, NULL, 10) : -1;

	if (number < 0 || number >= HOURS_A_DAY)
		return;
	add_text(r, a, arena_printf(a, "%s_hour", which),
		 arena_printf(a, "%s %s: hour of the %s price", c->vendor, c->asof, which),
		 arena_printf(a, "%ld (HE %ld)", number, number + 1));
	add_price(r, a, c, arena_printf(a, "%s_price", which),
		  arena_printf(a, "%s average of an hour", which), cents);
}

static void add_extremes(struct result *r, struct arena *a, const struct table *t,
			 const struct curve *c)
{
	const char *high_hour = NULL, *low_hour = NULL;
	int64_t high = INT64_MIN, low = INT64_MAX, cents;

	for (size_t row = 0; row < t->row_count; row++) {
		if (!is_row_of(t, row, c) || !read_cents(t, row, "AvgPrice_PerMWh", &cents))
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
		return; /* one hour, or all alike: nothing stands out */
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
	if (row == periods->row_count || !read_cents(periods, row, "PeakPrice_PerMWh", &peak) ||
	    !read_cents(periods, row, "OffPeakPrice_PerMWh", &off_peak))
		return;
	add_price(r, a, c, "peak_price", "peak average", peak);
	add_price(r, a, c, "off_peak_price", "off-peak average", off_peak);
	result_add_fact(
		r, a,
		(struct fact){
			.name = "peak_spread",
			.label = arena_printf(a, "%s %s: peak minus off-peak", c->vendor, c->asof),
			.value = cents_text(a, peak - off_peak),
			.unit = PRICE_UNIT,
			.formula = arena_printf(a, "%s - %s", cents_text(a, peak),
						cents_text(a, off_peak)),
		});
}

/* Facts of each curve in the order of the rows, so that the leading one's are found first. */
static void derive_shape(struct result *r, struct arena *a)
{
	const struct table *main = r->tables[0];
	const struct table *periods = result_table(r, "periods");
	struct curve before = {0}, c;

	for (size_t row = 0; row < main->row_count; row++) {
		if (!read_curve(main, row, &c) || (before.vendor && is_row_of(main, row, &before)))
			continue;
		if (r->fact_count + FACTS_A_CURVE > RESULT_FACTS_MAX)
			return;
		add_extremes(r, a, main, &c);
		if (periods)
			add_spread(r, a, periods, &c);
		before = c;
	}
}

static bool get_hourly_price_distribution(struct tool_call *call, struct err *e)
{
	return tool_sql_run_then(call, derive_shape, e);
}

static const struct tool_entry tools[] = {
	{"get_average_annual_price", tool_sql_run},
	{"get_hourly_price_distribution", get_hourly_price_distribution},
	{"list_available_curves", tool_sql_run},
	{"compare_vendors", compare_vendors},
	{0},
};

const struct domain dayahead_domain = {"dayahead", "domain/dayahead.md", tools};
