/*
 * Plans as stored steps. The supervisor or code writes the steps, and they are stored with the
 * answer to run again with other filters. Here they are checked against the caller's permissions,
 * resolved, and turned into tasks.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/flow.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/ref.h"
#include "vesper/strlist.h"

static const char *member(const json_t *step, const char *name)
{
	return json_string_value(json_object_get(step, name));
}

/* The plan's filters with the step's own filters over them. */
static json_t *filters_of_step(const struct planner_turn *t, const json_t *filters,
			       const json_t *step)
{
	json_t *all = json_own(t->core->arena, json_deep_copy(filters));

	filters_edit(all, json_object_get(step, "own"));
	return all;
}

static bool resolve_step_filters(struct planner_turn *t, const json_t *filters, const json_t *step,
				 struct clarification *ask)
{
	json_t *own = json_object_get(step, "own");
	json_t *all = filters_of_step(t, filters, step);
	json_t *names = json_own(t->core->arena, json_copy(own));
	const char *name;
	json_t *value;

	if (json_object_size(own) == 0)
		return true;
	if (!filters_resolve(t, all, ask))
		return false;
	json_object_foreach(names, name, value) {
		json_t *known = json_object_get(all, name);

		if (known)
			json_object_set(own, name, known);
		else
			json_object_del(own, name);
	}
	return true;
}

bool steps_resolve(struct planner_turn *t, json_t *steps, json_t *filters,
		   struct clarification *ask)
{
	const json_t *step;
	size_t i;

	if (!filters_resolve(t, filters, ask))
		return false;
	json_array_foreach(steps, i, step)
		if (!resolve_step_filters(t, filters, step, ask))
			return false;
	return true;
}

/* ---- filters of the steps ---- */

static void join_values(json_t *all, const char *name, json_t *value)
{
	json_t *previous = json_object_get(all, name), *list;

	if (!previous || json_equal(previous, value)) {
		json_object_set(all, name, value);
		return;
	}
	list = json_is_array(previous) ? json_copy(previous) : json_list_of(json_incref(previous));
	if (json_is_array(value))
		json_array_extend(list, value);
	else
		json_array_append(list, value);
	json_object_set_new(all, name, list);
}

const json_t *steps_filters(struct planner_turn *t, const json_t *steps, const json_t *filters)
{
	json_t *all = json_own(t->core->arena, json_deep_copy(filters));
	const json_t *step;
	const char *name;
	json_t *value;
	size_t i;

	json_array_foreach((json_t *)steps, i, step)
		json_object_foreach(json_object_get(step, "own"), name, value)
			if (!ref_of(value))
				join_values(all, name, value);
	return all;
}

static bool is_known_agent(const struct planner_turn *t, const char *agent)
{
	for (size_t i = 0; i < t->core->may.domain_count && agent; i++)
		if (strcmp(t->core->may.domains[i]->agent, agent) == 0)
			return true;
	return false;
}

/* Parses the stored text of the flow with the current catalogue. */
static const struct flow_def *parse_stored_flow(const struct planner_turn *t, const json_t *flow)
{
	struct flow_def *f = arena_alloc(t->core->arena, sizeof(*f));
	const char *text = member(flow, "text");
	struct err e = {0};

	if (text &&
	    flow_read(t->core->may.catalog, "", member(flow, "name"), text, t->core->arena, f,
		      &e) &&
	    catalog_allows_flow(&t->core->may, t->core->who, f, t->core->arena))
		return f;
	log_info("turn.flow", "flow %s cannot run as stored: %s", member(flow, "name"), e.text);
	return NULL;
}

json_t *stored_flow_json(const struct flow_def *f, struct arena *a)
{
	json_t *flow = json_make({"name", json_str(f->name)}, {"hash", json_str(f->hash)},
				 {"text", json_str(flow_text(f, a))});

	if (f->own)
		json_set_take(flow, "approved",
			      json_make({"name", json_str(f->name)},
					{"approved_by", json_str(f->approval.by)},
					{"approved_at", json_str(f->approval.at)}));
	return flow;
}

const struct flow_def *stored_flow(const struct planner_turn *t, const json_t *stored)
{
	const json_t *flow = json_object_get(stored, "flow");
	const char *name = member(flow, "name"), *hash = member(flow, "hash");
	const struct flow_def *f = name ? catalog_flow_in(&t->core->may, name) : NULL;

	return f && hash && strcmp(f->hash, hash) != 0 ? parse_stored_flow(t, flow) : f;
}

/* Also accepts tools that only agents see, since code calls them as well. */
static bool is_usable(const struct planner_turn *t, const struct tool_def *tool, const char *agent)
{
	const struct catalog_view *may = &t->core->may;

	for (size_t i = 0; i < may->agent_tool_count; i++)
		if (may->agent_tools[i] == tool)
			return strlist_has(tool->callers.agents, agent);
	return catalog_allows(may, tool, agent);
}

enum stored_state stored_state(const struct planner_turn *t, const json_t *stored,
			       bool model_usable)
{
	const json_t *steps = json_object_get(stored, "steps"), *step;
	size_t i;

	if (json_object_get(stored, "flow"))
		return stored_flow(t, stored) ? STORED_RUNS : STORED_CHANGED;
	json_array_foreach((json_t *)steps, i, step) {
		const char *tool = member(step, "tool"), *agent = member(step, "agent");
		const struct tool_def *def = tool ? catalog_tool(t->core->may.catalog, tool) : NULL;

		if (!is_known_agent(t, agent) || (tool && (!def || !is_usable(t, def, agent))))
			return STORED_CHANGED;
		if (!tool && !model_usable)
			return STORED_NEEDS_MODEL;
	}
	return json_array_size(steps) > 0 && json_array_size(steps) <= PLAN_TASKS_MAX
		       ? STORED_RUNS
		       : STORED_CHANGED;
}

/* Sets agents and tools as the understanding, from which the session context is made. */
void steps_set_understanding(struct planner_turn *t, const char *intent, const json_t *steps)
{
	size_t n = json_array_size(steps);
	const char **agents = arena_alloc(t->core->arena, (n + 1) * sizeof(*agents));
	struct nlu_call *tools = arena_alloc(t->core->arena, (n + 1) * sizeof(*tools));
	struct understanding *u = &t->reading->understood;
	const json_t *step;
	size_t i;

	*u = (struct understanding){
		.kind = NLU_DATA, .intent = intent, .agents = agents, .tools = tools};
	json_array_foreach((json_t *)steps, i, step) {
		const char *tool = member(step, "tool");

		agents[u->agent_count++] = member(step, "agent");
		if (tool)
			tools[u->tool_count++] = (struct nlu_call){
				.kind = CANDIDATE_TOOL,
				.name = tool,
				.tool = catalog_tool(t->core->may.catalog, tool),
				.agent = member(step, "agent"),
			};
	}
	t->reading->intent = intent;
}

/* ---- tasks ---- */

static const char *const *names_of(struct planner_turn *t, const json_t *list)
{
	size_t n = json_array_size(list), count = 0;
	const char **names = arena_alloc(t->core->arena, (n + 1) * sizeof(*names));

	for (size_t i = 0; i < n; i++) {
		names[count] = json_string_value(json_array_get(list, i));
		count += names[count] && *names[count];
	}
	names[count] = NULL;
	return names;
}

/* A document search uses the current question, not the session context, unless the step has its
 * own text. */
static const json_t *args_of_step(const struct planner_turn *t, const char *tool,
				  const json_t *filters, const json_t *step)
{
	const struct tool_def *def = catalog_tool(t->core->may.catalog, tool);
	const char *own = json_string_value(
		json_object_get(json_object_get(step, "own"), DOCUMENT_PARAM_QUESTION));
	const json_t *args =
		filters_as_args(def, filters_of_step(t, filters, step), t->core->arena);
	json_t *all;

	if (!def || !tool_is_document(def) || !(own || t->core->request.content))
		return args;
	all = json_own(t->core->arena, json_copy((json_t *)args));
	json_set_str(all, DOCUMENT_PARAM_QUESTION, own ? own : t->core->request.content);
	return all;
}

struct plan *steps_plan(struct planner_turn *t, enum plan_origin origin, const json_t *steps,
			const json_t *filters)
{
	struct plan *p = arena_alloc(t->core->arena, sizeof(*p));
	const json_t *step;
	size_t i;

	*p = (struct plan){
		.id = "p1",
		.origin = origin,
		.tasks = arena_alloc(t->core->arena,
				     sizeof(*p->tasks) * (json_array_size(steps) + 1)),
		.filters = filters,
	};
	json_array_foreach((json_t *)steps, i, step) {
		const char *tool = member(step, "tool");
		struct task *task = &p->tasks[p->count++];

		*task = (struct task){
			.id = member(step, "id"),
			.group = member(step, "group"),
			.agent = member(step, "agent"),
			.tool = tool,
			.depends_on = names_of(t, json_object_get(step, "depends_on")),
			.condition = member(step, "condition"),
			.priority = (int)json_integer_value(json_object_get(step, "priority")),
		};
		if (tool)
			task->json_args = args_of_step(t, tool, filters, step);
	}
	return p;
}

static json_t *step_of(const struct planner_turn *t, const struct task *task)
{
	const struct tool_def *tool =
		task->tool ? catalog_tool(t->core->may.catalog, task->tool) : NULL;
	json_t *step = json_object(), *own = json_object(), *value;
	const char *name;

	json_set_str(step, "id", task->id);
	json_set_str(step, "group", task->group);
	json_set_str(step, "agent", task->agent);
	json_set_str(step, "tool", task->tool);
	json_set_str(step, "condition", task->condition);
	json_object_foreach((json_t *)task->json_args, name, value)
		json_object_set(own, tool_param(tool, name)->filter, value);
	json_set_take(step, "own", own);
	return step;
}

json_t *steps_from_plan(const struct planner_turn *t, const struct plan *p)
{
	json_t *steps = json_own(t->core->arena, json_array());

	for (size_t i = 0; i < p->count; i++)
		if (!p->tasks[i].ask)
			json_push_take(steps, step_of(t, &p->tasks[i]));
	return steps;
}

/* ---- storing and running again ---- */

void steps_store(struct planner_turn *t, const char *question, const json_t *steps,
		 const json_t *filters)
{
	t->work->spec = json_own(t->core->arena, json_object());
	json_set_str(t->work->spec, "question", question);
	json_set_str(t->work->spec, "intent", t->reading->intent);
	json_object_set(t->work->spec, "filters", (json_t *)filters);
	json_object_set(t->work->spec, "steps", (json_t *)steps);
}

/* An edited filter also replaces a step's own filter. */
void steps_edit(json_t *steps, const json_t *edits)
{
	const json_t *step;
	const char *name;
	json_t *value;
	size_t i;

	json_array_foreach(steps, i, step)
		json_object_foreach((json_t *)edits, name, value)
			filters_drop(json_object_get(step, "own"), name);
}

static bool reading_takes(const struct nlu_reading *r, const char *filter)
{
	return r->kind == CANDIDATE_TOOL ? tool_param_of_filter(r->def, filter) != NULL
					 : flow_uses_filter(r->def, filter);
}

/* The arguments of the reading's call beyond the question; NULL: none. */
static json_t *filters_of_reading(const struct nlu_reading *r)
{
	json_t *own;

	if (!r->args)
		return NULL;
	own = json_object();
	for (size_t i = 0; i < r->args->count; i++) {
		const struct arg *arg = &r->args->items[i];

		json_set_take(own, tool_param(r->def, arg->name)->filter, arg_json(arg));
	}
	return own;
}

const json_t *steps_from_reading(const struct turn_core *core, const struct understanding *u,
				 const struct nlu_reading *r)
{
	json_t *values = json_own(core->arena, nlu_values(u)), *value;
	json_t *filters = json_object(), *spec, *steps = json_array();
	const struct flow_def *flow = r->kind == CANDIDATE_TOOL ? NULL : r->def;
	const char *name;

	json_object_foreach(values, name, value)
		if (reading_takes(r, name))
			json_object_set(filters, name, value);
	if (!flow)
		json_push_take(steps,
			       json_make({"id", json_str("t1")}, {"agent", json_str(r->agent)},
					 {"tool", json_str(r->name)},
					 {"own", filters_of_reading(r)}));
	spec = json_own(
		core->arena,
		json_make({"question", json_str(core->request.content)},
			  {"intent",
			   json_str(catalog_domain_of_agent(core->may.catalog, r->agent)->intent)},
			  {"filters", filters}, {"steps", steps}));
	if (flow)
		json_set_take(spec, "flow", stored_flow_json(flow, core->arena));
	return spec;
}
