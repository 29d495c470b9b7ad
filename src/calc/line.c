/* A straight line by least squares, with errors that allow for autocorrelation. */
#include <math.h>

#include "calc_int.h"
#include "vesper/calc_groups.h"

/* Both series, centred at their means. */
struct centred {
	double *x;
	double *y;
	size_t n;
	double mean_x;
	double mean_y;
	double unit_x; /* the largest |x| and |y|, by which both are divided */
	double unit_y;
};

static double centre(double *values, size_t n, double *unit)
{
	double mean = calc_mean(values, n);

	*unit = 0;
	for (size_t i = 0; i < n; i++) {
		values[i] -= mean;
		*unit = fmax(*unit, fabs(values[i]));
	}
	for (size_t i = 0; i<n && * unit> 0; i++)
		values[i] /= *unit;
	return mean;
}

static double product(const double *a, const double *b, size_t n)
{
	struct calc_sum s = {0};

	for (size_t i = 0; i < n; i++)
		calc_sum_add(&s, a[i] * b[i]);
	return calc_sum_total(&s);
}

/* Σ over lags of Bartlett's weight times the products of scores x·residual at that lag. */
static double long_run_variance(const double *scores, size_t n)
{
	size_t lags = (size_t)floor(4 * pow((double)n / 100, 2.0 / 9));
	double sum = product(scores, scores, n);

	for (size_t lag = 1; lag <= lags && lag < n; lag++)
		sum += 2 * (1 - (double)lag / (double)(lags + 1)) *
		       product(scores, scores + lag, n - lag);
	return fmax(0, sum);
}

static bool solve(const struct calc *c, const struct centred *p, struct calc_line *o, struct err *e)
{
	double xx = product(p->x, p->x, p->n), yy = product(p->y, p->y, p->n);
	double slope = product(p->x, p->y, p->n) / xx, df = (double)p->n - 2;
	double *residuals = calc_doubles(c, p->n), *scores = calc_doubles(c, p->n);

	for (size_t i = 0; i < p->n; i++) {
		residuals[i] = p->y[i] - slope * p->x[i];
		scores[i] = p->x[i] * residuals[i];
	}
	double unit = p->unit_y / p->unit_x, squares = product(residuals, residuals, p->n);
	double plain = sqrt(squares / df / xx), hac = sqrt(long_run_variance(scores, p->n)) / xx;
	if (calc_is_cancelled(c, e))
		return false;
	double larger = fmax(plain, hac), reach = calc_student_quantile(0.975, df) * larger;
	o->slope = slope * unit;
	o->intercept = p->mean_y - o->slope * p->mean_x;
	o->r2 = yy > 0 ? fmax(0, 1 - squares / yy) : NAN;
	o->error_plain = plain * unit;
	o->error_hac = hac * unit;
	o->low = (slope - reach) * unit;
	o->high = (slope + reach) * unit;
	o->p = larger > 0 ? calc_student_two_sided(slope / larger, df) : slope == 0;
	return true;
}

bool calc_line(const struct calc *c, const double *x, const double *y, size_t n,
	       struct calc_line *out, struct err *e)
{
	struct calc_line o = {.slope = NAN,
			      .intercept = NAN,
			      .r2 = NAN,
			      .error_plain = NAN,
			      .error_hac = NAN,
			      .low = NAN,
			      .high = NAN,
			      .p = NAN};

	if (!calc_check(c, x, n, CALC_VALUES_MAX, e) || !calc_check(c, y, n, CALC_VALUES_MAX, e))
		return false;
	struct centred p = {.x = calc_doubles(c, n), .y = calc_doubles(c, n)};
	bool varies = false;
	for (size_t i = 0; i < n; i++) {
		if (calc_is_null(x[i]) || calc_is_null(y[i]))
			continue;
		p.x[p.n] = x[i];
		p.y[p.n++] = y[i];
		varies = varies || p.x[p.n - 1] != p.x[0];
	}
	o.n = p.n;
	if (p.n < CALC_LINE_MIN || !varies) {
		o.status = p.n < CALC_LINE_MIN ? CALC_TOO_FEW : CALC_CONSTANT;
		*out = o;
		return true;
	}
	p.mean_x = centre(p.x, p.n, &p.unit_x);
	p.mean_y = centre(p.y, p.n, &p.unit_y);
	if (!isfinite(p.unit_y / p.unit_x)) /* x varies only in the last bits of a double */
		o.status = CALC_CONSTANT;
	else if (!solve(c, &p, &o, e))
		return false;
	*out = o;
	return true;
}
