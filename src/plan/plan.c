/*
 * Checks plans before they run: unique ids, existing dependencies, and the wave of each task.
 * Pure, so that plans of any origin (router, model, stored flow) follow the same rules.
 */
#include "vesper/plan.h"

#include <assert.h>
#include <string.h>

#include "vesper/flow.h"
#include "vesper/json.h"
#include "vesper/limits.h"

const char *plan_origin_name(enum plan_origin o)
{
	static const char *const names[] = {
		[PLAN_ROUTER] = "router",     [PLAN_SUPERVISOR] = "supervisor",
		[PLAN_ASK] = "ask",           [PLAN_FLOW] = "flow",
		[PLAN_APPROVED] = "approved", [PLAN_PLANNER] = "planner",
	};

	return names[o];
}

static struct task *find(struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->tasks[i].id, id) == 0)
			return &p->tasks[i];
	return NULL;
}

/* ---- dependencies from references ---- */

static bool has_id(const char *const *ids, const char *id)
{
	for (; ids && *ids; ids++)
		if (strcmp(*ids, id) == 0)
			return true;
	return false;
}

static bool waits_for(const struct task *t, const char *id)
{
	return has_id(t->depends_on, id) || has_id(t->waits_for, id);
}

static void add_id(const char *const **ids, const char *id, struct arena *a)
{
	const char **grown;
	size_t n = 0;

	if (has_id(*ids, id))
		return;
	while (*ids && (*ids)[n])
		n++;
	grown = arena_alloc(a, (n + 2) * sizeof(*grown));
	for (size_t i = 0; i < n; i++)
		grown[i] = (*ids)[i];
	grown[n] = id;
	grown[n + 1] = NULL;
	*ids = grown;
}

/* Waits for all tasks of a group; one completed task suffices. */
static void wait_for(const struct plan *p, struct task *t, const char *id, bool is_required,
		     struct arena *a)
{
	bool is_group = false;

	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].group && strcmp(p->tasks[i].group, id) == 0) {
			is_group = true;
			add_id(&t->waits_for, p->tasks[i].id, a);
		}
	if (!is_group)
		add_id(is_required ? &t->depends_on : &t->waits_for, id, a);
}

/* A question is asked even if the results for its choices failed. */
static bool wait_for_choices(const struct plan *p, struct task *t, struct arena *a, struct err *e)
{
	const struct flow_line *l = t->ask;
	struct ref_need needs[PLAN_TASKS_MAX];
	size_t count = 0;

	if (l->options)
		wait_for(p, t, l->options->task, false, a);
	if (l->skip &&
	    !ref_needs(json_own(a, json_make({"skip", json_incref((json_t *)l->skip_value)})), a,
		       needs, PLAN_TASKS_MAX, &count, e))
		return err_prefix(e, "task %s", t->id);
	for (size_t i = 0; i < count; i++)
		wait_for(p, t, needs[i].id, false, a);
	return true;
}

static bool read_references(struct plan *p, struct task *t, struct arena *a, struct err *e)
{
	struct ref_need needs[PLAN_TASKS_MAX];
	const struct condition_term *terms;
	size_t count;

	p->flaw = PLAN_REFERENCE; /* cleared when all are read */
	if (t->ask && !wait_for_choices(p, t, a, e))
		return false;
	if (!ref_needs(t->json_args, a, needs, PLAN_TASKS_MAX, &count, e))
		return err_prefix(e, "task %s", t->id);
	for (size_t i = 0; i < count; i++) {
		if (needs[i].whole)
			return err_set(e, ERR_INPUT,
				       "task %s must refer to values of %s, not to the whole task",
				       t->id, needs[i].id);
		wait_for(p, t, needs[i].id, !needs[i].optional, a);
	}
	p->flaw = PLAN_VALID;
	if (!t->condition || !*t->condition)
		return true;
	t->when = condition_read(t->condition, a, e);
	if (!t->when) {
		p->flaw = PLAN_CONDITION;
		return err_prefix(e, "condition of task %s", t->id);
	}
	terms = t->when->terms;
	for (size_t i = 0; i < t->when->term_count; i++)
		if (terms[i].kind != TERM_MISSING)
			wait_for(p, t, terms[i].ref.source, false, a);
	return true;
}

/* Removes duplicates, and from `waits_for` the tasks that are also in `depends_on`. */
static void remove_duplicate_ids(struct task *t, struct arena *a)
{
	const char *const *required = t->depends_on, *const *others = t->waits_for;

	t->waits_for = NULL;
	if (required && *required)
		t->depends_on = NULL;
	for (; required && *required; required++)
		add_id(&t->depends_on, *required, a);
	for (; others && *others; others++)
		if (!has_id(t->depends_on, *others))
			add_id(&t->waits_for, *others, a);
}

static bool check_references_exist(struct plan *p, const struct task *t, const char *const *ids,
				   struct err *e)
{
	for (; ids && *ids; ids++)
		if (!find(p, *ids))
			return err_set(e, ERR_INPUT, "task %s depends on %s, which does not exist",
				       t->id, *ids);
	return true;
}

static bool check_ids(struct plan *p, struct err *e)
{
	p->flaw = PLAN_UNKNOWN; /* cleared when all are known */
	for (size_t i = 0; i < p->count; i++) {
		struct task *t = &p->tasks[i];

		if (!t->id || !*t->id)
			return err_set(e, ERR_INPUT, "task %zu has no id", i + 1);
		if (find(p, t->id) != t)
			return err_set(e, ERR_INPUT, "two tasks are named %s", t->id);
		if (!check_references_exist(p, t, t->depends_on, e) ||
		    !check_references_exist(p, t, t->waits_for, e))
			return false;
	}
	p->flaw = PLAN_VALID;
	return true;
}

/* The wave after all of these tasks, or -1 while one has no wave yet. */
static int wave_after_tasks(struct plan *p, const char *const *ids)
{
	int wave = 0;

	for (; ids && *ids; ids++) {
		int before = find(p, *ids)->wave;

		if (before < 0)
			return -1;
		if (before + 1 > wave)
			wave = before + 1;
	}
	return wave;
}

static int wave_for_task(struct plan *p, const struct task *t)
{
	int required = wave_after_tasks(p, t->depends_on),
	    other = wave_after_tasks(p, t->waits_for);

	return required < 0 || other < 0 ? -1 : required > other ? required : other;
}

bool plan_has_dependents(const struct plan *p, const struct task *t)
{
	for (size_t i = 0; i < p->count; i++)
		if (waits_for(&p->tasks[i], t->id))
			return true;
	return false;
}

bool plan_has_questions(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].ask)
			return true;
	return false;
}

static bool check_count(struct plan *p, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++)
		n += !p->tasks[i].ask;
	p->flaw = n == 0                                                ? PLAN_EMPTY
		  : n > PLAN_TASKS_MAX || p->count - n > PLAN_LINES_MAX ? PLAN_TOO_LARGE
									: PLAN_VALID;
	return p->flaw == PLAN_VALID ||
	       err_set(e, ERR_INPUT, "a plan must have 1 to %d tasks, but this one has %zu",
		       PLAN_TASKS_MAX, n);
}

bool plan_check(struct plan *p, struct arena *a, struct err *e)
{
	size_t assigned_count = 0;

	if (!check_count(p, e))
		return false;
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].id && !read_references(p, &p->tasks[i], a, e))
			return false;
	for (size_t i = 0; i < p->count; i++)
		remove_duplicate_ids(&p->tasks[i], a);
	if (!check_ids(p, e))
		return false;
	for (size_t i = 0; i < p->count; i++)
		p->tasks[i].wave = -1;
	for (size_t before = 1; assigned_count < p->count && assigned_count != before;) {
		before = assigned_count;
		for (size_t i = 0; i < p->count; i++) {
			struct task *t = &p->tasks[i];

			if (t->wave >= 0)
				continue;
			t->wave = wave_for_task(p, t);
			assigned_count += t->wave >= 0;
		}
	}
	if (assigned_count < p->count)
		p->flaw = PLAN_CYCLE;
	if (assigned_count < p->count)
		return err_set(e, ERR_INPUT,
			       "the tasks of the plan depend on each other in a cycle");
	return true;
}

static bool has_rows(const struct task *t)
{
	for (size_t i = 0; i < t->result_count; i++)
		if (t->results[i]->outcome.kind == OUTCOME_ROWS)
			return true;
	return false;
}

/* `for_task` NULL: includes all tasks. */
static struct ref_scope scope_of(const struct plan *p, const struct task *for_task, struct arena *a)
{
	struct ref_source *sources = arena_alloc(a, (2 * p->count + 1) * sizeof(*sources));
	size_t n = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct task *t = &p->tasks[i];

		if (for_task && !waits_for(for_task, t->id))
			continue;
		sources[n++] = (struct ref_source){t->id, t->results, t->result_count};
		if (t->group && has_rows(t)) /* lookups return the first source of a name */
			sources[n++] = (struct ref_source){t->group, t->results, t->result_count};
	}
	return (struct ref_scope){sources, n};
}

struct ref_scope plan_dependency_results(const struct plan *p, const struct task *t,
					 struct arena *a)
{
	return scope_of(p, t, a);
}

struct ref_scope plan_results(const struct plan *p, struct arena *a)
{
	return scope_of(p, NULL, a);
}
