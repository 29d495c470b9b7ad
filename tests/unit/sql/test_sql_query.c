/* Properties of statements: the views they name, and whether they only read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/sql.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct sql_query *parse_query(const char *text)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	if (!sql_file_parse("x.sql", text, arena, &f, &e))
		fail_msg("%s", e.text);
	return &f->queries[0];
}

static void finds_view_in_any_spelling(void **state)
{
	(void)state;
	static const char *const referencing[] = {
		"SELECT 1 FROM dbo.changes c",     "SELECT 1 FROM DBO . Changes",
		"SELECT 1 FROM [dbo].\"changes\"", "SELECT 1 FROM dbo./* x */changes",
		"SELECT 1 FROM db.dbo.changes",
	};
	static const char *const others[] = {
		"SELECT 'dbo.changes'",          "SELECT 1 FROM dbo.changes_old",
		"SELECT 1 FROM xdbo.changes",    "SELECT 1 FROM dbo -- dbo.changes",
		"SELECT \"dbo.changes\" FROM t",
	};

	for (size_t i = 0; i < sizeof(referencing) / sizeof(referencing[0]); i++)
		if (!sql_query_references(parse_query(referencing[i]), "dbo.changes"))
			fail_msg("%s", referencing[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (sql_query_references(parse_query(others[i]), "dbo.changes"))
			fail_msg("%s", others[i]);
}

static void recognizes_single_select(void **state)
{
	(void)state;
	assert_true(sql_query_is_select(parse_query("select 1;")));
	assert_true(sql_query_is_select(
		parse_query("-- x\n WITH a AS (SELECT ';' AS b) SELECT b FROM a")));
	assert_false(sql_query_is_select(parse_query("SELECT 1; DELETE FROM t")));
	assert_false(sql_query_is_select(parse_query("UPDATE t SET a = 1")));
	assert_false(sql_query_is_select(parse_query("\"select\" 1")));
	assert_false(sql_query_is_select(parse_query("SELECTED")));
}

static void finds_output_columns(void **state)
{
	(void)state;
	const struct sql_query *q =
		parse_query("SELECT a AS \"One Two\", b AS [Three]\n--? x: , c AS \"Four\"");

	assert_true(sql_query_has_quoted_name(q, "One Two"));
	assert_true(sql_query_has_quoted_name(q, "Three"));
	assert_true(sql_query_has_quoted_name(q, "Four"));
	assert_false(sql_query_has_quoted_name(q, "one two"));
	assert_false(sql_query_has_quoted_name(q, "a"));
	assert_true(sql_query_references(q, "Four"));
	assert_false(sql_query_references_without(q, "Four", "x"));
	assert_true(sql_query_references_without(q, "Four", "y"));
	assert_true(sql_query_references_without(q, "three", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_view_in_any_spelling, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_output_columns, set_up, tear_down),
		cmocka_unit_test_setup_teardown(recognizes_single_select, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
