/* Internal functions of the kernels. */
#ifndef VESPER_CALC_INT_H
#define VESPER_CALC_INT_H

#include "vesper/calc.h"
#include "vesper/limits.h"

/* Checks the cancel flag. True: the kernel must end; *e is set. */
static inline bool calc_is_cancelled(const struct calc *c, struct err *e)
{
	if (!c->cancelled || !atomic_load_explicit(c->cancelled, memory_order_relaxed))
		return false;
	return !err_set(e, ERR_CANCELLED, "The computation was cancelled.");
}

/* The same inside a loop; checks the flag once in CALC_CANCEL_CHECK_STEPS steps. Start `*work` at
 * 0. */
static inline bool calc_is_cancelled_after(const struct calc *c, size_t *work, size_t steps,
					   struct err *e)
{
	*work += steps;
	if (*work < CALC_CANCEL_CHECK_STEPS)
		return false;
	*work = 0;
	return calc_is_cancelled(c, e);
}

static inline double *calc_doubles(const struct calc *c, size_t n)
{
	return arena_alloc(c->arena, n * sizeof(double));
}

static inline bool calc_is_null(double value)
{
	return value != value;
}

/* Every kernel calls it first: at most `max` values, each NULL or within limits. */
MUST_CHECK bool calc_check(const struct calc *c, const double *values, size_t n, size_t max,
			   struct err *e);
/* Copies the values that are not NULL, in order; returns how many. `out` has room for n and may be
 * `values`. */
size_t calc_present(const double *values, size_t n, double *out);
/* The same as calc_check, and copies the values that are not NULL. */
MUST_CHECK bool calc_check_and_copy(const struct calc *c, const double *values, size_t n,
				    size_t max, double **out, size_t *present, struct err *e);

struct calc_item {
	double value;
	uint32_t row;
};
/* Merge sort: stable, in n·log n steps for any order. `spare` has the length of `items`. */
MUST_CHECK bool calc_sort_items(const struct calc *c, struct calc_item *items,
				struct calc_item *spare, size_t n, struct err *e);
MUST_CHECK bool calc_sort(const struct calc *c, double *values, size_t n, struct err *e);
/* The k-th smallest (from 0) of values without NULLs, which are reordered. Linear on average for
 * any order, since pivots are random (Hoare 1961). */
MUST_CHECK bool calc_select(const struct calc *c, double *values, size_t n, size_t k, double *out,
			    struct err *e);
/* The median of a few values without NULLs, which are sorted. */
double calc_small_median(double *values, size_t n);
/* The median of many values, which are reordered. n > 0. */
MUST_CHECK bool calc_big_median(const struct calc *c, double *values, size_t n, double *out,
				struct err *e);

double calc_mean(const double *values, size_t n); /* n > 0 */

#endif
