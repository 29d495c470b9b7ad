/* Shared by the kernel tests: one arena per test, comparisons, random columns. */
#ifndef CALC_TEST_H
#define CALC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/calc.h"
#include "vesper/limits.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct calc calc;
static struct err err;

static int calc_setup(void **state)
{
	(void)state;
	calc = (struct calc){.arena = arena_new(SIZE_MAX / 2)};
	err = (struct err){0};
	return 0;
}

static int calc_teardown(void **state)
{
	(void)state;
	arena_free(&calc.arena);
	return 0;
}

#define CALC_TEST(f) cmocka_unit_test_setup_teardown(f, calc_setup, calc_teardown)

/* Relative to the larger of the two; NAN equals NAN. */
static inline bool is_near(double got, double expected, double tolerance)
{
	if (isnan(got) || isnan(expected))
		return isnan(got) && isnan(expected);
	return fabs(got - expected) <= tolerance * fmax(fabs(got), fabs(expected));
}

#define assert_near(got, expected, tolerance)                                                      \
	do {                                                                                       \
		double got_ = (got), expected_ = (expected);                                       \
		if (!is_near(got_, expected_, tolerance))                                          \
			fail_msg("%s: %.17g, expected %.17g", #got, got_, expected_);              \
	} while (0)

/* The kernel must fail with this code; the text is checked separately. */
#define assert_fails(call, expected)                                                               \
	do {                                                                                       \
		assert_false(call);                                                                \
		assert_int_equal(err.code, expected);                                              \
	} while (0)

/* A flag that cancels the next kernel. */
static inline void calc_cancel(void)
{
	static const atomic_bool is_cancelled = true;

	calc.cancelled = &is_cancelled;
}

/* Sum of twelve uniform numbers: nearly normal, with arithmetic only. */
static inline double test_normal(struct calc_rng *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += calc_rng_unit(r);
	return sum;
}

/* A column with ties; about every tenth value is NULL if `with_nulls`. */
static inline double *test_column(struct calc_rng *r, size_t n, bool with_nulls)
{
	double *values = arena_alloc(calc.arena, (n + 1) * sizeof(*values));

	for (size_t i = 0; i < n; i++)
		values[i] = with_nulls && calc_rng_below(r, 10) == 0
				    ? NAN
				    : floor(test_normal(r) * 20) / 4;
	return values;
}

static inline void test_shuffle(struct calc_rng *r, double *values, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t at = calc_rng_below(r, i);
		double value = values[at];
		values[at] = values[i - 1];
		values[i - 1] = value;
	}
}

static inline int compare_values(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The values that are not NULL, by qsort. */
static inline double *test_sorted(const double *values, size_t n, size_t *present)
{
	double *out = arena_alloc(calc.arena, (n + 1) * sizeof(*out));

	*present = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			out[(*present)++] = values[i];
	qsort(out, *present, sizeof(*out), compare_values);
	return out;
}

static inline double test_median(const double *values, size_t n)
{
	size_t count;
	double *s = test_sorted(values, n, &count);

	return count ? (s[(count - 1) / 2] + s[count / 2]) / 2 : NAN;
}

#endif
