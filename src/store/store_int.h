/*
 * Shared by the files of the store. A call is one operation: its named arguments, the statements
 * rendered from them, and an arena for both.
 */
#ifndef VESPER_STORE_INT_H
#define VESPER_STORE_INT_H

#include "vesper/bind.h"
#include "vesper/list.h"
#include "vesper/loop.h"
#include "vesper/sql.h"
#include "vesper/store.h"
#include "vesper/str.h"

struct migration {
	int version;
	const char *name;            /* "001_chat" */
	const struct sql_file *file; /* NULL on a server, where vesperctl applies it */
};

/* A statement rendered for one set of its conditions. */
struct text {
	struct text *next;
	unsigned given;
	const char *name; /* "store/session_insert" */
	struct sql_text sql;
};

struct store {
	struct loop *loop;
	struct db *db;
	struct arena *arena; /* statements; freed with the store */
	const struct sql_file *statements;
	struct text **texts;                /* rendered ones of each query */
	const struct migration *migrations; /* by version */
	size_t migration_count;
	struct list chains;  /* of receipts, one per tenant */
	const char *replica; /* name of this replica; NULL: the store is not shared */
	struct list watches; /* struct turn_watch, one per tenant */
};

MUST_CHECK bool store_migrations_load(struct store *s, const char *root, struct err *e);

/* First member of every operation's struct, which is allocated in the call's arena. */
struct call {
	struct op op;
	struct store *store;
	struct arena *arena;
	const char *tenant;
	struct args args;
	struct source_statement *statements;
	size_t count;
	size_t capacity;
	struct op *query;
	bool write;
	bool group_commit;  /* its write may wait for others: see db_request */
	bool secure_delete; /* it deletes user data: see db_request */
	bool was_retried;   /* after a conflict with another process */
	bool is_active;     /* a request runs, or its error is pending */
	struct deferred deferred;
	struct err err; /* why it could not start */
	/* For a call that writes a receipt; else NULL. */
	struct chain_link *link;
	void (*abandon)(struct call *c); /* the operation was cancelled */
	/* The tables are freed after this callback. It may start the call's next request; otherwise
	 * the call ends. */
	void (*finish)(struct call *c, struct table **tables, size_t count, const struct err *e);
};

/* Allocates the operation's struct of `bytes`, zeroed, and sets up its call. */
void *store_call_new(struct store *s, const char *tenant, size_t bytes);
/* The same, with the arguments tenant_id and user_id. */
void *store_call_new_for(struct store *s, const struct principal *who, size_t bytes);
void store_call_text(struct call *c, const char *name, const char *text); /* NULL binds NULL */
void store_call_int(struct call *c, const char *name, int64_t number);
void store_call_flag(struct call *c, const char *name); /* enables `--? name:` lines */
void store_call_time(struct call *c, const char *name, int64_t unix_ms);
void store_call_now(struct call *c); /* argument `now` */
/* JSON. NULL, or a text too long to be read back, binds NULL. */
void store_call_json(struct call *c, const char *name, const char *text);
/* Adds a statement of store.sql, rendered with the arguments so far. */
void store_call_add(struct call *c, const char *query);
void store_call_add_query(struct call *c, const struct sql_query *query);
struct op *store_call_read(struct call *c, size_t max_rows);
struct op *store_call_write(struct call *c);
/* Removes the statements, for a call that starts another request in its finish. */
void store_call_clear(struct call *c);
/* A cell that is NULL only in a damaged file; "" then. */
static inline const char *store_cell(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);

	return text ? text : "";
}

/* ---- store_chain.c ---- */

/* A call that writes a receipt. */
struct chain_link {
	struct list node; /* in the list of those waiting for a position */
	struct call *call;
	struct chain *chain;
	struct receipt receipt; /* the input of its hash */
	char hash[HASH_HEX_BYTES];
	int attempts;
	bool writing;
	const char *insert; /* the query that stores it */
	/* Adds the statements after the receipt's. */
	void (*add)(struct chain_link *link);
};

/* Starts the call once its position is known. `call`, `insert` and `add` must be set. */
struct op *store_chain_join(struct chain_link *link, const struct receipt *r);
/* Called first in the call's finish. `is_permanent`: the failure does not depend on the position.
 * True: another record has its position, and the call continues with a new one. */
bool store_chain_retry(struct chain_link *link, bool stored, bool is_permanent);
void store_chains_free(struct store *s);

/* ---- store_turns.c ---- */

/* Adds the statements for the turn's row, by `turn_id`, `fence` and `now`; before the user's
 * message. No effect if the store is not shared. `taken`: the row of a former owner may exist. */
void store_turn_begin(struct call *c, bool taken);
void store_watches_free(struct store *s);

/* Converts a page of rows to messages for this reader, in the arena, oldest first, at most `limit`;
 * returns how many. Messages that need permissions the reader lacks are masked. */
size_t store_messages_from_rows(const struct table *t, const struct principal *reader, size_t limit,
				bool newest_first, struct arena *a, struct message **out);
/* From standing_newest. NULL: none, or it needs permissions that the reader lacks. */
const json_t *store_standing_from_rows(const struct table *t, const struct principal *reader,
				       struct arena *a);
/* From one row each of memory_summary and memory_size. */
struct memory store_memory_from_rows(const struct table *summary, const struct table *capacity,
				     struct arena *a);
struct session store_session_from_row(const struct table *t, size_t row, struct arena *a);
/* A copy in the arena. */
const struct principal *store_principal(const struct principal *who, struct arena *a);
/* True if tables[at] has a row; otherwise ERR_NOT_FOUND, "no such" `what`. */
MUST_CHECK bool store_require_row(struct table *const *tables, size_t count, size_t at,
				  const char *what, struct err *e);

/* The first line of a message, at most TITLE_CHARS_MAX characters, cut between words. */
const char *store_title(const char *content, struct arena *a);
/* The metadata of a session of that origin; NULL: an empty object. */
const char *store_metadata(const char *origin, struct arena *a);

#endif
