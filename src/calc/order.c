/* A stable sort that can be cancelled, ranks, and single order statistics. */
#include "calc_int.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define RUN_ITEMS 16 /* length of runs that are sorted by insertion before merging */

static void insertion_sort(struct calc_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct calc_item item = items[i];
		size_t at = i;
		for (; at > 0 && items[at - 1].value > item.value; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

static void merge(const struct calc_item *left, const struct calc_item *right,
		  const struct calc_item *end, struct calc_item *out)
{
	const struct calc_item *l = left, *r = right;

	while (l < right && r < end)
		*out++ = r->value < l->value ? *r++ : *l++;
	memcpy(out, l, (size_t)(right - l) * sizeof(*out));
	memcpy(out + (right - l), r, (size_t)(end - r) * sizeof(*out));
}

bool calc_sort_items(const struct calc *c, struct calc_item *items, struct calc_item *spare,
		     size_t n, struct err *e)
{
	struct calc_item *from = items, *to = spare;
	size_t work = 0;

	for (size_t at = 0; at < n; at += RUN_ITEMS)
		insertion_sort(items + at, n - at < RUN_ITEMS ? n - at : RUN_ITEMS);
	for (size_t run = RUN_ITEMS; run < n; run *= 2) {
		for (size_t at = 0; at < n; at += 2 * run) {
			size_t middle = n - at < run ? n : at + run;
			size_t end = n - at < 2 * run ? n : at + 2 * run;
			merge(from + at, from + middle, from + end, to + at);
			if (calc_is_cancelled_after(c, &work, end - at, e))
				return false;
		}
		struct calc_item *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	return true;
}

/* The values that are not NULL with their rows, sorted. */
static bool sorted_items(const struct calc *c, const double *values, size_t n,
			 struct calc_item **out, size_t *present, struct err *e)
{
	struct calc_item *items = arena_alloc(c->arena, n * sizeof(*items));
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!calc_is_null(values[i]))
			items[count++] = (struct calc_item){values[i], (uint32_t)i};
	if (!calc_sort_items(c, items, arena_alloc(c->arena, count * sizeof(*items)), count, e))
		return false;
	*out = items;
	*present = count;
	return true;
}

bool calc_sort(const struct calc *c, double *values, size_t n, struct err *e)
{
	struct calc_item *items;
	size_t present;

	if (!sorted_items(c, values, n, &items, &present, e))
		return false;
	assert(present == n);
	for (size_t i = 0; i < n; i++)
		values[i] = items[i].value;
	return true;
}

bool calc_order(const struct calc *c, const double *values, size_t n, uint32_t **rows,
		size_t *present, struct err *e)
{
	struct calc_item *items;

	if (!calc_check(c, values, n, CALC_VALUES_MAX, e) ||
	    !sorted_items(c, values, n, &items, present, e))
		return false;
	*rows = arena_alloc(c->arena, *present * sizeof(**rows));
	for (size_t i = 0; i < *present; i++)
		(*rows)[i] = items[i].row;
	return true;
}

bool calc_ranks(const struct calc *c, const double *values, size_t n, double **ranks, double *ties,
		struct err *e)
{
	struct calc_item *items;
	size_t present, end;
	double tied = 0;

	if (!calc_check(c, values, n, CALC_VALUES_MAX, e) ||
	    !sorted_items(c, values, n, &items, &present, e))
		return false;
	*ranks = calc_doubles(c, n);
	for (size_t i = 0; i < n; i++)
		(*ranks)[i] = NAN;
	for (size_t start = 0; start < present; start = end) {
		for (end = start + 1; end < present && items[end].value == items[start].value;)
			end++;
		double t = (double)(end - start);
		tied += t * t * t - t;
		for (size_t i = start; i < end; i++)
			(*ranks)[items[i].row] = (double)(start + 1 + end) / 2;
	}
	if (ties)
		*ties = tied;
	return true;
}

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

bool calc_select(const struct calc *c, double *values, size_t n, size_t k, double *out,
		 struct err *e)
{
	struct calc_rng r = calc_rng_new(0);
	size_t first = 0, last = n - 1;

	assert(k < n);
	while (first < last) {
		double pivot = values[first + calc_rng_below(&r, last - first + 1)];
		size_t below = first, at = first, above = last + 1;
		/* Three parts (smaller, equal, greater), so that many equal values cost nothing
		 * extra. */
		while (at < above) {
			if (values[at] < pivot)
				swap(&values[below++], &values[at++]);
			else if (values[at] > pivot)
				swap(&values[--above], &values[at]);
			else
				at++;
		}
		if (calc_is_cancelled(c, e))
			return false;
		if (k < below)
			last = below - 1;
		else if (k >= above)
			first = above;
		else
			break;
	}
	*out = values[k];
	return true;
}

double calc_small_median(double *values, size_t n)
{
	assert(n > 0);
	for (size_t i = 1; i < n; i++) {
		double value = values[i];
		size_t at = i;
		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
	return n % 2 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

bool calc_big_median(const struct calc *c, double *values, size_t n, double *out, struct err *e)
{
	double low, high;

	if (!calc_select(c, values, n, (n - 1) / 2, &low, e) ||
	    !calc_select(c, values, n, n / 2, &high, e))
		return false;
	*out = low / 2 + high / 2;
	return true;
}
