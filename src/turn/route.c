/*
 * The supervisor's answer: the schema it must follow, and its reading. The model names tools and
 * filter values; it never writes arguments in a tool's own shape, so that each value is resolved
 * and checked by the same code that reads questions. Pure.
 */
#include "turn_int.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

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

json_t *route_schema(const struct catalog_view *v)
{
	json_t *agents = json_array();
	json_t *tools = json_array();
	json_t *filter;

	for (size_t i = 0; i < v->domain_count; i++)
		json_push_take(agents, json_string(v->domains[i]->agent));
	for (size_t i = 0; i < v->tool_count; i++)
		json_push_take(tools, json_string(v->tools[i]->name));
	filter = json_pack("{s:s,s:b,s:[s,s],s:{s:o,s:{s:s}}}", "type", "object",
			   "additionalProperties", 0, "required", "name", "value", "properties",
			   "name", enum_schema(filter_names(v)), "value", "type", "string");
	return json_pack("{s:s,s:b,s:[s,s,s,s,s],s:{s:o,s:o,s:o,s:o,s:{s:s}}}", "type", "object",
			 "additionalProperties", 0, "required", "intent", "agents", "tools",
			 "filters", "clarification", "properties", "intent",
			 enum_schema(intent_names(v)), "agents", array_schema(enum_schema(agents)),
			 "tools", array_schema(enum_schema(tools)), "filters", array_schema(filter),
			 "clarification", "type", "string");
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

static bool parse_filters(const json_t *list, struct arena *a, struct route *out, struct err *e)
{
	json_t *filters = json_own(a, json_object());
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		const char *name, *value;

		if (!json_get_str(item, "name", &name, e) ||
		    !json_get_str(item, "value", &value, e))
			return err_prefix(e, "filters");
		if (*value)
			add_filter(filters, name, value);
	}
	out->filters = filters;
	return true;
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
	json_t *root, *agents = NULL, *tools = NULL, *filters = NULL;
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
	    !json_opt_array(root, "filters", &filters, e) || !parse_filters(filters, a, &r, e))
		return err_prefix(e, "the supervisor's answer");
	parse_choice(agents, tools, v, a, &r);
	r.intent = arena_strdup(a, intent);
	r.clarification = *clarification ? arena_strdup(a, clarification) : NULL;
	*out = r;
	return true;
}

/* A filter by its own name, or by its plural or singular. */
static json_t *find_filter(const json_t *filters, const char *name)
{
	char other[128];
	size_t n = strlen(name);
	json_t *found = json_object_get(filters, name);

	if (found || n + 2 > sizeof(other))
		return found;
	memcpy(other, name, n + 1);
	if (n > 1 && other[n - 1] == 's')
		other[n - 1] = '\0';
	else
		memcpy(other + n, "s", 2);
	return json_object_get(filters, other);
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
