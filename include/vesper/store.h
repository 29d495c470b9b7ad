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
#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/op.h"
#include "vesper/principal.h"

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
	const char *role;          /* "user", "assistant" */
	const char *content;
	enum message_status status;
	const char *intent;           /* NULL for a user's message, as everything below */
	const char *agents_used;      /* comma-separated */
	const json_t *tool_calls;     /* array */
	const json_t *views;          /* array */
	const json_t *pbi_deep_links; /* array */
	const json_t *standing; /* what the turn leaves standing: filters, tools, a pending ask */
	const json_t *checked; /* what was checked of the answer's numbers; NULL when nothing was */
	const char *provider;
	const char *model;
	int64_t token_count;
	int64_t latency_ms;
	const char *created_at; /* RFC 3339; set by the store */
};

struct session {
	const char *session_id;
	const char *title; /* "" before the first message */
	const char *created_at;
	const char *updated_at;
};

/* Stores the user's message durably; makes the session when it does not exist yet (with the title
 * taken from the message). `duplicate_turn` is set when this client_msg_id is already there: then
 * nothing was stored. ERR_NOT_FOUND: the session is somebody else's. */
typedef void (*store_accept_cb)(void *owner, const char *duplicate_turn, const struct err *e);
struct op *store_accept(struct store *s, const struct principal *who,
			const struct message *user_message, store_accept_cb cb, void *owner);

/* Stores the assistant's message; updates the session. Storing the same message_id again does
 * nothing. */
struct op *store_answer(struct store *s, const struct principal *who, const struct message *answer,
			store_done_cb cb, void *owner);

/* At most `limit` messages after the one given (NULL: from the first), oldest first. Memory is in
 * the arena. ERR_NOT_FOUND for a session that is not the caller's. */
typedef void (*store_messages_cb)(void *owner, const struct message *messages, size_t count,
				  bool has_more, const struct err *e);
struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner);
/* The last `limit` messages of the session, oldest first: for prompts. An unknown session gives
 * none. Of an answer: its text, status, intent, and what it left standing; views and the rest of
 * what was kept with it are in store_messages only. */
struct op *store_recent(struct store *s, const struct principal *who, const char *session_id,
			size_t limit, struct arena *a, store_messages_cb cb, void *owner);

typedef void (*store_sessions_cb)(void *owner, const struct session *sessions, size_t count,
				  bool has_more, const struct err *e);
/* Own sessions, newest first, after the one given (NULL: from the start). */
struct op *store_sessions(struct store *s, const struct principal *who, const char *after_id,
			  size_t limit, struct arena *a, store_sessions_cb cb, void *owner);

/* One session of the caller's; ERR_NOT_FOUND else. */
typedef void (*store_session_cb)(void *owner, const struct session *session, const struct err *e);
struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner);

/* Turns whose user message has no answer (the process died) get an interrupted one. Those that
 * began within the last min_age_ms are left alone: they may run in another process on the same
 * server. 0: nobody else has this database. */
struct op *store_close_orphans(struct store *s, const char *tenant, int64_t min_age_ms,
			       store_done_cb cb, void *owner);

#endif
