/*
 * Saved views: a result that a user pins to the start page, or shares by a link within the tenant.
 * Opening one runs the stored call again, without a model and with the reader's permissions. It is
 * reported as nonexistent to a caller who may not see it.
 */
#include <string.h>

#include "http_route.h"
#include "http_views.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/store_saved.h"
#include "vesper/utf8.h"
#include "vesper/uuid.h"
#include "vesper/view.h"

#define VIEW_ID_BYTES_MAX 100 /* width of its column */

static json_t *saved_json(const struct request *r, const struct saved_view *v)
{
	return json_make({"saved_id", json_str(v->saved_id)}, {"title", json_str(v->title)},
			 {"shared", json_boolean(v->shared)},
			 {"own", json_boolean(strcmp(v->user, r->who->user) == 0)},
			 {"created_at", json_str(v->created_at)});
}

/* ---- opening ---- */

struct open_task {
	struct request *request;
	struct arena *arena; /* of the result */
	const struct saved_view *saved;
};

static void open_task_free(void *task)
{
	struct open_task *o = task;

	op_cancel(&o->request->op);
	arena_free(&o->arena);
	mem_free(o);
}

static json_t *result_view(const struct result *result, struct arena *a)
{
	struct buf text;
	json_t *view;

	if (result->table_count == 0)
		return view_outcome(result, "saved");
	buf_init(&text, HTTP_RESPONSE_BYTES_MAX);
	view_data(&text, result, result->tables[0], "saved", a);
	if (!json_parse_exact(buf_text(&text), text.n, HTTP_RESPONSE_BYTES_MAX, &view, NULL))
		view = NULL;
	buf_deinit(&text);
	return view;
}

static void on_result(void *owner, struct result *result)
{
	struct open_task *o = owner;
	struct request *r = o->request;
	enum outcome_kind kind = result->outcome.kind;
	char now[CLOCK_RFC3339_BYTES];
	json_t *body;

	r->op = NULL;
	if (strcmp(o->saved->user, r->who->user) != 0 &&
	    (kind == OUTCOME_NOT_PERMITTED || kind == OUTCOME_UNKNOWN_ENTITY)) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	clock_rfc3339(clock_now_ms(), now);
	body = saved_json(r, o->saved);
	json_set_str(body, "read_at", now);
	json_set_take(body, "view", result_view(result, o->arena));
	reply_json(r, 200, body);
}

static void on_found(void *owner, const struct saved_view *views, size_t count, const struct err *e)
{
	struct request *r = owner;
	struct turns *turns = r->transport->options.turns;
	struct repeat_call repeat = {.who = r->who, .rows_max = DB_ROWS_MAX};
	struct open_task *o;

	(void)count;
	if (reply_failed(r, e))
		return;
	repeat.call = store_text_json(views[0].call, r->arena);
	if ((views[0].needs && !principal_has_all(r->who, views[0].needs, r->arena)) ||
	    !repeat.call || !turns_can_repeat_call(turns, r->who->tenant, repeat.call)) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	o = mem_alloc(sizeof(*o));
	*o = (struct open_task){
		.request = r, .arena = arena_new(TURN_ARENA_BYTES), .saved = &views[0]};
	r->task = o;
	r->task_free = open_task_free;
	r->op = turns_repeat_call(turns, &repeat, o->arena, on_result, o);
}

void on_get_saved_view(struct request *r)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_saved_one(r->transport->options.store, r->who, r->params[0], r->arena,
					on_found, r);
}

/* ---- the list ---- */

static void on_listed(void *owner, const struct saved_view *views, size_t count,
		      const struct err *e)
{
	struct request *r = owner;
	json_t *data;

	if (reply_failed(r, e))
		return;
	data = json_array();
	for (size_t i = 0; i < count; i++)
		json_push_take(data, saved_json(r, &views[i]));
	reply_json(r, 200, json_make({"data", data}));
}

void on_get_saved_views(struct request *r)
{
	r->op = store_saved(r->transport->options.store, r->who, r->arena, on_listed, r);
}

/* ---- saving ---- */

struct save_request {
	const char *message_id, *view_id, *title;
	bool shared;
};

static bool save_request_parse(const json_t *body, struct save_request *out, struct err *e)
{
	static const char *const names[] = {"message_id", "view_id", "title", "shared", NULL};

	*out = (struct save_request){0};
	if (!json_check_members(body, names, e) ||
	    !json_get_str(body, "message_id", &out->message_id, e) ||
	    !json_get_str(body, "view_id", &out->view_id, e) ||
	    !json_get_str(body, "title", &out->title, e) ||
	    !json_opt_bool(body, "shared", &out->shared, e))
		return false;
	if (!uuid_valid(out->message_id))
		return err_set(e, ERR_INPUT, "message_id: must be a UUID");
	if (strlen(out->view_id) > VIEW_ID_BYTES_MAX)
		return err_set(e, ERR_INPUT, "view_id: must have at most %d bytes",
			       VIEW_ID_BYTES_MAX);
	return (*out->title &&
		utf8_count(out->title, strlen(out->title)) <= TITLE_EDIT_CHARS_MAX) ||
	       err_set(e, ERR_INPUT, "title: must have 1 to %d characters", TITLE_EDIT_CHARS_MAX);
}

static void on_saved(void *owner, const struct saved_view *views, size_t count, const struct err *e)
{
	struct request *r = owner;

	(void)count;
	r->op = NULL;
	if (e && e->code == ERR_LIMIT) {
		reply_problem(r, CODE_INVALID, e->text);
	} else if (e) {
		reply_err(r, e);
	} else {
		reply_header(r, "Location",
			     arena_printf(r->arena, "/api/v1/saved-views/%s", views[0].saved_id));
		reply_json(r, 201, saved_json(r, &views[0]));
	}
}

/* The call that produced a data view of the message; NULL when it cannot be run again. */
static const json_t *call_of(struct request *r, const struct message *m, const char *view_id)
{
	const json_t *view = view_find(store_text_json(m->texts.views, r->arena), view_id, "data");
	const json_t *call =
		view ? view_call_find(store_text_json(m->texts.tool_calls, r->arena), view) : NULL;

	return call && turns_can_repeat_call(r->transport->options.turns, r->who->tenant, call)
		       ? call
		       : NULL;
}

static void on_message(void *owner, const struct message *messages, size_t count, bool has_more,
		       const struct err *e)
{
	struct request *r = owner;
	const json_t *call;
	struct save_request save_request;
	struct err parse_err;
	char *text;

	(void)has_more;
	if (reply_failed(r, e))
		return;
	if (!save_request_parse(r->body, &save_request, &parse_err) || count != 1 ||
	    !(call = call_of(r, &messages[0], save_request.view_id))) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	text = json_text(call);
	r->op = store_saved_add(r->transport->options.store, r->who,
				&(struct saved_view){.saved_id = uuid_new().text,
						     .shared = save_request.shared,
						     .title = save_request.title,
						     .message_id = save_request.message_id,
						     .view_id = save_request.view_id,
						     .call = arena_strdup(r->arena, text)},
				r->arena, on_saved, r);
	mem_free(text);
}

void on_post_saved_view(struct request *r)
{
	struct save_request save_request;
	struct err e;

	if (!save_request_parse(r->body, &save_request, &e))
		reply_invalid(r, &e);
	else
		r->op = store_message(r->transport->options.store, r->who, save_request.message_id,
				      r->arena, on_message, r);
}

void on_delete_saved_view(struct request *r)
{
	if (!uuid_valid(r->params[0]))
		reply_problem(r, CODE_NOT_FOUND, NULL);
	else
		r->op = store_saved_delete(r->transport->options.store, r->who, r->params[0],
					   reply_done, r);
}
