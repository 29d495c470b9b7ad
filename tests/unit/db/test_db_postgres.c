/* A real PostgreSQL: types, tenants, limits, and cancelled statements. */
#include "postgres_test.h"

#include "vesper/limits.h"

static void tenants_see_only_their_rows(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	postgres_open(f, "reader");
	for (int i = 1; i <= 10; i++) {
		char tenant[16];
		char expected[32];

		snprintf(tenant, sizeof(tenant), "tenant_%d", i * 5);
		snprintf(expected, sizeof(expected), "secret of tenant_%d", i * 5);
		t = query_table(f, tenant, "SELECT s FROM x", NULL, 0);
		assert_int_equal(t->row_count, 1);
		assert_string_equal(t->rows[0][0], expected);
		table_free(&t);
	}
}

static void assert_cell(struct fixture *f, const char *expression, enum column_type type,
			const char *expected)
{
	char sql[256];
	struct table *t;

	snprintf(sql, sizeof(sql), "SELECT %s AS c", expression);
	t = query_table(f, "tenant_1", sql, NULL, 0);
	if (expected && (!t->rows[0][0] || strcmp(t->rows[0][0], expected) != 0))
		fail_msg("%s: %s instead of %s", expression, t->rows[0][0], expected);
	if (!expected)
		assert_null(t->rows[0][0]);
	if (t->columns[0].type != type)
		fail_msg("%s: type %d instead of %d", expression, t->columns[0].type, type);
	table_free(&t);
}

static void reads_values_unchanged(void **state)
{
	struct fixture *f = *state;

	postgres_open(f, "reader");
	assert_cell(f, "9007199254740993::bigint", COLUMN_INT, "9007199254740993");
	assert_cell(f, "(-9223372036854775808)::bigint", COLUMN_INT, "-9223372036854775808");
	assert_cell(f, "12345678901234567890.1234567890::numeric(30,10)", COLUMN_DECIMAL,
		    "12345678901234567890.1234567890");
	assert_cell(f, "0.5::numeric(4,2)", COLUMN_DECIMAL, "0.50");
	assert_cell(f, "2.5::float8", COLUMN_DECIMAL, "2.5");
	assert_cell(f, "date '0001-01-01'", COLUMN_DATE, "0001-01-01");
	assert_cell(f, "date '9999-12-31'", COLUMN_DATE, "9999-12-31");
	assert_cell(f, "timestamp '2026-02-27 10:30:00'", COLUMN_DATETIME, "2026-02-27 10:30:00");
	assert_cell(f, "timestamp '2026-02-27 10:30:00.250'", COLUMN_DATETIME,
		    "2026-02-27 10:30:00.25");
	assert_cell(f, "timestamptz '2026-02-27 10:30:00+02'", COLUMN_DATETIME,
		    "2026-02-27 08:30:00");
	assert_cell(f, "true", COLUMN_BOOL, "1");
	assert_cell(f, "false", COLUMN_BOOL, "0");
	assert_cell(f, "NULL::bigint", COLUMN_INT, NULL);
	assert_cell(f, "NULL::text", COLUMN_TEXT, NULL);
	assert_cell(f, "''::text", COLUMN_TEXT, "");
	assert_cell(f, "U&'\\00e9t\\00e9 \\+01F600'::text", COLUMN_TEXT, "été 😀");
	assert_cell(f, "'été 😀'::text", COLUMN_TEXT, "été 😀");
	assert_cell(f, "'{\"a\": 1}'::jsonb", COLUMN_TEXT, "{\"a\": 1}");
	assert_cell(f, "'10:30'::text", COLUMN_TEXT, "10:30");
}

static void backslashes_are_literal_regardless_of_server_setting(void **state)
{
	struct fixture *f = *state;

	admin("ALTER ROLE reader SET standard_conforming_strings = off");
	postgres_open(f, "reader");
	assert_cell(f, "'a\\'::text || ', (SELECT 1), '", COLUMN_TEXT, "a\\, (SELECT 1), ");
	admin("ALTER ROLE reader RESET standard_conforming_strings");
}

static void check_round_trip(struct fixture *f, const char *sql, struct value v,
			     const char *expected)
{
	struct table *t = query_table(f, "tenant_1", sql, &v, 1);

	if (expected)
		assert_string_equal(t->rows[0][0], expected);
	else
		assert_null(t->rows[0][0]);
	table_free(&t);
}

static void sends_values_unchanged(void **state)
{
	struct fixture *f = *state;

	postgres_open(f, "reader");
	check_round_trip(f, "SELECT ?::text", value_text("O'Brien \\ été 😀 ? $1"),
			 "O'Brien \\ été 😀 ? $1");
	check_round_trip(f, "SELECT ?::text", value_text(""), "");
	check_round_trip(f, "SELECT ?::bigint", value_int(INT64_MIN), "-9223372036854775808");
	check_round_trip(f, "SELECT ?::bigint", value_null(), NULL);
	check_round_trip(f, "SELECT ?::text", value_null(), NULL);
	check_round_trip(f, "SELECT ?::numeric + 0.1", value_decimal("12345678901234567890.123"),
			 "12345678901234567890.223");
	check_round_trip(f, "SELECT ? + 0.1", value_decimal("-0.3"), "-0.2");
	check_round_trip(f, "SELECT CAST(? AS date)", value_date("9999-12-31"), "9999-12-31");
	check_round_trip(f, "SELECT CAST(? AS date)", value_date("0001-01-01"), "0001-01-01");
	check_round_trip(f, "SELECT ?", value_bool(true), "1");
	check_round_trip(f, "SELECT n::text FROM x WHERE s LIKE ? ESCAPE '\\'",
			 value_text("secret%tenant\\_1"), "1");
	check_round_trip(
		f, "SELECT n FROM x WHERE n = ? ORDER BY n OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY",
		value_int(1), "1");
}

/* psqlODBC parses the text before the server does, for ? and escape sequences in braces. Both must
 * agree on where names and literals end. */
static void driver_and_server_parse_names_and_literals_alike(void **state)
{
	static const struct {
		const char *text;
		const char *cells[4];
		size_t values;
	} cases[] = {
		{"SELECT 1 AS \"{a\", '] , (SELECT 2) AS x, 1 AS [' AS b, 3 AS \"c}\"",
		 {"1", "] , (SELECT 2) AS x, 1 AS [", "3"},
		 0},
		{"SELECT '{fn now()}' AS \"{fn now()}\", '{d ''2025-01-01''}' AS b",
		 {"{fn now()}", "{d '2025-01-01'}"},
		 0},
		{"SELECT 1 AS \"?\", '?' AS \"Owner's share\", ? AS c", {"1", "?", "v ? {x}"}, 1},
		{"SELECT 'it''s \"' AS \"a\"\"b\", ? AS \"'\", '\"' AS d",
		 {"it's \"", "v ? {x}", "\""},
		 1},
		{"SELECT 'a\\' AS b, '?' AS c, ? AS d", {"a\\", "?", "v ? {x}"}, 1},
		{"SELECT '$$' AS a, ? AS b, '$$ ?' AS c", {"$$", "v ? {x}", "$$ ?"}, 1},
		{"SELECT '--' AS a, '/*' AS b, ? AS c, '*/' AS d",
		 {"--", "/*", "v ? {x}", "*/"},
		 1},
		{"SELECT 1 AS \"--\", 2 AS \"/*\", 3 AS \"$a$\", ? AS \"*/ $a$\"",
		 {"1", "2", "3", "v ? {x}"},
		 1},
	};
	struct fixture *f = *state;
	const struct value value = value_text("v ? {x}");

	postgres_open(f, "reader");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *t =
			query_table(f, "tenant_1", cases[i].text, &value, cases[i].values);

		for (size_t k = 0; k < 4 && cases[i].cells[k]; k++)
			if (!t->rows[0][k] || strcmp(t->rows[0][k], cases[i].cells[k]) != 0)
				fail_msg("%s: %s", cases[i].text, t->rows[0][k]);
		table_free(&t);
	}
}

static void reports_row_limit(void **state)
{
	struct fixture *f = *state;
	struct db_options options = postgres_options("reader", 0);
	struct table *t;

	options.timeout_ms = 100000;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	t = query_table(f, "tenant_1", "SELECT generate_series(1, 10000000) AS i", NULL, 0);
	assert_int_equal(t->row_count, DB_ROWS_MAX);
	assert_int_equal(t->total_rows, DB_FETCH_ROWS_MAX);
	assert_true(t->truncated);
	assert_false(t->is_total_exact);
	assert_string_equal(t->rows[DB_ROWS_MAX - 1][0], "500");
	table_free(&t);
	t = query_table(f, "tenant_1", "SELECT i FROM generate_series(1, 1700) i", NULL, 0);
	assert_int_equal(t->total_rows, 1700);
	assert_true(t->is_total_exact);
	table_free(&t);
}

static void reads_cells_up_to_the_limit(void **state)
{
	struct fixture *f = *state;
	struct table *t;
	struct err e;

	postgres_open(f, "reader");
	t = query_table(f, "tenant_1", "SELECT repeat('é', 300000) AS c, 1 AS n", NULL, 0);
	assert_int_equal(strlen(t->rows[0][0]), 600000);
	assert_string_equal(t->rows[0][1], "1");
	table_free(&t);
	e = query_error(f, "tenant_1", "SELECT repeat('x', 1048577) AS c");
	assert_int_equal(e.code, ERR_LIMIT);
	assert_non_null(strstr(e.text, "column c"));
}

static void reports_byte_limit(void **state)
{
	struct fixture *f = *state;
	struct db_options options = postgres_options("reader", 0);
	struct table *t;

	options.timeout_ms = 100000; /* 80 MB take long under a sanitizer */
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	t = query_table(f, "tenant_1", "SELECT repeat('x', 1000000) FROM generate_series(1, 80)",
			NULL, 0);
	assert_true(t->truncated);
	assert_string_equal(t->truncation, "byte cap");
	assert_int_equal(t->total_rows, 80);
	assert_true(t->row_count >= 60 && t->row_count < 80);
	table_free(&t);
}

/* A client that stopped within a transaction locks its rows for a limited time only. */
static void limits_idle_transactions(void **state)
{
	struct fixture *f = *state;
	struct db_options options = postgres_options("writer", 0);
	struct err e = {0};
	struct table *t;

	options.transaction_idle_ms = 300;
	assert_true(db_open(f->loop, &options, &f->db, &e));
	t = query_table(f, "tenant_1",
			"SELECT current_setting('idle_in_transaction_session_timeout') AS s", NULL,
			0);
	assert_string_equal(t->rows[0][0], "300ms");
	table_free(&t);
}

static void deadline_stops_statement_on_server(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	struct table *t;

	postgres_open(f, "reader");
	start_within(f, 300, "tenant_1", false, "SELECT pg_sleep(60)", &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	assert_true(a.err.may_retry);
	assert_int_equal(statements_running(), 0);
	t = query_table(f, "tenant_1", "SELECT s FROM x", NULL, 0);
	table_free(&t);
}

static void cancel_stops_statement_on_server(void **state)
{
	struct fixture *f = *state;
	struct op *op;
	struct answer a;

	postgres_open(f, "reader");
	op = start(f, "tenant_1", false, "SELECT pg_sleep(60)", NULL, 0, &a);
	while (statements_running() == 0)
		loop_run_once(f->loop);
	op_cancel(&op);
	while (statements_running() > 0) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	assert_int_equal(a.calls, 0);
}

static void readers_cannot_write(void **state)
{
	struct fixture *f = *state;
	struct err e;

	postgres_open(f, "reader");
	e = query_error(f, "tenant_1", "DELETE FROM x");
	assert_true(e.code == ERR_DENIED || e.code == ERR_UPSTREAM);
	e = query_error(f, "tenant_1", "CREATE TEMP TABLE y (n int)");
	assert_int_not_equal(e.code, ERR_NONE);
	assert_int_equal(admin("SELECT count(*) FROM x"), 50);
}

static void errors_name_the_object(void **state)
{
	struct fixture *f = *state;
	struct err e;

	postgres_open(f, "reader");
	admin("CREATE TABLE secret (n int)");
	e = query_error(f, "tenant_1", "SELECT n FROM secret");
	assert_int_equal(e.code, ERR_DENIED);
	assert_non_null(strstr(e.text, "secret"));
	e = query_error(f, "tenant_1", "SELECT n FROM no_such_view");
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.text, "no_such_view"));
	e = query_error(f, "tenant_1", "SELECT 1 FROM x WHERE n = 'abc'");
	assert_int_equal(e.code, ERR_INTERNAL);
	admin("DROP TABLE secret");
}

static void writes_share_transaction_and_fail_separately(void **state)
{
	enum { WRITES = 20 };
	struct fixture *f = *state;
	struct answer answers[WRITES];
	struct table *t;

	postgres_open(f, "writer");
	admin("CREATE TABLE w (tenant_id text DEFAULT current_setting('vesper.tenant_id'), n int "
	      "PRIMARY KEY)");
	admin("GRANT SELECT, INSERT ON w TO writer");
	for (int i = 0; i < WRITES; i++) {
		const struct value v = value_int(i == 13 ? 7 : i);

		start(f, "tenant_3", true, "INSERT INTO w (n) VALUES (?)", &v, 1, &answers[i]);
	}
	for (int i = 0; i < WRITES; i++) {
		wait_for(f, &answers[i]);
		assert_int_equal(answers[i].err.code, i == 13 ? ERR_BUSY : ERR_NONE);
	}
	t = query_table(f, "tenant_3", "SELECT count(*), min(tenant_id) FROM w", NULL, 0);
	assert_string_equal(t->rows[0][0], "19");
	assert_string_equal(t->rows[0][1], "tenant_3");
	table_free(&t);
	admin("DROP TABLE w");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(tenants_see_only_their_rows),
		DB_TEST(reads_values_unchanged),
		DB_TEST(backslashes_are_literal_regardless_of_server_setting),
		DB_TEST(sends_values_unchanged),
		DB_TEST(driver_and_server_parse_names_and_literals_alike),
		DB_TEST(reports_row_limit),
		DB_TEST(reads_cells_up_to_the_limit),
		DB_TEST(reports_byte_limit),
		DB_TEST(limits_idle_transactions),
		DB_TEST(deadline_stops_statement_on_server),
		DB_TEST(cancel_stops_statement_on_server),
		DB_TEST(readers_cannot_write),
		DB_TEST(errors_name_the_object),
		DB_TEST(writes_share_transaction_and_fail_separately),
	};

	return cmocka_run_group_tests(tests, server_start, server_stop);
}
