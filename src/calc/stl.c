/*
 * STL: A Seasonal-Trend Decomposition Procedure Based on Loess (Cleveland, Cleveland, McRae &
 * Terpenning, Journal of Official Statistics 6, 1990). Constants 0.999 and 0.001 are those of the
 * authors' program.
 */
#include "stl.h"

#include <math.h>
#include <string.h>

#define SEASON_SPAN  7
#define INNER_ROUNDS 2
#define OUTER_ROUNDS 15

/* Points left..right (from 0), to which one point is fitted. */
struct neighbours {
	const double *y;
	const double *weights;
	size_t n;
	size_t span;
	size_t left;
	size_t right;
};

/* Weights of the neighbours by their distance from x, from the leftmost one on. */
static void tricubes(const struct neighbours *p, double x, double *out)
{
	double reach = fmax(x - (double)p->left, (double)p->right - x);

	if (p->span > p->n)
		reach += (double)((p->span - p->n) / 2);
	for (size_t i = p->left; i <= p->right; i++) {
		double away = fabs((double)i - x), u = reach > 0 ? away / reach : 0;
		double tricube = u > 0.999 ? 0 : u <= 0.001 ? 1 : 1 - u * u * u;

		out[i - p->left] = tricube * tricube * tricube;
	}
}

/* Fits a line to the neighbours with tricube weights, and evaluates it at x (0: the first point; -1
 * and n are outside). False: none has weight. */
static bool fit(const struct neighbours *p, double x, const double *tricube, double *w, double *out)
{
	double total = 0, centre = 0, spread = 0, value = 0;

	for (size_t i = p->left; i <= p->right; i++) {
		w[i] = tricube[i - p->left] * (p->weights ? p->weights[i] : 1);
		total += w[i];
	}
	if (total <= 0)
		return false;
	for (size_t i = p->left; i <= p->right; i++) {
		w[i] /= total;
		centre += w[i] * (double)i;
	}
	for (size_t i = p->left; i <= p->right; i++)
		spread += w[i] * ((double)i - centre) * ((double)i - centre);
	/* With all weight in one place, only a level is fitted. */
	double tilt = sqrt(spread) > 0.001 * (double)(p->n - 1) ? (x - centre) / spread : 0;
	for (size_t i = p->left; i <= p->right; i++)
		value += w[i] * (1 + tilt * ((double)i - centre)) * p->y[i];
	*out = value;
	return true;
}

bool calc_loess(const struct calc *c, const double *y, size_t n, size_t span, const double *weights,
		double *out, size_t *work, struct err *e)
{
	size_t width = span < n ? span : n;
	struct neighbours p = {.y = y, .weights = weights, .n = n, .span = span};
	double *w = calc_doubles(c, n), *tricube = calc_doubles(c, width + 1);
	size_t previous_offset =
		n; /* offset of the last point in its window; while it stays, so do the weights */

	for (size_t i = 0; i < n; i++) {
		/* The window moves once the point is at its centre, until it reaches the end. */
		size_t half = (span + 1) / 2;
		p.left = span < n && i + 1 > half ? i + 1 - half : 0;
		if (p.left + width > n)
			p.left = n - width;
		p.right = p.left + width - 1;
		if (i - p.left != previous_offset)
			tricubes(&p, (double)i, tricube);
		previous_offset = i - p.left;
		if (!fit(&p, (double)i, tricube, w, &out[i]))
			out[i] = y[i];
		if (calc_is_cancelled_after(c, work, width, e))
			return false;
	}
	return true;
}

/* Working memory of one decomposition. */
struct stl {
	const double *y;
	const double *has_value;
	size_t n;
	size_t period;
	size_t trend_span;
	size_t low_span;
	double *weights;
	double *residual; /* n */
	double *cycle;    /* n + 2 periods: the season, one period longer at each end */
	double *pass_a;   /* the same length */
	double *pass_b;
	double *sub; /* one position of all periods */
	double *sub_weights;
	double *sub_out; /* and one more at each end */
	size_t work;
};

/* Smooths each position of the period separately, one period further at both ends. */
static bool smooth_cycles(const struct calc *c, struct stl *s, struct err *e)
{
	for (size_t at = 0; at < s->period; at++) {
		size_t k = (s->n - at + s->period - 1) / s->period;
		for (size_t i = 0; i < k; i++) {
			s->sub[i] = s->residual[i * s->period + at];
			s->sub_weights[i] = s->weights[i * s->period + at];
		}
		if (!calc_loess(c, s->sub, k, SEASON_SPAN, s->sub_weights, s->sub_out + 1, &s->work,
				e))
			return false;
		struct neighbours p = {s->sub, s->sub_weights, k, SEASON_SPAN, 0, 0};
		p.right = (k < SEASON_SPAN ? k : SEASON_SPAN) - 1;
		tricubes(&p, -1, s->pass_b);
		if (!fit(&p, -1, s->pass_b, s->pass_a, &s->sub_out[0]))
			s->sub_out[0] = s->sub_out[1];
		p.left = k > SEASON_SPAN ? k - SEASON_SPAN : 0;
		p.right = k - 1;
		tricubes(&p, (double)k, s->pass_b);
		if (!fit(&p, (double)k, s->pass_b, s->pass_a, &s->sub_out[k + 1]))
			s->sub_out[k + 1] = s->sub_out[k];
		for (size_t i = 0; i < k + 2; i++)
			s->cycle[i * s->period + at] = s->sub_out[i];
	}
	return true;
}

/* Moving averages over `width` values; there are n - width + 1. */
static size_t moving_mean(const double *x, size_t n, size_t width, double *out)
{
	struct calc_sum sum = {0};

	for (size_t i = 0; i < n; i++) {
		calc_sum_add(&sum, x[i]);
		if (i >= width)
			calc_sum_add(&sum, -x[i - width]);
		if (i + 1 >= width)
			out[i + 1 - width] = calc_sum_total(&sum) / (double)width;
	}
	return n - width + 1;
}

static bool inner_round(const struct calc *c, struct stl *s, double *season, double *trend,
			struct err *e)
{
	for (size_t i = 0; i < s->n; i++)
		s->residual[i] = s->y[i] - trend[i];
	if (!smooth_cycles(c, s, e))
		return false;
	size_t m = moving_mean(s->cycle, s->n + 2 * s->period, s->period, s->pass_a);
	m = moving_mean(s->pass_a, m, s->period, s->pass_b);
	m = moving_mean(s->pass_b, m, 3, s->pass_a);
	if (!calc_loess(c, s->pass_a, m, s->low_span, NULL, s->pass_b, &s->work, e))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		season[i] = s->cycle[s->period + i] - s->pass_b[i];
		s->residual[i] = s->y[i] - season[i];
	}
	return calc_loess(c, s->residual, s->n, s->trend_span, s->weights, trend, &s->work, e);
}

/* Bisquare weights by the remainder: zero from six median deviations on. */
static bool robust_weights(const struct calc *c, struct stl *s, const double *season,
			   const double *trend, struct err *e)
{
	double median;
	size_t count = 0;

	for (size_t i = 0; i < s->n; i++) {
		s->residual[i] = fabs(s->y[i] - season[i] - trend[i]);
		if (s->has_value[i] > 0)
			s->pass_a[count++] = s->residual[i];
	}
	if (!calc_big_median(c, s->pass_a, count, &median, e))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		double u = median > 0 ? s->residual[i] / (6 * median) : s->residual[i] > 0;
		double w = u <= 0.001 ? 1 : u > 0.999 ? 0 : (1 - u * u) * (1 - u * u);
		s->weights[i] = w * s->has_value[i];
	}
	return true;
}

static size_t next_odd(double min)
{
	size_t n = (size_t)ceil(min);

	return n | 1;
}

bool calc_stl(const struct calc *c, const double *y, const double *has_value, size_t n,
	      size_t period, double *season, double *trend, struct err *e)
{
	size_t longest = n + 2 * period;
	struct stl s = {
		.y = y,
		.has_value = has_value,
		.n = n,
		.period = period,
		.trend_span = next_odd(1.5 * (double)period / (1 - 1.5 / SEASON_SPAN)),
		.low_span = next_odd((double)period),
		.weights = calc_doubles(c, n),
		.residual = calc_doubles(c, n),
		.cycle = calc_doubles(c, longest + period),
		.pass_a = calc_doubles(c, longest),
		.pass_b = calc_doubles(c, longest),
		.sub = calc_doubles(c, n),
		.sub_weights = calc_doubles(c, n),
		.sub_out = calc_doubles(c, n + 2),
	};
	memcpy(s.weights, has_value, n * sizeof(*has_value));
	memset(trend, 0, n * sizeof(*trend));
	for (int outer = 0; outer <= OUTER_ROUNDS; outer++) {
		if (outer > 0 && !robust_weights(c, &s, season, trend, e))
			return false;
		for (int inner = 0; inner < INNER_ROUNDS; inner++)
			if (!inner_round(c, &s, season, trend, e))
				return false;
	}
	return true;
}
