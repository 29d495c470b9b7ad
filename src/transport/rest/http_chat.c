/*
 * Questions over HTTP: turns like those of WebSocket, read from the same logs, either collected
 * into one answer or streamed as events. A client that disconnects only stops watching; the turn
 * decides whether to continue.
 */
#include "http_chat.h"
#include "http_route.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "http/idempotency.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"
#include "vesper/wire.h"
#include "ws/client_frame.h"
#include "ws/ws.h"

#define FILL_BYTES 65536 /* about the size of a socket's buffer */

struct chat_call {
	struct request *request;
	struct client_frame message; /* texts belong to the request's body */
	char session_id[UUID_BYTES];
	struct answer_form form;
	struct wire_reader *events; /* streaming */
	bool opened;                /* the opening of the stream was sent */
	bool revoked;               /* the token was revoked: the stream ends with that error */
	struct stream_watch *watch; /* collecting */
	struct wire_response *response;
};

static void call_free(void *task)
{
	struct chat_call *call = task;

	wire_reader_free(&call->events);
	stream_watch_free(&call->watch);
	wire_response_free(&call->response);
	mem_free(call);
}

/* Cancels a turn without other watchers. */
static void call_revoked(void *task)
{
	struct chat_call *call = task;
	struct request *r = call->request;
	struct stream_log *log = call->events  ? wire_log(call->events)
				 : call->watch ? stream_watch_log(call->watch)
					       : NULL;
	char turn_id[UUID_BYTES] = "";

	if (log && stream_watchers(log) == 1 && !stream_is_closed(log))
		memcpy(turn_id, stream_turn_id(log), UUID_BYTES);
	call->revoked = true;
	stream_watch_free(&call->watch);
	if (*turn_id)
		turn_cancel(r->transport->options.turns, turn_id, r->who, CANCEL_UNWATCHED, NULL,
			    NULL);
	if (call->events)
		reply_stream_wake(r);
	else
		reply_problem(r, CODE_UNAUTHORIZED, PROBLEM_REVOKED);
}

static struct chat_call *call_new(struct request *r, const struct answer_form *form)
{
	struct chat_call *call = mem_alloc(sizeof(*call));

	call->request = r;
	call->form = *form;
	r->task = call;
	r->task_free = call_free;
	r->task_revoked = call_revoked;
	return call;
}

/* ---- As events ---- */

static bool on_fill(void *task, struct buf *out)
{
	struct chat_call *call = task;
	struct str item;

	if (!call->opened && call->form.opening)
		buf_str(out, call->form.opening);
	call->opened = true;
	if (call->revoked) {
		wire_fail(call->events, code_row(CODE_DENIED)->wire, PROBLEM_REVOKED, &item);
		buf_add(out, item.p, item.n);
		return false;
	}
	while (out->n < FILL_BYTES && wire_next(call->events, false, &item))
		buf_add(out, item.p, item.n);
	return !wire_is_at_end(call->events);
}

static void on_stream_wake(void *owner)
{
	struct chat_call *call = owner;

	reply_stream_wake(call->request);
}

static void call_stream(struct chat_call *call, struct stream_log *log, uint64_t after)
{
	call->events = wire_reader_new(log, call->form.stream, after, on_stream_wake, call);
	if (after == 0)
		wire_reader_set_head(call->events, &call->form.head);
	reply_header(call->request, "Vesper-Turn", stream_turn_id(log));
	reply_header(call->request, "Vesper-Session", stream_session_id(log));
	reply_stream(call->request, on_fill);
}

void chat_follow(struct request *r, struct stream_log *log, const struct answer_form *form,
		 uint64_t after)
{
	call_stream(call_new(r, form), log, after);
}

/* ---- As one answer ---- */

/* Adds the members of the turn's last frame to those of the problem. */
static void call_problem(struct request *r, const struct stream_log *log,
			 const struct wire_problem *problem)
{
	enum code p = code_of_wire(problem->code);
	json_t *body = problem_json(p, problem->message, r->path, r->request_id);

	json_set_str(body, "turn_id", stream_turn_id(log));
	json_set_str(body, "session_id", stream_session_id(log));
	r->reply.retry_after_s = (int)((problem->retry_after_ms + 999) / 1000);
	reply_problem_json(r, p, body, problem->members);
}

static bool write_response(const struct chat_call *call, const struct stream_log *log,
			   struct buf *out)
{
	if (call->form.write_response)
		return call->form.write_response(log, &call->form.head, out);
	if (!wire_response_ok(call->response))
		return false;
	wire_response_write(call->response, log, out);
	return true;
}

static void call_answer(struct chat_call *call)
{
	const struct stream_log *log = stream_watch_log(call->watch);
	struct request *r = call->request;
	struct buf answer;

	buf_init(&answer, SIZE_MAX / 2); /* limited by the size of a log */
	if (write_response(call, log, &answer)) {
		reply_header(r, "Vesper-Turn", stream_turn_id(log));
		reply_header(r, "Vesper-Session", stream_session_id(log));
		reply_bytes(r, 200, "application/json", buf_text(&answer), answer.n);
	} else {
		const struct wire_problem problem = wire_response_problem(call->response);

		call_problem(r, log, &problem);
	}
	buf_deinit(&answer);
}

static void on_collect_wake(void *owner)
{
	struct chat_call *call = owner;
	const struct stream_entry *entry;
	bool ended;

	while ((entry = stream_read(call->watch)))
		wire_response_add(call->response, entry->event);
	ended = stream_watch_is_at_end(call->watch);
	if (ended && !call->request->gone) {
		call_answer(call);
		stream_watch_free(&call->watch);
	}
}

static void call_collect(struct chat_call *call, struct stream_log *log)
{
	call->response = wire_response_new();
	call->watch = stream_watch_new(log, 0, on_collect_wake, call);
}

/* ---- Starting a turn ---- */

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct chat_call *call = owner;
	struct request *r = call->request;

	r->op = NULL;
	if (e)
		reply_err(r, e);
	else if (call->form.stream)
		call_stream(call, log, 0);
	else
		call_collect(call, log);
}

void chat_start(struct request *r, const struct turn_request *turn, const struct answer_form *form)
{
	r->op = turn_start(r->transport->options.turns, turn, on_started, call_new(r, form));
}

static void call_begin(struct chat_call *call)
{
	struct request *r = call->request;
	const struct turn_request request = {
		.who = r->who,
		.session_id = call->session_id,
		.content = call->message.content,
		.client_msg_id = call->message.client_msg_id,
		.filters = call->message.filters,
	};

	r->op = turn_start(r->transport->options.turns, &request, on_started, call);
}

static void on_session(void *owner, const struct session *session, const struct err *e)
{
	struct chat_call *call = owner;
	struct request *r = call->request;

	(void)session;
	r->op = NULL;
	if (ws_server_has_session(r->transport->ws, r->who, call->session_id, e))
		call_begin(call);
	else
		reply_err(r, e);
}

/* Early clients send `message` instead of `content`. */
static bool parse_call(json_t *body, bool has_session, struct client_frame *out, struct err *e)
{
	static const char *const names[] = {"content", "message",    "client_msg_id",
					    "filters", "session_id", NULL};
	static const char *const in_session[] = {"content", "message", "client_msg_id", "filters",
						 NULL};
	json_t *message = json_object_get(body, "message");

	if (!json_check_members(body, has_session ? in_session : names, e))
		return false;
	if (message && json_object_get(body, "content"))
		return err_set(e, ERR_INPUT,
			       "message: is an alias of content. Send only one of them");
	if (message) {
		json_object_set(body, "content", message);
		json_object_del(body, "message");
	}
	return wire_parse_message(body, out, e);
}

static const char *new_session_id(const struct request *r)
{
	const char *id = idempotency_id(r, "session");

	return id ? id : arena_strdup(r->arena, uuid_new().text);
}

static const struct answer_form as_events = {.stream = &wire_sse, .opening = SSE_OPENING};
static const struct answer_form as_one = {0};

static void chat(struct request *r, const char *session_id, const struct answer_form *form)
{
	struct chat_call *call = call_new(r, form);
	struct err e;

	if (!parse_call(r->body, session_id != NULL, &call->message, &e)) {
		reply_invalid(r, &e);
		return;
	}
	if (!session_id)
		session_id = call->message.session_id;
	if (session_id && !uuid_valid(session_id)) {
		reply_problem(r, CODE_NOT_FOUND, NULL);
		return;
	}
	if (!call->message.client_msg_id)
		call->message.client_msg_id = idempotency_id(r, "message");
	memcpy(call->session_id, session_id ? session_id : new_session_id(r), UUID_BYTES);
	if (session_id)
		r->op = store_session(r->transport->options.store, r->who, call->session_id,
				      r->arena, on_session, call);
	else
		call_begin(call);
}

void on_post_chat(struct request *r)
{
	chat(r, NULL, &as_one);
}

void on_post_chat_stream(struct request *r)
{
	chat(r, NULL, &as_events);
}

void on_post_session_message(struct request *r)
{
	chat(r, r->params[0], &as_one);
}

/* ---- Existing turns ---- */

bool chat_cancel(struct request *r)
{
	const struct chat_call *call = r->task_free == call_free ? r->task : NULL;
	const struct stream_log *log = NULL;

	if (call && call->events)
		log = wire_log(call->events);
	else if (call && call->watch)
		log = stream_watch_log(call->watch);
	if (log)
		turn_cancel(r->transport->options.turns, stream_turn_id(log), r->who, CANCEL_USER,
			    NULL, NULL);
	return log;
}

static bool parse_seq(const char *text, uint64_t *out)
{
	char *end;

	if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18)
		return false;
	*out = strtoull(text, &end, 10);
	return true;
}

/* A browser that reconnects repeats the address and adds the header, so the header is newer. */
static bool requested_seq(const struct request *r, uint64_t *out)
{
	const char *text = request_header(r, "Last-Event-ID");

	if (!text)
		text = request_query(r, "after");
	*out = 0;
	return !text || parse_seq(text, out);
}

static void on_events_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct request *r = owner;
	uint64_t after;

	r->op = NULL;
	if (e && e->code == ERR_NOT_FOUND)
		reply_problem(r, CODE_EXPIRED, PROBLEM_EXPIRED_LOG);
	else if (e)
		reply_err(r, e);
	else if (!requested_seq(r, &after) || !wire_can_resume(log, &wire_sse, after))
		reply_problem(r, CODE_BAD_FRAME,
			      "after: not an event number of this turn. Read the events from 0.");
	else if (stream_is_closed(log) && after == wire_items(log, &wire_sse))
		reply_empty(r, 204); /* makes an EventSource stop reconnecting */
	else
		chat_follow(r, log, &as_events, after);
}

static bool is_behind(void *owner, const struct stream_log *log)
{
	const struct request *r = owner;
	uint64_t after;

	return requested_seq(r, &after) && wire_is_behind(log, &wire_sse, after);
}

void chat_events(struct request *r, const char *id)
{
	r->op = stream_find(r->transport->options.streams, id, r->who, is_behind, on_events_found,
			    r);
}

void on_get_turn_events(struct request *r)
{
	chat_events(r, r->params[0]);
}

/* A finished turn has nothing to cancel. */
static void on_finished_found(void *owner, struct stream_log *log, const struct err *e)
{
	struct request *r = owner;

	(void)log;
	if (!reply_failed(r, e))
		reply_empty(r, 204);
}

static void on_cancelled(void *owner, bool found)
{
	struct request *r = owner;

	r->op = NULL;
	if (found)
		reply_empty(r, 204);
	else
		r->op = stream_find(r->transport->options.streams, r->params[0], r->who, NULL,
				    on_finished_found, r);
}

void on_delete_turn(struct request *r)
{
	r->op = turn_cancel(r->transport->options.turns, r->params[0], r->who, CANCEL_USER,
			    on_cancelled, r);
}
