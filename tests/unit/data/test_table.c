/* Tables: look-ups and column types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/table.h"

static void finds_cells_by_name(void **state)
{
	(void)state;
	struct table *t = table_new(1000);
	struct column columns[] = {{.name = "Name"}, {.name = "Price"}};
	const char *row[] = {"NP15", NULL};
	const char **rows[] = {row};
	t->columns = columns;
	t->column_count = 2;
	t->rows = rows;
	t->row_count = 1;
	assert_int_equal(table_column(t, "Price"), 1);
	assert_int_equal(table_column(t, "price"), -1);
	assert_string_equal(table_cell(t, 0, "Name"), "NP15");
	assert_null(table_cell(t, 0, "Price"));
	assert_null(table_cell(t, 0, "None"));
	assert_null(table_cell(t, 1, "Name"));
	table_free(&t);
	assert_null(t);
	table_free(&t);
}

static void derived_columns_come_last(void **state)
{
	(void)state;
	const char *cells[] = {"1.50", NULL, "2.50"};

	for (size_t before = 0; before < 20; before++) { /* for any capacity of the arrays */
		struct table *t = table_new(100000);
		t->columns = arena_alloc(t->arena, before * sizeof(*t->columns));
		t->stats = arena_alloc(t->arena, before * sizeof(*t->stats));
		t->rows = arena_alloc(t->arena, 3 * sizeof(*t->rows));
		for (size_t c = 0; c < before; c++)
			t->columns[c].name = "old";
		for (size_t r = 0; r < 3; r++) {
			t->rows[r] = arena_alloc(t->arena, before * sizeof(**t->rows));
			for (size_t c = 0; c < before; c++)
				t->rows[r][c] = "x";
		}
		t->column_count = before;
		t->row_count = 3;
		table_add_column(t, "New", COLUMN_DECIMAL, cells);
		assert_int_equal(t->column_count, before + 1);
		assert_int_equal(table_column(t, "New"), before);
		assert_string_equal(table_cell(t, 0, "New"), "1.50");
		assert_null(table_cell(t, 1, "New"));
		assert_string_equal(t->columns[before].label, "New");
		assert_int_equal(t->stats[before].count, 2);
		assert_int_equal(t->stats[before].nulls, 1);
		assert_string_equal(t->stats[before].max, "2.50");
		if (before)
			assert_string_equal(t->rows[2][before - 1], "x");
		table_free(&t);
	}
}

static void duplicate_column_names_are_numbered(void **state)
{
	static const char *const names[] = {"x", "x", "X", "x (2)", "x", "", ""};
	static const char *const expected[] = {"x", "x (2)", "X", "x (2) (2)", "x (3)", "_6", "_7"};
	struct table *t = table_new(4096);

	(void)state;
	t->column_count = sizeof(names) / sizeof(names[0]);
	t->columns = arena_alloc(t->arena, t->column_count * sizeof(*t->columns));
	for (size_t i = 0; i < t->column_count; i++) {
		t->columns[i].name = names[i];
		table_make_name_unique(t, i);
		assert_string_equal(t->columns[i].name, expected[i]);
	}
	table_free(&t);
}

static void rows_are_replaced(void **state)
{
	static const char *const names[] = {"Kind", "Lost"};
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_DECIMAL};
	static const char *const cells[] = {"gap", "1.50", "spike", NULL, "gap", "2.50"};
	struct table *t = table_new(1 << 20);

	(void)state;
	table_add_column(t, "Old", COLUMN_TEXT, NULL);
	t->truncated = true;
	table_replace(t, names, types, 2, cells, 3);
	assert_int_equal(t->column_count, 2);
	assert_int_equal(t->row_count, 3);
	assert_int_equal(t->total_rows, 3);
	assert_false(t->truncated);
	assert_int_equal(table_column(t, "Old"), -1);
	assert_string_equal(table_cell(t, 2, "Lost"), "2.50");
	assert_null(table_cell(t, 1, "Lost"));
	assert_int_equal(t->stats[1].nulls, 1);
	assert_string_equal(t->stats[1].max, "2.50");
	table_replace(t, names, types, 2, NULL, 0);
	assert_int_equal(t->row_count, 0);
	assert_int_equal(table_column(t, "Lost"), 1);
	table_free(&t);
}

static void column_types_have_names(void **state)
{
	(void)state;
	for (int i = COLUMN_TEXT; i <= COLUMN_BOOL; i++) {
		enum column_type type;
		assert_true(column_type_parse(column_type_name((enum column_type)i), &type));
		assert_int_equal(type, i);
	}
	enum column_type unchanged = COLUMN_DATE;
	assert_false(column_type_parse("money", &unchanged));
	assert_int_equal(unchanged, COLUMN_DATE);
	assert_true(column_is_number(COLUMN_INT) && column_is_number(COLUMN_DECIMAL));
	assert_false(column_is_number(COLUMN_BOOL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_cells_by_name),
		cmocka_unit_test(derived_columns_come_last),
		cmocka_unit_test(duplicate_column_names_are_numbered),
		cmocka_unit_test(rows_are_replaced),
		cmocka_unit_test(column_types_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
