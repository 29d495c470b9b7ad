/* Lists messages in pages, and stores feedback on answers. */
#include "http_messages.h"

#include <string.h>

#include "http_route.h"
#include "message_reader.h"
#include "http/page.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

static void add_text(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_printf(out, ",\"%s\":", name);
	buf_json_str(out, text, strlen(text));
}

static void add_json(struct buf *out, const char *name, const char *json)
{
	if (!json)
		return;
	buf_printf(out, ",\"%s\":", name);
	buf_str(out, json);
}

/* Adds agent, tool and outcome of each call; its arguments are not shown. */
static void add_tools(struct buf *out, const char *stored)
{
	static const char *const shown[] = {"call",    "agent", "tool",
					    "outcome", "rows",  "truncated"};
	json_t *calls, *call, *list = json_array();
	size_t i;

	if (stored && json_parse_exact(stored, strlen(stored), DB_CELL_BYTES_MAX, &calls, NULL)) {
		json_array_foreach(calls, i, call) {
			json_t *row = json_object();

			for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
				json_set_take(row, shown[k],
					      json_incref(json_object_get(call, shown[k])));
			json_push_take(list, row);
		}
		json_decref(calls);
		buf_str(out, ",\"tools\":");
		buf_json(out, list);
	}
	json_decref(list);
}

static void add_own_feedback(struct buf *out, const struct message *m)
{
	if (!m->rating)
		return;
	buf_str(out, ",\"feedback\":{\"rating\":");
	buf_json_str(out, m->rating, strlen(m->rating));
	add_text(out, "comment", m->comment);
	add_text(out, "correction", m->correction);
	buf_char(out, '}');
}

/* Adds the approval of the answer's plan, from its session context. Not for an answer without
 * calls, which has the context of the answer before it. */
static void add_approved(struct buf *out, const struct message *m)
{
	json_t *standing, *calls = NULL, *approved;

	if (m->status == MESSAGE_ASK || !m->texts.standing ||
	    !strstr(m->texts.standing, "\"approved_by\"") ||
	    !json_parse_exact(m->texts.standing, strlen(m->texts.standing), DB_CELL_BYTES_MAX,
			      &standing, NULL))
		return;
	approved = json_object_get(json_object_get(json_object_get(standing, "plan"), "flow"),
				   "approved");
	if (approved && m->texts.tool_calls &&
	    json_parse_exact(m->texts.tool_calls, strlen(m->texts.tool_calls), DB_CELL_BYTES_MAX,
			     &calls, NULL) &&
	    json_array_size(calls) > 0) {
		buf_str(out, ",\"approved\":");
		buf_json(out, approved);
	}
	json_decref(calls);
	json_decref(standing);
}

void message_add(struct buf *out, const struct message *m)
{
	const char *id = m->message_id ? m->message_id : "";

	buf_str(out, "{\"message_id\":");
	buf_json_str(out, id, strlen(id));
	add_text(out, "turn_id", m->turn_id);
	add_text(out, "role", m->role);
	add_text(out, "content", m->content);
	add_text(out, "status", message_status_name(m->status));
	if (m->masked)
		buf_str(out, ",\"masked\":true");
	add_text(out, "provider", m->provider);
	add_approved(out, m);
	add_text(out, "client_msg_id", m->client_msg_id);
	add_json(out, "views", m->texts.views);
	add_tools(out, m->texts.tool_calls);
	add_json(out, "checked", m->texts.checked);
	add_json(out, "pbi_deep_links", m->texts.pbi_deep_links);
	add_text(out, "receipt_id", m->receipt_id);
	add_own_feedback(out, m);
	add_text(out, "created_at", m->created_at);
	buf_char(out, '}');
}

/* ---- the list ---- */

struct listing {
	struct message_reader reader;
	struct buf rows;
	size_t remaining;
};

static void listing_free(void *task)
{
	struct listing *l = task;

	message_reader_deinit(&l->reader);
	buf_deinit(&l->rows);
	mem_free(l);
}

/* A page of messages with large tables ends before its limit. */
static void on_batch(void *owner, const struct message *messages, size_t count, bool has_more,
		     const struct err *e)
{
	struct listing *l = owner;
	struct request *r = l->reader.request;

	if (e) {
		reply_err(r, e);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		buf_str(&l->rows, l->rows.n > 0 ? "," : "");
		message_add(&l->rows, &messages[i]);
	}
	l->remaining -= count;
	if (has_more && l->remaining > 0 && l->rows.n < PAGE_BYTES)
		message_reader_next(&l->reader, l->remaining, on_batch, l);
	else if (buf_over(&l->rows))
		reply_problem(r, CODE_INTERNAL, NULL);
	else
		page_reply_rows(r, &l->rows, has_more, l->reader.after);
}

void on_get_session_messages(struct request *r)
{
	const char *session_id = r->params[0];
	struct listing *l;
	struct page page;
	struct err e;

	if (!uuid_valid(session_id)) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
	} else if (!page_parse(r, &page, &e)) {
		reply_err(r, &e);
	} else {
		l = mem_alloc(sizeof(*l));
		l->remaining = page.limit;
		buf_init(&l->rows, 4 * HTTP_RESPONSE_BYTES_MAX);
		message_reader_init(&l->reader, r, session_id, page.after);
		r->task = l;
		r->task_free = listing_free;
		message_reader_next(&l->reader, l->remaining, on_batch, l);
	}
}

/* ---- feedback ---- */

static json_t *feedback_json(const struct feedback *f, bool for_admin)
{
	json_t *row = json_object();

	json_set_str(row, "message_id", f->message_id);
	if (for_admin) {
		json_set_str(row, "session_id", f->session_id);
		json_set_str(row, "user_id", f->user_id);
	}
	json_set_str(row, "rating", f->rating);
	json_set_str(row, "comment", f->comment);
	json_set_str(row, "correction", f->correction);
	json_set_str(row, "updated_at", f->updated_at);
	return row;
}

static void on_feedback(void *owner, const struct feedback *feedback, size_t count, bool has_more,
			const struct err *e)
{
	struct request *r = owner;
	const struct transport_options *o = &r->transport->options;

	(void)has_more;
	r->op = NULL;
	if (!e && count == 1 && o->feedback_given)
		o->feedback_given(o->feedback_owner, feedback);
	if (e)
		reply_err(r, e);
	else if (count == 1)
		reply_json(r, 200, feedback_json(feedback, false));
	else
		reply_problem(r, CODE_INTERNAL, NULL);
}

static bool is_rating(const char *text)
{
	return strcmp(text, "up") == 0 || strcmp(text, "down") == 0;
}

static bool text_check(const char *name, const char *text, struct err *e)
{
	return !text || strlen(text) <= FEEDBACK_BYTES_MAX ||
	       err_set(e, ERR_LIMIT, "%s: must have at most %d bytes", name, FEEDBACK_BYTES_MAX);
}

static bool feedback_parse(const json_t *body, struct feedback *out, struct err *e)
{
	static const char *const names[] = {"rating", "comment", "correction", NULL};

	if (!json_check_members(body, names, e) || !json_get_str(body, "rating", &out->rating, e) ||
	    !json_opt_str(body, "comment", &out->comment, e) ||
	    !json_opt_str(body, "correction", &out->correction, e))
		return false;
	if (!is_rating(out->rating))
		return err_set(e, ERR_INPUT, "rating: must be up or down");
	return text_check("comment", out->comment, e) &&
	       text_check("correction", out->correction, e);
}

void on_post_feedback(struct request *r)
{
	struct feedback feedback = {.message_id = r->params[0]};
	struct err e;

	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else if (!feedback_parse(r->body, &feedback, &e))
		reply_invalid(r, &e);
	else
		r->op = store_feedback(r->transport->options.store, r->who, &feedback, r->arena,
				       on_feedback, r);
}

static void on_feedback_page(void *owner, const struct feedback *feedback, size_t count,
			     bool has_more, const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	if (reply_failed(r, e))
		return;
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, feedback_json(&feedback[i], true));
	page_reply(r, data, has_more, count ? feedback[count - 1].message_id : NULL);
}

void on_get_admin_feedback(struct request *r)
{
	const char *rating = request_query(r, "rating");
	struct page page;
	struct err e;

	if (!page_parse(r, &page, &e))
		reply_err(r, &e);
	else if (rating && !is_rating(rating))
		reply_problem(r, CODE_BAD_FRAME, "rating: must be up or down");
	else
		r->op = store_feedback_page(r->transport->options.store, r->who, rating, page.after,
					    page.limit, r->arena, on_feedback_page, r);
}
