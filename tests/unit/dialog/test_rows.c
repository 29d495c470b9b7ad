/* Titles of an answer's rows in the session context. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/dialog.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/result.h"

static struct arena *arena;
static json_t *standing;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(16 << 20);
	standing = json_object();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	json_decref(standing);
	arena_free(&arena);
	return 0;
}

/* A result with a column of names ("Plant 1", "Plant 2") and a column of equal kinds. */
static struct result *listed(size_t rows, const char *name)
{
	static const char *const names[] = {"name", "kind"};
	static const enum column_type types[] = {COLUMN_TEXT, COLUMN_TEXT};
	struct table *t = table_new(1 << 20);
	struct result *r = result_new(arena);
	const char **cells = arena_alloc(arena, (rows * 2 + 1) * sizeof(*cells));

	for (size_t i = 0; i < rows; i++) {
		cells[i * 2] = arena_printf(arena, "%s%zu", name, i + 1);
		cells[i * 2 + 1] = "same";
	}
	table_replace(t, names, types, 2, cells, rows);
	result_add_table(r, arena, t);
	r->outcome.kind = OUTCOME_ROWS;
	return r;
}

/* The titles after a turn with these results, as text. */
static const char *titles_of(struct result **results, size_t count, const json_t *before)
{
	const struct turn_work work = {.results = results, .result_count = count};
	struct turn_context context = {.standing = before};
	const struct dialog_turn t = {.work = &work, .context = &context};
	const json_t *rows;
	char *text;

	json_object_clear(standing);
	rows_add_titles(&t, standing);
	rows = json_object_get(json_object_get(standing, CONTEXT_ROWS), "titles");
	if (!rows)
		return "";
	text = json_text(rows);
	before = json_own(arena, json_str(text));
	mem_free(text);
	return json_string_value(before);
}

static void takes_titles_from_first_column_of_distinct_texts(void **state)
{
	struct result *r = listed(2, "Plant ");

	(void)state;
	assert_string_equal(titles_of(&r, 1, NULL), "[\"Plant 1\",\"Plant 2\"]");
	r->tables[0]->rows[1][0] = r->tables[0]->rows[0][0];
	assert_string_equal(titles_of(&r, 1, NULL), "");
	r->tables[0]->rows[1][0] = NULL;
	assert_string_equal(titles_of(&r, 1, NULL), "");
	r = listed(1, "Plant ");
	assert_string_equal(titles_of(&r, 1, NULL), "[\"Plant 1\"]");
}

static void keeps_first_rows_of_long_list(void **state)
{
	struct result *r = listed(ROWS_NAMED_MAX + 5, "Plant ");

	(void)state;
	(void)titles_of(&r, 1, NULL);
	assert_int_equal(
		json_array_size(json_object_get(json_object_get(standing, CONTEXT_ROWS), "titles")),
		ROWS_NAMED_MAX);
}

static void long_texts_are_not_titles(void **state)
{
	char name[ROW_TITLE_BYTES + 1];
	struct result *r;

	(void)state;
	memset(name, 'x', sizeof(name));
	name[ROW_TITLE_BYTES - 1] = '\0'; /* ROW_TITLE_BYTES with the number */
	r = listed(2, name);
	assert_string_not_equal(titles_of(&r, 1, NULL), "");
	name[ROW_TITLE_BYTES - 1] = 'x';
	name[ROW_TITLE_BYTES] = '\0';
	r = listed(2, name);
	assert_string_equal(titles_of(&r, 1, NULL), "");
}

/* With two lists, "the second one" is ambiguous, so the previous list remains. */
static void two_lists_keep_previous_titles(void **state)
{
	struct result *r[] = {listed(2, "Plant "), listed(2, "Site ")};
	json_t *before = json_pack("{s:{s:[s,s]}}", CONTEXT_ROWS, "titles", "a", "b");

	(void)state;
	assert_string_equal(titles_of(r, 2, NULL), "");
	assert_string_equal(titles_of(r, 2, before), "[\"a\",\"b\"]");
	assert_string_equal(titles_of(r, 0, before), "[\"a\",\"b\"]");
	assert_string_equal(titles_of(r, 1, before), "[\"Plant 1\",\"Plant 2\"]");
	r[0]->outcome.kind = OUTCOME_EMPTY;
	assert_string_equal(titles_of(r, 1, before), "[\"a\",\"b\"]");
	json_decref(before);
}

/* Titles are read with the permissions of the message that stores them. */
static void answer_with_fewer_needs_drops_list(void **state)
{
	static const char *const both[] = {"see_plants", "source:1", NULL};
	static const char *const other[] = {"see_plants", NULL};
	struct result *list = listed(2, "Plant "), *answer = listed(0, "");
	const json_t *needs;
	json_t *before;

	(void)state;
	list->needs = both;
	(void)titles_of(&list, 1, NULL);
	needs = json_object_get(json_object_get(standing, CONTEXT_ROWS), "needs");
	assert_string_equal(json_string_value(json_array_get(needs, 1)), "source:1");
	before = json_deep_copy(standing);
	answer->needs = other;
	assert_string_equal(titles_of(&answer, 1, before), "");
	answer->needs = both;
	assert_string_not_equal(titles_of(&answer, 1, before), "");
	assert_string_not_equal(titles_of(NULL, 0, before), ""); /* a turn without results */
	json_decref(before);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(takes_titles_from_first_column_of_distinct_texts),
		TEST(keeps_first_rows_of_long_list),
		TEST(long_texts_are_not_titles),
		TEST(two_lists_keep_previous_titles),
		TEST(answer_with_fewer_needs_drops_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
