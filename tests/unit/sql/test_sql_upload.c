/* Statements on tables of uploaded files: plain names only, bound values, three dialects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "vesper/sql_upload.h"

static const struct upload_column columns[] = {
	{"region", COLUMN_TEXT, 0, 0},  {"amount", COLUMN_DECIMAL, 12, 2},
	{"sold_on", COLUMN_DATE, 0, 0}, {"at", COLUMN_DATETIME, 0, 0},
	{"paid", COLUMN_BOOL, 0, 0},    {"n", COLUMN_INT, 0, 0},
};
static const struct upload_table table = {"s_0123456789ab_1", columns, 6};

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

static void rejects_invalid_names(void **state)
{
	static const char *const bad[] = {"s_0123456789ab",     "s_0123456789AB_1",
					  "s_0123456789ab_",    "s_0123456789ab_1x",
					  "t_0123456789ab_1",   "s_0123456789ab_1; DROP",
					  "s_01234\"56789ab_1", NULL};
	struct upload_column column = {"a b", COLUMN_TEXT, 0, 0};
	struct upload_table invalid_table = {"s_0123456789ab_1", &column, 1};
	struct err e = {0};

	(void)state;
	assert_true(sql_upload_check(&table, &e));
	for (const char *const *w = bad; *w; w++)
		assert_false(sql_upload_is_table(*w));
	assert_false(sql_upload_check(&invalid_table, &e));
	column.name = "x\"";
	assert_false(sql_upload_check(&invalid_table, &e));
	assert_int_equal(e.code, ERR_INPUT);
}

static void writes_statements_for_each_dialect(void **state)
{
	struct arena *a = arena_new(1 << 20);
	const char *texts[UPLOAD_CREATES_MAX];

	(void)state;
	assert_int_equal(sql_upload_create(&table, DIALECT_SQLITE, a, texts), 1);
	assert_string_equal(
		texts[0], "CREATE TABLE s_0123456789ab_1 (tenant_id varchar(100) NOT NULL, row_no "
			  "bigint NOT NULL PRIMARY KEY, region text, amount decimal(12,2), sold_on "
			  "date, at datetime, paid bit, n bigint)");
	assert_int_equal(sql_upload_create(&table, DIALECT_POSTGRES, a, texts), 4);
	assert_contains(texts[0], "CREATE TABLE uploads.s_0123456789ab_1");
	assert_contains(texts[1], "FORCE ROW LEVEL SECURITY");
	assert_contains(texts[2], "CREATE POLICY own_tenant");
	assert_int_equal(sql_upload_create(&table, DIALECT_MSSQL, a, texts), 2);
	assert_contains(texts[0], "region nvarchar(max) NULL");
	assert_contains(texts[1], "ADD FILTER PREDICATE sec.fn_tenant(tenant_id)");
	assert_string_equal(
		sql_upload_insert(&table, 2, DIALECT_POSTGRES, a),
		"INSERT INTO uploads.s_0123456789ab_1 (tenant_id, row_no, region, amount, "
		"sold_on, at, paid, n) VALUES (?, ?, ?, ?, ?, CAST(? AS timestamp), CAST(? "
		"AS boolean), ?), (?, ?, ?, ?, ?, CAST(? AS timestamp), CAST(? AS boolean), "
		"?)");
	assert_int_equal(sql_upload_insert_rows(&table, 650, DIALECT_SQLITE), 32);
	assert_int_equal(sql_upload_insert_rows(&table, 650, DIALECT_POSTGRES), 512);
	assert_int_equal(sql_upload_insert_rows(&table, 650, DIALECT_MSSQL), 128);
	assert_int_equal(sql_upload_insert_rows(&table, 31, DIALECT_SQLITE), 16);
	assert_int_equal(sql_upload_insert_rows(&table, 1, DIALECT_MSSQL), 1);
	assert_string_equal(sql_upload_count_common("s_0123456789ab_1", "region",
						    "s_ba9876543210_2", "area", a),
			    "SELECT COUNT(*) AS common FROM (SELECT DISTINCT region AS v FROM "
			    "uploads.s_0123456789ab_1 WHERE tenant_id = ?) x JOIN (SELECT DISTINCT "
			    "area AS v FROM uploads.s_ba9876543210_2 WHERE tenant_id = ?) y ON x.v "
			    "= y.v");
	assert_string_equal(sql_upload_delete("s_0123456789ab_1", DIALECT_SQLITE, a),
			    "DELETE FROM s_0123456789ab_1 WHERE row_no <= ?");
	assert_contains(sql_upload_drop("s_0123456789ab_1", DIALECT_MSSQL, a),
			"DROP SECURITY POLICY IF EXISTS");
	assert_contains(sql_upload_rows(&table, 20, DIALECT_MSSQL, a),
			"SELECT TOP 20 row_no, region");
	assert_contains(sql_upload_rows(&table, 20, DIALECT_SQLITE, a),
			"FROM uploads.s_0123456789ab_1");
	assert_contains(sql_upload_index(&table, 0, 2, DIALECT_SQLITE, a), "(sold_on)");
	assert_string_equal(
		sql_upload_covering_index(&table, 1, 0, (const size_t[]){1, 5}, 2, DIALECT_SQLITE,
					  a),
		"CREATE INDEX ix_s_0123456789ab_1_1 ON s_0123456789ab_1 (region, tenant_id, "
		"amount, n)");
	assert_null(sql_upload_covering_index(&table, 1, 0, (const size_t[]){1}, 1,
					      DIALECT_POSTGRES, a));
	assert_string_equal(sql_upload_drop_index("s_0123456789ab_1", 1, a),
			    "DROP INDEX IF EXISTS ix_s_0123456789ab_1_1");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rejects_invalid_names),
		cmocka_unit_test(writes_statements_for_each_dialect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
