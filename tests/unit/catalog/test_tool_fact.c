/* `refer` lines: reading, and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog_int.h"

static struct tool_def tool;
static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(1 << 20);
	tool = (struct tool_def){.name = "get_price"};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool read_line(const char *text)
{
	struct err e = {0};

	return refer_read(arena, text, 1, &tool, &e) || e.code != ERR_INPUT;
}

static void keeps_lines_in_order(void **state)
{
	(void)state;
	assert_true(read_line("vendor facts.higher_vendor the higher, the more expensive"));
	assert_true(read_line("project_name rows[0].ProjectName it"));
	assert_int_equal(tool.words.refer_count, 2);
	assert_string_equal(tool.words.refers[0].filter, "vendor");
	assert_string_equal(tool.words.refers[0].path, "facts.higher_vendor");
	assert_string_equal(tool.words.refers[0].words[1], "the more expensive");
	assert_null(tool.words.refers[0].words[2]);
	assert_string_equal(tool.words.refers[1].words[0], "it");
}

static void rejects_lines_without_value_or_words(void **state)
{
	(void)state;
	assert_false(read_line(""));
	assert_false(read_line("vendor"));
	assert_false(read_line("vendor higher_vendor the higher"));
	assert_false(read_line("vendor facts.higher_vendor"));
	assert_false(read_line("vendor facts.higher_vendor , ,"));
	assert_int_equal(tool.words.refer_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(keeps_lines_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rejects_lines_without_value_or_words, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
