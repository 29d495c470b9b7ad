/* SQLite files: tenant marks; missing, corrupt and locked files; unusual names; limits of a
 * connection. */
#include "db_test.h"

#include "vesper/log.h"

static char logged[4096];

static void on_log(void *owner, const char *text)
{
	(void)owner;
	snprintf(logged + strlen(logged), sizeof(logged) - strlen(logged), "%s\n", text);
}

static void file_write(const char *file, const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	for (int i = 0; i < 1000; i++)
		fputs(text, out);
	fclose(out);
}

static void refuses_file_of_another_tenant(void **state)
{
	struct fixture *f = *state;
	struct err e;

	tenant_file_make(f->acme, "vesper");
	file_exec(f->acme, "CREATE TABLE x (s text); INSERT INTO x VALUES ('secret')");
	fixture_open(f, true);
	logged[0] = '\0';
	log_capture(on_log, NULL);
	e = query_error(f, "acme", "SELECT s FROM dbo.x");
	log_capture(NULL, NULL);
	assert_int_equal(e.code, ERR_INTERNAL);
	assert_non_null(strstr(e.text, "another tenant"));
	assert_non_null(strstr(logged, "db.refused"));
}

static void refuses_file_without_tenant(void **state)
{
	struct fixture *f = *state;

	file_exec(f->acme, "CREATE TABLE x (s text)");
	file_exec(f->vesper, "CREATE TABLE vesper_tenant (tenant_id text)");
	fixture_open(f, true);
	assert_int_equal(query_error(f, "acme", "SELECT s FROM dbo.x").code, ERR_INTERNAL);
	assert_int_equal(query_error(f, "vesper", "SELECT 1").code, ERR_INTERNAL);
}

static void reports_missing_and_corrupt_files(void **state)
{
	struct fixture *f = *state;
	struct err e;

	file_write(f->vesper, "this is no database ");
	fixture_open(f, true);
	e = query_error(f, "acme", "SELECT 1");
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_non_null(strstr(e.text, "acme"));
	assert_non_null(strstr(e.text, "unable to open"));
	assert_int_not_equal(access(f->acme, F_OK), 0); /* and no file was created */
	e = query_error(f, "vesper", "SELECT 1");
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_non_null(strstr(e.text, "not a database"));
}

static void missing_file_works_once_created(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fixture_open(f, true);
	query_error(f, "acme", "SELECT 1");
	tenant_file_make(f->acme, "acme");
	t = query_table(f, "acme", "SELECT tenant_id FROM dbo.vesper_tenant", NULL, 0);
	assert_string_equal(t->rows[0][0], "acme");
	table_free(&t);
}

static const char *read_text(struct fixture *f)
{
	static char cell[32];
	struct table *t = query_table(f, "acme", "SELECT s FROM dbo.x", NULL, 0);

	snprintf(cell, sizeof(cell), "%s", t->rows[0][0]);
	table_free(&t);
	return cell;
}

/* As in nightly loads: a new file is renamed to the old name. */
static void reads_replaced_file_at_once(void **state)
{
	struct fixture *f = *state;
	char *next = mem_printf("%s.new", f->acme);

	tenant_file_make(f->acme, "acme");
	file_exec(f->acme, "CREATE TABLE x (s text); INSERT INTO x VALUES ('old')");
	fixture_open(f, true);
	assert_string_equal(read_text(f), "old");
	tenant_file_make(next, "acme");
	file_exec(next, "CREATE TABLE x (s text); INSERT INTO x VALUES ('new')");
	assert_int_equal(rename(next, f->acme), 0);
	assert_string_equal(read_text(f), "new");
	tenant_file_make(next, "vesper");
	file_exec(next, "CREATE TABLE x (s text); INSERT INTO x VALUES ('secret')");
	assert_int_equal(rename(f->acme, f->vesper), 0);
	assert_int_equal(rename(next, f->acme), 0);
	assert_int_equal(query_error(f, "acme", "SELECT s FROM dbo.x").code, ERR_INTERNAL);
	assert_int_equal(unlink(f->acme), 0);
	assert_int_equal(query_error(f, "acme", "SELECT s FROM dbo.x").code, ERR_UPSTREAM);
	assert_int_equal(rename(f->vesper, f->acme), 0);
	assert_string_equal(read_text(f), "new");
	mem_free(next);
}

static void locked_file_is_retryable(void **state)
{
	struct fixture *f = *state;
	sqlite3 *other;
	struct answer a;

	fixture_open(f, false);
	exec_write(f, "acme", "CREATE TABLE x (n int)");
	assert_int_equal(sqlite3_open(f->acme, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	start(f, "acme", true, "INSERT INTO x VALUES (1)", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_UPSTREAM);
	assert_true(a.err.may_retry);
	sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(other);
	exec_write(f, "acme", "INSERT INTO x VALUES (1)");
}

static void on_rollback_timer(void *owner)
{
	/* A commit could conflict with the waiting connection and fail. */
	assert_int_equal(sqlite3_exec(owner, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
}

/* Two connections may find the new file at the same time, and both switch it to WAL. */
static void waits_for_writer_of_new_file(void **state)
{
	struct fixture *f = *state;
	struct timer *rollback_timer;
	struct answer a;
	sqlite3 *other;

	tenant_file_make(f->acme, "acme");
	assert_int_equal(sqlite3_open(f->acme, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fixture_open(f, false);
	start(f, "acme", true, "CREATE TABLE x (n int)", NULL, 0, &a);
	rollback_timer = timer_new(f->loop, on_rollback_timer, other);
	timer_start(rollback_timer, 50);
	wait_for(f, &a);
	if (a.err.code != ERR_NONE)
		fail_msg("%s", a.err.text);
	timer_free(&rollback_timer);
	sqlite3_close(other);
}

static void handles_unusual_file_names(void **state)
{
	static const char *const names[] = {"a;Driver=x",   "a b{c}", "a'b\"c",
					    "a?mode=rwc#x", "a%41%",  "\xc3\xa9"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char file[160];
		struct db_options options = fixture_options(f, true);
		struct db_tenant tenant = {"acme", file};
		struct table *t;

		snprintf(file, sizeof(file), "%s/%s", f->dir, names[i]);
		tenant_file_make(file, "acme");
		options.tenants = &tenant;
		options.tenant_count = 1;
		assert_true(db_open(f->loop, &options, &f->db, NULL));
		t = query_table(f, "acme", "SELECT tenant_id FROM stage.vesper_tenant", NULL, 0);
		assert_string_equal(t->rows[0][0], "acme");
		table_free(&t);
		db_close(&f->db);
	}
}

static void cannot_attach_other_files(void **state)
{
	char attach[256];
	struct fixture *f = *state;

	tenant_file_make(f->acme, "acme");
	tenant_file_make(f->vesper, "vesper");
	fixture_open(f, true);
	snprintf(attach, sizeof(attach), "ATTACH '%s' AS other", f->vesper);
	assert_non_null(strstr(query_error(f, "acme", attach).text, "not authorized"));
	assert_non_null(strstr(query_error(f, "acme", "SELECT blob_import('/etc/passwd')").text,
			       "no such function"));
}

static void resolves_schema_names_and_brackets(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	tenant_file_make(f->acme, "acme");
	file_exec(f->acme,
		  "CREATE TABLE mc_dayahead (\"my col\" int); INSERT INTO mc_dayahead VALUES (5)");
	fixture_open(f, true);
	t = query_table(
		f, "acme",
		"SELECT a.\"my col\" AS \"AvgPrice\", b.[my col] AS other FROM Stage.mc_dayahead a"
		" JOIN [dbo].[MC_DAYAHEAD] b ON a.\"my col\" = b.[my col]",
		NULL, 0);
	assert_string_equal(t->columns[0].name, "AvgPrice");
	assert_string_equal(t->rows[0][0], "5");
	table_free(&t);
}

static void only_new_files_get_a_tenant_mark(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	file_exec(f->vesper, "CREATE TABLE x (n int)");
	fixture_open(f, false);
	t = query_table(f, "acme", "SELECT tenant_id FROM vesper_tenant", NULL, 0);
	assert_string_equal(t->rows[0][0], "acme");
	table_free(&t);
	t = query_table(f, "acme", "PRAGMA journal_mode", NULL, 0);
	assert_string_equal(t->rows[0][0], "wal");
	table_free(&t);
	t = query_table(f, "acme", "PRAGMA foreign_keys", NULL, 0);
	assert_string_equal(t->rows[0][0], "1");
	table_free(&t);
	assert_int_equal(query_error(f, "vesper", "SELECT 1").code,
			 ERR_INTERNAL); /* the file has tables of another owner */
	db_close(&f->db);
	/* The same file under another tenant's name. */
	struct db_options options = fixture_options(f, false);
	const struct db_tenant swapped = {"vesper", f->acme};
	options.tenants = &swapped;
	options.tenant_count = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	assert_int_equal(query_error(f, "vesper", "SELECT 1").code, ERR_INTERNAL);
}

static void creates_no_file_without_create_option(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);

	options.create = false;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	assert_int_equal(query_error(f, "acme", "SELECT 1").code, ERR_UPSTREAM);
	assert_int_not_equal(access(f->acme, F_OK), 0);
}

static void sets_full_sync(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);
	struct table *t;

	options.full_sync = true;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	t = query_table(f, "acme", "PRAGMA synchronous", NULL, 0);
	assert_string_equal(t->rows[0][0], "2");
	table_free(&t);
}

static void reports_unwritable_directory(void **state)
{
	const struct db_tenant unwritable = {"acme", "/proc/nothing/acme.db"};
	struct fixture *f = *state;
	struct db_options options = fixture_options(f, false);

	options.tenants = &unwritable;
	options.tenant_count = 1;
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	assert_int_equal(query_error(f, "acme", "SELECT 1").code, ERR_UPSTREAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(refuses_file_of_another_tenant),
		DB_TEST(refuses_file_without_tenant),
		DB_TEST(reports_missing_and_corrupt_files),
		DB_TEST(missing_file_works_once_created),
		DB_TEST(reads_replaced_file_at_once),
		DB_TEST(locked_file_is_retryable),
		DB_TEST(waits_for_writer_of_new_file),
		DB_TEST(handles_unusual_file_names),
		DB_TEST(cannot_attach_other_files),
		DB_TEST(resolves_schema_names_and_brackets),
		DB_TEST(only_new_files_get_a_tenant_mark),
		DB_TEST(creates_no_file_without_create_option),
		DB_TEST(sets_full_sync),
		DB_TEST(reports_unwritable_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
