/* Prepared statements of a connection: reused, evicted, and still valid after a schema change or an
 * error. */
#include "db_test.h"

#include "vesper/limits.h"

static const char *one_cell(struct fixture *f, const char *text, const struct value *v,
			    char out[64])
{
	struct table *t = query_table(f, "acme", text, v, v ? 1 : 0);

	snprintf(out, 64, "%s", t->row_count > 0 ? t->rows[0][0] : "no row");
	table_free(&t);
	return out;
}

static void evicted_statements_are_prepared_again(void **state)
{
	struct fixture *f = *state;
	char text[128], expected[64], got[64];

	open_acme(f, "CREATE TABLE x (n int); INSERT INTO x VALUES (5)");
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2 * DB_PREPARED_MAX; i++) {
			const struct value v = value_int(round);

			/* half of the statements select a plain column */
			snprintf(text, sizeof(text),
				 i % 2 ? "SELECT n FROM x WHERE n <> ? AND n <> -%d"
				       : "SELECT ? + %d AS n",
				 i);
			snprintf(expected, sizeof(expected), "%d", i % 2 ? 5 : round + i);
			assert_string_equal(one_cell(f, text, &v, got), expected);
		}
	}
}

static void statement_survives_schema_change(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	open_acme(f, "CREATE TABLE x (n int); INSERT INTO x VALUES (1)");
	for (int i = 0; i < 3; i++) {
		t = query_table(f, "acme", "SELECT n FROM x", NULL, 0);
		assert_int_equal(t->row_count, 1);
		assert_string_equal(t->rows[0][0], "1");
		table_free(&t);
		file_exec(f->acme, i == 0 ? "ALTER TABLE x ADD COLUMN s text"
					  : "CREATE INDEX IF NOT EXISTS x_n ON x (n)");
	}
}

static void error_does_not_affect_next_run(void **state)
{
	const struct value bad = value_text("not json");
	const struct value good = value_text("{\"a\":7}");
	struct fixture *f = *state;
	struct answer a;
	char got[64];

	open_acme(f, NULL);
	for (int i = 0; i < 3; i++) {
		start(f, "acme", false, "SELECT json_extract(?, '$.a') AS n", &bad, 1, &a);
		wait_for(f, &a);
		assert_int_equal(a.err.code, ERR_INTERNAL);
		assert_null(strstr(a.err.text, "not json"));
		assert_string_equal(one_cell(f, "SELECT json_extract(?, '$.a') AS n", &good, got),
				    "7");
	}
}

static void binds_longest_value(void **state)
{
	struct fixture *f = *state;
	char *text = mem_alloc(DB_CELL_BYTES_MAX + 1);
	struct value v;
	struct table *t;

	memset(text, 'y', DB_CELL_BYTES_MAX);
	v = value_text(text);
	open_acme(f, NULL);
	t = query_table(f, "acme", "SELECT ? AS s", &v, 1);
	assert_string_equal(t->rows[0][0], text);
	table_free(&t);
	mem_free(text);
}

static void rejects_wrong_number_of_values(void **state)
{
	const struct value v = value_int(1);
	struct fixture *f = *state;
	struct answer a;

	open_acme(f, NULL);
	start(f, "acme", false, "SELECT ? AS a, ? AS b", &v, 1, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_INTERNAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST_BOTH(evicted_statements_are_prepared_again),
		DB_TEST_BOTH(statement_survives_schema_change),
		DB_TEST_BOTH(error_does_not_affect_next_run),
		DB_TEST_BOTH(binds_longest_value),
		DB_TEST_BOTH(rejects_wrong_number_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
