/*
 * Builds plans from what code understood, what the supervisor chose, or a stored plan with edited
 * filters. The plan's filters and calls then replace the understanding.
 */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"

void planner_begin(struct planner_turn *t)
{
	t->reading->intent = "general";
	t->reading->aliases = json_own(t->core->arena, json_object());
	t->work->next_call = 1;
}

/* ---- reading by code ---- */

void planner_use_documents(struct planner_turn *t, const struct find_reach *reach)
{
	t->reading->documents = reach;
}

void planner_understand(struct planner_turn *t, const struct nlu_input *in)
{
	nlu_understand(t->core->nlu, in, t->core->arena, &t->reading->understood);
	t->reading->intent = t->reading->understood.intent;
}

/* Returns the call that code reads with confidence but the caller may not make, or NULL. Runs
 * nothing. */
const struct nlu_call *planner_forbidden(struct planner_turn *t)
{
	const struct turn_core *core = t->core;
	struct catalog_view all;
	struct understanding u;
	const struct nlu_input in = {.question = core->request.content,
				     .tenant = core->who->tenant,
				     .may = &all,
				     .today = core->today,
				     .calendar = core->calendar};

	if (t->reading->understood.confidence >= NLU_CONFIDENT &&
	    t->reading->understood.kind == NLU_DATA)
		return NULL;
	catalog_for_all(core->may.catalog, core->arena, &all);
	if (all.tool_count == core->may.tool_count)
		return NULL;
	nlu_understand(core->nlu, &in, core->arena, &u);
	if (u.tool_count == 0 || u.confidence < NLU_CONFIDENT ||
	    catalog_allows(&core->may, u.tools[0].tool, NULL))
		return NULL;
	return &u.tools[0];
}

void planner_collect_known_filters(struct planner_turn *t)
{
	t->reading->known = json_own(t->core->arena, nlu_values(&t->reading->understood));
}

void planner_discard_plan(struct planner_turn *t, const struct understanding *u)
{
	t->reading->understood = *u;
	t->work->spec = NULL;
}

/* ---- plans ---- */

struct plan *plan_from_understanding(struct planner_turn *t)
{
	const struct understanding *u = &t->reading->understood;
	struct plan *p = arena_alloc(t->core->arena, sizeof(*p));

	p->id = "p1";
	p->origin = PLAN_ROUTER;
	p->tasks = arena_alloc(t->core->arena, sizeof(*p->tasks) * u->tool_count);
	for (size_t i = 0; i < u->tool_count && i < PLAN_TASKS_MAX; i++) {
		struct task *task = &p->tasks[p->count++];

		task->id = arena_printf(t->core->arena, "t%zu", p->count);
		task->agent = u->tools[i].agent;
		task->tool = u->tools[i].tool->name;
		task->args = &u->tools[i].args;
	}
	return p;
}

struct plan *plan_from_chain(struct planner_turn *t, const json_t *standing)
{
	json_t *filters = json_own(t->core->arena, json_object()), *steps;

	if (!chain_understand(t, standing, &steps))
		return NULL;
	steps_store(t, t->core->request.content, steps, filters);
	return steps_plan(t, PLAN_ROUTER, steps, filters);
}

/* Input of a flow's plan: filters from the question, the session context and edits. */
struct flow_filters {
	const char *question;
	json_t *values;
	const json_t *standing, *edits;
	const json_t *instead; /* as in flow_plan */
	enum filter_source source;
};

static struct plan *plan_of_flow(struct planner_turn *t, const struct flow_def *f,
				 const struct flow_filters *in, struct clarification *ask)
{
	const struct turn_core *core = t->core;
	bool is_resolved = filters_resolve(t, in->values, ask);
	struct plan *p =
		flow_plan(f, &core->may, in->values, in->instead, core->today, core->arena);
	json_t *steps = steps_from_plan(t, p);

	steps_set_understanding(t, catalog_domain_of_agent(core->may.catalog, f->agent)->intent,
				steps);
	steps_store(t, in->question, steps, in->values);
	json_set_take(t->work->spec, "flow", stored_flow_json(f, core->arena));
	json_object_set(t->work->spec, "instead", (json_t *)in->instead);
	filters_set_understanding(t, in->values, in->standing, in->edits, in->source);
	return is_resolved ? p : NULL;
}

struct plan *plan_from_named_flow(struct planner_turn *t, const json_t *standing,
				  struct clarification *ask)
{
	const struct understanding *u = &t->reading->understood;
	json_t *filters = json_own(t->core->arena, nlu_values(u));

	return plan_of_flow(t, u->flow,
			    &(struct flow_filters){t->core->request.content, filters, standing,
						   NULL, NULL, SOURCE_EXPLICIT},
			    ask);
}

static void mark_aliases(struct planner_turn *t, const struct filter *filters, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (filters[i].source == SOURCE_ALIAS)
			json_set_str(t->reading->aliases, filters[i].name, "alias");
}

static bool has_question(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].ask)
			return true;
	return false;
}

struct plan *plan_prefer_approved(struct planner_turn *t, struct plan *p, const json_t *standing)
{
	const struct understanding before = t->reading->understood;
	json_t *spec = t->work->spec, *filters;
	const char *question = json_string_value(json_object_get(spec, "question"));
	const struct flow_def *flow = approved_match(&t->core->may, p, t->core->arena, &filters);
	struct clarification unused;
	struct plan *approved;

	if (!flow)
		return p;
	mark_aliases(t, before.filters, before.filter_count);
	approved = plan_of_flow(
		t, flow,
		&(struct flow_filters){.question = question ? question : t->core->request.content,
				       .values = filters,
				       .standing = standing,
				       .source = SOURCE_EXPLICIT},
		&unused);
	if (!approved || has_question(approved)) {
		planner_discard_plan(t, &before);
		t->work->spec = spec;
		return p;
	}
	if (before.filter_count > 0) { /* keep the user's wording */
		t->reading->understood.filters = before.filters;
		t->reading->understood.filter_count = before.filter_count;
	}
	return approved;
}

struct plan *plan_from_stored(struct planner_turn *t, const json_t *stored, const json_t *standing,
			      const json_t *edits, enum filter_source source,
			      struct clarification *ask)
{
	struct arena *a = t->core->arena;
	const struct flow_def *flow = stored_flow(t, stored);
	const char *question = json_string_value(json_object_get(stored, "question"));
	const char *intent = json_string_value(json_object_get(stored, "intent"));
	json_t *steps = json_own(a, json_deep_copy(json_object_get(stored, "steps")));
	json_t *filters = json_own(a, json_deep_copy(json_object_get(stored, "filters")));
	bool is_resolved;

	filters_edit(filters, edits);
	if (flow)
		return plan_of_flow(t, flow,
				    &(struct flow_filters){question, filters, standing, edits,
							   json_object_get(stored, "instead"),
							   source},
				    ask);
	steps_edit(steps, edits);
	steps_set_understanding(t, intent ? intent : "general", steps);
	is_resolved = steps_resolve(t, steps, filters, ask);
	steps_store(t, question, steps, filters);
	filters_set_understanding(t, steps_filters(t, steps, filters), standing, edits, source);
	return is_resolved ? steps_plan(t, PLAN_ASK, steps, filters) : NULL;
}

/* ---- the supervisor's choice ---- */

bool planner_read_reply(struct planner_turn *t, const char *text, struct supervisor_reply *out,
			struct err *e)
{
	if (!supervisor_parse(text, strlen(text), &t->core->may, t->core->arena, out, e))
		return false;
	t->reading->intent = out->intent;
	return true;
}

static bool is_used(const struct planner_turn *t, const struct supervisor_reply *r,
		    const char *filter)
{
	const json_t *step;
	size_t i;

	if (r->flow)
		return flow_uses_filter(r->flow, filter);
	json_array_foreach(r->steps, i, step) {
		const char *tool = json_string_value(json_object_get(step, "tool"));

		if (!tool || tool_param_of_filter(catalog_tool(t->core->may.catalog, tool), filter))
			return true;
	}
	return false;
}

/* Filters read by code stay unless the model overrides them. Only filters that a step uses are
 * kept. */
static json_t *filters_of_reply(struct planner_turn *t, const struct supervisor_reply *r)
{
	const struct understanding *u = &t->reading->understood;
	json_t *filters = json_own(t->core->arena, json_object()), *value;
	const char *name;

	json_object_foreach(t->reading->known, name, value)
		if (is_used(t, r, name))
			json_object_set(filters, name, value);
	mark_aliases(t, u->filters, u->filter_count);
	mark_aliases(t, u->parsed_filters, u->parsed_filter_count);
	filters_edit(filters, r->filters);
	return filters;
}

struct plan *plan_from_reply(struct planner_turn *t, const struct supervisor_reply *r,
			     const json_t *standing, struct clarification *ask)
{
	json_t *filters = filters_of_reply(t, r);
	bool is_resolved;

	if (r->flow)
		return plan_of_flow(t, r->flow,
				    &(struct flow_filters){t->core->request.content, filters,
							   standing, NULL, NULL, SOURCE_EXPLICIT},
				    ask);
	steps_set_understanding(t, r->intent, r->steps);
	is_resolved = steps_resolve(t, r->steps, filters, ask);
	steps_store(t, t->core->request.content, r->steps, filters);
	filters_set_understanding(t, steps_filters(t, r->steps, filters), standing, NULL,
				  SOURCE_EXPLICIT);
	return is_resolved ? steps_plan(t, PLAN_SUPERVISOR, r->steps, filters) : NULL;
}
