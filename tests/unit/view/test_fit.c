/* Omitting parts of a table that is too long: the order, and how prompts and views report it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "view_tree.h"
#include "prompt_text.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "view_int.h"
#include "sample_results.h"

#define ROWS 20

static size_t measure_as_one(const char *text)
{
	return *text ? 1 : 0;
}

/* Day (high), Price (high), Notes (low, nearly always empty), Source (low), Zone (medium). The
 * price is lowest in row 13 and highest in row 17. */
static struct table *days_table(void)
{
	static const struct sample_column columns[] = {{"Day", NULL, COLUMN_DATE},
						       {"Price", NULL, COLUMN_DECIMAL},
						       {"Notes", NULL, COLUMN_TEXT},
						       {"Source", NULL, COLUMN_TEXT},
						       {"Zone", NULL, COLUMN_TEXT}};
	static const enum column_priority priorities[] = {
		PRIORITY_HIGH, PRIORITY_HIGH, PRIORITY_LOW, PRIORITY_LOW, PRIORITY_MEDIUM};
	const char *cells[5 * ROWS];
	struct table *t;

	for (size_t r = 0; r < ROWS; r++) {
		cells[5 * r] = "2025-01-01";
		cells[5 * r + 1] = r == 13 ? "1.00" : r == 17 ? "99.00" : "50.00";
		cells[5 * r + 2] = r == 2 ? "note" : NULL;
		cells[5 * r + 3] = "file";
		cells[5 * r + 4] = "NP15";
	}
	t = sample_table(columns, 5, cells, ROWS);
	for (size_t c = 0; c < 5; c++)
		t->columns[c].priority = priorities[c];
	return t;
}

struct fit_case {
	size_t size, rows; /* limits */
	const char *shown; /* columns by first letter */
	size_t row_count;
};

static void assert_fit(const struct table *t, const struct fit_case *x)
{
	const struct view_limits limits = {
		.rows = x->rows, .size = x->size, .measure = measure_as_one};
	struct arena *a = arena_new(1 << 20);
	struct view_fit fit;
	char shown[8] = "";
	size_t n = 0;

	view_fit_table(t, &limits, a, &fit);
	for (size_t c = 0; c < t->column_count; c++)
		if (fit.dropped[c] == VIEW_SHOWN)
			shown[n++] = t->columns[c].name[0];
	if (strcmp(shown, x->shown) != 0 || fit.row_count != x->row_count ||
	    fit.column_count != n || fit.size > x->size)
		fail_msg("limit %zu: %s, %zu rows, size %zu", x->size, shown, fit.row_count,
			 fit.size);
	arena_free(&a);
}

/* The size of everything is 86: 5 headings, 4 full columns of 20 cells and one note. */
static void omits_columns_by_priority_then_rows(void **state)
{
	static const struct fit_case cases[] = {
		{SIZE_MAX, ROWS, "DPNSZ", ROWS},
		{86, ROWS, "DPNSZ", ROWS},
		{85, ROWS, "DPSZ", ROWS},
		{84, ROWS, "DPSZ", ROWS},
		{83, ROWS, "DPZ", ROWS},
		{63, ROWS, "DPZ", ROWS},
		{62, ROWS, "DP", ROWS},
		{42, ROWS, "DP", ROWS},
		{41, ROWS, "DP", 19},
		{12, ROWS, "DP", 5},
		{3, ROWS, "DP", 0},
		{SIZE_MAX, 7, "DPNSZ", 7},
		{34, 7, "DPNSZ", 7},
		{30, 7, "DPZ", 7},
	};
	struct table *t = days_table();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_fit(t, &cases[i]);
	table_free(&t);
}

/* Without priorities all columns are equal, so rows are dropped. */
static void drops_rows_if_priorities_are_equal(void **state)
{
	static const struct fit_case expected = {45, ROWS, "DPNSZ", 9};
	struct table *t = days_table();

	(void)state;
	for (size_t c = 0; c < 5; c++)
		t->columns[c].priority = PRIORITY_MEDIUM;
	assert_fit(t, &expected);
	table_free(&t);
}

static void keeps_rows_with_extremes(void **state)
{
	struct view_limits limits = {
		.rows = 8, .size = SIZE_MAX, .measure = measure_as_one, .extremes = true};
	struct arena *a = arena_new(1 << 20);
	struct table *t = days_table();
	struct view_fit fit;

	(void)state;
	view_fit_table(t, &limits, a, &fit);
	assert_int_equal(fit.row_count, 8);
	assert_int_equal(fit.rows[5], 5);
	assert_int_equal(fit.rows[6], 13);
	assert_int_equal(fit.rows[7], 17);
	limits.size = 5 + 4 * 4;
	view_fit_table(t, &limits, a, &fit);
	assert_int_equal(fit.rows[0], 0);
	assert_int_equal(fit.rows[fit.row_count - 1], 17);
	t->stats[1].max_row = 400000; /* fetched, but not among the stored rows */
	view_fit_table(t, &limits, a, &fit);
	assert_int_equal(fit.rows[fit.row_count - 1], 13);
	arena_free(&a);
	table_free(&t);
}

static void prompt_reports_omitted_parts(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, days_table());
	const size_t size = 160;
	const struct prompt_options options = {.rows = 8, .sizes = &size};
	struct buf b;

	(void)state;
	buf_init(&b, 65536);
	prompt_result(&b, r, &options);
	assert_non_null(strstr(buf_text(&b), "Day | Price\n2025-01-01 | 50.00\n"));
	assert_non_null(strstr(buf_text(&b), "…\n2025-01-01 | 1.00\n…\n2025-01-01 | 99.00\n"));
	assert_non_null(strstr(buf_text(&b), "Omitted for lack of space: Notes (mostly empty), "
					     "Source, Zone"));
	assert_non_null(strstr(buf_text(&b), "rows=\"20\" shown=\"8\""));
	assert_non_null(strstr(buf_text(&b), "Price: min 1.00, max 99.00"));
	buf_deinit(&b);
	arena_free(&a);
}

static void truncates_long_cell(void **state)
{
	static const struct sample_column column = {"Notes", NULL, COLUMN_TEXT};
	struct arena *a = arena_new(1 << 20);
	char *text = arena_alloc(a, PROMPT_CELL_BYTES_MAX + 2);
	const char *cells[] = {text};
	struct buf b;

	(void)state;
	memset(text, 'x', PROMPT_CELL_BYTES_MAX);
	buf_init(&b, 65536);
	prompt_text(&b, asked_result(a, sample_table(&column, 1, cells, 1)), 10);
	assert_null(strstr(buf_text(&b), "…"));
	text[PROMPT_CELL_BYTES_MAX] = 'y';
	buf_reset(&b);
	prompt_text(&b, asked_result(a, sample_table(&column, 1, cells, 1)), 10);
	assert_non_null(strstr(buf_text(&b), "xx…\n</data>"));
	buf_deinit(&b);
	arena_free(&a);
}

/* ---- a table for a client ---- */

static void truncates_long_view_and_reports_it(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct table *t = days_table();
	struct result *r = asked_result(a, t);
	char *long_text = arena_alloc(t->arena, VIEW_BYTES_MAX / 8);
	json_t *view;

	(void)state;
	memset(long_text, 'z', VIEW_BYTES_MAX / 8 - 1);
	for (size_t row = 0; row < ROWS; row++)
		t->rows[row][3] = long_text;
	view = view_tree(r, t, "c1-v1");
	assert_true(json_is_true(json_object_get(view, "truncated")));
	assert_string_equal(json_string_value(json_object_get(view, "truncation_reason")),
			    "too long for a table: without Notes, Source");
	assert_int_equal(json_integer_value(json_object_get(view, "row_count")), ROWS);
	assert_int_equal(json_array_size(json_object_get(view, "columns")), 3);
	json_decref(view);

	for (size_t row = 0; row < ROWS; row++)
		t->rows[row][0] = long_text;
	t->truncation = "row cap";
	view = view_tree(r, t, "c1-v1");
	assert_string_equal(
		json_string_value(json_object_get(view, "truncation_reason")),
		"row cap; too long for a table: without Notes, Source, Zone; the first 7 "
		"of 20 rows");
	assert_int_equal(json_integer_value(json_object_get(view, "row_count")), 7);
	json_decref(view);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(omits_columns_by_priority_then_rows),
		cmocka_unit_test(drops_rows_if_priorities_are_equal),
		cmocka_unit_test(keeps_rows_with_extremes),
		cmocka_unit_test(prompt_reports_omitted_parts),
		cmocka_unit_test(truncates_long_cell),
		cmocka_unit_test(truncates_long_view_and_reports_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
