/*
 * Sessions and messages, durable. Every call is asynchronous, runs under the caller's tenant, and
 * its callback comes from the loop. A foreign session looks exactly like one that does not exist
 * (ERR_NOT_FOUND).
 */
#ifndef VESPER_STORE_H
#define VESPER_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vesper/arena.h"
#include "vesper/budget.h"
#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/op.h"
#include "vesper/principal.h"
#include "vesper/receipt.h"
#include "vesper/settings.h"

struct config;
struct store;

/* `root` holds sql/store/. The database belongs to the caller and outlives the store. */
MUST_CHECK bool store_new(struct loop *l, struct db *db, const char *root, struct store **out,
			  struct err *e);
void store_free(struct store **s);

/* SQLite: applies the numbered migrations that a tenant's database lacks (sql/store/sqlite/,
 * forward only). A server's schema is its administrator's business (sql/schema/<dialect>/store/,
 * vesperctl db): there it is only looked at, and ERR_INPUT says what is to be done. */
typedef void (*store_done_cb)(void *owner, const struct err *e);
struct op *store_migrate(struct store *s, const char *tenant, store_done_cb cb, void *owner);

enum message_status {
	MESSAGE_COMPLETE,
	MESSAGE_PARTIAL,
	MESSAGE_CANCELLED,
	MESSAGE_INTERRUPTED,
	MESSAGE_FAILED,
	MESSAGE_REFUSED,
	MESSAGE_ASK,
	MESSAGE_STATUS_COUNT,
};
const char *message_status_name(enum message_status s);
bool message_status_parse(const char *name, enum message_status *out);

struct message {
	const char *message_id; /* UUIDv7 */
	const char *session_id;
	const char *turn_id;
	const char *client_msg_id; /* NULL when none */
	const char *origin;        /* of the session that is made for it; NULL: our own clients */
	uint64_t fence;            /* of the lease that the turn is stored under; 0: none */
	bool taken;                /* the turn ran elsewhere before */
	const char *role;          /* "user", "assistant" */
	const char *content;
	enum message_status status;
	const char *intent;      /* NULL for a user's message, as everything below */
	const char *agents_used; /* comma-separated */
	/* JSON as it is stored, never taken apart; NULL where there is none */
	struct message_texts {
		const char *tool_calls;     /* array */
		const char *views;          /* array */
		const char *pbi_deep_links; /* array */
		const char *checked;        /* what was checked of the answer's numbers */
		const char *standing;       /* what it leaves: filters, tools, a pending ask */
	} texts;
	const char *needs; /* permissions that its data took, one blank between them; "" or
			      NULL: none */
	const char *gone;  /* what an answer says instead where a data source that it needs is
			      deleted by then; NULL: nothing */
	const char *provider;
	const char *model;
	int64_t token_count;
	int64_t latency_ms;
	const char *created_at; /* RFC 3339; set by the store */
	/* Of an answer that is stored: sealed, not chained; or NULL. */
	const struct receipt *receipt;

	/* of a message that was read */
	bool masked; /* the reader lacks one of `needs`: a sentence stands for the content, and
			everything that was shown, linked or left standing is gone */
	const char *receipt_id; /* NULL: there is none */
	const char *rating;     /* "up", "down"; NULL: no feedback */
	const char *comment;
	const char *correction;
	int64_t place; /* among all messages; only of store_uncovered */
};

/* One of the texts of a message that was read, taken apart; NULL where there is none. */
const json_t *store_text_json(const char *text, struct arena *a);

struct session {
	const char *session_id;
	const char *title; /* "" before the first message */
	const char *created_at;
	const char *updated_at;
	const char *archived_at; /* NULL: it is not */
	const char *etag;        /* another one after each edit of title or archive */
};

/* What a long session was about. */
struct memory {
	/* The newest one's items, as text, since few turns look into it; NULL: none. */
	const char *summary;
	int64_t messages; /* stored since then */
	int64_t tokens;   /* that were written in them */
};

/* What a turn begins with. */
struct beginning {
	/* This client_msg_id is already there, of this turn: nothing was stored. NULL: it was. */
	const char *duplicate_turn;
	/* It was there, and the turn is another replica's by now, or over. */
	bool elsewhere;
	/* The session context that the newest answer with one left; NULL: there is none, or the
	 * caller lacks a permission that it rests on. */
	const json_t *standing;
	/* The last messages of the session, oldest first, the new one at the end: for prompts. Of
	 * an answer: its text, status and intent; the rest of what was stored with it is in
	 * store_messages only. */
	const struct message *history;
	size_t history_count;
	bool has_more;
	struct memory memory;
};

/* Stores the user's message durably and reads what the session holds, in one transaction; makes the
 * session when it does not exist yet (with the title taken from the message). `history` messages
 * are read (0: none, where no prompt will be made); memory is in the arena. ERR_NOT_FOUND: the
 * session is another user's; ERR_BUSY: another turn of it runs, in a shared store. */
typedef void (*store_begin_cb)(void *owner, const struct beginning *beginning, const struct err *e);
struct op *store_begin(struct store *s, const struct principal *who,
		       const struct message *user_message, size_t history, struct arena *a,
		       store_begin_cb cb, void *owner);

/* Stores the assistant's message, and its receipt at the end of the tenant's chain: both or none.
 * Updates the session. Storing the same message_id again does nothing. ERR_CANCELLED: the turn is
 * another replica's by now, and nothing was stored. */
struct op *store_answer(struct store *s, const struct principal *who, const struct message *answer,
			store_done_cb cb, void *owner);

/* At most `limit` messages after the one given (NULL: from the first), oldest first. Memory is in
 * the arena. ERR_NOT_FOUND for a session that is not the caller's. */
typedef void (*store_messages_cb)(void *owner, const struct message *messages, size_t count,
				  bool has_more, const struct err *e);
struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner);

/* One message of the caller's; `has_more` is always false. ERR_NOT_FOUND else. */
struct op *store_message(struct store *s, const struct principal *who, const char *message_id,
			 struct arena *a, store_messages_cb cb, void *owner);

/*
 * A store that several replicas share has a row for each turn, under the fence of its owner: it
 * runs one turn a session, and refuses the answer of a former owner. Before the first call; the
 * name is the replica's own, and borrowed.
 */
void store_share(struct store *s, const char *replica);
/* The turn is this replica's under this fence, which is greater, if it still runs. Then as
 * store_message. */
struct op *store_take_turn(struct store *s, const struct principal *who, const char *turn_id,
			   uint64_t fence, const char *message_id, struct arena *a,
			   store_messages_cb cb, void *owner);
/* These turns of the tenant still run here. At most TURNS_ALIVE_MAX. */
struct op *store_turns_alive(struct store *s, const char *tenant, const char *const *turn_ids,
			     size_t count, store_done_cb cb, void *owner);
/* To be called again and again: closes turns as interrupted whose replica has not said for
 * TURN_SILENT_MS that they run, by the clock of this one. No two clocks are compared. */
struct op *store_close_silent(struct store *s, const char *tenant, store_done_cb cb, void *owner);

/* The question and the answer of the turn that this answer is of, oldest first; of any user of the
 * caller's tenant, for administrators. ERR_NOT_FOUND: it has no such answer. */
struct op *store_turn_messages(struct store *s, const struct principal *who, const char *message_id,
			       struct arena *a, store_messages_cb cb, void *owner);

/* The question of an own turn and, where there is one, its answer, in this order. */
struct op *store_turn_own(struct store *s, const struct principal *who, const char *turn_id,
			  struct arena *a, store_messages_cb cb, void *owner);

enum session_filter { SESSIONS_ACTIVE, SESSIONS_ARCHIVED, SESSIONS_ALL };
struct sessions_page {
	const char *after_id; /* NULL: from the start */
	size_t limit;         /* up to STORE_PAGE_MAX */
	enum session_filter filter;
	const char *title;  /* only titles that contain this; NULL: all */
	const char *origin; /* those whose conversations a client of this dialect keeps; NULL: the
			       others */
};
/* ---- summaries of long sessions ---- */

/* The array that store_summary was given; NULL when there is none. In the arena. */
const json_t *store_memory_items(const char *summary, struct arena *a);

/* The first `limit` messages that no summary covers, oldest first, the beginnings of their texts,
 * each with its place. */
struct op *store_uncovered(struct store *s, const struct principal *who, const char *session_id,
			   size_t limit, struct arena *a, store_messages_cb cb, void *owner);
/* Stores a summary (a JSON array of items) of everything up to this place, and counts it. Another
 * one that reaches as far stays the only one. */
struct op *store_summary(struct store *s, const struct principal *who, const char *session_id,
			 const char *items, int64_t covers_through, store_done_cb cb, void *owner);

typedef void (*store_sessions_cb)(void *owner, const struct session *sessions, size_t count,
				  bool has_more, const struct err *e);
/* Own sessions, newest first. */
struct op *store_sessions(struct store *s, const struct principal *who,
			  const struct sessions_page *page, struct arena *a, store_sessions_cb cb,
			  void *owner);

/* One session of the caller's; ERR_NOT_FOUND else. */
typedef void (*store_session_cb)(void *owner, const struct session *session, const struct err *e);
struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner);
/* A session without messages. */
struct op *store_session_new(struct store *s, const struct principal *who, const char *session_id,
			     const char *title, struct arena *a, store_session_cb cb, void *owner);

struct session_edit {
	const char *title;           /* NULL: as it is */
	int archive;                 /* 1: archived, -1: not any more, 0: as it is */
	const char *const *if_etags; /* one of these, NULL-ended; NULL: whatever it is now */
};
/* ERR_BUSY: the etag is none of these by now, and nothing was edited. */
struct op *store_session_edit(struct store *s, const struct principal *who, const char *session_id,
			      const struct session_edit *edit, struct arena *a, store_session_cb cb,
			      void *owner);
/* With everything that belongs to it. ERR_NOT_FOUND when there is none of the caller's. */
struct op *store_session_delete(struct store *s, const struct principal *who,
				const char *session_id, store_done_cb cb, void *owner);

/* ---- Receipts ---- */

struct receipts_page {
	const char *receipt_id; /* NULL: every one */
	const char *user;       /* only this one's own; NULL: everybody's, for operators */
	int64_t after_number;
	size_t limit; /* up to RECEIPTS_PAGE_MAX */
};
typedef void (*store_receipts_cb)(void *owner, const struct receipt *receipts, size_t count,
				  const struct err *e);
/* Stores a sealed receipt that belongs to no answer, at the end of the tenant's chain. */
struct op *store_receipt(struct store *s, const struct principal *who, const struct receipt *r,
			 store_done_cb cb, void *owner);
/* In the order of the chain. Memory is in the arena. */
struct op *store_receipts(struct store *s, const char *tenant, const struct receipts_page *page,
			  struct arena *a, store_receipts_cb cb, void *owner);
/* Answers that name a receipt which is not there: message_id and receipt_id only. */
struct op *store_receipts_missing(struct store *s, const char *tenant, struct arena *a,
				  store_receipts_cb cb, void *owner);

/* ---- Feedback ---- */

struct feedback {
	const char *message_id;
	const char *session_id;
	const char *user_id;
	const char *rating; /* "up", "down" */
	const char *comment;
	const char *correction; /* what would have been right */
	const char *updated_at;
};
typedef void (*store_feedback_cb)(void *owner, const struct feedback *feedback, size_t count,
				  bool has_more, const struct err *e);
/* Replaces what the caller said of this answer before. ERR_NOT_FOUND: no answer of the caller's. */
struct op *store_feedback(struct store *s, const struct principal *who,
			  const struct feedback *feedback, struct arena *a, store_feedback_cb cb,
			  void *owner);
/* Of the whole tenant, newest first; `rating` NULL: both. For administrators. */
struct op *store_feedback_page(struct store *s, const struct principal *who, const char *rating,
			       const char *after_id, size_t limit, struct arena *a,
			       store_feedback_cb cb, void *owner);

/* ---- Repeated requests ---- */

/* What a request with an Idempotency-Key finds. */
enum repeated {
	REPEATED_FIRST,   /* the first request: answer it, then store_repeat_end */
	REPEATED_RUNNING, /* the first one is not answered yet */
	REPEATED_OTHER,   /* the key was used for another request */
	REPEATED_DONE,    /* this was the answer */
};
struct repeat_answer {
	int status;
	const char *content_type;
	const char *body;
};
typedef void (*store_repeat_cb)(void *owner, enum repeated what, const struct repeat_answer *answer,
				const struct err *e);
/* `key_hash` and `fingerprint` are hexadecimal hashes, `request` a fresh UUID. */
struct op *store_repeat_begin(struct store *s, const struct principal *who, const char *key_hash,
			      const char *fingerprint, const char *request, struct arena *a,
			      store_repeat_cb cb, void *owner);
/* `answer` NULL: it may be tried again. */
struct op *store_repeat_end(struct store *s, const struct principal *who, const char *request,
			    const struct repeat_answer *answer, store_done_cb cb, void *owner);

/* ---- Tool switches, the audit log, and what goes ---- */

struct tool_switch {
	const char *agent;
	const char *tool;
	bool enabled;
};
typedef void (*store_switches_cb)(void *owner, const struct tool_switch *switches, size_t count,
				  const struct err *e);
/* Of a tenant, as far as they were ever set; valid during the callback. */
struct op *store_switches(struct store *s, const char *tenant, store_switches_cb cb, void *owner);
struct op *store_switch(struct store *s, const struct principal *who,
			const struct tool_switch *change, store_done_cb cb, void *owner);

/* One tool call: who, what, how it ended. No arguments, no data. No caller waits for it; a failure
 * is logged. It is written with the tenant's next write, DB_PATIENCE_MS later at the latest. */
struct audit_entry {
	const char *turn_id; /* NULL: outside of any */
	const char *agent;   /* NULL: none */
	const char *tool;
	const char *outcome;
	int64_t rows;
	int64_t duration_ms;
};
void store_audit(struct store *s, const struct principal *who, const struct audit_entry *entry);

/* ---- Approved answers ---- */

enum flow_status { FLOW_ACTIVE, FLOW_STALE, FLOW_WITHDRAWN };
const char *flow_status_name(enum flow_status s); /* "active", … */

/* A flow of a tenant's own. */
struct stored_flow {
	const char *name;
	int64_t version; /* 1, and one more after each edit */
	const char *text;
	const char *fingerprint; /* flow.h; NULL: it was never read */
	enum flow_status status;
	const char *why;        /* it is stale; or NULL */
	const char *message_id; /* of the answer that it was made of */
	const char *approved_by, *approved_at, *checked_at;
};
typedef void (*store_flows_cb)(void *owner, const struct stored_flow *flows, size_t count,
			       const struct err *e);
/* All of a tenant, by name; memory is in the arena. */
struct op *store_flows(struct store *s, const char *tenant, struct arena *a, store_flows_cb cb,
		       void *owner);
/* A text that is another one after each change of any of them; valid during the callback. */
typedef void (*store_flows_stamp_cb)(void *owner, const char *stamp, const struct err *e);
struct op *store_flows_stamp(struct store *s, const char *tenant, store_flows_stamp_cb cb,
			     void *owner);
/* Of the caller's tenant, approved by the caller: name, text, fingerprint and message_id are used.
 * ERR_BUSY: the name is taken. ERR_LIMIT: there are OVERLAY_FLOWS_MAX. Gives the flow as stored. */
struct op *store_flow_add(struct store *s, const struct principal *who,
			  const struct stored_flow *flow, struct arena *a, store_flows_cb cb,
			  void *owner);
/* ERR_NOT_FOUND. */
struct op *store_flow(struct store *s, const struct principal *who, const char *name,
		      struct arena *a, store_flows_cb cb, void *owner);
struct flow_edit {
	const char *text, *fingerprint; /* NULL: as it is */
	const char *status;             /* "active", "withdrawn"; NULL: as it is */
	int64_t if_version;
};
/* Gives the flow afterwards. ERR_BUSY: it has another version by now; ERR_NOT_FOUND. */
struct op *store_flow_edit(struct store *s, const struct principal *who, const char *name,
			   const struct flow_edit *edit, struct arena *a, store_flows_cb cb,
			   void *owner);
struct op *store_flow_delete(struct store *s, const struct principal *who, const char *name,
			     store_done_cb cb, void *owner);
/* What a reading of this version came to: status, why and fingerprint. Of a withdrawn one, and of
 * another version, nothing. */
struct op *store_flow_checked(struct store *s, const char *tenant, const struct stored_flow *flow,
			      store_done_cb cb, void *owner);

/* ---- Personal access tokens ---- */

/* Lists of permissions have one blank between them. */
struct stored_token {
	const char *token_id; /* UUID */
	const char *user, *name;
	const char *hash;        /* of one that is added: SHA-256 of the whole token, hexadecimal */
	const char *scopes;      /* permissions that it has at most */
	const char *permissions; /* of its owner, by the newest sign-in */
	const char *created_at, *expires_at, *last_used_at; /* NULL: never used */
};
typedef void (*store_tokens_cb)(void *owner, const struct stored_token *tokens, size_t count,
				const struct err *e);
/* The token with this hash, or none. Memory is in the arena. */
struct op *store_token_find(struct store *s, const char *tenant, const char *hash, struct arena *a,
			    store_tokens_cb cb, void *owner);
/* The caller's own, or `all` of the tenant; the newest first, PAGE_MAX at most. */
struct op *store_tokens(struct store *s, const struct principal *who, bool all, struct arena *a,
			store_tokens_cb cb, void *owner);
/* A token of the caller; expired ones are deleted. Gives it as stored. ERR_LIMIT: there are
 * TOKENS_PER_USER_MAX. */
struct op *store_token_add(struct store *s, const struct principal *who,
			   const struct stored_token *token, struct arena *a, store_tokens_cb cb,
			   void *owner);
/* One of the caller's own, or of `all` of the tenant. ERR_NOT_FOUND. */
struct op *store_token_delete(struct store *s, const struct principal *who, const char *token_id,
			      bool all, store_done_cb cb, void *owner);
/* No caller waits for these two. The token was used now; the first use of a day is audited. */
void store_token_used(struct store *s, const struct principal *who, const char *token_id);
/* The user has signed in with these permissions: the user's tokens have no others, unless a sign-in
 * that was issued later said so already. */
void store_signed_in(struct store *s, const struct principal *who, const char *permissions);

/* Everything that this user of the caller's tenant has said and been told, and the user's tokens.
 */
struct op *store_user_delete(struct store *s, const struct principal *who, const char *user,
			     store_done_cb cb, void *owner);

/* Deletes what is older than this many days (0: kept for good), one batch; `more` is left. */
struct retention {
	int64_t messages_days; /* and summaries, and sessions without any */
	int64_t audit_days;
	int64_t receipts_days; /* their content; the hashes stay */
};
struct store_settings {
	struct settings base;
	struct retention retention;
};
/* The arena is the settings' from now on, also where they can't be read: ERR_INPUT, with the key.
 */
MUST_CHECK bool store_settings_read(const struct config *c, struct arena *take,
				    struct store_settings **out, struct err *e);
typedef void (*store_retain_cb)(void *owner, bool more, const struct err *e);
struct op *store_retain(struct store *s, const char *tenant, const struct retention *retention,
			store_retain_cb cb, void *owner);

/* What models cost. A row is written soon; one that could not be is logged. `cb` (or NULL) comes
 * when it is written, or lost. Rows of a tenant are written in the order in which they were given.
 */
void store_ledger_add(struct store *s, const struct budget_entry *entry, store_done_cb cb,
		      void *owner);
/* What each user spent in this month and today, then `cb`. now_ms is wall time where the tenant is.
 * The texts are borrowed for the call. */
typedef void (*store_sums_cb)(void *owner, const struct budget_sum *sum);
struct op *store_ledger_sums(struct store *s, const char *tenant, int64_t now_ms,
			     store_sums_cb each, store_done_cb cb, void *owner);

/* Turns whose user message has no answer (the process died) get an interrupted one. Those that
 * began within the last min_age_ms are left alone: they may run in another process on the same
 * server. 0: this process alone has the database. */
struct op *store_close_orphans(struct store *s, const char *tenant, int64_t min_age_ms,
			       store_done_cb cb, void *owner);

#endif
