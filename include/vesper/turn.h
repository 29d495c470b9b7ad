/*
 * One turn: from a user's message to a stored answer.
 *
 * Overview. A message with a verified principal is admitted (quota, one running turn per session)
 * and becomes a turn. The user's message is stored, then acknowledged, and history is loaded. Code
 * reads the question first. If code is sure, it makes a plan at once; otherwise the question goes
 * to the supervisor (a model) if there is one, or a clarifying question is asked. The plan's tasks
 * run tools under the caller's tenant and permissions; results are typed outcomes with tables. The
 * synthesizer writes the answer from them (a model, or templates without one) and streams it to the
 * turn's event log. The answer is stored, then chat.complete is sent. Cancel, deadline and
 * disconnected clients are handled in the same way.
 *
 * A clarifying question (chat.ask) ends its turn; the session context waits for the answer for a
 * day. Its forms:
 *
 *   {ask_id, prompt, filter, input, hint?, skip?: {value, label}, expires_at} and
 *   input "single":     options?: [{value, label, group?}]; without options any value may be typed
 *   input "multiple":   options: [{value, label, group?}], min, max (number of values)
 *   input "date":       min_date?, max_date? (ISO dates, inclusive)
 *   input "date_range": the same
 *
 * The answer is chat.select {ask_id, values}: values of options; one date; two dates, first and
 * last; or only the value of skip. As text it may be an option's number, value or label, a date, or
 * the label of skip. An ask_id other than the pending one, or one that has expired, ends the turn
 * with the error `expired`. Values that the question does not allow end it with `bad_frame`, and
 * the question stays open. The same question is asked at most three times in a row
 * (ASK_ATTEMPTS_MAX).
 *
 * States, limits and transitions: turn_rows in src/turn/turn_table.c, printed by `vesperd
 * --print-turn`. Loop thread only.
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
#include "vesper/nlu.h"
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
	TURN_WAIT = TURN_STATE_COUNT, /* returned by a step: operations are running, a completion
					 will resume the turn */
};

struct find_reach;
struct turns; /* the running turns of this process and their shared objects */

/* The time zone of a tenant. */
struct tenant_zone {
	const char *tenant;
	struct zone *zone;
};

/* Handling of a question while a turn of its session is running. */
enum turn_busy {
	TURN_BUSY_REJECT,    /* the question is refused */
	TURN_BUSY_QUEUE,     /* the question is answered next */
	TURN_BUSY_INTERRUPT, /* the running turn is cancelled */
};

/* Settings of turns. A turn keeps those it started with. */
struct turn_settings {
	struct settings base;
	int64_t deadline_ms; /* 0: TURN_DEADLINE_MS */
	enum turn_busy busy;
	size_t turns_max;          /* limit of running turns; 0: TURNS_MAX */
	int64_t grace_ms;          /* grace period without a watcher; 0: cancelled at once */
	enum guard_policy numbers; /* handling of unbound numbers */
	size_t prompt_tokens;      /* limit of data in one model call; 0: PROMPT_TOKENS */
	bool hide_existence;       /* data that the caller may not see is reported as nonexistent */
	bool checks_questions;     /* guardrail check of questions that code cannot classify */
	bool no_charts;            /* results are shown as tables only */
	const char *const *link_hosts; /* hosts that answers may link to, in addition to those of
					  the reports; NULL-terminated; NULL: none */
	struct company_calendar calendar;
	const struct tenant_zone *places; /* other tenants use UTC */
	size_t place_count;
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool turn_settings_read(const struct config *c, struct arena *take,
				   struct turn_settings **out, struct err *e);
/* The time zone of a tenant; NULL: UTC. */
const struct zone *turn_settings_zone(const struct turn_settings *s, const char *tenant);

struct turns_options {
	struct loop *loop;
	struct stream_hub *streams;
	struct store *store;
	struct leases
		leases;  /* of the sessions; takes ownership; without a driver they are in memory */
	struct llm *llm; /* keeps a reference; NULL: no model */
	const struct turn_settings *settings; /* keeps a reference */
	/* Called with each ended turn as a line of a case (record.h); takes ownership. NULL: not
	 * recorded. */
	void (*record)(void *owner, json_t *take);
	void *record_owner;
};

/* Gets the reach of a caller's documents for a text (find.h): in the arena; the callback runs
 * later, never within the call. */
struct turn_documents {
	struct op *(*reach)(void *owner, const struct principal *who, const char *text,
			    struct arena *a,
			    void (*cb)(void *cb_owner, const struct find_reach *reach),
			    void *cb_owner); /* NULL: no documents */
	void *owner;
};
void turns_set_documents(struct turns *t, const struct turn_documents *documents);

struct turns *turns_new(const struct turns_options *options);
/* Applies to new turns only. */
void turns_set_settings(struct turns *t, const struct turn_settings *settings);
/* The time zone of a tenant; NULL: UTC. Valid until the settings change. */
const struct zone *turns_zone(const struct turns *t, const char *tenant);
void turns_set_llm(struct turns *t, struct llm *llm); /* keeps a reference */
/* Sets the load. Above 100 percent, new turns are refused (ERR_OVERLOAD), except those of tenants
 * with few turns, up to TURNS_SHARE_PERCENT. While logs are full, the model streams of unwatched
 * turns are paused, and such a turn is cancelled after TURN_PAUSED_GRACE_MS. */
void turns_set_load(struct turns *t, struct load load);

/* The objects that read and run questions. They belong to a list of packs and are shared by its
 * tenants, or they belong to one tenant with an overlay (overlay.h). */
struct turn_knowledge {
	const char *key; /* packs, then "+TENANT@VERSION" for an overlay; copied */
	struct catalog *catalog;
	struct nlu *nlu;
	struct toolbox *tools;
};

/* A reference-counted turn_knowledge. A set, a turn, an overlay based on it, or another holder has
 * a reference. */
struct knowledge;
/* Takes ownership of the catalogue's reference, the nlu and the toolbox. `base`: knowledge that
 * shares parts with it; keeps a reference; NULL: none. */
struct knowledge *knowledge_new(const struct turn_knowledge *take, struct knowledge *base);
struct knowledge *knowledge_ref(struct knowledge *k);
void knowledge_unref(struct knowledge **k); /* *k may be NULL */
const struct turn_knowledge *knowledge_get(const struct knowledge *k);

/* The knowledge of every tenant. */
struct knowledge_set;
struct knowledge_set *knowledge_set_new(void);
/* Adds knowledge to a set, with a new reference. The tenant is copied; call it once per tenant.
 * NULL: all tenants use it. */
void knowledge_set_add(struct knowledge_set *s, const char *tenant, struct knowledge *k);
void knowledge_set_free(struct knowledge_set **s); /* only for a set not in use */

/* Sets the knowledge of new turns; takes ownership. Running turns keep the knowledge they started
 * with. */
void turns_set_knowledge(struct turns *t, struct knowledge_set *take);
/* The same for one tenant of the set (all, if they share one); keeps a reference. */
void turns_set_tenant_knowledge(struct turns *t, const char *tenant, struct knowledge *k);
/* NULL: unknown tenant. */
const struct turn_knowledge *turns_knowledge(const struct turns *t, const char *tenant);

/* Refuses new turns; `done` is called when none is running. If turns_drain is called later, only
 * its callback runs. */
void turns_refuse(struct turns *t, void (*done)(void *owner), void *owner);
/* Hands running turns over to other replicas, if there are any. Otherwise cancels every running
 * turn and stores it as interrupted. Calls `done` when none is running. */
void turns_drain(struct turns *t, void (*done)(void *owner), void *owner);
/* Running turns are abandoned and not stored: drain first. No operation of turn_start, turn_cancel
 * or turn_running may be running. */
void turns_free(struct turns **t);
size_t turns_running(const struct turns *t);

/*
 * The callbacks of the following operations run from the loop, never within the call. Arguments
 * are borrowed until the callback, or until the operation is cancelled.
 */

/*
 * Starts a turn, or attaches to the one that this client_msg_id started before. All further output
 * is in the log. ERR_BUSY: a turn of this session is running, and the policy or the queue's limit
 * refuses another. ERR_OVERLOAD: refused before any work. ERR_LIMIT: too many turns of the user or
 * tenant, or the client's history is too long. ERR_INPUT: the history is not UTF-8. ERR_DENIED:
 * chat:use is missing. ERR_CANCELLED: draining. The log is borrowed: watch it at once (a turn
 * without a watcher is cancelled after grace_ms). If cancelled before the callback, there is no
 * turn.
 */
typedef stream_found_cb turn_started_cb;
struct op *turn_start(struct turns *t, const struct turn_request *request, turn_started_cb cb,
		      void *owner);

/* Cancels a running turn of this user, at once if it runs here; turn_id NULL: all of them. `found`:
 * a turn was running. Without a callback it returns NULL. */
enum turn_cancel_reason { CANCEL_USER, CANCEL_UNWATCHED, CANCEL_DEADLINE, CANCEL_DRAIN };
typedef lease_found_cb turn_found_cb;
struct op *turn_cancel(struct turns *t, const char *turn_id, const struct principal *who,
		       enum turn_cancel_reason reason, turn_found_cb cb, void *owner);
/* Drops the logs of this user's session (NULL: of all sessions) on all replicas. */
void turns_evict(struct turns *t, const char *session_id, const struct principal *who);
/* The running turn of this user's session; NULL: none. The ID is valid during the callback. */
typedef void (*turn_id_cb)(void *owner, const char *turn_id);
struct op *turn_running(struct turns *t, const char *session_id, const struct principal *who,
			turn_id_cb cb, void *owner);

/* Values of a filter that this caller may know (entity_index_values in lookup.h). */
size_t turns_filter_values(const struct turns *t, const struct principal *who, const char *filter,
			   const char *text, struct arena *a, const struct suggestion **out);

/* A call of a stored answer (an item of message.tool_calls) to be run again. */
struct repeat_call {
	const struct principal *who;
	const char *turn_id; /* turn of the answer, for the audit log; NULL: none */
	const json_t *call;
	size_t rows_max; /* rows kept; up to DB_FETCH_ROWS_MAX */
};
/* Returns true if the call can be run: its tool still exists and does not run ad hoc SQL, and its
 * arguments are stored. */
bool turns_can_repeat_call(const struct turns *t, const char *tenant, const json_t *call);
/* Runs the call with its stored arguments and the current permissions, switches and data. Otherwise
 * as tool_start. */
struct op *turns_repeat_call(struct turns *t, const struct repeat_call *again, struct arena *a,
			     tool_cb cb, void *owner);

/* A tool call by a program, outside of conversations. */
struct tool_call_request {
	const struct principal *who;
	const char *tool;   /* a tool that the caller may use (catalog_agent_for) */
	const json_t *args; /* JSON object */
};
/* `receipt_id`: the stored receipt; NULL: it would be too long. `e` not NULL: there is no result.
 * ERR_LIMIT: too many calls are running. ERR_CANCELLED: draining. Other errors: the receipt could
 * not be stored. */
typedef void (*tool_called_cb)(void *owner, const struct result *r, const char *receipt_id,
			       const struct err *e);
/* Runs the tool with the caller's permissions, as of today. The result may come from the tool's
 * cache. Stores a receipt. The result is allocated in the arena. */
struct op *turns_call_tool(struct turns *t, const struct tool_call_request *wanted, struct arena *a,
			   tool_called_cb cb, void *owner);

/* Converts a stored answer to an evaluation case (vesper/record.h), to be completed by hand: it has
 * the permissions that the data required, and no expectations. New reference. */
json_t *turn_case(const char *tenant, const struct message *question, const struct message *answer);

/* Appends the state table as a mermaid state diagram. */
void turn_print(struct buf *out);
const char *turn_state_name(enum turn_state s);

#endif
