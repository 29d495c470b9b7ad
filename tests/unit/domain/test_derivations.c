/* The derivations for tools of any pack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample_results.h"
#include "vesper/domain.h"

static struct arena *arena;
static struct result *result;
static struct table *table;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* Rows with a name and a cost, and the facts derived from them. */
static void derive(const char *name, const char *const *cells, size_t rows)
{
	static const struct sample_column columns[] = {{"Ward", NULL, COLUMN_TEXT},
						       {"Cost", "$", COLUMN_DECIMAL}};
	const struct derive_def of = {.name = name, .column = "Cost", .by = "Ward"};
	const struct tool_derivation *d = domain_derivations;

	table = sample_table(columns, 2, cells, rows);
	result = sample_result(arena, table);
	while (strcmp(d->name, name) != 0)
		d++;
	d->run(result, &of, arena);
	for (size_t i = 0; i < result->fact_count; i++) {
		const char *const *known = d->facts;

		while (*known && strcmp(*known, result->facts[i].name) != 0)
			known++;
		assert_non_null(*known);
	}
	for (size_t c = 2; c < table->column_count; c++)
		assert_string_equal(table->columns[c].name, d->column);
}

static void has(const char *name, const char *value, const char *unit)
{
	const struct fact *f = result_fact(result, name);

	if (!f)
		fail_msg("no fact %s", name);
	assert_string_equal(f->value, value);
	if (unit)
		assert_string_equal(f->unit, unit);
	else
		assert_null(f->unit);
}

static void shares_are_of_all_rows(void **state)
{
	static const char *const cells[] = {"A", "10.50", "B", NULL, "C", "29.50", "D", "0"};

	(void)state;
	derive("share_of_total", cells, 4);
	assert_string_equal(table_cell(table, 0, "Share"), "26.3");
	assert_null(table_cell(table, 1, "Share"));
	assert_string_equal(table_cell(table, 2, "Share"), "73.8");
	assert_string_equal(table_cell(table, 3, "Share"), "0.0");
	has("total", "40.00", "$");
	has("largest", "C", NULL);
	has("largest_value", "29.50", "$");
	has("largest_share", "73.8", "%");
	assert_string_equal(result_fact(result, "largest_share")->formula, "29.50 / 40.00");
	assert_string_equal(result_fact(result, "largest_share")->label, "C: share of the total");
}

/* Shares are meaningless with a negative part, a total of zero, or truncated rows. */
static void adds_no_meaningless_shares(void **state)
{
	static const char *const below[] = {"A", "-1", "B", "5"};
	static const char *const zero[] = {"A", "0", "B", "0.00"};
	static const char *const none[] = {"A", NULL, "B", "x"};

	(void)state;
	derive("share_of_total", below, 2);
	assert_int_equal(result->fact_count, 0);
	derive("share_of_total", zero, 2);
	assert_int_equal(result->fact_count, 0);
	derive("share_of_total", none, 2);
	assert_int_equal(result->fact_count, 0);
	assert_int_equal(table->column_count, 2);
}

static void truncated_result_has_neither_total_nor_ranks(void **state)
{
	static const struct sample_column columns[] = {{"Ward", NULL, COLUMN_TEXT},
						       {"Cost", "$", COLUMN_DECIMAL}};
	static const char *const cells[] = {"A", "1", "B", "5"};
	const struct derive_def of = {.name = "", .column = "Cost", .by = "Ward"};

	(void)state;
	for (const struct tool_derivation *d = domain_derivations; d->name; d++) {
		table = sample_table(columns, 2, cells, 2);
		table->truncated = true;
		result = sample_result(arena, table);
		d->run(result, &of, arena);
		assert_int_equal(result->fact_count, 0);
		assert_int_equal(table->column_count, 2);
	}
}

static void the_highest_is_compared_with_the_lowest(void **state)
{
	static const char *const cells[] = {"A", "20", "B", "50.5", "C", "30"};
	static const char *const same[] = {"A", "20", "B", "20.0"};
	static const char *const one[] = {"A", "20", "B", NULL};
	static const char *const below[] = {"A", "-20", "B", "10"};

	(void)state;
	derive("difference", cells, 3);
	has("higher", "B", NULL);
	has("higher_value", "50.5", "$");
	has("lower", "A", NULL);
	has("lower_value", "20", "$");
	has("difference", "30.5", "$");
	has("difference_percent", "152.5", "%");
	assert_string_equal(result_fact(result, "difference")->label, "B minus A");
	assert_string_equal(result_fact(result, "difference")->formula, "50.5 - 20");

	derive("difference", same, 2);
	assert_null(result_fact(result, "higher"));
	has("difference", "0", "$");
	derive("difference", one, 2);
	assert_int_equal(result->fact_count, 0);
	derive("difference", below, 2);
	has("difference", "30", "$");
	assert_null(result_fact(result, "difference_percent")); /* of a negative value */
}

static void equal_values_share_a_rank(void **state)
{
	static const char *const cells[] = {"A", "5",  "B", "7.0", "C", "7",
					    "D", NULL, "E", "9",   "F", "1"};
	static const char *const same[] = {"A", "5", "B", "5"};

	(void)state;
	derive("rank", cells, 6);
	assert_string_equal(table_cell(table, 0, "Rank"), "4");
	assert_string_equal(table_cell(table, 1, "Rank"), "2");
	assert_string_equal(table_cell(table, 2, "Rank"), "2");
	assert_null(table_cell(table, 3, "Rank"));
	assert_string_equal(table_cell(table, 4, "Rank"), "1");
	assert_string_equal(table_cell(table, 5, "Rank"), "5");
	has("ranked", "5", NULL);
	has("first", "E", NULL);
	has("first_value", "9", "$");
	has("last", "F", NULL);
	has("last_value", "1", "$");

	derive("rank", same, 2);
	has("ranked", "2", NULL);
	assert_null(result_fact(result, "first"));
	assert_string_equal(table_cell(table, 1, "Rank"), "1");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(shares_are_of_all_rows),
		TEST(adds_no_meaningless_shares),
		TEST(truncated_result_has_neither_total_nor_ranks),
		TEST(the_highest_is_compared_with_the_lowest),
		TEST(equal_values_share_a_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
