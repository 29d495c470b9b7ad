/*
 * Plans: everything that gathers data is a plan of tasks with dependencies, run in waves, side by
 * side inside a wave. The executor knows neither tools nor agents: whoever starts it brings the
 * function that runs one task.
 */
#ifndef VESPER_PLAN_H
#define VESPER_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/err.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/result.h"

enum plan_origin { PLAN_ROUTER, PLAN_SUPERVISOR, PLAN_FLOW, PLAN_PLANNER, PLAN_ASK };
enum task_state { TASK_PENDING, TASK_RUNNING, TASK_COMPLETED, TASK_FAILED, TASK_SKIPPED };
const char *task_state_name(enum task_state s);

struct task {
	const char *id; /* "t1" */
	const char *agent;
	const char *tool;              /* NULL: the agent's own loop */
	const struct args *args;       /* typed arguments of a tool (from the router), or */
	const json_t *json_args;       /* plain ones (from a model) */
	const char *const *depends_on; /* ids, NULL-ended; NULL: none */
	const char *reason;
	enum task_state state;
	int wave;                /* set by plan_check: 0 is first */
	struct result **results; /* what it gave */
	size_t result_count;
};

struct plan {
	const char *id;
	enum plan_origin origin;
	struct task *tasks;
	size_t count;
};

/* Sets the waves. ERR_INPUT: no task or too many, a doubled id, an unknown dependency, a cycle.
 * Pure. */
MUST_CHECK bool plan_check(struct plan *p, struct err *e);

/* Runs one task and calls plan_task_done later (never from inside). What it returns is cancelled
 * with the plan. */
typedef struct op *(*plan_run_task)(void *owner, struct task *task);
typedef void (*plan_cb)(void *owner);

struct plan_run;

/* Runs a checked plan to its end: a task whose dependency failed or was skipped is skipped. The
 * callback comes once. */
struct plan_run *plan_start(struct loop *l, struct plan *p, plan_run_task run, plan_cb cb,
			    void *owner);
/* A task has ended; its results are set by now. */
void plan_task_done(struct plan_run *r, struct task *task, bool completed);
/* Cancels what runs; the callback does not come. *r may be NULL. */
void plan_cancel(struct plan_run **r);

#endif
