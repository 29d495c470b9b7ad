/*
 * One turn: from a user's message to a stored answer.
 *
 * The story. A message comes in with a verified principal and is admitted (quota, one running turn
 * a session): from here on there is a turn. The user's message is stored and only then
 * acknowledged; history is loaded. Code reads the question first. What code is sure of becomes a
 * plan at once; what it is not goes to the supervisor (a model) where there is one, or is asked
 * back. The plan's tasks run tools under the caller's tenant and permissions; results are typed
 * outcomes with tables. The synthesizer writes the answer from them (a model, or templates where
 * there is none); its words go to the turn's event log as they come. The answer is stored, then
 * chat.complete is said. Cancel, deadline and a lost client all take one way.
 *
 * A clarifying question (chat.ask) ends its turn; the session context waits for the answer, for a
 * day. Its shapes:
 *
 *   {ask_id, prompt, filter, input, hint?, skip?: {value, label}, expires_at} and
 *   input "single":     options?: [{value, label, group?}]; without options any value may be typed
 *   input "multiple":   options: [{value, label, group?}], min, max (how many of them)
 *   input "date":       min_date?, max_date? (ISO days, both included)
 *   input "date_range": the same
 *
 * The answer is chat.select {ask_id, values}: values of options; one day; two days, first and last;
 * or, alone, the value of skip. In words it may be an option's number, value or label, a day, or
 * skip's label. Another ask_id than the one that stands, or one too old, closes the turn with the
 * error `expired`; values that the question does not allow with `bad_frame`, and it stays open.
 * After three times in a row (ASK_ATTEMPTS_MAX) the same is not asked again.
 *
 * States, limits and allowed moves: turn_rows in src/turn/turn_table.c, printed by `vesperd
 * --print-turn`. Loop-thread only.
 */
#ifndef VESPER_TURN_H
#define VESPER_TURN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/catalog.h"
#include "vesper/config.h"
#include "vesper/err.h"
#include "vesper/guard.h"
#include "vesper/know.h"
#include "vesper/lease.h"
#include "vesper/llm.h"
#include "vesper/loop.h"
#include "vesper/op.h"
#include "vesper/overload.h"
#include "vesper/principal.h"
#include "vesper/store.h"
#include "vesper/settings.h"
#include "vesper/stream.h"
#include "vesper/str.h"
#include "vesper/tool.h"
#include "vesper/turn_core.h"
#include "vesper/zone.h"

enum turn_state {
	TURN_ACCEPT,
	TURN_LOAD,
	TURN_COMPACT,
	TURN_UNDERSTAND,
	TURN_ROUTE,
	TURN_RUN,
	TURN_RECOVER,
	TURN_SYNTH,
	TURN_ANSWER,
	TURN_FAILED,
	TURN_SAVE,
	TURN_DONE,
	TURN_STATE_COUNT,
	TURN_WAIT = TURN_STATE_COUNT, /* a step's answer: operations run, a completion will wake the
					 turn */
};

struct find_reach;
struct turns; /* the running turns of this process and what they work with */

/* Where a tenant is: what day it is there. */
struct tenant_place {
	const char *tenant;
	struct zone *zone;
};

/* A question while an answer of its session is being written. */
enum turn_busy {
	TURN_BUSY_REJECT,    /* is refused */
	TURN_BUSY_QUEUE,     /* is answered next */
	TURN_BUSY_INTERRUPT, /* is answered instead */
};

/* A turn keeps those that it began with. */
struct turn_settings {
	struct settings base;
	int64_t deadline_ms; /* 0: TURN_DEADLINE_MS */
	enum turn_busy busy;
	size_t turns_max;              /* that run at once; 0: TURNS_MAX */
	int64_t grace_ms;              /* of a turn without a watcher; 0: cancelled at once */
	enum guard_policy numbers;     /* what happens to a number that the data does not support */
	size_t prompt_tokens;          /* of one call of a model about data; 0: PROMPT_TOKENS */
	bool hide_existence;           /* what the caller may not see is answered like what does not
					  exist */
	bool vets_questions;           /* what code can't place is shown to a model before it is
					  tried */
	bool no_charts;                /* results are shown as tables alone */
	const char *const *link_hosts; /* answers may link to them, beside those of the reports;
					  ended by NULL; NULL: none */
	struct company_calendar calendar;
	const struct tenant_place *places; /* who is not among them lives by UTC */
	size_t place_count;
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool turn_settings_read(const struct config *c, struct arena *take,
				   struct turn_settings **out, struct err *e);
/* Where a tenant is; NULL: UTC. */
const struct zone *turn_settings_zone(const struct turn_settings *s, const char *tenant);

struct turns_options {
	struct loop *loop;
	struct stream_hub *streams;
	struct store *store;
	struct leases leases; /* of the sessions; taken; without a driver they are in memory */
	struct llm *llm;      /* held; NULL: rules only */
	const struct turn_settings *settings; /* held */
	/* Each turn when it is over, as a line of a case (record.h); NULL: not recorded. */
	void (*record)(void *owner, json_t *take);
	void *record_owner;
};

/* How far the documents of a caller reach into a text (find.h): in the arena, later and never from
 * inside the call. */
struct turn_documents {
	struct op *(*reach)(void *owner, const struct principal *who, const char *text,
			    struct arena *a,
			    void (*cb)(void *cb_owner, const struct find_reach *reach),
			    void *cb_owner); /* NULL: there are no documents */
	void *owner;
};
void turns_use_documents(struct turns *t, const struct turn_documents *documents);

struct turns *turns_new(const struct turns_options *options);
/* For turns that begin from now on. */
void turns_use_settings(struct turns *t, const struct turn_settings *settings);
/* Where a tenant is; NULL: UTC. Valid until the next settings. */
const struct zone *turns_zone(const struct turns *t, const char *tenant);
void turns_use_llm(struct turns *t, struct llm *llm); /* held */
/* How much there is to do: over 100 percent, turns that would begin are refused (ERR_OVERLOAD) but
 * for those of tenants that have few. While logs are full, the models of turns that nobody watches
 * are not read on: TURN_HELD_MS later such a turn is cancelled. */
void turns_use_load(struct turns *t, struct load load);

/* What questions are read and run with: that of a list of packs, which its tenants share, or that
 * of a tenant with additions to its packs (overlay.h). */
struct turn_knowledge {
	const char
		*key; /* the list of packs, with "+TENANT@VERSION" behind it of an overlay; copied
		       */
	struct catalog *catalog;
	struct know *know;
	struct toolbox *tools;
};

/* One of these, counted. Freed with its last reference: of a set, a turn, an overlay of it, or
 * another holder. */
struct knowledge;
/* Takes the catalogue's reference, know and toolbox. `base`: what they share parts of, which is
 * referred to; NULL: nothing. */
struct knowledge *knowledge_new(const struct turn_knowledge *take, struct knowledge *base);
struct knowledge *knowledge_ref(struct knowledge *k);
void knowledge_unref(struct knowledge **k); /* *k may be NULL */
const struct turn_knowledge *knowledge_get(const struct knowledge *k);

/* That of every tenant. */
struct knowledge_set;
struct knowledge_set *knowledge_set_new(void);
/* Refers to it. The tenant is copied and has one; NULL: all tenants have this one. */
void knowledge_set_add(struct knowledge_set *s, const char *tenant, struct knowledge *k);
void knowledge_set_free(struct knowledge_set **s); /* one that is not in use */

/* For turns that begin from now on; running ones keep what they began with, and the last one frees
 * it. */
void turns_use(struct turns *t, struct knowledge_set *take);
/* The same for one tenant of the set. */
void turns_use_for(struct turns *t, const char *tenant, struct knowledge *k);
/* NULL: there is no such tenant. */
const struct turn_knowledge *turns_knowledge(const struct turns *t, const char *tenant);

/* From now on no turn begins; `done` when none runs any more. After a turns_drain only that one's
 * callback comes. */
void turns_refuse(struct turns *t, void (*done)(void *owner), void *owner);
/* Where there are other replicas they go on with what runs; else every running turn is cancelled
 * and stored as interrupted. Calls `done` when none runs any more. */
void turns_drain(struct turns *t, void (*done)(void *owner), void *owner);
/* Turns that still run are abandoned unstored: drain first. No operation of turn_start,
 * turn_cancel or turn_running may run. */
void turns_free(struct turns **t);
size_t turns_running(const struct turns *t);

/*
 * The answers of the following operations come from the loop, never from inside the call. What the
 * call is given is borrowed until the answer, or until the operation is cancelled.
 */

/*
 * Starts a turn, or attaches to the one that this client_msg_id started before. The log is where
 * everything further is said. Refusals: ERR_BUSY (a turn of this session runs, and the policy or
 * the queue's limit says no), ERR_OVERLOAD (before anything is asked), ERR_LIMIT, ERR_DENIED (no
 * chat:use), ERR_CANCELLED (draining). The log is borrowed: watch it at once (a turn without a
 * watcher is cancelled after grace_ms). Cancelled before the answer: there is no turn.
 */
typedef stream_found_cb turn_started_cb;
struct op *turn_start(struct turns *t, const struct turn_request *request, turn_started_cb cb,
		      void *owner);

/* Cancels a running turn of this user, at once where it runs here; turn_id NULL: all of them.
 * `found`: there was one. Without a callback there is no operation (NULL). */
enum turn_cancel_reason { CANCEL_USER, CANCEL_LEFT, CANCEL_DEADLINE, CANCEL_DRAIN };
typedef lease_found_cb turn_found_cb;
struct op *turn_cancel(struct turns *t, const char *turn_id, const struct principal *who,
		       enum turn_cancel_reason reason, turn_found_cb cb, void *owner);
/* The logs of this user's session (NULL: of all of them) are kept nowhere any more. */
void turns_evict(struct turns *t, const char *session_id, const struct principal *who);
/* The running turn of this session of this user; NULL: none. The id is valid during the call. */
typedef void (*turn_id_cb)(void *owner, const char *turn_id);
struct op *turn_running(struct turns *t, const char *session_id, const struct principal *who,
			turn_id_cb cb, void *owner);

/* Known values of a filter as this caller may know them (lookup.h name_book_values). */
size_t turns_filter_values(const struct turns *t, const struct principal *who, const char *filter,
			   const char *text, struct arena *a, const struct suggestion **out);

/* A call of a stored answer (an item of message.tool_calls) that is wanted once more. */
struct call_again {
	const struct principal *who;
	const char *turn_id; /* of the answer: for the audit log; NULL: none */
	const json_t *call;
	size_t rows_max; /* that are kept; up to DB_FETCH_ROWS_MAX: to its last row */
};
/* Whether it can be run: its tool is still there, and its statement is not ad hoc SQL. */
bool turns_may_call_again(const struct turns *t, const char *tenant, const json_t *call);
/* Runs it with the arguments of then, and the permissions, switches and data of now. As
 * tool_start otherwise. */
struct op *turns_call_again(struct turns *t, const struct call_again *again, struct arena *a,
			    tool_cb cb, void *owner);

/* One call of a tool by a program, outside of any conversation. */
struct tool_wanted {
	const struct principal *who;
	const char *tool;   /* one that the caller may use (catalog_agent_for) */
	const json_t *args; /* object of plain JSON */
};
/* `receipt_id` is stored; NULL: it would have been too long. `e`: there is no result. ERR_LIMIT:
 * too many run at once; ERR_CANCELLED: draining; or the receipt could not be stored. */
typedef void (*tool_called_cb)(void *owner, const struct result *r, const char *receipt_id,
			       const struct err *e);
/* Runs it with the caller's permissions, today's data and the tool's cache, and stores a receipt.
 * The result lives in the arena. */
struct op *turns_call_tool(struct turns *t, const struct tool_wanted *wanted, struct arena *a,
			   tool_called_cb cb, void *owner);

/* A stored answer as a case of an evaluation (vesper/record.h) that a person completes: nothing is
 * expected yet, and it is asked with the permissions that its data took. New reference. */
json_t *turn_case(const char *tenant, const struct message *question, const struct message *answer);

/* The table as a mermaid state diagram. */
void turn_print(struct buf *out);
const char *turn_state_name(enum turn_state s);

#endif
