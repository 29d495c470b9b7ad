/*
 * Kernels that separate an effect from chance: trends, association, differences between groups,
 * multiple testing. See calc.h for NULLs, errors and determinism.
 */
#ifndef VESPER_CALC_TREND_H
#define VESPER_CALC_TREND_H

#include "vesper/calc.h"

/*
 * Mann–Kendall (Mann 1945, Kendall 1975): S = Σ sgn(x_j - x_i) over i < j, in the order of the
 * rows; Var S with the correction for ties; z with continuity correction; p two-sided. Without ties
 * and up to 10 values p is exact. Least data: 4. At most CALC_PAIRS_MAX values.
 */
#define CALC_MANN_KENDALL_MIN 4
struct calc_mann_kendall {
	enum calc_status status; /* CALC_CONSTANT: p is 1 */
	size_t n;
	double s;
	double var_s;
	double z;
	double p;
	bool is_exact;
};
MUST_CHECK bool calc_mann_kendall(const struct calc *c, const double *values, size_t n,
				  struct calc_mann_kendall *out, struct err *e);

/*
 * Theil–Sen (Theil 1950, Sen 1968): the median of all slopes between points of different x; the 95
 * % interval from Var S, with ties in both; intercept = median y - slope·median x. `x` may be NULL:
 * row numbers from 0. Points with a NULL are left out. Least data: 3 points, 2 different x. At most
 * CALC_PAIRS_MAX points.
 */
#define CALC_THEIL_SEN_MIN 3
struct calc_theil_sen {
	enum calc_status status;
	size_t n;
	double slope;
	double intercept;
	double low;
	double high;
};
MUST_CHECK bool calc_theil_sen(const struct calc *c, const double *x, const double *y, size_t n,
			       struct calc_theil_sen *out, struct err *e);

/*
 * Direction of a series. If the ranks around the slope are autocorrelated (first autocorrelation >
 * 1.96/√n, n ≥ 20), Var S is enlarged after Hamed & Rao 1998, never reduced. UP and DOWN: p < 0.05
 * and the slope's interval excludes 0. STABLE: that interval is within 1 % of the median per
 * period. Least data: CALC_TREND_MIN; more than CALC_GAPS_PERCENT NULLs: CALC_GAPS.
 */
#define CALC_TREND_MIN 8
enum calc_direction { CALC_NO_DIRECTION, CALC_UP, CALC_DOWN, CALC_STABLE };
struct calc_trend {
	enum calc_status status;
	enum calc_direction direction;
	bool is_corrected; /* for autocorrelation: `kendall` has the enlarged variance */
	struct calc_mann_kendall kendall;
	struct calc_theil_sen line;
};
MUST_CHECK bool calc_trend(const struct calc *c, const double *values, size_t n,
			   struct calc_trend *out, struct err *e);

/* Spearman's rank correlation with mid-ranks; p by Student's t with n - 2 degrees of freedom, over
 * rows in which both values exist. Least data: 4. At most CALC_VALUES_MAX rows. */
#define CALC_SPEARMAN_MIN 4
struct calc_spearman {
	enum calc_status status; /* CALC_CONSTANT: x or y does not vary */
	size_t n;
	double rho;
	double p;
};
MUST_CHECK bool calc_spearman(const struct calc *c, const double *x, const double *y, size_t n,
			      struct calc_spearman *out, struct err *e);

/* Kruskal & Wallis 1952: tests whether groups differ. H with the correction for ties, p by χ² with
 * k - 1 degrees of freedom. group[i] < group_count. Least data: 2 groups, 2 values in each group
 * that has any. */
struct calc_kruskal {
	enum calc_status status;
	size_t n;
	size_t groups; /* with values */
	double h;
	double p;
};
MUST_CHECK bool calc_kruskal(const struct calc *c, const double *values, const uint32_t *group,
			     size_t n, size_t group_count, struct calc_kruskal *out, struct err *e);

/* Pearson's χ² test of independence over a table of counts in row order. NULL counts as 0.
 * ERR_INPUT: a negative count. Empty rows and columns are left out. Least data: 2 rows and 2
 * columns, 5 expected in each cell (Cochran 1954). */
struct calc_independence {
	enum calc_status status;
	double total;
	double chi2;
	double df;
	double p;
};
MUST_CHECK bool calc_independence(const struct calc *c, const double *counts, size_t rows,
				  size_t columns, struct calc_independence *out, struct err *e);

/* Benjamini & Hochberg 1995: p-values adjusted for the number of tests. Selecting those of at most
 * q keeps the false discovery rate at q. NAN stays NAN and is not counted. ERR_INPUT: a p outside
 * 0..1. */
MUST_CHECK bool calc_adjust(const struct calc *c, const double *p, size_t n, double **adjusted,
			    struct err *e);

#endif
