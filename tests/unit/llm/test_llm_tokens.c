/* Each part of a request is counted once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/llm.h"

static const struct llm_block rules = {.kind = LLM_TEXT, .text = "Answer from the data."};
static const struct llm_block earlier = {.kind = LLM_TEXT, .text = "How was May?"};
static const struct llm_block answer = {.kind = LLM_TEXT, .text = "May was fine."};
static const struct llm_block question = {.kind = LLM_TEXT, .text = "And June, then?"};
static const struct llm_block tool_result = {.kind = LLM_TOOL_RESULT, .text = "rows: 12"};

static size_t tokens(const struct llm_block *b)
{
	return tokens_estimate(b->text, strlen(b->text));
}

static void question_follows_the_history(void **state)
{
	const struct llm_message messages[] = {
		{LLM_USER, &earlier, 1}, {LLM_ASSISTANT, &answer, 1}, {LLM_USER, &question, 1}};
	struct llm_call call = {.role = LLM_ANSWER,
				.system = &rules,
				.system_count = 1,
				.messages = messages,
				.message_count = 3};
	struct tokens_by by;

	(void)state;
	llm_call_tokens(&call, &by);
	assert_int_equal(by.of[TOKENS_PROMPT], tokens(&rules));
	assert_int_equal(by.of[TOKENS_HISTORY], tokens(&earlier) + tokens(&answer));
	assert_int_equal(by.of[TOKENS_QUESTION], tokens(&question));
	assert_int_equal(by.of[TOKENS_SCHEMA] + by.of[TOKENS_RESULTS], 0);

	call.newest.of[TOKENS_RESULTS] = 900; /* counted by the caller */
	llm_call_tokens(&call, &by);
	assert_int_equal(by.of[TOKENS_RESULTS], 900);
	assert_int_equal(by.of[TOKENS_QUESTION], 0);
	assert_int_equal(by.of[TOKENS_HISTORY], tokens(&earlier) + tokens(&answer));
}

/* A continuation ends with the paused answer; the question is still the newest user message. */
static void paused_answer_counts_as_history(void **state)
{
	const struct llm_message messages[] = {{LLM_USER, &question, 1},
					       {LLM_ASSISTANT, &answer, 1}};
	struct llm_call call = {.role = LLM_ANSWER, .messages = messages, .message_count = 2};
	struct tokens_by by;

	(void)state;
	call.newest.of[TOKENS_QUESTION] = 7;
	llm_call_tokens(&call, &by);
	assert_int_equal(by.of[TOKENS_QUESTION], 7);
	assert_int_equal(by.of[TOKENS_HISTORY], tokens(&answer));
}

static void question_of_an_agent_is_its_first_message(void **state)
{
	json_t *schema = json_pack("{s:s}", "type", "object");
	const struct llm_tool tool = {.name = "look", .about = "Looks", .schema = schema};
	const struct llm_message messages[] = {
		{LLM_USER, &question, 1}, {LLM_ASSISTANT, &answer, 1}, {LLM_USER, &tool_result, 1}};
	const struct llm_call call = {.role = LLM_AGENT,
				      .tools = &tool,
				      .tool_count = 1,
				      .messages = messages,
				      .message_count = 3};
	struct tokens_by by;

	(void)state;
	llm_call_tokens(&call, &by);
	assert_int_equal(by.of[TOKENS_QUESTION], tokens(&question));
	assert_int_equal(by.of[TOKENS_RESULTS], tokens(&tool_result));
	assert_true(by.of[TOKENS_SCHEMA] > tokens_estimate("lookLooks", 9));
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question_follows_the_history),
		cmocka_unit_test(paused_answer_counts_as_history),
		cmocka_unit_test(question_of_an_agent_is_its_first_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
