/* Which questions ask for a flow, and which only have some of its words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/nlu.h"

static struct catalog *catalog;
static struct nlu *nlu;

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		return -1;
	nlu = nlu_new(catalog);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nlu_free(&nlu);
	catalog_unref(&catalog);
	return 0;
}

static void asks_for(const char *question, const char *flow)
{
	struct arena *a = arena_new(1 << 22);
	struct catalog_view may;
	const struct nlu_input in = {.question = question, .may = &may, .today = {2026, 2, 27}};
	struct understanding u;
	const char *found;

	catalog_for_all(catalog, a, &may);
	nlu_understand(nlu, &in, a, &u);
	found = u.flow ? u.flow->name : "none";
	if (strcmp(found, flow ? flow : "none") != 0)
		fail_msg("\"%s\" asks for %s, not %s", question, found, flow ? flow : "none");
	assert_true(!u.flow || (u.tool_count == 0 && u.confidence >= NLU_CONFIDENT));
	arena_free(&a);
}

static void name_or_example_calls_flow(void **state)
{
	(void)state;
	asks_for("Weekly briefing", "weekly_briefing");
	asks_for("Give me the weekly briefing, please", "weekly_briefing");
	asks_for("What happened this week?", "weekly_briefing");
	asks_for("audit the vendors", "vendor_audit");
	asks_for("Vendor audit for NP15 in 2026", "vendor_audit");
	asks_for("Check a project", "project_check");
	asks_for("budget report", "budget_report");
}

static void other_words_do_not_call_flow(void **state)
{
	(void)state;
	asks_for("Who looks at the budget report?", NULL);
	asks_for("How often was the budget report exported to Excel last month?", NULL);
	asks_for("Show me all projects at risk", NULL);
	asks_for("Compare Ascend and Hitachi for NP15 in 2026", NULL);
}

/* The days are part of the flow: it can't be asked for another week. */
static void unsupported_value_leaves_question_to_tools(void **state)
{
	(void)state;
	asks_for("Weekly briefing for March 2025", NULL);
}

/* Each line that knows times has to take the one that was said; what one chooses from has its own:
 * the day on which a file was published is not the day that is audited. */
static void time_applies_to_all_lines_or_none(void **state)
{
	(void)state;
	asks_for("Vendor audit for NP15 on 5 May 2026", NULL);
	asks_for("Vendor audit for NP15 from 5 May 2026 to 10 May 2026", NULL);
	asks_for("Vendor audit for NP15 in May 2026", NULL);
}

/* The same for flows of plants: the audit is of one day, the check of days that it says itself. */
static void flow_of_one_day_takes_day(void **state)
{
	const struct pack_list plants = {.key = "solar",
					 .names = (const char *const[]){"core", "solar", NULL}};
	struct catalog *energy = catalog;
	struct nlu *of_energy = nlu;

	(void)state;
	assert_true(catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, &plants, &catalog,
				 NULL));
	nlu = nlu_new(catalog);
	asks_for("Performance audit on 5 May", "performance_audit");
	asks_for("Performance audit", "performance_audit");
	asks_for("Performance audit from 5 May to 10 May", NULL);
	asks_for("Health check in the last 30 days", NULL);
	nlu_free(&nlu);
	catalog_unref(&catalog);
	catalog = energy;
	nlu = of_energy;
}

/* A word that narrows, orders, negates or groups is never dropped in silence. */
static void unused_word_leaves_question_to_tools(void **state)
{
	(void)state;
	asks_for("What happened this week in late tasks", NULL);
	asks_for("What happened this week, sorted", NULL);
	asks_for("What happened this week except solar", NULL);
	asks_for("Budget report of several late projects", NULL);
	asks_for("Check a project that is not late", NULL);
	asks_for("Weekly briefing per market", NULL);
	asks_for("Audit the cheapest vendors", NULL);
	asks_for("Audit the 3 vendors", NULL);
	asks_for("How many vendors audit", NULL);
}

/* Reads the question for a caller with these flows; the names of its readings. */
static const char *readings(const char *question, size_t flows, struct arena *a)
{
	struct catalog_view may;
	const struct nlu_input in = {.question = question, .may = &may, .today = {2026, 2, 27}};
	struct understanding u;
	const char *names = "";

	catalog_for_all(catalog, a, &may);
	if (flows < may.flow_count)
		may.flow_count = flows;
	nlu_understand(nlu, &in, a, &u);
	assert_true(u.reading_count <= 3);
	for (size_t i = 0; i < u.reading_count; i++)
		names = arena_printf(a, "%s%s ", names, u.readings[i].name);
	return names;
}

/* Nothing is sure of a question that is not about data; what shares words with it is offered. */
static void an_unclear_question_has_readings(void **state)
{
	struct arena *a = arena_new(1 << 23);

	(void)state;
	assert_string_equal(readings("briefing please", SIZE_MAX, a), "weekly_briefing ");
	assert_string_equal(readings("briefing please", 0, a), "");
	assert_string_equal(readings("who is naughty", SIZE_MAX, a), "");
	assert_string_equal(readings("asdf qwer", SIZE_MAX, a), "");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(name_or_example_calls_flow),
		cmocka_unit_test(other_words_do_not_call_flow),
		cmocka_unit_test(unsupported_value_leaves_question_to_tools),
		cmocka_unit_test(time_applies_to_all_lines_or_none),
		cmocka_unit_test(flow_of_one_day_takes_day),
		cmocka_unit_test(unused_word_leaves_question_to_tools),
		cmocka_unit_test(an_unclear_question_has_readings),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
