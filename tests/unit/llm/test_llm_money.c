/* What a call reserves, settles and writes to the ledger, for every way it can end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "vesper/mem.h"

static const struct budget_owner ann = {"acme", "ann", "analyst"};
static const struct llm_block question = {.kind = LLM_TEXT, .text = "What was the price?"};
static const struct llm_message messages[] = {{LLM_USER, &question, 1}};
static const struct llm_call call = {.role = LLM_ANSWER,
				     .messages = messages,
				     .message_count = 1,
				     .max_tokens = 100,
				     .budget_owner = &ann};

struct world {
	struct budget *budget;
	struct wire_role roles[LLM_ROLE_COUNT];
	struct provider provider;
	struct money money;
	struct budget_entry entries[8];
	size_t count;
	int64_t wall_ms;
};

static void on_entry(void *owner, const struct budget_entry *entry)
{
	struct world *w = owner;

	assert_true(w->count < 8);
	w->entries[w->count++] = *entry;
}

static int64_t wall_ms(void *owner, const char *tenant)
{
	struct world *w = owner;

	assert_string_equal(tenant, ann.tenant);
	return w->wall_ms;
}

static int setup(void **state)
{
	const struct budget_price price = {"m", 2000, 200, 4000, 10000};
	const struct budget_limit limit = {BUDGET_USER, NULL, BUDGET_DAY, 1000, 0};
	struct world *w = mem_alloc(sizeof(*w));

	w->budget = budget_new(&price, 1, &limit, 1);
	for (size_t i = 0; i < LLM_ROLE_COUNT; i++)
		w->roles[i].model = (char *)"m";
	w->provider.name = (char *)"p";
	w->provider.roles = w->roles;
	w->money = (struct money){w->budget, on_entry, wall_ms, w};
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	budget_free(&w->budget);
	mem_free(w);
	return 0;
}

static void cost_is_reserved_and_settled(void **state)
{
	struct world *w = *state;
	struct llm_usage u = {.input_tokens = 10, .cache_read_tokens = 5, .output_tokens = 3};
	struct budget_reservation reservation;

	assert_true(money_reserve(&w->money, &call, &w->provider, &reservation, NULL));
	assert_true(reservation.tokens > 100 && reservation.tokens < 250);
	assert_int_equal(reservation.nano_usd, (reservation.tokens - 100) * 4000 + 100 * 10000);
	money_settle(&w->money, &call, &w->provider, &reservation, &u);
	assert_int_equal(u.nano_usd, 10 * 2000 + 5 * 200 + 3 * 10000);
	assert_int_equal(w->count, 2);
	assert_true(w->entries[0].hold);
	assert_int_equal(w->entries[0].tokens, reservation.tokens);
	assert_false(w->entries[1].hold);
	assert_int_equal(w->entries[0].tokens + w->entries[1].tokens, 18);
	assert_int_equal(w->entries[0].nano_usd + w->entries[1].nano_usd, u.nano_usd);
	assert_string_equal(w->entries[1].purpose, "answer");
	assert_string_equal(w->entries[1].model, "m");
	assert_string_equal(w->entries[1].user, "ann");
}

/* A new day begins in local time of the tenant: the limit is reset, and rows count for that day. */
static void budget_day_uses_local_time_of_the_tenant(void **state)
{
	const int64_t day_ms = 24 * 3600 * 1000LL;
	struct world *w = *state;
	struct budget_reservation reservation;

	w->wall_ms = 10 * day_ms - 1;
	while (money_reserve(&w->money, &call, &w->provider, &reservation, NULL))
		assert_int_equal(w->entries[w->count - 1].at_ms, w->wall_ms);
	assert_false(money_allows(&w->money, &ann, &w->provider, LLM_ANSWER));
	w->count = 0;
	w->wall_ms = 10 * day_ms;
	assert_true(money_reserve(&w->money, &call, &w->provider, &reservation, NULL));
	assert_int_equal(w->entries[0].at_ms, w->wall_ms);
}

/* Tests before a plan starts whether the budget covers the longest answer of a role. */
static void budget_must_cover_the_longest_answer(void **state)
{
	struct world *w = *state;

	w->roles[LLM_AGENT].max_tokens = 1000;
	assert_true(money_allows(&w->money, &ann, &w->provider, LLM_AGENT));
	w->roles[LLM_AGENT].max_tokens = 1001;
	assert_false(money_allows(&w->money, &ann, &w->provider, LLM_AGENT));
	assert_int_equal(w->count, 0);
}

static void call_beyond_the_budget_is_not_made(void **state)
{
	struct world *w = *state;
	struct budget_reservation reservation;
	struct err e = {0};
	size_t n = 0;

	while (money_reserve(&w->money, &call, &w->provider, &reservation, &e))
		n++;
	assert_true(n >= 4 && n <= 9);
	assert_int_equal(e.code, ERR_QUOTA);
	assert_false(e.may_retry);
	assert_int_equal(w->count, n); /* a refused reservation is not in the ledger */
}

/* Calls without a budget owner, or without a budget, cost nothing and are not in the ledger. */
static void call_without_budget_owner_is_not_charged(void **state)
{
	struct world *w = *state;
	const struct money none = {0};
	struct llm_call free_call = call;
	struct llm_usage u = {.input_tokens = 10};
	struct budget_reservation reservation;

	free_call.budget_owner = NULL;
	assert_true(money_reserve(&w->money, &free_call, &w->provider, &reservation, NULL));
	money_settle(&w->money, &free_call, &w->provider, &reservation, &u);
	assert_true(money_reserve(&none, &call, &w->provider, &reservation, NULL));
	money_settle(&none, &call, &w->provider, &reservation, &u);
	assert_int_equal(w->count, 0);
	assert_int_equal(u.nano_usd, 0);
}

/* An incomplete call counts with its highest possible usage, and never less than reported. */
static void usage_of_incomplete_answers_is_estimated(void **state)
{
	struct world *w = *state;
	struct llm_usage streamed = {0}, unstreamed = {0},
			 known = {.input_tokens = 7, .output_tokens = 90};

	money_estimate_incomplete(&call, &w->provider, 21, &streamed);
	assert_true(streamed.input_tokens > 20);
	assert_int_equal(streamed.output_tokens, 21);
	money_estimate_incomplete(&call, &w->provider, -1, &unstreamed);
	assert_int_equal(unstreamed.output_tokens, 100);
	money_estimate_incomplete(&call, &w->provider, 21, &known);
	assert_int_equal(known.input_tokens, 7);
	assert_int_equal(known.output_tokens, 90);
}

/* Some services report no usage, or part of it: the rest is estimated. */
static void unreported_usage_is_estimated(void **state)
{
	struct world *w = *state;
	json_t *input = json_pack("{s:s}", "hub_zone", "NP15");
	const struct llm_block blocks[] = {{.kind = LLM_TEXT, .text = "It was 48.73."},
					   {.kind = LLM_TOOL_USE, .input = input}};
	struct llm_answer unreported = {.blocks = blocks, .count = 2}, partial = unreported,
			  complete = unreported;

	money_estimate_complete(&call, &w->provider, &unreported);
	assert_in_range(unreported.usage.input_tokens, 20, 120);
	assert_in_range(unreported.usage.output_tokens, 15, 40);
	partial.usage.input_tokens = 30;
	money_estimate_complete(&call, &w->provider, &partial);
	assert_int_equal(partial.usage.input_tokens, 30);
	assert_int_equal(partial.usage.output_tokens, unreported.usage.output_tokens);
	complete.usage = (struct llm_usage){.cache_read_tokens = 30, .output_tokens = 1};
	money_estimate_complete(&call, &w->provider, &complete);
	assert_int_equal(complete.usage.input_tokens, 0);
	assert_int_equal(complete.usage.output_tokens, 1);
	json_decref(input);
}

/* A table in a request: each digit may be a token. */
static void table_is_reserved_in_full(void **state)
{
	static const struct llm_block table = {.kind = LLM_TEXT,
					       .text = "48.7312|52.1411|47.9034|51.0098"};
	static const struct llm_message with_table[] = {{LLM_USER, &table, 1}};
	struct llm_call table_call = call;
	struct world *w = *state;
	struct budget_reservation for_question, for_table;

	assert_true(money_reserve(&w->money, &call, &w->provider, &for_question, NULL));
	table_call.messages = with_table;
	assert_true(money_reserve(&w->money, &table_call, &w->provider, &for_table, NULL));
	assert_true(for_table.tokens >= for_question.tokens + (int64_t)strlen(table.text) -
						(int64_t)strlen(question.text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cost_is_reserved_and_settled, setup, teardown),
		cmocka_unit_test_setup_teardown(budget_day_uses_local_time_of_the_tenant, setup,
						teardown),
		cmocka_unit_test_setup_teardown(budget_must_cover_the_longest_answer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(call_beyond_the_budget_is_not_made, setup,
						teardown),
		cmocka_unit_test_setup_teardown(call_without_budget_owner_is_not_charged, setup,
						teardown),
		cmocka_unit_test_setup_teardown(usage_of_incomplete_answers_is_estimated, setup,
						teardown),
		cmocka_unit_test_setup_teardown(unreported_usage_is_estimated, setup, teardown),
		cmocka_unit_test_setup_teardown(table_is_reserved_in_full, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
