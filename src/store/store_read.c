/* Pages of messages and sessions. One row more than asked for is fetched, to know whether there is
 * more. */
#include "store_int.h"

#include <assert.h>

#include "vesper/limits.h"

struct messages_call {
	struct call call;
	struct arena *arena; /* the caller's */
	size_t limit;
	bool newest_first; /* of the statement; the caller gets the oldest first */
	bool must_exist;
	store_messages_cb cb;
	void *owner;
};

static bool no_row(const struct table *const *tables, size_t count)
{
	return count == 0 || tables[0]->row_count == 0;
}

static void messages_give(struct messages_call *m, const struct table *t)
{
	size_t n = t->row_count < m->limit ? t->row_count : m->limit;
	struct message *messages = arena_alloc(m->arena, (n + 1) * sizeof(*messages));

	for (size_t i = 0; i < n; i++)
		store_message_from_row(t, m->newest_first ? n - 1 - i : i, m->arena, &messages[i]);
	m->cb(m->owner, messages, n, t->total_rows > (int64_t)n, NULL);
}

static void on_messages(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct messages_call *m = list_item(c, struct messages_call, call);
	struct err none = {0};

	if (e) {
		m->cb(m->owner, NULL, 0, false, e);
	} else if (m->must_exist && no_row((const struct table *const *)tables, count)) {
		err_set(&none, ERR_NOT_FOUND, "no such session");
		m->cb(m->owner, NULL, 0, false, &none);
	} else {
		messages_give(m, tables[count - 1]);
	}
}

static struct messages_call *messages_new(struct store *s, const struct principal *who,
					  const char *session_id, size_t limit, struct arena *a,
					  store_messages_cb cb, void *owner)
{
	struct messages_call *m = store_call_new_for(s, who, sizeof(*m));

	assert(limit > 0 && limit <= STORE_PAGE_MAX);
	m->arena = a;
	m->limit = limit;
	m->cb = cb;
	m->owner = owner;
	m->call.finish = on_messages;
	store_call_text(&m->call, "session_id", session_id);
	return m;
}

struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner)
{
	struct messages_call *m = messages_new(s, who, session_id, limit, a, cb, owner);

	m->must_exist = true;
	store_call_int(&m->call, "limit", (int64_t)limit + 1);
	if (after_id)
		store_call_text(&m->call, "after_id", after_id);
	store_call_add(&m->call, "session_one");
	store_call_add(&m->call, "messages_page");
	return store_call_read(&m->call, limit + 1);
}

struct op *store_recent(struct store *s, const struct principal *who, const char *session_id,
			size_t limit, struct arena *a, store_messages_cb cb, void *owner)
{
	struct messages_call *m = messages_new(s, who, session_id, limit, a, cb, owner);

	m->newest_first = true;
	store_call_int(&m->call, "limit", (int64_t)limit + 1);
	store_call_add(&m->call, "messages_recent");
	return store_call_read(&m->call, limit + 1);
}

struct sessions_call {
	struct call call;
	struct arena *arena;
	size_t limit;
	store_sessions_cb cb;
	store_session_cb one_cb;
	void *owner;
};

static struct session session_from_row(const struct table *t, size_t row, struct arena *a)
{
	return (struct session){
		.session_id = arena_strdup(a, table_cell(t, row, "session_id")),
		.title = arena_strdup(a, table_cell(t, row, "title")),
		.created_at = arena_strdup(a, table_cell(t, row, "created_at")),
		.updated_at = arena_strdup(a, table_cell(t, row, "updated_at")),
	};
}

static void on_sessions(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sessions_call *s = list_item(c, struct sessions_call, call);
	struct session *sessions;
	size_t n;

	if (e) {
		s->cb(s->owner, NULL, 0, false, e);
		return;
	}
	assert(count == 1);
	n = tables[0]->row_count < s->limit ? tables[0]->row_count : s->limit;
	sessions = arena_alloc(s->arena, (n + 1) * sizeof(*sessions));
	for (size_t i = 0; i < n; i++)
		sessions[i] = session_from_row(tables[0], i, s->arena);
	s->cb(s->owner, sessions, n, tables[0]->total_rows > (int64_t)n, NULL);
}

struct op *store_sessions(struct store *s, const struct principal *who, const char *after_id,
			  size_t limit, struct arena *a, store_sessions_cb cb, void *owner)
{
	struct sessions_call *c = store_call_new_for(s, who, sizeof(*c));

	assert(limit > 0 && limit <= STORE_PAGE_MAX);
	c->arena = a;
	c->limit = limit;
	c->cb = cb;
	c->owner = owner;
	c->call.finish = on_sessions;
	store_call_int(&c->call, "limit", (int64_t)limit + 1);
	if (after_id)
		store_call_text(&c->call, "after_id", after_id);
	store_call_add(&c->call, "sessions_page");
	return store_call_read(&c->call, limit + 1);
}

static void on_session(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sessions_call *s = list_item(c, struct sessions_call, call);
	struct session session;
	struct err none = {0};

	if (!e && no_row((const struct table *const *)tables, count)) {
		err_set(&none, ERR_NOT_FOUND, "no such session");
		e = &none;
	}
	if (e) {
		s->one_cb(s->owner, NULL, e);
		return;
	}
	session = session_from_row(tables[0], 0, s->arena);
	s->one_cb(s->owner, &session, NULL);
}

struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner)
{
	struct sessions_call *c = store_call_new_for(s, who, sizeof(*c));

	c->arena = a;
	c->one_cb = cb;
	c->owner = owner;
	c->call.finish = on_session;
	store_call_text(&c->call, "session_id", session_id);
	store_call_add(&c->call, "session_one");
	return store_call_read(&c->call, 1);
}
