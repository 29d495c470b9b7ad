/*
 * The planner: from what was read of a question to a plan. It reads the supervisor's answer, makes
 * each value of a filter one that code knows, and builds the tasks. Pure: no model, no data and no
 * clock; everything in the turn's arena. Loop thread only.
 */
#ifndef VESPER_PLANNER_H
#define VESPER_PLANNER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/know.h"
#include "vesper/plan.h"
#include "vesper/turn_core.h"

/* What is known of the question. Written by src/planner. */
struct turn_reading {
	struct understanding understood;
	const char *intent;
	json_t *aliases; /* object: filters that were said in other words */
	json_t *known;   /* object: filters that the supervisor need not repeat */
	const struct find_reach *documents; /* struct know_input */
};

/* What is to be done. Built by src/planner, run by src/turn. */
struct turn_work {
	json_t *spec; /* {question, intent, filters, steps, flow?: {name, hash, text, approved?:
			 {name, approved_by, approved_at}}} of a plan that can be run again; NULL:
			 none */
	struct plan *plan;
	struct plan_run *run; /* while it runs */
	struct result **results;
	size_t result_count;
	int next_call;
};

/* The turn as the planner sees it. */
struct planner_turn {
	const struct turn_core *core;
	struct turn_reading *reading;
	struct turn_work *work;
};

void planner_begin(struct planner_turn *t);
/* Before the question is read. */
void planner_use_documents(struct planner_turn *t, const struct find_reach *reach);

/* ---- supervisor_reply.c: the supervisor's structured answer ---- */

struct supervisor_reply {
	const char *intent;
	const char *clarification; /* NULL: none */
	json_t *filters; /* object: name -> text, or an array of texts; "": does not hold */
	json_t *options; /* of the clarification: array of texts */
	/* What is to be done, as array of {id, agent, tool?, own?, depends_on?, condition?}: `own`
	 * are filters of this step alone, {"$ref": …} where an earlier one gives the value. */
	json_t *steps;
	const struct flow_def *flow; /* the whole plan, in place of steps; NULL: none */
	bool plan;                   /* the planner is needed: nothing else is to be done */
};
json_t *supervisor_schema(void); /* new reference; the same bytes for everybody */
MUST_CHECK bool supervisor_parse(const char *text, size_t len, const struct catalog_view *may,
				 struct arena *a, struct supervisor_reply *out, struct err *e);
/* ---- planner_reply.c: the planner's answer, in the supervisor's shape, of steps alone ---- */

json_t *planner_schema(void); /* new reference */
/* ERR_UPSTREAM: it holds anything but steps, or none. */
MUST_CHECK bool planner_read_plan(struct planner_turn *t, const char *text,
				  struct supervisor_reply *out, struct err *e);
/* Whether the question has parts enough for a planner's call; else a supervisor that wants one is
 * not heard. */
bool planner_is_granted(const struct planner_turn *t);
/* The steps that a planner chose. NULL: *ask says what is unclear. */
struct plan *plan_of_planner(struct planner_turn *t, const struct supervisor_reply *r,
			     const json_t *standing, struct clarification *ask);
/* The same behind a plan that has ended: its tasks stand first, as they ended, and what has run
 * already is left out. NULL: nothing is left, a value that the user gave is changed, or one is
 * unclear. */
struct plan *plan_of_replan(struct planner_turn *t, const struct supervisor_reply *r,
			    const struct plan *ended, const json_t *standing);
/* The plan has few enough waves; after plan_check. False: its flaw is set. */
bool planner_waves(struct plan *p);

/* An argument as JSON: a list where it is one. New reference. */
json_t *arg_json(const struct arg *arg);
/* Takes a filter away, under its singular and its plural name. */
void filters_drop(json_t *filters, const char *name);
/* Sets an argument: a list as a list, of several values for a single parameter the first. */
void arg_set(json_t *args, const struct param_def *p, json_t *value);
/* The value that stands for a filter, also under the other number of its name; NULL: none. */
json_t *filters_find(const json_t *filters, const char *name);
/* The arguments of a tool from filters by their names (singular and plural). */
const json_t *filters_as_args(const struct tool_def *tool, const json_t *filters, struct arena *a);

/* ---- filters.c: values by filter name, as a JSON object ---- */

/* Makes each value one that code knows; references stay, names that no tool takes go. False: *ask
 * says what is unclear. */
bool filters_resolve(struct planner_turn *t, json_t *filters, struct clarification *ask);
/* Puts the edits over them; null takes one away. */
void filters_edit(json_t *filters, const json_t *edits);
/* They are what was understood. Those of `standing` were carried over. `edits` may be NULL; else
 * what is among them is `edited`, and the rest was carried over. */
void filters_understood(struct planner_turn *t, const json_t *filters, const json_t *standing,
			const json_t *edits, enum filter_source edited);

/* ---- stored_plan.c: a plan as it is stored, an array of steps as in struct supervisor_reply ----
 */

/* Each value becomes one that code knows. False: *ask says what is unclear. */
bool steps_resolve(struct planner_turn *t, json_t *steps, json_t *filters,
		   struct clarification *ask);
/* All values that are said, by filter. */
const json_t *steps_filters(struct planner_turn *t, const json_t *steps, const json_t *filters);
/* The flow that a stored plan was made of, for a caller who may use it; where its file has changed,
 * the flow as it was stored, in the arena. NULL: there is no such flow, or it can't run any more.
 */
const struct flow_def *stored_flow(const struct planner_turn *t, const json_t *stored);
json_t *stored_flow_json(const struct flow_def *f, struct arena *a); /* new reference */
enum stored_state {
	STORED_RUNS,
	STORED_NEEDS_MODEL, /* which is not usable now */
	STORED_CHANGED,     /* what it needs is gone, or not for this caller any more */
};
enum stored_state stored_state(const struct planner_turn *t, const json_t *stored,
			       bool model_usable);
/* The tasks of a plan as steps. */
json_t *steps_of_plan(const struct planner_turn *t, const struct plan *p);
void steps_understood(struct planner_turn *t, const char *intent, const json_t *steps);
struct plan *steps_plan(struct planner_turn *t, enum plan_origin origin, const json_t *steps,
			const json_t *filters);
/* They stay with the answer, so that edited filters can run them again. */
void steps_keep(struct planner_turn *t, const char *question, const json_t *steps,
		const json_t *filters);
void steps_edit(json_t *steps, const json_t *edits);
/* What the question runs if it means this, with the values that were read: a plan as steps_keep
 * leaves one, in the arena. */
const json_t *steps_of_reading(const struct turn_core *core, const struct understanding *u,
			       const struct know_reading *r);

/* ---- chain.c ---- */

/* The question is two, and the second points at what the first finds. */
bool chain_understand(struct planner_turn *t, const json_t *standing, json_t **steps);

/* ---- build.c: plans ---- */

/* Code reads the question, with what the context gives and the filters that were edited. */
void planner_understand(struct planner_turn *t, const struct know_input *in);
/* The tool that the question is for although this caller may not use it; NULL: there is none. */
const struct know_call *planner_forbidden(struct planner_turn *t);
/* The calls that code understood. */
struct plan *plan_of_understood(struct planner_turn *t);
/* The flow that code understood. NULL: *ask says what is unclear. */
struct plan *plan_of_named_flow(struct planner_turn *t, const json_t *standing,
				struct clarification *ask);
/* A question of two halves as a plan; NULL: it is none. */
struct plan *plan_of_chain(struct planner_turn *t, const json_t *standing);
/* A stored plan with other filters. NULL: *ask says what is unclear. */
struct plan *plan_again(struct planner_turn *t, const json_t *stored, const json_t *standing,
			const json_t *edits, enum filter_source source, struct clarification *ask);
/* What the supervisor chose: its tools with their filters, and a loop for each agent that has no
 * tool. NULL: *ask says what is unclear. */
struct plan *plan_of_reply(struct planner_turn *t, const struct supervisor_reply *r,
			   const json_t *standing, struct clarification *ask);
/* What code has read already, for the supervisor. */
void planner_ask_supervisor(struct planner_turn *t);
/* supervisor_parse, which also says what the question is about. */
MUST_CHECK bool planner_read_reply(struct planner_turn *t, const char *text,
				   struct supervisor_reply *out, struct err *e);
/* Takes back a plan that can't be run: `u` is what was understood before it. */
void planner_take_back(struct planner_turn *t, const struct understanding *u);

/* The plan of the approved answer that makes the same calls with other values, to be run in place
 * of `p`, whether rules or a model chose the calls. Else `p`. */
struct plan *plan_as_approved(struct planner_turn *t, struct plan *p, const json_t *standing);

/* ---- approved.c ---- */

/* The caller's approved answer whose calls these tasks are, the one that leaves least open.
 * *filters: what its slots are filled with, by filter, in the arena. NULL: there is none. Pure. */
const struct flow_def *approved_find(const struct catalog_view *may, const struct plan *p,
				     struct arena *a, json_t **filters);

/* ---- flow_plan.c: plans that are written down ---- */

/* A line of it takes values of this filter, or asks for one. */
bool flow_takes(const struct flow_def *f, const char *filter);
/* Its tasks with the filters that stand, for a caller who may use the flow; what the caller may not
 * use is skipped. A question without an answer is a task that those wait for which take the answer.
 * `instead`: an array of filters that go over the values of lines, as those found nothing; or NULL.
 * In the arena. */
struct plan *flow_plan(const struct flow_def *f, const struct catalog_view *may,
		       const json_t *filters, const json_t *instead, struct date today,
		       struct arena *a);

#endif
