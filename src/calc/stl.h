/* Locally weighted regression, and STL based on it. Arrays are the caller's; weights may be
 * NULL. */
#ifndef VESPER_CALC_STL_H
#define VESPER_CALC_STL_H

#include "calc_int.h"

/* Smooths points at x = 1..n, each by its `span` nearest ones: tricube weights times `weights`,
 * degree 1. If all weights are 0, the value stays. */
MUST_CHECK bool calc_loess(const struct calc *c, const double *y, size_t n, size_t span,
			   const double *weights, double *out, size_t *work, struct err *e);

/* Robust decomposition. `y` has no NULLs; where `has_value` is 0, the value has no weight. */
MUST_CHECK bool calc_stl(const struct calc *c, const double *y, const double *has_value, size_t n,
			 size_t period, double *season, double *trend, struct err *e);

#endif
