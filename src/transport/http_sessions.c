/* What is stored, read page by page. A cursor is the id of the last row, wrapped so that nobody
 * builds on what it is. */
#include "http_route.h"

#include <stdlib.h>
#include <string.h>

#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/uuid.h"

struct page {
	size_t limit;
	const char *after; /* NULL: from the start */
};

static const char *cursor_decode(struct arena *a, const char *cursor)
{
	const char *id = NULL;
	struct buf text;

	buf_init(&text, UUID_BYTES);
	if (hash_base64url_decode(&text, cursor, strlen(cursor)) && uuid_valid(buf_text(&text)))
		id = arena_strdup(a, buf_text(&text));
	buf_deinit(&text);
	return id;
}

static void add_cursor(json_t *body, const char *last_id)
{
	struct buf cursor;

	buf_init(&cursor, 4 * UUID_BYTES);
	hash_base64url(&cursor, last_id, strlen(last_id));
	json_set_str(body, "next_cursor", buf_text(&cursor));
	buf_deinit(&cursor);
}

static bool parse_page(const struct request *r, struct page *out, struct err *e)
{
	const char *limit = request_query(r, "limit");
	const char *cursor = request_query(r, "cursor");
	struct page page = {.limit = PAGE_DEFAULT};

	if (limit) {
		page.limit = strlen(limit) <= 4 && strspn(limit, "0123456789") == strlen(limit)
				     ? strtoul(limit, NULL, 10)
				     : 0;
		if (page.limit < 1 || page.limit > PAGE_MAX)
			return err_set(e, ERR_INPUT, "limit: must be 1 to %d", PAGE_MAX);
	}
	if (cursor) {
		page.after = cursor_decode(r->arena, cursor);
		if (!page.after)
			return err_set(e, ERR_INPUT, "cursor: not one of ours");
	}
	*out = page;
	return true;
}

static void reply_page(struct request *r, json_t *data, bool has_more, const char *last_id)
{
	json_t *body = json_object();

	json_set_take(body, "data", data);
	json_set_bool(body, "has_more", has_more);
	if (has_more && last_id)
		add_cursor(body, last_id);
	reply_json(r, 200, body);
}

static json_t *session_json(const struct session *s)
{
	json_t *row = json_object();

	json_set_str(row, "session_id", s->session_id);
	json_set_str(row, "title", s->title);
	json_set_str(row, "created_at", s->created_at);
	json_set_str(row, "updated_at", s->updated_at);
	return row;
}

static void on_sessions(void *owner, const struct session *sessions, size_t count, bool has_more,
			const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	r->op = NULL;
	if (e) {
		reply_err(r, e);
		return;
	}
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, session_json(&sessions[i]));
	reply_page(r, data, has_more, count ? sessions[count - 1].session_id : NULL);
}

void on_get_sessions(struct request *r)
{
	struct page page;
	struct err e;

	if (!parse_page(r, &page, &e))
		reply_err(r, &e);
	else
		r->op = store_sessions(
			r->transport->options.store, r->who,
			&(struct sessions_page){.after_id = page.after, .limit = page.limit},
			r->arena, on_sessions, r);
}

/* The row's values are shared, not copied: they live as long as the longer of both. */
static json_t *shared(const json_t *value)
{
	return json_incref((json_t *)(uintptr_t)value);
}

static json_t *message_json(const struct message *m)
{
	json_t *row = json_object();

	json_set_str(row, "message_id", m->message_id);
	json_set_str(row, "turn_id", m->turn_id);
	json_set_str(row, "role", m->role);
	json_set_str(row, "content", m->content);
	json_set_str(row, "status", message_status_name(m->status));
	json_set_str(row, "provider", m->provider);
	json_set_str(row, "client_msg_id", m->client_msg_id);
	json_set_take(row, "views", shared(m->views));
	json_set_take(row, "pbi_deep_links", shared(m->pbi_deep_links));
	json_set_str(row, "created_at", m->created_at);
	return row;
}

static void on_messages(void *owner, const struct message *messages, size_t count, bool has_more,
			const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	r->op = NULL;
	if (e) {
		reply_err(r, e);
		return;
	}
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, message_json(&messages[i]));
	reply_page(r, data, has_more, count ? messages[count - 1].message_id : NULL);
}

void on_get_session_messages(struct request *r)
{
	const char *session_id = r->params[0];
	struct page page;
	struct err e;

	if (!uuid_valid(session_id))
		reply_problem(r, PROBLEM_NOT_FOUND, NULL);
	else if (!parse_page(r, &page, &e))
		reply_err(r, &e);
	else
		r->op = store_messages(r->transport->options.store, r->who, session_id, page.after,
				       page.limit, r->arena, on_messages, r);
}
