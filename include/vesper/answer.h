/*
 * The answer: prompts, the checks that a model's text passes on its way to the user, the events of
 * a turn, and what is stored with it (links, calls, usage, receipt). Loop thread only; everything
 * in the turn's arena.
 */
#ifndef VESPER_ANSWER_H
#define VESPER_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/dialog.h"
#include "vesper/guard.h"
#include "vesper/llm.h"
#include "vesper/planner.h"
#include "vesper/receipt.h"
#include "vesper/ref.h"
#include "vesper/turn_core.h"
#include "vesper/view.h"

/* Shared by all turns of the process. */
struct answer_options {
	struct llm *llm; /* NULL: rules only */
	int64_t deadline_ms;
	size_t prompt_tokens;
	enum guard_policy numbers;
	bool checks_questions;
	bool no_charts;
	const char *const *link_hosts;
};

/* Results of the number check for the answer so far. */
struct turn_checked {
	size_t chars; /* code points shown */
	int64_t count[GUARD_UNCHECKED + 1];
	bool on;           /* the answer's text is checked */
	struct str stored; /* JSON, set when the answer is stored; p NULL: nothing was checked */
};

/* State of no_answer: the model may reply that the data, which code chose, does not answer the
 * question. */
struct no_answer {
	bool offered; /* the model may give this reply now */
	bool wanted;  /* the model gave it */
	bool done;    /* the supervisor was asked; at most once per turn */
	struct buf held;
};

/* Result of the guardrail check, which runs while the supervisor reads the question. */
struct guardrail_check {
	struct op *op;
	bool refuses;
	struct refusal refusal;
};

/* A sentence of the answer that a model is asked to rewrite. */
struct turn_rewrite {
	bool allowed; /* a model writes this answer */
	int made;     /* rewrites in this turn */
	const struct llm_call *call;
	struct deferred deferred; /* starts the call */
	struct op *op;
	bool uncited;          /* the citation was missing */
	const char *blanks;    /* leading spaces of the sentence */
	const char *separator; /* the line end or space that ended the sentence */
	struct buf text;       /* the reply so far */
};

/* Stages of a turn other than its tasks; at most one of each kind runs at a time. */
enum answer_stage { STAGE_GUARDRAIL, STAGE_PLANNING, STAGE_CHART, STAGE_COUNT };

/* Written by src/answer. */
struct turn_answer {
	struct view_answer templated; /* the answer without a model, and follow-ups */
	const char *flow_text;        /* the sentences of the plan's flow; NULL: none */
	/* Checks that the text passes, in this order; NULL: not begun, or ended. */
	struct guard_leakage *leakage;
	struct guard_links *link_check;
	struct answer_cites *cites; /* before the number check; NULL: no passages */
	struct guard_numbers *numbers;
	struct turn_checked checked;
	bool written; /* the model's answer has ended and was checked whole */
	struct guardrail_check guardrail_check;
	struct no_answer no_answer;
	struct turn_rewrite rewrite;
	struct {
		int count;           /* continuations by another provider */
		const char *shown;   /* text shown before the last of them */
		const char *resumed; /* text shown before a takeover; NULL: no takeover */
		struct buf held;     /* its incomplete sentence */
	} continued;
	struct budget_owner budget_owner;
	bool out_of_budget; /* an agent's call was skipped for lack of budget */
	bool log_full;      /* a chunk of the answer did not fit into the log */
	bool cut;           /* the answer reached its length limit */
	struct {
		size_t count, charts; /* views shown, and charts among them */
	} views;
	struct str links; /* JSON array */
	const char *provider, *model;
	struct llm_usage usage[LLM_ROLE_COUNT];
	int64_t calls[LLM_ROLE_COUNT];
	struct llm_trail trail;          /* every model call */
	const char *stages[STAGE_COUNT]; /* step IDs of running stages; NULL: not running */
	int stage_count;                 /* stages started */
	size_t left_out;                 /* parts that did not fit the answer's prompt */
	/* Catalogue examples in the prompt of a supervisor or planner. */
	const struct example_def *like[PROMPT_SIMILAR_MAX];
	size_t like_count;
	const struct receipt *receipt;
	const char *receipt_id; /* set when stored with the answer; NULL: none */
};

/* How a turn ends, decided once. It determines the closing event and the stored status. */
struct turn_end {
	enum message_status status;
	bool failed;            /* closes with chat.error instead of chat.complete */
	const char *error_code; /* wire code: "timeout", "upstream", …; also for a partial answer */
	const char *error_text;     /* for the user */
	const char *detail_turn_id; /* turn that already has this message (a retry), or NULL */
	bool retryable;
	bool no_save; /* the message was not accepted: nothing of this turn may be stored */
};

/* The parts of a turn that the answer uses. */
struct answer_turn {
	const struct turn_core *core;
	const struct turn_context *context;
	const struct turn_reading *reading;
	const struct turn_work *work;
	const struct turn_dialog *dialog;
	struct turn_answer *answer;
	const struct answer_options *options;
	const struct guard_secret *prompts; /* must not leak */
};

void answer_begin(struct answer_turn *t);
void answer_end(struct answer_turn *t); /* frees memory outside the arena */

/* ---- write.c: writes the answer from results ---- */

/* Fills answer.templated: the answer without a model, and follow-ups. */
void answer_template(struct answer_turn *t);
/* True when no model is asked: the plan's flow wrote the answer, or all results are empty and
 * describe what was looked for. */
bool answer_is_templated(const struct answer_turn *t);
void answer_by_template(struct answer_turn *t);
/* Shows the rest of the template answer after a takeover. False: the text shown earlier is not a
 * prefix of it, and nothing is shown. */
bool answer_template_rest(struct answer_turn *t);
/* Begins an answer by a model. Returns its prompt. */
struct llm_call *answer_by_model(struct answer_turn *t);
/* Takes a chunk of the model's text. True: the answer has reached its limit. */
bool answer_text(struct answer_turn *t, const char *text, size_t len);
/* The text has ended: shows the last sentence, or asks for a rewrite of it. */
void answer_finish_text(struct answer_turn *t);
/* ---- continue.c: continues an answer that failed after its first word ---- */

/* Begins a turn that was taken over: text in its log precedes what this replica writes. */
void answer_resume(struct answer_turn *t);
/* Text shown before this replica took the turn over; "": none. */
struct str answer_shown_before(const struct answer_turn *t);
/* Shows the rest of a text made by code, without the prefix shown before the takeover. False: the
 * text shown then is not a prefix of it, and nothing is shown. */
bool answer_emit_rest(struct answer_turn *t, const char *text,
		      void (*say)(struct answer_turn *t, const char *text, size_t len));
/* Shows the template's findings that were not shown yet, when no model can continue. False:
 * none. */
bool answer_emit_missing_findings(struct answer_turn *t);
/* Pure. Returns the lines and sentences of `made` that `shown` lacks; "": none. */
const char *answer_missing_text(struct str shown, const char *made, struct arena *a);

/* True when another provider can be asked and enough time is left. */
bool answer_may_continue(const struct answer_turn *t);
/* Closes open marks in the shown text. Returns the next model's prompt; its text comes through
 * answer_text. */
struct llm_call *answer_continue(struct answer_turn *t);
void continue_text(struct answer_turn *t, const char *text, size_t len);
void continue_rest(struct answer_turn *t);
/* Pure. Returns the characters that close what is open where a text stops: a sentence, bold, code
 * or a table row. */
const char *answer_closing_marks(struct str shown, struct arena *a);
/* Pure. True when `shown` has a sentence with the same meaning and the same numbers. */
bool answer_repeats(struct str shown, struct str sentence);
/* The prompt to continue after `shown` ("": to write from the start), without the provider
 * `failed`. In prompt.c. */
struct llm_call *prompt_continue(struct answer_turn *t, const char *shown, const char *failed);

void answer_ended_early(struct answer_turn *t);
void answer_written_by(struct answer_turn *t, const char *provider, const char *model);
/* Sets the author of an answer whose turn ended before its model finished: the last model asked, or
 * the rules if none was. */
void answer_set_author(struct answer_turn *t);

/* ---- context.c: what the answer was made from ---- */

struct context_state;
void answer_context(const struct answer_turn *t, struct context_state *out);

/* ---- closing.c: text that code adds at the end ---- */

/* Text that names what could not be looked up, unless the answer names it, and says why there is no
 * chart. NULL: nothing to add. */
const char *answer_closing(const struct answer_turn *t);

/* ---- flow.c: presents the results of a flow's plan ---- */

/* Collects the flow's sentences, then what could not be looked up, except `asked` (may be NULL),
 * then the flow's suggestions, primary ones first. False: no sentence applies. Pure; everything in
 * the arena. */
bool flow_answer(const struct plan *p, const struct result *asked, const struct catalog *c,
		 struct arena *a, struct view_answer *out);

/* A prop of a component after the plan has ended. */
struct shown_prop {
	const char *name;
	const char *text;        /* value as the source spells it; NULL: it is a table */
	struct ref_target place; /* where the value was found: its column, fact or table gives type
				   and unit; result NULL: written in the flow */
};
struct shown {
	const struct task_show *show;
	struct shown_prop *props; /* those with a value, in the order of the flow's line */
	size_t prop_count;
};
/* Lists the plan's components in order, without those whose condition is not met. Returns their
 * number. Pure; everything in the arena. */
size_t flow_shown(const struct plan *p, struct arena *a, struct shown **out);
/* True when a component of the plan shows the main table of this task or group of tasks. */
bool flow_shows_table(const struct plan *p, const char *task);

/* ---- components.c: components as views ---- */

/* Returns the name of a required prop that is missing or has the wrong type; NULL: none. */
struct component_def;
const char *component_missing_prop(const struct component_def *def, const struct shown *s);
/* Writes the view of a component that has all required props; values of the wrong type are left
 * out. Pure. */
void component_view(struct buf *out, const struct catalog *c, const struct shown *s,
		    const char *view_id, struct arena *a);
/* Shows the components of a plan that has ended. If a component lacks a required prop, its tables
 * are shown instead. */
void answer_components(struct answer_turn *t);
/* Shows a component that a model named. Its props are filled from facts, columns and tables of the
 * same name in these results; values that do not fit are left out. NULL: a required prop is
 * missing. */
const struct shown *answer_component_by_name(struct answer_turn *t, const char *id,
					     const char *component, struct result *const *results,
					     size_t count);
bool shown_has_table(const struct shown *s, const struct table *t);

/* ---- models.c: budget and use of models ---- */

/* True when a model can be asked now: one is usable, and the budget is not used up. */
bool answer_may_ask_model(const struct answer_turn *t);
bool answer_budget_used_up(const struct answer_turn *t);
void answer_set_out_of_budget(struct answer_turn *t);
void answer_count_calls(struct answer_turn *t, enum llm_role role, int64_t calls);
void answer_add_usage(struct answer_turn *t, enum llm_role role, const struct llm_usage *usage);

/* ---- say.c: emits the events of a turn ---- */

void answer_emit_run_started(struct answer_turn *t);
void answer_emit_phase(struct answer_turn *t, const char *phase, const char *text);
void answer_emit_filters(struct answer_turn *t);
/* Emits the plan if it has more than one call. */
void answer_emit_plan(struct answer_turn *t, const struct plan *p);
/* Passes a text to `say` in chunks of about one line. */
void answer_emit_in_chunks(struct answer_turn *t, const char *text,
			   void (*say)(struct answer_turn *t, const char *text, size_t len));
/* Emit a chunk of the answer, unchecked or checked. */
void answer_emit_text(struct answer_turn *t, const char *text, size_t len);
void answer_emit_checked(struct answer_turn *t, const struct guard_chunk *chunk);
void answer_emit_view(struct answer_turn *t, struct result *r); /* its main table and its chart */
void answer_emit_outcomes(struct answer_turn *t); /* a view for each result without rows */
/* Emits a component's view for this line of the plan. */
void answer_emit_component(struct answer_turn *t, const char *task, const char *view_id,
			   struct str view);
/* Emits a view; `r` NULL: it belongs to no result. Takes ownership. */
void answer_emit_view_json(struct answer_turn *t, const struct result *r, json_t *view_take);
/* Emits chat.ask with these members. Takes ownership. */
void answer_emit_ask_json(struct answer_turn *t, const char *prompt, json_t *body_take);
void answer_emit_end(struct answer_turn *t, const struct turn_end *end);
/* Replays a stored turn to its end. */
void answer_emit_stored_turn(struct answer_turn *t, const struct message *question,
			     const struct message *answer);

/* ---- stages.c: events that only the event stream (wire_sse) shows ---- */

void stage_begin(struct answer_turn *t, enum answer_stage stage); /* no effect if it is running */
/* No effect if it is not running. `output` is a JSON object. */
void stage_end(struct answer_turn *t, enum answer_stage stage, const char *output);
void stage_end_passed(struct answer_turn *t, bool passed); /* of the guardrail check */
void stage_end_plan(struct answer_turn *t, size_t tasks);
void stages_end(struct answer_turn *t); /* at the end of the turn: running stages end as failed */
/* The on_request callback of a trail; `owner` is a struct answer_turn. */
void usage_emit(void *owner, const struct llm_call *call, const struct llm_trail_entry *asked);

/* ---- summary.c: JSON about the whole turn, in the arena ---- */

struct str answer_usage_json(struct answer_turn *t, bool with_budget);
/* Who approved the answer's plan; p NULL: not an approved plan. */
struct str answer_approved_json(struct answer_turn *t);
/* The calls that were run. `to_keep`: includes the members that are stored but not sent. */
struct str answer_calls_json(struct answer_turn *t, bool to_keep);
/* Counts the plan's tool calls and agents by how they ended, except those that were not needed. p
 * NULL: no plan. */
struct str answer_tasks_json(const struct answer_turn *t);
/* One link for each report of the results; also stored for the closing event. */
struct str answer_links_json(struct answer_turn *t);
/* Views of the log for the stored message; also fills answer.checked.stored. */
const char *answer_stored_views_json(struct answer_turn *t);
/* The permissions that a reader of this answer needs, whenever it is read. */
const char *answer_required_permissions(const struct answer_turn *t);
const char *answer_agents(const struct answer_turn *t);
int64_t answer_tokens(const struct answer_turn *t);

/* ---- guardrail_model.c: a model checks a question that code can't classify ---- */

void guardrail_begin(struct answer_turn *t); /* if configured */
void guardrail_cancel(struct answer_turn *t);

/* ---- no_answer.c: the model reports that the data does not answer the question ---- */

extern const char no_answer_instruction[]; /* the instruction in the model's prompt */
void no_answer_begin(struct answer_turn *t);
/* False: this chunk is held back and may never be shown. True: show *text. */
bool no_answer_filter(struct answer_turn *t, struct str *text);
/* Text still held when the answer ends; "" when nothing is to be shown. */
struct str no_answer_rest(struct answer_turn *t);
/* Drops the answer that was begun; the supervisor is asked next. */
void no_answer_restart(struct answer_turn *t);

/* ---- check.c: checks text on its way to the user ---- */

void check_begin(struct answer_turn *t); /* from here on the answer's text is checked */
void check_text(struct answer_turn *t, const char *text, size_t len);
/* Checks and emits a whole answer made by code. False: nothing was emitted; its numbers must be
 * checked one by one. */
bool check_template(struct answer_turn *t, const struct view_answer *made);
/* No more text follows: emits waiting text, or asks for a rewrite. */
void check_flush(struct answer_turn *t);
void check_end(struct answer_turn *t);
/* Checks a text that is not streamed, such as a model's clarifying question. */
const char *check_plain(struct answer_turn *t, const char *text);
/* The prompts of this catalogue, for the leakage check. */
struct guard_secret *check_prompts(const struct catalog *c);

/* ---- rewrite.c ---- */

/* The on_unbound callback of a guard_sink; `owner` is a struct answer_turn. */
bool rewrite_ask(void *owner, const struct guard_unbound *d);
void rewrite_cancel(struct answer_turn *t);

/* ---- prompt.c: prompts for models; context.earlier must be read first ---- */

struct llm_call *prompt_supervisor(struct answer_turn *t);
/* The planner's prompt. `ended`: a finished plan, whose task outcomes are added without any of
 * their texts; or NULL. */
struct llm_call *prompt_planner(struct answer_turn *t, const struct plan *ended);
struct llm_call *prompt_answer(struct answer_turn *t);
struct llm_call *prompt_rewrite(struct answer_turn *t, const struct guard_unbound *d);
struct llm_call *prompt_compress(struct answer_turn *t);
struct llm_call *prompt_guardrail(struct answer_turn *t, const json_t *format);

/* ---- links.c: URL of a report with the filters of this result; "": none ---- */

const char *link_url(const struct report_def *report, const struct tool_def *tool,
		     const struct args *args, struct arena *a);

/* ---- receipt.c: the receipt of an answer, sealed for the store ---- */

/* NULL if nothing was looked up and no model was asked: such an answer has no receipt. */
const struct receipt *answer_receipt(struct answer_turn *t, const struct message *answer);
void answer_receipt_stored(struct answer_turn *t);
/* Receipt of an API call outside any conversation; NULL: too long. Everything in the arena. */
const struct receipt *call_receipt(const struct catalog *c, const struct principal *who,
				   struct date day, const struct result *r, struct arena *a);
json_t *answer_permissions(const struct principal *who); /* as a list; new reference */

#endif
