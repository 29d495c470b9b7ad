/* Totals of a statement: which parts are kept or omitted, and which statements have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/sql.h"

static struct arena *arena;
static struct args args;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	args = (struct args){0};
	args_set(&args, arena, "tenant_id", value_text("acme"));
	args_set(&args, arena, "row_limit", value_int(501));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct sql_query *parse_query(const char *text)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	if (!sql_file_parse("x.sql", text, arena, &f, &e))
		fail_msg("%s", e.text);
	return &f->queries[0];
}

static struct sql_bound render_totals(const char *text, enum dialect dialect)
{
	static const struct sql_totals_column columns[] = {{"Price", false}, {"N", true}};
	struct sql_bound out = {0};
	struct err e = {0};

	assert_true(sql_query_has_totals(parse_query(text)));
	if (!sql_render_totals(parse_query(text), &args, columns, 2, dialect, arena, &out, &e))
		fail_msg("%s", e.text);
	return out;
}

#define TOTALS                                                                                     \
	"SELECT COUNT(*) AS \"rows\", COUNT(\"Price\") AS \"count0\", SUM(\"Price\") AS "          \
	"\"sum0\", MIN(\"Price\") AS \"min0\", MAX(\"Price\") AS \"max0\", COUNT(\"N\") AS "       \
	"\"count1\", SUM(CAST(\"N\" AS BIGINT)) AS \"sum1\", MIN(\"N\") AS \"min1\", MAX(\"N\") "  \
	"AS \"max1\"\nFROM \"all rows\""

static void totals_omit_order_and_row_limit(void **state)
{
	static const char text[] = "SELECT p.price AS \"Price\", p.n AS \"N\" FROM dbo.p p\n"
				   "WHERE p.tenant_id = :tenant_id\n"
				   "ORDER BY CASE WHEN p.a = :row_limit THEN 1 ELSE 2 END, p.n\n"
				   "OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY\n";
	static const enum dialect dialects[] = {DIALECT_SQLITE, DIALECT_POSTGRES};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct sql_bound out = render_totals(text, dialects[i]);
		assert_string_equal(out.text,
				    "WITH \"all rows\" AS (\n"
				    "SELECT p.price AS \"Price\", p.n AS \"N\" FROM dbo.p p\n"
				    "WHERE p.tenant_id = ?\n)\n" TOTALS);
		assert_int_equal(out.count, 1);
		assert_string_equal(out.values[0].text, "acme");
	}
}

static void mssql_totals_use_bigint(void **state)
{
	struct sql_bound out = render_totals("SELECT 1 AS \"Price\", 2 AS \"N\"", DIALECT_MSSQL);

	(void)state;
	assert_non_null(strstr(out.text, "SELECT COUNT_BIG(*) AS \"rows\", COUNT_BIG(\"Price\")"));
	assert_null(strstr(out.text, "COUNT("));
}

/* T-SQL does not allow WITH inside parentheses. */
static void totals_keep_with_at_the_start(void **state)
{
	struct sql_bound out = render_totals("WITH a AS (SELECT 1 AS x ORDER BY x OFFSET 5 ROWS),\n"
					     "b AS (SELECT y FROM a WHERE t = :tenant_id LIMIT 3)\n"
					     "SELECT \"Price\", \"N\" FROM a, b ORDER BY 1",
					     DIALECT_MSSQL);

	(void)state;
	assert_ptr_equal(strstr(out.text, "WITH a AS (SELECT 1 AS x ORDER BY x OFFSET 5 ROWS),\n"),
			 out.text);
	assert_non_null(strstr(out.text, "LIMIT 3),\n\"all rows\" AS (\nSELECT \"Price\", \"N\" "
					 "FROM a, b )\nSELECT COUNT_BIG(*)"));
	assert_int_equal(out.count, 1);
}

static void totals_keep_nested_order(void **state)
{
	struct sql_bound out =
		render_totals("SELECT ROW_NUMBER() OVER (ORDER BY x) AS \"N\",\n"
			      "(SELECT TOP 1 p FROM t ORDER BY p) AS \"Price\" FROM t\n"
			      "UNION ALL SELECT 1, 2 FROM u ORDER BY 1",
			      DIALECT_MSSQL);

	(void)state;
	assert_non_null(strstr(out.text, "OVER (ORDER BY x)"));
	assert_non_null(strstr(out.text, "(SELECT TOP 1 p FROM t ORDER BY p)"));
	assert_non_null(strstr(out.text, "UNION ALL SELECT 1, 2 FROM u )\n"));
}

static void totals_include_given_optional_lines(void **state)
{
	static const char text[] = "SELECT \"Price\", \"N\" FROM t WHERE a = :tenant_id\n"
				   "--? name: AND n = :name\n"
				   "ORDER BY 1";

	(void)state;
	assert_int_equal(render_totals(text, DIALECT_POSTGRES).count, 1);
	args_set(&args, arena, "name", value_text("x"));
	assert_int_equal(render_totals(text, DIALECT_POSTGRES).count, 2);
}

static void partial_selections_have_no_totals(void **state)
{
	static const char *const statements[] = {
		"SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT :top_n ROWS ONLY",
		"SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY",
		"SELECT a FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT :row_limit ROWS ONLY",
		"SELECT a FROM t ORDER BY a OFFSET 0 ROWS",
		"SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT :row_limit ROWS ONLY x",
		"SELECT a FROM t LIMIT 5",
		"SELECT a FROM t ORDER BY a LIMIT 5",
		"SELECT TOP 5 a FROM t ORDER BY a",
		"WITH x AS (SELECT 1 AS a) DELETE FROM t",
		"VALUES (1)",
	};
	struct sql_bound out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct err e = {0};
		if (sql_query_has_totals(parse_query(statements[i])))
			fail_msg("%s", statements[i]);
		assert_false(sql_render_totals(parse_query(statements[i]), &args, NULL, 0,
					       DIALECT_SQLITE, arena, &out, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_null(out.text);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(totals_omit_order_and_row_limit),     TEST(mssql_totals_use_bigint),
		TEST(totals_keep_with_at_the_start),       TEST(totals_keep_nested_order),
		TEST(totals_include_given_optional_lines), TEST(partial_selections_have_no_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
