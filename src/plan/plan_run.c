/*
 * Runs a plan: starts each task whose dependencies are completed, in parallel, and reports when
 * all have ended. A task that can no longer run is skipped with a reason: a failed or skipped
 * dependency, an unmet condition, or a missing reference.
 */
#include "vesper/plan.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

struct plan_run {
	struct loop *loop;
	struct plan *plan;
	struct arena *arena;
	plan_run_task run;
	plan_cb cb;
	void *owner;
	struct op *ops[FLOW_LINES_MAX]; /* running operations, by task index */
	struct deferred advance;
	bool is_starting; /* inside start_tasks; completions do not start further tasks */
};

enum readiness { READY, WAITING, BLOCKED };

static const struct task *find(const struct plan *p, const char *id)
{
	for (size_t i = 0; i < p->count; i++)
		if (strcmp(p->tasks[i].id, id) == 0)
			return &p->tasks[i];
	assert(false); /* checked by plan_check */
	return NULL;
}

static bool has_ended(const struct task *t)
{
	return t->state != TASK_PENDING && t->state != TASK_RUNNING;
}

/* Returns true when the task was expected to have a result and has none. */
static bool lacks_result(const struct task *t)
{
	return t->state == TASK_FAILED || (t->state == TASK_SKIPPED && t->skipped != SKIP_UNNEEDED);
}

/* Waits for all dependencies, since the skip reason depends on all of them. */
static enum readiness task_readiness(const struct plan *p, const struct task *t)
{
	bool is_blocked = false;

	for (const char *const *d = t->depends_on; d && *d; d++) {
		const struct task *dependency = find(p, *d);

		if (!has_ended(dependency) || dependency->state == TASK_ASKED)
			return WAITING;
		is_blocked = is_blocked || dependency->state != TASK_COMPLETED;
	}
	for (const char *const *d = t->waits_for; d && *d && !is_blocked; d++)
		if (!has_ended(find(p, *d)))
			return WAITING;
	return is_blocked ? BLOCKED : READY;
}

/* A task that depends only on unnecessary tasks is unnecessary too. */
static enum skip_reason skip_reason_of(const struct plan *p, const struct task *t)
{
	for (const char *const *d = t->depends_on; *d; d++)
		if (lacks_result(find(p, *d)))
			return SKIP_EARLIER;
	return SKIP_UNNEEDED;
}

static bool skip_task(struct task *t, enum skip_reason reason)
{
	t->state = TASK_SKIPPED;
	t->skipped = reason;
	return false;
}

const char *task_skip_text(const struct task *t, const struct language *l, struct arena *a)
{
	static const enum sentence sentences[] = {
		[SKIP_CONDITION] = SAY_SKIP_CONDITION,   [SKIP_UNNEEDED] = SAY_SKIP_CONDITION,
		[SKIP_EARLIER] = SAY_SKIP_EARLIER,       [SKIP_VALUE] = SAY_SKIP_VALUE,
		[SKIP_PERMISSION] = SAY_SKIP_PERMISSION,
	};

	return sentence(l, sentences[t->skipped], a);
}

static bool is_met(const struct plan_run *r, const struct task *t)
{
	struct ref_scope earlier = plan_dependency_results(r->plan, t, r->arena);

	return !t->when || condition_is_met(t->when, &earlier, r->plan->filters, r->arena);
}

static bool is_about_filters(const struct condition *c)
{
	for (size_t i = 0; i < c->term_count; i++)
		if (c->terms[i].kind != TERM_MISSING)
			return false;
	return true;
}

/* Returns true when the task, or all tasks of the group, had no result. */
static bool has_no_result(const struct plan *p, const char *name)
{
	bool is_found = false;

	for (size_t i = 0; i < p->count; i++) {
		const struct task *t = &p->tasks[i];

		if (strcmp(t->id, name) != 0 && (!t->group || strcmp(t->group, name) != 0))
			continue;
		if (!lacks_result(t))
			return false;
		is_found = true;
	}
	return is_found;
}

/* A flow's author defined its conditions, so an unmet one is not a gap, unless the result it tests
 * is missing. A model's unmet condition is reported, since it was not reviewed. */
static enum skip_reason unmet_reason(const struct plan *p, const struct condition *c)
{
	if (is_about_filters(c))
		return SKIP_UNNEEDED;
	for (size_t i = 0; i < c->term_count; i++)
		if (c->terms[i].kind != TERM_MISSING && has_no_result(p, c->terms[i].ref.source))
			return SKIP_EARLIER;
	return p->flow ? SKIP_UNNEEDED : SKIP_CONDITION;
}

/* Checks condition and references of a ready task. Skips it when they fail. */
static bool task_prepare(const struct plan_run *r, struct task *t)
{
	struct ref_scope earlier = plan_dependency_results(r->plan, t, r->arena);
	struct err ignored = {0};
	size_t left_out = 0;

	if (!is_met(r, t))
		return skip_task(t, unmet_reason(r->plan, t->when));
	if (t->json_args &&
	    !ref_fill(&earlier, t->json_args, r->arena, &t->json_args, &left_out, &ignored))
		return skip_task(t, SKIP_VALUE);
	t->left_out += left_out;
	t->state = TASK_RUNNING;
	return true;
}

/* No task starts after an open question. */
static bool all_ended(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].state == TASK_RUNNING ||
		    (p->tasks[i].state == TASK_PENDING && !p->open))
			return false;
	return true;
}

/* A question with an unmet condition counts as completed. */
static void end_question(struct plan_run *r, struct task *t)
{
	bool is_open = is_met(r, t);

	t->state = is_open ? TASK_ASKED : TASK_COMPLETED;
	if (is_open)
		r->plan->open = t;
}

/* The first ready or blocked task with the lowest priority value. */
static struct task *next_task(const struct plan *p, enum readiness *out)
{
	struct task *next = NULL;

	for (size_t i = 0; i < p->count; i++) {
		struct task *t = &p->tasks[i];
		enum readiness readiness;

		if (t->state != TASK_PENDING || (next && t->priority >= next->priority))
			continue;
		readiness = task_readiness(p, t);
		if (readiness == WAITING)
			continue;
		next = t;
		*out = readiness;
	}
	return next;
}

static void start_task(struct plan_run *r, struct task *t)
{
	struct op *op = r->run(r->owner, r, t);

	if (t->state == TASK_RUNNING)
		r->ops[t - r->plan->tasks] = op;
}

/* A skipped or immediately completed task may make others ready or blocked, so this repeats until
 * none is left. */
static void start_tasks(struct plan_run *r)
{
	enum readiness readiness = WAITING;

	r->is_starting = true;
	for (struct task *t; !r->plan->open && (t = next_task(r->plan, &readiness));) {
		if (readiness == BLOCKED)
			skip_task(t, skip_reason_of(r->plan, t));
		else if (t->ask)
			end_question(r, t);
		else if (task_prepare(r, t))
			start_task(r, t);
	}
	r->is_starting = false;
}

static void finish_run(struct plan_run *r)
{
	plan_cb cb = r->cb;
	void *owner = r->owner;

	deferred_cancel(&r->advance);
	mem_free(r);
	cb(owner);
}

static void on_advance(void *owner)
{
	struct plan_run *r = owner;

	start_tasks(r);
	if (all_ended(r->plan))
		finish_run(r);
}

struct plan_run *plan_start(struct loop *l, struct plan *p, struct arena *a, plan_run_task run,
			    plan_cb cb, void *owner)
{
	struct plan_run *r = mem_alloc(sizeof(*r));

	assert(p->count > 0 && p->count <= FLOW_LINES_MAX); /* checked by plan_check */
	*r = (struct plan_run){
		.loop = l, .plan = p, .arena = a, .run = run, .cb = cb, .owner = owner};
	start_tasks(r);
	if (all_ended(p))
		loop_defer(l, &r->advance, on_advance, r);
	return r;
}

void plan_task_done(struct plan_run *r, struct task *task, bool completed)
{
	size_t i = (size_t)(task - r->plan->tasks);

	assert(i < r->plan->count && task->state == TASK_RUNNING);
	task->state = completed ? TASK_COMPLETED : TASK_FAILED;
	r->ops[i] = NULL;
	if (r->is_starting)
		return;
	if (all_ended(r->plan))
		finish_run(r);
	else
		loop_defer(r->loop, &r->advance, on_advance, r);
}

void plan_cancel(struct plan_run **run)
{
	struct plan_run *r = *run;

	*run = NULL;
	if (!r)
		return;
	deferred_cancel(&r->advance);
	for (size_t i = 0; i < r->plan->count; i++)
		op_cancel(&r->ops[i]);
	mem_free(r);
}
