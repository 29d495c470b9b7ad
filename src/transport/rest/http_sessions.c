/* Sessions as resources: list, create, read, rename, archive, delete. */
#include <string.h>

#include "http_messages.h"
#include "http_route.h"
#include "http/page.h"
#include "http/idempotency.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/utf8.h"
#include "vesper/uuid.h"

#define ETAG_BYTES (UUID_BYTES + 2)

json_t *session_json(const struct session *s)
{
	json_t *row = json_object();

	json_set_str(row, "session_id", s->session_id);
	json_set_str(row, "title", s->title);
	json_set_str(row, "created_at", s->created_at);
	json_set_str(row, "updated_at", s->updated_at);
	json_set_str(row, "archived_at", s->archived_at);
	return row;
}

/* ---- the list ---- */

static void on_sessions(void *owner, const struct session *sessions, size_t count, bool has_more,
			const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	if (reply_failed(r, e))
		return;
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, session_json(&sessions[i]));
	page_reply(r, data, has_more, count ? sessions[count - 1].session_id : NULL);
}

/* The dialect to filter by; NULL: sessions of no dialect. */
static bool origin_parse(const struct request *r, const char **out, struct err *e)
{
	static const char *const dialects[] = {"ai", "openai"};

	*out = request_query(r, "dialect");
	if (!*out)
		return true;
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (strcmp(*out, dialects[i]) == 0)
			return true;
	return err_set(e, ERR_INPUT, "dialect: must be ai or openai");
}

static bool filter_parse(const struct request *r, struct sessions_page *out, struct err *e)
{
	const char *archived = request_query(r, "archived");
	const char *q = request_query(r, "q");

	if (q && (!utf8_valid(q, strlen(q)) || utf8_count(q, strlen(q)) > TITLE_EDIT_CHARS_MAX))
		return err_set(e, ERR_INPUT, "q: must have at most %d characters",
			       TITLE_EDIT_CHARS_MAX);
	out->title = q && *q ? q : NULL;
	out->filter = SESSIONS_ACTIVE;
	if (archived && strcmp(archived, "true") == 0)
		out->filter = SESSIONS_ARCHIVED;
	else if (archived && strcmp(archived, "all") == 0)
		out->filter = SESSIONS_ALL;
	else if (archived && strcmp(archived, "false") != 0)
		return err_set(e, ERR_INPUT, "archived: must be false, true or all");
	return true;
}

void on_get_sessions(struct request *r)
{
	struct sessions_page query;
	struct page page;
	struct err e;

	if (!page_parse(r, &page, &e) || !filter_parse(r, &query, &e) ||
	    !origin_parse(r, &query.origin, &e)) {
		reply_err(r, &e);
		return;
	}
	query.after_id = page.after;
	query.limit = page.limit;
	r->op = store_sessions(r->transport->options.store, r->who, &query, r->arena, on_sessions,
			       r);
}

/* ---- one ---- */

static void reply_session(struct request *r, int status, const struct session *session)
{
	reply_header(r, "ETag", arena_printf(r->arena, "\"%s\"", session->etag));
	reply_json(r, status, session_json(session));
}

static void on_read(void *owner, const struct session *session, const struct err *e)
{
	struct request *r = owner;
	const char *etag;

	if (reply_failed(r, e))
		return;
	etag = arena_printf(r->arena, "\"%s\"", session->etag);
	if (request_matches_etag(r, "If-None-Match", etag)) {
		reply_header(r, "ETag", etag);
		reply_empty(r, 304);
	} else {
		reply_session(r, 200, session);
	}
}

static void on_edited(void *owner, const struct session *session, const struct err *e)
{
	struct request *r = owner;

	r->op = NULL;
	if (e && e->code == ERR_BUSY)
		reply_problem(r, CODE_CHANGED, NULL);
	else if (e)
		reply_err(r, e);
	else
		reply_session(r, 200, session);
}

void on_get_session(struct request *r)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_session(r->transport->options.store, r->who, r->params[0], r->arena,
				      on_read, r);
}

static bool has_controls(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return true;
	return false;
}

static bool title_check(const char *title, struct err *e)
{
	if (!title || (*title && utf8_count(title, strlen(title)) <= TITLE_EDIT_CHARS_MAX &&
		       !has_controls(title)))
		return true;
	return err_set(e, ERR_INPUT, "title: must be one line of 1 to %d characters",
		       TITLE_EDIT_CHARS_MAX);
}

static void on_created(void *owner, const struct session *session, const struct err *e)
{
	struct request *r = owner;

	if (reply_failed(r, e))
		return;
	reply_header(r, "Location",
		     arena_printf(r->arena, "/api/v1/sessions/%s", session->session_id));
	reply_session(r, 201, session);
}

void on_post_session(struct request *r)
{
	static const char *const names[] = {"title", NULL};
	const char *id = idempotency_id(r, "session"), *title = NULL;
	struct err e;

	if (!json_check_members(r->body, names, &e) ||
	    !json_opt_str(r->body, "title", &title, &e) || !title_check(title, &e)) {
		reply_invalid(r, &e);
		return;
	}
	r->op = store_session_new(r->transport->options.store, r->who, id ? id : uuid_new().text,
				  title ? title : "", r->arena, on_created, r);
}

/* ---- edits ---- */

static bool edit_parse(struct request *r, struct session_edit *out, struct err *e)
{
	static const char *const names[] = {"title", "archived", NULL};
	bool archived = false;

	*out = (struct session_edit){0};
	if (!json_check_members(r->body, names, e) ||
	    !json_opt_str(r->body, "title", &out->title, e) ||
	    !json_opt_bool(r->body, "archived", &archived, e) || !title_check(out->title, e))
		return false;
	if (json_object_get(r->body, "archived"))
		out->archive = archived ? 1 : -1;
	return out->title || out->archive ||
	       err_set(e, ERR_INPUT, "title or archived: at least one of them is required");
}

/* The strong tags of a list that can be tags of a session. Other tags match nothing, but the
 * session is still looked up. NULL for "*": any version. */
static const char *const *etags_parse(const char *text, struct arena *a)
{
	struct str rest = str_of(text), tag;
	const char **tags = arena_alloc(a, (LIST_ARG_MAX + 1) * sizeof(*tags));
	size_t n = 0;

	if (str_eq(str_trim(rest), STR("*")))
		return NULL;
	tags[n++] = "-";
	while (n < LIST_ARG_MAX && str_split(&rest, ',', &tag)) {
		tag = str_trim(tag);
		if (tag.n != ETAG_BYTES - 1 || tag.p[0] != '"' || tag.p[tag.n - 1] != '"')
			continue;
		tags[n] = arena_strndup(a, tag.p + 1, tag.n - 2);
		n += uuid_valid(tags[n]);
	}
	tags[n] = NULL;
	return tags;
}

void on_patch_session(struct request *r)
{
	const char *tag = request_header(r, "If-Match");
	struct session_edit edit;
	struct err e;

	if (!uuid_valid(r->params[0])) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
	} else if (!edit_parse(r, &edit, &e)) {
		reply_invalid(r, &e);
	} else if (!tag) {
		reply_problem(r, CODE_PRECONDITION, NULL);
	} else {
		edit.if_etags = etags_parse(tag, r->arena);
		r->op = store_session_edit(r->transport->options.store, r->who, r->params[0], &edit,
					   r->arena, on_edited, r);
	}
}

/* ---- deletion ---- */

static void on_deleted(void *owner, const struct err *e)
{
	struct request *r = owner;

	if (reply_failed(r, e))
		return;
	turns_evict(r->transport->options.turns, r->params[0], r->who);
	reply_empty(r, 204);
}

static void on_running(void *owner, const char *turn_id)
{
	struct request *r = owner;
	const struct transport_options *o = &r->transport->options;

	if (turn_id)
		turn_cancel(o->turns, turn_id, r->who, CANCEL_USER, NULL, NULL);
	r->op = store_session_delete(o->store, r->who, r->params[0], on_deleted, r);
}

void on_delete_session(struct request *r)
{
	if (!uuid_valid(r->params[0])) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	r->op = turn_running(r->transport->options.turns, r->params[0], r->who, on_running, r);
}
