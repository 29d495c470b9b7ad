/* Mann–Kendall, Theil–Sen, and the trend that follows from both. */
#include <assert.h>
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_trend.h"

#define EXACT_N_MAX    10
#define INVERSIONS_MAX (EXACT_N_MAX * (EXACT_N_MAX - 1) / 2)
#define CORRECTED_MIN  20
#define ALPHA          0.05
#define Z_95           1.959963984540054
#define STABLE_SHARE   0.01

static double sign(double x)
{
	return (x > 0) - (x < 0);
}

/* Two-sided p of S: the share of all orders of n different values that have at most that many
 * inversions. */
static double exact_p(size_t n, double s)
{
	double orders[INVERSIONS_MAX + 1] = {1}, all = 1, extreme = 0;
	size_t pairs = n * (n - 1) / 2, inversions_max = (size_t)(((double)pairs - fabs(s)) / 2);

	for (size_t size = 2; size <= n; size++) {
		double next[INVERSIONS_MAX + 1] = {0};
		for (size_t k = 0; k <= pairs; k++)
			for (size_t moved = 0; moved < size && moved <= k; moved++)
				next[k] += orders[k - moved];
		for (size_t k = 0; k <= pairs; k++)
			orders[k] = next[k];
		all *= (double)size;
	}
	for (size_t k = 0; k <= inversions_max; k++)
		extreme += orders[k];
	return fmin(1, 2 * extreme / all);
}

static double normal_p(struct calc_mann_kendall *m)
{
	m->z = m->s == 0 ? 0 : (m->s - sign(m->s)) / sqrt(m->var_s);
	return calc_normal_two_sided(m->z);
}

/* Σ t(t-1)(2t+5) over groups of t equal values. */
static bool tie_terms(const struct calc *c, const double *values, size_t n, double *out,
		      struct err *e)
{
	double *sorted = calc_doubles(c, n), sum = 0;
	size_t end;

	for (size_t i = 0; i < n; i++)
		sorted[i] = values[i];
	if (!calc_sort(c, sorted, n, e))
		return false;
	for (size_t start = 0; start < n; start = end) {
		for (end = start + 1; end < n && sorted[end] == sorted[start];)
			end++;
		double t = (double)(end - start);
		sum += t * (t - 1) * (2 * t + 5);
	}
	*out = sum;
	return true;
}

bool calc_mann_kendall(const struct calc *c, const double *values, size_t n,
		       struct calc_mann_kendall *out, struct err *e)
{
	struct calc_mann_kendall m = {.z = NAN, .p = NAN};
	double *x, ties;
	size_t work = 0;

	if (!calc_check_and_copy(c, values, n, CALC_PAIRS_MAX, &x, &m.n, e) ||
	    !tie_terms(c, x, m.n, &ties, e))
		return false;
	for (size_t i = 0; i < m.n; i++) {
		for (size_t j = i + 1; j < m.n; j++)
			m.s += sign(x[j] - x[i]);
		if (calc_is_cancelled_after(c, &work, m.n - i, e))
			return false;
	}
	double count = (double)m.n;
	m.var_s = (count * (count - 1) * (2 * count + 5) - ties) / 18;
	if (m.n < CALC_MANN_KENDALL_MIN) {
		m.status = CALC_TOO_FEW;
	} else if (m.var_s == 0) {
		m.status = CALC_CONSTANT;
		m.z = 0;
		m.p = 1;
	} else {
		m.p = normal_p(&m);
		m.is_exact = m.n <= EXACT_N_MAX && ties == 0;
		if (m.is_exact)
			m.p = exact_p(m.n, m.s);
	}
	*out = m;
	return true;
}

/* Points without NULLs, and the slopes of all pairs with different x. */
struct points {
	double *x;
	double *y;
	size_t n;
	double *slopes;
	size_t slope_count;
};

static bool read_points(const struct calc *c, const double *x, const double *y, size_t n,
			struct points *p, struct err *e)
{
	if (!calc_check(c, y, n, CALC_PAIRS_MAX, e) ||
	    (x && !calc_check(c, x, n, CALC_PAIRS_MAX, e)))
		return false;
	*p = (struct points){.x = calc_doubles(c, n), .y = calc_doubles(c, n)};
	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(y[i]) || (x && calc_is_null(x[i])))
			continue;
		p->x[p->n] = x ? x[i] : (double)i;
		p->y[p->n++] = y[i];
	}
	p->slopes = p->n ? calc_doubles(c, p->n * (p->n - 1) / 2) : NULL;
	size_t work = 0;
	for (size_t i = 0; i < p->n; i++) {
		for (size_t j = i + 1; j < p->n; j++) {
			double slope = (p->y[j] - p->y[i]) / (p->x[j] - p->x[i]);
			if (isfinite(slope)) /* x differ by more than the last bits of a double */
				p->slopes[p->slope_count++] = slope;
		}
		if (calc_is_cancelled_after(c, &work, p->n - i, e))
			return false;
	}
	return true;
}

/* The interval's ends are order statistics of the slopes, z·√Var S apart (Sen 1968). */
static bool slope_interval(const struct calc *c, struct points *p, struct calc_theil_sen *o,
			   struct err *e)
{
	double ties_x, ties_y, n = (double)p->n, count = (double)p->slope_count;

	if (!tie_terms(c, p->x, p->n, &ties_x, e) || !tie_terms(c, p->y, p->n, &ties_y, e))
		return false;
	double variance = (n * (n - 1) * (2 * n + 5) - ties_x - ties_y) / 18;
	double reach = Z_95 * sqrt(fmax(0, variance));
	double low = fmax(0, nearbyint((count - reach) / 2) - 1);
	double high = fmin(count - 1, nearbyint((count + reach) / 2));
	return calc_select(c, p->slopes, p->slope_count, (size_t)low, &o->low, e) &&
	       calc_select(c, p->slopes, p->slope_count, (size_t)high, &o->high, e);
}

bool calc_theil_sen(const struct calc *c, const double *x, const double *y, size_t n,
		    struct calc_theil_sen *out, struct err *e)
{
	struct calc_theil_sen o = {.slope = NAN, .intercept = NAN, .low = NAN, .high = NAN};
	struct points p;
	double x_median, y_median;

	if (!read_points(c, x, y, n, &p, e))
		return false;
	o.n = p.n;
	if (p.n < CALC_THEIL_SEN_MIN || p.slope_count == 0) {
		o.status = CALC_TOO_FEW;
		*out = o;
		return true;
	}
	if (!calc_big_median(c, p.slopes, p.slope_count, &o.slope, e) ||
	    !slope_interval(c, &p, &o, e) || !calc_big_median(c, p.x, p.n, &x_median, e) ||
	    !calc_big_median(c, p.y, p.n, &y_median, e))
		return false;
	o.intercept = y_median - o.slope * x_median;
	*out = o;
	return true;
}

/* The factor of Var S for autocorrelated ranks around the slope; 1: none. Lags count values that
 * are not NULL; a NULL in between is skipped. */
static bool hamed_rao(const struct calc *c, const double *values, size_t n, double slope,
		      double *factor, struct err *e)
{
	double *residuals = calc_doubles(c, n), *ranks;
	size_t count = 0, work = 0;

	*factor = 1;
	for (size_t i = 0; i < n; i++)
		if (!calc_is_null(values[i]))
			residuals[count++] = values[i] - slope * (double)i;
	if (count < CORRECTED_MIN)
		return true;
	if (!calc_ranks(c, residuals, count, &ranks, NULL, e))
		return false;
	double m = (double)count, mean = (m + 1) / 2, variance = 0, sum = 0;
	for (size_t i = 0; i < count; i++) {
		ranks[i] -= mean;
		variance += ranks[i] * ranks[i];
	}
	for (size_t lag = 1; variance > 0 && lag < count; lag++) {
		double product = 0, l = (double)lag;
		for (size_t i = lag; i < count; i++)
			product += ranks[i] * ranks[i - lag];
		double r = product / variance;
		if (lag == 1 && r <= Z_95 / sqrt(m))
			return true;
		if (fabs(r) > Z_95 / sqrt(m))
			sum += (m - l) * (m - l - 1) * (m - l - 2) * r;
		if (calc_is_cancelled_after(c, &work, count - lag, e))
			return false;
	}
	*factor = 1 + 2 / (m * (m - 1) * (m - 2)) * sum;
	return true;
}

static enum calc_direction direction_of(const struct calc_trend *t, double median)
{
	double band = STABLE_SHARE * fabs(median);

	if (t->kendall.p < ALPHA && (t->line.low > 0 || t->line.high < 0))
		return t->line.low > 0 ? CALC_UP : CALC_DOWN;
	return t->line.low >= -band && t->line.high <= band ? CALC_STABLE : CALC_NO_DIRECTION;
}

bool calc_trend(const struct calc *c, const double *values, size_t n, struct calc_trend *out,
		struct err *e)
{
	struct calc_trend t = {0};
	double factor, median, *present;
	size_t count;
	bool gaps;

	if (!calc_mann_kendall(c, values, n, &t.kendall, e) ||
	    !calc_theil_sen(c, NULL, values, n, &t.line, e))
		return false;
	gaps = n >= CALC_TREND_MIN && (n - t.kendall.n) * 100 > n * CALC_GAPS_PERCENT;
	if (gaps || t.kendall.n < CALC_TREND_MIN) {
		t.status = gaps ? CALC_GAPS : CALC_TOO_FEW;
		*out = t;
		return true;
	}
	if (!hamed_rao(c, values, n, t.line.slope, &factor, e) ||
	    !calc_check_and_copy(c, values, n, CALC_PAIRS_MAX, &present, &count, e) ||
	    !calc_big_median(c, present, count, &median, e))
		return false;
	if (factor > 1 && t.kendall.status == CALC_OK) {
		t.is_corrected = true;
		t.kendall.var_s *= factor;
		t.kendall.p = normal_p(&t.kendall);
	}
	t.direction = direction_of(&t, median);
	*out = t;
	return true;
}
