/*
 * The supervisor's reply: its schema and parser. The reply is a short list:
 * {"do":[{"Run":"get_average_annual_price"},{"Set":"year=2025"}]}. Each entry has one member, so
 * that unused fields cost no tokens, in a shape that both provider dialects can enforce. The schema
 * names no tool or filter, so it is identical for all callers and services can cache it.
 *
 * The model names tools, filter values and, if a step needs an earlier result, the steps. It never
 * writes arguments, so that code resolves and checks every value as it does for questions. Pure.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/ref.h"

#define FILTER_NAME_MAX 128
#define FLOW_PREFIX     "flow:" /* prefix of flows in "Run" */

/* ---- the schema ---- */

static json_t *text_schema(void)
{
	return json_make({"type", json_str("string")});
}

static json_t *list_schema(json_t *items)
{
	return json_make({"type", json_str("array")}, {"items", items});
}

/* All members are required, since one of the provider dialects demands it. */
static json_t *object_schema(json_t *members)
{
	json_t *required = json_array();
	const char *name;
	json_t *schema;

	json_object_foreach(members, name, schema)
		json_push_take(required, json_str(name));
	return json_make({"type", json_str("object")}, {"additionalProperties", json_false()},
			 {"required", required}, {"properties", members});
}

static json_t *single_member(const char *name, json_t *schema)
{
	return object_schema(json_make({name, schema}));
}

static json_t *step_schema(void)
{
	return object_schema(json_make(
		{"Step", text_schema()}, {"Run", text_schema()},
		{"With", list_schema(text_schema())}, {"From", list_schema(text_schema())},
		{"After", list_schema(text_schema())}, {"If", text_schema()}));
}

json_t *supervisor_schema(void)
{
	json_t *forms = json_array();

	json_push_take(forms, single_member("Run", text_schema()));
	json_push_take(forms, single_member("Set", text_schema()));
	json_push_take(forms, step_schema());
	json_push_take(forms, single_member("Ask", text_schema()));
	json_push_take(forms, single_member("Option", text_schema()));
	json_push_take(forms, single_member("Plan", text_schema()));
	return single_member("do", list_schema(json_make({"anyOf", forms})));
}

json_t *planner_schema(void)
{
	return single_member("do", list_schema(step_schema()));
}

/* ---- parsing ---- */

struct reader {
	const struct catalog_view *may;
	struct arena *arena;
	struct supervisor_reply *reply;
	struct err *e;
};

static bool reject(struct reader *r, const char *reason)
{
	return err_set(r->e, ERR_UPSTREAM, "the supervisor's answer: %s", reason);
}

/* Toggles between singular and plural. */
static bool toggle_plural(const char *name, char out[FILTER_NAME_MAX])
{
	size_t n = strlen(name);

	if (n + 2 > FILTER_NAME_MAX)
		return false;
	memcpy(out, name, n + 1);
	if (n > 1 && out[n - 1] == 's')
		out[n - 1] = '\0';
	else
		memcpy(out + n, "s", 2);
	return true;
}

static bool is_filter(const struct catalog_view *v, const char *name)
{
	char other[FILTER_NAME_MAX];
	bool has_other = toggle_plural(name, other);

	for (size_t i = 0; i < v->tool_count; i++)
		if (tool_param_of_filter(v->tools[i], name) ||
		    (has_other && tool_param_of_filter(v->tools[i], other)))
			return true;
	return false;
}

/* Splits "year=2025". Returns false for a filter that the caller does not have, which is ignored.
 */
static bool split_filter(struct reader *r, const char *text, const char **name, const char **value)
{
	struct str rest = str_of(text), left;

	if (strchr(text, '=') && str_split(&rest, '=', &left)) {
		left = str_trim(left);
		*name = arena_strndup(r->arena, left.p, left.n);
		rest = str_trim(rest);
		*value = arena_strndup(r->arena, rest.p, rest.n);
		if (is_filter(r->may, *name))
			return true;
	}
	log_info("turn.route", "unknown filter: \"%.*s\"", STR_CUT(text, FILTER_NAME_MAX));
	return false;
}

/* Several values of one name form a list. An empty value clears the filter. */
static void add_filter(json_t *filters, const char *name, const char *value)
{
	json_t *before = json_object_get(filters, name);
	const char *previous = json_string_value(before);

	if (!before || (previous && !*previous)) {
		json_set_str(filters, name, value);
		return;
	}
	if (!json_is_array(before)) {
		before = json_list_of(json_incref(before));
		json_set_take(filters, name, before);
	}
	json_push_take(before, json_str(value));
}

static bool read_set(struct reader *r, const json_t *value)
{
	const char *text = json_string_value(value), *name, *text_value;

	if (!text)
		return reject(r, "a filter is not a string");
	if (split_filter(r, text, &name, &text_value))
		add_filter(r->reply->filters, name, text_value);
	return true;
}

/* Adds a step's own filters. Empty values are ignored. */
static bool add_filters(struct reader *r, json_t *filters, const json_t *list)
{
	const char *name, *value;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return reject(r, "a filter is not a string");
		if (split_filter(r, json_string_value(item), &name, &value) && *value)
			add_filter(filters, name, value);
	}
	return true;
}

/* References to earlier steps replace other values. */
static bool add_references(struct reader *r, json_t *filters, const json_t *list)
{
	const char *name, *value;
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (!json_is_string(item))
			return reject(r, "a reference is not a string");
		if (split_filter(r, json_string_value(item), &name, &value))
			json_set_take(filters, name, ref_json(value, 0));
	}
	return true;
}

/* Looks up a tool or agent that the caller may use. */
static bool find_name(const struct catalog_view *v, const char *name, const char **agent,
		      const char **tool)
{
	const struct tool_def *def = catalog_tool(v->catalog, name);

	*tool = NULL;
	*agent = NULL;
	if (def) {
		*agent = catalog_allows(v, def, NULL) ? catalog_agent_in(v, def) : NULL;
		*tool = def->name;
	}
	for (size_t i = 0; i < v->domain_count && !def; i++)
		if (strcmp(v->domains[i]->agent, name) == 0)
			*agent = v->domains[i]->agent;
	return *agent;
}

static json_t *add_step(struct reader *r, const char *id, const char *agent, const char *tool)
{
	json_t *step = json_object();

	json_set_str(step, "id", id);
	json_set_str(step, "agent", agent);
	json_set_str(step, "tool", tool);
	json_push_take(r->reply->steps, step);
	return step;
}

/* Ignores names that the caller may not use; the model was not given them. */
static bool read_run(struct reader *r, const json_t *value)
{
	const char *name = json_string_value(value), *agent, *tool;
	size_t n = json_array_size(r->reply->steps);

	if (!name)
		return reject(r, "the name of a tool or flow is not a string");
	if (strncmp(name, FLOW_PREFIX, strlen(FLOW_PREFIX)) == 0) {
		r->reply->flow = catalog_flow_in(r->may, name + strlen(FLOW_PREFIX));
		return true;
	}
	if (find_name(r->may, name, &agent, &tool))
		add_step(r, arena_printf(r->arena, "t%zu", n + 1), agent, tool);
	return true;
}

/* A step that the caller may not run rejects the whole plan, since later steps depend on it. */
static bool read_step(struct reader *r, const json_t *item)
{
	const char *id, *name, *condition = "", *agent, *tool;
	json_t *with = NULL, *from = NULL, *after = NULL, *own, *step;

	if (!json_get_str(item, "Step", &id, r->e) || !json_get_str(item, "Run", &name, r->e) ||
	    !json_opt_str(item, "If", &condition, r->e) ||
	    !json_opt_array(item, "With", &with, r->e) ||
	    !json_opt_array(item, "From", &from, r->e) ||
	    !json_opt_array(item, "After", &after, r->e))
		return err_prefix(r->e, "the supervisor's answer");
	if (!find_name(r->may, name, &agent, &tool))
		return reject(r, "this caller may not run one of the steps");
	own = json_own(r->arena, json_object());
	if (!add_filters(r, own, with) || !add_references(r, own, from))
		return false;
	step = add_step(r, id, agent, tool);
	json_object_set(step, "own", own);
	json_object_set(step, "depends_on", after);
	json_set_str(step, "condition", *condition ? condition : NULL);
	return true;
}

static bool read_member(struct reader *r, const char *name, const json_t *value)
{
	const char *text = json_string_value(value);

	if (strcmp(name, "Run") == 0)
		return read_run(r, value);
	if (strcmp(name, "Set") == 0)
		return read_set(r, value);
	if (strcmp(name, "Ask") == 0) {
		if (text && *text)
			r->reply->clarification = arena_strdup(r->arena, text);
		return text || reject(r, "a question is not a string");
	}
	if (strcmp(name, "Plan") == 0) {
		r->reply->plan = true;
		return text || reject(r, "the value of Plan is not a string");
	}
	if (strcmp(name, "Option") == 0) {
		json_array_append(r->reply->options, (json_t *)value);
		return text || reject(r, "an option is not a string");
	}
	log_info("turn.route", "unknown member: \"%.*s\"", STR_CUT(name, FILTER_NAME_MAX));
	return true;
}

static bool read_item(struct reader *r, const json_t *item)
{
	const char *name;
	json_t *value;

	if (!json_is_object(item))
		return reject(r, "an entry is not an object");
	if (json_array_size(r->reply->steps) == PLAN_TASKS_MAX)
		return reject(r, "too many steps");
	if (json_object_get(item, "Step"))
		return read_step(r, item);
	json_object_foreach((json_t *)item, name, value)
		if (!read_member(r, name, value))
			return false;
	return true;
}

/* The intent shared by all steps, or "general". */
static const char *intent_of(const struct catalog_view *v, const json_t *steps)
{
	const char *intent = NULL;
	const json_t *step;
	size_t i;

	json_array_foreach((json_t *)steps, i, step) {
		const struct domain_def *d = catalog_domain_of_agent(
			v->catalog, json_string_value(json_object_get(step, "agent")));

		if (intent && strcmp(intent, d->intent) != 0)
			return "multi_domain";
		intent = d->intent;
	}
	return intent ? intent : "general";
}

/* A flow is a complete plan; other steps are dropped. */
static void drop_steps_of_flow_reply(struct supervisor_reply *reply, const struct catalog *c)
{
	if (json_array_size(reply->steps) > 0)
		log_info("turn.route", "flow %s replaces the other steps", reply->flow->name);
	json_array_clear(reply->steps);
	reply->intent = catalog_domain_of_agent(c, reply->flow->agent)->intent;
}

bool supervisor_parse(const char *text, size_t len, const struct catalog_view *v, struct arena *a,
		      struct supervisor_reply *out, struct err *e)
{
	struct supervisor_reply reply = {.filters = json_own(a, json_object()),
					 .options = json_own(a, json_array()),
					 .steps = json_own(a, json_array())};
	struct reader r = {.may = v, .arena = a, .reply = &reply, .e = e};
	json_t *root, *list;
	const json_t *item;
	size_t i;

	if (!json_parse(text, len, LLM_TOOL_INPUT_BYTES_MAX, &root, e))
		return err_prefix(e, "the supervisor's answer");
	json_own(a, root);
	list = json_object_get(root, "do");
	if (!json_is_array(list))
		return reject(&r, "the list of steps is missing");
	json_array_foreach(list, i, item)
		if (!read_item(&r, item))
			return false;
	reply.plan = reply.plan && !reply.flow && !reply.clarification &&
		     /* otherwise the reply already contains the plan */
		     json_array_size(reply.steps) == 0;
	reply.intent = intent_of(v, reply.steps);
	if (reply.flow)
		drop_steps_of_flow_reply(&reply, v->catalog);
	*out = reply;
	return true;
}

json_t *filters_find(const json_t *filters, const char *name)
{
	char other[FILTER_NAME_MAX];
	json_t *found = json_object_get(filters, name);

	return found || !toggle_plural(name, other) ? found : json_object_get(filters, other);
}

void filters_drop(json_t *filters, const char *name)
{
	char other[FILTER_NAME_MAX];

	json_object_del(filters, name);
	if (toggle_plural(name, other))
		json_object_del(filters, other);
}

/* The value as a list; references give at most `max` values. New reference. */
static json_t *list_of(json_t *value, size_t max)
{
	json_t *list = json_is_array(value) ? json_incref(value) : json_list_of(json_incref(value));
	json_t *bounded = json_array(), *item;
	size_t i;

	json_array_foreach(list, i, item)
		json_push_take(bounded,
			       ref_of(item) ? ref_json(ref_of(item), max) : json_incref(item));
	json_decref(list);
	return bounded;
}

void arg_set(json_t *args, const struct param_def *p, json_t *value)
{
	if (p->is_list)
		json_set_take(args, p->name, list_of(value, p->list_max));
	else
		json_object_set(args, p->name,
				json_is_array(value) ? json_array_get(value, 0) : value);
}

const json_t *filters_as_args(const struct tool_def *tool, const json_t *filters, struct arena *a)
{
	json_t *args = json_own(a, json_object());

	for (size_t i = 0; i < tool->param_count; i++) {
		const struct param_def *p = &tool->params[i];
		json_t *value = filters_find(filters, p->filter);

		if (value)
			arg_set(args, p, value);
	}
	return args;
}
