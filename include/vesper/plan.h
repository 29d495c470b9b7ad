/*
 * Plans: everything that gathers data is a plan of tasks with dependencies, run in waves, side by
 * side inside a wave. The executor knows neither tools nor agents: its caller brings the
 * function that runs one task.
 *
 * A task may take values from earlier ones (arguments that are references, see ref.h) and may hang
 * on a condition over them (condition.h).
 *
 * What a task refers to it also waits for. Where an argument needs it, a task that gave nothing
 * takes those behind it along; conditions and references that end in "?" only wait.
 *
 * A question to the user that stands open is a task too. When its turn comes the plan ends: what
 * runs is waited for, and nothing else begins.
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
/* Why a plan can't run. */
enum plan_flaw {
	PLAN_FINE,
	PLAN_EMPTY,
	PLAN_TOO_LARGE, /* more tasks than PLAN_TASKS_MAX, more lines or waves than there may be */
	PLAN_UNKNOWN,   /* a task has no id, shares one, or depends on what is not there */
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
	TASK_ASKED, /* the question that ended the plan */
};

enum skip_reason {
	SKIP_CONDITION,  /* it was not met by what was found; never of a flow's line */
	SKIP_NEEDLESS,   /* the flow or the filters say that it is not needed; no user is told */
	SKIP_EARLIER,    /* a task that it depends on, or that its condition names, gave nothing */
	SKIP_VALUE,      /* none was found for an argument */
	SKIP_PERMISSION, /* the caller may not use the tool */
};

struct task {
	const char *id;    /* "t1" */
	const char *group; /* that references name instead, of tasks for several values; or NULL */
	const char *agent;
	const char *tool;              /* NULL: the agent's own loop, or */
	const struct flow_line *ask;   /* a question that stands open */
	const struct args *args;       /* typed arguments of a tool (from the router), or */
	const json_t *json_args;       /* plain ones, with references; when it runs, their values */
	const char *const *depends_on; /* ids, NULL-ended; NULL: none */
	const char *const *waits_for;  /* the same, of tasks that may fail; added by plan_check */
	const char *condition;         /* NULL: always */
	int priority;                  /* inside a wave the lowest starts first */
	enum task_state state;
	int wave;                     /* set by plan_check: 0 is first */
	const struct condition *when; /* `condition`, read by plan_check */
	size_t left_out;              /* values of references beyond what parameters take */
	enum skip_reason skipped;     /* of a skipped one */
	struct result **results;      /* what it gave */
	size_t result_count;
};

/* A component that is shown when the plan has ended, before the text and in the plan's order. Its
 * table or series is not shown beside it once more. */
struct task_show {
	const char *id;        /* "show1" */
	const char *component; /* its name in the catalogue */
	const json_t *props;   /* by name: {"$ref": …}, or a text that may hold placeholders */
	const struct condition *when; /* NULL: always */
};

struct plan {
	const char *id;
	enum plan_origin origin;
	const struct flow_def *flow; /* that it was made of; NULL: none */
	struct task *tasks;
	size_t count;
	const struct task *open; /* the question that ended it; NULL: it ran to its end */
	const struct task_show *shows;
	size_t show_count;
	const json_t *filters; /* values that stand, by filter; NULL: none */
	enum plan_flaw flaw;   /* set by plan_check */
};

/* Reads conditions and references, and sets the waves. ERR_INPUT: no task or too many, a doubled
 * id, an unknown dependency, a wrong condition or reference, a cycle; p->flaw says which. Pure. */
MUST_CHECK bool plan_check(struct plan *p, struct arena *a, struct err *e);

struct plan_run;

/* Runs one task and calls plan_task_done, later or at once. What it returns is cancelled with the
 * plan, unless the task has ended by then. */
typedef struct op *(*plan_run_task)(void *owner, struct plan_run *run, struct task *task);
typedef void (*plan_cb)(void *owner);

/* Runs a checked plan to its end; the first tasks start from inside. A task whose dependency failed
 * or was skipped is skipped, and so is one whose condition is not met or whose references find
 * nothing that they need. p->open: a question ended it. The callback comes once, never from inside
 * plan_start: with the last task's plan_task_done, or later. */
struct plan_run *plan_start(struct loop *l, struct plan *p, struct arena *a, plan_run_task run,
			    plan_cb cb, void *owner);
/* A task has ended; its results are set by now. What comes after it starts with the next turn of
 * the loop: the caller may be within a callback in which no operation may begin. */
void plan_task_done(struct plan_run *r, struct task *task, bool completed);
/* The results of the tasks that this one waited for; in the arena. Of a group those of its first
 * task with rows. */
struct ref_scope plan_earlier(const struct plan *p, const struct task *t, struct arena *a);
/* The same of all tasks. */
struct ref_scope plan_results(const struct plan *p, struct arena *a);
/* Why the task was skipped, for the user: the end of a sentence. */
const char *task_why_skipped(const struct task *t, const struct language *l, struct arena *a);
/* Another task depends on it, or its condition names it; after plan_check. */
bool plan_is_waited_for(const struct plan *p, const struct task *t);
/* Asks of the user, so that results are shown only once it ended without one. */
bool plan_may_ask(const struct plan *p);
/* Cancels what runs; the callback does not come. *r may be NULL. */
void plan_cancel(struct plan_run **r);

#endif
