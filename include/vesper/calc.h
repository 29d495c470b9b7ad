/*
 * Computation kernels: published methods over plain arrays, for the derivations of packs. Their
 * headers are this one, calc_summary.h (one column), calc_trend.h (order in time, tests),
 * calc_series.h (seasons, forecasts, runs) and calc_groups.h (many columns).
 *
 * Numbers are arrays of double in which NAN is NULL; calc_column converts a frame's column. NULLs
 * are left out and never counted as 0. The magnitude of other values is at most CALC_VALUE_MAX, so
 * that no square or sum overflows. A result is finite, or NAN for "not given".
 *
 * A kernel is pure: no clock, locale, file or global; random numbers use a fixed seed. Sums are
 * compensated and follow the input order, so the same input gives the same bytes. Any thread.
 * Results and working memory are in the caller's arena.
 *
 * Too little data is no error: the kernel returns true with the status CALC_TOO_FEW, and other
 * members are NAN or 0. Each method documents its minimum ("Least data"). Errors:
 *   ERR_INPUT      a value is infinite or beyond CALC_VALUE_MAX; the text names its row
 *   ERR_LIMIT      more input than the method accepts (limits.h)
 *   ERR_CANCELLED  *cancelled was set; checked about every 4,096 steps, within a few ms
 * Parameters chosen by code (a window, a probability, a period) are asserted.
 */
#ifndef VESPER_CALC_H
#define VESPER_CALC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/err.h"
#include "vesper/frame.h"

/* One computation. */
struct calc {
	struct arena *arena;
	const atomic_bool *cancelled; /* borrowed; may be NULL */
};

enum calc_status {
	CALC_OK,
	CALC_TOO_FEW,  /* less than the method's minimum */
	CALC_CONSTANT, /* all values are equal: nothing varies */
	CALC_GAPS,     /* more than CALC_GAPS_PERCENT of a series are NULL */
	CALC_ZERO      /* a divisor is 0 */
};
const char *calc_status_name(enum calc_status s); /* "ok", "too_few", … */

/* A column's numbers, one per row. Days, times and booleans become numbers. ERR_INPUT: a text
 * column. */
MUST_CHECK bool calc_column(const struct calc *c, const struct frame_column *column, size_t rows,
			    double **out, struct err *e);

/* Compensated sum (Neumaier 1974). Start with {0}. */
struct calc_sum {
	double sum;
	double lost;
};
void calc_sum_add(struct calc_sum *s, double value);
double calc_sum_total(const struct calc_sum *s);

/* Row numbers in ascending order of their values; stable, without NULLs. */
MUST_CHECK bool calc_order(const struct calc *c, const double *values, size_t n, uint32_t **rows,
			   size_t *present, struct err *e);
/* Ranks from 1, the mean rank for ties, NAN for NULLs. `ties` is the sum of t^3 - t over groups of
 * t equal values, for tie corrections of rank tests; may be NULL. */
MUST_CHECK bool calc_ranks(const struct calc *c, const double *values, size_t n, double **ranks,
			   double *ties, struct err *e);

/* Random numbers: xoshiro256** (Blackman & Vigna 2018), seeded by splitmix64 from CALC_SEED and
 * `stream`. */
struct calc_rng {
	uint64_t s[4];
};
struct calc_rng calc_rng_new(uint64_t stream);
uint64_t calc_rng_next(struct calc_rng *r);
double calc_rng_unit(struct calc_rng *r);                /* in [0, 1), 53 bits */
size_t calc_rng_below(struct calc_rng *r, size_t bound); /* 0..bound-1, unbiased; bound > 0 */

/*
 * Distribution functions, to 1e-11 relative, also in far tails. Lanczos' gamma (g = 7, n = 9),
 * series and continued fractions by Lentz (Numerical Recipes 6.2, 6.4), Acklam's normal quantile
 * refined by Halley's step. A NAN argument gives NAN; degrees of freedom and shapes are positive.
 * `upper` is the probability above x, without cancellation.
 */
double calc_log_gamma(double x);                    /* x > 0 */
double calc_gamma_lower(double a, double x);        /* regularized P(a, x), x ≥ 0 */
double calc_gamma_upper(double a, double x);        /* Q(a, x) = 1 - P(a, x) */
double calc_beta(double a, double b, double x);     /* regularized I_x(a, b), 0 ≤ x ≤ 1 */
double calc_normal(double z);                       /* P(Z < z) */
double calc_normal_two_sided(double z);             /* P(|Z| > |z|) */
double calc_normal_quantile(double p);              /* 0 < p < 1 */
double calc_student(double t, double df);           /* P(T < t) */
double calc_student_two_sided(double t, double df); /* P(|T| > |t|) */
double calc_student_quantile(double p, double df);  /* 0 < p < 1 */
double calc_chi2_upper(double x, double df);        /* P(X > x) */
double calc_f_upper(double x, double df1, double df2);

#endif
