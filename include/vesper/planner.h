/*
 * The planner: converts a question that was read by code, or a supervisor's reply, to a plan. It
 * parses the reply, resolves each filter value to a known one, and builds the tasks. Pure: no
 * model, no data and no clock. Results are allocated in the turn's arena. Loop thread only.
 */
#ifndef VESPER_PLANNER_H
#define VESPER_PLANNER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/err.h"
#include "vesper/nlu.h"
#include "vesper/plan.h"
#include "vesper/turn_core.h"

/* The understanding of the question. Written by src/planner. */
struct turn_reading {
	struct understanding understood;
	const char *intent;
	json_t *aliases; /* object: filters whose value was given as an alias */
	json_t *known;   /* object: filters that the supervisor need not repeat */
	const struct find_reach *documents; /* see struct nlu_input */
};

/* The work of a turn. Built by src/planner, run by src/turn. */
struct turn_work {
	json_t *spec; /* {question, intent, filters, steps, flow?: {name, hash, text, approved?:
			 {name, approved_by, approved_at}}} of a plan that can be run again; NULL:
			 none */
	struct plan *plan;
	struct plan_run *run; /* while the plan runs */
	struct result **results;
	size_t result_count;
	int next_call;
};

/* The parts of a turn that the planner uses. */
struct planner_turn {
	const struct turn_core *core;
	struct turn_reading *reading;
	struct turn_work *work;
};

void planner_begin(struct planner_turn *t);
/* Call before the question is read. */
void planner_use_documents(struct planner_turn *t, const struct find_reach *reach);

/* ---- supervisor_reply.c: the supervisor's structured answer ---- */

struct supervisor_reply {
	const char *intent;
	const char *clarification; /* NULL: none */
	json_t *filters; /* object: name -> text, or an array of texts; "": removes the filter */
	json_t *options; /* options of the clarification: array of texts */
	/* The steps: array of {id, agent, tool?, own?, depends_on?, condition?}. `own` are filters
	 * of this step only, with {"$ref": …} for a value from an earlier step. */
	json_t *steps;
	const struct flow_def *flow; /* a flow instead of steps; NULL: none */
	bool plan;                   /* the planner is requested; no other member is used */
};
json_t *supervisor_schema(void); /* New reference; the same bytes for all callers */
MUST_CHECK bool supervisor_parse(const char *text, size_t len, const struct catalog_view *may,
				 struct arena *a, struct supervisor_reply *out, struct err *e);
/* ---- planner_reply.c: the planner's answer: a supervisor's reply with steps only ---- */

json_t *planner_schema(void); /* new reference */
/* ERR_UPSTREAM: the answer has no steps, an invalid step, or other members than steps. */
MUST_CHECK bool planner_read_plan(struct planner_turn *t, const char *text,
				  struct supervisor_reply *out, struct err *e);
/* Returns true if the question has at least PLANNER_CLAUSES_MIN clauses; otherwise a supervisor's
 * request for the planner is ignored. */
bool planner_may_run(const struct planner_turn *t);
/* The plan of the steps that a planner chose. NULL: *ask has a clarifying question. */
struct plan *plan_from_planner_reply(struct planner_turn *t, const struct supervisor_reply *r,
				     const json_t *standing, struct clarification *ask);
/* The same as a continuation of an ended plan: that plan's tasks come first, in their final states,
 * and steps that already ran are dropped. NULL: no step is left, a value that the user gave is
 * changed, or a value is unclear. */
struct plan *plan_from_replan(struct planner_turn *t, const struct supervisor_reply *r,
			      const struct plan *ended, const json_t *standing);
/* Returns true if the plan has at most PLAN_WAVES_MAX waves; after plan_check. False: its flaw is
 * set. */
bool planner_check_waves(struct plan *p);

/* An argument as JSON, a list if it is one. New reference. */
json_t *arg_json(const struct arg *arg);
/* Removes a filter, under its singular and its plural name. */
void filters_drop(json_t *filters, const char *name);
/* Sets an argument. A single parameter gets the first of several values. */
void arg_set(json_t *args, const struct param_def *p, json_t *value);
/* The value of a filter, under the singular or the plural of its name; NULL: none. */
json_t *filters_find(const json_t *filters, const char *name);
/* The arguments of a tool, taken from filters by name (singular and plural). */
const json_t *filters_as_args(const struct tool_def *tool, const json_t *filters, struct arena *a);

/* ---- filters.c: values by filter name, as a JSON object ---- */

/* Resolves each value to a known one. References stay as they are, and names that no tool or flow
 * uses are removed. False: *ask has a clarifying question. */
bool filters_resolve(struct planner_turn *t, json_t *filters, struct clarification *ask);
/* Applies edits; null removes a filter. */
void filters_edit(json_t *filters, const json_t *edits);
/* Records the filters as the understanding. Those with an equal value in `standing` count as
 * carried over. With `edits` (may be NULL), filters in it have the source `edited`, and all others
 * count as carried over. */
void filters_set_understanding(struct planner_turn *t, const json_t *filters,
			       const json_t *standing, const json_t *edits,
			       enum filter_source edited);

/* ---- stored_plan.c: stored plans, arrays of steps as in struct supervisor_reply ---- */

/* Resolves each value to a known one. False: *ask has a clarifying question. */
bool steps_resolve(struct planner_turn *t, json_t *steps, json_t *filters,
		   struct clarification *ask);
/* All values given, by filter. */
const json_t *steps_filters(struct planner_turn *t, const json_t *steps, const json_t *filters);
/* The flow that a stored plan was made from, for a caller who may use it. If its file has changed,
 * the flow as it was stored, in the arena. NULL: the flow does not exist or can no longer run. */
const struct flow_def *stored_flow(const struct planner_turn *t, const json_t *stored);
json_t *stored_flow_json(const struct flow_def *f, struct arena *a); /* new reference */
enum stored_state {
	STORED_RUNS,
	STORED_NEEDS_MODEL, /* needs a model, and none is usable now */
	STORED_CHANGED,     /* what it needs was removed, or this caller may no longer use it */
};
enum stored_state stored_state(const struct planner_turn *t, const json_t *stored,
			       bool model_usable);
/* Converts the tasks of a plan to steps. */
json_t *steps_from_plan(const struct planner_turn *t, const struct plan *p);
void steps_set_understanding(struct planner_turn *t, const char *intent, const json_t *steps);
struct plan *steps_plan(struct planner_turn *t, enum plan_origin origin, const json_t *steps,
			const json_t *filters);
/* Stores the steps with the answer, so that edited filters can run them again. */
void steps_store(struct planner_turn *t, const char *question, const json_t *steps,
		 const json_t *filters);
void steps_edit(json_t *steps, const json_t *edits);
/* The plan of one interpretation of the question with its parsed values, in the form of
 * steps_store; in the arena. */
const json_t *steps_from_reading(const struct turn_core *core, const struct understanding *u,
				 const struct nlu_reading *r);

/* ---- chain.c ---- */

/* Returns true and sets *steps if the question has two parts and the second refers to the result of
 * the first. */
bool chain_understand(struct planner_turn *t, const json_t *standing, json_t **steps);

/* ---- build.c: plans ---- */

/* Reads the question by code, with the session context and edited filters. */
void planner_understand(struct planner_turn *t, const struct nlu_input *in);
/* The tool that fits the question but that this caller may not use; NULL: none. */
const struct nlu_call *planner_forbidden(struct planner_turn *t);
/* The plan of the calls understood by code. */
struct plan *plan_from_understanding(struct planner_turn *t);
/* The plan of the flow understood by code. NULL: *ask has a clarifying question. */
struct plan *plan_from_named_flow(struct planner_turn *t, const json_t *standing,
				  struct clarification *ask);
/* The plan of a question with two parts; NULL: it does not have them. */
struct plan *plan_from_chain(struct planner_turn *t, const json_t *standing);
/* A stored plan with other filters. NULL: *ask has a clarifying question. */
struct plan *plan_from_stored(struct planner_turn *t, const json_t *stored, const json_t *standing,
			      const json_t *edits, enum filter_source source,
			      struct clarification *ask);
/* The plan that the supervisor chose: its tools with their filters, and an agent loop for each step
 * without a tool. NULL: *ask has a clarifying question. */
struct plan *plan_from_reply(struct planner_turn *t, const struct supervisor_reply *r,
			     const json_t *standing, struct clarification *ask);
/* Collects the filters that code has read, for the supervisor's prompt. */
void planner_collect_known_filters(struct planner_turn *t);
/* Like supervisor_parse; also records the intent of the question. */
MUST_CHECK bool planner_read_reply(struct planner_turn *t, const char *text,
				   struct supervisor_reply *out, struct err *e);
/* Discards a plan that cannot run, and restores `u`, the understanding before it. */
void planner_discard_plan(struct planner_turn *t, const struct understanding *u);

/* The plan of the approved answer that makes the same calls with other values, to be run instead of
 * `p`. It does not matter whether rules or a model chose the calls. Returns `p` if there is no such
 * plan, or if it would ask the user. */
struct plan *plan_prefer_approved(struct planner_turn *t, struct plan *p, const json_t *standing);

/* ---- approved.c ---- */

/* The caller's approved answer with the same calls as these tasks; of several, the one with the
 * fewest open slots. *filters: the values of its slots, by filter, in the arena. NULL: none.
 * Pure. */
const struct flow_def *approved_match(const struct catalog_view *may, const struct plan *p,
				      struct arena *a, json_t **filters);

/* ---- flow_plan.c: plans made from flows ---- */

/* Returns true if a line of the flow uses this filter or asks for it. */
bool flow_uses_filter(const struct flow_def *f, const char *filter);
/* The flow's tasks with the filters in effect, for a caller who may use the flow; lines that the
 * caller may not use are skipped. A question without an answer is a task that the tasks using the
 * answer wait for. `instead`: an array of filters that override the values of lines that found
 * nothing; or NULL. In the arena. */
struct plan *flow_plan(const struct flow_def *f, const struct catalog_view *may,
		       const json_t *filters, const json_t *instead, struct date today,
		       struct arena *a);

#endif
