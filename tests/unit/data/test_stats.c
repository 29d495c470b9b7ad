/* Statistics: exact sums, extremes, distinct values up to the limit and beyond it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/stats.h"

/* Statistics of one column; a NULL in the middle of the list is a SQL NULL, "." ends it. */
static struct column_stats collect(struct arena *a, bool numeric, const char *const *cells)
{
	struct stats_collector *s = stats_new(1);
	for (; !*cells || strcmp(*cells, ".") != 0; cells++) {
		stats_cell(s, 0, *cells, *cells ? strlen(*cells) : 0, numeric);
		stats_end_row(s);
	}
	struct column_stats out = stats_finish(s, a)[0];
	stats_free(&s);
	assert_null(s);
	return out;
}

#define COLUMN(a, numeric, ...) collect(a, numeric, (const char *const[]){__VA_ARGS__, "."})

static void assert_decimal(struct decimal d, const char *expected)
{
	char text[DECIMAL_TEXT_BYTES];
	decimal_text(d, text);
	assert_string_equal(text, expected);
}

static void summarizes_numbers(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct column_stats s =
		COLUMN(a, true, "48.7300", NULL, "-2.5", "100", "48.73", "-2.50", "9");
	assert_int_equal(s.count, 6);
	assert_int_equal(s.nulls, 1);
	assert_int_equal(s.distinct, 4); /* 48.7300 = 48.73, -2.5 = -2.50 */
	assert_true(s.distinct_exact && s.numeric && s.is_sum_exact);
	assert_decimal(s.sum, "201.4600");
	assert_decimal(s.mean, "33.576667");
	assert_string_equal(s.min, "-2.5");
	assert_string_equal(s.max, "100");
	assert_int_equal(s.min_row, 2);
	assert_int_equal(s.max_row, 3);
	assert_string_equal(s.first, "48.7300");
	assert_string_equal(s.last, "9");
	assert_int_equal(s.trend, TREND_DOWN);
	arena_free(&a);
}

static void sums_are_exact_where_doubles_are_not(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct stats_collector *s = stats_new(1);
	for (int i = 0; i < 100000; i++) {
		stats_cell(s, 0, "0.1", 3, true);
		stats_end_row(s);
	}
	struct column_stats *out = stats_finish(s, a);
	assert_decimal(out->sum, "10000.0");
	assert_decimal(out->mean, "0.100000");
	assert_int_equal(out->distinct, 1);
	assert_int_equal(out->trend, TREND_FLAT);
	stats_free(&s);
	arena_free(&a);
}

static void summarizes_text(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct column_stats s = COLUMN(a, false, NULL, "pear", "apple", "zebra", "10", "9", NULL);
	assert_false(s.numeric);
	assert_int_equal(s.distinct, 5);
	assert_string_equal(s.min, "10"); /* by bytes */
	assert_string_equal(s.max, "zebra");
	assert_int_equal(s.min_row, 4);
	assert_null(s.first);
	assert_null(s.last);
	assert_int_equal(s.trend, TREND_NONE);
	s = COLUMN(a, false, "", "a", "");
	assert_string_equal(s.min, "");
	assert_int_equal(s.distinct, 2);
	assert_string_equal(s.last, "");
	arena_free(&a);
}

static void empty_column_has_no_values(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct stats_collector *empty = stats_new(2);
	struct column_stats *none = stats_finish(empty, a);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(none[i].count, 0);
		assert_null(none[i].min);
		assert_null(none[i].first);
		assert_false(none[i].numeric);
	}
	stats_free(&empty);
	stats_free(&empty);
	struct column_stats s = COLUMN(a, true, NULL, NULL);
	assert_int_equal(s.nulls, 2);
	assert_int_equal(s.distinct, 0);
	assert_false(s.numeric);
	assert_null(s.max);
	arena_free(&a);
}

static void one_non_number_makes_the_column_text(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct column_stats s = COLUMN(a, true, "9", "100", "NaN", "20");
	assert_false(s.numeric);
	assert_false(s.is_sum_exact);
	assert_string_equal(s.min,
			    "100"); /* compared by bytes over all cells, including earlier ones */
	assert_string_equal(s.max, "NaN");
	assert_int_equal(s.trend, TREND_NONE);
	arena_free(&a);
}

static void overflowing_sum_is_omitted(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	const char *largest = "170141183460469231731687303715884105727";
	struct column_stats s = COLUMN(a, true, largest, "1", "-5");
	assert_true(s.numeric);
	assert_false(s.is_sum_exact);
	assert_string_equal(s.max, largest);
	assert_string_equal(s.min, "-5");
	arena_free(&a);
}

static void distinct_count_is_exact_up_to_limit(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct stats_collector *s = stats_new(2);
	char cell[20];
	for (int i = 0; i < STATS_DISTINCT_EXACT + 1; i++) {
		int n = snprintf(cell, sizeof(cell), "v%d", i);
		stats_cell(s, 0, cell, (size_t)n, false);
		n = snprintf(cell, sizeof(cell), "v%d", i % STATS_DISTINCT_EXACT);
		stats_cell(s, 1, cell, (size_t)n, false);
		stats_end_row(s);
	}
	struct column_stats *out = stats_finish(s, a);
	assert_int_equal(out[0].distinct, STATS_DISTINCT_EXACT);
	assert_false(out[0].distinct_exact);
	assert_int_equal(out[1].distinct, STATS_DISTINCT_EXACT);
	assert_true(out[1].distinct_exact);
	stats_free(&s);
	arena_free(&a);
}

static void trend_compares_first_and_last_value(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	assert_int_equal(COLUMN(a, true, "1", "5").trend, TREND_UP);
	assert_int_equal(COLUMN(a, true, "5", "1").trend, TREND_DOWN);
	assert_int_equal(COLUMN(a, true, "0", "100", "1").trend, TREND_FLAT);  /* at 1 % */
	assert_int_equal(COLUMN(a, true, "0", "100", "1.01").trend, TREND_UP); /* above 1 % */
	assert_int_equal(COLUMN(a, true, "7").trend, TREND_NONE);
	assert_int_equal(COLUMN(a, true, NULL, "1", NULL, "2", NULL).trend, TREND_UP);
	arena_free(&a);
}

static void first_of_equal_extremes_is_reported(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct column_stats s = COLUMN(a, true, "3", "1", "1.0", "9.0", "9");
	assert_int_equal(s.min_row, 1);
	assert_string_equal(s.min, "1");
	assert_int_equal(s.max_row, 3);
	assert_string_equal(s.max, "9.0");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summarizes_numbers),
		cmocka_unit_test(sums_are_exact_where_doubles_are_not),
		cmocka_unit_test(summarizes_text),
		cmocka_unit_test(empty_column_has_no_values),
		cmocka_unit_test(one_non_number_makes_the_column_text),
		cmocka_unit_test(overflowing_sum_is_omitted),
		cmocka_unit_test(distinct_count_is_exact_up_to_limit),
		cmocka_unit_test(trend_compares_first_and_last_value),
		cmocka_unit_test(first_of_equal_extremes_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
