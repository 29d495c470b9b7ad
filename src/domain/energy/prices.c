/*
 * Prices in cents and gaps between two curves. Prices are compared as whole cents, as they are
 * displayed: a gap is the difference of the two displayed figures.
 */
#include "domain_int.h"

#include <stdlib.h>
#include <string.h>

bool domain_cents(const struct table *t, size_t row, const char *column, int64_t *cents)
{
	struct decimal d;

	if (!domain_number(t, row, column, &d))
		return false;
	d = decimal_round(d, 2);
	if (d.scale != 2 || d.units > INT64_MAX / 1000 || d.units < INT64_MIN / 1000)
		return false;
	*cents = (int64_t)d.units;
	return true;
}

static struct decimal dollars(int64_t cents)
{
	return (struct decimal){.units = cents, .scale = 2};
}

const char *domain_cents_text(struct arena *a, int64_t cents)
{
	return domain_number_text(a, dollars(cents));
}

void domain_add_price(struct result *r, struct arena *a, const char *name, const char *label,
		      int64_t cents)
{
	domain_add_number(r, a, name, label, dollars(cents), PRICE_UNIT, NULL);
}

const char *domain_money(struct arena *a, struct decimal amount)
{
	static const struct {
		int64_t size;
		const char *letter;
	} units[] = {{1000000, "M"}, {1000, "K"}, {1, ""}};
	struct decimal size = {.units = amount.units < 0 ? -amount.units : amount.units,
			       .scale = amount.scale};
	char text[DECIMAL_TEXT_BYTES];
	size_t u = 0;

	while (u < 2 && decimal_cmp(size, decimal_int(units[u].size)) < 0)
		u++;
	if (!decimal_div(size, decimal_int(units[u].size), 2, &size))
		return domain_number_text(a, amount);
	decimal_text_short(size, text);
	return arena_printf(a, "%s$%s%s", amount.units < 0 ? "-" : "", text, units[u].letter);
}

const char *domain_hours_words(struct arena *a, int first, int last)
{
	if (first == last)
		return arena_printf(a, "%d (HE %d)", first, first + 1);
	return arena_printf(a, "%d-%d (HE %d-%d)", first, last, first + 1, last + 1);
}

void domain_add_gap(struct result *r, struct arena *a, const char *high, int64_t high_cents,
		    const char *low, int64_t low_cents)
{
	struct decimal gap = dollars(high_cents - low_cents);

	domain_add_number(r, a, "gap", arena_printf(a, "%s minus %s", high, low), gap, PRICE_UNIT,
			  arena_printf(a, "%s - %s", domain_cents_text(a, high_cents),
				       domain_cents_text(a, low_cents)));
	domain_add_percent(r, a, "gap_percent", arena_printf(a, "%s above %s", high, low), gap,
			   dollars(low_cents));
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Finds the hours with the widest gap, as full width at half maximum: the run of hours around the
 * largest gap above the midpoint of median and largest gap. If the largest gap exceeds the median
 * by less than a quarter of itself, the gap is about the same all day and there are no such hours.
 */
static bool find_widest(const int64_t gaps[HOURS_PER_DAY], int *first, int *last)
{
	int64_t sorted[HOURS_PER_DAY];
	int at = 0;

	memcpy(sorted, gaps, sizeof(sorted));
	qsort(sorted, HOURS_PER_DAY, sizeof(sorted[0]), by_size);
	int64_t median = sorted[HOURS_PER_DAY / 2], largest = sorted[HOURS_PER_DAY - 1];
	if ((largest - median) * 4 < largest || largest == 0)
		return false;
	while (gaps[at] != largest)
		at++;
	for (*first = at; *first > 0 && 2 * gaps[*first - 1] >= median + largest;)
		(*first)--;
	for (*last = at; *last < HOURS_PER_DAY - 1 && 2 * gaps[*last + 1] >= median + largest;)
		(*last)++;
	return true;
}

void domain_add_widest(struct result *r, struct arena *a, const int64_t gaps[HOURS_PER_DAY])
{
	int first, last;
	struct decimal sum = {.scale = 2}, mean;

	if (!find_widest(gaps, &first, &last))
		return;
	for (int hour = first; hour <= last; hour++)
		sum.units += gaps[hour];
	domain_add_text(r, a, "widest_hours", "Hours where the gap is widest",
			arena_printf(a, first == last ? "hour %s" : "hours %s",
				     domain_hours_words(a, first, last)));
	if (!decimal_div(sum, decimal_int(last - first + 1), 2, &mean))
		return;
	result_add_fact(r, a,
			(struct fact){
				.name = "widest_gap",
				.label = "Average gap in these hours",
				.value = domain_cents_text(a, (int64_t)mean.units),
				.unit = PRICE_UNIT,
			});
}
