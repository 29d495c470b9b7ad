/*
 * Distribution functions from exp, log and erfc. Published algorithms only: Lanczos 1964 with the
 * coefficients of Godfrey 2001, Numerical Recipes (3rd edition) 6.2 and 6.4, Acklam 2003.
 */
#include "calc_int.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* Steps of a series or fraction. About 6 sqrt(a) are needed, which is far below this for the
 * largest a in use. */
#define STEPS_MAX 20000
#define TINY      1e-300

double calc_log_gamma(double x)
{
	static const double g[] = {
		0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
		771.32342877765313,   -176.61502916214059,   12.507343278686905,
		-0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
	assert(!(x <= 0));
	if (x < 0.5)
		return log(M_PI / sin(M_PI * x)) - calc_log_gamma(1 - x);
	double sum = g[0], t = x + 6.5;
	for (int i = 1; i < 9; i++)
		sum += g[i] / (x - 1 + i);
	return log(sqrt(2 * M_PI) * sum) + (x - 0.5) * log(t) - t;
}

/* log(x^a e^-x / Γ(a)). For large a the three terms are as large as a and would cancel. The
 * deviance and Stirling's remainder do not (Loader 2000). */
static double gamma_log_density(double a, double x)
{
	if (a < 10)
		return a * log(x) - x - calc_log_gamma(a);
	double u = (x - a) / a, a2 = a * a;
	double remainder = (1 - (1 / 30. - (1 / 105. - 1 / (140 * a2)) / a2) / a2) / (12 * a);
	double deviance = fabs(u) < 0.1 ? NAN : u - log1p(u);
	if (fabs(u) < 0.1) {
		/* u - log(1 + u) as a series: both are nearly equal. */
		double power = u * u;
		deviance = power / 2;
		for (int i = 3; i < 24; i++) {
			power *= -u;
			deviance += power / i;
		}
	}
	return -a * deviance - remainder + 0.5 * log(a / (2 * M_PI));
}

static double gamma_series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int i = 1; i < STEPS_MAX && fabs(term) > fabs(sum) * DBL_EPSILON / 2; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return sum * exp(gamma_log_density(a, x));
}

static double gamma_fraction(double a, double x)
{
	double b = x + 1 - a, c = 1 / TINY, d = 1 / b, h = d;

	for (int i = 1; i < STEPS_MAX; i++) {
		double an = -i * (i - a);
		b += 2;
		d = an * d + b;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = b + an / c;
		c = fabs(c) < TINY ? TINY : c;
		h *= d * c;
		if (fabs(d * c - 1) < DBL_EPSILON)
			break;
	}
	return h * exp(gamma_log_density(a, x));
}

double calc_gamma_lower(double a, double x)
{
	assert(!(a <= 0) && !(x < 0));
	if (x == 0)
		return 0;
	if (isinf(x))
		return 1;
	return x < a + 1 ? gamma_series(a, x) : 1 - gamma_fraction(a, x);
}

double calc_gamma_upper(double a, double x)
{
	assert(!(a <= 0) && !(x < 0));
	if (x == 0)
		return 1;
	if (isinf(x))
		return 0;
	return x < a + 1 ? 1 - gamma_series(a, x) : gamma_fraction(a, x);
}

static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < TINY ? TINY : d);
	double h = d;

	for (int m = 1; m < STEPS_MAX; m++) {
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = {even, odd};
		double step = 1;
		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = 1 + terms[i] / c;
			c = fabs(c) < TINY ? TINY : c;
			step = d * c;
			h *= step;
		}
		if (fabs(step - 1) < DBL_EPSILON)
			break;
	}
	return h;
}

/* I_x(a, b); y is 1 - x, which the caller knows without rounding. */
static double beta_with_complement(double a, double b, double x, double y)
{
	if (isnan(a) || isnan(b) || isnan(x))
		return NAN;
	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	double front = exp(calc_log_gamma(a + b) - calc_log_gamma(a) - calc_log_gamma(b) +
			   a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double calc_beta(double a, double b, double x)
{
	assert(!(a <= 0) && !(b <= 0) && !(x < 0) && !(x > 1));
	return beta_with_complement(a, b, x, 1 - x);
}

double calc_normal(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

double calc_normal_two_sided(double z)
{
	return erfc(fabs(z) * M_SQRT1_2);
}

double calc_normal_quantile(double p)
{
	static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
				   -2.759285104469687e+02, 1.383577518672690e+02,
				   -3.066479806614716e+01, 2.506628277459239e+00};
	static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
				   -1.556989798598866e+02, 6.680131188771972e+01,
				   -1.328068155288572e+01};
	static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
				   -2.400758277161838e+00, -2.549732539343734e+00,
				   4.374664141464968e+00,  2.938163982698783e+00};
	static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
				   2.445134137142996e+00, 3.754408661907416e+00};
	assert(!(p <= 0) && !(p >= 1));
	if (p > 0.5)
		return -calc_normal_quantile(1 - p);
	double z;
	if (p < 0.02425) {
		double q = sqrt(-2 * log(p));
		z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
		    ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
	} else {
		double q = p - 0.5, r = q * q;
		z = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
		    (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
	}
	if (z < -37)
		return z; /* z is too close to underflow to be refined */
	double off = (calc_normal(z) - p) * sqrt(2 * M_PI) * exp(z * z / 2);
	return z - off / (1 + z * off / 2);
}

double calc_student_two_sided(double t, double df)
{
	assert(!(df <= 0));
	/* df / (df + t²) and its complement, without overflow or cancellation. */
	double q = t / df * t;
	return beta_with_complement(df / 2, 0.5, 1 / (1 + q), isinf(q) ? 1 : q / (1 + q));
}

double calc_student(double t, double df)
{
	double out = calc_student_two_sided(t, df) / 2;

	return t > 0 ? 1 - out : out;
}

double calc_student_quantile(double p, double df)
{
	assert(!(p <= 0) && !(p >= 1) && !(df <= 0));
	if (p > 0.5)
		return -calc_student_quantile(1 - p, df);
	if (p == 0.5)
		return 0;
	/* Bisection by exponents, then by values: slow, but it always converges. */
	double high = 0, low = -1;
	while (calc_student(low, df) > p && low > -1e150)
		low *= 2;
	for (int i = 0; i < 200 && high - low > DBL_EPSILON * -low; i++) {
		double middle = low + (high - low) / 2;
		if (calc_student(middle, df) > p)
			high = middle;
		else
			low = middle;
	}
	return low + (high - low) / 2;
}

double calc_chi2_upper(double x, double df)
{
	return x <= 0 ? 1 : calc_gamma_upper(df / 2, x / 2);
}

double calc_f_upper(double x, double df1, double df2)
{
	assert(!(df1 <= 0) && !(df2 <= 0));
	if (x <= 0)
		return 1;
	double q = x * (df1 / df2);
	return beta_with_complement(df2 / 2, df1 / 2, 1 / (1 + q), isinf(q) ? 1 : q / (1 + q));
}
