/* Results from real SQLite: types, values, limits, statistics. */
#include "db_test.h"

#include "vesper/limits.h"

static void reads_declared_types_and_values(void **state)
{
	static const enum column_type types[] = {COLUMN_INT,  COLUMN_DECIMAL,  COLUMN_TEXT,
						 COLUMN_DATE, COLUMN_DATETIME, COLUMN_BOOL,
						 COLUMN_INT,  COLUMN_DECIMAL};
	struct fixture *f = *state;
	struct table *t;

	open_acme(f,
		  "CREATE TABLE x (i int, d decimal(10,4), s nvarchar(20), a date, b datetime, o "
		  "bit, g bigint,"
		  " r real);"
		  "INSERT INTO x VALUES (-7, 48.73, 'na\xc3\xafve \xf0\x9f\x98\x80', '2026-02-27',"
		  " '2026-02-27 09:00:00', 1, 9223372036854775807, 0.1);"
		  "INSERT INTO x VALUES (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);"
		  "INSERT INTO x VALUES (0, 50, '', '2024-02-29', '', 0, -9223372036854775808, "
		  "1e-5)");
	t = query_table(f, "acme", "SELECT i, d, s, a, b, o, g, r FROM x ORDER BY rowid", NULL, 0);
	assert_int_equal(t->column_count, 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(t->columns[i].type, types[i]);
	assert_string_equal(t->columns[1].name, "d");
	assert_string_equal(t->name, "test/main");
	assert_int_equal(t->row_count, 3);
	assert_string_equal(t->rows[0][0], "-7");
	assert_string_equal(t->rows[0][1], "48.73");
	assert_string_equal(t->rows[0][2], "na\xc3\xafve \xf0\x9f\x98\x80");
	assert_string_equal(t->rows[0][3], "2026-02-27");
	assert_string_equal(t->rows[0][4], "2026-02-27 09:00:00");
	assert_string_equal(t->rows[0][5], "1");
	assert_string_equal(t->rows[0][6], "9223372036854775807");
	assert_string_equal(t->rows[0][7], "0.1");
	for (int i = 0; i < 8; i++)
		assert_null(t->rows[1][i]);
	assert_string_equal(t->rows[2][1], "50");
	assert_string_equal(t->rows[2][2], "");
	assert_string_equal(t->rows[2][6], "-9223372036854775808");
	assert_string_equal(t->rows[2][7], "0.00001");
	assert_false(t->truncated);
	assert_true(t->is_total_exact);
	table_free(&t);
}

static void infers_types_of_expressions(void **state)
{
	const struct value one = value_int(1);
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (n decimal(10,4), s nvarchar(9));"
		     "INSERT INTO x VALUES (10, 'a'), (52.5, 'b')");
	for (int run = 0; run < 3; run++) {
		/* The driver remembers types of a prepared statement; the first run must not decide
		 * for later ones. */
		t = query_table(
			f, "acme",
			"SELECT avg(n) AS a, sum(n) AS b, count(*) AS c, upper(s) AS d FROM x "
			"WHERE n > ?"
			" GROUP BY s ORDER BY s",
			run == 0 ? &(struct value){.type = VALUE_INT, .number = 1000} : &one, 1);
		if (run > 0) {
			assert_int_equal(t->row_count, 2);
			assert_int_equal(t->columns[0].type, COLUMN_DECIMAL);
			assert_int_equal(t->columns[1].type,
					 COLUMN_DECIMAL); /* 10 is an integer, 52.5 is not */
			assert_int_equal(t->columns[2].type, COLUMN_INT);
			assert_int_equal(t->columns[3].type, COLUMN_TEXT);
			assert_string_equal(t->rows[0][0], "10");
			assert_string_equal(t->rows[1][1], "52.5");
			assert_true(t->stats[1].numeric);
		}
		table_free(&t);
	}
	t = query_table(
		f, "acme",
		"SELECT CASE WHEN n > 20 THEN n END AS late, CASE WHEN n > 20 THEN s END AS word,"
		" NULL AS no_value FROM x WHERE n > ? ORDER BY n",
		&one, 1);
	assert_null(t->rows[0][0]);
	assert_int_equal(t->columns[0].type, COLUMN_DECIMAL); /* known from the second row only */
	assert_int_equal(t->columns[1].type, COLUMN_TEXT);
	assert_int_equal(t->columns[2].type, COLUMN_TEXT);
	table_free(&t);
}

static void writes_doubles_with_fewest_digits(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (n real); INSERT INTO x VALUES (48.73), (48.73), (48.73)");
	t = query_table(
		f, "acme",
		"SELECT avg(n) AS a, round(avg(n), 2) AS b, sum(n) AS c, 1e21 AS d, 2.50 AS e, "
		"-3.0 AS g FROM x",
		NULL, 0);
	assert_string_equal(t->rows[0][0], "48.73");
	assert_string_equal(t->rows[0][1], "48.73");
	assert_string_equal(t->rows[0][2], "146.19");
	assert_string_equal(t->rows[0][3], "1000000000000000000000");
	assert_string_equal(t->rows[0][4], "2.5");
	assert_string_equal(t->rows[0][5], "-3");
	table_free(&t);
}

static void binds_values_with_their_types(void **state)
{
	const struct value values[] = {
		value_text("O'Brien; DROP TABLE x --\xc3\xa9"),
		value_int(INT64_MIN),
		value_decimal("48.7300"),
		value_date("2026-02-27"),
		value_bool(true),
		value_null(),
		value_text(""),
	};
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, NULL);
	t = query_table(f, "acme", "SELECT ? AS s, ? AS i, ? AS d, ? AS a, ? AS b, ? AS n, ? AS e",
			values, 7);
	assert_string_equal(t->rows[0][0], values[0].text);
	assert_string_equal(t->rows[0][1], "-9223372036854775808");
	assert_string_equal(t->rows[0][2], "48.73");
	assert_string_equal(t->rows[0][3], "2026-02-27");
	assert_string_equal(t->rows[0][4], "1");
	assert_null(t->rows[0][5]);
	assert_string_equal(t->rows[0][6], "");
	table_free(&t);
	t = query_table(
		f, "acme",
		"SELECT typeof(?) AS s, typeof(?) AS i, typeof(?) AS d, typeof(?) AS a, typeof(?) "
		"AS b, typeof(?) AS n,"
		" typeof(?) AS e",
		values, 7);
	assert_string_equal(t->rows[0][0], "text");
	assert_string_equal(t->rows[0][1], "integer");
	assert_string_equal(t->rows[0][2], "real");
	assert_string_equal(t->rows[0][3], "text");
	assert_string_equal(t->rows[0][4], "integer");
	assert_string_equal(t->rows[0][5], "null");
	assert_string_equal(t->rows[0][6], "text");
	table_free(&t);
}

static void empty_result_has_columns(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (n int, s text)");
	t = query_table(f, "acme", "SELECT n, s FROM x", NULL, 0);
	assert_int_equal(t->row_count, 0);
	assert_int_equal(t->total_rows, 0);
	assert_int_equal(t->column_count, 2);
	assert_int_equal(t->columns[0].type, COLUMN_INT);
	assert_int_equal(t->stats[0].count, 0);
	assert_true(t->is_total_exact);
	assert_false(t->truncated);
	table_free(&t);
}

static void counts_rows_beyond_row_limit(void **state)
{
	struct fixture *f = *state;
	struct table *t;
	char sum[DECIMAL_TEXT_BYTES];

	open_acme(f,
		  "CREATE TABLE x (n int, d decimal(10,4));"
		  "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)"
		  " INSERT INTO x SELECT n, n / 100.0 FROM c");
	t = query_table(f, "acme", "SELECT n, d FROM x ORDER BY n", NULL, 0);
	assert_int_equal(t->row_count, 500);
	assert_int_equal(t->total_rows, 10000);
	assert_true(t->truncated);
	assert_true(t->is_total_exact);
	assert_string_equal(t->truncation, "row cap");
	assert_string_equal(t->rows[499][0], "500");
	assert_int_equal(t->stats[0].count, 10000);
	decimal_text_short(t->stats[0].sum, sum);
	assert_string_equal(sum, "50005000");
	decimal_text_short(t->stats[1].sum, sum);
	assert_string_equal(sum, "500050");
	assert_string_equal(t->stats[1].max, "100");
	assert_int_equal(t->stats[0].max_row, 9999);
	table_free(&t);
}

static void row_limit_is_exact(void **state)
{
	const struct value at = value_int(500);
	const struct value past = value_int(501);
	struct fixture *f = *state;
	const char *text = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n "
			   "< ?) SELECT n FROM c";
	struct table *t;

	open_acme(f, NULL);
	t = query_table(f, "acme", text, &at, 1);
	assert_int_equal(t->row_count, 500);
	assert_false(t->truncated);
	table_free(&t);
	t = query_table(f, "acme", text, &past, 1);
	assert_int_equal(t->row_count, 500);
	assert_int_equal(t->total_rows, 501);
	assert_true(t->truncated);
	table_free(&t);
}

/* A statement that reached the limit is left unfinished. The next run must start from the
 * beginning. */
static void stops_at_fetch_limit(void **state)
{
	const struct value n = value_int(DB_FETCH_ROWS_MAX * 3 / 2);
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (n int); INSERT INTO x VALUES (5)");
	for (int run = 0; run < 2; run++) {
		t = query_table(
			f, "acme",
			"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < "
			"?)"
			" SELECT x.n FROM c, x",
			&n, 1);
		assert_int_equal(t->total_rows, DB_FETCH_ROWS_MAX);
		assert_true(t->truncated);
		assert_false(t->is_total_exact);
		table_free(&t);
	}
}

static void reads_cells_up_to_the_limit(void **state)
{
	struct fixture *f = *state;
	struct table *t;
	char text[128];
	struct answer a;

	open_acme(f, NULL);
	for (int n = 4090; n <= 4100; n++) {
		snprintf(text, sizeof(text), "SELECT printf('%%.*c', %d, 'x') || 'end' AS s", n);
		t = query_table(f, "acme", text, NULL, 0);
		assert_int_equal(strlen(t->rows[0][0]), (size_t)n + 3);
		assert_string_equal(t->rows[0][0] + n - 1, "xend");
		table_free(&t);
	}
	snprintf(text, sizeof(text), "SELECT printf('%%.*c', %d, 'x') AS s", DB_CELL_BYTES_MAX);
	t = query_table(f, "acme", text, NULL, 0);
	assert_int_equal(strlen(t->rows[0][0]), DB_CELL_BYTES_MAX);
	table_free(&t);
	snprintf(text, sizeof(text), "SELECT printf('%%.*c', %d, 'x') AS s", DB_CELL_BYTES_MAX + 1);
	start(f, "acme", false, text, NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_LIMIT);
}

static void replaces_invalid_utf8(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (s text); INSERT INTO x VALUES (CAST(x'61ff62c3' AS text))");
	t = query_table(f, "acme", "SELECT s FROM x", NULL, 0);
	assert_string_equal(t->rows[0][0], "a?b?");
	table_free(&t);
}

static void refuses_too_many_columns(void **state)
{
	struct fixture *f = *state;
	char text[8192] = "SELECT 1";
	struct table *t;

	open_acme(f, NULL);
	for (int i = 1; i < DB_COLUMNS_MAX; i++)
		strcat(text, ",1");
	t = query_table(f, "acme", text, NULL, 0);
	assert_int_equal(t->column_count, DB_COLUMNS_MAX);
	table_free(&t);
	strcat(text, ",1");
	assert_int_equal(query_error(f, "acme", text).code, ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST_BOTH(reads_declared_types_and_values),
		DB_TEST_BOTH(infers_types_of_expressions),
		DB_TEST_BOTH(writes_doubles_with_fewest_digits),
		DB_TEST_BOTH(binds_values_with_their_types),
		DB_TEST_BOTH(empty_result_has_columns),
		DB_TEST_BOTH(counts_rows_beyond_row_limit),
		DB_TEST_BOTH(row_limit_is_exact),
		DB_TEST_BOTH(stops_at_fetch_limit),
		DB_TEST_BOTH(reads_cells_up_to_the_limit),
		DB_TEST_BOTH(replaces_invalid_utf8),
		DB_TEST_BOTH(refuses_too_many_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
