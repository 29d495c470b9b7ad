/*
 * Writes a call as the body of a Messages API request. The service caches prompts by prefix, so
 * members have one fixed order: tools and system prompt, which rarely change, precede the messages,
 * which grow at the end.
 */
#include <assert.h>
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"

#define CACHE_MARKS_MAX 4 /* the service rejects a fifth */

struct writer {
	struct buf *out;
	const char *model; /* model of the request */
	size_t skip;       /* cacheable blocks to leave unmarked: only the newest are marked */
};

void body_str(struct buf *b, const char *text)
{
	buf_json_str(b, text, strlen(text));
}

int64_t body_max_tokens(const struct llm_call *call, const struct wire_role *role)
{
	return call->max_tokens   ? call->max_tokens
	       : role->max_tokens ? role->max_tokens
				  : LLM_MAX_TOKENS;
}

bool body_is_blank(const char *text)
{
	return !text || text[strspn(text, " \t\r\n\f\v")] == '\0';
}

/* Writes `,"name":"text"`. */
static void add_member(struct buf *b, const char *name, const char *text)
{
	buf_printf(b, ",\"%s\":", name);
	body_str(b, text);
}

static void add_mark(struct buf *b, bool long_lived)
{
	buf_printf(b, ",\"cache_control\":{\"type\":\"ephemeral\"%s}",
		   long_lived ? ",\"ttl\":\"1h\"" : "");
}

/* Thinking blocks are sent only to the model that wrote them; others reject them. */
static bool is_written(const struct llm_block *b, const char *model)
{
	if (b->kind == LLM_OPAQUE)
		return !b->origin || strcmp(b->origin, model) == 0;
	return b->kind != LLM_TEXT || !body_is_blank(b->text);
}

static bool can_mark(const struct llm_block *b)
{
	return b->cache && b->kind != LLM_OPAQUE && is_written(b, "");
}

static void add_tool(struct buf *b, const struct llm_tool *t, bool last)
{
	buf_str(b, "{\"name\":");
	body_str(b, t->name);
	add_member(b, "description", t->about ? t->about : "");
	buf_str(b, ",\"input_schema\":");
	buf_json(b, t->schema);
	if (last)
		add_mark(b, true);
	buf_char(b, '}');
}

static void add_tools(struct buf *b, const struct llm_call *call)
{
	if (call->tool_count == 0)
		return;
	buf_str(b, ",\"tools\":[");
	for (size_t i = 0; i < call->tool_count; i++) {
		if (i)
			buf_char(b, ',');
		add_tool(b, &call->tools[i], i + 1 == call->tool_count);
	}
	buf_char(b, ']');
	if (call->tools_forbidden)
		buf_str(b, ",\"tool_choice\":{\"type\":\"none\"}");
}

/* Marks only the last cacheable block, which covers the earlier ones. Returns true when there is
 * one. */
static bool add_system(struct buf *b, const struct llm_call *call)
{
	size_t marked = call->system_count, written = 0;

	for (size_t i = 0; i < call->system_count; i++)
		if (can_mark(&call->system[i]))
			marked = i;
	for (size_t i = 0; i < call->system_count; i++) {
		const struct llm_block *s = &call->system[i];

		assert(s->kind == LLM_TEXT);
		if (!is_written(s, ""))
			continue;
		buf_str(b, written++ ? ",{\"type\":\"text\"" : ",\"system\":[{\"type\":\"text\"");
		add_member(b, "text", s->text);
		if (i == marked)
			add_mark(b, true);
		buf_char(b, '}');
	}
	if (written)
		buf_char(b, ']');
	return marked < call->system_count;
}

static void add_block(struct writer *w, const struct llm_block *block)
{
	struct buf *b = w->out;

	switch (block->kind) {
	case LLM_TEXT:
		buf_str(b, "{\"type\":\"text\"");
		add_member(b, "text", block->text);
		if (block->raw && block->origin && strcmp(block->origin, w->model) == 0) {
			buf_str(b, ",\"citations\":");
			buf_json(b, block->raw);
		}
		break;
	case LLM_TOOL_USE:
		buf_str(b, "{\"type\":\"tool_use\"");
		add_member(b, "id", block->id);
		add_member(b, "name", block->name);
		buf_str(b, ",\"input\":");
		if (block->input)
			buf_json(b, block->input);
		else
			buf_str(b, "{}");
		break;
	case LLM_TOOL_RESULT:
		buf_str(b, "{\"type\":\"tool_result\"");
		add_member(b, "tool_use_id", block->id);
		if (!body_is_blank(block->text))
			add_member(b, "content", block->text);
		if (block->is_error)
			buf_str(b, ",\"is_error\":true");
		break;
	case LLM_OPAQUE:
		buf_json(b, block->raw);
		return;
	}
	if (can_mark(block)) {
		if (w->skip)
			w->skip--;
		else
			add_mark(b, false);
	}
	buf_char(b, '}');
}

/* The service requires tool results first in their message. */
static void add_message(struct writer *w, const struct llm_message *m, bool first)
{
	size_t written = 0;

	for (int results = 1; results >= 0; results--) {
		for (size_t i = 0; i < m->count; i++) {
			const struct llm_block *block = &m->blocks[i];

			if ((block->kind == LLM_TOOL_RESULT) != (results == 1) ||
			    !is_written(block, w->model))
				continue;
			if (written++)
				buf_char(w->out, ',');
			else
				buf_printf(w->out, "%s{\"role\":\"%s\",\"content\":[",
					   first ? "" : ",",
					   m->speaker == LLM_USER ? "user" : "assistant");
			add_block(w, block);
		}
	}
	if (written)
		buf_str(w->out, "]}");
}

static bool message_is_written(const struct llm_message *m, const char *model)
{
	for (size_t i = 0; i < m->count; i++)
		if (is_written(&m->blocks[i], model))
			return true;
	return false;
}

static void add_messages(struct buf *b, const struct llm_call *call, const char *model,
			 size_t marks)
{
	struct writer w = {.out = b, .model = model};
	size_t stable = 0;
	bool first = true;

	for (size_t i = 0; i < call->message_count; i++)
		for (size_t k = 0; k < call->messages[i].count; k++)
			stable += can_mark(&call->messages[i].blocks[k]);
	w.skip = stable > marks ? stable - marks : 0;
	buf_str(b, ",\"messages\":[");
	for (size_t i = 0; i < call->message_count; i++) {
		if (!message_is_written(&call->messages[i], model))
			continue;
		add_message(&w, &call->messages[i], first);
		first = false;
	}
	buf_char(b, ']');
}

static void add_output(struct buf *b, const struct llm_call *call, const char *effort)
{
	if (!effort && !call->format)
		return;
	buf_str(b, ",\"output_config\":{");
	if (effort) {
		buf_str(b, "\"effort\":");
		body_str(b, effort);
	}
	if (call->format) {
		buf_printf(b,
			   "%s\"format\":{\"type\":\"json_schema\",\"schema\":", effort ? "," : "");
		buf_json(b, call->format);
		buf_char(b, '}');
	}
	buf_char(b, '}');
}

/* Omits settings that the model rejects: unknown thinking modes, or an effort that excludes the
 * mode. */
static void add_thinking(struct buf *b, const struct wire_role *role, const char *effort)
{
	const struct model_traits *traits = &role->traits;
	bool high = effort && (strcmp(effort, "max") == 0 || strcmp(effort, "xhigh") == 0);
	const char *type = NULL;

	if (role->thinking == LLM_THINKING_ADAPTIVE && traits->adaptive)
		type = "adaptive";
	else if (role->thinking == LLM_THINKING_OFF && traits->off && !high)
		type = "disabled";
	else if (role->thinking == LLM_THINKING_OFF && traits->between && !high)
		type = "between_tools";
	if (type)
		buf_printf(b, ",\"thinking\":{\"type\":\"%s\"}", type);
}

void anthropic_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		    const struct dialect *d)
{
	const char *effort = role->traits.effort ? role->effort : NULL;
	size_t marks = CACHE_MARKS_MAX - (call->tool_count > 0);

	(void)d;
	buf_str(out, "{\"model\":");
	body_str(out, role->model);
	buf_printf(out, ",\"max_tokens\":%lld,\"stream\":true",
		   (long long)body_max_tokens(call, role));
	add_thinking(out, role, effort);
	add_output(out, call, effort);
	if (call->user_hash) {
		buf_str(out, ",\"metadata\":{\"user_id\":");
		body_str(out, call->user_hash);
		buf_char(out, '}');
	}
	add_tools(out, call);
	if (add_system(out, call))
		marks--;
	add_messages(out, call, role->model, marks);
	buf_char(out, '}');
}
