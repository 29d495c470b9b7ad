/* Tables: look-ups and column types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/table.h"

static void cells_by_name(void **state)
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

static void types(void **state)
{
	(void)state;
	for (int i = COLUMN_TEXT; i <= COLUMN_BOOL; i++) {
		enum column_type type;
		assert_true(column_type_parse(column_type_name((enum column_type)i), &type));
		assert_int_equal(type, i);
	}
	enum column_type kept = COLUMN_DATE;
	assert_false(column_type_parse("money", &kept));
	assert_int_equal(kept, COLUMN_DATE);
	assert_true(column_is_number(COLUMN_INT) && column_is_number(COLUMN_DECIMAL));
	assert_false(column_is_number(COLUMN_BOOL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_by_name),
		cmocka_unit_test(types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
