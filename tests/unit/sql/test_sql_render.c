/* Rendering statements: bound values, optional lines, errors, and the form for display. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/limits.h"
#include "vesper/sql.h"

static struct arena *arena;
static struct args args;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	args = (struct args){0};
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

static struct sql_bound render(const char *text, enum dialect dialect)
{
	struct sql_bound out = {0};
	struct err e = {0};

	if (!sql_render(parse_query(text), &args, dialect, arena, &out, &e))
		fail_msg("%s", e.text);
	return out;
}

static void assert_rejected(const char *text, const char *reason)
{
	struct sql_bound out = {0};
	struct err e = {0};

	assert_false(sql_render(parse_query(text), &args, DIALECT_MSSQL, arena, &out, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_null(out.text);
	if (!strstr(e.text, reason))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, reason);
}

static void binds_values_in_text_order(void **state)
{
	(void)state;
	args_set(&args, arena, "b", value_int(2));
	args_set(&args, arena, "a", value_text("x'; DROP TABLE t --"));
	struct sql_bound out =
		render("SELECT c\nFROM t WHERE a = :a AND b=:b AND d = :a", DIALECT_MSSQL);

	assert_string_equal(out.text, "SELECT c\nFROM t WHERE a = ? AND b=? AND d = ?");
	assert_int_equal(out.count, 3);
	assert_string_equal(out.values[0].text, "x'; DROP TABLE t --");
	assert_int_equal(out.values[1].number, 2);
	assert_string_equal(out.values[2].text, out.values[0].text);
}

static void includes_optional_lines_with_their_argument(void **state)
{
	(void)state;
	const char *text = "SELECT 1\nWHERE a = :a\n--? b: AND b = :b\n-- a remark\n--? c: AND c "
			   "IN (:c...)\nORDER BY 1\n";
	const struct value list[] = {value_int(4), value_int(5), value_int(6)};

	args_set(&args, arena, "a", value_int(1));
	assert_string_equal(render(text, DIALECT_MSSQL).text, "SELECT 1\nWHERE a = ?\nORDER BY 1");

	args_set_list(&args, arena, "c", list, 3);
	struct sql_bound out = render(text, DIALECT_MSSQL);
	assert_string_equal(out.text, "SELECT 1\nWHERE a = ?\nAND c IN (?, ?, ?)\nORDER BY 1");
	assert_int_equal(out.count, 4);
	assert_int_equal(out.values[3].number, 6);

	args_set(&args, arena, "b", value_null());
	assert_string_equal(render(text, DIALECT_MSSQL).text,
			    "SELECT 1\nWHERE a = ?\nAND b = ?\nAND c IN (?, ?, ?)\nORDER BY 1");
}

/* The text is rendered once and bound repeatedly. */
static void bound_text_equals_rendered_statement(void **state)
{
	static const char sql[] = "SELECT 1 FROM t WHERE a = :a AND b = :b AND c = :a\n"
				  "--? d: AND d = :d\n";
	struct sql_bound rendered = {0}, bound = {0};
	struct sql_text text = {0};
	struct err e = {0};

	(void)state;
	args_set(&args, arena, "b", value_text("x"));
	args_set(&args, arena, "a", value_int(1));
	args_set(&args, arena, "d", value_null());
	assert_true(sql_text_render(parse_query(sql), &args, DIALECT_SQLITE, arena, &text, NULL));
	args_set(&args, arena, "a", value_int(2));
	assert_true(sql_render(parse_query(sql), &args, DIALECT_SQLITE, arena, &rendered, NULL));
	assert_true(sql_text_bind(&text, &args, arena, &bound, NULL));
	assert_string_equal(bound.text, rendered.text);
	assert_int_equal(bound.count, 4);
	for (size_t i = 0; i < bound.count; i++)
		assert_int_equal(bound.values[i].type, rendered.values[i].type);
	assert_int_equal(bound.values[2].number, 2);
	assert_string_equal(bound.values[1].text, "x");
	args = (struct args){0};
	args_set(&args, arena, "a", value_int(1));
	assert_false(sql_text_bind(&text, &args, arena, &bound, &e));
	assert_int_equal(e.code, ERR_INPUT);
}

static void list_has_1_to_maximum_values(void **state)
{
	(void)state;
	const char *text = "SELECT 1 WHERE a IN (:a...)";
	struct value list[LIST_ARG_MAX + 1];

	for (int i = 0; i <= LIST_ARG_MAX; i++)
		list[i] = value_int(i);
	args_set_list(&args, arena, "a", list, LIST_ARG_MAX);
	assert_int_equal(render(text, DIALECT_MSSQL).count, LIST_ARG_MAX);
	args_set_list(&args, arena, "a", list, LIST_ARG_MAX + 1);
	assert_rejected(text, "1 to 64");
	args_set_list(&args, arena, "a", list, 0);
	assert_rejected(text, "has 0 values");
	args_set(&args, arena, "a", value_int(1));
	assert_int_equal(render(text, DIALECT_MSSQL).count, 1);
}

static void limits_bound_values(void **state)
{
	(void)state;
	struct value list[LIST_ARG_MAX];

	for (int i = 0; i < LIST_ARG_MAX; i++)
		list[i] = value_int(i);
	args_set_list(&args, arena, "a", list, LIST_ARG_MAX);
	assert_int_equal(render("SELECT 1 IN (:a...), 1 IN (:a...)", DIALECT_MSSQL).count,
			 SQL_MARKERS_MAX);
	assert_rejected("SELECT 1 IN (:a...), 1 IN (:a...), 2 IN (:a...)", "more than 128 values");
}

static void rejects_missing_arguments_and_lists(void **state)
{
	(void)state;
	const struct value list[] = {value_int(4)};

	assert_rejected("SELECT :a", "no argument for :a");
	args_set_list(&args, arena, "a", list, 1);
	assert_rejected("SELECT :a", "must be a single value");
}

static void comments_are_not_sent(void **state)
{
	(void)state;
	struct sql_bound out = render(
		"SELECT/* one */1 -- two\n-- three\n, '--four' /* five\n */ ;\n", DIALECT_POSTGRES);

	assert_string_equal(out.text, "SELECT 1\n, '--four'");
}

static void renders_literals_for_display(void **state)
{
	(void)state;
	const struct sql_query *q = parse_query("SELECT :t, :i, :d, :day, :b, :n, 'it''s'");
	const char *text = NULL;
	struct err e = {0};

	args_set(&args, arena, "t", value_text("O'Brien"));
	args_set(&args, arena, "i", value_int(-7));
	args_set(&args, arena, "d", value_decimal("1.50"));
	args_set(&args, arena, "day", value_date("2026-02-27"));
	args_set(&args, arena, "b", value_bool(true));
	args_set(&args, arena, "n", value_null());
	assert_true(sql_render_literal(q, &args, DIALECT_MSSQL, arena, &text, &e));
	assert_string_equal(text, "SELECT N'O''Brien', -7, 1.50, '2026-02-27', 1, NULL, 'it''s'");
	assert_true(sql_render_literal(q, &args, DIALECT_POSTGRES, arena, &text, &e));
	assert_string_equal(text, "SELECT 'O''Brien', -7, 1.50, '2026-02-27', TRUE, NULL, 'it''s'");

	args_set(&args, arena, "d", value_decimal("1; DROP TABLE t"));
	assert_true(sql_render_literal(q, &args, DIALECT_SQLITE, arena, &text, &e));
	assert_non_null(strstr(text, "'1; DROP TABLE t'"));
}

static void escapes_like_patterns(void **state)
{
	(void)state;
	assert_string_equal(sql_like_pattern("100%_a[b]\\", arena), "%100\\%\\_a\\[b]\\\\%");
	assert_string_equal(sql_like_pattern("", arena), "%%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(binds_values_in_text_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(includes_optional_lines_with_their_argument, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(bound_text_equals_rendered_statement, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(list_has_1_to_maximum_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_bound_values, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_missing_arguments_and_lists, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(comments_are_not_sent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(renders_literals_for_display, set_up, tear_down),
		cmocka_unit_test_setup_teardown(escapes_like_patterns, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
