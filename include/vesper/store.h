/*
 * The durable store of sessions and messages. Every call is asynchronous and runs under the
 * caller's tenant; callbacks run from the loop. Another user's session is reported as nonexistent
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

/* `root` contains sql/store/. The database is borrowed; must outlive the store. */
MUST_CHECK bool store_new(struct loop *l, struct db *db, const char *root, struct store **out,
			  struct err *e);
void store_free(struct store **s);

/* SQLite: applies the numbered migrations that a tenant's database lacks (sql/store/sqlite/,
 * forward only). A server's schema is managed by its administrator (sql/schema/<dialect>/store/,
 * vesperctl db): there it is only checked. ERR_INPUT: the error text says what must be done. */
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
	const char *client_msg_id; /* NULL: none */
	const char *origin;        /* origin of a session created for it; NULL: Vesper's clients */
	uint64_t fence;            /* fencing token of the turn's lease; 0: none */
	bool taken;                /* the turn was taken over from another replica */
	const char *role;          /* "user", "assistant" */
	const char *content;
	enum message_status status;
	const char *intent;      /* NULL for a user's message, as all members below */
	const char *agents_used; /* comma-separated */
	/* JSON as stored, not parsed; NULL: none */
	struct message_texts {
		const char *tool_calls;     /* array */
		const char *views;          /* array */
		const char *pbi_deep_links; /* array */
		const char *checked;        /* results of the number check */
		const char *standing;       /* session context: filters, tools, a pending ask */
	} texts;
	const char *needs; /* permissions required by its data, separated by one blank; "" or NULL:
			      none */
	const char *gone; /* replaces the answer if a data source that it needs is deleted before it
			     is stored; NULL: none */
	const char *provider;
	const char *model;
	int64_t token_count;
	int64_t latency_ms;
	const char *created_at; /* RFC 3339; set by the store */
	/* For storing an answer: its receipt, sealed and not chained; or NULL. */
	const struct receipt *receipt;

	/* Set in a message read from the store: */
	bool masked; /* the reader lacks one of `needs`: content is a placeholder sentence, and
			views, links and session context are removed */
	const char *receipt_id; /* NULL: none */
	const char *rating;     /* "up", "down"; NULL: no feedback */
	const char *comment;
	const char *correction;
	int64_t place; /* position among all messages; only from store_unsummarized_messages */
};

/* Parses one of the texts of a message; NULL: none. */
const json_t *store_text_json(const char *text, struct arena *a);

struct session {
	const char *session_id;
	const char *title; /* "" before the first message */
	const char *created_at;
	const char *updated_at;
	const char *archived_at; /* NULL: not archived */
	const char *etag;        /* changes with each edit of title or archive */
};

/* The summary of a long session. */
struct memory {
	/* The items of the newest summary, unparsed, since few turns need them; NULL: none. */
	const char *summary;
	int64_t messages; /* messages stored since the summary */
	int64_t tokens;   /* tokens in these messages */
};

/* The data a turn begins with. */
struct beginning {
	/* The turn that already has this client_msg_id; nothing was stored. NULL: the message was
	 * stored. */
	const char *duplicate_turn;
	/* This message was stored before, and another replica owns its turn now, or the turn has
	 * ended. Then duplicate_turn is NULL. */
	bool elsewhere;
	/* The session context of the newest answer that has one. NULL: none, or the caller lacks a
	 * permission that it requires. */
	const json_t *standing;
	/* The last messages of the session for prompts, oldest first; the new one is last. Of an
	 * answer only text, status and intent are set; store_messages returns all. */
	const struct message *history;
	size_t history_count;
	bool has_more;
	struct memory memory;
};

/* Stores the user's message durably and reads the session's data, in one transaction. Creates the
 * session if it does not exist (with a title from the message). Reads `history` messages (0: none,
 * if no prompt will be made). Memory is in the arena. ERR_NOT_FOUND: the session belongs to another
 * user. ERR_BUSY: another turn of the session is running, in a shared store. */
typedef void (*store_begin_cb)(void *owner, const struct beginning *beginning, const struct err *e);
struct op *store_begin(struct store *s, const struct principal *who,
		       const struct message *user_message, size_t history, struct arena *a,
		       store_begin_cb cb, void *owner);

/* Stores the assistant's message and appends its receipt to the tenant's chain, both or none.
 * Updates the session. Storing the same message_id again has no effect. ERR_CANCELLED: another
 * replica owns the turn now, and nothing was stored. ERR_NOT_FOUND: no such session. */
struct op *store_answer(struct store *s, const struct principal *who, const struct message *answer,
			store_done_cb cb, void *owner);

/* Reads at most `limit` messages after `after_id` (NULL: from the first), oldest first. Memory is
 * in the arena. ERR_NOT_FOUND: the session is not the caller's. */
typedef void (*store_messages_cb)(void *owner, const struct message *messages, size_t count,
				  bool has_more, const struct err *e);
struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner);

/* Reads one message of the caller; `has_more` is always false. ERR_NOT_FOUND: the caller has no
 * such message. */
struct op *store_message(struct store *s, const struct principal *who, const char *message_id,
			 struct arena *a, store_messages_cb cb, void *owner);

/*
 * Enables sharing by several replicas. Each turn then has a row with its owner's fencing token; a
 * session can have only one running turn, and answers of former owners are rejected. Call before
 * any other function. `replica`, this replica's name, is borrowed.
 */
void store_share(struct store *s, const char *replica);
/* Makes this replica the owner of a running turn, with `fence`, which must be greater than the
 * current one. Then continues as store_message. */
struct op *store_take_turn(struct store *s, const struct principal *who, const char *turn_id,
			   uint64_t fence, const char *message_id, struct arena *a,
			   store_messages_cb cb, void *owner);
/* Records a heartbeat for these turns of the tenant, which run in this process. At most
 * TURNS_ALIVE_MAX. */
struct op *store_turns_heartbeat(struct store *s, const char *tenant, const char *const *turn_ids,
				 size_t count, store_done_cb cb, void *owner);
/* Call periodically: closes turns as interrupted if their replica sent no heartbeat for
 * TURN_SILENT_MS, measured by this replica's clock. Clocks are not compared. */
struct op *store_close_silent(struct store *s, const char *tenant, store_done_cb cb, void *owner);

/* The question and the answer of the turn with this answer, oldest first; of any user of the
 * caller's tenant, for administrators. ERR_NOT_FOUND: the tenant has no such answer. */
struct op *store_turn_messages(struct store *s, const struct principal *who, const char *message_id,
			       struct arena *a, store_messages_cb cb, void *owner);

/* The question of one of the caller's turns and its answer if it has one, in this order. */
struct op *store_own_turn(struct store *s, const struct principal *who, const char *turn_id,
			  struct arena *a, store_messages_cb cb, void *owner);

enum session_filter { SESSIONS_ACTIVE, SESSIONS_ARCHIVED, SESSIONS_ALL };
struct sessions_page {
	const char *after_id; /* NULL: from the start */
	size_t limit;         /* up to STORE_PAGE_MAX */
	enum session_filter filter;
	const char *title;  /* only titles that contain this; NULL: all */
	const char *origin; /* only sessions whose client (of this dialect) stores its conversations
			       itself; NULL: only others */
};
/* ---- summaries of long sessions ---- */

/* Parses the array passed to store_summary; NULL: none. In the arena. */
const json_t *store_memory_items(const char *summary, struct arena *a);

/* The first `limit` messages not covered by a summary, oldest first, with the beginnings of their
 * texts and their positions. */
struct op *store_unsummarized_messages(struct store *s, const struct principal *who,
				       const char *session_id, size_t limit, struct arena *a,
				       store_messages_cb cb, void *owner);
/* Stores a summary (a JSON array of items) of all messages up to this position, and increments the
 * session's compaction count. No effect if a stored one already covers this position. */
struct op *store_summary(struct store *s, const struct principal *who, const char *session_id,
			 const char *items, int64_t covers_through, store_done_cb cb, void *owner);

typedef void (*store_sessions_cb)(void *owner, const struct session *sessions, size_t count,
				  bool has_more, const struct err *e);
/* The caller's sessions, newest first. */
struct op *store_sessions(struct store *s, const struct principal *who,
			  const struct sessions_page *page, struct arena *a, store_sessions_cb cb,
			  void *owner);

/* Reads one session of the caller. ERR_NOT_FOUND: the caller has no such session. */
typedef void (*store_session_cb)(void *owner, const struct session *session, const struct err *e);
struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner);
/* Creates a session without messages. */
struct op *store_session_new(struct store *s, const struct principal *who, const char *session_id,
			     const char *title, struct arena *a, store_session_cb cb, void *owner);

struct session_edit {
	const char *title; /* NULL: unchanged */
	int archive;       /* 1: archive, -1: unarchive, 0: unchanged */
	const char *const
		*if_etags; /* required current etag, one of these, NULL-terminated; NULL: any */
};
/* ERR_BUSY: the current etag is not in if_etags; nothing was edited. */
struct op *store_session_edit(struct store *s, const struct principal *who, const char *session_id,
			      const struct session_edit *edit, struct arena *a, store_session_cb cb,
			      void *owner);
/* Deletes a session with all its data. ERR_NOT_FOUND: the caller has no such session. */
struct op *store_session_delete(struct store *s, const struct principal *who,
				const char *session_id, store_done_cb cb, void *owner);

/* ---- Receipts ---- */

struct receipts_page {
	const char *receipt_id; /* NULL: all */
	const char *user;       /* only this user's; NULL: all users', for operators */
	int64_t after_number;
	size_t limit; /* up to RECEIPTS_PAGE_MAX */
};
typedef void (*store_receipts_cb)(void *owner, const struct receipt *receipts, size_t count,
				  const struct err *e);
/* Appends a sealed receipt without an answer to the tenant's chain. */
struct op *store_receipt(struct store *s, const struct principal *who, const struct receipt *r,
			 store_done_cb cb, void *owner);
/* Reads receipts in the order of the chain. Memory is in the arena. */
struct op *store_receipts(struct store *s, const char *tenant, const struct receipts_page *page,
			  struct arena *a, store_receipts_cb cb, void *owner);
/* Finds answers whose receipt is missing: message_id and receipt_id only. */
struct op *store_receipts_missing(struct store *s, const char *tenant, struct arena *a,
				  store_receipts_cb cb, void *owner);

/* ---- Feedback ---- */

struct feedback {
	const char *message_id;
	const char *session_id;
	const char *user_id;
	const char *rating; /* "up", "down" */
	const char *comment;
	const char *correction; /* the right answer */
	const char *updated_at;
};
typedef void (*store_feedback_cb)(void *owner, const struct feedback *feedback, size_t count,
				  bool has_more, const struct err *e);
/* Replaces the caller's feedback on this answer. ERR_NOT_FOUND: the caller has no such answer. */
struct op *store_feedback(struct store *s, const struct principal *who,
			  const struct feedback *feedback, struct arena *a, store_feedback_cb cb,
			  void *owner);
/* Feedback of the whole tenant, newest first; `rating` NULL: both. For administrators. */
struct op *store_feedback_page(struct store *s, const struct principal *who, const char *rating,
			       const char *after_id, size_t limit, struct arena *a,
			       store_feedback_cb cb, void *owner);

/* ---- Idempotent retries ---- */

/* The state of an Idempotency-Key. */
enum repeated {
	IDEMPOTENT_FIRST,    /* first request: answer it, then call store_idempotent_end */
	IDEMPOTENT_RUNNING,  /* the first request is still running */
	IDEMPOTENT_MISMATCH, /* the key was used for a different request */
	IDEMPOTENT_DONE,     /* answered; `answer` is set */
};
struct idempotent_answer {
	int status;
	const char *content_type;
	const char *body;
};
typedef void (*store_idempotent_cb)(void *owner, enum repeated what,
				    const struct idempotent_answer *answer, const struct err *e);
/* `key_hash` and `fingerprint` are hexadecimal hashes, `request` a new UUID. */
struct op *store_idempotent_begin(struct store *s, const struct principal *who,
				  const char *key_hash, const char *fingerprint,
				  const char *request, struct arena *a, store_idempotent_cb cb,
				  void *owner);
/* `answer` NULL: the request may be retried. */
struct op *store_idempotent_end(struct store *s, const struct principal *who, const char *request,
				const struct idempotent_answer *answer, store_done_cb cb,
				void *owner);

/* ---- Tool switches and the audit log ---- */

struct tool_switch {
	const char *agent;
	const char *tool;
	bool enabled;
};
typedef void (*store_switches_cb)(void *owner, const struct tool_switch *switches, size_t count,
				  const struct err *e);
/* The tool switches of a tenant that were ever set; valid during the callback. */
struct op *store_switches(struct store *s, const char *tenant, store_switches_cb cb, void *owner);
struct op *store_switch(struct store *s, const struct principal *who,
			const struct tool_switch *change, store_done_cb cb, void *owner);

/* An audit entry of one tool call: caller, tool, outcome. No arguments, no data. There is no
 * callback; failures are logged. It is written with the tenant's next write, at most
 * DB_GROUP_COMMIT_MS later. */
struct audit_entry {
	const char *turn_id; /* NULL: outside a turn */
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

/* A tenant's flow. */
struct stored_flow {
	const char *name;
	int64_t version; /* 1, increased by each edit */
	const char *text;
	const char *fingerprint; /* see flow.h; NULL: never checked */
	enum flow_status status;
	const char *why;        /* reason why it is stale; or NULL */
	const char *message_id; /* answer that it was made from */
	const char *approved_by, *approved_at, *checked_at;
};
typedef void (*store_flows_cb)(void *owner, const struct stored_flow *flows, size_t count,
			       const struct err *e);
/* All flows of a tenant, by name; memory is in the arena. */
struct op *store_flows(struct store *s, const char *tenant, struct arena *a, store_flows_cb cb,
		       void *owner);
/* A text that changes with each change of any flow; valid during the callback. */
typedef void (*store_flows_stamp_cb)(void *owner, const char *stamp, const struct err *e);
struct op *store_flows_stamp(struct store *s, const char *tenant, store_flows_stamp_cb cb,
			     void *owner);
/* Adds a flow to the caller's tenant, approved by the caller; uses name, text, fingerprint and
 * message_id. ERR_BUSY: another answer has this name. ERR_LIMIT: the tenant has OVERLAY_FLOWS_MAX.
 * Returns the flow as stored. */
struct op *store_flow_add(struct store *s, const struct principal *who,
			  const struct stored_flow *flow, struct arena *a, store_flows_cb cb,
			  void *owner);
/* ERR_NOT_FOUND: no such flow. */
struct op *store_flow(struct store *s, const struct principal *who, const char *name,
		      struct arena *a, store_flows_cb cb, void *owner);
struct flow_edit {
	const char *text, *fingerprint; /* NULL: unchanged */
	const char *status;             /* "active", "withdrawn"; NULL: unchanged */
	int64_t if_version;
};
/* Returns the edited flow. ERR_BUSY: it has another version now. ERR_NOT_FOUND: no such flow. */
struct op *store_flow_edit(struct store *s, const struct principal *who, const char *name,
			   const struct flow_edit *edit, struct arena *a, store_flows_cb cb,
			   void *owner);
struct op *store_flow_delete(struct store *s, const struct principal *who, const char *name,
			     store_done_cb cb, void *owner);
/* Stores the result of checking this version: status, why and fingerprint. No effect if the flow is
 * withdrawn or has another version. */
struct op *store_flow_checked(struct store *s, const char *tenant, const struct stored_flow *flow,
			      store_done_cb cb, void *owner);

/* ---- Personal access tokens ---- */

/* Permissions are separated by one blank. */
struct stored_token {
	const char *token_id; /* UUID */
	const char *user, *name;
	const char *hash;        /* for a new token: SHA-256 of the whole token, hexadecimal */
	const char *scopes;      /* the maximum permissions that it can have */
	const char *permissions; /* of its owner, from the newest sign-in */
	const char *created_at, *expires_at, *last_used_at; /* NULL: never used */
};
typedef void (*store_tokens_cb)(void *owner, const struct stored_token *tokens, size_t count,
				const struct err *e);
/* Finds the token with this hash, or none. Memory is in the arena. */
struct op *store_token_find(struct store *s, const char *tenant, const char *hash, struct arena *a,
			    store_tokens_cb cb, void *owner);
/* The caller's tokens, or `all` of the tenant; newest first, at most PAGE_MAX. */
struct op *store_tokens(struct store *s, const struct principal *who, bool all, struct arena *a,
			store_tokens_cb cb, void *owner);
/* Adds a token of the caller, and deletes expired ones. Returns it as stored. ERR_LIMIT: the caller
 * has TOKENS_PER_USER_MAX. */
struct op *store_token_add(struct store *s, const struct principal *who,
			   const struct stored_token *token, struct arena *a, store_tokens_cb cb,
			   void *owner);
/* Deletes a token of the caller, or any of the tenant with `all`. ERR_NOT_FOUND: no such token. */
struct op *store_token_delete(struct store *s, const struct principal *who, const char *token_id,
			      bool all, store_done_cb cb, void *owner);
/* Records that the token was used now; its first use on a day is audited. This and the next
 * function have no callback. */
void store_token_used(struct store *s, const struct principal *who, const char *token_id);
/* Records that the user has signed in with these permissions. The user's tokens are limited to
 * them, unless a sign-in issued later has been stored. */
void store_signed_in(struct store *s, const struct principal *who, const char *permissions);

/* Deletes the sessions, messages, feedback, tokens, saved views and contents of receipts of this
 * user of the caller's tenant, and marks the user's private data sources as deleted. Shared data
 * sources stay, without an owner. */
struct op *store_user_delete(struct store *s, const struct principal *who, const char *user,
			     store_done_cb cb, void *owner);

/* Maximum age of data in days; 0: it is never deleted. store_retain deletes one batch at a time;
 * `more`: there is more to delete. */
struct retention {
	int64_t messages_days; /* also summaries, and sessions without messages */
	int64_t audit_days;
	int64_t receipts_days; /* content only; the hashes are kept */
};
struct store_settings {
	struct settings base;
	struct retention retention;
};
/* Takes ownership of the arena, even on failure. ERR_INPUT: a setting is invalid; the error names
 * its key. */
MUST_CHECK bool store_settings_read(const struct config *c, struct arena *take,
				    struct store_settings **out, struct err *e);
typedef void (*store_retain_cb)(void *owner, bool more, const struct err *e);
struct op *store_retain(struct store *s, const char *tenant, const struct retention *retention,
			store_retain_cb cb, void *owner);

/* The usage ledger. The row is written later, asynchronously; failures are logged. `cb` (or NULL)
 * runs when the row was written or the write failed. Rows of a tenant are written in order. */
void store_ledger_add(struct store *s, const struct budget_entry *entry, store_done_cb cb,
		      void *owner);
/* Calls `each` for the costs of each user in this month and today, then `cb`. now_ms is the
 * tenant's local time. Texts are borrowed during the call. */
typedef void (*store_sums_cb)(void *owner, const struct budget_sum *sum);
struct op *store_ledger_sums(struct store *s, const char *tenant, int64_t now_ms,
			     store_sums_cb each, store_done_cb cb, void *owner);

/* Stores an interrupted answer for orphaned turns, whose user message has no answer because the
 * process died. Turns that began within the last min_age_ms are skipped: they may run in another
 * process on the same server. 0: no other process uses the database. */
struct op *store_close_orphans(struct store *s, const char *tenant, int64_t min_age_ms,
			       store_done_cb cb, void *owner);

#endif
