/* LOESS and STL compared with a slow implementation of the paper's description. */
#include "calc_test.h"
#include "stl.h"

/* The line through the q nearest points, by normal equations. NAN: no weight. */
static double slow_fit(const double *y, const double *w, int n, int q, double x)
{
	long double s0 = 0, s1 = 0, s2 = 0, t0 = 0, t1 = 0;
	double distance[1200], reach;
	size_t count;

	for (int i = 0; i < n; i++)
		distance[i] = fabs(i - x);
	double *sorted = test_sorted(distance, (size_t)n, &count);
	reach = sorted[(q < n ? q : n) - 1] + (q > n ? (q - n) / 2 : 0);
	for (int i = 0; i < n; i++) {
		double u = reach > 0 ? distance[i] / reach : 0;
		if (distance[i] > sorted[(q < n ? q : n) - 1] || u > 0.999)
			continue;
		long double weight = u <= 0.001 ? 1 : powl(1 - powl(u, 3), 3);
		weight *= w ? w[i] : 1;
		s0 += weight;
		s1 += weight * i;
		s2 += weight * i * i;
		t0 += weight * y[i];
		t1 += weight * i * y[i];
	}
	if (s0 <= 0)
		return NAN;
	long double spread = s2 / s0 - s1 / s0 * (s1 / s0);
	if (sqrtl(spread > 0 ? spread : 0) <= 0.001L * (n - 1))
		return (double)(t0 / s0);
	long double slope = (s0 * t1 - s1 * t0) / (s0 * s2 - s1 * s1);
	return (double)((t0 - slope * s1) / s0 + slope * x);
}

static void slow_loess(const double *y, const double *w, int n, int q, double *out)
{
	for (int i = 0; i < n; i++) {
		double v = slow_fit(y, w, n, q, i);
		out[i] = isnan(v) ? y[i] : v;
	}
}

static void slow_stl(const double *y, int n, int m, double *season, double *trend)
{
	int nt = (int)ceil(1.5 * m / (1 - 1.5 / 7)), nl = m;
	double w[400], rest[400], cycle[900], a[900], b[900];

	nt += nt % 2 == 0;
	nl += nl % 2 == 0;
	for (int i = 0; i < n; i++) {
		w[i] = 1;
		trend[i] = 0;
	}
	for (int round = 0; round < 32; round++) {
		for (int at = 0; at < m; at++) { /* cycles, extended by one step at both ends */
			double sub[400], sw[400], smooth[400] = {0};
			int k = 0;
			for (int i = at; i < n; i += m, k++) {
				sub[k] = y[i] - trend[i];
				sw[k] = w[i];
			}
			slow_loess(sub, sw, k, 7, smooth);
			double first = slow_fit(sub, sw, k, 7, -1),
			       end = slow_fit(sub, sw, k, 7, k);
			cycle[at] = isnan(first) ? smooth[0] : first;
			for (int i = 0; i < k; i++)
				cycle[(i + 1) * m + at] = smooth[i];
			cycle[(k + 1) * m + at] = isnan(end) ? smooth[k - 1] : end;
		}
		const int widths[] = {m, m, 3};
		int length = n + 2 * m;
		memcpy(a, cycle, (size_t)length * sizeof(*a));
		for (int pass = 0; pass < 3; pass++) {
			length -= widths[pass] - 1;
			for (int i = 0; i < length; i++) {
				b[i] = 0;
				for (int k = 0; k < widths[pass]; k++)
					b[i] += a[i + k] / widths[pass];
			}
			memcpy(a, b, (size_t)length * sizeof(*a));
		}
		slow_loess(a, NULL, n, nl, b);
		for (int i = 0; i < n; i++) {
			season[i] = cycle[m + i] - b[i];
			rest[i] = y[i] - season[i];
		}
		slow_loess(rest, w, n, nt, trend);
		if (round % 2 == 0)
			continue;
		for (int i = 0; i < n; i++)
			rest[i] = fabs(y[i] - season[i] - trend[i]);
		double h = 6 * test_median(rest, (size_t)n);
		for (int i = 0; i < n; i++) {
			double u = rest[i] / h;
			w[i] = u <= 0.001 ? 1 : u > 0.999 ? 0 : (1 - u * u) * (1 - u * u);
		}
	}
}

static void loess_matches_slow_fit(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(31);
	size_t work = 0;

	for (size_t n = 1; n < 80; n += 6) {
		for (int q = 3; q < 100; q += 16) {
			double *y = test_column(&r, n, false), w[80], got[80], expected[80];
			for (size_t i = 0; i < n; i++)
				w[i] = (double)calc_rng_below(&r, 3) / 2; /* some weights are 0 */
			assert_true(calc_loess(&calc, y, n, (size_t)q, w, got, &work, &err));
			slow_loess(y, w, (int)n, q, expected);
			for (size_t i = 0; i < n; i++)
				assert_true(fabs(got[i] - expected[i]) < 1e-9);
		}
	}
}

static void stl_matches_slow_decomposition(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(32);
	const int periods[] = {2, 4, 7, 12};

	for (size_t p = 0; p < COUNT(periods); p++) {
		int m = periods[p], n = 5 * m + 3 + (int)p;
		double y[400], ones[400], season[400], trend[400], s[400], t[400];
		for (int i = 0; i < n; i++) {
			y[i] = 0.3 * i + 5 * sin(2 * M_PI * i / m) + test_normal(&r);
			ones[i] = 1;
		}
		y[n / 2] += 60; /* an outlier for the robust weights */
		assert_true(calc_stl(&calc, y, ones, (size_t)n, (size_t)m, season, trend, &err));
		slow_stl(y, n, m, s, t);
		for (int i = 0; i < n; i++) {
			assert_true(fabs(season[i] - s[i]) < 1e-6);
			assert_true(fabs(trend[i] - t[i]) < 1e-6);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(loess_matches_slow_fit),
		CALC_TEST(stl_matches_slow_decomposition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
