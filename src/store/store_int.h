/*
 * What the files of the store share: a call, which is one operation with its arguments by name, the
 * statements that are rendered from them, and an arena for both.
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
	const struct sql_file *file; /* NULL on a server, where others apply it */
};

/* A statement as it is sent when these of its conditions are given. */
struct text {
	struct text *next;
	unsigned given;
	const char *name; /* "store/session_insert" */
	struct sql_text sql;
};

struct store {
	struct loop *loop;
	struct db *db;
	struct arena *arena; /* the statements, for as long as the store lives */
	const struct sql_file *statements;
	struct text **texts;                /* of each query, as far as it was used */
	const struct migration *migrations; /* by version */
	size_t migration_count;
	struct list chains;  /* of receipts, one a tenant */
	const char *replica; /* among others that share the store; NULL: alone */
	struct list silent;  /* turns that are watched, one a tenant */
};

MUST_CHECK bool store_migrations_load(struct store *s, const char *root, struct err *e);

/* First member of every operation's own struct, which lies in the call's arena. */
struct call {
	struct op op;
	struct store *store;
	struct arena *arena;
	const char *tenant;
	struct args args;
	struct source_statement *statements;
	size_t count;
	size_t size;
	struct op *query;
	bool write;
	bool patient;  /* nobody waits for it: see db_request */
	bool forget;   /* it deletes what people said: see db_request */
	bool repeated; /* after a key that somebody else was faster with */
	bool going;    /* a request of its runs, or its refusal is on the way */
	struct later later;
	struct err err; /* why it could not even start */
	/* A call that has a place in a chain of receipts; else NULL. */
	struct chain_link *link;
	void (*abandon)(struct call *c); /* its starter cancelled it */
	/* The tables are freed by the caller of this. It may start the call's next request; else
	 * the call is over. */
	void (*finish)(struct call *c, struct table **tables, size_t count, const struct err *e);
};

/* `bytes` of the operation's struct, zeroed, with its call set up. */
void *store_call_new(struct store *s, const char *tenant, size_t bytes);
/* The same with the arguments tenant_id and user_id. */
void *store_call_new_for(struct store *s, const struct principal *who, size_t bytes);
void store_call_text(struct call *c, const char *name, const char *text); /* NULL binds NULL */
void store_call_int(struct call *c, const char *name, int64_t number);
void store_call_flag(struct call *c, const char *name); /* switches `--? name:` lines on */
void store_call_time(struct call *c, const char *name, int64_t unix_ms);
void store_call_now(struct call *c); /* argument `now` */
/* JSON. NULL, and what is too long to be read back, binds NULL. */
void store_call_part(struct call *c, const char *name, const char *text);
/* Renders a statement of store.sql with the arguments so far. */
void store_call_add(struct call *c, const char *query);
void store_call_add_query(struct call *c, const struct sql_query *query);
struct op *store_call_read(struct call *c, size_t max_rows);
struct op *store_call_write(struct call *c);
/* Forgets the statements, for a call that starts another request from its finish. */
void store_call_next(struct call *c);
/* A cell that is never NULL, except in a damaged file: "" there. */
static inline const char *store_cell(const struct table *t, size_t row, const char *column)
{
	const char *text = table_cell(t, row, column);

	return text ? text : "";
}

/* ---- store_chain.c ---- */

/* A call that writes a receipt. */
struct chain_link {
	struct list node; /* among those that wait for a place */
	struct call *call;
	struct chain *chain;
	struct receipt receipt; /* what its hash is made of */
	char hash[HASH_HEX_BYTES];
	int attempts;
	bool writing;
	const char *insert; /* the query that stores it */
	/* Adds what is written behind the receipt. */
	void (*add)(struct chain_link *link);
};

/* Starts the call as soon as its place is known. `call`, `insert` and `add` are set. */
struct op *store_chain_join(struct chain_link *link, const struct receipt *r);
/* To be asked in its finish, before anything else. `hopeless`: another place would not help. True:
 * another one has its place, and the call goes on with a new one. */
bool store_chain_again(struct chain_link *link, bool stored, bool hopeless);
void store_chains_free(struct store *s);

/* ---- store_turns.c ---- */

/* The turn's row, as `turn_id`, `fence` and `now` say: before the user's message. Nothing where the
 * store is not shared. `taken`: it may be there, of a former owner. */
void store_turn_begin(struct call *c, bool taken);
void store_silent_free(struct store *s);

/* A page as messages for this reader, copied into the arena, oldest first, at most `limit` of them;
 * returns how many. Masked are those that rest on what the reader may not see. */
size_t store_messages_from_rows(const struct table *t, const struct principal *reader, size_t limit,
				bool newest_first, struct arena *a, struct message **out);
/* As standing_newest gives it; NULL: none, or it rests on what the reader may not see. */
const json_t *store_standing_from_rows(const struct table *t, const struct principal *reader,
				       struct arena *a);
/* Of one row each, as memory_summary and memory_size give them. */
struct memory store_memory_from_rows(const struct table *summary, const struct table *size,
				     struct arena *a);
struct session store_session_from_row(const struct table *t, size_t row, struct arena *a);
/* Copied into the arena. */
const struct principal *store_principal(const struct principal *who, struct arena *a);
/* The first row there is; false: none, and *e says ERR_NOT_FOUND in these words. */
MUST_CHECK bool store_found(struct table *const *tables, size_t count, size_t at, const char *what,
			    struct err *e);

/* First line of a message, at most TITLE_CHARS_MAX characters, cut between words. */
const char *store_title(const char *content, struct arena *a);
/* The object of a session that comes from there; NULL: empty. */
const char *store_metadata(const char *origin, struct arena *a);

#endif
