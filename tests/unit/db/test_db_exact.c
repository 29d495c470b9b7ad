/* Exact means, sums and rounding on SQLite; halves are rounded away from zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "db_int.h"

static sqlite3 *db;

static int setup(void **state)
{
	struct connection c = {0};
	struct err e = {0};

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	c.native = db;
	assert_true(db_exact_use(&c, &e));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sqlite3_close(db);
	return 0;
}

/* The rows of the first column as text, "|" between them; "" for NULL. */
static const char *query_rows(const char *sql)
{
	static char result[256];
	sqlite3_stmt *s = NULL;

	result[0] = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	for (int row = 0; sqlite3_step(s) == SQLITE_ROW; row++) {
		const char *text = (const char *)sqlite3_column_text(s, 0);

		strcat(result, row ? "|" : "");
		strcat(result, text ? text : "");
	}
	sqlite3_finalize(s);
	return result;
}

static void rounds_halves_away_from_zero(void **state)
{
	(void)state;
	assert_string_equal(query_rows("SELECT ROUND(62.975, 2)"), "62.98");
	assert_string_equal(query_rows("SELECT ROUND(-62.975, 2)"), "-62.98");
	assert_string_equal(query_rows("SELECT ROUND(1.005, 2)"), "1.01");
	assert_string_equal(query_rows("SELECT ROUND(62.97499999999999, 2)"), "62.97");
	assert_string_equal(query_rows("SELECT ROUND(0.5)"), "1.0");
	assert_string_equal(query_rows("SELECT ROUND(-2.5)"), "-3.0");
	assert_string_equal(query_rows("SELECT ROUND(7)"), "7.0");
	assert_string_equal(query_rows("SELECT ROUND(1e300, 2)"), "1.0e+300");
	assert_string_equal(query_rows("SELECT ROUND(0.000001, 30)"), "1.0e-06");
	assert_string_equal(query_rows("SELECT ROUND(NULL, 2)"), "");
	assert_string_equal(query_rows("SELECT ROUND(1.5, NULL)"), "");
	assert_string_equal(query_rows("SELECT ROUND(123.456, -1)"), "123.0");
	for (int k = 1; k <= 20000; k += 7) { /* each value ends in half a thousandth */
		char sql[80], expected[32];

		snprintf(sql, sizeof(sql), "SELECT printf('%%.3f', ROUND(-%d.%03d5, 3))", k / 1000,
			 k % 1000);
		snprintf(expected, sizeof(expected), "-%d.%03d", (k + 1) / 1000, (k + 1) % 1000);
		assert_string_equal(query_rows(sql), expected);
	}
}

static void means_and_sums_are_exact(void **state)
{
	(void)state;
	assert_string_equal(
		query_rows(
			"SELECT ROUND(AVG(x), 2) FROM (SELECT 62.97 AS x UNION ALL SELECT 62.98)"),
		"62.98");
	assert_string_equal(
		query_rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
			   "WHERE i < 8760) SELECT ROUND(AVG(CASE WHEN i % 2 THEN 0.1 ELSE "
			   "0.11 END), 2) FROM n"),
		"0.11");
	assert_string_equal(
		query_rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
			   "WHERE i < 8760) SELECT ROUND(AVG(CASE WHEN i = 1 THEN 0.0999 "
			   "WHEN i % 2 THEN 0.1 ELSE 0.11 END), 2) FROM n"),
		"0.1");
	assert_string_equal(
		query_rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
			   "WHERE i < 10000) SELECT SUM(0.1) FROM n"),
		"1000.0");
	assert_string_equal(query_rows("SELECT SUM(x) FROM (SELECT 1 AS x UNION ALL SELECT 2)"),
			    "3");
	assert_string_equal(query_rows("SELECT SUM(x) FROM (SELECT 1.5 AS x UNION ALL SELECT 2)"),
			    "3.5");
	assert_string_equal(query_rows("SELECT SUM(x) FROM (SELECT NULL AS x)"), "");
	assert_string_equal(query_rows("SELECT SUM(x) FROM (SELECT 9007199254740993 AS x)"),
			    "9007199254740993");
	assert_string_equal(query_rows("SELECT AVG(x) FROM (SELECT 1 AS x UNION ALL SELECT 2)"),
			    "1.5");
	assert_string_equal(query_rows("SELECT AVG(x) FROM (SELECT NULL AS x)"), "");
	assert_string_equal(query_rows("SELECT AVG(1) WHERE 0"), "");
	assert_string_equal(query_rows("SELECT AVG(x) FROM (SELECT NULL AS x UNION ALL SELECT 4)"),
			    "4.0");
	assert_string_equal(
		query_rows("SELECT AVG(DISTINCT x) FROM (SELECT 4 AS x UNION ALL SELECT 4 "
			   "UNION ALL SELECT 1)"),
		"2.5");
	assert_string_equal(
		query_rows("SELECT AVG(x) FROM (SELECT 1e300 AS x UNION ALL SELECT 3e300)"),
		"2.0e+300");
	assert_string_equal(
		query_rows("SELECT AVG(x) FROM (SELECT 9e12 AS x UNION ALL SELECT 9e12 UNION "
			   "ALL SELECT 8e12 UNION ALL SELECT 6e12)"),
		"8000000000000.0");
}

/* The result is the same to the last bit, however the numbers are grouped into parts. */
static void sums_of_parts_equal_total(void **state)
{
	static const char *const expressions[] = {
		"(i * 7919 % 20011 - 9000) / 100.0",
		"i * 7919 % 20011 - 9000",
		"CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN i / -1e6 ELSE i / 8.0 END",
		"CASE WHEN i % 50 = 7 THEN NULL ELSE i % 3 END",
		"NULL",
		"1000000000 - i"};
	static const char *const pairs[][2] = {{"SUM", "EXACT_SUM"}, {"AVG", "EXACT_AVG"}};

	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++)
		for (size_t k = 0; k < 2; k++) {
			char sql[1200];

			snprintf(sql, sizeof(sql),
				 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
				 "WHERE i < 4000), v AS (SELECT i %% 50 AS day, i %% 7 AS hour, %s "
				 "AS x "
				 "FROM n), whole AS (SELECT day / 10 AS m, %s(x) AS y FROM v GROUP "
				 "BY "
				 "day / 10), parts AS (SELECT day / 10 AS m, %s(p) AS y FROM "
				 "(SELECT day, "
				 "EXACT_PART(x) AS p FROM v GROUP BY day, hour) GROUP BY day / 10) "
				 "SELECT count(*) FROM whole JOIN parts USING (m) WHERE whole.y IS "
				 "parts.y AND typeof(whole.y) = typeof(parts.y)",
				 expressions[i], pairs[k][0], pairs[k][1]);
			if (strcmp(query_rows(sql), "5") != 0)
				fail_msg("%s", sql);
		}
	assert_string_equal(
		query_rows("SELECT EXACT_SUM(x) FROM (SELECT 'no part' AS x UNION ALL SELECT "
			   "x'00' UNION ALL SELECT 7)"),
		"");
	assert_string_equal(query_rows("SELECT EXACT_AVG(1) WHERE 0"), "");
	assert_string_equal(query_rows("SELECT EXACT_SUM(p) FROM (SELECT EXACT_PART(NULL) AS p)"),
			    "");
}

static void averages_over_sliding_window(void **state)
{
	(void)state;
	assert_string_equal(query_rows("WITH v(i, x) AS (VALUES (1, 0.1), (2, 0.11), (3, 1e300), "
				       "(4, 0.3), (5, NULL), "
				       "(6, 0.31)) SELECT ROUND(AVG(x) OVER (ORDER BY i ROWS 1 "
				       "PRECEDING), 2) FROM v "
				       "WHERE i <> 3"),
			    "0.1|0.11|0.21|0.3|0.31");
}

static void adds_months_like_database_servers(void **state)
{
	(void)state;
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2025-01-31', 1)"), "2025-02-28");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2024-01-31', 1)"), "2024-02-29");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2024-03-31 10:30:00', -1)"),
			    "2024-02-29");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2025-01-15', -13)"), "2023-12-15");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2025-01-15', 0)"), "2025-01-15");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('no day', 1)"), "");
	assert_string_equal(query_rows("SELECT ADD_MONTHS(NULL, 1)"), "");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2025-01-15', NULL)"), "");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('9999-12-01', 1)"), "");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('0001-01-01', -1)"), "");
	assert_string_equal(query_rows("SELECT ADD_MONTHS('2025-01-15', 9223372036854775807)"), "");
}

static void builds_dates_from_parts(void **state)
{
	(void)state;
	assert_string_equal(query_rows("SELECT DATE_FROM_PARTS(2024, 2, 29)"), "2024-02-29");
	assert_string_equal(query_rows("SELECT DATE_FROM_PARTS(2025, 2, 29)"), "");
	assert_string_equal(query_rows("SELECT DATE_FROM_PARTS(2025, NULL, 1)"), "");
}

static void differences_are_exact_decimals(void **state)
{
	(void)state;
	assert_string_equal(query_rows("SELECT EXACT(1000000.1 - 1000000)"), "0.1");
	assert_string_equal(query_rows("SELECT EXACT(0.994737 - 1)"), "-0.005263");
	assert_string_equal(query_rows("SELECT EXACT(3)"), "3");
	assert_string_equal(query_rows("SELECT EXACT('x')"), "x");
	assert_string_equal(query_rows("SELECT EXACT(NULL)"), "");
	assert_string_equal(query_rows("SELECT EXACT(1e300)"), "1.0e+300");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(rounds_halves_away_from_zero),      TEST(means_and_sums_are_exact),
		TEST(sums_of_parts_equal_total),         TEST(averages_over_sliding_window),
		TEST(adds_months_like_database_servers), TEST(builds_dates_from_parts),
		TEST(differences_are_exact_decimals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
