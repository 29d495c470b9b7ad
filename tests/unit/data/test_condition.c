/* Conditions: evaluation, rejected syntax, and random text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "sample_results.h"
#include "vesper/condition.h"
#include "vesper/json.h"

static struct arena *arena;
static struct result *result;
static struct ref_source source;
static struct ref_scope scope;
static json_t *filters;

static int set_up(void **state)
{
	static const struct sample_column columns[] = {{"Vendor", NULL, COLUMN_TEXT},
						       {"Price", NULL, COLUMN_DECIMAL},
						       {"Day", NULL, COLUMN_DATE}};
	static const char *const cells[] = {"Ascend",  "48.73", "2026-01-02",
					    "Hitachi", "50.10", "2025-12-31T23:00:00"};
	struct table *offline = sample_table(columns, 3, cells, 2);

	(void)state;
	arena = arena_new(64 << 20);
	result = sample_result(arena, sample_table(columns, 3, cells, 2));
	offline->name = "offline";
	result_add_table(result, arena, offline);
	result_add_fact(result, arena, (struct fact){.name = "gap", .value = "2.66"});
	source = (struct ref_source){"t1", &result, 1};
	scope = (struct ref_scope){&source, 1};
	filters = json_own(arena, json_pack("{s:i}", "year", 2026));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static bool is_met(const char *text)
{
	struct err e = {0};
	const struct condition *c = condition_read(text, arena, &e);

	if (!c)
		fail_msg("%s: %s", text, e.text);
	return condition_is_met(c, &scope, filters, arena);
}

static void each_comparison_is_evaluated(void **state)
{
	(void)state;
	assert_true(is_met("t1.row_count > 0"));
	assert_true(is_met("t1.row_count>1"));
	assert_false(is_met("t1.row_count > 2"));
	assert_true(is_met("t1.row_count >= 2"));
	assert_true(is_met("t1.row_count <= 2"));
	assert_false(is_met("t1.row_count < 2"));
	assert_true(is_met("t1.row_count == 2.0"));
	assert_true(is_met("t1.row_count != 3"));
	assert_true(is_met("t1.rows[0].price < 48.731"));
	assert_true(is_met("t1.facts.gap >= 2.66"));
	assert_true(is_met("t1.outcome == rows"));
	assert_true(is_met("t1.rows[0].vendor == 'Ascend'"));
	assert_false(is_met("t1.rows[0].vendor == 'ascend'"));
	assert_false(is_met("t1.rows[0].vendor != \"Ascend\""));
	assert_true(is_met(" t1.row_count > 0 and t1.facts.gap > 2 AND t1.outcome != empty "));
	assert_false(is_met("t1.row_count > 0 and t1.facts.gap > 3"));
}

static void missing_value_fails_the_condition(void **state)
{
	(void)state;
	assert_false(is_met("t2.row_count == 0"));
	assert_false(is_met("t1.rows[9].price != 1"));
	assert_false(is_met("t1.rows[0].vendor > 5"));
	assert_false(is_met("t1.rows[0].vendor != 5"));
	assert_true(is_met("not t2.row_count == 0"));
}

static void evaluates_operators_between_comparisons(void **state)
{
	static const char *const comparisons[] = {"t1.row_count == 9", "t1.row_count == 2"};

	(void)state;
	for (int a = 0; a < 2; a++) {
		assert_int_equal(is_met(arena_printf(arena, "not %s", comparisons[a])), !a);
		for (int b = 0; b < 2; b++) {
			assert_int_equal(is_met(arena_printf(arena, "%s and %s", comparisons[a],
							     comparisons[b])),
					 a && b);
			assert_int_equal(is_met(arena_printf(arena, "%s or %s", comparisons[a],
							     comparisons[b])),
					 a || b);
			assert_int_equal(is_met(arena_printf(arena, "not (%s or %s)",
							     comparisons[a], comparisons[b])),
					 !(a || b));
			for (int c = 0; c < 2; c++) {
				assert_int_equal(is_met(arena_printf(arena, "%s or %s and %s",
								     comparisons[a], comparisons[b],
								     comparisons[c])),
						 a || (b && c));
				assert_int_equal(is_met(arena_printf(arena, "(%s or %s) and not %s",
								     comparisons[a], comparisons[b],
								     comparisons[c])),
						 (a || b) && !c);
			}
		}
	}
	assert_true(is_met("t1.outcome in (empty, 'rows')"));
	assert_false(is_met("t1.outcome in (empty)"));
	assert_true(is_met("not t2.outcome in (rows)"));
	assert_true(is_met("missing hub_zone"));
	assert_false(is_met("missing year"));
	assert_true(is_met("t1.rows[0].day > 2026-01-01"));
	assert_true(is_met("((((((((t1.row_count > 0))))))))"));
}

/* Generated and evaluated by tests/plan/conditions.py. */
static void random_conditions_match_reference_evaluator(void **state)
{
	FILE *f = fopen(VESPER_SOURCE_DIR "/tests/plan/conditions.tsv", "r");
	char line[1024];
	size_t count = 0;

	(void)state;
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); count++) {
		line[strcspn(line, "\n")] = '\0';
		if (is_met(line + 2) != (line[0] == '1'))
			fail_msg("expected %c: %s", line[0], line + 2);
	}
	fclose(f);
	assert_int_equal(count, 2000);
}

static void invalid_text_is_rejected(void **state)
{
	static const char *const bad[] = {
		"",
		"t1",
		"t1.row_count",
		"t1.row_count >",
		"t1.row_count = 0",
		"t1.row_count => 0",
		"t1.row_count > many",
		"t1.rows[*].price > 1",
		"row_count > 0",
		"t1.row_count > 0 and",
		"t1.row_count > 0 t1.row_count > 0",
		"t1.row_count > 0 or or t1.row_count > 0",
		"t1.row_count > 0 xor t1.row_count > 0",
		"not",
		"not not t1.row_count > 0",
		"()",
		"(t1.row_count > 0",
		"t1.row_count > 0)",
		"(((((((((t1.row_count > 0)))))))))",
		"missing",
		"missing t1.row_count",
		"missing 'year'",
		"t1.row_count in",
		"t1.row_count in ()",
		"t1.row_count in (1,)",
		"t1.row_count in (1 2)",
		"t1.row_count in 1, 2",
		"t1.offline > 0",
		"t1.rows[500].price > 1",
		"t1.row_count > 0; DELETE",
		"t1.rows[0].vendor == 'open",
		("t1.row_count > 0 and t1.row_count > 0 or t1.row_count > 0 and "
		 "t1.row_count > 0 or t1.row_count > 0 and t1.row_count > 0 and "
		 "t1.row_count > 0 and missing year and t1.row_count > 0"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};

		if (condition_read(bad[i], arena, &e))
			fail_msg("%s was accepted", bad[i]);
		assert_int_equal(e.code, ERR_INPUT);
	}
}

/* Any mixture of syntax elements is either rejected or evaluated. */
static void random_text_is_safe(void **state)
{
	static const char *const tokens[] = {
		"t1",       ".",    "row_count", "rows[0]",    "rows[*]", "facts", "gap",
		" ",        ">",    ">=",        "==",         "!=",      "<",     "0",
		"1e9",      "'",    "\"",        "and ",       "[",       "]",     "x",
		"-",        "\xc3", "(",         "$ref",       ")",       "or",    "not ",
		"missing ", " in ", ",",         "2026-01-02", "?"};
	uint32_t seed = 20261122;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[160] = "";
		const struct condition *c;
		struct err e = {0};

		for (int i = 0; i < 12; i++) {
			seed = seed * 1664525u + 1013904223u;
			strncat(text, tokens[(seed >> 16) % (sizeof(tokens) / sizeof(tokens[0]))],
				sizeof(text) - strlen(text) - 1);
		}
		c = condition_read(text, arena, &e);
		if (c)
			(void)condition_is_met(c, &scope, filters, arena);
		else
			assert_int_equal(e.code, ERR_INPUT);
	}
	assert_false(arena_over(arena));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_comparison_is_evaluated),
		TEST(missing_value_fails_the_condition),
		TEST(evaluates_operators_between_comparisons),
		TEST(random_conditions_match_reference_evaluator),
		TEST(invalid_text_is_rejected),
		TEST(random_text_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
