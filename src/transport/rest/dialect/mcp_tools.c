/* Tools of the catalogue as MCP tools: list and call. A call that fails, or cannot be made, returns
 * a result with the error, because the client's model reads it. */
#include "mcp_int.h"

#include <ctype.h>
#include <string.h>

#include "rest/http_tools.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/tool.h"
#include "vesper/view.h"

static const struct turn_knowledge *knowledge(const struct request *r)
{
	return turns_knowledge(r->transport->options.turns, r->who->tenant);
}

/* ---- The list ---- */

/* "get_price" is shown as "Get price". */
static const char *title_of(struct arena *a, const char *name)
{
	char *title = arena_strdup(a, name);

	title[0] = (char)toupper((unsigned char)title[0]);
	for (char *c = title; *c; c++)
		if (*c == '_')
			*c = ' ';
	return title;
}

static json_t *annotations(void)
{
	return json_make({"readOnlyHint", json_true()}, {"destructiveHint", json_false()},
			 {"idempotentHint", json_true()}, {"openWorldHint", json_false()});
}

static json_t *tool_json(struct request *r, const struct tool_def *t)
{
	return json_make(
		{"name", json_str(t->name)}, {"title", json_str(title_of(r->arena, t->name))},
		{"description", json_str(tool_about(knowledge(r)->tools, t, r->who, r->arena))},
		{"inputSchema", json_deep_copy(t->schema)},
		{"outputSchema", catalog_output_schema(t, r->who)}, {"annotations", annotations()});
}

/* The assistant comes first, then the tools of the catalogue. */
static json_t *tool_at(struct request *r, const struct catalog_view *v, size_t i)
{
	if (i == 0)
		return mcp_ask_tool();
	i--;
	return tool_json(r, i < v->tool_count ? v->tools[i] : v->agent_tools[i - v->tool_count]);
}

void mcp_tools_list(struct mcp_request *m)
{
	struct request *r = m->request;
	json_t *list = json_array(), *result = json_object();
	struct catalog_view view;
	size_t count, from, to;

	catalog_for(knowledge(r)->catalog, r->who, r->arena, &view);
	count = 1 + view.tool_count + view.agent_tool_count;
	if (!mcp_page(json_object_get(m->call.params, "cursor"), count, &from, &to)) {
		json_decref(list);
		json_decref(result);
		mcp_refuse(m, "params.cursor: must be the nextCursor of an earlier list");
		return;
	}
	for (size_t i = from; i < to; i++)
		json_push_take(list, tool_at(r, &view, i));
	json_set_take(result, "tools", list);
	if (to < count)
		json_set_str(result, "nextCursor", arena_printf(r->arena, "%zu", to));
	mcp_reply_list(m, result);
}

/* ---- A call ---- */

struct mcp_tool_call {
	struct mcp_request *request;
	struct arena *arena; /* of the result */
};

static void call_free(void *task)
{
	struct mcp_tool_call *call = task;

	op_cancel(&call->request->request->op); /* before the arena that it writes to */
	arena_free(&call->arena);
	mem_free(call);
}

static void add_text(struct json_out *j, struct str text)
{
	jo_object(j);
	jo_set_str(j, "type", "text");
	jo_key(j, "text");
	jo_str(j, text);
	jo_object_end(j);
}

/* Writes the sentence of a call without rows, and the same data twice: as text for models, as
 * members for programs. */
static void add_result(struct json_out *j, const struct result *result, struct str data)
{
	struct buf words;

	jo_key(j, "content");
	jo_array(j);
	if (result->outcome.kind != OUTCOME_ROWS) {
		buf_init(&words, SIZE_MAX / 2);
		view_outcome_text(&words, result);
		add_text(j, (struct str){buf_text(&words), words.n});
		buf_deinit(&words);
	}
	add_text(j, data);
	jo_array_end(j);
	jo_set_raw(j, "structuredContent", data);
	jo_set_bool(j, "isError", result->outcome.kind >= OUTCOME_UNKNOWN_ENTITY);
}

static void on_called(void *owner, const struct result *result, const char *receipt_id,
		      const struct err *e)
{
	struct mcp_tool_call *call = owner;
	struct mcp_request *m = call->request;
	struct buf data, answer;
	struct json_out j;

	m->request->op = NULL;
	if (e) {
		reply_err(m->request, e);
		return;
	}
	buf_init(&data, HTTP_RESPONSE_BYTES_MAX);
	buf_init(&answer, HTTP_RESPONSE_BYTES_MAX);
	view_call_rows(&data, result, receipt_id, call->arena);
	j = wire_mcp_open(&answer, &m->to);
	add_result(&j, result, (struct str){buf_text(&data), data.n});
	wire_mcp_close(&j, &m->to, "complete");
	reply_bytes(m->request, 200, "application/json", buf_text(&answer), answer.n);
	buf_deinit(&answer);
	buf_deinit(&data);
}

static void reply_faults(struct mcp_request *m, const struct tool_arg_fault *faults, size_t count)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 2); /* only a few sentences */
	for (size_t i = 0; i < count; i++)
		buf_printf(&text, "%s%s", i > 0 ? "\n" : "", faults[i].message);
	mcp_reply_text(m, true, buf_text(&text));
	buf_deinit(&text);
}

static void call_tool(struct mcp_request *m, const struct tool_def *tool, const json_t *args)
{
	const struct tool_call_request tool_request = {
		.who = m->request->who, .tool = tool->name, .args = args};
	struct mcp_tool_call *call = mem_alloc(sizeof(*call));

	*call = (struct mcp_tool_call){.request = m, .arena = arena_new(TURN_ARENA_BYTES)};
	m->request->task = call;
	m->request->task_free = call_free;
	m->request->op = turns_call_tool(m->request->transport->options.turns, &tool_request,
					 call->arena, on_called, call);
}

static const struct tool_def *find_tool(struct mcp_request *m, const char *name)
{
	struct tool_refusal refusal;
	const struct tool_def *tool = tools_find(m->request, name, &refusal);

	if (!tool && refusal.code == CODE_NOT_FOUND)
		mcp_refuse(m, "params.name: this tool does not exist. tools/list lists all tools.");
	else if (!tool)
		mcp_reply_text(m, true, refusal.detail);
	return tool;
}

static void call_catalogue_tool(struct mcp_request *m, const char *name, json_t *args)
{
	struct tool_arg_fault faults[TOOL_ARG_FAULTS_MAX];
	const struct tool_def *tool = find_tool(m, name);
	size_t count;

	if (!tool)
		return;
	count = tool_args_check(tool, args, m->request->arena, faults, TOOL_ARG_FAULTS_MAX);
	if (count > TOOL_ARG_FAULTS_MAX)
		count = TOOL_ARG_FAULTS_MAX;
	if (count > 0)
		reply_faults(m, faults, count);
	else
		call_tool(m, tool, args);
}

void mcp_tools_call(struct mcp_request *m)
{
	const char *name = json_string_value(json_object_get(m->call.params, "name"));
	json_t *args = json_object_get(m->call.params, "arguments");

	if (!args)
		args = json_own(m->request->arena, json_object());
	if (!name)
		mcp_refuse(m, "params.name: must be a text");
	else if (!json_is_object(args))
		mcp_refuse(m, "params.arguments: must be an object");
	else if (strcmp(name, MCP_ASK) == 0)
		mcp_ask(m, args);
	else
		call_catalogue_tool(m, name, args);
}
