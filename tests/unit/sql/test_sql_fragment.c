/* Fragments: where they are allowed, the resulting statements, and the lines that errors name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/limits.h"
#include "vesper/sql.h"

#define SHARED                                                                                     \
	"-- Shared fragments.\n"                                                                   \
	"\n"                                                                                       \
	"--# fragment newest\n"                                                                    \
	"\tAND t.day = (SELECT MAX(n.day) FROM dbo.t n -- of all\n"                                \
	"--? asof: WHERE n.asof = :asof\n"                                                         \
	"\t)\n"                                                                                    \
	"--#  fragment  b2 \n"                                                                     \
	"AND 2 = :two\n"

static struct arena *arena;
static struct sql_fragments shared;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(4 << 20);
	shared = (struct sql_fragments){0};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void parse_shared(const char *text)
{
	struct err e = {0};

	if (!sql_fragments_parse("shared.sql", text, arena, &shared, &e))
		fail_msg("%s", e.text);
}

static struct sql_file *parse(const char *text)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	if (!sql_file_parse_with("x.sql", text, &shared, arena, &f, &e))
		fail_msg("%s", e.text);
	return f;
}

static const char *render(const struct sql_query *q)
{
	struct sql_bound out;
	struct args args = {0};
	struct err e = {0};

	for (size_t i = 0; i < q->marker_count; i++)
		args_set(&args, arena, q->markers[i].name, value_int(1));
	if (!sql_render(q, &args, DIALECT_SQLITE, arena, &out, &e))
		fail_msg("%s", e.text);
	return out.text;
}

static void assert_rejected(const char *text, const char *reason)
{
	struct sql_file *f = NULL;
	struct err e = {0};

	assert_false(sql_file_parse_with("x.sql", text, &shared, arena, &f, &e));
	assert_int_equal(e.code, ERR_INPUT);
	if (strncmp(e.text, reason, strlen(reason)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", e.text, reason);
}

static void assert_shared_rejected(const char *text, const char *reason)
{
	struct sql_fragments f;
	struct err e = {0};

	assert_false(sql_fragments_parse("shared.sql", text, arena, &f, &e));
	assert_int_equal(e.code, ERR_INPUT);
	if (strncmp(e.text, reason, strlen(reason)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", e.text, reason);
}

static void inserts_fragments_for_their_lines(void **state)
{
	(void)state;
	parse_shared(SHARED);
	struct sql_file *f = parse("-- tool: x\n"
				   "SELECT 1 FROM dbo.t t WHERE 1 = 1\n"
				   "\t:{newest}\r\n"
				   "ORDER BY 1\n"
				   "--# query more\n"
				   ":{b2}");

	assert_string_equal(render(&f->queries[0]), "SELECT 1 FROM dbo.t t WHERE 1 = 1\n"
						    "AND t.day = (SELECT MAX(n.day) FROM dbo.t n\n"
						    "WHERE n.asof = ?\n)\nORDER BY 1");
	assert_string_equal(f->queries[0].conditions[0], "asof");
	assert_true(f->queries[0].markers[0].optional);
	assert_int_equal(f->queries[0].line, 2);
	assert_string_equal(render(&f->queries[1]), "AND 2 = ?");
	assert_int_equal(f->queries[1].line, 5);
	assert_null(sql_fragment_unused(&shared));
	assert_int_equal(f->fragments.count, 0);
}

static void file_can_declare_fragments(void **state)
{
	(void)state;
	struct sql_file *f = parse("-- tool: x\n"
				   "--# fragment first\n"
				   "SELECT 1\n"
				   "--# query main\n"
				   ":{first}\n"
				   ":{last}\n"
				   "--# query again\n"
				   ":{first}\n"
				   "--# fragment last\n"
				   "WHERE 1 = 2\n");

	assert_int_equal(f->query_count, 2);
	assert_string_equal(render(&f->queries[0]), "SELECT 1\nWHERE 1 = 2");
	assert_int_equal(f->queries[0].line, 4);
	assert_string_equal(render(&f->queries[1]), "SELECT 1");
	assert_int_equal(f->queries[1].line, 7);
	assert_int_equal(f->fragments.count, 2);
	assert_int_equal(sql_fragment_find(&f->fragments, "last")->line, 9);
	assert_null(sql_fragment_find(&f->fragments, "middle"));
}

static void reports_unused_fragments(void **state)
{
	(void)state;
	parse_shared(SHARED);
	parse("SELECT 1\n:{newest}");
	assert_string_equal(sql_fragment_unused(&shared)->name, "b2");
	assert_int_equal(sql_fragment_unused(&shared)->line, 7);
	assert_rejected("SELECT 1\n--# fragment mine\nx", "x.sql:2: fragment mine is not used");
}

/* The line of a statement that begins in a fragment is a line of the file. */
static void errors_name_line_of_fragment(void **state)
{
	(void)state;
	parse_shared("--# fragment late\nAND 1\n-- param x text\n--# fragment list\nAND :a\nAND "
		     ":a...\n");
	assert_rejected("SELECT 1\n:{late}\n", "shared.sql:3: \"-- param\" must be above");
	assert_rejected("SELECT 1\n:{list}\n",
			"shared.sql:6: :a is used as one value and as a list");
	assert_rejected("SELECT 1\n\n--# fragment f\n\nAND \"\n--# query b\n:{f}",
			"x.sql:5: \" is not");
	assert_rejected("SELECT 1\n\n--# fragment f\nAND 1\n--# query b\n:{f}\nAND [",
			"x.sql:7: [ is not closed");
	assert_rejected(
		"SELECT 1\n--# fragment f\nAND 1\n--# query b\n:{f}\n--# query c\n--# query d\n1",
		"x.sql:6: query c is empty");
	assert_rejected("SELECT 1\n--# fragment f\nAND 1\n--# query b\n:{f}\n--# query c",
			"x.sql:6: query c is empty");
}

static void rejects_invalid_uses(void **state)
{
	(void)state;
	parse_shared(SHARED);
	assert_rejected("SELECT 1\n\n:{oldest}", "x.sql:3: unknown fragment oldest");
	assert_rejected("SELECT :{newest}", "x.sql:1: :{name} must be alone on its line");
	assert_rejected("SELECT 1\n:{newest} AND 2", "x.sql:2: :{name} must be alone on its line");
	assert_rejected("SELECT 1\n:{newest", "x.sql:2: :{name} must be alone on its line");
	assert_rejected("SELECT 1\n:{}", "x.sql:2: :{name} must be alone on its line");
	assert_rejected("SELECT 1\n:{Newest}", "x.sql:2: :{name} must be alone on its line");
	assert_rejected("SELECT 1\n--? asof: :{newest}",
			"x.sql:2: :{name} must be alone on its line");
	parse("SELECT ':{newest}', \":{no}\" -- :{no}");
}

static void rejects_invalid_fragments(void **state)
{
	(void)state;
	parse_shared(SHARED);
	assert_rejected("SELECT 1\n--# fragment newest\nx",
			"x.sql:2: fragment newest is already defined in shared.sql:3");
	assert_rejected("SELECT 1\n--# fragment a\nx\n--# fragment a\ny",
			"x.sql:4: fragment a is already defined in x.sql:2");
	assert_rejected("SELECT 1\n--# fragment a\n:{newest}\n--# query b\n:{a}",
			"x.sql:3: a fragment cannot contain another fragment: :{newest}");
	assert_rejected("SELECT 1\n--# fragment\nx", "x.sql:2: expected \"--# fragment name\"");
	assert_rejected("SELECT 1\n--# fragment 2a\nx", "x.sql:2: expected \"--# fragment name\"");
	assert_rejected("SELECT 1\n--# fragment a b\nx", "x.sql:2: expected \"--# fragment name\"");
	assert_rejected("SELECT 1\n--# fragment aB\nx", "x.sql:2: expected \"--# fragment name\"");
	assert_rejected("SELECT 1\n--# fragment a\n\n-- nothing\n--# query b\n:{a}",
			"x.sql:2: fragment a is empty");
	assert_rejected("SELECT 1\n--# fragments a\nx", "x.sql:2: expected \"--# query NAME\"");

	assert_shared_rejected("--# fragment a\n\nAND a = 'b\n--# fragment b\nAND c = 'd",
			       "shared.sql:3: ' is not closed");
	assert_shared_rejected("--# fragment a\nAND ?", "shared.sql:2: a bare ?");
	assert_shared_rejected("--# fragment a\n/* AND\n", "shared.sql:2: comment is not closed");
	assert_shared_rejected("--# fragment a\n--? a: x\n--? a x\n",
			       "shared.sql:3: expected \"--? name");
	assert_shared_rejected("--# fragment a\nAND :{b}\n",
			       "shared.sql:2: :{name} must be alone on");
	assert_shared_rejected("SELECT 1\n", "shared.sql:1: only fragments are allowed here");
	assert_shared_rejected("--# query a\nSELECT 1\n",
			       "shared.sql:1: only fragments are allowed here");
	assert_shared_rejected("--# fragment a\nx\n--# query b\nSELECT 1\n",
			       "shared.sql:3: a fragment cannot contain a query");
	assert_shared_rejected("--# fragment a\n\n--# fragment b\nx",
			       "shared.sql:1: fragment a is empty");
	assert_shared_rejected("--# fragment a\nx\n:{a}",
			       "shared.sql:3: a fragment cannot contain another fragment");
	assert_shared_rejected("--# fragment a\nx\n--# fragment a\nx",
			       "shared.sql:3: fragment a is already "
			       "defined in shared.sql:1");
}

static void limits_fragment_count_and_size(void **state)
{
	static char text[SQL_FILE_BYTES_MAX];
	size_t n = 0;

	(void)state;
	for (int i = 0; i <= SQL_FRAGMENTS_MAX; i++) {
		if (i == SQL_FRAGMENTS_MAX)
			parse_shared(text);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "--# fragment f%d\nx\n", i);
	}
	assert_shared_rejected(text, "shared.sql:129: more than 64 fragments");

	/* A fragment of two thirds of the maximum fits once, but not twice. */
	n = (size_t)snprintf(text, sizeof(text), "--# fragment big\n");
	while (n < SQL_FILE_BYTES_MAX / 3 * 2)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "AND 1 = 1\n");
	parse_shared(text);
	parse("SELECT 1\n:{big}\n");
	assert_rejected("SELECT 1\n:{big}\n:{big}\n", "x.sql:1: longer than 65536 bytes with its");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(inserts_fragments_for_their_lines),
		TEST(file_can_declare_fragments),
		TEST(reports_unused_fragments),
		TEST(errors_name_line_of_fragment),
		TEST(rejects_invalid_uses),
		TEST(rejects_invalid_fragments),
		TEST(limits_fragment_count_and_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
