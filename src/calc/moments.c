/* Moments, a test for a normal distribution, and the concentration of totals. */
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_summary.h"

/* The deviation of G1 from its value in normal samples of this size, as a normal deviate
 * (D'Agostino 1970). */
static double skewness_z(double g1, double n)
{
	double y = g1 * sqrt((n + 1) * (n + 3) / (6 * (n - 2)));
	double beta2 = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) /
		       ((n - 2) * (n + 5) * (n + 7) * (n + 9));
	double w2 = sqrt(2 * (beta2 - 1)) - 1;

	return asinh(y * sqrt((w2 - 1) / 2)) / sqrt(log(w2) / 2);
}

/* The same for the kurtosis b2 (Anscombe & Glynn 1983). */
static double kurtosis_z(double b2, double n)
{
	double expected = 3 * (n - 1) / (n + 1);
	double variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5));
	double x = (b2 - expected) / sqrt(variance);
	double b1 = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) *
		    sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)));
	double a = 6 + 8 / b1 * (2 / b1 + sqrt(1 + 4 / (b1 * b1)));
	double root = (1 - 2 / a) / (1 + x * sqrt(2 / (a - 4)));

	return (1 - 2 / (9 * a) - cbrt(root)) / sqrt(2 / (9 * a));
}

/* Scales deviations by the largest one, so that their powers neither overflow nor underflow. */
static void compute_shape(const double *values, size_t count, struct calc_moments *m)
{
	struct calc_sum power[5] = {0};
	double n = (double)count, largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(values[i] - m->mean));
	if (largest == 0) {
		m->status = CALC_CONSTANT;
		m->sd = count > 1 ? 0 : NAN;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		double d = (values[i] - m->mean) / largest;
		calc_sum_add(&power[2], d * d);
		calc_sum_add(&power[3], d * d * d);
		calc_sum_add(&power[4], d * d * d * d);
	}
	double m2 = calc_sum_total(&power[2]) / n;
	double g1 = calc_sum_total(&power[3]) / n / (m2 * sqrt(m2));
	double b2 = calc_sum_total(&power[4]) / n / (m2 * m2);
	m->sd = largest * sqrt(m2 * n / (n - 1));
	if (count > 2)
		m->skewness = g1 * sqrt(n * (n - 1)) / (n - 2);
	if (count > 3)
		m->kurtosis = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (b2 - 3) + 6);
	if (count < CALC_NORMAL_MIN)
		return;
	double zs = skewness_z(g1, n), zk = kurtosis_z(b2, n);
	m->k2 = zs * zs + zk * zk;
	m->normal_p = exp(-m->k2 / 2);
}

/* The mean of equal values must be that value, even if their sum was rounded. */
static bool all_equal(const double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

bool calc_moments(const struct calc *c, const double *values, size_t n, struct calc_moments *out,
		  struct err *e)
{
	struct calc_moments m = {.mean = NAN,
				 .sd = NAN,
				 .skewness = NAN,
				 .kurtosis = NAN,
				 .k2 = NAN,
				 .normal_p = NAN};
	double *present;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &present, &m.n, e))
		return false;
	if (m.n == 0) {
		m.status = CALC_TOO_FEW;
	} else {
		struct calc_sum sum = {0};
		for (size_t i = 0; i < m.n; i++)
			calc_sum_add(&sum, present[i]);
		m.sum = calc_sum_total(&sum);
		m.mean = all_equal(present, m.n) ? present[0] : m.sum / (double)m.n;
		compute_shape(present, m.n, &m);
	}
	*out = m;
	return true;
}

/* The share of the `count` largest values. */
static double top_share(const double *sorted, size_t n, size_t count, double total)
{
	struct calc_sum sum = {0};

	for (size_t i = n - count; i < n; i++)
		calc_sum_add(&sum, sorted[i]);
	return calc_sum_total(&sum) / total;
}

static void compute_concentration(const double *sorted, struct calc_concentration *o)
{
	struct calc_sum gini = {0}, hhi = {0}, covered = {0};
	size_t n = o->n;
	double count = (double)n;

	for (size_t i = 0; i < n; i++) {
		double share = sorted[i] / o->total;
		calc_sum_add(&gini, (2 * (double)(i + 1) - count - 1) * share);
		calc_sum_add(&hhi, share * share);
	}
	o->gini = calc_sum_total(&gini) / count;
	o->hhi = calc_sum_total(&hhi);
	o->top10_share = top_share(sorted, n, (n + 9) / 10, o->total);
	o->top20_share = top_share(sorted, n, (n + 4) / 5, o->total);
	/* Tolerates rounding of a sum that is exactly 80 %. */
	while (o->n_for_80 < n && calc_sum_total(&covered) < 0.8 * o->total * (1 - 1e-12))
		calc_sum_add(&covered, sorted[n - ++o->n_for_80]);
}

bool calc_concentration(const struct calc *c, const double *values, size_t n,
			struct calc_concentration *out, struct err *e)
{
	struct calc_concentration o = {
		.gini = NAN, .hhi = NAN, .top10_share = NAN, .top20_share = NAN};
	struct calc_sum total = {0};
	size_t negative = 0;
	double *sorted;

	if (!calc_check_and_copy(c, values, n, CALC_VALUES_MAX, &sorted, &o.n, e) ||
	    !calc_sort(c, sorted, o.n, e))
		return false;
	while (negative < o.n && sorted[negative] < 0)
		negative++;
	if (negative > 0)
		return err_set(
			e, ERR_INPUT,
			"%zu of %zu values are negative; shares of a total cannot be computed.",
			negative, o.n);
	for (size_t i = 0; i < o.n; i++)
		calc_sum_add(&total, sorted[i]);
	o.total = calc_sum_total(&total);
	if (o.n < CALC_CONCENTRATION_MIN)
		o.status = CALC_TOO_FEW;
	else if (o.total == 0)
		o.status = CALC_ZERO;
	else
		compute_concentration(sorted, &o);
	*out = o;
	return true;
}
