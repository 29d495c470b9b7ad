/* What statements may access in a read-only SQLite file, enforced by SQLite's authorizer. */
#include "db_test.h"

static const char *const COLUMNS[] = {"a", "Project Name", NULL};
static const char *const NONE[] = {NULL};
static const struct source_allow_table TABLES[] = {
	{"dbo.x", COLUMNS}, {"part", NONE}, {"dbo.v", COLUMNS}};
static const struct source_allow LIST = {TABLES, sizeof(TABLES) / sizeof(TABLES[0])};

static void open_warehouse(struct fixture *f)
{
	tenant_file_make(f->acme, "acme");
	file_exec(f->acme, "CREATE TABLE x (a int, \"Project Name\" text, secret text);"
			   "INSERT INTO x VALUES (1, 'North', 'seen'), (2, 'South', 'seen');"
			   "CREATE TABLE y (a int); INSERT INTO y VALUES (3);"
			   "CREATE VIEW v AS SELECT a, secret AS \"Project Name\" FROM x;"
			   "CREATE TABLE part (a int, secret text)");
	fixture_open(f, true);
}

static struct err run(struct fixture *f, const char *text, const struct source_allow *allow)
{
	const struct source_statement statement = {
		.name = "test/main", .text = text, .allow = allow};
	const struct db_request request = {
		.tenant = "acme", .statements = &statement, .statement_count = 1};
	struct answer a = {0};

	db_query(f->db, &request, on_answer, &a);
	wait_for(f, &a);
	table_free(&a.table);
	return a.err;
}

static void reads_listed_columns(void **state)
{
	static const char *const texts[] = {
		"SELECT a, \"Project Name\" FROM dbo.x",
		"SELECT x.A FROM DBO.X AS x ORDER BY a",
		"SELECT a FROM x",
		"SELECT COUNT(*) FROM dbo.x",
		("SELECT upper(\"Project Name\"), strftime('%Y', 'now') FROM dbo.x "
		 "WHERE a LIKE '1%'"),
		"WITH part AS (SELECT a FROM dbo.x) SELECT SUM(a) FROM part",
		"WITH part AS (SELECT a FROM dbo.x) SELECT COUNT(*) FROM part",
		"SELECT d.a, ROW_NUMBER() OVER (ORDER BY d.a) FROM (SELECT a FROM dbo.x) AS d",
		"SELECT a FROM dbo.x UNION SELECT a FROM dbo.x WHERE EXISTS (SELECT 1 FROM dbo.x)",
	};
	struct fixture *f = *state;

	open_warehouse(f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = run(f, texts[i], &LIST);

		if (e.code != ERR_NONE)
			fail_msg("%s: %s", texts[i], e.text);
	}
}

static void denies_unlisted_columns(void **state)
{
	static const char *const texts[] = {
		"SELECT secret FROM dbo.x",
		"SELECT * FROM dbo.x",
		"SELECT a FROM dbo.x WHERE secret = 'seen'",
		"SELECT a FROM dbo.x ORDER BY secret",
		"SELECT a, (SELECT MAX(secret) FROM dbo.x) FROM dbo.x",
		"SELECT rowid FROM dbo.x",
		"SELECT a FROM dbo.y",
		"SELECT COUNT(*) FROM dbo.y",
		"SELECT 1 FROM y",
		"SELECT a FROM Stage.x",
		"SELECT a FROM part",
		"SELECT secret FROM dbo.part",
		"SELECT tenant_id FROM dbo.vesper_tenant",
		/* A statement's own definition under a listed name is checked by its contents. */
		"WITH x AS (SELECT a, secret FROM dbo.part) SELECT a FROM x",
		"WITH part AS (SELECT a FROM dbo.y) SELECT a FROM part",
		"SELECT x.a FROM (SELECT a FROM dbo.y) AS x",
		"SELECT \"Project Name\" FROM dbo.v",
		"WITH c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c LIMIT 3",
	};
	struct fixture *f = *state;

	open_warehouse(f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = run(f, texts[i], &LIST);

		if (e.code != ERR_DENIED)
			fail_msg("%s: %d %s", texts[i], e.code, e.text);
	}
}

/* Denied both with and without an allow list. */
static void denies_everything_but_reading(void **state)
{
	static const char *const texts[] = {
		"SELECT load_extension('/tmp/x.so')",
		"SELECT LOAD_EXTENSION('/tmp/x.so', 'f') FROM dbo.x",
		"SELECT fts3_tokenizer('simple')",
		"SELECT randomblob(9)",
		"SELECT sqlite_version()",
		"SELECT last_insert_rowid()",
		"SELECT name FROM sqlite_schema",
		"SELECT sql FROM dbo.sqlite_master",
		"SELECT COUNT(*) FROM sqlite_master",
		"SELECT name FROM pragma_table_info('x')",
		"SELECT 1 FROM pragma_database_list",
		"PRAGMA query_only = 0",
		"PRAGMA dbo.table_info(x)",
		"ATTACH ':memory:' AS other",
		"DETACH dbo",
		"CREATE TABLE t (n int)",
		"CREATE TEMP TABLE t (n int)",
		"CREATE VIRTUAL TABLE temp.t USING fts5(n)",
		"INSERT INTO dbo.x VALUES (1, 'a', 'b')",
		"UPDATE dbo.x SET a = 1",
		"DELETE FROM dbo.x",
		"BEGIN",
		"ANALYZE",
		"VACUUM",
		"REINDEX",
	};
	struct fixture *f = *state;

	open_warehouse(f);
	for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = run(f, texts[i / 2], i % 2 ? &LIST : NULL);

		if (e.code != ERR_DENIED)
			fail_msg("%s: %d %s", texts[i / 2], e.code, e.text);
	}
	/* The modules of virtual tables do not exist. */
	assert_non_null(strstr(run(f, "SELECT value FROM json_each('[1]')", NULL).text, "no such"));
	assert_non_null(strstr(run(f, "SELECT 1 FROM dbstat", NULL).text, "no such"));
}

static void does_not_share_prepared_statements_between_allow_lists(void **state)
{
	static const char text[] = "SELECT secret FROM dbo.x";
	struct fixture *f = *state;

	open_warehouse(f);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(run(f, text, NULL).code, ERR_NONE);
		assert_int_equal(run(f, text, &LIST).code, ERR_DENIED);
	}
	assert_int_equal(run(f, "SELECT a FROM dbo.x", &LIST).code, ERR_NONE);
	assert_int_equal(run(f, "SELECT a FROM dbo.x", &(struct source_allow){NULL, 0}).code,
			 ERR_DENIED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(reads_listed_columns),
		DB_TEST(denies_unlisted_columns),
		DB_TEST(denies_everything_but_reading),
		DB_TEST(does_not_share_prepared_statements_between_allow_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
