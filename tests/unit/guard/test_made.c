/* Generated text: each number is bound to the value of its part, or nothing is passed on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "asserts.h"

static const struct sample_column columns[] = {
	{"Project", NULL, COLUMN_TEXT},     {"Year", NULL, COLUMN_INT},
	{"Price", "$/MWh", COLUMN_DECIMAL}, {"Start", NULL, COLUMN_DATE},
	{"Tenor", NULL, COLUMN_INT},
};
static const char *const cells[] = {
	"Stage 5 |a", "2025", "-52.144", "2026-03-15", "12",
	"Stage 6",    "2026", "54.80",   "2026-03-01", "8",
};

static struct result *r;
static struct buf shown;

static int begin(void **state)
{
	set_up(state);
	r = asked_result(arena, sample_table(columns, 5, cells, 2));
	result_add_fact(r, arena, (struct fact){.name = "hours", .value = "HE 16-21"});
	result_add_fact(r, arena, (struct fact){.name = "gap", .value = "2.66", .unit = "$/MWh"});
	use(r);
	input.question = "And in 2025?";
	return 0;
}

static int end(void **state)
{
	buf_deinit(&shown);
	return tear_down(state);
}

static void on_answer_chunk(void *owner, const struct guard_chunk *p)
{
	(void)owner;
	if (!p->marked) {
		buf_add(&shown, p->text, p->len);
		return;
	}
	assert_int_equal(p->kind, GUARD_BOUND);
	assert_string_equal(p->ref.call, "c1");
	buf_printf(&shown, "<%.*s|%lld %s>", (int)p->len, p->text, (long long)p->ref.row,
		   p->ref.column ? p->ref.column : p->ref.formula);
}

/* Parts are written in {} in the text. */
static bool pass(const char *text, struct result_part *parts)
{
	struct guard_generated_text generated_check = {.parts = parts, .arena = arena};
	struct buf plain;
	bool passed;

	buf_init(&plain, 1000);
	buf_deinit(&shown);
	buf_init(&shown, 1000);
	for (const char *p = text; *p; p++)
		if (*p == '{')
			parts[generated_check.part_count].from = plain.n;
		else if (*p == '}')
			parts[generated_check.part_count].len =
				plain.n - parts[generated_check.part_count].from,
			generated_check.part_count++;
		else
			buf_char(&plain, *p);
	generated_check.text = buf_text(&plain);
	generated_check.len = plain.n;
	input.sink = (struct guard_sink){.on_answer_chunk = on_answer_chunk};
	passed = guard_generated_pass(&input, &generated_check);
	assert_true(passed || shown.n == 0);
	buf_deinit(&plain);
	return passed;
}

static struct result_part cell(size_t row, size_t column)
{
	return (struct result_part){
		.kind = RESULT_PART_CELL, .result = r, .row = row, .column = column};
}

static void check_part(const char *text, struct result_part part, const char *expected)
{
	bool passed = pass(text, &part);

	if (passed != (expected != NULL))
		fail_msg("%s is %s", text, passed ? "passed" : "not passed");
	if (expected)
		assert_string_equal(buf_text(&shown), expected);
}

static void number_refers_to_its_cell(void **state)
{
	(void)state;
	check_part("It is {-$52.14/MWh}.", cell(0, 2), "It is <-$52.14/MWh|0 Price>.");
	check_part("It is **{-$52/MWh}**.", cell(0, 2), "It is **<-$52/MWh|0 Price>**.");
	check_part("It is {$52.14/MWh}.", cell(0, 2), NULL);
	check_part("It is {-$52.15/MWh}.", cell(0, 2), NULL);
	check_part("It is {-52.14%}.", cell(0, 2), NULL);
	check_part("It is {-52.14}.", cell(0, 2), NULL);
	check_part("It is {-$52.14/MWh}.", cell(1, 2), NULL);
	check_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
	check_part("In {2026}.", cell(0, 1), NULL);
	check_part("For {12} years.", cell(0, 4), "For <12 years|0 Tenor>.");
	check_part("For {12} MW.", cell(0, 4), NULL);
	check_part("For {13} years.", cell(0, 4), NULL);
}

static void date_refers_to_its_cell(void **state)
{
	(void)state;
	check_part("On {15 March 2026}.", cell(0, 3), "On <15 March 2026|0 Start>.");
	check_part("On {15 March 2025}.", cell(0, 3), NULL);
	check_part("On {16 March 2026}.", cell(0, 3), NULL);
	check_part("In {March 2026}.", cell(0, 3), NULL);
	check_part("In {March 2026}.", cell(1, 3), "In March <2026|1 Start>.");
	check_part("In {April 2026}.", cell(1, 3), NULL);
}

static void text_matches_its_value(void **state)
{
	struct result_part hours = {
		.kind = RESULT_PART_FACT, .result = r, .fact = result_fact(r, "hours")};
	struct result_part gap = {
		.kind = RESULT_PART_FACT, .result = r, .fact = result_fact(r, "gap")};
	struct result_part year = {.kind = RESULT_PART_ARG,
				   .result = r,
				   .arg = args_find(&r->args, "year"),
				   .value = args_find(&r->args, "year")->values};
	struct result_part count = {
		.kind = RESULT_PART_COUNT, .result = r, .text = "rows", .count = 48};

	(void)state;
	check_part("At {Stage 5 |a}.", cell(0, 0), "At Stage <5|0 Project> |a.");
	check_part("At {Stage 5 \\|a}.", cell(0, 0), "At Stage <5|0 Project> \\|a.");
	check_part("At {Stage 6 |a}.", cell(0, 0), NULL);
	check_part("At {Stage 5 |a now}.", cell(0, 0), NULL);
	check_part("At {Stage 5} |a.", cell(0, 0), NULL);
	check_part("At {Stage 6} MW.", cell(1, 0), NULL);
	check_part("Widest in {HE 16-21}.", hours, "Widest in HE <16|-1 hours>-<21|-1 hours>.");
	check_part("Widest in {HE 16-22}.", hours, NULL);
	check_part("A gap of {$2.66/MWh}.", gap, "A gap of <$2.66/MWh|-1 gap>.");
	check_part("A gap of {$2.67/MWh}.", gap, NULL);
	check_part("For year {2025}.", year, "For year <2025|-1 year>.");
	check_part("For year {2026}.", year, NULL);
	check_part("All {48} rows.", count, "All <48|-1 rows> rows.");
	check_part("All {49} rows.", count, NULL);
}

static void rejects_number_outside_parts(void **state)
{
	(void)state;
	check_part("In {2025}, nothing else.", cell(0, 1), "In <2025|0 Year>, nothing else.");
	check_part("In {2025}, 7 of them.", cell(0, 1), NULL);
	check_part("3 in {2025}.", cell(0, 1), NULL);
	check_part("In {2025}, twenty dollars.", cell(0, 1), NULL);
	check_part("In -{2025}.", cell(0, 1), NULL);
}

static void rejects_question_about_other_data(void **state)
{
	(void)state;
	input.question = "And in 2031?";
	check_part("In {2025}.", cell(0, 1), NULL);
	input.question = "And in SP15?";
	check_part("In {2025}.", cell(0, 1), NULL);
	input.question = "And in NP15?";
	check_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
	input.question = "What of 2025 or 2031?";
	check_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(number_refers_to_its_cell, begin, end),
		cmocka_unit_test_setup_teardown(date_refers_to_its_cell, begin, end),
		cmocka_unit_test_setup_teardown(text_matches_its_value, begin, end),
		cmocka_unit_test_setup_teardown(rejects_number_outside_parts, begin, end),
		cmocka_unit_test_setup_teardown(rejects_question_about_other_data, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
