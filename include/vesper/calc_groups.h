/*
 * Kernels over rows of several columns: distances, scores, and a regression line with robust
 * errors. See calc.h for NULLs, errors and determinism. Columns are arrays of `n` values each.
 */
#ifndef VESPER_CALC_GROUPS_H
#define VESPER_CALC_GROUPS_H

#include "vesper/calc.h"

/*
 * Gower's distance (1971): mean over columns of |a - b| / range for numbers, a ≠ b for codes. A
 * column is left out of the mean where either value is NULL or the range is 0. NAN where no column
 * is left. `from` is a row; out[from] is 0.
 */
struct calc_feature {
	const double *values; /* numbers or codes; NAN is NULL */
	bool is_code;
};
MUST_CHECK bool calc_gower(const struct calc *c, const struct calc_feature *features,
			   size_t feature_count, size_t n, size_t from, double **distances,
			   struct err *e);
/* Of the rows with `is_member`, returns the one with the least sum of distances to the others; n if
 * there are no members. An unknown distance counts as 1. With more than CALC_PAIRS_MAX members,
 * only every k-th is used. */
MUST_CHECK bool calc_medoid(const struct calc *c, const struct calc_feature *features,
			    size_t feature_count, size_t n, const bool *is_member, size_t *row,
			    struct err *e);

/* Weighted mean of percentile ranks (mid-rank - ½)/n, times 100. A NULL in any indicator gives NAN,
 * "not scored". ERR_INPUT: a weight is below 0, or their sum is not above 0. Least data: 10
 * scored rows. */
#define CALC_SCORES_MIN 10
struct calc_scores {
	enum calc_status status;
	size_t scored;
	size_t not_scored;
	const double *scores; /* one per row; NULL: CALC_TOO_FEW */
};
MUST_CHECK bool calc_scores(const struct calc *c, const double *const *indicators,
			    const double *weights, size_t indicator_count, size_t n,
			    struct calc_scores *out, struct err *e);

/*
 * Least squares of y on x, rows in order of time, with errors after Newey & West 1987 (Bartlett
 * weights, lag ⌊4(n/100)^(2/9)⌋, no small-sample correction). p uses Student's t with n - 2 degrees
 * of freedom, for the plain and for these robust errors; the greater p is returned. Points with a
 * NULL are left out. Least data: CALC_LINE_MIN; a constant x: CALC_CONSTANT.
 */
#define CALC_LINE_MIN 8
struct calc_line {
	enum calc_status status;
	size_t n;
	double slope;
	double intercept;
	double r2;
	double error_plain; /* standard errors of the slope */
	double error_hac;
	double low; /* 95 %, by the larger error */
	double high;
	double p;
};
MUST_CHECK bool calc_line(const struct calc *c, const double *x, const double *y, size_t n,
			  struct calc_line *out, struct err *e);

/*
 * Elasticity: the slope of ln response on ln driver by calc_line, rows in order of time. It is the
 * percentage change of the response per one percent of the driver. Rows in which either value is
 * not above zero are left out. It is usable if p < 0.001; it is an association in past data, not a
 * proof of an effect. Least data: CALC_ELASTICITY_MIN rows. A driver that varies by less than
 * CALC_ELASTICITY_VARIATION (sd / mean) is CALC_CONSTANT.
 */
#define CALC_ELASTICITY_MIN       24
#define CALC_ELASTICITY_VARIATION 0.05
struct calc_elasticity {
	enum calc_status status;
	bool is_usable;
	size_t n;
	double elasticity;
	double low; /* 95 % */
	double high;
	double p;
	double variation; /* of the driver */
};
MUST_CHECK bool calc_elasticity(const struct calc *c, const double *driver, const double *response,
				size_t n, struct calc_elasticity *out, struct err *e);

#endif
