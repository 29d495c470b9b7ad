/* The list of agents for programs: abilities, inputs and outputs. All data comes from front matter
 * and tool headers. */
#include "../catalog_int.h"

#include <string.h>

#include "vesper/json.h"

static bool has_name(const json_t *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, item)
		if (strcmp(json_string_value(json_object_get(item, "name")), name) == 0)
			return true;
	return false;
}

static void add_inputs(json_t *inputs, const struct tool_def *t)
{
	for (size_t i = 0; i < t->param_count; i++) {
		const struct param_def *p = &t->params[i];

		if (has_name(inputs, p->name))
			continue;
		json_push_take(inputs, json_make({"name", json_str(p->name)},
						 {"type", json_str(param_type_name(p->type))},
						 {"about", json_str(p->about)}));
	}
}

static void add_output(json_t *outputs, const char *kind, const char *name, const char *unit,
		       const char *about)
{
	if (!has_name(outputs, name))
		json_push_take(outputs,
			       json_make({"kind", json_str(kind)}, {"name", json_str(name)},
					 {"unit", json_str(unit)}, {"about", json_str(about)}));
}

static void add_outputs(json_t *outputs, const struct tool_def *t, const struct principal *who)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct column_def *c = &t->columns[i];

		if (may(who, c->permission))
			add_output(outputs, "column", c->name, c->unit,
				   c->label ? c->label : c->name);
	}
	for (size_t i = 0; i < t->fact_count; i++)
		add_output(outputs, "fact", t->facts[i].name, t->facts[i].unit, t->facts[i].about);
}

static json_t *flows_of(const struct catalog_view *v, const char *agent)
{
	json_t *flows = json_array();

	for (size_t i = 0; i < v->flow_count; i++)
		if (strcmp(v->flows[i]->agent, agent) == 0)
			json_push_take(flows, json_str(v->flows[i]->name));
	return flows;
}

/* A question that runs the flow unchanged: the first example without a placeholder. */
static json_t *starter_of(const struct flow_def *f)
{
	for (const char *const *e = f->examples; e && *e; e++)
		if (!strchr(*e, '{'))
			return json_str(*e);
	return NULL;
}

/* Returns true when the starter question is for this caller. */
static bool is_offered(const struct catalog_view *v, const struct starter_def *s,
		       const struct principal *who)
{
	return catalog_allows_step(v, s->tool) &&
	       (!s->roles || !who || strlist_has(s->roles, catalog_role_of(v->catalog, who)));
}

/* The first agent offers questions for tools that any agent may call. */
static const char *agent_of(const struct catalog_view *v, const struct starter_def *s)
{
	return s->tool->map && v->domain_count > 0 ? v->domains[0]->agent
						   : catalog_agent_in(v, s->tool);
}

/* Starter questions of the pack come first, then those of flows. */
static json_t *starters_of(const struct catalog_view *v, const char *agent,
			   const struct principal *who)
{
	json_t *starters = json_array();

	for (size_t i = 0; i < v->catalog->starter_count; i++) {
		const struct starter_def *s = &v->catalog->starters[i];

		if (is_offered(v, s, who) && strcmp(agent_of(v, s), agent) == 0)
			json_push_take(starters, json_str(s->question));
	}
	for (size_t i = 0; i < v->flow_count; i++)
		if (strcmp(v->flows[i]->agent, agent) == 0) {
			json_t *starter = starter_of(v->flows[i]);

			if (starter)
				json_push_take(starters, starter);
		}
	return starters;
}

struct agent_lists {
	json_t *capabilities, *inputs, *outputs;
};

static void add_tool(const struct agent_lists *l, const struct tool_def *t,
		     const struct principal *who)
{
	json_push_take(l->capabilities,
		       json_make({"tool", json_str(t->name)}, {"about", json_str(t->about)}));
	add_inputs(l->inputs, t);
	add_outputs(l->outputs, t, who);
}

static json_t *agent_json(const struct catalog_view *v, const struct domain_def *d,
			  const struct principal *who)
{
	const struct agent_lists l = {json_array(), json_array(), json_array()};
	json_t *examples = json_array();

	for (const char *const *e = d->examples; e && *e; e++)
		json_push_take(examples, json_str(*e));
	for (size_t i = 0; i < d->tool_count; i++)
		if (catalog_allows(v, d->tools[i], d->agent))
			add_tool(&l, d->tools[i], who);
	/* Analysis tools are listed for their agent only. */
	for (size_t i = 0; i < v->agent_tool_count; i++)
		if (v->agent_tools[i]->analysis.groups &&
		    strlist_has(v->agent_tools[i]->callers.agents, d->agent))
			add_tool(&l, v->agent_tools[i], who);
	return json_make({"agent", json_str(d->agent)}, {"name", json_str(d->name)},
			 {"about", json_str(d->about)}, {"capabilities", l.capabilities},
			 {"examples", examples}, {"inputs", l.inputs}, {"outputs", l.outputs},
			 {"flows", flows_of(v, d->agent)},
			 {"starters", starters_of(v, d->agent, who)});
}

json_t *catalog_agents_json(const struct catalog_view *v, const struct principal *who)
{
	json_t *agents = json_array();

	for (size_t i = 0; i < v->domain_count; i++)
		json_push_take(agents, agent_json(v, v->domains[i], who));
	return agents;
}
