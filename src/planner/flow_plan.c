/* Flows become plans: their lines with the filters that stand, dates counted from today. */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/condition.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/ref.h"

/* ---- questions ---- */

static bool is_about_results(const struct condition *c)
{
	for (size_t i = 0; i < c->term_count; i++)
		if (c->terms[i].kind != TERM_MISSING)
			return true;
	return false;
}

const struct flow_line *flow_open_question(const struct flow_def *f, const json_t *filters,
					   struct arena *a)
{
	const struct ref_scope nothing = {0};

	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];

		if (l->kind == FLOW_ASK && !filters_find(filters, l->filter) &&
		    (!l->when || is_about_results(l->when) ||
		     condition_met(l->when, &nothing, filters, a)))
			return l;
	}
	return NULL;
}

bool flow_takes(const struct flow_def *f, const char *filter)
{
	if (flow_ask(f, filter))
		return true;
	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].tool && tool_param_of_filter(f->lines[i].tool, filter))
			return true;
	return false;
}

/* ---- tasks ---- */

struct maker {
	const struct flow_def *flow;
	const struct catalog_view *may;
	const json_t *filters;
	struct date today;
	struct arena *arena;
	struct plan *plan;
};

/* "today-7d" as a day; what is no such date stays. */
static json_t *day_of(const struct maker *m, json_t *value)
{
	char iso[DATE_ISO_BYTES];
	struct date day;

	if (!json_is_string(value) || !date_parse_value(json_string_value(value), m->today, &day))
		return value;
	date_iso(day, iso);
	return json_own(m->arena, json_str(iso));
}

/* The flow's own agent where it may use the tool. */
static const char *agent_of(const struct maker *m, const struct flow_line *l)
{
	if (!l->tool)
		return l->agent;
	return catalog_allows(m->may, l->tool, m->flow->agent) ? m->flow->agent
							       : catalog_agent_in(m->may, l->tool);
}

static bool is_allowed(const struct maker *m, const struct flow_line *l)
{
	if (l->tool)
		return catalog_allows(m->may, l->tool, NULL);
	for (size_t i = 0; i < m->may->domain_count; i++)
		if (strcmp(m->may->domains[i]->agent, l->agent) == 0)
			return true;
	return false;
}

/* What the line names, over the filters that stand. */
static json_t *args_of(const struct maker *m, const struct flow_line *l)
{
	json_t *args = json_own(
		m->arena, json_copy((json_t *)filters_as_args(l->tool, m->filters, m->arena)));
	const char *name;
	json_t *value;

	json_object_foreach(l->values, name, value) {
		const struct param_def *p = tool_param(l->tool, name);

		arg_set(args, p, p->type == PARAM_DATE ? day_of(m, value) : value);
	}
	return args;
}

static struct task *add_task(struct maker *m, const struct flow_line *l, const char *id)
{
	struct task *t = &m->plan->tasks[m->plan->count++];

	*t = (struct task){
		.id = id,
		.agent = agent_of(m, l),
		.tool = l->tool ? l->tool->name : NULL,
		.condition = l->condition,
	};
	if (l->tool)
		t->json_args = args_of(m, l);
	if (!is_allowed(m, l)) {
		t->state = TASK_SKIPPED;
		t->why = "you do not have permission to see it";
	}
	return t;
}

/* A task for each value of a filter. */
static void add_each(struct maker *m, const struct flow_line *l, const json_t *values)
{
	const struct param_def *p = tool_param_of_filter(l->tool, l->each);
	size_t n = json_array_size(values);

	for (size_t i = 0; i < n && i < FLOW_EACH_MAX; i++) {
		struct task *t = add_task(m, l, arena_printf(m->arena, "%s.%zu", l->id, i + 1));

		t->group = l->id;
		arg_set((json_t *)t->json_args, p, json_array_get(values, i));
		t->left_out = n > FLOW_EACH_MAX && i == 0 ? n - FLOW_EACH_MAX : 0;
	}
}

static void add_shows(struct plan *p, const struct flow_def *f, struct arena *a)
{
	struct task_show *shows = arena_alloc(a, sizeof(*shows) * (f->line_count + 1));

	for (size_t i = 0; i < f->line_count; i++)
		if (f->lines[i].kind == FLOW_SHOW)
			shows[p->show_count++] =
				(struct task_show){f->lines[i].id, f->lines[i].component,
						   f->lines[i].values, f->lines[i].when};
	p->shows = shows;
}

struct plan *flow_plan(const struct flow_def *f, const struct catalog_view *may,
		       const json_t *filters, struct date today, struct arena *a)
{
	struct plan *p = arena_alloc(a, sizeof(*p));
	struct maker m = {f, may, filters, today, a, p};

	*p = (struct plan){
		.id = "p1",
		.origin = PLAN_FLOW,
		.flow = f,
		.tasks = arena_alloc(a, sizeof(*p->tasks) * (PLAN_TASKS_MAX + 1)),
		.filters = filters,
	};
	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];
		const json_t *values =
			l->kind == FLOW_DO && l->each ? filters_find(filters, l->each) : NULL;

		if (json_is_array(values))
			add_each(&m, l, values);
		else if (l->kind == FLOW_DO)
			add_task(&m, l, l->id);
	}
	add_shows(p, f, a);
	return p;
}
