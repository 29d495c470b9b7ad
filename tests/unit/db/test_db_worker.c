/* Writes: waiting writes share a transaction, fail separately, and are durable before the
 * callbacks. */
#include "db_test.h"

#include "vesper/limits.h"

static int64_t number_of(struct fixture *f, const char *text)
{
	struct table *t = query_table(f, "acme", text, NULL, 0);
	int64_t n = strtoll(t->rows[0][0], NULL, 10);

	table_free(&t);
	return n;
}

static void store_open(struct fixture *f)
{
	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int PRIMARY KEY, at int)");
}

static void insert(struct fixture *f, int64_t n, struct answer *a)
{
	const struct value v = value_int(n);

	start(f, "acme", true, "INSERT INTO x (n) VALUES (?)", &v, 1, a);
}

static void waiting_writes_share_commit_and_fail_separately(void **state)
{
	enum { WRITES = 40 };
	struct fixture *f = *state;
	struct answer answers[WRITES];

	store_open(f);
	exec_write(f, "acme", "INSERT INTO x (n) VALUES (7)"); /* the later insert of 7 conflicts */
	for (int i = 0; i < WRITES; i++)
		insert(f, i, &answers[i]);
	for (int i = 0; i < WRITES; i++) {
		wait_for(f, &answers[i]);
		assert_int_equal(answers[i].calls, 1);
		assert_int_equal(answers[i].err.code, i == 7 ? ERR_INTERNAL : ERR_NONE);
	}
	assert_int_equal(number_of(f, "SELECT count(*) FROM x"), WRITES);
}

/* The second statement fails, so the first one of the same request must be rolled back. */
static void failed_request_leaves_no_rows(void **state)
{
	const struct source_statement statements[] = {
		{.name = "one", .text = "INSERT INTO x (n) VALUES (100)"},
		{.name = "two", .text = "INSERT INTO x (n) VALUES (1)"},
	};
	const struct db_request request = {
		.tenant = "acme", .statements = statements, .statement_count = 2, .write = true};
	struct fixture *f = *state;
	struct answer first, both = {0}, last;

	store_open(f);
	exec_write(f, "acme", "INSERT INTO x (n) VALUES (1)");
	insert(f, 2, &first);
	db_query(f->db, &request, on_answer, &both);
	insert(f, 3, &last);
	wait_for(f, &last);
	wait_for(f, &both);
	assert_int_equal(first.err.code, ERR_NONE);
	assert_int_equal(both.err.code, ERR_INTERNAL);
	assert_non_null(strstr(both.err.text, "two"));
	assert_int_equal(last.err.code, ERR_NONE);
	assert_int_equal(number_of(f, "SELECT sum(n) FROM x"), 6);
}

/* Stopping a write rolls back SQLite's whole transaction; the other writes must still be stored. */
static void timed_out_write_does_not_affect_others(void **state)
{
	const struct source_statement endless = {
		.name = "endless",
		.text = "INSERT INTO x (n, at) WITH RECURSIVE c(n) AS "
			"(SELECT 1000 UNION ALL SELECT n + 1 FROM c)"
			" SELECT n, 1 FROM c"};
	const struct db_request request = {.tenant = "acme",
					   .statements = &endless,
					   .statement_count = 1,
					   .write = true,
					   .timeout_ms = 200};
	struct fixture *f = *state;
	struct answer first, before, stopped = {0}, after;

	store_open(f);
	insert(f, 0, &first); /* runs alone; the others wait and then share a transaction */
	insert(f, 1, &before);
	db_query(f->db, &request, on_answer, &stopped);
	insert(f, 2, &after);
	wait_for(f, &after);
	assert_int_equal(stopped.calls, 1);
	assert_int_equal(stopped.err.code, ERR_TIMEOUT);
	assert_int_equal(before.err.code, ERR_NONE);
	assert_int_equal(after.err.code, ERR_NONE);
	assert_int_equal(number_of(f, "SELECT sum(n) FROM x"), 3);
}

static void cancelled_write_does_not_affect_others(void **state)
{
	struct fixture *f = *state;
	struct answer a, b, c;
	struct op *op;

	store_open(f);
	insert(f, 1, &a);
	op = start(f, "acme", true, "INSERT INTO x (n) VALUES (2)", NULL, 0, &b);
	insert(f, 3, &c);
	op_cancel(&op);
	wait_for(f, &c);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_int_equal(b.calls, 0);
	assert_int_equal(number_of(f, "SELECT sum(n) FROM x"), 4);
}

static void many_writes_are_split_over_transactions(void **state)
{
	enum { WRITES = 3 * DB_GROUP_COMMIT_MAX + 1 };
	static struct answer answers[WRITES];
	struct fixture *f = *state;

	store_open(f);
	for (int i = 0; i < WRITES; i++)
		insert(f, i, &answers[i]);
	for (int i = 0; i < WRITES; i++)
		wait_for(f, &answers[i]);
	assert_int_equal(number_of(f, "SELECT count(*) FROM x"), WRITES);
}

static void write_returns_tables(void **state)
{
	const struct source_statement statements[] = {
		{.name = "insert", .text = "INSERT INTO x (n) VALUES (5)"},
		{.name = "read", .text = "SELECT n FROM x"},
	};
	const struct db_request request = {
		.tenant = "acme", .statements = statements, .statement_count = 2, .write = true};
	struct fixture *f = *state;
	struct answer a = {0};

	store_open(f);
	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 1);
	assert_string_equal(a.table->name, "read");
	assert_string_equal(a.table->rows[0][0], "5");
	table_free(&a.table);
}

static void result_without_statistics_has_cells(void **state)
{
	const struct source_statement statement = {.name = "read", .text = "SELECT n, NULL FROM x"};
	const struct db_request request = {
		.tenant = "acme", .statements = &statement, .statement_count = 1};
	struct fixture *f = *state;
	struct answer a = {0};

	store_open(f);
	exec_write(f, "acme", "INSERT INTO x (n) VALUES (5)");
	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_string_equal(a.table->rows[0][0], "5");
	assert_null(a.table->rows[0][1]);
	assert_null(a.table->stats);
	table_free(&a.table);
}

static void update_of_no_rows_succeeds(void **state)
{
	struct fixture *f = *state;

	store_open(f);
	exec_write(f, "acme", "UPDATE x SET at = 1 WHERE n = 99");
	exec_write(f, "acme", "DELETE FROM x");
}

/* Callbacks run after the commit, so another process sees the row. */
static void write_is_durable_at_callback(void **state)
{
	struct fixture *f = *state;
	sqlite3_stmt *count;
	sqlite3 *other;
	struct answer a;

	store_open(f);
	assert_int_equal(sqlite3_open(f->acme, &other), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(other, "SELECT count(*) FROM x", -1, &count, NULL),
			 SQLITE_OK);
	for (int i = 1; i <= 20; i++) {
		insert(f, i, &a);
		wait_for(f, &a);
		assert_int_equal(sqlite3_step(count), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int(count, 0), i);
		sqlite3_reset(count);
	}
	sqlite3_finalize(count);
	sqlite3_close(other);
}

static void close_finishes_running_writes(void **state)
{
	struct fixture *f = *state;
	struct answer a;
	sqlite3_stmt *count;
	sqlite3 *other;

	store_open(f);
	insert(f, 1, &a);
	db_close(&f->db);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.err.code, ERR_NONE);
	assert_int_equal(sqlite3_open(f->acme, &other), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(other, "SELECT count(*) FROM x", -1, &count, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(count), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(count, 0), 1);
	sqlite3_finalize(count);
	sqlite3_close(other);
}

static void insert_with_group_commit(struct fixture *f, int64_t n, struct answer *a)
{
	const struct value v = value_int(n);
	const struct source_statement statement = {.name = "group_commit",
						   .text = "INSERT INTO x (n) VALUES (?)",
						   .values = &v,
						   .count = 1};
	const struct db_request request = {.tenant = "acme",
					   .statements = &statement,
					   .statement_count = 1,
					   .write = true,
					   .group_commit = true};

	*a = (struct answer){0};
	db_query(f->db, &request, on_answer, a);
}

static void group_commit_joins_next_write(void **state)
{
	struct fixture *f = *state;
	struct answer group_commit[2], same, next;

	store_open(f);
	insert_with_group_commit(f, 1, &group_commit[0]);
	insert_with_group_commit(f, 2, &group_commit[1]);
	insert(f, 2, &same); /* conflicts with the previous one and fails alone */
	insert(f, 3, &next);
	wait_for(f, &next);
	assert_int_equal(group_commit[0].calls + group_commit[1].calls + same.calls, 3);
	assert_int_equal(group_commit[0].err.code, ERR_NONE);
	assert_int_equal(group_commit[1].err.code, ERR_NONE);
	assert_int_equal(same.err.code, ERR_INTERNAL);
	assert_int_equal(number_of(f, "SELECT sum(n) FROM x"), 6);
}

static void group_commit_does_not_wait_forever(void **state)
{
	struct fixture *f = *state;
	struct answer alone, joined, urgent, later;

	store_open(f);
	insert_with_group_commit(f, 1, &alone);
	wait_for(f, &alone);
	assert_int_equal(alone.err.code, ERR_NONE);
	insert_with_group_commit(f, 2, &joined);
	insert(f, 3, &urgent);
	insert_with_group_commit(f, 4, &later); /* waits for a write that is already running */
	wait_for(f, &later);
	assert_int_equal(joined.calls + urgent.calls, 2);
	assert_int_equal(number_of(f, "SELECT sum(n) FROM x"), 10);
}

static void close_finishes_group_commits(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	store_open(f);
	insert_with_group_commit(f, 1, &a);
	db_close(&f->db);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.err.code, ERR_NONE);
	fixture_open(f, false);
	assert_int_equal(number_of(f, "SELECT count(*) FROM x"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(waiting_writes_share_commit_and_fail_separately),
		DB_TEST(failed_request_leaves_no_rows),
		DB_TEST(timed_out_write_does_not_affect_others),
		DB_TEST(cancelled_write_does_not_affect_others),
		DB_TEST(many_writes_are_split_over_transactions),
		DB_TEST(write_returns_tables),
		DB_TEST(result_without_statistics_has_cells),
		DB_TEST(update_of_no_rows_succeeds),
		DB_TEST(write_is_durable_at_callback),
		DB_TEST(close_finishes_running_writes),
		DB_TEST(group_commit_joins_next_write),
		DB_TEST(group_commit_does_not_wait_forever),
		DB_TEST(close_finishes_group_commits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
