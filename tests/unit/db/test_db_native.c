/* SQLite files: statements are stopped, errors are reported, and only SQLite parses statements. */
#include <dirent.h>
#include <limits.h>

#include "db_test.h"

#include "vesper/limits.h"

#define ENDLESS "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "

static struct err statement_error(struct fixture *f, bool write, const char *text)
{
	struct answer a;

	start(f, "acme", write, text, NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 0);
	return a.err;
}

static void check_times_out(struct fixture *f, bool write, const char *text)
{
	struct answer a;

	start_within(f, 100, "acme", write, text, &a);
	wait_for(f, &a);
	assert_int_equal(a.tables, 0);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
}

static void stops_statement_at_deadline(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int)");
	check_times_out(f, false, ENDLESS "SELECT count(*) FROM c");
	check_times_out(f, true, "INSERT INTO x " ENDLESS "SELECT n FROM c");
	exec_write(f, "acme", "INSERT INTO x VALUES (7)");
	t = query_table(f, "acme", "SELECT n FROM x", NULL, 0);
	assert_int_equal(t->row_count, 1);
	assert_string_equal(t->rows[0][0], "7");
	table_free(&t);
}

/* A failed write has no effect on the next statement. */
static void failed_write_leaves_no_rows(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int PRIMARY KEY)");
	for (int i = 0; i < 3; i++) {
		struct err e = statement_error(f, true, "INSERT INTO x VALUES (1), (2), (1)");

		assert_int_equal(e.code, ERR_INTERNAL);
		assert_non_null(strstr(e.text, "x.n"));
	}
	exec_write(f, "acme", "INSERT INTO x VALUES (1)");
	t = query_table(f, "acme", "SELECT count(*) AS n FROM x", NULL, 0);
	assert_string_equal(t->rows[0][0], "1");
	table_free(&t);
}

static int descriptors_of(const char *file)
{
	DIR *dir = opendir("/proc/self/fd");
	char target[PATH_MAX];
	int n = 0;

	assert_non_null(dir);
	for (const struct dirent *d; (d = readdir(dir)) != NULL;) {
		ssize_t length = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		n += strcmp(target, file) == 0;
	}
	closedir(dir);
	return n;
}

static void keeps_files_open_between_tenants(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);

	options.workers = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	for (int i = 0; i < 3; i++) {
		exec_write(f, "acme", "CREATE TABLE IF NOT EXISTS x (n int)");
		exec_write(f, "vesper", "CREATE TABLE IF NOT EXISTS x (n int)");
	}
	assert_int_equal(descriptors_of(f->acme), 1);
	assert_int_equal(descriptors_of(f->vesper), 1);
}

/* The file that was idle longest is closed to make room. */
static void closes_files_beyond_limit(void **state)
{
	enum { TENANTS = 1 + DB_WRITTEN_FILES + 3 };
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);
	struct db_tenant tenants[TENANTS];
	char names[TENANTS][24];
	int open_count = 0;

	for (int i = 0; i < TENANTS; i++) {
		snprintf(names[i], sizeof(names[i]), "tenant%d", i);
		tenants[i] = (struct db_tenant){names[i], mem_printf("%s.%d", f->acme, i)};
	}
	options.tenants = tenants;
	options.tenant_count = TENANTS;
	options.workers = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	for (int i = 0; i < TENANTS; i++)
		exec_write(f, names[i], "CREATE TABLE x (n int)");
	for (int i = 0; i < TENANTS; i++)
		open_count += descriptors_of(tenants[i].file);
	assert_int_equal(open_count, 1 + DB_WRITTEN_FILES);
	assert_int_equal(descriptors_of(tenants[0].file), 0);
	exec_write(f, names[0], "INSERT INTO x VALUES (1)");
	for (int i = 0; i < TENANTS; i++)
		mem_free((char *)(uintptr_t)tenants[i].file);
}

static void returning_clause_gives_table(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int, d decimal(10,4))");
	start(f, "acme", true, "INSERT INTO x VALUES (1, 2.5), (3, NULL) RETURNING n, d", NULL, 0,
	      &a);
	wait_for(f, &a);
	assert_int_equal(a.table->row_count, 2);
	assert_int_equal(a.table->columns[1].type, COLUMN_DECIMAL);
	assert_string_equal(a.table->rows[0][1], "2.5");
	assert_null(a.table->rows[1][1]);
	table_free(&a.table);
}

static void refuses_connection_string(void **state)
{
	struct fixture *f = *state;

	for (int read_only = 0; read_only < 2; read_only++) {
		struct db_options options = fixture_options(f, read_only);
		struct err e = {0};

		options.dsn = "NoTXN=1";
		assert_false(db_open(f->loop, &options, &f->db, &e));
		assert_int_equal(e.code, ERR_INPUT);
		assert_non_null(strstr(e.text, "connection string"));
	}
}

/* Braces, question marks and quotes have only the meaning that SQLite gives them. */
static void only_sqlite_parses_names_and_literals(void **state)
{
	static const char text[] =
		"SELECT n AS [{a], '] , (SELECT s FROM dbo.secret) AS x, 1 AS [' AS b, n AS [c}], "
		"? AS \"?\", n AS \"Owner's share\" FROM dbo.x -- {fn now()} ?";
	struct fixture *f = *state;
	const struct value value = value_text("{fn now()}");
	struct table *t;

	tenant_file_make(f->acme, "acme");
	file_exec(f->acme, "CREATE TABLE x (n int); INSERT INTO x VALUES (5);"
			   "CREATE TABLE secret (s text); INSERT INTO secret VALUES ('seen')");
	fixture_open(f, true);
	t = query_table(f, "acme", text, &value, 1);
	assert_int_equal(t->column_count, 5);
	assert_string_equal(t->columns[0].name, "{a");
	assert_string_equal(t->rows[0][1], "] , (SELECT s FROM dbo.secret) AS x, 1 AS [");
	assert_string_equal(t->columns[3].name, "?");
	assert_string_equal(t->rows[0][3], "{fn now()}");
	assert_string_equal(t->columns[4].name, "Owner's share");
	table_free(&t);
}

/* SQLite's own text of the largest double reads back as infinity. */
static void reads_largest_double(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	tenant_file_make(f->acme, "acme");
	file_exec(f->acme, "CREATE TABLE x (n double); INSERT INTO x VALUES "
			   "(1.7976931348623157e308), (48.73), (9e999)");
	fixture_open(f, true);
	t = query_table(f, "acme", "SELECT n FROM dbo.x ORDER BY rowid", NULL, 0);
	assert_string_equal(t->rows[0][0], "1.7976931348623157e+308");
	assert_string_equal(t->rows[1][0], "48.73");
	assert_string_equal(t->rows[2][0], "Inf");
	table_free(&t);
}

static void refuses_several_statements(void **state)
{
	struct fixture *f = *state;

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int); ");
	assert_int_equal(statement_error(f, true, "INSERT INTO x VALUES (1); DROP TABLE x").code,
			 ERR_INTERNAL);
	assert_int_equal(statement_error(f, false, " ").code, ERR_INTERNAL);
	exec_write(f, "acme", "INSERT INTO x VALUES (1)");
}

/* A single call that compares megabytes at each of a million positions, within all limits. */
#define LONG_CALL "SELECT instr(printf('%.*c', 2000000, 'a'), printf('%.*c', 1000000, 'a') || 'b')"

static void abandons_worker_in_long_function_call(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, true);
	struct table *t;
	struct answer a;

	tenant_file_make(f->acme, "acme");
	options.workers = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	check_times_out(f, false, LONG_CALL);
	t = query_table(f, "acme", "SELECT 7 AS n", NULL, 0); /* by another worker */
	assert_string_equal(t->rows[0][0], "7");
	table_free(&t);
	/* Closing does not wait for the workers; the waiting caller gets an error. */
	start(f, "acme", false, LONG_CALL, NULL, 0, &a);
	loop_run_once(f->loop);
	db_close(&f->db);
	assert_int_equal(a.calls, 1);
	assert_int_not_equal(a.err.code, ERR_NONE);
}

static void limits_work_of_one_function_call(void **state)
{
	static const char *const texts[] = {
		"SELECT length(replace(printf('%.*c', 2000, 'a'), 'a', printf('%.*c', 2000, 'b')))",
		"SELECT 'a' LIKE printf('%.*c', 1001, '_')",
		"SELECT 'a' GLOB printf('%.*c', 1001, '?')",
		("SELECT length(group_concat(printf('%.*c', 1000000, 'a'))) "
		 "FROM (VALUES (1), (2), (3))"),
	};
	struct fixture *f = *state;
	struct buf text;
	struct table *t;

	tenant_file_make(f->acme, "acme");
	fixture_open(f, true);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct answer a;

		start(f, "acme", false, texts[i], NULL, 0, &a);
		wait_for(f, &a);
		if (a.err.code != ERR_INTERNAL)
			fail_msg("%s: %s", texts[i], a.table ? a.table->rows[0][0] : a.err.text);
	}
	/* SQLite reports no error */
	t = query_table(f, "acme", "SELECT printf('%900000000d', 1)", NULL, 0);
	assert_null(t->rows[0][0]);
	table_free(&t);
	t = query_table(f, "acme", "SELECT 'a' LIKE printf('%.*c', 1000, '%')", NULL, 0);
	assert_string_equal(t->rows[0][0], "1");
	table_free(&t);
	buf_init(&text, 65536);
	buf_str(&text, "SELECT 1");
	for (int i = 0; i < DB_EXPR_DEPTH_MAX; i++)
		buf_str(&text, " + 1");
	assert_non_null(strstr(statement_error(f, false, buf_text(&text)).text, "too large"));
	buf_reset(&text);
	buf_str(&text, "SELECT 1");
	for (int i = 0; i < DB_COMPOUND_MAX; i++)
		buf_str(&text, " UNION ALL SELECT 1");
	assert_non_null(strstr(statement_error(f, false, buf_text(&text)).text, "too many terms"));
	buf_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(stops_statement_at_deadline),
		DB_TEST(failed_write_leaves_no_rows),
		DB_TEST(keeps_files_open_between_tenants),
		DB_TEST(closes_files_beyond_limit),
		DB_TEST(returning_clause_gives_table),
		DB_TEST(refuses_connection_string),
		DB_TEST(only_sqlite_parses_names_and_literals),
		DB_TEST(reads_largest_double),
		DB_TEST(refuses_several_statements),
		DB_TEST(limits_work_of_one_function_call),
		DB_TEST(abandons_worker_in_long_function_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
