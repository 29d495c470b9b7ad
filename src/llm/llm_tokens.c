/* Splits a request's tokens by purpose: instructions, tools, conversation, data. */
#include <string.h>

#include "vesper/json.h"
#include "vesper/llm.h"
#include "vesper/mem.h"
#include "vesper/str.h"

static size_t text_tokens(const char *text)
{
	return text ? tokens_estimate(text, strlen(text)) : 0;
}

static size_t json_tokens(const json_t *value)
{
	char *text = value ? json_text(value) : NULL;
	size_t tokens = text_tokens(text);

	mem_free(text);
	return tokens;
}

static size_t message_tokens(const struct llm_message *m, enum llm_block_kind kind)
{
	size_t tokens = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->blocks[i].kind == kind)
			tokens += text_tokens(m->blocks[i].text) + json_tokens(m->blocks[i].input);
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
		out->of[TOKENS_PROMPT] += text_tokens(call->system[i].text);
	for (size_t i = 0; i < call->tool_count; i++)
		out->of[TOKENS_SCHEMA] += text_tokens(call->tools[i].name) +
					  text_tokens(call->tools[i].about) +
					  json_tokens(call->tools[i].schema);
	out->of[TOKENS_SCHEMA] += json_tokens(call->format);
	for (size_t i = 0; i < call->message_count; i++) {
		const struct llm_message *m = &call->messages[i];

		if (counted && i == question)
			continue;
		out->of[i == question ? TOKENS_QUESTION : TOKENS_HISTORY] +=
			message_tokens(m, LLM_TEXT);
		out->of[TOKENS_RESULTS] +=
			message_tokens(m, LLM_TOOL_USE) + message_tokens(m, LLM_TOOL_RESULT);
	}
}
