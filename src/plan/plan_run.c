/*
 * Runs a plan: starts every task whose dependencies are completed, side by side, and says when all
 * have ended. A task that can't run any more (its dependency failed or was skipped) is skipped.
 */
#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/plan.h"

struct plan_run {
	struct loop *loop;
	struct plan *plan;
	plan_run_task run;
	plan_cb cb;
	void *owner;
	struct op *ops[PLAN_TASKS_MAX]; /* of running tasks, by index */
	struct later advance;
};

enum readiness { READY, WAITING, HOPELESS };

static enum readiness task_readiness(const struct plan *p, const struct task *t)
{
	enum readiness readiness = READY;

	for (const char *const *d = t->depends_on; d && *d; d++)
		for (size_t i = 0; i < p->count; i++) {
			enum task_state state = p->tasks[i].state;

			if (strcmp(p->tasks[i].id, *d) != 0)
				continue;
			if (state == TASK_FAILED || state == TASK_SKIPPED)
				return HOPELESS;
			if (state != TASK_COMPLETED)
				readiness = WAITING;
		}
	return readiness;
}

static bool all_ended(const struct plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->tasks[i].state == TASK_PENDING || p->tasks[i].state == TASK_RUNNING)
			return false;
	return true;
}

/* Tasks stand in the order of their waves only by chance, so one pass may make a further task
 * hopeless: go on until nothing changes. Starting never ends a task from inside, so `ops` is
 * complete when a completion comes. */
static void on_advance(void *owner)
{
	struct plan_run *r = owner;
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < r->plan->count; i++) {
			struct task *t = &r->plan->tasks[i];
			enum readiness readiness;

			if (t->state != TASK_PENDING)
				continue;
			readiness = task_readiness(r->plan, t);
			if (readiness == WAITING)
				continue;
			changed = true;
			t->state = readiness == READY ? TASK_RUNNING : TASK_SKIPPED;
			if (readiness == READY)
				r->ops[i] = r->run(r->owner, t);
		}
	}
	if (all_ended(r->plan)) {
		plan_cb cb = r->cb;
		void *cb_owner = r->owner;

		mem_free(r);
		cb(cb_owner);
	}
}

struct plan_run *plan_start(struct loop *l, struct plan *p, plan_run_task run, plan_cb cb,
			    void *owner)
{
	struct plan_run *r = mem_alloc(sizeof(*r));

	assert(p->count > 0 && p->count <= PLAN_TASKS_MAX);
	*r = (struct plan_run){.loop = l, .plan = p, .run = run, .cb = cb, .owner = owner};
	loop_later(l, &r->advance, on_advance, r);
	return r;
}

void plan_task_done(struct plan_run *r, struct task *task, bool completed)
{
	size_t i = (size_t)(task - r->plan->tasks);

	assert(i < r->plan->count && task->state == TASK_RUNNING);
	task->state = completed ? TASK_COMPLETED : TASK_FAILED;
	r->ops[i] = NULL;
	loop_later(r->loop, &r->advance, on_advance, r);
}

void plan_cancel(struct plan_run **run)
{
	struct plan_run *r = *run;

	*run = NULL;
	if (!r)
		return;
	later_cancel(&r->advance);
	for (size_t i = 0; i < r->plan->count; i++)
		op_cancel(&r->ops[i]);
	mem_free(r);
}
