/* Opens the store and runs its calls. An operation is one request of named statements. */
#include "store_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/strlist.h"

#define STORE_ARENA_BYTES (4 * 1024 * 1024)
#define CALL_ARENA_BYTES  (2 * 1024 * 1024) /* soft; fits a message with its views */

/* Statements of store.sql with their arguments, checked when the store opens: if one is missing or
 * uses another argument, the store does not open. The list is not complete. */
static const struct {
	const char *query;
	const char *markers[26];
} required_queries[] = {
#define MINE "session_id", "tenant_id", "user_id"
	{"migrations_table", {NULL}},
	{"migrations_applied", {NULL}},
	{"schema_applied", {NULL}},
	{"migration_insert", {"version", "name", "now"}},
	{"session_insert", {MINE, "title", "metadata", "now"}},
	{"user_message_insert",
	 {MINE, "message_id", "turn_id", "client_msg_id", "role", "content", "status",
	  "token_count", "latency_ms", "now", "fence"}},
	{"session_touch", {MINE, "title", "now", "message_id"}},
	{"user_message_stored", {MINE, "message_id", "client_msg_id"}},
	{"session_answer",
	 {MINE, "now", "token_count", "pending_ask", "message_id", "receipt_id", "chained",
	  "turn_id", "fence"}},
	{"answer_insert",
	 {MINE,         "message_id", "turn_id",     "client_msg_id", "role",  "content",
	  "status",     "intent",     "agents_used", "tool_calls",    "views", "pbi_deep_links",
	  "standing",   "checked",    "needs",       "provider",      "model", "token_count",
	  "latency_ms", "now",        "receipt_id",  "chained",       "fence"}},
	{"answer_stored", {MINE, "message_id", "turn_id", "fence"}},
	{"receipt_head", {"tenant_id"}},
	{"receipt_insert",
	 {MINE, "receipt_no", "receipt_id", "message_id", "content_text", "leaves", "content_hash",
	  "previous_hash", "previous_no", "genesis", "hash", "receipt_at", "turn_id", "fence"}},
	{"receipts_page", {"tenant_id", "receipt_id", "of_user", "after_no", "limit"}},
	{"receipts_missing", {"tenant_id", "limit"}},
	{"session_one", {MINE}},
	{"sessions_page",
	 {"tenant_id", "user_id", "after_id", "limit", "archived", "active", "title_like",
	  "metadata", "dialect", "usual"}},
	{"messages_page", {MINE, "after_id", "limit"}},
	{"standing_newest", {MINE}},
	{"messages_recent", {MINE, "limit"}},
	{"orphans", {"tenant_id", "limit", "before"}},
	{"orphan_close",
	 {"session_id", "tenant_id", "turn_id", "message_id", "status", "now", "fence_after"}},
	{"session_mine", {MINE}},
	{"turn_mine", {"tenant_id", "turn_id", "fence"}},
	{"turns_alive", {"tenant_id", "replica", "ids", "now"}},
	{"turns_running", {"tenant_id", "limit"}},
	{"turn_close", {"tenant_id", "turn_id", "fence", "fence_after", "alive_at"}},
#define WHO "tenant_id", "user_id"
	{"turn_take", {WHO, "turn_id", "replica", "fence", "now"}},
	{"turn_insert", {MINE, "turn_id", "replica", "fence", "now", "client_msg_id"}},
	{"turn_done", {"tenant_id", "turn_id", "fence", "message_id", "now"}},
	{"message_one", {WHO, "message_id"}},
	{"turn_own", {WHO, "turn_id"}},
	{"session_edit", {MINE, "new_etag", "title", "archive", "unarchive", "now", "if_etags"}},
	{"session_delete_feedback", {MINE}},
	{"session_delete_summaries", {MINE}},
	{"session_delete_repeats", {MINE, "body_like"}},
	{"session_delete_receipts", {MINE}},
	{"session_delete_messages", {MINE}},
	{"session_delete", {MINE}},
	{"feedback_update", {WHO, "message_id", "rating", "comment", "correction", "now"}},
	{"feedback_insert", {WHO, "message_id", "rating", "comment", "correction", "now"}},
	{"feedback_one", {WHO, "message_id"}},
	{"feedback_page", {WHO, "rating", "after_id", "limit"}},
	{"audit_insert",
	 {WHO, "turn_id", "agent", "tool", "outcome", "row_count", "duration_ms", "now"}},
	{"switches", {"tenant_id"}},
	{"switch_update", {WHO, "enabled", "agent", "tool", "now"}},
	{"switch_insert", {WHO, "enabled", "agent", "tool", "now"}},
	{"idempotent_expire", {WHO, "key_hash", "expired_before", "stale_before"}},
	{"idempotent_insert", {WHO, "key_hash", "fingerprint", "owner", "now"}},
	{"idempotent_one", {WHO, "key_hash"}},
	{"idempotent_finish", {WHO, "owner", "status", "content_type", "body"}},
	{"idempotent_drop", {WHO, "owner"}},
	{"user_delete_feedback", {WHO, "of_user"}},
	{"user_delete_summaries", {WHO, "of_user"}},
	{"user_delete_messages", {WHO, "of_user"}},
	{"user_delete_receipts", {WHO, "of_user"}},
	{"user_delete_idempotency", {WHO, "of_user"}},
	{"user_delete_tokens", {WHO, "of_user"}},
	{"user_delete_turns", {WHO, "of_user"}},
	{"user_delete_sessions", {WHO, "of_user"}},
	{"retain_messages", {"tenant_id", "before", "limit"}},
	{"retain_delete_feedback", {"tenant_id", "ids"}},
	{"retain_delete_messages", {"tenant_id", "ids"}},
	{"retain_delete_summaries", {"tenant_id", "before"}},
	{"retain_delete_sessions", {"tenant_id", "before"}},
	{"retain_delete_audit", {"tenant_id", "before", "limit"}},
	{"retain_audit_left", {"tenant_id", "before"}},
	{"retain_receipts", {"tenant_id", "before", "limit"}},
	{"retain_receipts_left", {"tenant_id", "before"}},
	{"retain_delete_idempotency", {"tenant_id", "before"}},
	{"retain_delete_turns", {"tenant_id", "before"}},
	{"ledger_insert",
	 {WHO, "role", "kind", "provider", "model", "purpose", "input_tokens", "cache_read_tokens",
	  "cache_write_tokens", "output_tokens", "tokens", "nano_usd", "day", "now"}},
	{"token_by_hash", {"tenant_id", "hash"}},
	{"tokens", {"tenant_id", "token_id", "of_user", "limit"}},
	{"tokens_expire", {WHO, "now"}},
	{"token_insert",
	 {WHO, "token_id", "name", "hash", "scopes", "permissions", "signed_in_at", "now",
	  "expires_at", "most"}},
	{"token_audit", {WHO, "token_id", "of_user", "what", "day", "now"}},
	{"token_touch", {"tenant_id", "token_id", "now"}},
	{"token_delete", {"tenant_id", "token_id", "of_user"}},
	{"tokens_signed_in", {WHO, "permissions", "signed_in_at"}},
	{"ledger_sums", {"tenant_id", "today", "month_start", "after_user", "after_role", "limit"}},
};

static bool statements_check(const struct sql_file *f, struct err *e)
{
	for (size_t i = 0; i < sizeof(required_queries) / sizeof(required_queries[0]); i++) {
		const struct sql_query *q = sql_file_query(f, required_queries[i].query);

		if (!q)
			return err_set(e, ERR_INPUT, "%s: query %s is missing", f->path,
				       required_queries[i].query);
		for (size_t m = 0; m < q->marker_count; m++)
			if (!strlist_has(required_queries[i].markers, q->markers[m].name))
				return err_set(e, ERR_INPUT,
					       "%s:%d: query %s uses :%s, which is not one of its "
					       "arguments",
					       f->path, q->line, q->name, q->markers[m].name);
	}
	return true;
}

bool store_new(struct loop *l, struct db *db, const char *root, struct store **out, struct err *e)
{
	struct arena *a = arena_new(STORE_ARENA_BYTES);
	struct store *s = arena_alloc(a, sizeof(*s));
	struct sql_file *statements;

	*s = (struct store){.loop = l, .db = db, .arena = a};
	list_init(&s->chains);
	list_init(&s->watches);
	if (!sql_file_load(arena_printf(a, "%s/sql/store/store.sql", root), a, &statements, e) ||
	    !statements_check(statements, e) || !store_migrations_load(s, root, e)) {
		arena_free(&a);
		return false;
	}
	s->statements = statements;
	s->texts = arena_alloc(a, statements->query_count * sizeof(*s->texts));
	*out = s;
	return true;
}

void store_free(struct store **s)
{
	struct arena *a;

	if (!*s)
		return;
	store_chains_free(*s);
	store_watches_free(*s);
	a = (*s)->arena; /* the store is allocated in it */
	*s = NULL;
	arena_free(&a);
}

/* ---- calls ---- */

static void call_end(struct call *c)
{
	struct arena *a = c->arena;

	arena_free(&a);
}

static void on_cancel(struct op *op)
{
	struct call *c = list_item(op, struct call, op);

	deferred_cancel(&c->deferred);
	op_cancel(&c->query);
	if (c->abandon)
		c->abandon(c);
	call_end(c);
}

void *store_call_new(struct store *s, const char *tenant, size_t bytes)
{
	struct arena *a = arena_new(CALL_ARENA_BYTES);
	struct call *c = arena_alloc(a, bytes);

	assert(bytes >= sizeof(*c));
	c->op.cancel = on_cancel;
	c->store = s;
	c->arena = a;
	c->tenant = arena_strdup(a, tenant);
	store_call_text(c, "tenant_id", tenant);
	store_call_flag(c, db_dialect(s->db) == DIALECT_SQLITE ? "on_sqlite" : "on_server");
	return c;
}

void *store_call_new_for(struct store *s, const struct principal *who, size_t bytes)
{
	struct call *c = store_call_new(s, who->tenant, bytes);

	store_call_text(c, "user_id", who->user);
	return c;
}

void store_call_text(struct call *c, const char *name, const char *text)
{
	args_set(&c->args, c->arena, name, text ? value_text(text) : value_null());
}

void store_call_int(struct call *c, const char *name, int64_t number)
{
	args_set(&c->args, c->arena, name, value_int(number));
}

void store_call_flag(struct call *c, const char *name)
{
	args_set(&c->args, c->arena, name, value_bool(true));
}

void store_call_time(struct call *c, const char *name, int64_t unix_ms)
{
	char text[CLOCK_RFC3339_BYTES];

	clock_rfc3339(unix_ms, text);
	store_call_text(c, name, text);
}

void store_call_now(struct call *c)
{
	store_call_time(c, "now", clock_now_ms());
}

void store_call_json(struct call *c, const char *name, const char *text)
{
	if (text && strlen(text) > DB_CELL_BYTES_MAX) {
		log_warn("store.too_long",
			 "%s of a message is too long (%zu bytes) and is not stored", name,
			 strlen(text));
		text = NULL;
	}
	store_call_text(c, name, text);
}

static bool has_list(const struct sql_query *q)
{
	for (size_t i = 0; i < q->marker_count; i++)
		if (q->markers[i].is_list)
			return true;
	return false;
}

/* The conditions of the query that are given, one bit each. */
static unsigned conditions_given(const struct sql_query *q, const struct args *args)
{
	unsigned given = 0;

	for (unsigned i = 0; q->conditions[i]; i++) {
		assert(i < 32);
		if (args_find(args, q->conditions[i]))
			given |= 1u << i;
	}
	return given;
}

static const char *name_of(const struct sql_query *q, struct arena *a)
{
	return arena_printf(a, "store/%s", q->name);
}

/* Caches rendered statements, so that each turn only binds values. */
static const struct text *text_of(struct store *s, const struct sql_query *q, struct call *c)
{
	struct text **first = &s->texts[q - s->statements->queries];
	unsigned given = conditions_given(q, &c->args);
	struct text *t;

	for (t = *first; t; t = t->next)
		if (t->given == given)
			return t;
	t = arena_alloc(s->arena, sizeof(*t));
	if (!sql_text_render(q, &c->args, db_dialect(s->db), s->arena, &t->sql, &c->err))
		return NULL;
	t->name = name_of(q, s->arena);
	t->given = given;
	t->next = *first;
	*first = t;
	return t;
}

/* Statements of migrations are not cached: they are used once. */
static bool is_of_file(const struct sql_file *f, const struct sql_query *q)
{
	return q >= f->queries && q < f->queries + f->query_count;
}

/* Returns the statement's name; NULL: it could not be made. */
static const char *statement_make(struct call *c, const struct sql_query *q, struct sql_bound *out)
{
	const struct text *t;

	if (has_list(q) || !is_of_file(c->store->statements, q))
		return sql_render(q, &c->args, db_dialect(c->store->db), c->arena, out, &c->err)
			       ? name_of(q, c->arena)
			       : NULL;
	t = text_of(c->store, q, c);
	return t && sql_text_bind(&t->sql, &c->args, c->arena, out, &c->err) ? t->name : NULL;
}

void store_call_add_query(struct call *c, const struct sql_query *query)
{
	struct sql_bound bound;
	const char *name = c->err.code == ERR_NONE ? statement_make(c, query, &bound) : NULL;

	if (!name)
		return;
	if (c->count == c->capacity) {
		struct source_statement *old = c->statements;

		c->capacity = c->capacity ? c->capacity * 2 : 8;
		c->statements = arena_alloc(c->arena, c->capacity * sizeof(*c->statements));
		if (c->count > 0)
			memcpy(c->statements, old, c->count * sizeof(*old));
	}
	c->statements[c->count++] = (struct source_statement){
		.name = name, .text = bound.text, .values = bound.values, .count = bound.count};
}

void store_call_add(struct call *c, const char *query)
{
	store_call_add_query(c, sql_file_query(c->store->statements, query));
}

void store_call_clear(struct call *c)
{
	c->count = 0;
}

static struct op *call_start(struct call *c, bool write, size_t max_rows);

/* Statements check before they insert, and on a server another process may insert in between
 * (ERR_BUSY). The request is then sent once more, and its checks find the other process's rows. */
static void on_tables(void *owner, struct table **tables, size_t count, const struct err *e)
{
	struct call *c = owner;

	c->query = NULL;
	c->is_active = false;
	if (e && e->code == ERR_BUSY && c->write && !c->was_retried) {
		c->was_retried = true;
		call_start(c, true, 0);
		return;
	}
	c->finish(c, tables, count, e);
	for (size_t i = 0; i < count; i++)
		table_free(&tables[i]);
	if (!c->is_active)
		call_end(c);
}

static void on_not_started(void *owner)
{
	struct call *c = owner;

	on_tables(c, NULL, 0, &c->err);
}

static struct op *call_start(struct call *c, bool write, size_t max_rows)
{
	const struct db_request request = {
		.tenant = c->tenant,
		.statements = c->statements,
		.statement_count = c->count,
		.write = write,
		.group_commit = c->group_commit,
		.secure_delete = c->secure_delete,
	};

	for (size_t i = 0; i < c->count; i++)
		c->statements[i].sink.rows_max = max_rows;
	c->is_active = true;
	c->write = write;
	if (c->err.code != ERR_NONE)
		loop_defer(c->store->loop, &c->deferred, on_not_started, c);
	else
		c->query = db_query(c->store->db, &request, on_tables, c);
	return &c->op;
}

struct op *store_call_read(struct call *c, size_t max_rows)
{
	return call_start(c, false, max_rows);
}

struct op *store_call_write(struct call *c)
{
	return call_start(c, true, 0);
}
