/* Files that are written to: statements are stopped, what a file can't do is said, and nothing is
 * asked of ODBC. */
#include "db_test.h"

#include "vesper/limits.h"

#define ENDLESS "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "

static struct err fails(struct fixture *f, bool write, const char *text)
{
	struct answer a;

	start(f, "acme", write, text, NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 0);
	return a.err;
}

static void a_statement_is_stopped_at_its_deadline(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);
	struct table *t;

	options.timeout_ms = 100;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	put(f, "acme", "CREATE TABLE x (n int)");
	assert_int_equal(fails(f, false, ENDLESS "SELECT count(*) FROM c").code, ERR_TIMEOUT);
	assert_int_equal(fails(f, true, "INSERT INTO x " ENDLESS "SELECT n FROM c").code,
			 ERR_TIMEOUT);
	put(f, "acme", "INSERT INTO x VALUES (7)");
	t = ask(f, "acme", "SELECT n FROM x", NULL, 0);
	assert_int_equal(t->row_count, 1);
	assert_string_equal(t->rows[0][0], "7");
	table_free(&t);
}

/* Between a failed statement and the next nothing of the first is left. */
static void a_write_that_fails_leaves_nothing(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fixture_open(f, false);
	put(f, "acme", "CREATE TABLE x (n int PRIMARY KEY)");
	for (int i = 0; i < 3; i++) {
		struct err e = fails(f, true, "INSERT INTO x VALUES (1), (2), (1)");

		assert_int_equal(e.code, ERR_INTERNAL);
		assert_non_null(strstr(e.text, "x.n"));
	}
	put(f, "acme", "INSERT INTO x VALUES (1)");
	t = ask(f, "acme", "SELECT count(*) AS n FROM x", NULL, 0);
	assert_string_equal(t->rows[0][0], "1");
	table_free(&t);
}

static void changed_rows_come_back_as_a_table(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	fixture_open(f, false);
	put(f, "acme", "CREATE TABLE x (n int, d decimal(10,4))");
	start(f, "acme", true, "INSERT INTO x VALUES (1, 2.5), (3, NULL) RETURNING n, d", NULL, 0,
	      &a);
	wait_for(f, &a);
	assert_int_equal(a.table->row_count, 2);
	assert_int_equal(a.table->columns[1].type, COLUMN_DECIMAL);
	assert_string_equal(a.table->rows[0][1], "2.5");
	assert_null(a.table->rows[1][1]);
	table_free(&a.table);
}

static void a_connection_string_is_refused(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);
	struct err e = {0};

	options.dsn = "NoTXN=1";
	assert_false(db_open(f->loop, &options, &f->db, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_non_null(strstr(e.text, "connection string"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(a_statement_is_stopped_at_its_deadline),
		DB_TEST(a_write_that_fails_leaves_nothing),
		DB_TEST(changed_rows_come_back_as_a_table),
		DB_TEST(a_connection_string_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
