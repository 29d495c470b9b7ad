/* The results of a turn in a prompt, within its token budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "vesper/prompt_budget.h"
#include "vesper/str.h"
#include "vesper/tokens.h"
#include "sample_results.h"

#define ROWS 40

static const struct sample_column columns[] = {{"Project", NULL, COLUMN_TEXT},
					       {"Budget", "$", COLUMN_DECIMAL}};

static struct result *make_result(struct arena *a, const char *call, size_t rows)
{
	const char *cells[2 * ROWS];
	struct result *r;

	for (size_t i = 0; i < rows; i++) {
		cells[2 * i] = arena_printf(a, "Project number %zu of the north", i);
		cells[2 * i + 1] = arena_printf(a, "%zu.50", i);
	}
	r = asked_result(a, sample_table(columns, 2, cells, rows));
	r->call = call;
	r->task = "t7";
	r->outcome.detail = "All of it.";
	result_add_fact(r, a, (struct fact){.name = "gap", .label = "gap", .value = "12.75"});
	return r;
}

static struct prompt_budget *fill_budget(struct arena *a, size_t budget, size_t results)
{
	struct prompt_budget *s = prompt_budget_new(a, budget);

	prompt_budget_note(s, "Today is 2026-02-27.\n");
	prompt_budget_note_optional(s, "What was said earlier",
				    "Earlier: they asked about Kern Wind.\n");
	for (size_t i = 0; i < results; i++)
		prompt_budget_result(s, make_result(a, arena_printf(a, "c%zu", i + 1), ROWS),
				     PROMPT_BUDGET_FULL, ROWS);
	prompt_budget_gap(s, "the budget of 2031");
	prompt_budget_fit(s);
	return s;
}

static size_t shown_rows(const struct prompt_budget *s, const char *call)
{
	char head[64];
	const char *p;
	size_t n = 0;

	snprintf(head, sizeof(head), "<data call=\"%s\" table=\"main\" rows=\"40\" shown=\"", call);
	p = strstr(prompt_budget_text(s), head);
	if (p)
		assert_int_equal(sscanf(p + strlen(head), "%zu", &n), 1);
	return n;
}

static bool contains(const struct prompt_budget *s, const char *text)
{
	return strstr(prompt_budget_text(s), text) != NULL;
}

static void includes_everything_that_fits_in_order(void **state)
{
	struct arena *a = arena_new(1 << 22);
	struct prompt_budget *s = fill_budget(a, 100000, 2);

	(void)state;
	assert_int_equal(shown_rows(s, "c1"), ROWS);
	assert_int_equal(prompt_budget_omitted_count(s), 0);
	assert_ptr_equal(strstr(prompt_budget_text(s), "Today"), prompt_budget_text(s));
	assert_true(strstr(prompt_budget_text(s), "Kern Wind") <
		    strstr(prompt_budget_text(s), "Result c1"));
	assert_true(strstr(prompt_budget_text(s), "Result c1") <
		    strstr(prompt_budget_text(s), "Result c2"));
	assert_true(contains(s, "Not found: the budget of 2031\n"));
	assert_true(contains(s, "Result c2 of get_average_annual_price (task t7): "));
	assert_false(contains(fill_budget(a, 100000, 1), "task t7"));
	assert_int_equal(prompt_budget_tokens(s),
			 tokens_estimate(prompt_budget_text(s), strlen(prompt_budget_text(s))));
	arena_free(&a);
}

/* From a large budget to none: parts are dropped in a fixed order, and the text stays within the
 * budget while parts can be dropped. */
static void smaller_budget_drops_least_important_parts(void **state)
{
	struct arena *a = arena_new(1 << 26);
	size_t rows = ROWS;
	bool notes = true, statistics = true, facts = true;

	(void)state;
	for (size_t budget = 4000; budget > 100; budget -= 50) {
		struct prompt_budget *s = fill_budget(a, budget, 3);
		bool has_notes = contains(s, "Kern Wind"), has_statistics = contains(s, "mean"),
		     has_facts = contains(s, "12.75");

		assert_true(contains(s, "Outcome: rows. All of it."));
		assert_true(contains(s, "Not found: the budget of 2031\n"));
		assert_true(shown_rows(s, "c3") <=
			    rows + 3); /* a dropped note may free space for a few rows */
		assert_true(notes >= has_notes && statistics >= has_statistics &&
			    facts >= has_facts);
		assert_true(has_notes || !contains(s, "Kern Wind"));
		if (!has_notes)
			assert_true(shown_rows(s, "c3") < ROWS);
		if (!has_statistics)
			assert_false(has_notes);
		if (has_facts) /* all parts can still be dropped */
			assert_true(prompt_budget_tokens(s) <= budget);
		if (prompt_budget_tokens(s) < budget / 2 && has_notes)
			fail_msg("budget %zu: only %zu used", budget, prompt_budget_tokens(s));
		if (shown_rows(s, "c3") < ROWS)
			assert_true(prompt_budget_omitted_count(s) > 0);
		rows = shown_rows(s, "c3");
		notes = has_notes;
		statistics = has_statistics;
		facts = has_facts;
	}
	assert_false(notes || statistics || facts);
	arena_free(&a);
}

static void drops_figures_of_oldest_result_first(void **state)
{
	struct arena *a = arena_new(1 << 26);
	bool is_found = false;

	(void)state;
	for (size_t budget = 1500; budget > 200; budget -= 10) {
		struct prompt_budget *s = fill_budget(a, budget, 3);
		const char *first = strstr(prompt_budget_text(s), "Result c1"),
			   *last = strstr(prompt_budget_text(s), "Result c3"),
			   *omission = strstr(prompt_budget_text(s), "Its statistics are omitted");

		if (!omission || strstr(last, "Its statistics are omitted"))
			continue;
		is_found = true;
		assert_true(omission > first && omission < last);
		assert_non_null(strstr(last, "mean"));
	}
	assert_true(is_found);
	arena_free(&a);
}

static void long_result_leaves_budget_for_short_one(void **state)
{
	struct arena *a = arena_new(1 << 22);
	struct prompt_budget *s = prompt_budget_new(a, 900);

	(void)state;
	prompt_budget_result(s, make_result(a, "c1", ROWS), PROMPT_BUDGET_FULL, ROWS);
	prompt_budget_result(s, make_result(a, "c2", 3), PROMPT_BUDGET_FULL, ROWS);
	prompt_budget_fit(s);
	assert_true(shown_rows(s, "c1") > 3 && shown_rows(s, "c1") < ROWS);
	assert_true(contains(s, "call=\"c2\" table=\"main\" rows=\"3\" shown=\"3\""));
	assert_int_equal(prompt_budget_omitted_count(s), 1);
	assert_non_null(strstr(prompt_budget_omitted(s, 0), "c1: "));
	assert_non_null(strstr(prompt_budget_omitted(s, 0), " of 40 rows"));
	arena_free(&a);
}

/* An agent's loop adds results one by one. Earlier texts stay unchanged while the budget allows, so
 * that the service's prompt cache applies; then they get shorter. */
static void keeps_earlier_text_while_the_budget_allows(void **state)
{
	struct arena *a = arena_new(1 << 24);
	struct result *first = make_result(a, "c1", ROWS);
	struct prompt_budget *s = prompt_budget_new(a, 2500);
	const char *before;

	(void)state;
	prompt_budget_result(s, first, PROMPT_BUDGET_NUMBERS, ROWS);
	prompt_budget_fit(s);
	before = prompt_budget_result_text(s, first);
	assert_null(strstr(before, "NP15")); /* without arguments */
	prompt_budget_result(s, make_result(a, "c2", 3), PROMPT_BUDGET_NUMBERS, ROWS);
	prompt_budget_reserve(s, 100);
	prompt_budget_fit(s);
	assert_string_equal(prompt_budget_result_text(s, first), before);
	prompt_budget_reserve(s, 1500);
	prompt_budget_fit(s);
	assert_true(strlen(prompt_budget_result_text(s, first)) < strlen(before));
	assert_true(prompt_budget_tokens(s) <= 2500);
	arena_free(&a);
}

static void accepts_empty_and_oversized_content(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct prompt_budget *s = prompt_budget_new(a, 10);

	(void)state;
	prompt_budget_fit(s);
	assert_string_equal(prompt_budget_text(s), "");
	prompt_budget_note(s, "This is longer than the budget allows, and it stays nevertheless.");
	prompt_budget_result(s, asked_result(a, NULL), PROMPT_BUDGET_FULL, ROWS);
	prompt_budget_fit(s);
	assert_true(contains(s, "nevertheless."));
	assert_true(contains(s, "Outcome: rows"));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(includes_everything_that_fits_in_order),
		cmocka_unit_test(smaller_budget_drops_least_important_parts),
		cmocka_unit_test(drops_figures_of_oldest_result_first),
		cmocka_unit_test(long_result_leaves_budget_for_short_one),
		cmocka_unit_test(keeps_earlier_text_while_the_budget_allows),
		cmocka_unit_test(accepts_empty_and_oversized_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
