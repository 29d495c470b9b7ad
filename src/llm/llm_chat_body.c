/*
 * Writes a call as the body of a Chat Completions request. Stable parts come first, and equal calls
 * give equal bytes: these services cache prefixes automatically.
 */
#include <string.h>

#include "llm_int.h"
#include "vesper/json.h"

/* Strict schemas require every member of every object, and no additional members. */
static bool is_strict(const json_t *schema)
{
	const json_t *members = json_object_get(schema, "properties"), *part;
	const json_t *required = json_object_get(schema, "required");
	const char *key;

	if (members && (json_array_size(required) != json_object_size(members) ||
			!json_is_false(json_object_get(schema, "additionalProperties"))))
		return false;
	json_object_foreach((json_t *)members, key, part)
		if (!is_strict(part))
			return false;
	part = json_object_get(schema, "items");
	return !part || is_strict(part);
}

static void add_tools(struct buf *b, const struct llm_call *call)
{
	if (call->tool_count == 0)
		return;
	buf_str(b, ",\"tools\":[");
	for (size_t i = 0; i < call->tool_count; i++) {
		const struct llm_tool *t = &call->tools[i];

		buf_printf(b, "%s{\"type\":\"function\",\"function\":{\"name\":", i ? "," : "");
		body_str(b, t->name);
		buf_str(b, ",\"description\":");
		body_str(b, t->about ? t->about : "");
		buf_str(b, ",\"parameters\":");
		buf_json(b, t->schema);
		buf_str(b, "}}");
	}
	buf_str(b, call->tools_forbidden ? "],\"tool_choice\":\"none\"" : "]");
}

static void add_format(struct buf *b, const struct llm_call *call, const struct dialect *d)
{
	if (!call->format)
		return;
	buf_printf(b,
		   ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":"
		   "\"%s\"%s,\"schema\":",
		   llm_role_name(call->role),
		   d->strict && is_strict(call->format) ? ",\"strict\":true" : "");
	buf_json(b, call->format);
	buf_str(b, "}}");
}

/* ---- messages ---- */

/* Joins the text blocks into one string. Returns false and writes nothing when there are none. */
static bool add_texts(struct buf *b, const struct llm_block *blocks, size_t count,
		      const char *prefix)
{
	struct buf joined;
	bool any;

	buf_init(&joined, LLM_REQUEST_BYTES_MAX);
	for (size_t i = 0; i < count; i++) {
		if (blocks[i].kind != LLM_TEXT || body_is_blank(blocks[i].text))
			continue;
		buf_printf(&joined, "%s%s", joined.n ? "\n\n" : "", blocks[i].text);
	}
	any = joined.n > 0;
	if (any) {
		buf_str(b, prefix);
		buf_json_str(b, joined.p, joined.n);
	}
	buf_deinit(&joined);
	return any;
}

static void add_arguments(struct buf *b, const json_t *input)
{
	struct buf text;

	buf_init(&text, LLM_REQUEST_BYTES_MAX);
	if (input)
		buf_json(&text, input);
	else
		buf_str(&text, "{}");
	buf_json_str(b, text.p, text.n);
	buf_deinit(&text);
}

/* Writes the extra members of the call unchanged, if the request goes to the model that sent them.
 */
static void add_extra_members(struct buf *b, const struct llm_block *use,
			      const struct wire_role *role)
{
	const char *key;
	json_t *value;

	if (!use->origin || strcmp(use->origin, role->model) != 0)
		return;
	json_object_foreach((json_t *)use->raw, key, value) {
		if (strcmp(key, "id") == 0 || strcmp(key, "type") == 0 ||
		    strcmp(key, "function") == 0)
			continue;
		buf_char(b, ',');
		body_str(b, key);
		buf_char(b, ':');
		buf_json(b, value);
	}
}

static size_t add_calls(struct buf *b, const struct llm_message *m, const struct wire_role *role)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct llm_block *use = &m->blocks[i];

		if (use->kind != LLM_TOOL_USE)
			continue;
		buf_str(b, n++ ? ",{\"id\":" : ",\"tool_calls\":[{\"id\":");
		body_str(b, use->id);
		buf_str(b, ",\"type\":\"function\",\"function\":{\"name\":");
		body_str(b, use->name);
		buf_str(b, ",\"arguments\":");
		add_arguments(b, use->input);
		buf_char(b, '}');
		add_extra_members(b, use, role);
		buf_char(b, '}');
	}
	if (n)
		buf_char(b, ']');
	return n;
}

static bool has_calls(const struct llm_message *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->blocks[i].kind == LLM_TOOL_USE)
			return true;
	return false;
}

static void add_assistant(struct buf *b, const struct llm_message *m, const struct wire_role *role)
{
	if (has_calls(m)) {
		if (!add_texts(b, m->blocks, m->count, ",{\"role\":\"assistant\",\"content\":"))
			buf_str(b, ",{\"role\":\"assistant\",\"content\":null");
		add_calls(b, m, role);
		buf_char(b, '}');
	} else if (add_texts(b, m->blocks, m->count, ",{\"role\":\"assistant\",\"content\":")) {
		buf_char(b, '}');
	}
}

/* Each result is a separate message, right after the calls. */
static void add_results(struct buf *b, const struct llm_message *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct llm_block *r = &m->blocks[i];

		if (r->kind != LLM_TOOL_RESULT)
			continue;
		buf_str(b, ",{\"role\":\"tool\",\"tool_call_id\":");
		body_str(b, r->id);
		buf_str(b, ",\"content\":");
		body_str(b, r->text ? r->text : "");
		buf_char(b, '}');
	}
}

static void add_messages(struct buf *b, const struct llm_call *call, const struct wire_role *role)
{
	struct buf list;

	buf_init(&list, LLM_REQUEST_BYTES_MAX);
	if (add_texts(&list, call->system, call->system_count,
		      ",{\"role\":\"system\",\"content\":"))
		buf_char(&list, '}');
	for (size_t i = 0; i < call->message_count; i++) {
		const struct llm_message *m = &call->messages[i];

		if (m->speaker == LLM_ASSISTANT) {
			add_assistant(&list, m, role);
			continue;
		}
		add_results(&list, m);
		if (add_texts(&list, m->blocks, m->count, ",{\"role\":\"user\",\"content\":"))
			buf_char(&list, '}');
	}
	buf_str(b, ",\"messages\":[");
	if (list.n)
		buf_add(b, list.p + 1, list.n - 1);
	buf_char(b, ']');
	b->over = b->over || list.over;
	buf_deinit(&list);
}

/* The Messages API has two more efforts. */
static const char *effort_of(const char *effort)
{
	return strcmp(effort, "max") == 0 || strcmp(effort, "xhigh") == 0 ? "high" : effort;
}

void openai_body(struct buf *out, const struct llm_call *call, const struct wire_role *role,
		 const struct dialect *d)
{
	buf_str(out, "{\"model\":");
	body_str(out, role->model);
	buf_printf(out, ",\"stream\":true,\"stream_options\":{\"include_usage\":true},\"%s\":%lld",
		   d->max_tokens, (long long)body_max_tokens(call, role));
	if (d->effort && role->effort) {
		buf_str(out, ",\"reasoning_effort\":");
		body_str(out, effort_of(role->effort));
	}
	if (d->strict && call->user_hash) {
		buf_str(out, ",\"user\":");
		body_str(out, call->user_hash);
	}
	add_format(out, call, d);
	add_tools(out, call);
	add_messages(out, call, role);
	buf_char(out, '}');
}
