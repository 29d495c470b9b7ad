/*
 * Plans: all data is gathered by a plan of tasks with dependencies. It is run in waves; the tasks
 * of a wave run in parallel. The executor does not depend on tools or agents: its caller supplies
 * the function that runs one task.
 *
 * A task may take values from earlier tasks (arguments that are references, see ref.h) and may
 * have a condition over them (condition.h).
 *
 * A task waits for the tasks that it refers to. If one of them fails or is skipped, and an argument
 * needs it, the dependent task is skipped. For conditions, and for references that end in "?", the
 * task only waits.
 *
 * An unanswered clarifying question is a task too. When it is ready, the plan ends: running tasks
 * are completed, and no other task starts.
 */
#ifndef VESPER_PLAN_H
#define VESPER_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/arena.h"
#include "vesper/bind.h"
#include "vesper/condition.h"
#include "vesper/err.h"
#include "vesper/language.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/ref.h"
#include "vesper/result.h"

struct flow_def;
struct flow_line;

enum plan_origin { PLAN_ROUTER, PLAN_SUPERVISOR, PLAN_ASK, PLAN_FLOW, PLAN_APPROVED, PLAN_PLANNER };
const char *plan_origin_name(enum plan_origin o); /* "router", … */
/* Why a plan cannot run. */
enum plan_flaw {
	PLAN_VALID,
	PLAN_EMPTY,
	PLAN_TOO_LARGE, /* more than PLAN_TASKS_MAX tasks or PLAN_LINES_MAX questions; set by
			   planner_check_waves: more than PLAN_WAVES_MAX waves */
	PLAN_UNKNOWN, /* a task without an ID, with a duplicate ID, or with an unknown dependency */
	PLAN_REFERENCE,
	PLAN_CONDITION,
	PLAN_CYCLE,
};

enum task_state {
	TASK_PENDING,
	TASK_RUNNING,
	TASK_COMPLETED,
	TASK_FAILED,
	TASK_SKIPPED,
	TASK_ASKED, /* the clarifying question that ended the plan */
};

enum skip_reason {
	SKIP_CONDITION,  /* its condition was not met by the results; not used for a flow's line */
	SKIP_UNNEEDED,   /* not needed by the flow or the filters; not reported to the user */
	SKIP_EARLIER,    /* a task that it depends on, or that its condition names, failed or was
			    skipped */
	SKIP_VALUE,      /* no value was found for an argument */
	SKIP_PERMISSION, /* the caller may not use the tool */
};

struct task {
	const char *id;    /* "t1" */
	const char *group; /* name in references, for tasks that split several values; or NULL */
	const char *agent;
	const char *tool;            /* NULL: the agent's loop, or `ask` */
	const struct flow_line *ask; /* an unanswered clarifying question */
	const struct args *args;     /* typed arguments of a tool (from the router); or */
	const json_t *json_args;     /* JSON arguments with references, which are replaced by values
					when it runs */
	const char *const *depends_on; /* IDs, NULL-terminated; NULL: none */
	const char *const *waits_for;  /* the same for tasks that may fail; set by plan_check */
	const char *condition;         /* NULL: always */
	int priority;                  /* among ready tasks, the lowest starts first */
	enum task_state state;
	int wave;                     /* set by plan_check: 0 is first */
	const struct condition *when; /* `condition`, parsed by plan_check */
	size_t left_out;              /* number of values dropped because a parameter takes fewer */
	enum skip_reason skipped;     /* of TASK_SKIPPED */
	struct result **results;      /* its results */
	size_t result_count;
};

/* A component shown when the plan has ended, before the text and in the plan's order. Its table or
 * series is not shown a second time. */
struct task_show {
	const char *id;               /* "show1" */
	const char *component;        /* its name in the catalogue */
	const json_t *props;          /* by name: {"$ref": …}, or a text with placeholders */
	const struct condition *when; /* NULL: always */
};

struct plan {
	const char *id;
	enum plan_origin origin;
	const struct flow_def *flow; /* flow that it was made from; NULL: none */
	struct task *tasks;
	size_t count;
	const struct task *open; /* the question that ended it; NULL: it ran to completion */
	const struct task_show *shows;
	size_t show_count;
	const json_t *filters; /* filter values in effect, by filter; NULL: none */
	enum plan_flaw flaw;   /* set by plan_check */
};

/* Parses conditions and references, and sets the waves. ERR_INPUT: no task or too many, a duplicate
 * ID, an unknown dependency, an invalid condition or reference, a cycle; see p->flaw. Pure. */
MUST_CHECK bool plan_check(struct plan *p, struct arena *a, struct err *e);

struct plan_run;

/* Runs one task and calls plan_task_done, at once or later. The returned operation is cancelled
 * with the plan if the task has not ended. */
typedef struct op *(*plan_run_task)(void *owner, struct plan_run *run, struct task *task);
typedef void (*plan_cb)(void *owner);

/* Runs a checked plan; the first tasks start within the call. A task is skipped if a dependency
 * failed or was skipped, its condition is not met, or a required reference finds nothing. p->open:
 * a question ended the plan. The callback runs once, never within plan_start: in the last task's
 * plan_task_done, or later. */
struct plan_run *plan_start(struct loop *l, struct plan *p, struct arena *a, plan_run_task run,
			    plan_cb cb, void *owner);
/* Reports that a task has ended; its results are set. Dependent tasks start in the next loop
 * iteration, because the caller may be in a callback in which no operation may begin. */
void plan_task_done(struct plan_run *r, struct task *task, bool completed);
/* The results of the tasks that this one waited for, in the arena. For a group: those of its first
 * task with rows. */
struct ref_scope plan_dependency_results(const struct plan *p, const struct task *t,
					 struct arena *a);
/* The same for all tasks. */
struct ref_scope plan_results(const struct plan *p, struct arena *a);
/* Why the task was skipped, for the user, as the end of a sentence. */
const char *task_skip_text(const struct task *t, const struct language *l, struct arena *a);
/* Returns true if another task depends on it, or refers to it optionally or in a condition. Valid
 * after plan_check. */
bool plan_has_dependents(const struct plan *p, const struct task *t);
/* Returns true if the plan has clarifying questions; then results are shown only if it ended
 * without one. */
bool plan_has_questions(const struct plan *p);
/* Cancels running tasks; the callback does not run. *r may be NULL. */
void plan_cancel(struct plan_run **r);

#endif
