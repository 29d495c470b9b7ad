/* Statements that read the distinct values of a column, and watermarks of views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/sql.h"

static const char *render_distinct(const char *view, const char *column, enum dialect dialect,
				   struct arena *a)
{
	struct sql_bound sql;
	struct err e = {0};

	struct sql_values v = {.view = view, .column = column, .cap = 11};

	if (!sql_distinct(&v, "acme", dialect, a, &sql, &e)) {
		assert_int_equal(e.code, ERR_INPUT);
		return NULL;
	}
	assert_int_equal(sql.count, 1);
	assert_string_equal(sql.values[0].text, "acme");
	return sql.text;
}

static void binds_tenant_and_limits_rows(void **state)
{
	struct arena *a = arena_new(1 << 16);

	(void)state;
	assert_string_equal(render_distinct("dbo.per_project", "name", DIALECT_MSSQL, a),
			    "SELECT DISTINCT t.name AS \"Value\"\n"
			    "FROM dbo.per_project t\n"
			    "WHERE t.tenant_id = ? AND t.name IS NOT NULL\n"
			    "ORDER BY t.name\n"
			    "OFFSET 0 ROWS FETCH NEXT 11 ROWS ONLY");
	assert_non_null(strstr(render_distinct("dbo.per_project", "name", DIALECT_SQLITE, a),
			       "LIMIT 11 OFFSET 0"));
	arena_free(&a);
}

static void page_starts_after_previous_page(void **state)
{
	struct sql_values v = {.view = "a.b", .column = "c", .after = "M' OR 1=1", .cap = 5};
	struct arena *a = arena_new(1 << 16);
	struct sql_bound sql;
	struct err e = {0};

	(void)state;
	assert_true(sql_distinct(&v, "acme", DIALECT_MSSQL, a, &sql, &e));
	assert_string_equal(sql.text, "SELECT DISTINCT t.c AS \"Value\"\n"
				      "FROM a.b t\n"
				      "WHERE t.tenant_id = ? AND t.c IS NOT NULL AND t.c > ?\n"
				      "ORDER BY t.c\n"
				      "OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY");
	assert_int_equal(sql.count, 2);
	assert_string_equal(sql.values[1].text, "M' OR 1=1");
	v.parent = "p q";
	assert_true(sql_distinct(&v, "acme", DIALECT_MSSQL, a, &sql, &e));
	assert_string_equal(sql.text, "SELECT DISTINCT t.c AS \"Value\", t.\"p q\" AS \"Parent\"\n"
				      "FROM a.b t\n"
				      "WHERE t.tenant_id = ? AND t.c IS NOT NULL AND t.c >= ?\n"
				      "ORDER BY t.c, t.\"p q\"\n"
				      "OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY");
	v.parent = "p\"q";
	assert_false(sql_distinct(&v, "acme", DIALECT_MSSQL, a, &sql, &e));
	arena_free(&a);
}

static void watermark_has_count_and_maximum(void **state)
{
	struct arena *a = arena_new(1 << 16);
	struct sql_bound sql;
	struct err e = {0};

	(void)state;
	assert_true(sql_watermark("a.b", "c", "acme", DIALECT_SQLITE, a, &sql, &e));
	assert_string_equal(sql.text, "SELECT COUNT(*) AS \"Rows\", MAX(t.c) AS \"Newest\"\n"
				      "FROM a.b t\n"
				      "WHERE t.tenant_id = ?");
	assert_int_equal(sql.count, 1);
	assert_false(sql_watermark("a.b", "c]", "acme", DIALECT_SQLITE, a, &sql, &e));
	arena_free(&a);
}

/* Rows of a single-tenant source need no tenant_id. */
static void reads_all_rows_without_tenant(void **state)
{
	struct sql_values v = {.view = "a.b", .column = "c", .cap = 5};
	struct arena *a = arena_new(1 << 16);
	struct sql_bound sql;
	struct err e = {0};

	(void)state;
	assert_true(sql_distinct(&v, NULL, DIALECT_MSSQL, a, &sql, &e));
	assert_string_equal(sql.text, "SELECT DISTINCT t.c AS \"Value\"\n"
				      "FROM a.b t\n"
				      "WHERE t.c IS NOT NULL\n"
				      "ORDER BY t.c\n"
				      "OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY");
	assert_int_equal(sql.count, 0);
	assert_true(sql_watermark("a.b", "c", NULL, DIALECT_SQLITE, a, &sql, &e));
	assert_string_equal(sql.text, "SELECT COUNT(*) AS \"Rows\", MAX(t.c) AS \"Newest\"\n"
				      "FROM a.b t");
	assert_int_equal(sql.count, 0);
	arena_free(&a);
}

static void quotes_names_with_spaces(void **state)
{
	struct arena *a = arena_new(1 << 16);

	(void)state;
	assert_non_null(strstr(render_distinct("dbo.x", "Project Name", DIALECT_POSTGRES, a),
			       "DISTINCT t.\"Project Name\" AS"));
	assert_non_null(strstr(render_distinct("dbo.x", "Duration(Hrs) :a", DIALECT_SQLITE, a),
			       "t.\"Duration(Hrs) :a\" IS NOT NULL"));
	arena_free(&a);
}

static void rejects_characters_that_end_a_name(void **state)
{
	static const char *const columns[] = {"", "a\"b", "a]b", "[a", "a\nb", "a\\b"};
	static const char *const views[] = {"",     ".x", "a.b.c", "a b",   "a;--",
					    "a\"b", "1a", "a.",    "a.b c", "a.(select 1)"};
	struct arena *a = arena_new(1 << 16);

	(void)state;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		assert_null(render_distinct("dbo.x", columns[i], DIALECT_SQLITE, a));
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		assert_null(render_distinct(views[i], "name", DIALECT_SQLITE, a));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binds_tenant_and_limits_rows),
		cmocka_unit_test(page_starts_after_previous_page),
		cmocka_unit_test(watermark_has_count_and_maximum),
		cmocka_unit_test(reads_all_rows_without_tenant),
		cmocka_unit_test(quotes_names_with_spaces),
		cmocka_unit_test(rejects_characters_that_end_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
