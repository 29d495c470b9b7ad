/* Answers by template: the tool's sentence, tables, every outcome, follow-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "view_int.h"
#include "sample_results.h"
#include "vesper/condition.h"

static const struct sample_column price_columns[] = {
	{"Vendor", NULL, COLUMN_TEXT},
	{"AvgPrice", "$/MWh", COLUMN_DECIMAL},
	{"DataPoints", "count", COLUMN_INT},
};

static const char *render_answer(struct arena *a, const struct result *const *results, size_t n,
				 struct view_answer *out)
{
	struct view_answer_input in = {.results = results,
				       .result_count = n,
				       .today = {2026, 2, 27},
				       .language = shipped_language()};

	view_answer(&in, a, out);
	return out->markdown;
}

static void answer_begins_with_sentence_of_tool(void **state)
{
	static const char *const cells[] = {"Ascend", "48.73", "8760"};
	static const struct suggest_def suggest[] = {
		{.text = "How does {Vendor} see {arg.hub_zone} in {arg.year}?"},
		{.text = "And {Missing}?"},
		{0}};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 1));
	struct view_answer v;

	(void)state;
	r->answer = "{Vendor} sees **{AvgPrice}** over {DataPoints} hours[[, up {fact.gap}]][[ for "
		    "{arg.year}]].";
	r->suggest = suggest;
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_string_equal(v.markdown, "Ascend sees **$48.73/MWh** over 8,760 hours for 2025.\n");
	assert_int_equal(v.followup_count, 1);
	assert_string_equal(v.followups[0].question, "How does Ascend see NP15 in 2025?");
	arena_free(&a);
}

static void fills_placeholders_with_facts(void **state)
{
	static const char *const cells[] = {"Ascend", "52.14", "8760"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 1));
	struct view_answer v;

	(void)state;
	result_add_fact(
		r, a,
		(struct fact){.name = "gap", .label = "gap", .value = "2.66", .unit = "$/MWh"});
	r->answer = "The gap is {fact.gap}.";
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_string_equal(v.markdown, "The gap is $2.66/MWh.\n");
	arena_free(&a);
}

static void reports_sample(void **state)
{
	static const char *const cells[] = {"Ascend", "52.14", "8760"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 1));
	struct view_answer v;

	(void)state;
	result_add_fact(r, a,
			(struct fact){.name = RESULT_FRAME_SAMPLED,
				      .label = "Sample",
				      .value = "This was computed from a sample."});
	r->answer = "It is {AvgPrice}.";
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_string_equal(v.markdown, "It is $52.14/MWh.\n\nThis was computed from a sample.\n");
	arena_free(&a);
}

static void shows_several_rows_as_table(void **state)
{
	static const char *const cells[] = {"As|cend_x*", "52.14", "8760", "_Hitachi", NULL, "0"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 2));
	struct view_answer v;

	(void)state;
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_string_equal(v.markdown,
			    "**Average price**\n\n"
			    "| Vendor | AvgPrice | DataPoints |\n| --- | ---: | ---: |\n"
			    "| As\\|cend_x\\* | $52.14/MWh | 8,760 |\n| \\_Hitachi | — | 0 |\n");
	arena_free(&a);
}

static void table_below_sentence_has_only_differing_columns(void **state)
{
	static const char *const cells[] = {"Ascend", "52.14", "8760", "Hitachi", "54.80", "8760"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 2));
	struct view_answer v;

	(void)state;
	r->answer = "Prices for {year}.";
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_string_equal(v.markdown,
			    "Prices for 2025.\n\n| Vendor | AvgPrice |\n| --- | ---: |\n"
			    "| Ascend | $52.14/MWh |\n| Hitachi | $54.80/MWh |\n");
	arena_free(&a);
}

static void empty_answer_names_filters(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, NULL);
	struct view_answer v;

	(void)state;
	r->outcome.kind = OUTCOME_EMPTY;
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_non_null(strstr(v.markdown, "no data for hub zone NP15, year 2025"));
	assert_int_equal(v.followup_count, 0);
	args_set(&r->args, a, "since", value_date("2026-02-20"));
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_non_null(strstr(v.markdown, "year 2025 since 2026-02-20. "));
	arena_free(&a);
}

static void has_text_for_every_outcome(void **state)
{
	struct suggestion candidates[] = {{.value = "NP15", .label = "NP15"},
					  {.value = "SP15", .label = "SP15"}};

	(void)state;
	for (int kind = OUTCOME_EMPTY; kind < OUTCOME_KIND_COUNT; kind++) {
		struct arena *a = arena_new(1 << 20);
		struct result *r = asked_result(a, NULL);
		struct view_answer v;

		r->outcome = (struct outcome){.kind = (enum outcome_kind)kind,
					      .suggestions = candidates,
					      .suggestion_count = 2};
		render_answer(a, (const struct result *const[]){r}, 1, &v);
		assert_true(strlen(v.markdown) > 20);
		if (kind == OUTCOME_UNKNOWN_ENTITY)
			assert_non_null(strstr(v.markdown, "Did you mean NP15 or SP15?"));
		arena_free(&a);
	}
}

static void marks_truncated_table(void **state)
{
	const char *cells[30 * 3];
	struct arena *a = arena_new(1 << 20);
	struct table *t;
	struct result *r;
	struct view_answer v;

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		cells[i * 3] = "x";
		cells[i * 3 + 1] = "1.00";
		cells[i * 3 + 2] = "1";
	}
	t = sample_table(price_columns, 3, cells, 30);
	t->truncated = true;
	t->total_rows = 900;
	r = asked_result(a, t);
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_non_null(strstr(v.markdown, "The first 24 of 900 rows are shown."));
	arena_free(&a);
}

/* Two tables with long rows exceed the word limit, unless the user asked for details. */
static void long_answer_shows_fewer_rows_without_detail(void **state)
{
	const char *cells[24 * 3];
	struct arena *a = arena_new(1 << 22);
	struct view_answer_input in = {.result_count = 2, .today = {2026, 2, 27}};
	struct result *results[2];
	struct view_answer v;

	(void)state;
	for (size_t i = 0; i < 24; i++) {
		cells[i * 3] = arena_printf(a,
					    "row %zu has rather many words to say about itself and "
					    "goes on and on",
					    i);
		cells[i * 3 + 1] = arena_printf(a, "%zu.00", i);
		cells[i * 3 + 2] = "1";
	}
	for (size_t i = 0; i < 2; i++)
		results[i] = asked_result(a, sample_table(price_columns, 3, cells, 24));
	in.results = (const struct result *const *)results;
	view_answer(&in, a, &v);
	assert_non_null(strstr(v.markdown, "The first 12 of 24 rows are shown."));
	assert_null(strstr(v.markdown, "row 23 "));
	in.detail = true;
	view_answer(&in, a, &v);
	assert_non_null(strstr(v.markdown, "row 23 "));
	arena_free(&a);
}

static void offers_each_followup_once(void **state)
{
	static const struct suggest_def suggest[] = {{.text = "And {arg.year}?"}, {0}};
	static const char *const cells[] = {"Ascend", "48.73", "8760"};
	struct arena *a = arena_new(1 << 20);
	struct result *results[2];
	struct view_answer v;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		results[i] = asked_result(a, sample_table(price_columns, 3, cells, 1));
		results[i]->suggest = suggest;
	}
	render_answer(a, (const struct result *const *)results, 2, &v);
	assert_int_equal(v.followup_count, 1);
	arena_free(&a);
}

static void suggestion_has_rank_and_condition(void **state)
{
	static const char *const cells[] = {"Ascend", "48.73", "8760"};
	struct arena *a = arena_new(1 << 20);
	struct result *r = asked_result(a, sample_table(price_columns, 3, cells, 1));
	struct err e = {0};
	const struct suggest_def suggest[] = {
		{.text = "Another year?"},
		{.text = "Never?", .when = condition_read_single("row_count > 1", a, &e)},
		{.text = "How does {Vendor} see it?",
		 .label = "{Vendor}",
		 .primary = true,
		 .when = condition_read_single("rows[0].AvgPrice > 40 and outcome == rows", a, &e)},
		{0}};
	struct view_answer v;

	(void)state;
	r->suggest = suggest;
	r->outcome.kind = OUTCOME_ROWS;
	render_answer(a, (const struct result *const[]){r}, 1, &v);
	assert_int_equal(v.followup_count, 2);
	assert_string_equal(v.followups[0].label, "Ascend");
	assert_string_equal(v.followups[0].question, "How does Ascend see it?");
	assert_true(v.followups[0].primary);
	assert_string_equal(v.followups[1].label, "Another year?");
	assert_false(v.followups[1].primary);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggestion_has_rank_and_condition),
		cmocka_unit_test(answer_begins_with_sentence_of_tool),
		cmocka_unit_test(fills_placeholders_with_facts),
		cmocka_unit_test(reports_sample),
		cmocka_unit_test(shows_several_rows_as_table),
		cmocka_unit_test(table_below_sentence_has_only_differing_columns),
		cmocka_unit_test(empty_answer_names_filters),
		cmocka_unit_test(has_text_for_every_outcome),
		cmocka_unit_test(marks_truncated_table),
		cmocka_unit_test(long_answer_shows_fewer_rows_without_detail),
		cmocka_unit_test(offers_each_followup_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
