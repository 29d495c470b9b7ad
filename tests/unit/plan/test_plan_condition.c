/* Conditions: what they mean, what is refused, and that no text does harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "plan_int.h"
#include "sample_results.h"

static struct arena *arena;
static struct result *result;
static struct ref_source source;
static struct ref_scope scope;

static int set_up(void **state)
{
	static const struct sample_column columns[] = {{"Vendor", NULL, COLUMN_TEXT},
						       {"Price", NULL, COLUMN_DECIMAL}};
	static const char *const cells[] = {"Ascend", "48.73", "Hitachi", "50.10"};

	(void)state;
	arena = arena_new(64 << 20);
	result = sample_result(arena, sample_table(columns, 2, cells, 2));
	result_add_fact(result, arena, (struct fact){.name = "gap", .value = "2.66"});
	source = (struct ref_source){"t1", &result, 1};
	scope = (struct ref_scope){&source, 1};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool met(const char *text)
{
	struct plan_condition c;
	struct err e = {0};

	if (!plan_condition_read(text, arena, &c, &e))
		fail_msg("%s: %s", text, e.text);
	return plan_condition_met(&c, &scope, arena);
}

static void each_comparison_means_what_it_says(void **state)
{
	(void)state;
	assert_true(met("t1.row_count > 0"));
	assert_true(met("t1.row_count>1"));
	assert_false(met("t1.row_count > 2"));
	assert_true(met("t1.row_count >= 2"));
	assert_true(met("t1.row_count <= 2"));
	assert_false(met("t1.row_count < 2"));
	assert_true(met("t1.row_count == 2.0"));
	assert_true(met("t1.row_count != 3"));
	assert_true(met("t1.rows[0].price < 48.731"));
	assert_true(met("t1.facts.gap >= 2.66"));
	assert_true(met("t1.outcome == rows"));
	assert_true(met("t1.rows[0].vendor == 'ascend'"));
	assert_false(met("t1.rows[0].vendor != \"Ascend\""));
	assert_true(met(" t1.row_count > 0 and t1.facts.gap > 2 AND t1.outcome != empty "));
	assert_false(met("t1.row_count > 0 and t1.facts.gap > 3"));
}

static void what_is_not_found_meets_nothing(void **state)
{
	(void)state;
	assert_false(met("t2.row_count == 0"));
	assert_false(met("t1.rows[9].price != 1"));
	assert_false(met("t1.rows[0].vendor > 5"));
}

static void everything_else_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"t1",
		"t1.row_count",
		"t1.row_count >",
		"t1.row_count = 0",
		"t1.row_count => 0",
		"t1.row_count > many",
		"t1.rows[*].price > 1",
		"row_count > 0",
		"t1.row_count > 0 or t2.row_count > 0",
		"t1.row_count > 0 and",
		"t1.row_count > 0 t1.row_count > 0",
		"not t1.row_count > 0",
		"t1.row_count > 0; DELETE",
		"t1.rows[0].vendor == 'open",
		("t1.row_count > 0 and t1.row_count > 0 and t1.row_count > 0 and "
		 "t1.row_count > 0 and t1.row_count > 0"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct plan_condition c;
		struct err e = {0};

		if (plan_condition_read(wrong[i], arena, &c, &e))
			fail_msg("%s is taken", wrong[i]);
		assert_int_equal(e.code, ERR_INPUT);
	}
}

/* Any mixture of its own pieces is either refused or judged. */
static void no_text_does_harm(void **state)
{
	static const char *const pieces[] = {
		"t1", ".",  "row_count", "rows[0]", "rows[*]", "facts", "gap", " ",  ">",
		">=", "==", "!=",        "<",       "0",       "1e9",   "'",   "\"", "and ",
		"[",  "]",  "x",         "-",       "\xc3",    "(",     "$ref"};
	uint32_t seed = 20261122;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[160] = "";
		struct plan_condition c;
		struct err e = {0};

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525u + 1013904223u;
			strncat(text, pieces[(seed >> 16) % (sizeof(pieces) / sizeof(pieces[0]))],
				sizeof(text) - strlen(text) - 1);
		}
		if (plan_condition_read(text, arena, &c, &e))
			(void)plan_condition_met(&c, &scope, arena);
		else
			assert_int_equal(e.code, ERR_INPUT);
	}
	assert_false(arena_over(arena));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_comparison_means_what_it_says),
		TEST(what_is_not_found_meets_nothing),
		TEST(everything_else_is_refused),
		TEST(no_text_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
