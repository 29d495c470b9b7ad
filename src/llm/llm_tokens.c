/* Splits a request's tokens by purpose: instructions, tools, conversation, data. */
#include <string.h>

#include "vesper/json.h"
#include "vesper/llm.h"
#include "vesper/mem.h"
#include "vesper/str.h"

static size_t of_text(const char *text)
{
	return text ? tokens_estimate(text, strlen(text)) : 0;
}

static size_t of_json(const json_t *value)
{
	char *text = value ? json_text(value) : NULL;
	size_t tokens = of_text(text);

	mem_free(text);
	return tokens;
}

static size_t of_message(const struct llm_message *m, enum llm_block_kind kind)
{
	size_t tokens = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->blocks[i].kind == kind)
			tokens += of_text(m->blocks[i].text) + of_json(m->blocks[i].input);
	return tokens;
}

static bool is_counted(const struct tokens_by *by)
{
	for (size_t i = 0; i < TOKENS_PARTS; i++)
		if (by->of[i])
			return true;
	return false;
}

/* For an agent, the question is the first message, followed by the agent's own messages. Otherwise
 * it is the user's newest message, followed at most by a paused answer. */
static size_t question_index(const struct llm_call *call)
{
	size_t i = call->role == LLM_AGENT ? 0 : call->message_count - 1;

	while (i > 0 && call->role != LLM_AGENT && call->messages[i].speaker != LLM_USER)
		i--;
	return i;
}

void llm_call_tokens(const struct llm_call *call, struct tokens_by *out)
{
	bool counted = is_counted(&call->newest);
	size_t question = question_index(call);

	*out = call->newest;
	for (size_t i = 0; i < call->system_count; i++)
		out->of[TOKENS_PROMPT] += of_text(call->system[i].text);
	for (size_t i = 0; i < call->tool_count; i++)
		out->of[TOKENS_SCHEMA] += of_text(call->tools[i].name) +
					  of_text(call->tools[i].about) +
					  of_json(call->tools[i].schema);
	out->of[TOKENS_SCHEMA] += of_json(call->format);
	for (size_t i = 0; i < call->message_count; i++) {
		const struct llm_message *m = &call->messages[i];

		if (counted && i == question)
			continue;
		out->of[i == question ? TOKENS_QUESTION : TOKENS_HISTORY] +=
			of_message(m, LLM_TEXT);
		out->of[TOKENS_RESULTS] +=
			of_message(m, LLM_TOOL_USE) + of_message(m, LLM_TOOL_RESULT);
	}
}
