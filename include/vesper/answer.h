/*
 * The answer: what models are told, the checks that their words pass on the way to the user, the
 * events of a turn, and what is stored of it: links, calls, usage, receipt. Loop thread only;
 * everything in the turn's arena.
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

/* The same for all turns of the process. */
struct answer_options {
	struct llm *llm; /* NULL: rules only */
	int64_t deadline_ms;
	size_t prompt_tokens;
	enum guard_policy numbers;
	bool vets_questions;
	bool no_charts;
	const char *const *link_hosts;
};

/* What the number check said of the answer so far. */
struct turn_checked {
	size_t chars; /* code points shown */
	int64_t count[GUARD_UNCHECKED + 1];
	bool on;           /* what is written passes the check */
	struct str stored; /* as JSON, once it is stored; p NULL: nothing was checked */
};

/* The model's word that data, which code alone chose, does not answer the question. */
struct no_answer {
	bool offered; /* the model may say so now */
	bool wanted;  /* it did */
	bool done;    /* the supervisor was asked: once a turn */
	struct buf held;
};

/* What a model says of a question that the supervisor reads at the same time. */
struct guardrail_check {
	struct op *op;
	bool refuses;
	struct refusal refusal;
};

/* A sentence of the answer that is asked for once more. */
struct turn_rewrite {
	bool allowed; /* a model writes this answer */
	int made;     /* in this turn */
	const struct llm_call *call;
	struct later later; /* starts it */
	struct op *op;
	bool uncited;          /* for want of a citation */
	const char *blanks;    /* that the sentence began with */
	const char *separator; /* the line end or space that ended the sentence */
	struct buf text;       /* what has come of it */
};

/* Work of the turn itself; at most one of a kind goes on at a time. */
enum answer_stage { STAGE_GUARDRAIL, STAGE_PLANNING, STAGE_CHART, STAGE_COUNT };

/* Written by src/answer. */
struct turn_answer {
	struct view_answer templated; /* the answer without a model, and follow-ups */
	const char *flow_text;        /* the sentences of the plan's flow; NULL: none */
	/* What is written passes them in this order; NULL: not yet, or ended. */
	struct guard_quotes *quotes;
	struct guard_links *link_check;
	struct answer_cites *cites; /* before the numbers; NULL: there are no passages */
	struct guard_numbers *numbers;
	struct turn_checked checked;
	bool written; /* the model's answer has ended, and was fed whole */
	struct guardrail_check guardrail_check;
	struct no_answer no_answer;
	struct turn_rewrite rewrite;
	struct {
		int count;         /* providers that went on with the answer */
		const char *shown; /* before the last of them */
		const char *taken; /* before the turn came here; NULL: it began here */
		struct buf held;   /* of its sentence, until it is whole */
	} continued;
	struct budget_payer budget_owner;
	bool out_of_budget; /* an agent's call was not made for want of money */
	bool log_full;      /* a piece of the answer found no room in the log */
	bool cut;           /* the answer reached its length limit */
	size_t view_count;  /* that were shown */
	struct str links;   /* JSON array */
	const char *provider, *model;
	struct llm_usage usage[LLM_ROLE_COUNT];
	int64_t calls[LLM_ROLE_COUNT];
	struct llm_trail trail;          /* of every model call */
	const char *stages[STAGE_COUNT]; /* ids of those that go on; NULL: it does not */
	int stage_count;                 /* that began */
	size_t left_out;                 /* parts that the answer's prompt had no room for */
	/* Examples of the catalogue that a supervisor or planner was told. */
	const struct example_def *like[PROMPT_LIKE_MAX];
	size_t like_count;
	const struct receipt *receipt;
	const char *receipt_id; /* once it is stored with its answer; NULL: there is none */
};

/* How a turn ends, decided once: the closing event and the stored status follow from it. */
struct turn_end {
	enum message_status status;
	bool failed;            /* closes with chat.error instead of chat.complete */
	const char *error_code; /* of the wire: "timeout", "upstream", …; also set for a partial
				   answer */
	const char *error_text; /* for the user */
	const char *detail_turn_id; /* the turn that answered the message before, or NULL */
	bool retryable;
	bool no_save; /* nothing of this turn may be stored (its message was not accepted) */
};

/* The turn as the answer sees it. */
struct answer_turn {
	const struct turn_core *core;
	const struct turn_context *context;
	const struct turn_reading *reading;
	const struct turn_work *work;
	const struct turn_dialog *dialog;
	struct turn_answer *answer;
	const struct answer_options *options;
	const struct guard_secret *prompts; /* prompts, which must not leak */
};

void answer_begin(struct answer_turn *t);
void answer_end(struct answer_turn *t); /* frees what is not in the arena */

/* ---- write.c: the answer, from results ---- */

/* By templates: what a turn without a model shows. */
void answer_template(struct answer_turn *t);
/* The plan's flow has written the answer: no model is asked. */
bool answer_is_templated(const struct answer_turn *t);
void answer_by_template(struct answer_turn *t);
/* The same behind what was shown before. False: that is not of this template; nothing is said. */
bool answer_template_rest(struct answer_turn *t);
/* A model is about to write; what it is told. */
struct llm_call *answer_by_model(struct answer_turn *t);
/* A piece of its text. True: the answer has reached its limit. */
bool answer_text(struct answer_turn *t, const char *text, size_t len);
/* It has ended: the last sentence goes out, or is asked for once more. */
void answer_rest(struct answer_turn *t);
/* ---- continue.c: the answer ends after its first word, and goes on ---- */

/* A turn that was taken over: what its log shows stands before what is said here. */
void answer_taken(struct answer_turn *t);
/* What was shown before this replica took the turn over; "": nothing. */
struct str answer_shown_before(const struct answer_turn *t);
/* A text that is made by code, behind what was shown before. False: it does not begin with that,
 * and nothing is said. */
bool answer_say_rest(struct answer_turn *t, const char *text,
		     void (*say)(struct answer_turn *t, const char *text, size_t len));
/* No model goes on: the findings of the template that were not shown. False: there are none. */
bool answer_findings_left(struct answer_turn *t);
/* Pure. Its lines and sentences that say something else than `shown`; "": none. */
const char *answer_unsaid(struct str shown, const char *made, struct arena *a);

/* Another provider can be asked, and there is time for it. */
bool answer_may_continue(const struct answer_turn *t);
/* Closes what was shown; what the next model is told. Its text comes by answer_text. */
struct llm_call *answer_continue(struct answer_turn *t);
void continue_text(struct answer_turn *t, const char *text, size_t len);
void continue_rest(struct answer_turn *t);
/* Pure. What ends a text that stops anywhere: its open sentence, bold, code, row of a table. */
const char *answer_closing_marks(struct str shown, struct arena *a);
/* Pure. A sentence of the text says the same, with the same numbers. */
bool answer_says_again(struct str shown, struct str sentence);
/* prompt.c; `shown` "": from the start. */
struct llm_call *prompt_continue(struct answer_turn *t, const char *shown, const char *failed);

void answer_ended_early(struct answer_turn *t);
void answer_written_by(struct answer_turn *t, const char *provider, const char *model);
/* The turn ended before the model did: the answer is of whose words were shown, or else of the
 * rules. */
void answer_written_till_now(struct answer_turn *t);

/* ---- context.c: what the answer was made from ---- */

struct context_state;
void answer_context(const struct answer_turn *t, struct context_state *out);

/* ---- closing.c: what code adds behind the last word ---- */

/* What could not be looked up and the answer does not name, and why there is no chart; NULL:
 * nothing. */
const char *answer_closing(const struct answer_turn *t);

/* ---- flow.c: what a flow makes of the results of its plan ---- */

/* Its sentences, then what could not be looked up but for `asked`, which may be NULL. Its
 * suggestions, the primary ones first. False: no sentence applies. Pure; everything in the arena.
 */
bool flow_answer(const struct plan *p, const struct result *asked, const struct catalog *c,
		 struct arena *a, struct view_answer *out);

/* A prop of a component, once the plan has ended. */
struct shown_prop {
	const char *name;
	const char *text;       /* its value as the source spells it; NULL: it is a table */
	struct ref_place place; /* where it was found: column, fact or table tell its type and unit;
				   result NULL: it is written in the flow */
};
struct shown {
	const struct task_show *show;
	struct shown_prop *props; /* that have a value, in the order of the flow's line */
	size_t prop_count;
};
/* The components that the plan shows, in its order, without those whose condition is not met. Pure;
 * everything in the arena. */
size_t flow_shown(const struct plan *p, struct arena *a, struct shown **out);
/* A component of the plan shows the main table of this task, or of this group of tasks. */
bool flow_shows_table(const struct plan *p, const char *task);

/* ---- components.c: components as views ---- */

/* A required prop that is missing or of another type; NULL: none is. */
struct component_def;
const char *component_lacks(const struct component_def *def, const struct shown *s);
/* The view of a component that lacks nothing; what does not fit its type is left out. Pure. */
void component_view(struct buf *out, const struct catalog *c, const struct shown *s,
		    const char *view_id, struct arena *a);
/* Shows those of the plan that has ended, and the tables of those that lack a prop. */
void answer_components(struct answer_turn *t);
/* Shows one that a model has named: its props are filled from the facts, columns and tables of
 * these results that have their names; what does not fit is left out. NULL: a required prop is
 * missing. */
const struct shown *answer_component_by_name(struct answer_turn *t, const char *id,
					     const char *component, struct result *const *results,
					     size_t count);
bool shown_has_table(const struct shown *s, const struct table *t);

/* ---- models.c: what may be spent on models, and what was ---- */

/* A model may be asked now: one is usable, and the budget is not used up. */
bool answer_may_ask_model(const struct answer_turn *t);
bool answer_budget_used_up(const struct answer_turn *t);
void answer_out_of_budget(struct answer_turn *t);
void answer_count_calls(struct answer_turn *t, enum llm_role role, int64_t calls);
void answer_add_usage(struct answer_turn *t, enum llm_role role, const struct llm_usage *usage);

/* ---- say.c: the events of a turn, each made in one place ---- */

void say_thinking(struct answer_turn *t);
void say_phase(struct answer_turn *t, const char *phase, const char *text);
void say_filters(struct answer_turn *t);
/* What is going to be run, where that is more than one call. */
void say_plan(struct answer_turn *t, const struct plan *p);
/* In pieces of about a line, as a writer would. */
void say_in_pieces(struct answer_turn *t, const char *text,
		   void (*say)(struct answer_turn *t, const char *text, size_t len));
void say_text(struct answer_turn *t, const char *text,
	      size_t len); /* a piece of the answer: shown, and kept */
void say_checked(struct answer_turn *t, const struct guard_piece *piece); /* one that was checked */
void say_view(struct answer_turn *t, struct result *r); /* its main table, and its chart */
void say_outcomes(struct answer_turn *t);               /* a view for each result without rows */
/* A component's view, of this line of the plan. */
void say_component(struct answer_turn *t, const char *task, const char *view_id, struct str view);
/* Shows a view; `r` NULL: it is of no result. Takes ownership. */
void say_view_json(struct answer_turn *t, const struct result *r, json_t *view_take);
/* Members of chat.ask. Takes ownership. */
void say_ask_json(struct answer_turn *t, const char *prompt, json_t *body_take);
void say_end(struct answer_turn *t, const struct turn_end *end);
/* A stored turn told once more, to its end. */
void say_stored(struct answer_turn *t, const struct message *question,
		const struct message *answer);

/* ---- stages.c: what the event stream alone is told ---- */

void stage_begin(struct answer_turn *t, enum answer_stage stage); /* unless it goes on */
/* If it goes on. `output` is a JSON object. */
void stage_end(struct answer_turn *t, enum answer_stage stage, const char *output);
void stage_end_passed(struct answer_turn *t, bool passed); /* the question was looked at */
void stage_end_plan(struct answer_turn *t, size_t tasks);
void stages_end(struct answer_turn *t); /* the turn ends: what goes on has failed */
/* A trail's on_request; the owner is the answer's turn. */
void usage_tell(void *owner, const struct llm_call *call, const struct llm_asked *asked);

/* ---- summary.c: JSON of the whole turn, in the arena ---- */

struct str say_usage(struct answer_turn *t, bool with_budget);
/* Who approved the answer's plan; p NULL: not approved. */
struct str say_approved(struct answer_turn *t);
/* What was run; `to_keep`: with what is kept of it beside. */
struct str say_calls(struct answer_turn *t, bool to_keep);
/* How many tool calls and agents of the plan ended how; those that it turned out not to need are
 * not counted. p NULL: there was no plan. */
struct str say_tasks(const struct answer_turn *t);
/* One for each report that a result with data came from: stays for the closing event. */
struct str say_links(struct answer_turn *t);
/* The projection of the log for the stored message; answer.checked.stored is made of it, too. */
const char *say_stored_views(struct answer_turn *t);
/* What a reader of this answer must be permitted, whenever it is read again. */
const char *answer_needs(const struct answer_turn *t);
const char *answer_agents(const struct answer_turn *t);
int64_t answer_tokens(const struct answer_turn *t);

/* ---- guardrail_model.c: a model's word on a question that code can't place ---- */

void guardrail_begin(struct answer_turn *t); /* where it is wanted */
void guardrail_cancel(struct answer_turn *t);

/* ---- no_answer.c: the model's word that the data does not answer the question ---- */

extern const char no_answer_offer[]; /* what a model is told about it */
void no_answer_begin(struct answer_turn *t);
/* False: this piece is held back, and may never be shown. True: *text is to be shown. */
bool no_answer_pass(struct answer_turn *t, struct str *text);
/* What is still held when the answer ends; "" when there is nothing to show. */
struct str no_answer_rest(struct answer_turn *t);
/* Drops the answer that was begun; the supervisor comes next. */
void no_answer_again(struct answer_turn *t);

/* ---- check.c: what is written, on its way to the user ---- */

void check_begin(struct answer_turn *t); /* from here on every word of the answer is checked */
void check_text(struct answer_turn *t, const char *text, size_t len);
/* The whole answer that code made, at once; false: nothing was said, each number of it must be
 * looked for. */
bool check_made(struct answer_turn *t, const struct view_answer *made);
/* No more text comes: what waits goes out, or is asked for again. */
void check_last(struct answer_turn *t);
void check_end(struct answer_turn *t);
/* A text that is not streamed, such as a clarifying question that a model worded. */
const char *check_plain(struct answer_turn *t, const char *text);
/* Prompts of this catalogue. */
struct guard_secret *check_prompts(const struct catalog *c);

/* ---- rewrite.c ---- */

/* A guard_sink's on_doubt; the owner is the answer's turn. */
bool rewrite_ask(void *owner, const struct guard_doubt *d);
void rewrite_cancel(struct answer_turn *t);

/* ---- prompt.c: what a model is told; context.earlier was read before ---- */

struct llm_call *prompt_supervisor(struct answer_turn *t);
/* What the planner is told; with a plan that has ended, what became of its tasks: no text of
 * theirs.
 */
struct llm_call *prompt_planner(struct answer_turn *t, const struct plan *ended);
struct llm_call *prompt_answer(struct answer_turn *t);
struct llm_call *prompt_rewrite(struct answer_turn *t, const struct guard_doubt *d);
struct llm_call *prompt_compress(struct answer_turn *t);
struct llm_call *prompt_guardrail(struct answer_turn *t, const json_t *format);

/* ---- links.c: a report's address with the filters of this result; "" when there is none ---- */

const char *link_url(const struct report_def *report, const struct tool_def *tool,
		     const struct args *args, struct arena *a);

/* ---- receipt.c: how the answer came about, sealed for the store ---- */

/* NULL where nothing was looked up and no model was asked, so that there is nothing to prove. */
const struct receipt *answer_receipt(struct answer_turn *t, const struct message *answer);
void answer_receipt_stored(struct answer_turn *t);
/* The receipt of a call that a program made outside of any conversation; NULL: it would be too
 * long. Everything in the arena. */
const struct receipt *call_receipt(const struct catalog *c, const struct principal *who,
				   struct date day, const struct result *r, struct arena *a);
json_t *answer_permissions(const struct principal *who); /* as a list; new reference */

#endif
