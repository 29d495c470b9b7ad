/*
 * Kernels over one column: quantiles, moments, spread, outliers, bins, concentration, profile.
 * See calc.h for NULLs, errors and determinism. At most CALC_VALUES_MAX values.
 */
#ifndef VESPER_CALC_SUMMARY_H
#define VESPER_CALC_SUMMARY_H

#include "vesper/calc.h"

/* Quantile of type 7 (Hyndman & Fan 1996): linear between order statistics, h = (n - 1)·p. `sorted`
 * is ascending without NULLs; NAN if empty. 0 ≤ p ≤ 1. */
double calc_quantile_sorted(const double *sorted, size_t n, double p);
/* `count` quantiles at once; *present: number of values that are not NULL. Least data: 1, else
 * NAN. */
MUST_CHECK bool calc_quantiles(const struct calc *c, const double *values, size_t n,
			       const double *p, size_t count, double *out, size_t *present,
			       struct err *e);
/* Share of the values below x, counting equal ones by half: mid-rank / n. NAN without values. */
MUST_CHECK bool calc_percentile(const struct calc *c, const double *values, size_t n, double x,
				double *out, struct err *e);

/*
 * Concentration of a total. Gini = Σ(2i - n - 1)·x_i / (n·Σx), x ascending; HHI = Σ share²
 * (Hirschman 1964). ERR_INPUT: a negative value. A total of 0 is CALC_ZERO. Least data: 10.
 */
#define CALC_CONCENTRATION_MIN 10
struct calc_concentration {
	enum calc_status status;
	size_t n;
	double total;
	double gini;        /* 0: all equal, (n - 1) / n: one has all */
	double hhi;         /* 1 / n .. 1 */
	double top10_share; /* of the largest ⌈n / 10⌉ */
	double top20_share;
	size_t n_for_80; /* number of largest values that make up 80 % of the total */
};
MUST_CHECK bool calc_concentration(const struct calc *c, const double *values, size_t n,
				   struct calc_concentration *out, struct err *e);

/*
 * Moments. sd with n - 1; adjusted skewness G1 and excess kurtosis G2 (Joanes & Gill 1998), NAN
 * where nothing varies. Least data: 1 for the mean, 2 for sd, 3 and 4 for G1 and G2. `normal_p`: K²
 * of D'Agostino & Pearson 1973 with the transforms of D'Agostino 1970 and Anscombe & Glynn 1983;
 * least data CALC_NORMAL_MIN, else NAN.
 */
#define CALC_NORMAL_MIN 20
struct calc_moments {
	enum calc_status status;
	size_t n;
	double sum;
	double mean;
	double sd;
	double skewness;
	double kurtosis;
	double k2;
	double normal_p;
};
MUST_CHECK bool calc_moments(const struct calc *c, const double *values, size_t n,
			     struct calc_moments *out, struct err *e);

/* Bins of equal width by Freedman & Diaconis 1981, width 2·IQR·n^(-1/3); with an IQR of 0 by
 * Sturges 1926. At most CALC_BINS_MAX; the last one includes its upper end. Least data: 2 different
 * values, else one bin, or none without values. */
struct calc_bins {
	size_t n;
	size_t count;
	double low; /* of the first */
	double width;
	size_t in[]; /* number of values in each bin */
};
MUST_CHECK bool calc_bins(const struct calc *c, const double *values, size_t n,
			  struct calc_bins **out, struct err *e);

/* Median and median absolute deviation. `scale` estimates a standard deviation: 1.4826·MAD, or for
 * MAD 0 the mean absolute deviation·1.253314 (Iglewicz & Hoaglin 1993). Least data: 1. */
struct calc_spread {
	enum calc_status status; /* CALC_CONSTANT: scale 0 */
	size_t n;
	double median;
	double mad; /* unscaled */
	double scale;
};
MUST_CHECK bool calc_spread(const struct calc *c, const double *values, size_t n,
			    struct calc_spread *out, struct err *e);

/*
 * Outliers. Least data: CALC_OUTLIERS_MIN.
 *   CALC_ROBUST  modified z = 0.6745·(x - median)/MAD beyond 3.5 (Iglewicz & Hoaglin 1993), with
 *                MAD 0 (x - median)/scale (calc_spread); of logarithms if all values are positive
 *                and the adjusted skewness is above 1
 *   CALC_FENCES  1.5·IQR beyond the quartiles (Tukey 1977)
 *   CALC_TWO_SD  more than two standard deviations from the mean
 */
#define CALC_OUTLIERS_MIN 12
enum calc_outlier_method { CALC_ROBUST, CALC_FENCES, CALC_TWO_SD };
struct calc_outliers {
	enum calc_status status;
	size_t n;
	double low; /* values below `low` or above `high` are outliers */
	double high;
	bool by_log;
	size_t found;
	bool *is_outlier; /* one per row; false for NULLs */
};
MUST_CHECK bool calc_outliers(const struct calc *c, const double *values, size_t n,
			      enum calc_outlier_method method, struct calc_outliers *out,
			      struct err *e);

/* Hampel filter (Hampel 1974; Pearson 2002): a value is a spike if it is further than k·1.4826·MAD
 * from the median of the window around it, which is shorter at the ends. `window` is odd and at
 * most CALC_WINDOW_MAX. Windows with fewer than 3 non-NULL values have no spikes. */
MUST_CHECK bool calc_hampel(const struct calc *c, const double *values, size_t n, size_t window,
			    double k, bool **is_spike, size_t *found, struct err *e);

/* Profile of a column. Distinct values are exact: integers and decimals by all their digits. */
struct calc_profile {
	size_t rows;
	size_t nulls;
	size_t distinct; /* values, without NULL */
	bool is_key;     /* every row has a different value */
	double min;      /* NAN for texts and for columns without values */
	double max;
	double mean;
	double quartiles[3];
};
MUST_CHECK bool calc_profile(const struct calc *c, const struct frame *f, size_t column,
			     struct calc_profile *out, struct err *e);

#endif
