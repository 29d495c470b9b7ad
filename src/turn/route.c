/*
 * The supervisor's answer: the schema it must follow, and its reading. The model names tools and
 * filter values, and where one step needs what another found, which steps there are; it never
 * writes arguments in a tool's own shape, so that each value is resolved and checked by the same
 * code that reads questions. Pure.
 */
#include "turn_int.h"

#include <stdio.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

#define ROUTE_NAME_MAX 128

static json_t *enum_schema(json_t *names)
{
	return json_pack("{s:s,s:o}", "type", "string", "enum", names);
}

static json_t *array_schema(json_t *items)
{
	return json_pack("{s:s,s:o}", "type", "array", "items", items);
}

static json_t *intent_names(const struct catalog_view *v)
{
	json_t *names = json_array();

	for (size_t i = 0; i < v->domain_count; i++)
		json_push_take(names, json_string(v->domains[i]->intent));
	json_push_take(names, json_string("multi_domain"));
	json_push_take(names, json_string("general"));
	return names;
}

static bool array_has(const json_t *names, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(names, i, item)
		if (strcmp(json_string_value(item), name) == 0)
			return true;
	return false;
}

static json_t *filter_names(const struct catalog_view *v)
{
	json_t *names = json_array();

	for (size_t i = 0; i < v->tool_count; i++)
		for (size_t p = 0; p < v->tools[i]->param_count; p++)
			if (!array_has(names, v->tools[i]->params[p].filter))
				json_push_take(names, json_string(v->tools[i]->params[p].filter));
	return names;
}

static json_t *text_schema(void)
{
	return json_pack("{s:s}", "type", "string");
}

/* Every member is required: a model that leaves none out can't forget one. */
static json_t *object_schema(json_t *members)
{
	json_t *required = json_array();
	const char *name;
	json_t *schema;

	json_object_foreach(members, name, schema)
		json_push_take(required, json_string(name));
	return json_pack("{s:s,s:b,s:o,s:o}", "type", "object", "additionalProperties", 0,
			 "required", required, "properties", members);
}

static json_t *step_schema(json_t *agents, json_t *tools, json_t *filters)
{
	json_t *filter = object_schema(json_pack("{s:O,s:o,s:o}", "name", filters, "value",
						 text_schema(), "from", text_schema()));

	return object_schema(json_pack("{s:o,s:O,s:O,s:o,s:o,s:o}", "id", text_schema(), "agent",
				       agents, "tool", tools, "filters", array_schema(filter),
				       "depends_on", array_schema(text_schema()), "condition",
				       text_schema()));
}

json_t *route_schema(const struct catalog_view *v)
{
	json_t *agent_names = json_array(), *tool_names = json_array(), *step_tools;
	json_t *agents, *tools, *steps, *filters, *filter, *schema;

	for (size_t i = 0; i < v->domain_count; i++)
		json_push_take(agent_names, json_string(v->domains[i]->agent));
	for (size_t i = 0; i < v->tool_count; i++)
		json_push_take(tool_names, json_string(v->tools[i]->name));
	step_tools = json_copy(tool_names);
	json_push_take(step_tools, json_string("")); /* the agent finds out by itself */
	agents = enum_schema(agent_names);
	tools = enum_schema(step_tools);
	filters = enum_schema(filter_names(v));
	filter = object_schema(json_pack("{s:O,s:o}", "name", filters, "value", text_schema()));
	steps = step_schema(agents, tools, filters);
	schema = object_schema(json_pack(
		"{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "intent", enum_schema(intent_names(v)), "agents",
		array_schema(json_incref(agents)), "tools", array_schema(enum_schema(tool_names)),
		"filters", array_schema(filter), "steps", array_schema(steps), "clarification",
		text_schema(), "options", array_schema(text_schema())));
	json_decref(agents);
	json_decref(tools);
	json_decref(filters);
	return schema;
}

/* Several values of one name become a list under the same name. */
static void add_filter(json_t *filters, const char *name, const char *value)
{
	json_t *before = json_object_get(filters, name);

	if (!before) {
		json_set_str(filters, name, value);
		return;
	}
	if (json_is_array(before)) {
		json_push_take(before, json_str(value));
		return;
	}
	json_object_set_new(filters, name, json_pack("[O,o]", before, json_str(value)));
}

/* The value of an earlier step takes the place of any that was said. */
static bool parse_filters(const json_t *list, struct arena *a, json_t **out, struct err *e)
{
	json_t *filters = json_own(a, json_object());
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		const char *name, *value, *from = "";

		if (!json_get_str(item, "name", &name, e) ||
		    !json_get_str(item, "value", &value, e) ||
		    !json_opt_str(item, "from", &from, e))
			return err_prefix(e, "filters");
		if (*from)
			json_object_set_new(filters, name, json_pack("{s:s}", "$ref", from));
		else if (*value && !ref_of(json_object_get(filters, name)))
			add_filter(filters, name, value);
	}
	*out = filters;
	return true;
}

/* ---- steps ---- */

/* An agent of this caller that may use the tool: the one that is named, or the tool's first. */
static const char *agent_for(const struct catalog_view *v, const struct tool_def *tool,
			     const char *named)
{
	if (!tool)
		return catalog_domain_of_agent(v->catalog, named) ? named : NULL;
	if (!catalog_allows(v, tool, NULL))
		return NULL;
	return *named && catalog_allows(v, tool, named) ? named : catalog_agent_in(v, tool);
}

static bool is_agent(const struct catalog_view *v, const char *agent)
{
	for (size_t i = 0; i < v->domain_count; i++)
		if (strcmp(v->domains[i]->agent, agent) == 0)
			return true;
	return false;
}

/* A step that this caller may not take refuses all: what builds on it would mean something else. */
static bool parse_step(const json_t *item, const struct catalog_view *v, struct arena *a,
		       json_t *steps, struct err *e)
{
	const char *id, *agent = "", *name = "", *condition = "";
	json_t *filters = NULL, *own, *waits = NULL, *step;
	const struct tool_def *tool;

	if (!json_get_str(item, "id", &id, e) || !json_opt_str(item, "agent", &agent, e) ||
	    !json_opt_str(item, "tool", &name, e) ||
	    !json_opt_str(item, "condition", &condition, e) ||
	    !json_opt_array(item, "filters", &filters, e) ||
	    !json_opt_array(item, "depends_on", &waits, e) || !parse_filters(filters, a, &own, e))
		return err_prefix(e, "steps");
	tool = *name ? catalog_tool(v->catalog, name) : NULL;
	agent = agent_for(v, tool, agent);
	if ((*name && !tool) || !agent || !is_agent(v, agent))
		return err_set(e, ERR_UPSTREAM, "step %.40s is not for this caller", id);
	step = json_object();
	json_set_str(step, "id", id);
	json_set_str(step, "agent", agent);
	json_set_str(step, "tool", *name ? name : NULL);
	json_object_set(step, "own", own);
	json_object_set(step, "depends_on", waits);
	json_set_str(step, "condition", *condition ? condition : NULL);
	json_push_take(steps, step);
	return true;
}

static bool parse_steps(const json_t *list, const struct catalog_view *v, struct arena *a,
			struct route *out, struct err *e)
{
	json_t *steps = json_own(a, json_array());
	const json_t *item;
	size_t i;

	if (json_array_size(list) > PLAN_TASKS_MAX)
		return err_set(e, ERR_UPSTREAM, "more than %d steps", PLAN_TASKS_MAX);
	json_array_foreach(list, i, item)
		if (!parse_step(item, v, a, steps, e))
			return false;
	out->steps = steps;
	return true;
}

static void add_step(json_t *steps, const char *agent, const char *tool)
{
	json_t *step = json_object();
	char id[24];

	snprintf(id, sizeof(id), "t%zu", json_array_size(steps) + 1);
	json_set_str(step, "id", id);
	json_set_str(step, "agent", agent);
	json_set_str(step, "tool", tool);
	json_push_take(steps, step);
}

static bool has_agent(const json_t *steps, const char *agent)
{
	const json_t *step;
	size_t i;

	json_array_foreach((json_t *)steps, i, step)
		if (strcmp(json_string_value(json_object_get(step, "agent")), agent) == 0)
			return true;
	return false;
}

/* Tools without an order run side by side; an agent that has no step explores. */
static void complete_steps(struct route *r, const struct catalog_view *v)
{
	json_t *steps = r->steps;
	bool ordered = json_array_size(steps) > 0;

	for (size_t i = 0; i < r->tool_count && !ordered; i++) {
		const char *agent = catalog_agent_in(v, r->tools[i]);

		for (size_t d = 0; d < r->agent_count; d++)
			if (catalog_allows(v, r->tools[i], r->agents[d]))
				agent = r->agents[d];
		add_step(steps, agent, r->tools[i]->name);
	}
	for (size_t i = 0; i < r->agent_count && !ordered; i++)
		if (json_array_size(steps) < PLAN_TASKS_MAX && !has_agent(steps, r->agents[i]))
			add_step(steps, r->agents[i], NULL);
}

/* Names that this caller may not use are dropped: the model was never told of them. */
static void parse_choice(const json_t *agents, const json_t *tools, const struct catalog_view *v,
			 struct arena *a, struct route *out)
{
	const json_t *item;
	size_t i;

	out->agents = arena_alloc(a, sizeof(*out->agents) * (PLAN_TASKS_MAX + 1));
	out->tools = arena_alloc(a, sizeof(*out->tools) * (PLAN_TASKS_MAX + 1));
	json_array_foreach(tools, i, item) {
		const struct tool_def *tool =
			json_is_string(item) ? catalog_tool(v->catalog, json_string_value(item))
					     : NULL;

		if (tool && catalog_allows(v, tool, NULL) && out->tool_count < PLAN_TASKS_MAX)
			out->tools[out->tool_count++] = tool;
	}
	json_array_foreach(agents, i, item) {
		for (size_t d = 0; d < v->domain_count; d++)
			if (json_is_string(item) &&
			    strcmp(v->domains[d]->agent, json_string_value(item)) == 0 &&
			    out->agent_count < PLAN_TASKS_MAX)
				out->agents[out->agent_count++] = v->domains[d]->agent;
	}
}

bool route_parse(const char *text, size_t len, const struct catalog_view *v, struct arena *a,
		 struct route *out, struct err *e)
{
	struct route r = {.intent = "general"};
	json_t *root, *agents = NULL, *tools = NULL, *filters = NULL, *steps = NULL;
	const char *intent = "general", *clarification = "";

	if (!json_parse(text, len, LLM_TOOL_INPUT_BYTES_MAX, &root, e))
		return err_prefix(e, "the supervisor's answer");
	json_own(a, root);
	if (!json_is_object(root))
		return err_set(e, ERR_UPSTREAM, "the supervisor's answer is not an object");
	if (!json_opt_str(root, "intent", &intent, e) ||
	    !json_opt_str(root, "clarification", &clarification, e) ||
	    !json_opt_array(root, "agents", &agents, e) ||
	    !json_opt_array(root, "tools", &tools, e) ||
	    !json_opt_array(root, "options", &r.options, e) ||
	    !json_opt_array(root, "steps", &steps, e) || !parse_steps(steps, v, a, &r, e) ||
	    !json_opt_array(root, "filters", &filters, e) ||
	    !parse_filters(filters, a, &r.filters, e))
		return err_prefix(e, "the supervisor's answer");
	parse_choice(agents, tools, v, a, &r);
	complete_steps(&r, v);
	r.intent = arena_strdup(a, intent);
	r.clarification = *clarification ? arena_strdup(a, clarification) : NULL;
	*out = r;
	return true;
}

/* The plural of a name, or its singular. */
static bool other_form(const char *name, char out[ROUTE_NAME_MAX])
{
	size_t n = strlen(name);

	if (n + 2 > ROUTE_NAME_MAX)
		return false;
	memcpy(out, name, n + 1);
	if (n > 1 && out[n - 1] == 's')
		out[n - 1] = '\0';
	else
		memcpy(out + n, "s", 2);
	return true;
}

static json_t *find_filter(const json_t *filters, const char *name)
{
	char other[ROUTE_NAME_MAX];
	json_t *found = json_object_get(filters, name);

	return found || !other_form(name, other) ? found : json_object_get(filters, other);
}

void route_filter_drop(json_t *filters, const char *name)
{
	char other[ROUTE_NAME_MAX];

	json_object_del(filters, name);
	if (other_form(name, other))
		json_object_del(filters, other);
}

const json_t *route_args(const struct tool_def *tool, const json_t *filters, struct arena *a)
{
	json_t *args = json_own(a, json_object());

	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];
		json_t *value = find_filter(filters, p->filter);

		if (!value)
			continue;
		if (p->is_list && !json_is_array(value))
			json_object_set_new(args, p->name, json_pack("[O]", value));
		else if (!p->is_list && json_is_array(value))
			json_object_set(args, p->name, json_array_get(value, 0));
		else
			json_object_set(args, p->name, value);
	}
	return args;
}
