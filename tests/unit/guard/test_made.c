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

static struct result *sample;
static struct buf output;

static int set_up_result(void **state)
{
	set_up(state);
	sample = asked_result(arena, sample_table(columns, 5, cells, 2));
	result_add_fact(sample, arena, (struct fact){.name = "hours", .value = "HE 16-21"});
	result_add_fact(sample, arena,
			(struct fact){.name = "gap", .value = "2.66", .unit = "$/MWh"});
	use_result(sample);
	input.question = "And in 2025?";
	return 0;
}

static int tear_down_output(void **state)
{
	buf_deinit(&output);
	return tear_down(state);
}

static void on_answer_chunk(void *owner, const struct guard_chunk *p)
{
	(void)owner;
	if (!p->marked) {
		buf_add(&output, p->text, p->len);
		return;
	}
	assert_int_equal(p->kind, GUARD_BOUND);
	assert_string_equal(p->ref.call, "c1");
	buf_printf(&output, "<%.*s|%lld %s>", (int)p->len, p->text, (long long)p->ref.row,
		   p->ref.column ? p->ref.column : p->ref.formula);
}

/* In the text, parts are enclosed in {}. */
static bool pass_text(const char *text, struct result_part *parts)
{
	struct guard_generated_text generated = {.parts = parts, .arena = arena};
	struct buf plain;
	bool passed;

	buf_init(&plain, 1000);
	buf_deinit(&output);
	buf_init(&output, 1000);
	for (const char *p = text; *p; p++)
		if (*p == '{')
			parts[generated.part_count].from = plain.n;
		else if (*p == '}')
			parts[generated.part_count].len =
				plain.n - parts[generated.part_count].from,
			generated.part_count++;
		else
			buf_char(&plain, *p);
	generated.text = buf_text(&plain);
	generated.len = plain.n;
	input.sink = (struct guard_sink){.on_answer_chunk = on_answer_chunk};
	passed = guard_generated_pass(&input, &generated);
	assert_true(passed || output.n == 0);
	buf_deinit(&plain);
	return passed;
}

static struct result_part cell(size_t row, size_t column)
{
	return (struct result_part){
		.kind = RESULT_PART_CELL, .result = sample, .row = row, .column = column};
}

static void assert_part(const char *text, struct result_part part, const char *expected)
{
	bool passed = pass_text(text, &part);

	if (passed != (expected != NULL))
		fail_msg("'%s' was %s", text, passed ? "passed" : "rejected");
	if (expected)
		assert_string_equal(buf_text(&output), expected);
}

static void number_refers_to_its_cell(void **state)
{
	(void)state;
	assert_part("It is {-$52.14/MWh}.", cell(0, 2), "It is <-$52.14/MWh|0 Price>.");
	assert_part("It is **{-$52/MWh}**.", cell(0, 2), "It is **<-$52/MWh|0 Price>**.");
	assert_part("It is {$52.14/MWh}.", cell(0, 2), NULL);
	assert_part("It is {-$52.15/MWh}.", cell(0, 2), NULL);
	assert_part("It is {-52.14%}.", cell(0, 2), NULL);
	assert_part("It is {-52.14}.", cell(0, 2), NULL);
	assert_part("It is {-$52.14/MWh}.", cell(1, 2), NULL);
	assert_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
	assert_part("In {2026}.", cell(0, 1), NULL);
	assert_part("For {12} years.", cell(0, 4), "For <12 years|0 Tenor>.");
	assert_part("For {12} MW.", cell(0, 4), NULL);
	assert_part("For {13} years.", cell(0, 4), NULL);
}

static void date_refers_to_its_cell(void **state)
{
	(void)state;
	assert_part("On {15 March 2026}.", cell(0, 3), "On <15 March 2026|0 Start>.");
	assert_part("On {15 March 2025}.", cell(0, 3), NULL);
	assert_part("On {16 March 2026}.", cell(0, 3), NULL);
	assert_part("In {March 2026}.", cell(0, 3), NULL);
	assert_part("In {March 2026}.", cell(1, 3), "In March <2026|1 Start>.");
	assert_part("In {April 2026}.", cell(1, 3), NULL);
}

static void text_matches_its_value(void **state)
{
	struct result_part hours = {
		.kind = RESULT_PART_FACT, .result = sample, .fact = result_fact(sample, "hours")};
	struct result_part gap = {
		.kind = RESULT_PART_FACT, .result = sample, .fact = result_fact(sample, "gap")};
	struct result_part year = {.kind = RESULT_PART_ARG,
				   .result = sample,
				   .arg = args_find(&sample->args, "year"),
				   .value = args_find(&sample->args, "year")->values};
	struct result_part count = {
		.kind = RESULT_PART_COUNT, .result = sample, .text = "rows", .count = 48};

	(void)state;
	assert_part("At {Stage 5 |a}.", cell(0, 0), "At Stage <5|0 Project> |a.");
	assert_part("At {Stage 5 \\|a}.", cell(0, 0), "At Stage <5|0 Project> \\|a.");
	assert_part("At {Stage 6 |a}.", cell(0, 0), NULL);
	assert_part("At {Stage 5 |a now}.", cell(0, 0), NULL);
	assert_part("At {Stage 5} |a.", cell(0, 0), NULL);
	assert_part("At {Stage 6} MW.", cell(1, 0), NULL);
	assert_part("Widest in {HE 16-21}.", hours, "Widest in HE <16|-1 hours>-<21|-1 hours>.");
	assert_part("Widest in {HE 16-22}.", hours, NULL);
	assert_part("A gap of {$2.66/MWh}.", gap, "A gap of <$2.66/MWh|-1 gap>.");
	assert_part("A gap of {$2.67/MWh}.", gap, NULL);
	assert_part("For year {2025}.", year, "For year <2025|-1 year>.");
	assert_part("For year {2026}.", year, NULL);
	assert_part("All {48} rows.", count, "All <48|-1 rows> rows.");
	assert_part("All {49} rows.", count, NULL);
}

static void rejects_number_outside_parts(void **state)
{
	(void)state;
	assert_part("In {2025}, nothing else.", cell(0, 1), "In <2025|0 Year>, nothing else.");
	assert_part("In {2025}, 7 of them.", cell(0, 1), NULL);
	assert_part("3 in {2025}.", cell(0, 1), NULL);
	assert_part("In {2025}, twenty dollars.", cell(0, 1), NULL);
	assert_part("In -{2025}.", cell(0, 1), NULL);
}

static void rejects_question_about_other_data(void **state)
{
	(void)state;
	input.question = "And in 2031?";
	assert_part("In {2025}.", cell(0, 1), NULL);
	input.question = "And in SP15?";
	assert_part("In {2025}.", cell(0, 1), NULL);
	input.question = "And in NP15?";
	assert_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
	input.question = "What of 2025 or 2031?";
	assert_part("In {2025}.", cell(0, 1), "In <2025|0 Year>.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(number_refers_to_its_cell, set_up_result,
						tear_down_output),
		cmocka_unit_test_setup_teardown(date_refers_to_its_cell, set_up_result,
						tear_down_output),
		cmocka_unit_test_setup_teardown(text_matches_its_value, set_up_result,
						tear_down_output),
		cmocka_unit_test_setup_teardown(rejects_number_outside_parts, set_up_result,
						tear_down_output),
		cmocka_unit_test_setup_teardown(rejects_question_about_other_data, set_up_result,
						tear_down_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
