/* Sessions: list, create, edit, delete. Every statement names the user, so that another user's
 * session is reported as nonexistent. */
#include "store_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/uuid.h"

struct sessions_call {
	struct call call;
	struct arena *arena;
	size_t limit;
	const char *etag; /* of this edit, to find out afterwards whether it was applied */
	store_sessions_cb cb;
	store_session_cb one_cb;
	void *owner;
};

/* ---- lists ---- */

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
		sessions[i] = store_session_from_row(tables[0], i, s->arena);
	s->cb(s->owner, sessions, n, tables[0]->total_rows > (int64_t)n, NULL);
}

struct op *store_sessions(struct store *s, const struct principal *who,
			  const struct sessions_page *page, struct arena *a, store_sessions_cb cb,
			  void *owner)
{
	struct sessions_call *c = store_call_new_for(s, who, sizeof(*c));

	assert(page->limit > 0 && page->limit <= STORE_PAGE_MAX);
	c->arena = a;
	c->limit = page->limit;
	c->cb = cb;
	c->owner = owner;
	c->call.finish = on_sessions;
	store_call_int(&c->call, "limit", (int64_t)page->limit + 1);
	if (page->after_id)
		store_call_text(&c->call, "after_id", page->after_id);
	if (page->filter != SESSIONS_ALL)
		store_call_flag(&c->call,
				page->filter == SESSIONS_ARCHIVED ? "archived" : "active");
	if (page->origin) {
		store_call_flag(&c->call, "dialect");
		store_call_text(&c->call, "metadata", store_metadata(page->origin, c->call.arena));
	} else {
		store_call_flag(&c->call, "usual");
	}
	if (page->title)
		store_call_text(&c->call, "title_like",
				sql_like_pattern(page->title, c->call.arena));
	store_call_add(&c->call, "sessions_page");
	return store_call_read(&c->call, page->limit + 1);
}

/* ---- one session ---- */

/* The last table has the session. */
static void on_session(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct sessions_call *s = list_item(c, struct sessions_call, call);
	struct session session;
	struct err failure = {0};

	if (!e && !store_require_row(tables, count, count - 1, "session", &failure))
		e = &failure;
	if (!e) {
		session = store_session_from_row(tables[count - 1], 0, s->arena);
		if (s->etag && strcmp(session.etag, s->etag) != 0) {
			err_set(&failure, ERR_BUSY, "the session was changed in the meantime");
			e = &failure;
		}
	}
	s->one_cb(s->owner, e ? NULL : &session, e);
}

static struct sessions_call *session_call(struct store *s, const struct principal *who,
					  const char *session_id, struct arena *a,
					  store_session_cb cb, void *owner)
{
	struct sessions_call *c = store_call_new_for(s, who, sizeof(*c));

	c->arena = a;
	c->one_cb = cb;
	c->owner = owner;
	c->call.finish = on_session;
	store_call_text(&c->call, "session_id", session_id);
	return c;
}

struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner)
{
	struct sessions_call *c = session_call(s, who, session_id, a, cb, owner);

	store_call_add(&c->call, "session_one");
	return store_call_read(&c->call, 1);
}

struct op *store_session_new(struct store *s, const struct principal *who, const char *session_id,
			     const char *title, struct arena *a, store_session_cb cb, void *owner)
{
	struct sessions_call *c = session_call(s, who, session_id, a, cb, owner);

	store_call_text(&c->call, "title", title);
	store_call_text(&c->call, "metadata", store_metadata(NULL, c->call.arena));
	store_call_now(&c->call);
	store_call_add(&c->call, "session_insert");
	store_call_add(&c->call, "session_one");
	return store_call_write(&c->call);
}

static void add_etags(struct call *c, const char *const *etags)
{
	struct value *values;
	size_t n = 0;

	while (etags[n])
		n++;
	values = arena_alloc(c->arena, (n + 1) * sizeof(*values));
	for (size_t i = 0; i < n; i++)
		values[i] = value_text(arena_strdup(c->arena, etags[i]));
	args_set_list(&c->args, c->arena, "if_etags", values, n);
}

struct op *store_session_edit(struct store *s, const struct principal *who, const char *session_id,
			      const struct session_edit *edit, struct arena *a, store_session_cb cb,
			      void *owner)
{
	struct sessions_call *c = session_call(s, who, session_id, a, cb, owner);
	struct call *call = &c->call;

	c->etag = arena_strdup(call->arena, uuid_new().text);
	store_call_text(call, "new_etag", c->etag);
	store_call_now(call);
	if (edit->title)
		store_call_text(call, "title", edit->title);
	if (edit->archive != 0)
		store_call_flag(call, edit->archive > 0 ? "archive" : "unarchive");
	if (edit->if_etags)
		add_etags(call, edit->if_etags);
	store_call_add(call, "session_edit");
	store_call_add(call, "session_one");
	return store_call_write(call);
}

/* ---- deletion ---- */

struct delete_call {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_deleted(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct delete_call *d = list_item(c, struct delete_call, call);
	struct err failure = {0};

	if (!e && !store_require_row(tables, count, 0, "session", &failure))
		e = &failure;
	d->cb(d->owner, e);
}

struct op *store_session_delete(struct store *s, const struct principal *who,
				const char *session_id, store_done_cb cb, void *owner)
{
	struct delete_call *d = store_call_new_for(s, who, sizeof(*d));

	d->cb = cb;
	d->owner = owner;
	d->call.finish = on_deleted;
	d->call.secure_delete = true;
	store_call_text(&d->call, "session_id", session_id);
	store_call_add(&d->call, "session_one");
	store_call_add(&d->call, "session_delete_feedback");
	store_call_add(&d->call, "session_delete_summaries");
	store_call_text(&d->call, "body_like", sql_like_pattern(session_id, d->call.arena));
	store_call_add(&d->call, "session_delete_repeats");
	store_call_add(&d->call, "session_delete_receipts");
	store_call_add(&d->call, "session_delete_saved");
	store_call_add(&d->call, "session_delete_messages");
	store_call_add(&d->call, "session_delete");
	return store_call_write(&d->call);
}
