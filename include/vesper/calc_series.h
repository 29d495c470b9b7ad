/*
 * Kernels over a series: one value per period in order of time, NULL for a period without one.
 * Seasons, forecasts, level shifts, runs, integrals. See calc.h for NULLs, errors and determinism.
 * At most CALC_SERIES_MAX periods; for runs and integrals CALC_VALUES_MAX.
 */
#ifndef VESPER_CALC_SERIES_H
#define VESPER_CALC_SERIES_H

#include "vesper/calc.h"

/*
 * Season, trend and remainder by STL (Cleveland et al. 1990), robust: n_s 7, n_t the smallest odd
 * number ≥ 1.5·m/(1 - 1.5/n_s), n_l the smallest odd ≥ m, all of degree 1, 2 inner and 15 outer
 * rounds, no jumps. A NULL has weight 0, so the components have values there too.
 *
 * strength = max(0, 1 - Var R / Var(S + R)) (Wang, Smith & Hyndman 2006). It alone proves nothing:
 * noise often reaches 0.4. A series is seasonal if it has CALC_SEASON_PERIODS full periods, a
 * strength of at least 0.4, and p < 0.05 by Kruskal–Wallis. That test compares the positions in the
 * period, on the series minus its centred moving average. `period` is 2..CALC_PERIOD_MAX. Least
 * data: two full periods; more than CALC_GAPS_PERCENT NULLs: CALC_GAPS.
 */
#define CALC_SEASON_PERIODS 3
struct calc_season {
	enum calc_status status;
	size_t n;
	bool is_seasonal;
	double strength;
	double p;    /* NAN: too few values for the test */
	size_t high; /* position in the period, from 0 at the first row, with the highest season */
	size_t low;
	const double *trend; /* one per row */
	const double *season;
	const double *remainder; /* NAN for NULLs */
};
MUST_CHECK bool calc_season(const struct calc *c, const double *values, size_t n, size_t period,
			    struct calc_season *out, struct err *e);

/*
 * Forecast by the best of four simple methods, simplest first: the last value; the mean of the last
 * `season` periods; the value one season before; simple exponential smoothing (Brown 1956), α from
 * 0.05 to 0.95 by 0.05 by least squares. The best has the least mean absolute error of the total
 * over the horizon in a rolling-origin backtest (Tashman 2000). It uses the last CALC_ORIGINS_MAX
 * origins with `before` periods or more; ties go to the simpler method.
 *
 * Bands are split-conformal (Vovk 2005): of n residuals in order, the ⌈(n + 1)·α/2⌉-th and the ⌈(n
 * + 1)(1 - α/2)⌉-th. NAN where the second would be beyond n, or n < CALC_BAND_MIN. Bands of a total
 * come from residuals of totals: single bands must not be added.
 *
 * Least data: `before` + `horizon` periods. With less: CALC_TOO_FEW, the mean of the existing
 * values and no bands; without any value: NAN. More than CALC_GAPS_PERCENT NULLs: CALC_GAPS, with
 * the same values.
 */
#define CALC_BAND_MIN 20
enum calc_method { CALC_LAST, CALC_MEAN, CALC_SEASONAL, CALC_SMOOTH };
#define CALC_METHODS 4
struct calc_forecast_options {
	size_t horizon; /* 1..CALC_HORIZON_MAX */
	size_t season;  /* 1..CALC_PERIOD_MAX */
	size_t before;  /* ≥ season */
	/* Weight of each value in totals, for n + horizon periods, none missing; NULL: 1. */
	const double *scale;
};
struct calc_band {
	double low;
	double high;
};
struct calc_forecast {
	enum calc_status status;
	size_t n;
	enum calc_method method;
	double alpha; /* of smoothing over all values */
	size_t origins;
	double mae[CALC_METHODS]; /* of totals; NAN without a backtest */
	const double *values;     /* all arrays here have `horizon` items */
	const struct calc_band *band80;
	const struct calc_band *band95;
	double total; /* Σ value·scale */
	struct calc_band total80;
	struct calc_band total95;
	/* Share of backtest totals inside the band of all others; NAN: too few. */
	double coverage80;
};
MUST_CHECK bool calc_forecast(const struct calc *c, const double *values, size_t n,
			      const struct calc_forecast_options *options,
			      struct calc_forecast *out, struct err *e);
/* The band of residuals without NULLs. 0 < level < 1. */
MUST_CHECK bool calc_conformal(const struct calc *c, const double *residuals, size_t n,
			       double level, struct calc_band *out, struct err *e);

/*
 * The largest shift of the mean: max over k of |mean before - mean from k on|·√(k(n - k)/n), with
 * at least CALC_SHIFT_SIDE values on each side. p = (1 + number of CALC_SHIFT_PERMUTATIONS random
 * orders with at least this shift) / (1 + CALC_SHIFT_PERMUTATIONS) (Davison & Hinkley 1997, 4.3).
 * Least data: CALC_SHIFT_MIN.
 */
#define CALC_SHIFT_MIN  12
#define CALC_SHIFT_SIDE 4
struct calc_shift {
	enum calc_status status;
	size_t n;
	size_t row; /* the first after the shift */
	double before;
	double after;
	double p;
};
MUST_CHECK bool calc_shift(const struct calc *c, const double *values, size_t n,
			   struct calc_shift *out, struct err *e);

/* Rows first..last. */
struct calc_run {
	size_t first;
	size_t last;
};
/* All runs of at least `min_rows` flagged rows, each as long as possible. */
MUST_CHECK bool calc_runs(const struct calc *c, const bool *flags, size_t n, size_t min_rows,
			  struct calc_run **runs, size_t *count, struct err *e);
/* Runs whose values stay within `tolerance` of the run's first value: each begins where the
 * previous one ended, and is as long as possible. Runs shorter than `min_rows` are left out. */
MUST_CHECK bool calc_runs_equal(const struct calc *c, const double *values, size_t n,
				double tolerance, size_t min_rows, struct calc_run **runs,
				size_t *count, struct err *e);
/* The same for values on a sloping line: the steps between rows differ from the previous step by at
 * most `tolerance`, and each step is larger than `tolerance`. A row may end one run and begin the
 * next. `min_rows` ≥ 3. */
MUST_CHECK bool calc_runs_straight(const struct calc *c, const double *values, size_t n,
				   double tolerance, size_t min_rows, struct calc_run **runs,
				   size_t *count, struct err *e);

/* Area under the points by trapezoids no wider than `bridge`. NULLs are left out, so they widen
 * trapezoids. ERR_INPUT: `times` decrease; the text names the row. Least data: 2 points. */
struct calc_area {
	enum calc_status status;
	double area;
	double covered; /* time covered by trapezoids */
	size_t gaps;    /* too wide to bridge */
};
MUST_CHECK bool calc_integral(const struct calc *c, const double *times, const double *values,
			      size_t n, double bridge, struct calc_area *out, struct err *e);

#endif
