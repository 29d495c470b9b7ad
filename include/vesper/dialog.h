/*
 * The dialog: what a session remembers, clarifying questions and their answers, refusals,
 * suggestions, and what becomes of results without rows. It prepares replies and never emits: who
 * calls it shows what it made. Loop thread only; everything in the turn's arena.
 */
#ifndef VESPER_DIALOG_H
#define VESPER_DIALOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "vesper/planner.h"
#include "vesper/store.h"
#include "vesper/turn_core.h"

#define PROMPT_PAIRS 3 /* question and answer pairs that a prompt repeats */

/* What the session holds. Written by src/dialog. */
struct turn_context {
	const struct message *history; /* for prompts; none where no model is configured */
	size_t history_count;
	bool has_earlier;  /* messages, before this turn's */
	bool long_session; /* there are more messages than `history` */
	struct memory memory;
	const json_t *earlier; /* its summary's items, once they were read */
	bool between_read;
	const json_t *between;  /* items of what no summary covers and no prompt repeats */
	const char *summary;    /* the one that is being made, as text */
	int64_t covers_through; /* up to this message */
	const json_t *standing;
};

/* A clarifying question. What it leaves in the session context finds its answer: chat.ask in
 * turn.h. */
struct turn_ask {
	enum ask_input input;
	const char *question;   /* as it was first put; NULL: as the reply's text */
	const char *filter;     /* what the answer is a value of; NULL: it is answered in words */
	const char *end_filter; /* of the last day; NULL: the first day's filter takes both */
	const struct suggestion *options;
	size_t option_count;
	size_t min, max; /* of several choices; max 0: as many as there are */
	const char *min_date, *max_date;
	const char *hint;
	struct suggestion skip;    /* value NULL: it can't be skipped */
	const json_t *skip_values; /* what skipping chooses, if that is a list; or NULL */
	const json_t *plan;        /* what the answer runs, as work.spec; NULL: the standing one */
	const json_t *plans;       /* the same by the option's value, where each runs its own */
	int attempt;               /* times that this was asked, with this one */
};

/* A prepared reply: no data was gathered, or none is needed. */
struct turn_reply {
	const char *text;
	enum message_status status;
	struct turn_ask ask; /* of a clarifying question */
};

/* What RECOVER made of results without rows. */
struct recovery_plan {
	const char *text;           /* after the answer; NULL: nothing */
	const struct result *asked; /* what `ask` is about; NULL: nothing is asked */
	struct turn_ask ask;
	struct plan *probes; /* questions that may find something, as they would run */
	struct plan_run *run;
	const char **questions;
};

/* What the message answers of the standing clarifying question. */
struct ask_answer {
	bool answers;        /* it does */
	bool drops;          /* it wants no answer any more */
	const json_t *edits; /* filters that it gives, or that the client edited; NULL: words */
	const json_t *plan;  /* what they are for; NULL: the standing one */
	const char *why_not; /* it is none that was to be chosen: why, to ask again */
};

/* Why an answer to a clarifying question is none; `code` is of the wire. */
struct ask_failure {
	const char *code, *text;
};

/* What is said beside the data. Written by src/dialog. */
struct turn_dialog {
	struct ask_answer answered;
	struct ask_failure ask_failure;
	struct turn_reply reply;
	struct recovery_plan recovery_plan;
	json_t *suggestions;
	json_t *next_context;            /* the session context after this turn; owned */
	const struct refusal *off_topic; /* by code, for the supervisor to confirm; or NULL */
};

/* The turn as the dialog sees it. */
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
/* The reply lists what can be asked, in the examples of the domains that this caller may use. */
void reply_help(struct dialog_turn *t, const char *lead);
/* An agent asks: the reply, once the plan has ended. The first one counts. */
void reply_of_agent(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
/* Replaces the texts of the reply by what may be shown of them. */
void reply_plain(struct dialog_turn *t, const char *(*plain)(void *owner, const char *text),
		 void *owner);
/* The session context that the turn leaves behind. New reference. */
json_t *dialog_standing(const struct dialog_turn *t);
/* Sets it, unless a clarifying question did. */
void dialog_leave_context(struct dialog_turn *t);

/* ---- ask.c, ask_plan.c, ask_answer.c, ask_words.c: clarifying questions ---- */

/* Prepares the reply: the question, or that it is of no use to ask once more. */
void ask_user(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
void ask_clarification(struct dialog_turn *t, const struct clarification *c);
/* Which of the readings of an unclear question is meant; each choice runs one. */
void ask_readings(struct dialog_turn *t);
/* The model's own question, with the choices that it knows. */
void ask_for_model(struct dialog_turn *t, const struct supervisor_reply *r);
/* The question that ended the plan, without `plan`. Pure; everything in the arena. */
void ask_from_plan(const struct plan *p, struct date today, const struct language *language,
		   struct arena *a, struct turn_ask *out);
/* It becomes the reply. */
void ask_of_plan(struct dialog_turn *t, const struct plan *p);
/* The same for a question behind an answer; false: it is not to be asked. */
bool ask_prepare(struct dialog_turn *t, const char *text, const struct turn_ask *ask);
/* The reply's question begins to stand. Members of chat.ask; new reference. */
json_t *ask_open(struct dialog_turn *t);
/* Reads what the message answers. False: dialog.ask_failure says why it is no answer. */
bool ask_read(struct dialog_turn *t);
/* What the standing question is for can't run any more: dialog.ask_failure says so. */
void ask_changed(struct dialog_turn *t);
/* What the message says was chosen, if it is put so ("Selected: X"); or NULL. */
const char *ask_selected(const struct dialog_turn *t, const char *text);
/* A question is open whose answer runs a plan; the answer to any other is read as a follow-up. */
bool ask_has_plan(const struct dialog_turn *t);
/* The message, as it was understood, gives values for the question of a flow that stands and for
 * others of its lines ("NP15 in 2026"): dialog.answered. */
bool ask_read_values(struct dialog_turn *t);
/* The message, as it was understood, is not a question: the question of a flow that stands
 * is asked once more. */
bool ask_stays(struct dialog_turn *t, bool model_usable);
/* The standing question, once more: the answer to it was none that it allows. */
void ask_again(struct dialog_turn *t);
/* The open question is not to be answered: the reply says so, the rest of the context stays. */
void ask_drop(struct dialog_turn *t);
/* A value of chat.select as text; "" for what can't be one. */
const char *ask_value_text(const json_t *value, struct arena *a);

/* ---- refusal.c ---- */

/* The question is refused: *why. `u` NULL: it was not read yet, only its words count. With a model
 * it is left to the supervisor to say that a question is about something else. */
bool refusal_of(struct dialog_turn *t, const struct know_input *in, const struct understanding *u,
		bool model_usable, struct refusal *why);
/* Prepares the reply. The view that shows it; new reference. */
json_t *refuse_question(struct dialog_turn *t, const struct refusal *why);
/* What a model planned can't run, and code found nothing else. New reference. */
json_t *refuse_plan(struct dialog_turn *t, bool circular);
/* The caller may not use what the question is for. New reference. */
json_t *refuse_forbidden(struct dialog_turn *t, const struct know_call *tool);

/* ---- suggest.c: questions that can be asked instead ---- */

#define SUGGEST_MAX           3
#define SUGGEST_EXAMPLES_READ 4 /* of each domain */
/* Code is sure what the question means to this caller. */
bool suggest_read(struct dialog_turn *t, const char *question, struct understanding *out);
/* To the follow-ups of chat.complete, unless it is there. */
void suggest_add(struct dialog_turn *t, const char *label, const char *question);
/* The same with a rank that is known. */
void suggest_push(struct dialog_turn *t, const char *label, const char *question, bool primary);
void suggest_clear(struct dialog_turn *t);
/* Examples of the caller's domains that code is sure of; how many there are. */
size_t suggest_examples(struct dialog_turn *t, const char **out, size_t max);
/* The words, and the follow-ups as a list behind them. */
const char *suggest_text(struct dialog_turn *t, const char *lead);
/* Prepares a reply of the words and of examples. */
void suggest_end(struct dialog_turn *t, const char *why);
/* The same for a text that introduces the questions itself, in any language. */
void suggest_end_in(struct dialog_turn *t, const char *why);

/* ---- unused.c ---- */

/* The reply that names the words that are not used, where no model can be asked. */
void unused_reply(struct dialog_turn *t);

/* ---- recovery.c, recovery_ask.c, recovery_probe.c: results without rows ---- */

/* The last result of a task that found nothing; NULL: it did, or was never run. */
const struct result *recovery_lack(const struct task *task);
bool recovery_is_due(const struct dialog_turn *t); /* a task of the plan gave no rows */
bool recovery_any_rows(const struct dialog_turn *t);
/* Offers to try again what may work later, and asks for another time or name where that helps.
 * False: it does not. */
bool recovery_begin(struct dialog_turn *t);
/* What found nothing; NULL: everything else went wrong. */
const struct result *recovery_nothing_found(const struct dialog_turn *t);
/* Follow-ups of what found nothing, then what its domain says one can ask. False: there are none.
 */
bool recovery_start_probes(struct dialog_turn *t, const struct result *lack);
void recovery_take_probes(struct dialog_turn *t); /* what found rows is suggested */
void recovery_cancel(struct dialog_turn *t);
/* Nothing but failures: the reply says so. */
void recovery_reply_failed(struct dialog_turn *t);
/* What comes behind the answer, a question perhaps; NULL: nothing. */
const char *recovery_finish(struct dialog_turn *t, bool *asks);

/* ---- context.c: what the session holds ---- */

void context_begun(struct dialog_turn *t, const struct beginning *b);
/* The message of this turn is no history; the newest answer's context stands. */
void context_settle(struct dialog_turn *t);
/* Reads the items of the summary. */
const json_t *context_earlier(struct dialog_turn *t);
bool context_summary_is_due(const struct dialog_turn *t);
/* Messages between the summary and the newest ones. */
bool context_wants_between(const struct dialog_turn *t, bool model_usable);
void context_reads_between(struct dialog_turn *t);
void context_between(struct dialog_turn *t, const struct message *messages, size_t count);
/* A new summary: of what, in a model's words, and that it is stored. */
void context_summarize(struct dialog_turn *t, const struct message *messages, size_t count,
		       bool has_more);
void context_word_summary(struct dialog_turn *t, const char *text);
void context_summary_stored(struct dialog_turn *t);

/* ---- outside.c: a conversation that the caller's client keeps ---- */

/* ERR_LIMIT: more than OUTSIDE_MESSAGES_MAX, or than OUTSIDE_BYTES_MAX. ERR_INPUT: not UTF-8. */
MUST_CHECK bool outside_check(const struct turn_request *r, struct err *e);
/* Copies the origin and what is looked at: the rules as one message, then at most OUTSIDE_LOOKED_AT
 * of what was said. */
void outside_copy(const struct turn_request *r, struct turn_request *out, struct arena *a);
/* Code reads what the user asked, for the session context. */
void outside_read(struct dialog_turn *t);
/* For the prompt of the answer and no other, quoted; NULL: nothing. The number check knows no
 * number of either. */
const char *outside_rules(const struct turn_request *r, struct arena *a);
const char *outside_said(const struct turn_request *r, struct arena *a);

/* ---- memory.c: items of a summary. Pure; all texts in the arena. ---- */

/* What an earlier summary (NULL: none) and these messages come to, as a JSON array. */
const char *memory_items(const char *earlier, const struct message *messages, size_t count,
			 struct arena *a);
/* What a model shall word. */
const char *memory_source(const json_t *earlier, const json_t *items, const struct principal *who,
			  struct arena *a);
/* The items with its words, which need every permission that anything in them may rest on. */
const char *memory_add_text(const char *items, const json_t *earlier, const char *text,
			    struct arena *a);
/* What this reader may be told; "" for nothing. Without `answers` only what was asked. */
const char *memory_text(const json_t *items, const struct principal *who, bool answers,
			struct arena *a);
/* What stood at its end, or NULL. */
const json_t *memory_standing(const json_t *items, const struct principal *who, struct arena *a);

#endif
