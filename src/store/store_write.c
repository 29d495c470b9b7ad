/*
 * The two writes of a turn. Conditions are inside the statements, and one request is one
 * transaction. So two sockets that send the same message at once cannot both succeed.
 */
#include "store_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/uuid.h"

/* The tables of store_begin's statements, in order. */
enum { BEGIN_STORED, BEGIN_STANDING, BEGIN_SUMMARY, BEGIN_SIZE, BEGIN_HISTORY };

struct begin {
	struct call call;
	const struct principal *who;
	const char *message_id;
	uint64_t fence;
	size_t limit;        /* of the history; 0: not read */
	struct arena *arena; /* the caller's */
	store_begin_cb cb;
	void *owner;
};

static void set_history(const struct begin *b, const struct table *t, struct beginning *out)
{
	struct message *messages;

	out->history_count =
		store_messages_from_rows(t, b->who, b->limit, true, b->arena, &messages);
	out->history = messages;
	out->has_more = t->total_rows > (int64_t)out->history_count;
}

static void return_beginning(struct begin *b, struct table **tables)
{
	struct beginning out = {
		.standing = store_standing_from_rows(tables[BEGIN_STANDING], b->who, b->arena),
		.memory =
			store_memory_from_rows(tables[BEGIN_SUMMARY], tables[BEGIN_SIZE], b->arena),
	};

	if (b->limit > 0)
		set_history(b, tables[BEGIN_HISTORY], &out);
	b->cb(b->owner, &out, NULL);
}

/* Nothing was stored: another turn runs or has just ended, or the session is another user's. */
static void on_not_begun(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct begin *b = list_item(c, struct begin, call);
	const struct beginning none = {0};
	struct err failure = {0};

	if (e)
		failure = *e;
	else if (count > 0 && tables[0]->row_count > 0)
		err_set_retry(&failure, ERR_BUSY,
			      "another turn of this session is running on another server");
	else
		err_set(&failure, ERR_NOT_FOUND, "no such session");
	b->cb(b->owner, &none, &failure);
}

static bool runs_on_other_replica(const struct begin *b, const struct table *stored)
{
	const char *fence = b->call.store->replica ? store_cell(stored, 0, "fence") : NULL;

	return fence && (!*fence || strtoull(fence, NULL, 10) != b->fence);
}

static void on_begun(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct begin *b = list_item(c, struct begin, call);
	const struct table *stored = count > 0 ? tables[BEGIN_STORED] : NULL;
	struct beginning none = {0};
	struct err problem = {0};
	bool exists = !e && store_require_row(tables, count, BEGIN_STORED, "session", &problem);

	if (!e && !exists && c->store->replica) {
		c->finish = on_not_begun;
		store_call_clear(c);
		store_call_add(c, "session_mine");
		store_call_read(c, 1);
	} else if (!exists) {
		b->cb(b->owner, &none, e ? e : &problem);
	} else if (strcmp(store_cell(stored, 0, "message_uid"), b->message_id) != 0) {
		none.duplicate_turn = store_cell(stored, 0, "turn_id");
		b->cb(b->owner, &none, NULL);
	} else if (runs_on_other_replica(b, stored)) {
		none.elsewhere = true;
		b->cb(b->owner, &none, NULL);
	} else {
		assert(count == (b->limit > 0 ? BEGIN_HISTORY + 1 : BEGIN_HISTORY));
		return_beginning(b, tables);
	}
}

static void message_args(struct call *c, const struct message *m)
{
	store_call_text(c, "message_id", m->message_id);
	store_call_text(c, "session_id", m->session_id);
	store_call_text(c, "turn_id", m->turn_id);
	store_call_text(c, "client_msg_id", m->client_msg_id);
	store_call_text(c, "role", m->role);
	store_call_text(c, "content", m->content);
	store_call_text(c, "status", message_status_name(m->status));
	store_call_int(c, "token_count", m->token_count);
	store_call_int(c, "latency_ms", m->latency_ms);
	store_call_now(c);
	if (c->store->replica) {
		store_call_flag(c, "shared");
		store_call_int(c, "fence", (int64_t)m->fence);
	}
}

struct op *store_begin(struct store *s, const struct principal *who, const struct message *m,
		       size_t history, struct arena *arena, store_begin_cb cb, void *owner)
{
	struct begin *b = store_call_new_for(s, who, sizeof(*b));
	struct call *c = &b->call;

	assert(history <= STORE_PAGE_MAX);
	b->who = store_principal(who, c->arena);
	b->message_id = arena_strdup(c->arena, m->message_id);
	b->fence = m->fence;
	b->limit = history;
	b->arena = arena;
	b->cb = cb;
	b->owner = owner;
	c->finish = on_begun;
	message_args(c, m);
	store_call_text(c, "title", store_title(m->content, c->arena));
	store_call_text(c, "metadata", store_metadata(m->origin, c->arena));
	store_call_int(c, "one", 1);
	store_call_add(c, "session_insert");
	store_turn_begin(c, m->taken);
	store_call_add(c, "user_message_insert");
	store_call_add(c, "session_touch");
	store_call_add(c, "user_message_stored");
	store_call_add(c, "standing_newest");
	store_call_add(c, "memory_summary");
	store_call_add(c, "memory_size");
	if (history > 0) {
		store_call_int(c, "limit", (int64_t)history + 1);
		store_call_add(c, "messages_recent");
	}
	return store_call_write(c);
}

struct answer {
	struct call call;
	struct chain_link link; /* of its receipt, if it has one */
	bool needs_sources;     /* the answer uses data sources, which may be deleted meanwhile */
	store_done_cb cb;
	void *owner;
};

/* Checks the turn's owner only if that may be the cause of a failure. With a receipt, a position
 * used by another process is more frequent. */
static bool should_check_owner(const struct call *c)
{
	return c->store->replica && (!c->link || c->link->attempts > 0);
}

/* With a receipt, the first table shows if the session exists. The last table shows if the answer
 * exists, and the one before it the turn's owner, if that was checked. */
static void on_answered(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct answer *a = list_item(c, struct answer, call);
	bool stored = count > 0 && tables[count - 1]->row_count > 0;
	bool is_turn_lost =
		!e && !stored && should_check_owner(c) && tables[count - 2]->row_count == 0;
	bool is_session_missing =
		!e && !stored && !is_turn_lost && (!c->link || tables[0]->row_count == 0);
	bool is_permanent = is_session_missing || is_turn_lost || (e && e->code != ERR_BUSY);
	struct err failure = {0};

	if (c->link && store_chain_retry(c->link, stored, is_permanent))
		return;
	if (is_turn_lost)
		err_set(&failure, ERR_CANCELLED, "another replica owns the turn");
	else if (is_session_missing)
		err_set(&failure, ERR_NOT_FOUND, "no such session");
	else if (!e && !stored)
		err_set_retry(&failure, ERR_BUSY,
			      "the receipt could not be stored: other processes appended to the "
			      "chain first in %d attempts",
			      RECEIPT_ATTEMPTS_MAX);
	a->cb(a->owner, failure.code != ERR_NONE ? &failure : e);
}

/* Counts the permissions for data sources, which end with an ID. */
static int64_t sources_of(const char *needs)
{
	struct str rest = str_of(needs ? needs : ""), one;
	char id[UUID_BYTES];
	int64_t n = 0;

	while (str_split(&rest, ' ', &one)) {
		if (one.n < sizeof(id) || one.p[one.n - sizeof(id)] != ':')
			continue;
		snprintf(id, sizeof(id), "%.*s", (int)sizeof(id) - 1,
			 one.p + one.n - (sizeof(id) - 1));
		n += uuid_valid(id);
	}
	return n;
}

static void answer_add(struct call *c)
{
	store_call_add(c, "session_answer");
	store_call_add(c, "answer_insert");
	if (list_item(c, struct answer, call)->needs_sources)
		store_call_add(c, "answer_forget");
	if (c->store->replica)
		store_call_add(c, "turn_done");
	if (should_check_owner(c))
		store_call_add(c, "turn_mine");
	store_call_add(c, "answer_stored");
}

static void on_position(struct chain_link *link)
{
	store_call_add(link->call, "session_one");
	answer_add(link->call);
}

struct op *store_answer(struct store *s, const struct principal *who, const struct message *m,
			store_done_cb cb, void *owner)
{
	struct answer *a = store_call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->cb = cb;
	a->owner = owner;
	c->finish = on_answered;
	message_args(c, m);
	store_call_text(c, "intent", m->intent);
	store_call_text(c, "agents_used", m->agents_used);
	store_call_text(c, "needs", m->needs);
	a->needs_sources = m->gone && sources_of(m->needs) > 0;
	if (a->needs_sources) {
		store_call_text(c, "gone", m->gone);
		store_call_int(c, "source_count", sources_of(m->needs));
	}
	store_call_text(c, "provider", m->provider);
	store_call_text(c, "model", m->model);
	store_call_json(c, "tool_calls", m->texts.tool_calls);
	store_call_json(c, "views", m->texts.views);
	store_call_json(c, "pbi_deep_links", m->texts.pbi_deep_links);
	store_call_json(c, "checked", m->texts.checked);
	store_call_json(c, "standing", m->texts.standing);
	store_call_json(c, "pending_ask", m->status == MESSAGE_ASK ? m->texts.standing : NULL);
	if (m->receipt) {
		a->link = (struct chain_link){
			.call = c, .insert = "receipt_insert", .add = on_position};
		return store_chain_join(&a->link, m->receipt);
	}
	store_call_text(c, "receipt_id", NULL);
	answer_add(c);
	return store_call_write(c);
}
