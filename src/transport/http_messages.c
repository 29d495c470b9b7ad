/* What was said, page by page, and what its reader says of an answer. */
#include "http_messages.h"

#include <string.h>

#include "http_route.h"
#include "page.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/uuid.h"

/* The row's values are shared, not copied: they live as long as the longer of both. */
static json_t *shared(const json_t *value)
{
	return json_incref((json_t *)(uintptr_t)value);
}

/* Agent, tool and outcome of each call; what it was called with stays inside. */
static json_t *tools_json(const json_t *calls)
{
	static const char *const shown[] = {"call",    "agent", "tool",
					    "outcome", "rows",  "truncated"};
	json_t *list;
	json_t *call;
	size_t i;

	if (!calls)
		return NULL;
	list = json_array();
	json_array_foreach((json_t *)(uintptr_t)calls, i, call) {
		json_t *row = json_object();

		for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
			json_set_take(row, shown[k], shared(json_object_get(call, shown[k])));
		json_push_take(list, row);
	}
	return list;
}

static json_t *own_feedback_json(const struct message *m)
{
	json_t *row;

	if (!m->rating)
		return NULL;
	row = json_object();
	json_set_str(row, "rating", m->rating);
	json_set_str(row, "comment", m->comment);
	json_set_str(row, "correction", m->correction);
	return row;
}

json_t *message_json(const struct message *m)
{
	json_t *row = json_object();

	json_set_str(row, "message_id", m->message_id);
	json_set_str(row, "turn_id", m->turn_id);
	json_set_str(row, "role", m->role);
	json_set_str(row, "content", m->content);
	json_set_str(row, "status", message_status_name(m->status));
	if (m->masked)
		json_set_bool(row, "masked", true);
	json_set_str(row, "provider", m->provider);
	json_set_str(row, "client_msg_id", m->client_msg_id);
	json_set_take(row, "views", shared(m->views));
	json_set_take(row, "tools", tools_json(m->tool_calls));
	json_set_take(row, "checked", shared(m->checked));
	json_set_take(row, "pbi_deep_links", shared(m->pbi_deep_links));
	json_set_str(row, "receipt_id", m->receipt_id);
	json_set_take(row, "feedback", own_feedback_json(m));
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
	page_reply(r, data, has_more, count ? messages[count - 1].message_id : NULL);
}

void on_get_session_messages(struct request *r)
{
	const char *session_id = r->params[0];
	struct page page;
	struct err e;

	if (!uuid_valid(session_id))
		reply_problem(r, PROBLEM_NOT_FOUND, NULL);
	else if (!page_parse(r, &page, &e))
		reply_err(r, &e);
	else
		r->op = store_messages(r->transport->options.store, r->who, session_id, page.after,
				       page.limit, r->arena, on_messages, r);
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
		reply_problem(r, PROBLEM_INTERNAL, NULL);
}

static bool is_rating(const char *text)
{
	return strcmp(text, "up") == 0 || strcmp(text, "down") == 0;
}

static bool text_check(const char *name, const char *text, struct err *e)
{
	return !text || strlen(text) <= FEEDBACK_BYTES_MAX ||
	       err_set(e, ERR_LIMIT, "%s: at most %d bytes", name, FEEDBACK_BYTES_MAX);
}

static bool feedback_parse(const json_t *body, struct feedback *out, struct err *e)
{
	static const char *const names[] = {"rating", "comment", "correction", NULL};

	if (!json_only(body, names, e) || !json_get_str(body, "rating", &out->rating, e) ||
	    !json_opt_str(body, "comment", &out->comment, e) ||
	    !json_opt_str(body, "correction", &out->correction, e))
		return false;
	if (!is_rating(out->rating))
		return err_set(e, ERR_INPUT, "rating: up or down");
	return text_check("comment", out->comment, e) &&
	       text_check("correction", out->correction, e);
}

void on_post_feedback(struct request *r)
{
	struct feedback feedback = {.message_id = r->params[0]};
	struct err e;

	if (!uuid_valid(r->params[0]))
		reply_problem(r, PROBLEM_NOT_FOUND, NULL);
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

	r->op = NULL;
	if (e) {
		reply_err(r, e);
		return;
	}
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
		reply_problem(r, PROBLEM_BAD_FRAME, "rating: up or down");
	else
		r->op = store_feedback_page(r->transport->options.store, r->who, rating, page.after,
					    page.limit, r->arena, on_feedback_page, r);
}
