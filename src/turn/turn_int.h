/* Inside of the turn: what one turn holds, the table it moves by, and who writes what. */
#ifndef VESPER_TURN_INT_H
#define VESPER_TURN_INT_H

#include "vesper/arena.h"
#include "vesper/hashmap.h"
#include "vesper/list.h"
#include "vesper/plan.h"
#include "vesper/turn.h"
#include "vesper/uuid.h"
#include "vesper/view.h"

struct turn;

#define PROMPT_PAIRS 3 /* question and answer pairs that a prompt repeats */

/* A step returns the next state, or starts operations (t->pending++ each) and returns TURN_WAIT.
 * When a completion wakes the turn, the same step runs again and looks at what arrived. */
typedef enum turn_state (*turn_step)(struct turn *t);

struct turn_row {
	turn_step step;
	int64_t limit_ms; /* time in this state; past it the turn is cancelled as timed out */
	unsigned may;     /* states it may go to; FAILED is always allowed */
	const char *about;
};

extern const struct turn_row turn_rows[TURN_STATE_COUNT];

/* Knowledge in use: freed with its last turn. */
struct knowledge {
	struct list node; /* while it is of now */
	struct turn_knowledge set;
	struct guard_secret *prompts; /* what models are told, for nobody else */
	size_t users;
};

struct turns {
	struct loop *loop;
	struct stream_hub *streams;
	struct store *store;
	struct llm *llm;
	int64_t deadline_ms, grace_ms;
	enum turn_busy busy;
	enum guard_policy numbers;
	bool hide_existence;
	bool vets_questions;
	const char *const *link_hosts;
	size_t prompt_tokens;
	struct company_calendar calendar;
	const struct tenant_place *places;
	size_t place_count;
	struct list knowledge; /* struct knowledge: one for each list of packs */
	struct list running;   /* struct turn, oldest first */
	size_t count;
	struct list repeats; /* struct repeat: client_msg_ids of turns whose log is kept, oldest
				first */
	struct hashmap repeats_by_key;
	void (*record)(void *owner, json_t *take);
	void *record_owner;
	bool draining;
	void (*on_drained)(void *owner);
	void *drained_owner;
	struct later drained;
};

/* The tenant's knowledge of now, kept until it is released. */
struct knowledge *turn_knowledge_hold(struct turns *all, const char *tenant);
void turn_knowledge_release(struct knowledge *k);
/* What day it is where the tenant is. */
struct date turn_today(const struct turns *all, const char *tenant);

/* What the number check said of the answer so far. */
struct turn_checked {
	size_t chars; /* code points shown */
	int64_t count[GUARD_UNCHECKED + 1];
	bool on;           /* what is written passes the check */
	struct str stored; /* as JSON, once it is stored; p NULL: nothing was checked */
};

/* The way back from data that code alone chose, and that does not answer the question. */
struct turn_recovery {
	bool offered; /* the model may say so now */
	bool wanted;  /* it did */
	bool done;    /* the supervisor was asked: once a turn */
	struct buf held;
};

/* What a model says of a question that the supervisor reads at the same time. */
struct turn_vet {
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
	const char *end; /* the line end or space that ended the sentence */
	struct buf text; /* what has come of it */
};

/* How a turn ends, decided once: the closing frame and the stored status follow from it. */
struct turn_end {
	enum message_status status;
	bool failed;            /* closes with chat.error instead of chat.complete */
	const char *error_code; /* of the wire: "timeout", "upstream", …; also set for a partial
				   answer */
	const char *error_text; /* for the user */
	bool retryable;
	bool no_save; /* nothing of this turn may be stored (its message was not accepted) */
};

/* A question back. What it leaves standing finds its answer: chat.ask in turn.h. */
struct turn_ask {
	enum ask_input input;
	const char *filter;     /* what the answer is a value of; NULL: it is answered in words */
	const char *end_filter; /* of the last day; NULL: the first day's filter takes both */
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* of several choices; max 0: as many as there are */
	const char *min_date, *max_date;
	const char *hint;
	struct suggestion skip; /* value NULL: it can't be skipped */
	const json_t *plan;     /* what the answer runs, as t->spec; NULL: what stands */
	int attempt;            /* times that this was asked, with this one */
};

/* A prepared reply: no data was gathered, or none is needed. */
struct turn_reply {
	const char *text;
	enum message_status status;
	struct turn_ask ask; /* of a reply that asks back */
};

/* What RECOVER made of results without rows. */
struct turn_mend {
	const char *text;           /* after the answer; NULL: nothing */
	const struct result *asked; /* what `ask` is about; NULL: nothing is asked */
	struct turn_ask ask;
	struct plan *probes; /* questions that may find something, as they would run */
	const char **questions;
};

/* What the message answers of the question back that stands. */
struct turn_answer {
	bool answers;        /* it does */
	const json_t *edits; /* filters that it gives, or that the client edited; NULL: words */
	const json_t *plan;  /* what they are for; NULL: what stands */
	const char *outside; /* it is a day that was not to be chosen: why */
};

struct turn {
	struct list node;
	struct turns *all;
	struct knowledge *knowledge;
	struct arena *arena;
	struct principal *who;
	struct turn_request request; /* deep copy in the arena */
	struct uuid id, user_message_id, answer_id;
	struct stream_log *log;
	const struct event_sink *sink;
	struct catalog_view may;
	struct date today;

	enum turn_state state;
	int pending;          /* operations under way */
	bool started;         /* this state's step has started its operations */
	struct err err;       /* what the last operation failed with; code ERR_NONE: nothing */
	struct op *op;        /* the one operation of this state (store or model) */
	struct plan_run *run; /* the plan that runs */
	struct later wake;
	struct timer *state_timer, *turn_timer, *grace_timer;
	int64_t began_ms; /* clock_mono_ms */
	int hops;
	bool cancelled;
	bool waiting; /* for the turns of its session before it */
	bool dying;   /* ACCEPT must finish first: cancel then */
	enum turn_cancel_reason cancel_reason;

	/* what the steps found, in the order of the states */
	const char *duplicate_turn;
	const struct message *history;
	size_t history_count;
	bool long_session; /* there are more messages than `history` */
	struct memory memory;
	const json_t *earlier; /* its summary's items, once somebody asked */
	bool between_read;
	json_t *between;        /* items of what no summary covers and no prompt repeats */
	int compacting;         /* how far COMPACT is */
	json_t *summary;        /* the one that is being made */
	int64_t covers_through; /* up to this message */
	const json_t *standing;
	struct understanding understood;
	json_t *aliases;        /* object: filters that were said in other words */
	json_t *known;          /* object: filters that the supervisor need not repeat */
	json_t *spec;           /* {question, steps} of a plan that can be run again; NULL: none */
	const char *route_text; /* the supervisor's answer as it came */
	const char *intent;
	struct plan *plan;
	int next_call;
	struct result **results;
	size_t result_count;
	struct turn_answer answered;
	struct turn_reply reply;
	struct turn_mend mend;
	struct view_answer templated; /* the answer without a model, and follow-ups */
	/* What is written passes them in this order; NULL: not yet, or ended. */
	struct guard_quotes *quotes;
	struct guard_links *link_check;
	struct guard_numbers *guard;
	struct turn_checked checked;
	bool written; /* the model's answer has ended, and was fed whole */
	struct turn_vet vet;
	struct refusal *off_topic; /* by code, for the supervisor to confirm; or NULL */
	struct turn_recovery recovery;
	struct turn_rewrite rewrite;
	struct budget_payer payer;
	bool out_of_budget; /* an agent's call was not made for want of money */
	bool log_full;      /* a piece of the answer found no room in the log */
	bool cut;           /* the answer reached its length limit */
	size_t view_count;  /* that were shown */
	struct str links;   /* JSON array */
	json_t *suggestions;
	json_t *leaves_standing;
	const char *provider, *model;
	struct llm_usage usage[LLM_ROLE_COUNT];
	int64_t calls[LLM_ROLE_COUNT];
	struct llm_trail trail; /* of every model call */
	const struct receipt *receipt;
	const char *receipt_id; /* once it is stored with its answer; NULL: there is none */
	struct turn_end end;
};

/* turn.c */
void turn_open(struct turn *t);  /* its log and its timers */
void turn_begin(struct turn *t); /* none of its session runs before it any more */
void turn_wake(struct turn *t);  /* a completion has stored its result */
void turn_stop(struct turn *t, enum turn_cancel_reason reason);

/* turn_admit.c */
bool turn_is_of(const struct turn *t, const struct principal *who, const char *session_id);
void turn_repeats_free(struct turns *all);

/* state_accept.c */
enum turn_state step_accept(struct turn *t);
enum turn_state step_load(struct turn *t);
/* state_compact.c */
bool memory_is_due(const struct turn *t);
const json_t *memory_earlier(struct turn *t); /* NULL: no summary yet */
bool memory_load_between(struct turn *t);     /* true: it has started */
enum turn_state step_compact(struct turn *t);
/* state_route.c */
enum turn_state step_understand(struct turn *t);
enum turn_state step_route(struct turn *t);
/* state_run.c */
enum turn_state step_run(struct turn *t);
/* state_recover.c */
bool recover_is_due(const struct turn *t); /* a task of the plan gave no rows */
enum turn_state step_recover(struct turn *t);
/* What RECOVER left for the end of the answer: a question back, or what there is. */
void recover_finish(struct turn *t);
/* state_save.c */
enum turn_state step_synth(struct turn *t);
enum turn_state step_answer(struct turn *t);
enum turn_state step_failed(struct turn *t);
enum turn_state step_save(struct turn *t);
enum turn_state step_done(struct turn *t);

/* answer/say.c: the frames of a turn, each made in one place */
void say_thinking(struct turn *t);
void say_phase(struct turn *t, const char *phase, const char *text);
void say_filters(struct turn *t);
/* In pieces of about a line, as a writer would. */
void say_in_pieces(struct turn *t, const char *text,
		   void (*say)(struct turn *t, const char *text, size_t len));
void say_text(struct turn *t, const char *text,
	      size_t len); /* a piece of the answer: shown, and kept */
void say_checked(struct turn *t, const struct guard_piece *piece); /* one that was checked */
void say_view(struct turn *t, struct result *r); /* its main table, and its chart */
void say_outcomes(struct turn *t);               /* a view for each result without rows */
/* Shows a view; `r` NULL: it is of no result. Takes ownership. */
void say_view_json(struct turn *t, const struct result *r, json_t *view_take);
/* Members of chat.ask. Takes ownership. */
void say_ask_json(struct turn *t, const char *prompt, json_t *body_take);
void say_end(struct turn *t);
json_t *turn_standing(const struct turn *t); /* what the next turn may lean on; new reference */

/* answer/summary.c: JSON of the whole turn, in the arena */
struct str say_usage(struct turn *t, bool with_budget);
struct str say_calls(struct turn *t, bool with_args); /* what was run */
struct str say_links(struct turn *t); /* one for each report that a result with data came from */
/* The projection of the log for the stored message; t->checked.stored is made of it, too. */
const char *say_stored_views(struct turn *t);

/* dialog/ask.c: questions back */
/* The next state: ANSWER, which asks; or says that it is of no use to ask once more. */
enum turn_state ask_user(struct turn *t, const char *text, const struct turn_ask *ask);
/* The question that stands, once more: the answer to it was none that it allows. */
enum turn_state ask_again(struct turn *t);
/* The same for a question behind an answer; false: it is not to be asked. */
bool ask_prepare(struct turn *t, const char *text, const struct turn_ask *ask);
void say_ask(struct turn *t);
/* False: the turn fails, t->end says why (no such question, or no answer to it). */
bool ask_read(struct turn *t, struct turn_answer *out);
/* A value of chat.select as text; "" for what can't be one. */
const char *ask_value_text(const json_t *value, struct arena *a);

/* dialog/refusal.c: refusals */
/* The question is refused: *next says so. `u` NULL: it was not read yet, only its words count. */
bool guard_refuses(struct turn *t, const struct know_input *in, const struct understanding *u,
		   enum turn_state *next);
enum turn_state guard_refuse(struct turn *t, const struct refusal *why);
/* The caller may not use what the question is for. */
enum turn_state guard_forbids(struct turn *t, const struct know_tool *tool);

/* answer/guardrail_model.c: a model's word on a question that code can't place */
void vet_begin(struct turn *t); /* where it is wanted: pending until it has ended */
void vet_cancel(struct turn *t);

/* dialog/suggest.c: questions that can be asked instead */
#define SUGGEST_MAX           3
#define SUGGEST_EXAMPLES_READ 4 /* of each domain */
/* Code is sure what the question means to this caller. */
bool suggest_read(struct turn *t, const char *question, struct understanding *out);
/* To the follow-ups of chat.complete, unless it is there. */
void suggest_add(struct turn *t, const char *label, const char *question);
/* Examples of the caller's domains that code is sure of; how many there are. */
size_t suggest_examples(struct turn *t, const char **out, size_t max);
/* The words, and the follow-ups as a list behind them. */
const char *suggest_text(struct turn *t, const char *lead);
/* Ends the turn with the words and with examples. */
enum turn_state suggest_end(struct turn *t, const char *why);
/* The same for a text that introduces the questions itself, in any language. */
enum turn_state suggest_end_in(struct turn *t, const char *why);

/* ---- dialog/unused.c ---- */

/* The reply that names the words that are not used, for who has no model to ask. */
enum turn_state unused_reply(struct turn *t);

/* answer/no_answer.c: the model's word that the data does not answer the question */
extern const char recover_offer[]; /* what a model is told about it */
void recover_begin(struct turn *t);
/* False: this piece is held back, and may never be shown. True: *text is to be shown. */
bool recover_pass(struct turn *t, struct str *text);
/* What is still held when the answer ends; "" when there is nothing to show. */
struct str recover_rest(struct turn *t);
/* Forgets the answer that was begun; the supervisor comes next. */
void recover_again(struct turn *t);

/* answer/check.c: what is written, on its way to the user */
void check_begin(struct turn *t); /* from here on every word of the answer is checked */
void check_text(struct turn *t, const char *text, size_t len);
void check_last(
	struct turn *t); /* no more text comes: what waits goes out, or is asked for again */
void check_end(struct turn *t);
/* A text that is not streamed, such as a question back that a model worded. */
const char *check_plain(struct turn *t, const char *text);
/* Prompts of this catalogue. */
struct guard_secret *check_prompts(const struct catalog *c);

/* answer/rewrite.c: a guard_sink's on_doubt; the owner is the turn */
bool rewrite_ask(void *owner, const struct guard_doubt *d);
void rewrite_cancel(struct turn *t);

/* answer/prompt.c: what a model is told */
struct llm_call *prompt_supervisor(struct turn *t);
struct llm_call *prompt_answer(struct turn *t);
struct llm_call *prompt_rewrite(struct turn *t, const struct guard_doubt *d);
struct llm_call *prompt_compress(struct turn *t);
struct llm_call *prompt_vet(struct turn *t, const json_t *format);

/* answer/links.c: a report's address with the filters of this result; "" when there is none */
const char *link_url(const struct report_def *report, const struct tool_def *tool,
		     const struct args *args, struct arena *a);

/* planner/supervisor_reply.c: the supervisor's structured answer; pure */
struct route {
	const char *intent;
	const char *clarification; /* NULL: none */
	json_t *filters; /* object: name -> text, or an array of texts; "": does not hold */
	json_t *options; /* of the clarification: array of texts */
	/* What is to be done, as array of {id, agent, tool?, own?, depends_on?, condition?}: `own`
	 * are filters of this step alone, {"$ref": …} where an earlier one gives the value. */
	json_t *steps;
};
json_t *route_schema(const struct catalog_view *may); /* new reference; byte-stable for one view */
MUST_CHECK bool route_parse(const char *text, size_t len, const struct catalog_view *may,
			    struct arena *a, struct route *out, struct err *e);
/* Takes a filter away, under its singular and its plural name. */
void route_filter_drop(json_t *filters, const char *name);
/* The arguments of a tool from filters by their names (singular and plural). */
const json_t *route_args(const struct tool_def *tool, const json_t *filters, struct arena *a);

/* planner/filters.c: values by filter name, as a JSON object */
/* Makes each value one that code knows; references stay, names that no tool takes go. False: *ask
 * says what is unclear. */
bool filters_resolve(struct turn *t, json_t *filters, struct clarification *ask);
/* Puts the edits over them; null takes one away. */
void filters_edit(json_t *filters, const json_t *edits);
/* They are what was understood: chat.filters. `edits` may be NULL; else what is among them is
 * `edited`, and the rest was carried over. */
void filters_show(struct turn *t, const json_t *filters, const json_t *edits,
		  enum filter_source edited);

/* planner/stored_plan.c: a plan as it is written down, an array of steps as in struct route */
/* Each value becomes one that code knows. False: *ask says what is unclear. */
bool steps_resolve(struct turn *t, json_t *steps, json_t *filters, struct clarification *ask);
/* All values that are said, by filter. */
const json_t *steps_filters(struct turn *t, const json_t *steps, const json_t *filters);
/* This caller may take every one of them, and all that they need is there. */
bool steps_allowed(const struct turn *t, const json_t *steps);
void steps_understood(struct turn *t, const char *intent, const json_t *steps);
struct plan *steps_plan(struct turn *t, enum plan_origin origin, const json_t *steps,
			const json_t *filters);
/* They stay with the answer, so that edited filters can run them again. */
void steps_keep(struct turn *t, const char *question, const json_t *steps, const json_t *filters);
void steps_edit(json_t *steps, const json_t *edits);

/* dialog/memory.c: items of a summary. All texts in the arena. */
/* What an earlier summary and these messages come to. New reference. */
json_t *memory_items(const json_t *earlier, const struct message *messages, size_t count,
		     struct arena *a);
/* What a model shall word. */
const char *memory_source(const json_t *earlier, const json_t *items, const struct principal *who,
			  struct arena *a);
/* Its words, which need every permission that anything in them may rest on. */
void memory_add_text(json_t *items, const json_t *earlier, const char *text, struct arena *a);
/* What this reader may be told; "" for nothing. Without `answers` only what was asked. */
const char *memory_text(const json_t *items, const struct principal *who, bool answers,
			struct arena *a);
/* What stood at its end, or NULL. */
const json_t *memory_standing(const json_t *items, const struct principal *who, struct arena *a);

/* planner/chain.c: the question is two, and the second points at what the first finds. */
bool chain_understand(struct turn *t, json_t **steps);

/* turn_record.c: the turn as a line of a case; new reference */
json_t *turn_record(const struct turn *t);

/* answer/receipt.c: how the answer came about, sealed for the store. NULL where nothing was looked
 * up and no model was asked, so that there is nothing to prove. */
const struct receipt *turn_receipt(struct turn *t, const struct message *answer);
json_t *turn_permissions(const struct principal *who); /* as a list; new reference */

/* A model may be asked now: one is usable, and the payer's budget is not used up. */
bool turn_may_ask_model(struct turn *t);
bool turn_budget_used_up(struct turn *t);
/* Ends the turn for want of budget. */
bool turn_plan_unaffordable(struct turn *t, const struct plan *p);
enum turn_state turn_end_quota(struct turn *t);

/* What went wrong, as the closing frame says it. */
void turn_end_error(struct turn *t, const struct err *e);

#endif
