/* Tools without a conversation: lists of tools, agents and components, and calls. Every finished
 * call is answered with 200 and a status in the body; an HTTP error means that no call was made. */
#include "http_tools.h"
#include "http_route.h"

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/view.h"

static const struct catalog *catalog_of(const struct request *r)
{
	return turns_knowledge(r->transport->options.turns, r->who->tenant)->catalog;
}

static json_t *data_of(json_t *list_take)
{
	return json_make({"data", list_take});
}

void on_get_tools(struct request *r)
{
	struct catalog_view view;

	catalog_for(catalog_of(r), r->who, r->arena, &view);
	reply_json(r, 200, data_of(catalog_tools_json(&view)));
}

void on_get_tool(struct request *r)
{
	struct catalog_view view;
	json_t *tool;

	catalog_for(catalog_of(r), r->who, r->arena, &view);
	tool = catalog_tool_json(&view, r->params[0]);
	if (tool)
		reply_json(r, 200, tool);
	else
		reply_problem(r, CODE_NOT_FOUND, NULL);
}

void on_get_agents(struct request *r)
{
	struct catalog_view view;

	catalog_for(catalog_of(r), r->who, r->arena, &view);
	reply_json(r, 200, data_of(catalog_agents_json(&view, r->who)));
}

/* The body is constant until a reload, so the page sends the hash that it has. */
void on_get_components(struct request *r)
{
	const struct catalog *c = catalog_of(r);
	const char *etag = arena_printf(r->arena, "\"%s\"", c->hash);
	json_t *body;

	reply_header(r, "ETag", etag);
	reply_header(r, "Cache-Control", "private, no-cache");
	if (request_matches_etag(r, "If-None-Match", etag)) {
		reply_empty(r, 304);
		return;
	}
	body = data_of(catalog_components_json(c));
	json_set_str(body, "hash", c->hash);
	reply_json(r, 200, body);
}

/* The glossary of the caller's company. */
void on_get_glossary(struct request *r)
{
	const struct pack_words *w = &catalog_of(r)->words;
	json_t *data = json_array();

	for (size_t i = 0; i < w->glossary_count; i++)
		json_push_take(data, json_make({"term", json_str(w->glossary[i].term)},
					       {"about", json_str(w->glossary[i].about)}));
	reply_json(r, 200, data_of(data));
}

/* The values of a filter. A filter that does not exist, or that the caller may not read, has no
 * values. */
void on_get_filter_values(struct request *r)
{
	const char *text = request_query(r, "q");
	const struct suggestion *values;
	size_t count = turns_filter_values(r->transport->options.turns, r->who, r->params[0],
					   text ? text : "", r->arena, &values);
	json_t *data = json_array();

	for (size_t i = 0; i < count; i++)
		json_push_take(data, json_make({"value", json_str(values[i].value)},
					       {"label", json_str(values[i].label)},
					       {"group", json_str(values[i].group)}));
	reply_json(
		r, 200,
		json_make({"data", data}, {"has_more", json_boolean(count == FILTER_VALUES_MAX)}));
}

/* ---- a call ---- */

struct tool_task {
	struct request *request;
	struct arena *arena; /* of the result */
};

static void task_free(void *task)
{
	struct tool_task *t = task;

	op_cancel(&t->request->op); /* before the arena that it writes to */
	arena_free(&t->arena);
	mem_free(t);
}

static void on_called(void *owner, const struct result *result, const char *receipt_id,
		      const struct err *e)
{
	struct tool_task *t = owner;
	struct request *r = t->request;
	struct buf answer;

	if (reply_failed(r, e))
		return;
	buf_init(&answer, HTTP_RESPONSE_BYTES_MAX);
	view_call(&answer, result, receipt_id, t->arena);
	reply_bytes(r, 200, "application/json", buf_text(&answer), answer.n);
	buf_deinit(&answer);
}

static const struct tool_def *refuse(struct tool_refusal *out, enum code code, const char *detail)
{
	*out = (struct tool_refusal){code, detail};
	return NULL;
}

const struct tool_def *tools_find(struct request *r, const char *name, struct tool_refusal *refusal)
{
	const struct catalog *c = catalog_of(r);
	const struct tool_def *tool = catalog_tool(c, name);

	if (!tool || (!tool->callers.visible && !tool->callers.agents_only))
		return refuse(refusal, CODE_NOT_FOUND,
			      "This tool does not exist. GET /api/v1/tools lists all tools.");
	if (catalog_agent_for(c, tool, r->who, NULL))
		return tool;
	if (r->transport->settings->hide_existence)
		return refuse(refusal, CODE_NOT_FOUND, NULL);
	if (!may(r->who, tool->callers.permission))
		return refuse(refusal, CODE_DENIED,
			      arena_printf(r->arena, "This needs the permission %s.",
					   tool->callers.permission));
	return refuse(refusal, CODE_DENIED, "This tool is switched off.");
}

static void reply_faults(struct request *r, const struct tool_arg_fault *faults, size_t count)
{
	json_t *body = problem_json(CODE_INVALID, faults[0].message, r->path, r->request_id);
	json_t *errors = json_array();

	for (size_t i = 0; i < count; i++)
		json_push_take(errors, json_make({"arg", json_str(faults[i].arg)},
						 {"message", json_str(faults[i].message)}));
	json_set_take(body, "errors", errors);
	reply_problem_json(r, CODE_INVALID, body, (struct str){NULL, 0});
}

static void call_tool(struct request *r, const struct tool_def *tool)
{
	const struct tool_call_request tool_request = {
		.who = r->who, .tool = tool->name, .args = r->body};
	struct tool_task *t = mem_alloc(sizeof(*t));

	*t = (struct tool_task){.request = r, .arena = arena_new(TURN_ARENA_BYTES)};
	r->task = t;
	r->task_free = task_free;
	r->op = turns_call_tool(r->transport->options.turns, &tool_request, t->arena, on_called, t);
}

void on_post_tool(struct request *r)
{
	struct tool_refusal refusal;
	const struct tool_def *tool = tools_find(r, r->params[0], &refusal);
	struct tool_arg_fault faults[TOOL_ARG_FAULTS_MAX];
	size_t count;

	if (!tool) {
		reply_problem(r, refusal.code, refusal.detail);
		return;
	}
	count = tool_args_check(tool, r->body, r->arena, faults, TOOL_ARG_FAULTS_MAX);
	if (count > 0)
		reply_faults(r, faults, count);
	else
		call_tool(r, tool);
}
