/* Splits files of statements into named batches. */
#include "server/server_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/file.h"

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct script parse(const char *text)
{
	struct script s;

	script_parse("/x/sql/schema/mssql/store/001_chat.sql", text, arena, &s);
	return s;
}

static void reads_names_and_lines(void **state)
{
	struct script s = parse("-- about\n\n--# one\nSELECT 1\n-- inside\n, 2\n\n--# two\n-- why\n"
				"SELECT 3;\n");

	(void)state;
	assert_int_equal(s.count, 2);
	assert_string_equal(s.path, "sql/schema/mssql/store/001_chat.sql");
	assert_string_equal(s.batches[0].name, "one");
	assert_int_equal(s.batches[0].line, 4);
	assert_string_equal(s.batches[0].text, "SELECT 1\n-- inside\n, 2");
	assert_string_equal(s.batches[1].name, "two");
	assert_int_equal(s.batches[1].line, 10);
	assert_string_equal(s.batches[1].text, "SELECT 3;");
}

static void go_ends_a_batch(void **state)
{
	struct script s = parse("--# a\nSELECT 'GO'\n  go  \nSELECT GOOD\nGO\n\nGO\n");

	(void)state;
	assert_int_equal(s.count, 2);
	assert_string_equal(s.batches[0].text, "SELECT 'GO'");
	assert_string_equal(s.batches[1].text, "SELECT GOOD");
	assert_string_equal(s.batches[1].name, "a");
}

static void comments_are_not_batches(void **state)
{
	(void)state;
	assert_int_equal(parse("").count, 0);
	assert_int_equal(parse("-- only words\n--# name\n\n-- more\nGO\n").count, 0);
	assert_string_equal(parse("SELECT 1").batches[0].name, "main");
}

static void checksum_covers_the_whole_file(void **state)
{
	struct script one = parse("SELECT 1\n"), two = parse("SELECT 1\n-- changed\n");

	(void)state;
	assert_int_equal(strlen(one.checksum), 64);
	assert_string_not_equal(one.checksum, two.checksum);
}

/* Each batch of the shipped files must be named. */
static void check_folder(const char *folder)
{
	const char *path = arena_printf(arena, "%s/sql/schema/%s", VESPER_SOURCE_DIR, folder);
	const char *const *files;
	struct err e = {0};

	assert_true(file_list(path, arena, &files, &e));
	for (size_t i = 0; files[i]; i++) {
		struct script s;

		if (!strstr(files[i], ".sql"))
			continue;
		assert_true(
			script_load(arena_printf(arena, "%s/%s", path, files[i]), arena, &s, &e));
		assert_true(s.count > 0);
		for (size_t b = 0; b < s.count; b++)
			assert_string_not_equal(s.batches[b].name, "main");
	}
}

static void shipped_files_have_named_batches(void **state)
{
	static const char *const folders[] = {"mssql",    "mssql/warehouse",    "mssql/store",
					      "postgres", "postgres/warehouse", "postgres/store"};

	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		check_folder(folders[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_names_and_lines),
		cmocka_unit_test(go_ends_a_batch),
		cmocka_unit_test(comments_are_not_batches),
		cmocka_unit_test(checksum_covers_the_whole_file),
		cmocka_unit_test(shipped_files_have_named_batches),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
