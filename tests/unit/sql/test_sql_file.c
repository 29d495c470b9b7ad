/* The grammar of SQL files: header, statements, optional lines, and errors with their line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vesper/limits.h"
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

static struct sql_file *parse(const char *text)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	if (!sql_file_parse("x.sql", text, arena, &f, &e))
		fail_msg("%s", e.text);
	return f;
}

static void assert_rejected(const char *text, const char *reason)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	assert_false(sql_file_parse("x.sql", text, arena, &f, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_null(f);
	if (!strstr(e.text, reason))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, reason);
	assert_int_equal(strncmp(e.text, "x.sql:", 6), 0);
}

static void reads_header(void **state)
{
	(void)state;
	struct sql_file *f = parse("-- tool:  get_x\n"
				   "-- param vendor  text  required   Curve: vendor\n"
				   "-- column \"A B\" unit=$/MWh\r\n"
				   "SELECT 1\n"
				   "-- tool: not a header line any more\n");

	assert_int_equal(f->header_count, 3);
	assert_string_equal(f->header[0].key, "tool");
	assert_string_equal(f->header[0].value, "get_x");
	assert_string_equal(f->header[1].key, "param");
	assert_string_equal(f->header[1].value, "vendor  text  required   Curve: vendor");
	assert_int_equal(f->header[1].line, 2);
	assert_string_equal(f->header[2].value, "\"A B\" unit=$/MWh");
	assert_int_equal(f->query_count, 1);
	assert_string_equal(f->queries[0].name, "main");
	assert_int_equal(f->queries[0].line, 4);
}

static void finds_markers_outside_literals_and_comments(void **state)
{
	(void)state;
	struct sql_file *f =
		parse("SELECT ':no', '10:30', 'it''s :no', \":no\", [x:no], a::text, :yes\n"
		      "/* :no /* nested :no */ :no */ -- :no\n"
		      "WHERE b IN (:names...) AND c=:yes AND N':no' <> :y2 AND d BETWEEN 1:5");
	const struct sql_query *q = sql_file_query(f, "main");

	assert_int_equal(q->marker_count, 3);
	assert_string_equal(q->markers[0].name, "yes");
	assert_false(q->markers[0].is_list);
	assert_string_equal(q->markers[1].name, "names");
	assert_true(q->markers[1].is_list);
	assert_string_equal(q->markers[2].name, "y2");
}

static void marker_is_optional_only_in_its_lines(void **state)
{
	(void)state;
	struct sql_file *f = parse("SELECT 1 WHERE a = :a\n"
				   "--? b: AND b = :b\n"
				   "--? a: AND c = :a\n"
				   "--? c: AND c = :d\n"
				   "--? b: AND c <> :b\n");
	const struct sql_query *q = sql_file_query(f, "main");

	assert_int_equal(q->marker_count, 3);
	assert_false(q->markers[0].optional);
	assert_true(q->markers[1].optional);
	assert_string_equal(q->markers[2].name, "d");
	assert_false(q->markers[2].optional);
	assert_string_equal(q->conditions[0], "b");
	assert_string_equal(q->conditions[1], "a");
	assert_string_equal(q->conditions[2], "c");
	assert_null(q->conditions[3]);
}

static void splits_queries(void **state)
{
	(void)state;
	struct sql_file *f = parse("-- tool: x\n\nSELECT 1;\n\n--# query hourly\nSELECT 2\n--#  "
				   "query  last \nSELECT 3");

	assert_int_equal(f->query_count, 3);
	assert_string_equal(f->queries[0].name, "main");
	assert_string_equal(f->queries[1].name, "hourly");
	assert_int_equal(f->queries[1].line, 5);
	assert_string_equal(f->queries[2].name, "last");
	assert_null(sql_file_query(f, "other"));
}

static void first_query_can_have_a_name(void **state)
{
	(void)state;
	struct sql_file *f =
		parse("-- about: two\n-- \n--# query one\nSELECT 1\n--# query two\nSELECT 2\n");

	assert_int_equal(f->query_count, 2);
	assert_string_equal(f->queries[0].name, "one");
}

static void errors_name_line_and_reason(void **state)
{
	(void)state;
	assert_rejected("SELECT 'abc\nxyz", "x.sql:1: ' is not closed");
	assert_rejected("SELECT 1,\n \"abc", "x.sql:2: \" is not closed");
	assert_rejected("SELECT [abc", "[ is not closed");
	assert_rejected("SELECT 1\n/* /* */", "x.sql:2: comment is not closed");
	assert_rejected("SELECT 1\n--? : x", "x.sql:2: expected \"--? name: text\"");
	assert_rejected("SELECT 1\n--? name text", "x.sql:2: expected \"--? name: text\"");
	assert_rejected("SELECT 1\n--# nothing", "x.sql:2: expected \"--# query NAME\"");
	assert_rejected("SELECT 1\n--# query", "expected \"--# query NAME\"");
	assert_rejected("SELECT 1\n--# query a b\nSELECT 2", "expected \"--# query NAME\"");
	assert_rejected("SELECT 1\n--# query a\n\n--# query b\nSELECT 2",
			"x.sql:2: query a is empty");
	assert_rejected("SELECT 1\n--# query main\nSELECT 2", "query main is defined twice");
	assert_rejected("SELECT 1 --? a: x", "must be at the start of a line");
	assert_rejected("SELECT 1\n--? a: AND b = 'x\n'",
			"x.sql:2: a --? line must close its quotes and comments");
	assert_rejected("SELECT 1\n--? a: /* x\n*/", "x.sql:2: a --? line must close");
	assert_rejected("SELECT a WHERE b = ?", "x.sql:1: a bare ?");
	assert_rejected("SELECT :a\n, :a...", "x.sql:2: :a is used as one value and as a list");
	assert_rejected("SELECT 1\n-- param late text", "x.sql:2: \"-- param\" must be above");
	assert_rejected("\n-- column late", "must be above");
}

static void limits_marker_count(void **state)
{
	(void)state;
	char text[8 * (SQL_MARKERS_MAX + 2) + 16] = "SELECT 1";
	size_t n = strlen(text);

	for (int i = 0; i < SQL_MARKERS_MAX; i++, n += 4)
		memcpy(text + n, ",:a ", 5);
	parse(text);
	memcpy(text + n, ",:a ", 5);
	assert_rejected(text, "more than");
}

static void question_mark_in_literal_is_text(void **state)
{
	(void)state;
	parse("SELECT 'really?', \"who?\" -- why?");
}

static void loads_files(void **state)
{
	(void)state;
	char path[] = "/tmp/vesper-sql-XXXXXX";
	struct sql_file *f = NULL;
	struct err e = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "SELECT 1\n", 9), 9);
	assert_true(sql_file_load(path, arena, &f, &e));
	assert_string_equal(f->path, path);
	assert_int_equal(f->query_count, 1);

	static char big[SQL_FILE_BYTES_MAX];
	memset(big, ' ', sizeof(big));
	assert_int_equal(write(fd, big, sizeof(big)), (int)sizeof(big));
	close(fd);
	assert_false(sql_file_load(path, arena, &f, &e));
	assert_non_null(strstr(e.text, "larger than"));
	unlink(path);
	assert_false(sql_file_load(path, arena, &f, &e));
	assert_int_equal(e.code, ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_header, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_markers_outside_literals_and_comments, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(marker_is_optional_only_in_its_lines, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(splits_queries, set_up, tear_down),
		cmocka_unit_test_setup_teardown(first_query_can_have_a_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(errors_name_line_and_reason, set_up, tear_down),
		cmocka_unit_test_setup_teardown(limits_marker_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(question_mark_in_literal_is_text, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(loads_files, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
