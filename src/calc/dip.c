/*
 * The dip of a distribution. The distribution function is compared with its greatest convex
 * minorant from the left and its least concave majorant from the right. The modal interval shrinks
 * until the two are as close to each other as to the function outside it.
 */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_cluster.h"

/* Sorted values, indexed from 0; heights are counted in ranks. */
struct hull {
	const double *x;
	size_t n;
	size_t *before; /* of the convex minorant: the previous corner */
	size_t *after;  /* of the concave majorant: the next corner */
};

/* True if corner b is above the line from a to c, so that the minorant skips it. */
static bool is_above(const double *x, size_t a, size_t b, size_t c)
{
	return (x[c] - x[b]) * (double)(b - a) >= (x[b] - x[a]) * (double)(c - b);
}

static void build_hull(struct hull *h)
{
	h->before[0] = 0;
	for (size_t j = 1; j < h->n; j++) {
		h->before[j] = j - 1;
		while (h->before[j] > 0 && is_above(h->x, h->before[h->before[j]], h->before[j], j))
			h->before[j] = h->before[h->before[j]];
	}
	h->after[h->n - 1] = h->n - 1;
	for (size_t k = h->n - 1; k-- > 0;) {
		h->after[k] = k + 1;
		/* The same from the other end, where x falls. */
		while (h->after[k] < h->n - 1 &&
		       (h->x[h->after[k]] - h->x[k]) *
				       (double)(h->after[h->after[k]] - h->after[k]) >=
			       (h->x[h->after[h->after[k]]] - h->x[h->after[k]]) *
				       (double)(h->after[k] - k))
			h->after[k] = h->after[h->after[k]];
	}
}

/* Corners of the two hulls between low and high: of the minorant downwards, of the majorant
 * upwards. */
struct corners {
	size_t *down, *up;
	size_t downs, ups;
};

static void collect_corners(const struct hull *h, size_t low, size_t high, struct corners *c)
{
	c->downs = c->ups = 0;
	for (size_t i = high;; i = h->before[i]) {
		c->down[c->downs++] = i;
		if (i <= low)
			break;
	}
	for (size_t i = low;; i = h->after[i]) {
		c->up[c->ups++] = i;
		if (i >= high)
			break;
	}
}

static double rise(const double *x, size_t a, size_t b, size_t at)
{
	return x[b] > x[a] ? (x[at] - x[a]) * (double)(b - a) / (x[b] - x[a]) : 0;
}

/* The greatest distance between the two hulls, and the corners where the modal interval then starts
 * (of `down`) and ends (of `up`). */
static double greatest_distance(const double *x, const struct corners *c, size_t *from, size_t *to)
{
	size_t ix = c->downs - 2, iv = 1;
	double d = 0;

	*from = c->downs - 1;
	*to = c->ups - 1;
	if (c->downs == 2 && c->ups == 2)
		return 1;
	do {
		size_t g = c->down[ix], l = c->up[iv];
		double dx;

		if (g > l) {
			size_t below = c->down[ix + 1];

			dx = (double)(l - below) + 1 - rise(x, below, g, l);
			iv++;
			if (dx >= d) {
				d = dx;
				*from = ix + 1;
				*to = iv - 1;
			}
		} else {
			size_t above = c->up[iv - 1];

			dx = rise(x, above, l, g) - ((double)g - (double)above - 1);
			if (dx >= d) {
				d = dx;
				*from = ix;
				*to = iv;
			}
			if (ix > 0)
				ix--;
		}
		if (iv > c->ups - 1)
			iv = c->ups - 1;
	} while (c->down[ix] != c->up[iv]);
	return d;
}

/* The distance of the function from the hulls outside the modal interval. */
static double outside_distance(const double *x, const struct corners *c, size_t from, size_t to)
{
	double greatest = 0;

	for (size_t j = from; j + 1 < c->downs; j++) {
		size_t a = c->down[j + 1], b = c->down[j];

		greatest = fmax(greatest, 1);
		for (size_t i = a; b - a > 1 && x[b] > x[a] && i <= b; i++)
			greatest = fmax(greatest, (double)(i - a) + 1 - rise(x, a, b, i));
	}
	for (size_t j = to; j + 1 < c->ups; j++) {
		size_t a = c->up[j], b = c->up[j + 1];

		greatest = fmax(greatest, 1);
		for (size_t i = a; b - a > 1 && x[b] > x[a] && i <= b; i++)
			greatest = fmax(greatest, rise(x, a, b, i) - ((double)i - (double)a - 1));
	}
	return greatest;
}

static double dip_of(struct hull *h, struct corners *c)
{
	size_t low = 0, high = h->n - 1, from, to;
	double dip = 1;

	build_hull(h);
	for (;;) {
		double d;

		collect_corners(h, low, high, c);
		d = greatest_distance(h->x, c, &from, &to);
		if (d < dip)
			break;
		dip = fmax(dip, outside_distance(h->x, c, from, to));
		if (low == c->down[from] && high == c->up[to])
			break;
		low = c->down[from];
		high = c->up[to];
		if (low >= high)
			break;
	}
	return dip / (2 * (double)h->n);
}

/* ---- p-values ---- */

#include "dip_table.h"

/* A quantile of √n·dip, interpolated between the table's sizes by the logarithm. */
static double quantile(size_t n, size_t column)
{
	double at = log((double)n), below, above;
	size_t i = 0;

	while (i + 1 < DIP_SIZES && dip_sizes[i + 1] <= n)
		i++;
	if (i + 1 == DIP_SIZES)
		return dip_quantiles[i][column];
	below = log((double)dip_sizes[i]);
	above = log((double)dip_sizes[i + 1]);
	return dip_quantiles[i][column] +
	       (at - below) / (above - below) *
		       (dip_quantiles[i + 1][column] - dip_quantiles[i][column]);
}

static double p_of(double dip, size_t n)
{
	double x = sqrt((double)n) * dip, p = 1, q = 0;

	for (size_t i = 0; i < DIP_COLUMNS; i++) {
		double next = quantile(n, i);

		if (x < next)
			return p + (x - q) / (next - q) * (dip_p[i] - p);
		p = dip_p[i];
		q = next;
	}
	return p;
}

bool calc_dip(const struct calc *c, const double *values, size_t n, struct calc_dip *out,
	      struct err *e)
{
	struct calc_dip d = {.p = 1};
	struct hull h;
	struct corners corners;
	double *x;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &x, &d.n, e) ||
	    !calc_sort(c, x, d.n, e))
		return false;
	d.status = d.n < CALC_DIP_MIN ? CALC_TOO_FEW : x[0] == x[d.n - 1] ? CALC_CONSTANT : CALC_OK;
	if (d.status == CALC_OK) {
		h = (struct hull){x, d.n, arena_alloc(c->arena, d.n * sizeof(size_t)),
				  arena_alloc(c->arena, d.n * sizeof(size_t))};
		corners.down = arena_alloc(c->arena, (d.n + 1) * sizeof(size_t));
		corners.up = arena_alloc(c->arena, (d.n + 1) * sizeof(size_t));
		d.dip = dip_of(&h, &corners);
		d.p = p_of(d.dip, d.n);
	}
	*out = d;
	return !calc_is_cancelled(c, e);
}
