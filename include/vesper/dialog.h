/*
 * The dialog: session context, clarifying questions and their answers, refusals, suggestions, and
 * recovery from results without rows. It prepares replies and never emits events: the caller sends
 * the replies. Loop thread only. Memory is in the turn's arena, unless noted.
 */
#ifndef VESPER_DIALOG_H
#define VESPER_DIALOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/planner.h"
#include "vesper/store.h"
#include "vesper/turn_core.h"

#define PROMPT_PAIRS 3 /* question-answer pairs that a prompt includes */

/* Session data loaded for the turn, and its new summary. Written by src/dialog. */
struct turn_context {
	const struct message *history; /* for prompts; empty without a model */
	size_t history_count;
	bool has_earlier;  /* messages before this turn's */
	bool long_session; /* there are more messages than `history` */
	struct memory memory;
	const json_t *earlier; /* the items of the session's summary, once read */
	bool unsummarized_read;
	const json_t *between;  /* items of the messages between the summary and `history` */
	const char *summary;    /* the new summary, not yet stored, as text */
	int64_t covers_through; /* position of the last message that it covers */
	const json_t *standing;
};

/* A clarifying question. The session context stores what is needed to read its answer: chat.ask in
 * turn.h. */
struct turn_ask {
	enum ask_input input;
	const char *question;   /* as first asked; NULL: the reply's text */
	const char *filter;     /* filter that the answer sets; NULL: the answer is free text */
	const char *end_filter; /* filter for the last day; NULL: `filter` takes both days */
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* for several choices; max 0: the number of options */
	const char *min_date, *max_date;
	const char *hint;
	struct suggestion skip;    /* value NULL: it can't be skipped */
	const json_t *skip_values; /* values that skipping sets, if a list; or NULL */
	const json_t *plan;  /* plan that the answer runs, as work.spec; NULL: the session's */
	const json_t *plans; /* plans by option value, if each option runs its own */
	int attempt;         /* times asked, including this one */
};

/* A prepared reply, for a turn that gathered no data or needs none. */
struct turn_reply {
	const char *text;
	enum message_status status;
	struct turn_ask ask; /* for a clarifying question */
};

/* The recovery plan made from results without rows. */
struct recovery_plan {
	const char *text;           /* text after the answer; NULL: none */
	const struct result *asked; /* result that `ask` is about; NULL: no question */
	struct turn_ask ask;
	struct plan *probes; /* questions that may have results, as tasks */
	struct plan_run *run;
	const char **questions;
};

/* How the message answers the open clarifying question. */
struct ask_answer {
	bool answers;        /* the message is an answer */
	bool cancels;        /* the message cancels the question */
	const json_t *edits; /* filters that it sets, or that the client edited; NULL: free text */
	const json_t *plan;  /* plan that the edits apply to; NULL: the session's */
	const char *rejection_reason; /* why the answer is not allowed, for asking again; or NULL */
};

/* Why an answer to a clarifying question is invalid; `code` is a wire code. */
struct ask_failure {
	const char *code, *text;
};

/* Replies and suggestions of the turn. Written by src/dialog. */
struct turn_dialog {
	struct ask_answer answered;
	struct ask_failure ask_failure;
	struct turn_reply reply;
	struct recovery_plan recovery_plan;
	json_t *suggestions;             /* owned */
	json_t *next_context;            /* the session context after this turn; owned */
	const struct refusal *off_topic; /* found by code, for the supervisor to confirm; or NULL */
};

/* The parts of a turn that the dialog uses. */
struct dialog_turn {
	const struct turn_core *core;
	const struct turn_reading *reading;
	const struct turn_work *work;
	struct turn_context *context;
	struct turn_dialog *dialog;
};

void dialog_begin(struct dialog_turn *t);
void dialog_end(struct dialog_turn *t); /* frees what is not in the arena */

/* ---- reply.c ---- */

void reply_with(struct dialog_turn *t, enum message_status status, const char *text);
/* Prepares a reply that lists example questions from the domains that this caller may use. */
void reply_help(struct dialog_turn *t, const char *lead);
/* Prepares the reply for an agent's question, asked after the plan has ended. Only the first
 * question is used. */
void reply_with_agent_question(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
/* Replaces the reply's text and the labels of its options with what `plain` returns. */
void reply_map_texts(struct dialog_turn *t, const char *(*plain)(void *owner, const char *text),
		     void *owner);
/* The session context after this turn. New reference. */
json_t *dialog_session_context(const struct dialog_turn *t);
/* Sets next_context, unless a clarifying question did. */
void dialog_set_next_context(struct dialog_turn *t);

/* ---- rows.c ---- */

/* Adds the titles of the rows that this turn shows to its session context (CONTEXT_ROWS). The
 * titles of the previous list are kept if the turn shows no such rows, or is about a row of that
 * list. */
void rows_add_titles(const struct dialog_turn *t, json_t *standing);

/* ---- ask.c, ask_plan.c, ask_answer.c, ask_words.c: clarifying questions ---- */

/* Prepares the reply: the question, or, after too many attempts, suggestions instead. */
void ask_user(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
void ask_clarification(struct dialog_turn *t, const struct clarification *c);
/* Asks which reading of an unclear question is meant; each choice runs one reading. */
void ask_readings(struct dialog_turn *t);
/* Asks the model's clarifying question, with the model's options. */
void ask_for_model(struct dialog_turn *t, const struct supervisor_reply *r);
/* Fills *out, except `plan`, from the question that ended the plan. Pure; all memory is in the
 * arena. */
void ask_from_plan(const struct plan *p, struct date today, const struct language *language,
		   struct arena *a, struct turn_ask *out);
/* Makes the question that ended the plan the reply. */
void ask_plan_question(struct dialog_turn *t, const struct plan *p);
/* As ask_user, for a question that follows an answer. False: it was asked too often. */
bool ask_prepare(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
/* Stores the reply's question in the session context. Returns the members of chat.ask; new
 * reference. */
json_t *ask_store_pending(struct dialog_turn *t);
/* Reads the message's answer to the open question. False: dialog.ask_failure has the reason. */
bool ask_read(struct dialog_turn *t);
/* The plan of the open question can no longer run: sets dialog.ask_failure. */
void ask_reject_changed_plan(struct dialog_turn *t);
/* The chosen value in a message of the form "Selected: X"; or NULL. */
const char *ask_selected_value(const struct dialog_turn *t, const char *text);
/* True when the open question's answer runs a plan; other answers are read as follow-ups. */
bool ask_has_plan(const struct dialog_turn *t);
/* True when the message gives values for a flow's open question and for other lines of the flow
 * ("NP15 in 2026"). Sets dialog.answered. */
bool ask_read_values(struct dialog_turn *t);
/* True when the message is not a new question: the flow's open question is asked once more. */
bool ask_remains_open(struct dialog_turn *t, bool model_usable);
/* Asks the open question once more, because its answer is not allowed. */
void ask_again(struct dialog_turn *t);
/* Cancels the open question: the reply confirms it, and the rest of the context stays. */
void ask_cancel(struct dialog_turn *t);
/* A value of chat.select as text; "" for an invalid type. */
const char *ask_value_text(const json_t *value, struct arena *a);

/* ---- refusal.c ---- */

/* True when the question is refused; *why has the reason. `u` NULL: before understanding, by its
 * words only. With a model, the supervisor decides whether a question is off topic. */
bool refusal_check(struct dialog_turn *t, const struct nlu_input *in, const struct understanding *u,
		   bool model_usable, struct refusal *why);
/* Prepares the reply. Returns the view that shows it; new reference. */
json_t *refuse_question(struct dialog_turn *t, const struct refusal *why);
/* Refuses a model's plan that can't run, if there is no other. Returns the view; new reference. */
json_t *refuse_plan(struct dialog_turn *t, bool circular);
/* Refuses a tool that the caller has no permission for. Returns the view; new reference. */
json_t *refuse_forbidden(struct dialog_turn *t, const struct nlu_call *tool);

/* ---- suggest.c: questions that can be asked instead ---- */

#define SUGGEST_MAX           3
#define SUGGEST_EXAMPLES_READ 4 /* of each domain */
/* True when code is sure what the question means for this caller. */
bool suggest_is_understood(struct dialog_turn *t, const char *question, struct understanding *out);
/* Adds a suggestion to chat.complete, unless present. */
void suggest_add(struct dialog_turn *t, const char *label, const char *question);
/* The same with a given priority. */
void suggest_add_with_priority(struct dialog_turn *t, const char *label, const char *question,
			       bool primary);
void suggest_clear(struct dialog_turn *t);
/* Example questions of the caller's domains that code is sure of. Returns their number. */
size_t suggest_examples(struct dialog_turn *t, const char **out, size_t max);
/* The text, followed by the suggestions as a list. */
const char *suggest_text(struct dialog_turn *t, const char *lead);
/* Prepares a reply with a text and example questions. */
void suggest_and_reply(struct dialog_turn *t, const char *why);
/* The same without the standard introduction: the text introduces the questions. */
void suggest_and_reply_without_lead(struct dialog_turn *t, const char *why);

/* ---- unused.c ---- */

/* Prepares the reply that names the unused words, when no model can be asked. */
void reply_unused_words(struct dialog_turn *t);

/* ---- recovery.c, recovery_ask.c, recovery_probe.c: results without rows ---- */

/* The last result of a task that found nothing; NULL: it found rows or never ran. */
const struct result *recovery_result_without_rows(const struct task *task);
/* True when a task returned no rows, or a truncated result has suggestions. */
bool recovery_is_due(const struct dialog_turn *t);
bool recovery_any_rows(const struct dialog_turn *t);
/* Offers a retry, or an upload, where one may help. Then asks for another time, name or value, or
 * for a narrower question. False: it asks nothing. */
bool recovery_begin(struct dialog_turn *t);
/* The first empty result, else the first one without data; NULL: none. */
const struct result *recovery_first_empty(const struct dialog_turn *t);
/* Starts probes: the suggestions of `without_rows`, then example questions of its domain. False:
 * it has none. */
bool recovery_start_probes(struct dialog_turn *t, const struct result *without_rows);
void recovery_suggest_probes(struct dialog_turn *t); /* suggests the probes that found rows */
void recovery_cancel(struct dialog_turn *t);
/* Every task failed: prepares a reply with the errors. */
void recovery_reply_failed(struct dialog_turn *t);
/* Text to show after the answer; *asks: it is a clarifying question. NULL: none. */
const char *recovery_finish(struct dialog_turn *t, bool *asks);

/* ---- context.c: the stored session ---- */

void context_set_loaded(struct dialog_turn *t, const struct beginning *b);
/* Removes this turn's message from the history. Without a session context from the store, uses the
 * summary's. */
void context_finish_loading(struct dialog_turn *t);
/* Reads the items of the summary. */
const json_t *context_earlier(struct dialog_turn *t);
bool context_summary_is_due(const struct dialog_turn *t);
/* True when messages between the summary and the newest ones must be read. */
bool context_needs_unsummarized(const struct dialog_turn *t, bool model_usable);
void context_mark_unsummarized_read(struct dialog_turn *t);
void context_set_unsummarized(struct dialog_turn *t, const struct message *messages, size_t count);
/* Steps of a new summary: make it from the messages, add a model's wording, record that it is
 * stored. */
void context_summarize(struct dialog_turn *t, const struct message *messages, size_t count,
		       bool has_more);
void context_set_summary_text(struct dialog_turn *t, const char *text);
void context_summary_stored(struct dialog_turn *t);

/* ---- client_history.c: a conversation that the client stores ---- */

/* ERR_LIMIT: more than CLIENT_HISTORY_MESSAGES_MAX messages or CLIENT_HISTORY_BYTES_MAX bytes.
 * ERR_INPUT: not UTF-8. */
MUST_CHECK bool client_history_check(const struct turn_request *r, struct err *e);
/* Copies the origin and the part of the history that is used: the rules as one message, then at
 * most CLIENT_HISTORY_READ_MAX other messages. */
void client_history_copy(const struct turn_request *r, struct turn_request *out, struct arena *a);
/* Derives the session context from the user's earlier messages, without a model. */
void client_history_read(struct dialog_turn *t);
/* Quoted text for the answer's prompt only; NULL: none. The number check does not use numbers from
 * it. */
const char *client_history_rules(const struct turn_request *r, struct arena *a);
const char *client_history_text(const struct turn_request *r, struct arena *a);

/* ---- memory.c: items of a summary. Pure; all texts in the arena. ---- */

/* Merges an earlier summary (NULL: none) and these messages into items, as a JSON array. */
const char *memory_items(const char *earlier, const struct message *messages, size_t count,
			 struct arena *a);
/* The text that a model is asked to summarize. */
const char *memory_source(const json_t *earlier, const json_t *items, const struct principal *who,
			  struct arena *a);
/* The items with the model's text, which needs every permission of its sources. */
const char *memory_add_text(const char *items, const json_t *earlier, const char *text,
			    struct arena *a);
/* The part that `who` may read; "" for none. Without `answers`, only the questions. */
const char *memory_text(const json_t *items, const struct principal *who, bool answers,
			struct arena *a);
/* The session context among the items, or NULL: none that `who` may read. */
const json_t *memory_session_context(const json_t *items, const struct principal *who,
				     struct arena *a);

#endif
