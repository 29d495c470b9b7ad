/* Expected texts of the same statement for each dialect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/sql.h"

static void assert_texts(const char *text, const char *mssql, const char *postgres,
			 const char *sqlite)
{
	const char *const expected[DIALECT_COUNT] = {
		[DIALECT_MSSQL] = mssql, [DIALECT_POSTGRES] = postgres, [DIALECT_SQLITE] = sqlite};
	struct arena *a = arena_new(1 << 20);
	struct args args = {0};
	struct sql_file *f = NULL;
	struct err e = {0};

	args_set(&args, a, "skip", value_int(5));
	args_set(&args, a, "take", value_int(10));
	args_set(&args, a, "x", value_int(1));
	assert_true(sql_file_parse("x.sql", text, a, &f, &e));
	for (int d = 0; d < DIALECT_COUNT; d++) {
		struct sql_bound out = {0};
		assert_true(sql_render(&f->queries[0], &args, (enum dialect)d, a, &out, &e));
		assert_string_equal(out.text, expected[d]);
	}
	arena_free(&a);
}

static void rewrites_row_limit_for_sqlite(void **state)
{
	(void)state;
	assert_texts("SELECT \"a\" FROM dbo.t WHERE x = :x ORDER BY 1 OFFSET 0 ROWS FETCH NEXT "
		     ":take ROWS "
		     "ONLY",
		     "SELECT \"a\" FROM dbo.t WHERE x = ? ORDER BY 1 OFFSET 0 ROWS FETCH NEXT ? "
		     "ROWS ONLY",
		     "SELECT \"a\" FROM dbo.t WHERE x = ? ORDER BY 1 OFFSET 0 ROWS FETCH NEXT ? "
		     "ROWS ONLY",
		     "SELECT \"a\" FROM dbo.t WHERE x = ? ORDER BY 1 LIMIT ? OFFSET 0");
	assert_texts("select a from (select b offset 1 row\nfetch first 1 row only) s order by a",
		     "select a from (select b offset 1 row\nfetch first 1 row only) s order by a",
		     "select a from (select b offset 1 row\nfetch first 1 row only) s order by a",
		     "select a from (select b LIMIT 1 OFFSET 1) s order by a");
}

static void markers_move_with_their_clause(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct args args = {0};
	struct sql_file *f = NULL;
	struct sql_bound out = {0};
	struct err e = {0};

	args_set(&args, a, "skip", value_int(5));
	args_set(&args, a, "take", value_int(10));
	assert_true(sql_file_parse("x.sql", "SELECT 1 OFFSET:skip ROWS FETCH NEXT:take ROWS ONLY",
				   a, &f, &e));
	assert_true(sql_render(&f->queries[0], &args, DIALECT_SQLITE, a, &out, &e));
	assert_string_equal(out.text, "SELECT 1 LIMIT ? OFFSET ?");
	assert_int_equal(out.values[0].number, 10);
	assert_int_equal(out.values[1].number, 5);
	assert_true(sql_render(&f->queries[0], &args, DIALECT_MSSQL, a, &out, &e));
	assert_int_equal(out.values[0].number, 5);
	assert_int_equal(out.values[1].number, 10);
	arena_free(&a);
}

static void keeps_lookalike_clauses(void **state)
{
	(void)state;
	static const char *const unchanged[] = {
		"SELECT 'OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY', \"OFFSET\", offset FROM t",
		"SELECT a AS offset, 0 rows FROM t",
		"SELECT a FROM t ORDER BY a OFFSET 3 ROWS",
		"SELECT a FROM t ORDER BY a OFFSET 3 ROWS FETCH NEXT 4",
	};

	for (size_t i = 0; i < sizeof(unchanged) / sizeof(unchanged[0]); i++)
		assert_texts(unchanged[i], unchanged[i], unchanged[i], unchanged[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewrites_row_limit_for_sqlite),
		cmocka_unit_test(markers_move_with_their_clause),
		cmocka_unit_test(keeps_lookalike_clauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
