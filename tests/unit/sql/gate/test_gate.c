/*
 * The text that the gate writes: expected texts for each dialect, all forms of the row limit,
 * ambiguous names, and each limit reached and exceeded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "vesper/clock.h"
#include "vesper/gate.h"
#include "vesper/limits.h"

static const char *const views[] = {"dbo.per_project", "dbo.changes", "Stage.prices", NULL};
static struct arena *arena;
static struct gate_policy policy;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(64 << 20);
	policy = gate_policy_of(views, arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void assert_written(enum dialect dialect, const char *sql, const char *expected)
{
	struct gate_result out;
	struct err e;

	if (!gate_check(&policy, dialect, str_of(sql), arena, &out, &e))
		fail_msg("%s\nrejected: %s", sql, e.text);
	assert_string_equal(out.sql, expected);
}

static void assert_rejected(struct str sql, enum err_code code, const char *reason)
{
	struct gate_result out = {.sql = "unchanged"};
	struct err e;

	assert_false(gate_check(&policy, DIALECT_MSSQL, sql, arena, &out, &e));
	assert_int_equal(e.code, code);
	if (!strstr(e.text, reason))
		fail_msg("%s, expected %s", e.text, reason);
	assert_string_equal(out.sql, "unchanged");
}

static void writes_row_limit(void **state)
{
	const enum dialect ms = DIALECT_MSSQL, pg = DIALECT_POSTGRES, lite = DIALECT_SQLITE;

	(void)state;
	assert_written(ms, "select name n from per_project;",
		       "SELECT TOP (500) name AS n FROM dbo.per_project");
	assert_written(ms, "SELECT DISTINCT TOP 7 name FROM per_project",
		       "SELECT DISTINCT TOP (7) name FROM dbo.per_project");
	assert_written(ms, "SELECT TOP 501 name FROM per_project",
		       "SELECT TOP (500) name FROM dbo.per_project");
	assert_written(ms, "SELECT a FROM changes UNION SELECT b FROM changes",
		       "SELECT a FROM dbo.changes UNION SELECT b FROM dbo.changes ORDER BY 1 "
		       "OFFSET 0 ROWS "
		       "FETCH NEXT 500 ROWS ONLY");
	assert_written(
		ms, "SELECT a FROM changes ORDER BY a OFFSET 5 ROWS",
		"SELECT a FROM dbo.changes ORDER BY a OFFSET 5 ROWS FETCH NEXT 500 ROWS ONLY");
	assert_written(
		ms, "SELECT TOP 5 PERCENT a FROM changes ORDER BY a",
		"SELECT TOP (500) * FROM (SELECT TOP (5) PERCENT a FROM dbo.changes ORDER BY a) AS "
		"limited");
	assert_written(ms, "WITH x AS (SELECT TOP 3 a FROM changes) SELECT a FROM x",
		       "WITH x AS (SELECT TOP (3) a FROM dbo.changes) SELECT TOP (500) a FROM x");
	assert_written(pg, "SELECT a FROM changes OFFSET 5",
		       "SELECT a FROM dbo.changes LIMIT 500 OFFSET 5");
	assert_written(ms, "SELECT a FROM changes FETCH FIRST 5 ROWS ONLY",
		       "SELECT TOP (5) a FROM dbo.changes");
	assert_written(
		ms, "SELECT x.a FROM (SELECT a FROM changes ORDER BY b FETCH FIRST 5 ROWS ONLY) x",
		"SELECT TOP (500) x.a FROM (SELECT a FROM dbo.changes ORDER BY b OFFSET 0 ROWS "
		"FETCH "
		"NEXT 5 ROWS ONLY) AS x");
	assert_written(
		pg, "SELECT a FROM changes ORDER BY a FETCH FIRST 5 ROWS WITH TIES",
		"SELECT * FROM (SELECT a FROM dbo.changes ORDER BY a NULLS FIRST FETCH NEXT 5 ROWS "
		"WITH TIES) AS limited LIMIT 500");
	assert_written(pg, "SELECT a FROM changes LIMIT ALL",
		       "SELECT a FROM dbo.changes LIMIT 500");
	assert_written(lite,
		       "SELECT a FROM changes ORDER BY a OFFSET 5 ROWS FETCH NEXT 6 ROWS ONLY",
		       "SELECT a FROM dbo.changes ORDER BY a LIMIT 6 OFFSET 5");
	assert_written(lite, "(SELECT a FROM changes) EXCEPT SELECT b FROM changes",
		       "SELECT * FROM (SELECT a FROM dbo.changes) AS part EXCEPT SELECT b FROM "
		       "dbo.changes "
		       "LIMIT 500");
}

static void spells_names_as_defined(void **state)
{
	const enum dialect ms = DIALECT_MSSQL, pg = DIALECT_POSTGRES, lite = DIALECT_SQLITE;

	(void)state;
	assert_written(ms, "SELECT \"a b\", [c]]d] FROM [dbo].[PER_PROJECT]",
		       "SELECT TOP (500) \"a b\", \"c]d\" FROM dbo.per_project");
	assert_written(pg, "SELECT \"a \"\"b\" FROM \"DBO\".\"Per_Project\"",
		       "SELECT \"a \"\"b\" FROM dbo.per_project LIMIT 500");
	assert_written(lite, "SELECT \"a b\", \"a]b\" FROM changes",
		       "SELECT \"a b\", \"a]b\" FROM dbo.changes LIMIT 500");
	/* A reference is spelled like its definition, since databases treat case differently. */
	assert_written(
		pg, "WITH \"PG_Class\" AS (SELECT a FROM changes) SELECT Q.a FROM pg_class \"q\"",
		"WITH \"PG_Class\" AS (SELECT a FROM dbo.changes) SELECT \"q\".a FROM \"PG_Class\" "
		"AS \"q\" LIMIT 500");
	assert_written(ms, "SELECT PER_PROJECT.a FROM per_project",
		       "SELECT TOP (500) per_project.a FROM dbo.per_project");
	assert_written(
		ms, "WITH changes AS (SELECT a FROM dbo.changes) SELECT a FROM changes",
		"WITH changes AS (SELECT a FROM dbo.changes) SELECT TOP (500) a FROM changes");
	assert_written(
		ms,
		"SELECT - -1, COUNT(*) FILTER (WHERE a = 1), SUM(b) FILTER (WHERE a = 2), "
		"MAX(LENGTH(c)), MAX(EXTRACT(YEAR FROM d)) FROM changes",
		"SELECT TOP (500) -(-1), COUNT(CASE WHEN a = 1 THEN 1 END), SUM(CASE WHEN a = 2 "
		"THEN "
		"b END), MAX((LEN(CAST(c AS NVARCHAR(4000)) + N'.') - 1)), MAX(DATEPART(YEAR, d)) "
		"FROM dbo.changes");
	assert_written(
		pg, "SELECT ISNULL(a, b), LEN(c), d::int FROM changes",
		"SELECT COALESCE(a, b), LENGTH(CAST(c AS TEXT)), CAST(TRUNC(CAST(d AS NUMERIC)) AS "
		"INT) FROM dbo.changes LIMIT 500");
	assert_written(pg, "SELECT COUNT_BIG(*) FROM changes",
		       "SELECT COUNT(*) FROM dbo.changes LIMIT 500");
	assert_written(
		ms,
		"SELECT t = SUM(a), b AS 'x y' FROM changes c, prices GROUP BY ROLLUP(b, (c, d))",
		"SELECT TOP (500) SUM(a) AS t, b AS \"x y\" FROM dbo.changes AS c, Stage.prices "
		"GROUP "
		"BY ROLLUP (b, (c, d))");
}

/* In other dialects a plain literal may contain any character. */
static void marks_non_ascii_literals(void **state)
{
	const char *sql = "SELECT '\xc3\xa9' AS \"\xc3\xa9\", 'e', N'e' FROM changes WHERE a LIKE "
			  "'%\xe2\x82\xac%' AND b IN ('\xf0\x9f\x98\x80', 'b')";

	(void)state;
	assert_written(
		DIALECT_MSSQL, sql,
		"SELECT TOP (500) N'\xc3\xa9' AS \"\xc3\xa9\", 'e', N'e' FROM dbo.changes WHERE a "
		"COLLATE Latin1_General_100_BIN2 LIKE N'%\xe2\x82\xac%' AND b IN "
		"(N'\xf0\x9f\x98\x80', 'b')");
	assert_written(DIALECT_POSTGRES, "SELECT '\xc3\xa9' FROM changes",
		       "SELECT '\xc3\xa9' FROM dbo.changes LIMIT 500");
	assert_written(DIALECT_SQLITE, "SELECT '\xc3\xa9' FROM changes",
		       "SELECT '\xc3\xa9' FROM dbo.changes LIMIT 500");
}

/* Functions that SQLite and PostgreSQL lack are written in another form, which uses each argument
 * once: otherwise nesting would double the text. */
static void substitutes_missing_functions(void **state)
{
	const enum dialect pg = DIALECT_POSTGRES, lite = DIALECT_SQLITE;

	(void)state;
	assert_written(lite, "SELECT YEAR(d) FROM changes",
		       "SELECT CAST(STRFTIME('%Y', d) AS INT) FROM dbo.changes LIMIT 500");
	assert_written(pg, "SELECT YEAR(d) FROM changes",
		       "SELECT CAST(EXTRACT(YEAR FROM CAST(d AS TIMESTAMP)) AS INT) FROM "
		       "dbo.changes LIMIT "
		       "500");
	assert_written(
		lite, "SELECT DATEADD(week, a + 1, d), DATEPART(DW, d) FROM changes",
		"SELECT DATE(d, (7 * (EXACT(a + 1))) || ' days'), (STRFTIME('%w', d) + 1) FROM "
		"dbo.changes "
		"LIMIT 500");
	assert_written(lite, "SELECT RIGHT(a, 2), CONCAT(a, NULL), CHARINDEX('x', a) FROM changes",
		       "SELECT SUBSTR(a, -NULLIF(2, 0)), (COALESCE(a, '') || COALESCE(NULL, '')), "
		       "INSTR(a, "
		       "'x') FROM dbo.changes LIMIT 500");
	assert_written(
		lite,
		"SELECT CAST(d AS date), CAST(n AS decimal(10, 2)), CAST(n AS int) FROM changes",
		"SELECT DATE(d), ROUND(n, 2), CAST(n AS INTEGER) FROM dbo.changes LIMIT 500");
	assert_written(lite, "SELECT TRIM(TRAILING 'x' FROM a), SUBSTRING(a FROM 2) FROM changes",
		       "SELECT RTRIM(a, 'x'), SUBSTRING(a, 2) FROM dbo.changes LIMIT 500");
	assert_rejected(
		STR("SELECT DATEDIFF(month, d, DATEADD(day, DATEDIFF(month, d, e), d)) FROM "
		    "changes"),
		ERR_INPUT, "compute them in a derived table");
}

static void lists_views_read(void **state)
{
	struct str sql = STR("SELECT a FROM changes WHERE a IN (SELECT b FROM dbo.CHANGES) UNION "
			     "SELECT c FROM stage.PRICES");
	struct gate_result out;

	(void)state;
	assert_true(gate_check(&policy, DIALECT_MSSQL, sql, arena, &out, NULL));
	assert_int_equal(out.read_count, 2);
	assert_string_equal(out.reads[0].view->name, "dbo.changes");
	assert_null(out.reads[0].columns);
	assert_string_equal(out.reads[1].view->name, "Stage.prices");
	assert_null(out.defined[0]);
}

static void applies_policy(void **state)
{
	static const char *const columns[] = {"a", "b", NULL};
	static const struct gate_view policy_views[] = {{.name = "x.t", .columns = columns},
							{.name = "y.t"},
							{.name = "x.u", .columns = columns}};
	static const struct gate_function functions[] = {{"MAX", 1, 1, GATE_AGGREGATE}};

	(void)state;
	policy.views = policy_views;
	policy.view_count = 3;
	assert_written(DIALECT_SQLITE, "SELECT A, q.b z FROM x.t q ORDER BY z",
		       "SELECT a, q.b AS z FROM (SELECT a, b FROM x.t) AS q ORDER BY z LIMIT 500");
	assert_rejected(STR("SELECT c FROM x.t"), ERR_INPUT, "column 8: no source has this column");
	assert_rejected(STR("SELECT q.c FROM u q"), ERR_INPUT, "does not have this column");
	assert_rejected(STR("SELECT c FROM x.t p, u q"), ERR_INPUT, "no source has this column");
	assert_rejected(STR("SELECT a FROM t"), ERR_INPUT, "more than one approved view");
	policy.functions = functions;
	policy.function_count = 1;
	assert_rejected(STR("SELECT MIN(a) FROM u"), ERR_INPUT, "the function MIN is not allowed");
	policy.joins = GATE_JOIN_INNER;
	assert_rejected(STR("SELECT 1 FROM u LEFT JOIN x.t ON 1 = 1"), ERR_INPUT,
			"LEFT JOIN is not allowed");
	policy.limits.rows = 3;
	assert_written(DIALECT_MSSQL, "SELECT MAX(a) FROM u",
		       "SELECT TOP (3) MAX(a) FROM (SELECT a FROM x.u) AS u");
}

/* Returns `head`, then `part` n times, then `tail`. */
static struct str repeat(const char *head, const char *part, size_t n, const char *tail)
{
	struct buf b;

	buf_init(&b, 4 << 20);
	buf_str(&b, head);
	while (n-- > 0)
		buf_str(&b, part);
	buf_str(&b, tail);
	assert_false(buf_over(&b));
	struct str text = {arena_strndup(arena, buf_text(&b), b.n), b.n};
	buf_deinit(&b);
	return text;
}

static void assert_accepted(struct str sql)
{
	struct gate_result out;
	struct err e;

	if (!gate_check(&policy, DIALECT_MSSQL, sql, arena, &out, &e))
		fail_msg("rejected: %s", e.text);
}

static void limits_lengths_and_counts(void **state)
{
	const char *head = "SELECT a FROM changes WHERE a = '";
	size_t overhead = strlen(head) + 1 + 40; /* bytes that the gate adds */

	(void)state;
	assert_accepted(repeat(head, "x", GATE_SQL_BYTES_MAX - overhead, "'"));
	assert_rejected(repeat(head, "x", GATE_SQL_BYTES_MAX - strlen(head), "'"), ERR_LIMIT,
			"the SQL is longer than");
	assert_accepted(
		repeat("SELECT a FROM changes WHERE a IN (1", ", 2", GATE_LIST_MAX - 1, ")"));
	assert_rejected(repeat("SELECT a FROM changes WHERE a IN (1", ", 2", GATE_LIST_MAX, ")"),
			ERR_LIMIT, "in one list");
	assert_accepted(repeat("SELECT 1 FROM changes WHERE 1 = 1",
			       " AND EXISTS (SELECT 1 FROM prices)", GATE_SOURCES_MAX - 1, ""));
	assert_rejected(repeat("SELECT 1 FROM changes WHERE 1 = 1",
			       " AND EXISTS (SELECT 1 FROM prices)", GATE_SOURCES_MAX, ""),
			ERR_LIMIT, "sources in one statement");
	assert_accepted(repeat("SELECT ", "n", GATE_NAME_BYTES_MAX, " FROM changes"));
	assert_rejected(repeat("SELECT ", "n", GATE_NAME_BYTES_MAX + 1, " FROM changes"), ERR_LIMIT,
			"name is longer");
	assert_accepted(repeat("SELECT [", "n", GATE_NAME_BYTES_MAX, "] FROM changes"));
	assert_rejected(repeat("SELECT [", "n", GATE_NAME_BYTES_MAX + 1, "] FROM changes"),
			ERR_LIMIT, "name is longer");
	assert_rejected(repeat("SELECT ", "1", GATE_NUMBER_BYTES_MAX + 1, " FROM changes"),
			ERR_LIMIT, "number is longer");
	assert_accepted(repeat("SELECT 1", "+1", 8000, " FROM changes"));
	assert_rejected(repeat("SELECT 1", "+1", 8192, " FROM changes"), ERR_LIMIT,
			"words and signs");
	assert_true(gate_check(&policy, DIALECT_POSTGRES,
			       repeat("SELECT a", "::int", GATE_SUFFIXES_MAX, " FROM changes"),
			       arena, &(struct gate_result){0}, NULL));
	assert_rejected(repeat("SELECT a", " COLLATE b", GATE_SUFFIXES_MAX + 1, " FROM changes"),
			ERR_LIMIT, "COLLATE");
	assert_accepted(repeat("SELECT a", " / 2", GATE_DIVISIONS_MAX, " FROM changes"));
	assert_rejected(repeat("SELECT a", " / 2", GATE_DIVISIONS_MAX + 1, " FROM changes"),
			ERR_LIMIT, "divisions in one product");
}

/* The depth limit rejects nested SQL long before the stack overflows. */
static void limits_depth(void **state)
{
	static const char *const openings[] = {
		"(",
		"-",
		"NOT ",
		"ABS(",
		"CASE WHEN ",
		"CAST(",
		"TRIM(",
		"(SELECT ",
		"EXISTS (SELECT a FROM changes WHERE ",
		"a IN (",
		"a BETWEEN 1 AND (",
		"SUM(a) OVER (ORDER BY ",
		"COUNT(*) FILTER (WHERE ",
		"a > ALL (SELECT a FROM changes WHERE ",
		"STRING_AGG(a, b) WITHIN GROUP (ORDER BY ",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		struct gate_result out;
		struct str closed = repeat("SELECT ", openings[i], 1500, " FROM changes");

		assert_false(
			gate_check(&policy, DIALECT_MSSQL, closed, arena, &out, &(struct err){0}));
	}
	struct buf b;
	buf_init(&b, 1 << 20);
	for (int i = 0; i < 12000; i++)
		buf_char(&b, i < 6000 ? '(' : ')');
	struct str parens = {b.p, b.n};
	assert_rejected(
		repeat("SELECT ", arena_strndup(arena, parens.p, parens.n), 1, " FROM changes"),
		ERR_LIMIT, "nested deeper");
	buf_deinit(&b);
	assert_rejected(
		repeat("SELECT a FROM ", "(", 3000,
		       arena_strndup(arena, repeat("SELECT a FROM changes", ")", 3000, " x").p,
				     3023)),
		ERR_LIMIT, "sources in one statement");
}

static void rejects_long_text_quickly(void **state)
{
	struct str megabyte = repeat("SELECT a FROM changes WHERE ", "a=1 OR ", 150000, "a=1");
	clock_t start = clock(); /* CPU time, independent of the load of the machine */

	(void)state;
	assert_true(megabyte.n > 1000000);
	assert_rejected(megabyte, ERR_LIMIT, "the SQL is longer than");
	assert_true(clock() - start < CLOCKS_PER_SEC / 10);
}

/* ---- views with known columns, restricted to one tenant ---- */

static const char *const project_columns[] = {"gid", "Status_Type", "\"Project Name\"", "tenant_id",
					      NULL};
static const char *const project_denied[] = {"Budget", NULL};
static const char *const change_columns[] = {"gid", "day", "tenant_id", NULL};
/* View of a single-tenant source: it is not restricted, and tenant_id is a plain column. */
static const char *const rent_columns[] = {"gid", "amount", "tenant_id", NULL};
static const char *const rent_denied[] = {"ssn", NULL};
static const struct gate_view known_views[] = {
	{"dbo.per_project", project_columns, project_denied, "tenant_id", false},
	{"dbo.changes", change_columns, NULL, "tenant_id", false},
	{"crm.rents", rent_columns, rent_denied, NULL, false},
};

static int set_up_known_views(void **state)
{
	set_up(state);
	policy.views = known_views;
	policy.view_count = sizeof(known_views) / sizeof(known_views[0]);
	return 0;
}

#define PROJECT(columns) "(SELECT " columns " FROM dbo.per_project WHERE tenant_id = ?)"
#define CHANGES(columns) "(SELECT " columns " FROM dbo.changes WHERE tenant_id = ?)"
#define ALL_OF_PROJECT   "gid, Status_Type, \"Project Name\", tenant_id"

static size_t count_tenants(const char *sql)
{
	struct gate_result out = {0};
	struct err e;

	if (!gate_check(&policy, DIALECT_MSSQL, str_of(sql), arena, &out, &e))
		fail_msg("%s\nrejected: %s", sql, e.text);
	return out.tenants;
}

static void single_tenant_view_is_not_restricted(void **state)
{
	(void)state;
	assert_written(
		DIALECT_MSSQL, "SELECT * FROM crm.rents",
		"SELECT TOP (500) * FROM (SELECT gid, amount, tenant_id FROM crm.rents) AS rents");
	assert_written(DIALECT_POSTGRES, "SELECT COUNT(*) FROM rents",
		       "SELECT COUNT(*) FROM (SELECT gid FROM crm.rents) AS rents LIMIT 500");
	assert_written(DIALECT_SQLITE, "SELECT r.amount FROM rents r WHERE r.tenant_id = 'globex'",
		       "SELECT r.amount FROM (SELECT amount, tenant_id FROM crm.rents) AS r WHERE "
		       "r.tenant_id = 'globex' LIMIT 500");
	assert_int_equal(count_tenants("SELECT * FROM rents"), 0);
	/* Other views in the statement are still restricted, on either side and at any depth. */
	assert_written(
		DIALECT_SQLITE,
		"SELECT r.gid, c.day FROM rents r LEFT JOIN changes c ON c.gid = r.gid",
		"SELECT r.gid, c.day FROM (SELECT gid FROM crm.rents) AS r LEFT JOIN " CHANGES(
			"gid, day") " AS c ON c.gid = r.gid LIMIT 500");
	assert_int_equal(count_tenants("SELECT 1 FROM changes c, rents r, changes d"), 2);
	assert_int_equal(
		count_tenants("SELECT gid FROM rents WHERE gid IN (SELECT gid FROM changes)"), 1);
	assert_int_equal(
		count_tenants("WITH w AS (SELECT gid FROM changes) SELECT r.gid FROM rents r "
			      "JOIN w ON w.gid = r.gid"),
		1);
	assert_rejected(STR("SELECT ssn FROM rents"), ERR_INPUT, "you lack the permission");
	assert_rejected(STR("SELECT r.ssn FROM rents r"), ERR_INPUT, "you lack the permission");
	assert_rejected(STR("SELECT r FROM rents r"), ERR_INPUT, "no source has this column");
	assert_rejected(STR("SELECT * FROM crm.tenants"), ERR_INPUT, "");
}

/* Checked in every place where a view is allowed. */
static void restricts_each_view_to_the_tenant(void **state)
{
	const enum dialect ms = DIALECT_MSSQL, pg = DIALECT_POSTGRES, lite = DIALECT_SQLITE;

	(void)state;
	assert_written(ms, "SELECT * FROM per_project",
		       "SELECT TOP (500) * FROM " PROJECT(ALL_OF_PROJECT) " AS per_project");
	assert_written(pg, "SELECT p.* FROM dbo.per_project p JOIN changes ON changes.gid = p.gid",
		       "SELECT p.* FROM " PROJECT(ALL_OF_PROJECT) " AS p INNER JOIN " CHANGES(
			       "gid") " AS changes ON changes.gid = p.gid LIMIT 500");
	assert_written(lite, "WITH x AS (SELECT gid FROM changes) SELECT gid FROM x",
		       "WITH x AS (SELECT gid FROM " CHANGES(
			       "gid") " AS changes) SELECT gid FROM x LIMIT 500");
	assert_written(lite, "SELECT gid FROM changes WHERE gid IN (SELECT gid FROM per_project)",
		       "SELECT gid FROM " CHANGES(
			       "gid") " AS changes WHERE gid IN (SELECT gid "
				      "FROM " PROJECT("gid") " AS per_project) LIMIT 500");
	assert_int_equal(count_tenants("SELECT gid FROM changes UNION SELECT gid FROM per_project"),
			 2);
	assert_int_equal(
		count_tenants("SELECT (SELECT MAX(day) FROM changes c WHERE c.gid = p.gid) AS d "
			      "FROM per_project p, changes"),
		3);
	assert_int_equal(count_tenants("SELECT gid FROM (changes CROSS JOIN per_project p)"), 2);
	assert_int_equal(
		count_tenants("SELECT p.gid FROM per_project p CROSS APPLY (SELECT c.day FROM "
			      "changes c WHERE c.gid = p.gid) x"),
		2);
	assert_int_equal(
		count_tenants("SELECT * FROM changes PIVOT (MAX(day) FOR gid IN (a, b)) q"), 1);
	assert_int_equal(count_tenants("SELECT '?' AS q FROM changes WHERE gid <> '?'"), 1);
}

/* Databases fold names differently, so each name is written as in the view. */
static void spells_columns_as_in_view(void **state)
{
	(void)state;
	assert_written(
		DIALECT_POSTGRES,
		"SELECT \"GID\", p.\"project name\" FROM per_project p"
		" ORDER BY STATUS_TYPE",
		"SELECT gid, p.\"Project Name\" FROM " PROJECT(
			"gid, Status_Type, \"Project Name\"") " AS p ORDER BY Status_Type NULLS "
							      "FIRST LIMIT "
							      "500");
}

/* The columns of a derived table are known, so that a name cannot be read as a call (PostgreSQL
 * reads d.row_to_json as one) or as a whole row, or be found in an outer scope. */
static void resolves_columns_of_derived_tables(void **state)
{
	static const char *const statements[] = {
		"SELECT d.row_to_json FROM (SELECT gid FROM changes) d",
		"SELECT d.pg_sleep FROM (VALUES (1)) d (n)",
		"SELECT d.upper FROM (SELECT gid FROM changes UNION SELECT day FROM changes) d",
		"WITH d AS (SELECT gid FROM changes) SELECT d.row_to_json FROM d",
		"WITH d (x) AS (SELECT gid FROM changes) SELECT d.gid FROM d",
		"SELECT x.row_to_json FROM (SELECT d.* FROM (SELECT gid FROM changes) d) x",
		"SELECT d.count FROM (SELECT COUNT(*) FROM changes) d",
		"SELECT d.max FROM (SELECT MAX(gid), gid FROM changes GROUP BY gid) d",
		"SELECT d.row_to_json FROM changes c JOIN (SELECT gid FROM changes) d USING (gid)",
		"SELECT d FROM (SELECT gid FROM changes) d",
		"SELECT gid FROM changes c JOIN per_project p USING (day)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct gate_result out;
		struct err e = {0};

		if (gate_check(&policy, DIALECT_POSTGRES, str_of(statements[i]), arena, &out, &e))
			fail_msg("%s\naccepted: %s", statements[i], out.sql);
		if (!strstr(e.text, "has this column") && !strstr(e.text, "have this column"))
			fail_msg("%s\nrejected: %s", statements[i], e.text);
	}
	assert_written(
		DIALECT_POSTGRES,
		"SELECT D.TOTAL, other FROM (SELECT COUNT(*) AS \"Total\", gid other FROM changes "
		"GROUP BY gid) d ORDER BY total",
		"SELECT d.\"Total\", other FROM (SELECT COUNT(*) AS \"Total\", gid AS other "
		"FROM " CHANGES("gid") " AS changes GROUP BY gid) AS d ORDER BY \"Total\" NULLS "
				       "FIRST LIMIT 500");
	assert_written(
		DIALECT_POSTGRES,
		"SELECT x.gid FROM (SELECT * FROM changes c JOIN per_project p USING "
		"(gid, tenant_id)) x",
		"SELECT x.gid FROM (SELECT * FROM " CHANGES(
			"gid, day, tenant_id") " AS c INNER JOIN " PROJECT(ALL_OF_PROJECT) " AS p "
											   "USING "
											   "(gid, "
											   "tenant_"
											   "id)) "
											   "AS "
											   "x "
											   "LIMIT "
											   "500");
}

static void rejects_duplicate_columns_where_read(void **state)
{
	static const char *const duplicates[] = {
		"SELECT 1 FROM (SELECT gid, day AS GID FROM changes) d",
		"SELECT 1 FROM (SELECT gid, day FROM changes) d (a, a)",
		"WITH d AS (SELECT gid, day AS gid FROM changes) SELECT 1 FROM d",
		"WITH d (a, A) AS (SELECT gid, day FROM changes) SELECT 1 FROM d",
		"SELECT 1 FROM (SELECT * FROM changes c JOIN per_project p ON p.gid = c.gid) d",
		"SELECT 1 FROM (SELECT c.*, c.day FROM changes c) d",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(duplicates) / sizeof(duplicates[0]); i++)
		assert_rejected(str_of(duplicates[i]), ERR_INPUT,
				"two columns have the same name: ");
}

/* Columns that are not written cannot be in an answer, so the reported columns are complete. */
static void writes_and_reports_only_named_columns(void **state)
{
	static const struct {
		const char *sql;
		const char *columns[2]; /* of per_project, of changes */
	} cases[] = {
		{"SELECT COUNT(*) FROM per_project", {"", NULL}},
		{"SELECT 1 FROM per_project WHERE STATUS_TYPE = 'x'", {"Status_Type ", NULL}},
		{"SELECT p.* FROM per_project p, changes c",
		 {"gid Status_Type \"Project Name\" tenant_id ", ""}},
		{"SELECT * FROM (per_project p CROSS JOIN changes c)",
		 {"gid Status_Type \"Project Name\" tenant_id ", "gid day tenant_id "}},
		{"SELECT 1 FROM per_project p JOIN changes c ON c.gid = p.gid", {"gid ", "gid "}},
		{"SELECT day FROM per_project, changes", {"", "day "}},
		{"SELECT gid FROM per_project WHERE EXISTS (SELECT 1 FROM changes c WHERE "
		 "Status_Type = c.day)",
		 {"gid Status_Type ", "day "}},
		{"SELECT (SELECT MAX(x.n) FROM (SELECT day AS n FROM changes) x) AS m FROM "
		 "per_project ORDER BY \"project name\"",
		 {"\"Project Name\" ", "day "}},
		{"SELECT COUNT(*) OVER w AS n FROM per_project WINDOW w AS (PARTITION BY gid ORDER "
		 "BY Status_Type)",
		 {"gid Status_Type ", NULL}},
		{"SELECT tenant_id AS gid FROM per_project ORDER BY gid", {"gid tenant_id ", NULL}},
		{"WITH x AS (SELECT gid FROM changes) SELECT x.gid FROM x JOIN per_project p ON "
		 "p.gid = x.gid UNION SELECT Status_Type FROM per_project",
		 {"gid Status_Type ", "gid "}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *reported[2] = {NULL, NULL};
		struct gate_result out;
		struct err e;

		if (!gate_check(&policy, DIALECT_POSTGRES, str_of(cases[i].sql), arena, &out, &e))
			fail_msg("%s\nrejected: %s", cases[i].sql, e.text);
		for (size_t k = 0; k < out.read_count; k++) {
			bool project = out.reads[k].view == &known_views[0];
			const char **text = &reported[project ? 0 : 1];

			*text = "";
			for (const char *const *c = out.reads[k].columns; *c; c++)
				*text = arena_printf(arena, "%s%s ", *text, *c);
		}
		for (size_t k = 0; k < 2; k++)
			if (!reported[k] != !cases[i].columns[k] ||
			    (reported[k] && strcmp(reported[k], cases[i].columns[k]) != 0))
				fail_msg("%s\nreads %s", cases[i].sql, reported[k]);
	}
	assert_written(
		DIALECT_SQLITE, "SELECT COUNT(*) AS n FROM per_project",
		"SELECT COUNT(*) AS n FROM " PROJECT("tenant_id") " AS per_project LIMIT 500");
}

static void rejects_unknown_columns_with_suggestion(void **state)
{
	(void)state;
	assert_rejected(STR("SELECT stattus_type FROM per_project"), ERR_INPUT,
			"column 8: no source has this column; the nearest is Status_Type");
	assert_rejected(STR("SELECT p.projectname FROM per_project p"), ERR_INPUT,
			"the source does not have this column; the nearest is \"Project Name\"");
	assert_rejected(STR("SELECT gid FROM changes WHERE Status_Type = 'x'"), ERR_INPUT,
			"no source has this column");
	assert_rejected(STR("SELECT zzzzzzzzzzzz FROM changes"), ERR_INPUT,
			"no source has this column");
	assert_rejected(STR("SELECT gid FROM changes GROUP BY gidd"), ERR_INPUT, "nearest is gid");
	assert_rejected(STR("SELECT gid FROM changes ORDER BY dayy"), ERR_INPUT, "nearest is day");
}

static void rejects_denied_columns_everywhere(void **state)
{
	static const char *const statements[] = {
		"SELECT Budget FROM per_project",
		"SELECT p.\"budget\" FROM per_project p",
		"SELECT gid FROM per_project WHERE [BUDGET] > 5",
		"SELECT gid FROM per_project ORDER BY budget",
		"SELECT gid FROM per_project GROUP BY gid HAVING MAX(Budget) > 1",
		"SELECT COUNT(*) FILTER (WHERE budget > 1) FROM per_project",
		"SELECT c.gid FROM changes c WHERE EXISTS (SELECT 1 FROM per_project p WHERE p.gid "
		"= "
		"c.gid AND p.Budget > 0)",
		"WITH x AS (SELECT Budget AS b FROM per_project) SELECT b FROM x",
		"SELECT CASE WHEN Budget > 1 THEN 1 END FROM per_project",
		"SELECT SUM(Budget) OVER (PARTITION BY gid) FROM per_project",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		assert_rejected(str_of(statements[i]), ERR_INPUT,
				"you lack the permission for this column");
}

static void errors_have_positions(void **state)
{
	(void)state;
	assert_rejected(STR("SELECT '\xc3\xa4\xc3\xa4', sys FROM nowhere"), ERR_INPUT,
			"column 23: not an approved view");
	assert_rejected(STR(""), ERR_INPUT, "the statement is empty");
	assert_rejected(STR(" \t\r\n "), ERR_INPUT, "the statement is empty");
	assert_rejected(STR(";"), ERR_INPUT, "SELECT expected");
	assert_rejected(STR("SELECT a FROM changes\0"), ERR_INPUT, "column 22: control character");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(writes_row_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(spells_names_as_defined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(marks_non_ascii_literals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(substitutes_missing_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lists_views_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(applies_policy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_lengths_and_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_depth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_long_text_quickly, set_up, tear_down),
		cmocka_unit_test_setup_teardown(single_tenant_view_is_not_restricted,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(restricts_each_view_to_the_tenant,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(spells_columns_as_in_view, set_up_known_views,
						tear_down),
		cmocka_unit_test_setup_teardown(resolves_columns_of_derived_tables,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(rejects_duplicate_columns_where_read,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(writes_and_reports_only_named_columns,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(rejects_unknown_columns_with_suggestion,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(rejects_denied_columns_everywhere,
						set_up_known_views, tear_down),
		cmocka_unit_test_setup_teardown(errors_have_positions, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
