/* Turns a flow into a plan: its lines with the current filters, and dates relative to today. */
#include "vesper/planner.h"

#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/ref.h"
#include "vesper/strlist.h"

bool flow_uses_filter(const struct flow_def *f, const char *filter)
{
	if (flow_ask(f, filter))
		return true;
	for (size_t i = 0; i < f->line_count; i++)
		if (flow_line_param(&f->lines[i], filter))
			return true;
	return false;
}

/* ---- tasks ---- */

struct builder {
	const struct flow_def *flow;
	const struct catalog_view *may;
	const json_t *filters;
	const json_t *instead;
	struct date today;
	struct arena *arena;
	struct plan *plan;
};

/* Converts "today-7d" to a date; other values stay unchanged. */
static json_t *resolve_date(const struct builder *m, json_t *value)
{
	char iso[DATE_ISO_BYTES];
	struct date day;

	if (!json_is_string(value) || !date_parse_value(json_string_value(value), m->today, &day))
		return value;
	date_iso(day, iso);
	return json_own(m->arena, json_str(iso));
}

static json_t *fill_query(const struct builder *m, const json_t *value)
{
	return json_own(m->arena,
			json_str(flow_query_fill(json_string_value(value), m->filters, m->arena)));
}

/* The flow's own agent if it may use the tool. */
static const char *agent_of(const struct builder *m, const struct flow_line *l)
{
	if (!l->tool)
		return l->agent;
	if (l->tool->map && strlist_has(l->tool->callers.agents, m->flow->agent))
		return m->flow->agent;
	return catalog_allows(m->may, l->tool, m->flow->agent) ? m->flow->agent
							       : catalog_agent_in(m->may, l->tool);
}

static bool is_allowed(const struct builder *m, const struct flow_line *l)
{
	if (l->tool)
		return catalog_allows_step(m->may, l->tool);
	for (size_t i = 0; i < m->may->domain_count; i++)
		if (strcmp(m->may->domains[i]->agent, l->agent) == 0)
			return true;
	return false;
}

/* Returns true when the line's value found nothing and the user was asked for another. */
static bool is_replaced(const struct builder *m, const char *filter)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)m->instead, i, item)
		if (strcmp(json_string_value(item), filter) == 0)
			return true;
	return false;
}

/* The filters as arguments, with the line's fixed values over them. */
static json_t *args_of(const struct builder *m, const struct flow_line *l)
{
	json_t *args = json_own(
		m->arena, json_copy((json_t *)filters_as_args(l->tool, m->filters, m->arena)));
	const char *name;
	json_t *value;

	json_object_foreach(l->values, name, value) {
		const struct param_def *p = tool_param(l->tool, name);

		if (is_replaced(m, p->filter))
			continue;
		arg_set(args, p,
			p->is_query             ? fill_query(m, value)
			: p->type == PARAM_DATE ? resolve_date(m, value)
						: value);
	}
	return args;
}

/* ---- questions ---- */

/* The id of a question, which no task of a flow can have. */
static const char *ask_id(const struct builder *m, const char *filter)
{
	return arena_printf(m->arena, "ask.%s", filter);
}

/* Returns true when a task of this caller takes the answer. */
static bool is_needed(const struct builder *m, const char *filter)
{
	for (size_t i = 0; i < m->flow->line_count; i++)
		if (flow_answer_param(&m->flow->lines[i], filter) &&
		    is_allowed(m, &m->flow->lines[i]))
			return true;
	return false;
}

static bool is_unanswered(const struct builder *m, const struct flow_line *ask)
{
	return !filters_find(m->filters, ask->filter) && is_needed(m, ask->filter);
}

/* A task after a question waits for the answer it takes. A task before it does not, since the
 * choices may come from its result. */
static void wait_for_answers(const struct builder *m, const struct flow_line *l, struct task *t)
{
	const char **ids = arena_alloc(m->arena, (m->flow->line_count + 1) * sizeof(*ids));
	size_t n = 0;

	for (const struct flow_line *ask = m->flow->lines; ask < l; ask++)
		if (ask->kind == FLOW_ASK && is_unanswered(m, ask) &&
		    flow_answer_param(l, ask->filter))
			ids[n++] = ask_id(m, ask->filter);
	if (n > 0)
		t->depends_on = ids;
}

static struct task *add_task(struct builder *m, const struct flow_line *l, const char *id)
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
	wait_for_answers(m, l, t);
	if (!is_allowed(m, l)) {
		t->state = TASK_SKIPPED;
		t->skipped = SKIP_PERMISSION;
	}
	return t;
}

/* Before other tasks: an answer may make them unnecessary. */
#define ASK_PRIORITY (-1)

static void add_ask(struct builder *m, const struct flow_line *l)
{
	if (is_unanswered(m, l))
		m->plan->tasks[m->plan->count++] = (struct task){
			.id = ask_id(m, l->filter),
			.ask = l,
			.condition = l->condition,
			.priority = ASK_PRIORITY,
		};
}

/* Adds one task per value of a filter. */
static void add_each(struct builder *m, const struct flow_line *l, const json_t *values)
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
		       const json_t *filters, const json_t *instead, struct date today,
		       struct arena *a)
{
	struct plan *p = arena_alloc(a, sizeof(*p));
	struct builder m = {f, may, filters, instead, today, a, p};

	*p = (struct plan){
		.id = "p1",
		.origin = f->own ? PLAN_APPROVED : PLAN_FLOW,
		.flow = f,
		.tasks = arena_alloc(a, sizeof(*p->tasks) * (FLOW_LINES_MAX + 1)),
		.filters = filters,
	};
	for (size_t i = 0; i < f->line_count; i++) {
		const struct flow_line *l = &f->lines[i];
		const json_t *values =
			l->kind == FLOW_DO && l->each ? filters_find(filters, l->each) : NULL;

		if (json_array_size(values) > 0)
			add_each(&m, l, values);
		else if (l->kind == FLOW_DO)
			add_task(&m, l, l->id);
		else if (l->kind == FLOW_ASK)
			add_ask(&m, l);
	}
	add_shows(p, f, a);
	return p;
}
