/*
 * Scripted replacements for everything that the port calls: turns whose question is a command, and
 * a store with one session. They allow tests with real sockets, without a database or model.
 *
 * tokens N [BYTES]: N tokens at once, then complete.
 * paced N MS: a token every MS milliseconds.
 * view: a data view, then complete.
 * hang: sends "…" and waits to be cancelled.
 * fail CODE: chat.error with this code.
 * Other questions: repeated as one token.
 */
#ifndef PORT_STUB_H
#define PORT_STUB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/store_report.h"
#include "vesper/store_saved.h"
#include "emit.h"
#include "vesper/clock.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/jwt.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/transport.h"
#include "vesper/uuid.h"

#define STUB_SECRET      "a secret of thirty-two bytes: pL4nt3d5ecret"
#define STUB_PER_ADDRESS 100
#define STUB_SESSION     "0193b0a0-0000-7000-8000-000000000001"

struct turns {
	struct loop *loop;
	struct stream_hub *hub;
	struct list running;
	int cancels[4];
	struct turn_knowledge knowledge;
};

struct stub_turn {
	struct list node;
	struct turns *turns;
	struct stream_log *log;
	char turn_id[UUID_BYTES];
	char session_id[UUID_BYTES];
	char *client_msg_id;
	int tokens_left;
	int interval_ms;
	struct timer *timer;
};

static void stub_complete(struct stub_turn *t, const char *status)
{
	struct uuid message = uuid_new();

	event_emit(stream_sink(t->log), &(struct event){.kind = EVENT_RUN_FINISHED,
							.u.run_finished = {
								.session_id = t->session_id,
								.message_id = message.text,
								.status = status,
								.provider = "stub",
								.usage = STR("{\"calls\":0}"),
							}});
}

static void stub_turn_end(struct stub_turn *t)
{
	list_remove(&t->node);
	stream_release(&t->log);
	timer_free(&t->timer);
	mem_free(t->client_msg_id);
	mem_free(t);
}

static void on_stub_timer(void *owner)
{
	struct stub_turn *t = owner;

	if (t->tokens_left-- > 0) {
		emit_text(t->log, "tick ");
		timer_start(t->timer, (uint64_t)t->interval_ms);
		return;
	}
	stub_complete(t, "ok");
	stub_turn_end(t);
}

static void stub_tokens(struct stub_turn *t, int count, int bytes)
{
	char text[4097];

	memset(text, 'x', sizeof(text));
	text[bytes > 0 ? bytes : 4] = '\0';
	for (int i = 0; i < count; i++)
		emit_text(t->log, text);
}

static void stub_answer(struct stub_turn *t, const char *content)
{
	char code[32];
	int a = 0;
	int b = 0;

	if (strcmp(content, "hang") == 0) {
		emit_text(t->log, "…");
		return;
	}
	if (sscanf(content, "paced %d %d", &a, &b) == 2) {
		t->tokens_left = a;
		t->interval_ms = b;
		timer_start(t->timer, (uint64_t)b);
		return;
	}
	if (sscanf(content, "fail %31s", code) == 1) {
		emit_error(t->log, code, "As asked.");
		stub_turn_end(t);
		return;
	}
	if (sscanf(content, "tokens %d %d", &a, &b) >= 1)
		stub_tokens(t, a, b);
	else if (strcmp(content, "view") == 0)
		emit_view(t->log, "v1",
			  "{\"view_type\":\"data\",\"view_id\":\"v1\",\"row_count\":1}");
	else
		emit_text(t->log, content);
	stub_complete(t, "ok");
	stub_turn_end(t);
}

static struct stub_turn *stub_find(const struct turns *t, const char *turn_id,
				   const char *session_id)
{
	list_each(node, &t->running) {
		struct stub_turn *turn = list_item(node, struct stub_turn, node);

		if ((turn_id && strcmp(turn->turn_id, turn_id) == 0) ||
		    (session_id && strcmp(turn->session_id, session_id) == 0))
			return turn;
	}
	return NULL;
}

/* A request to the turns, answered from the loop. */
struct stub_request {
	struct op op;
	struct deferred deferred;
	struct turns *turns;
	struct turn_request request;
	turn_started_cb on_started;
	bool found;
	turn_found_cb on_found;
	char turn_id[UUID_BYTES];
	turn_id_cb on_id;
	void *owner;
};

static void on_stub_request_cancel(struct op *op)
{
	struct stub_request *x = list_item(op, struct stub_request, op);

	deferred_cancel(&x->deferred);
	mem_free(x);
}

static struct stream_log *stub_start(struct turns *t, const struct turn_request *request,
				     struct err *e)
{
	struct stub_turn *turn = stub_find(t, NULL, request->session_id);
	struct uuid user_message;

	if (turn && request->client_msg_id && turn->client_msg_id &&
	    strcmp(turn->client_msg_id, request->client_msg_id) == 0)
		return turn->log;
	if (turn) {
		err_set_retry(e, ERR_BUSY, "a turn of this session is running");
		return NULL;
	}
	turn = mem_alloc(sizeof(*turn));
	turn->turns = t;
	memcpy(turn->turn_id, uuid_new().text, UUID_BYTES);
	memcpy(turn->session_id, request->session_id, UUID_BYTES);
	turn->client_msg_id = mem_strdup(request->client_msg_id);
	turn->timer = timer_new(t->loop, on_stub_timer, turn);
	turn->log = stream_open(t->hub, turn->turn_id, turn->session_id, request->who, NULL, NULL);
	list_append(&t->running, &turn->node);
	user_message = uuid_new();
	event_emit(stream_sink(turn->log),
		   &(struct event){.kind = EVENT_RUN_STARTED,
				   .u.run_started = {.user_message_id = user_message.text,
						     .client_msg_id = request->client_msg_id}});
	return turn->log;
}

static void on_stub_request(void *owner)
{
	struct stub_request x = *(struct stub_request *)owner;
	struct stream_log *log;
	struct err e = {0};
	bool is_new;

	mem_free(owner);
	if (x.on_found) {
		x.on_found(x.owner, x.found);
	} else if (x.on_id) {
		x.on_id(x.owner, *x.turn_id ? x.turn_id : NULL);
	} else {
		is_new = !stub_find(x.turns, NULL, x.request.session_id);
		log = stub_start(x.turns, &x.request, &e);
		if (log && is_new)
			stub_answer(stub_find(x.turns, stream_turn_id(log), NULL),
				    x.request.content ? x.request.content : "selected");
		x.on_started(x.owner, log, log ? NULL : &e);
	}
}

static struct stub_request *stub_request_new(struct turns *t, void *owner)
{
	struct stub_request *x = mem_alloc(sizeof(*x));

	x->op.cancel = on_stub_request_cancel;
	x->turns = t;
	x->owner = owner;
	loop_defer(t->loop, &x->deferred, on_stub_request, x);
	return x;
}

struct op *turn_start(struct turns *t, const struct turn_request *request, turn_started_cb cb,
		      void *owner)
{
	struct stub_request *x = stub_request_new(t, owner);

	x->on_started = cb;
	x->request = *request;
	return &x->op;
}

void turns_evict(struct turns *t, const char *session_id, const struct principal *who)
{
	(void)t;
	(void)session_id;
	(void)who;
}

struct op *turn_cancel(struct turns *t, const char *turn_id, const struct principal *who,
		       enum turn_cancel_reason reason, turn_found_cb cb, void *owner)
{
	struct stub_turn *turn = stub_find(t, turn_id, NULL);
	bool found = turn && stream_find_readable(t->hub, turn_id, who);
	struct stub_request *x;

	if (found) {
		t->cancels[reason]++;
		stub_complete(turn, "cancelled");
		stub_turn_end(turn);
	}
	if (!cb)
		return NULL;
	x = stub_request_new(t, owner);
	x->on_found = cb;
	x->found = found;
	return &x->op;
}

struct op *turn_running(struct turns *t, const char *session_id, const struct principal *who,
			turn_id_cb cb, void *owner)
{
	struct stub_turn *turn = stub_find(t, NULL, session_id);
	struct stub_request *x = stub_request_new(t, owner);

	x->on_id = cb;
	if (turn && stream_find_readable(t->hub, turn->turn_id, who))
		memcpy(x->turn_id, turn->turn_id, UUID_BYTES);
	return &x->op;
}

const struct turn_knowledge *turns_knowledge(const struct turns *t, const char *tenant)
{
	(void)tenant;
	return &t->knowledge;
}

/* The result of a repeated call. NULL: calls cannot be repeated. */
static struct table *stub_table;

bool turns_can_repeat_call(const struct turns *t, const char *tenant, const json_t *call)
{
	(void)t;
	(void)tenant;
	(void)call;
	return stub_table != NULL;
}

struct stub_call {
	struct op op;
	struct deferred deferred;
	tool_cb cb;
	void *owner;
};

static void on_stub_call_cancel(struct op *op)
{
	struct stub_call *c = (struct stub_call *)op;

	deferred_cancel(&c->deferred);
	mem_free(c);
}

static void on_stub_call(void *owner)
{
	struct stub_call c = *(struct stub_call *)owner;
	struct table *tables[] = {stub_table};
	struct result result = {.table_count = 1, .tables = tables};

	mem_free(owner);
	c.cb(c.owner, &result);
}

struct op *turns_repeat_call(struct turns *t, const struct repeat_call *again, struct arena *a,
			     tool_cb cb, void *owner)
{
	struct stub_call *c = mem_alloc(sizeof(*c));

	(void)again;
	(void)a;
	c->op.cancel = on_stub_call_cancel;
	c->cb = cb;
	c->owner = owner;
	loop_defer(t->loop, &c->deferred, on_stub_call, c);
	return &c->op;
}

size_t turns_filter_values(const struct turns *t, const struct principal *who, const char *filter,
			   const char *text, struct arena *a, const struct suggestion **out)
{
	(void)t;
	(void)who;
	(void)filter;
	(void)text;
	(void)a;
	*out = NULL;
	return 0;
}

json_t *turn_case(const char *tenant, const struct message *question, const struct message *answer)
{
	(void)tenant;
	(void)question;
	(void)answer;
	abort();
}

/* ---- The store ---- */

struct op *store_report_usage(struct store *s, const struct principal *who,
			      const struct report_days *days, store_report_cb cb, void *owner)
{
	(void)s;
	(void)who;
	(void)days;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_report_quality(struct store *s, const struct principal *who,
				const struct report_days *days, store_report_cb cb, void *owner)
{
	return store_report_usage(s, who, days, cb, owner);
}

struct stub_lookup {
	struct op op;
	struct deferred deferred;
	bool known;
	store_session_cb session_cb;
	store_sessions_cb sessions_cb;
	store_messages_cb messages_cb;
	void *owner;
};

static void on_stub_cancel(struct op *op)
{
	struct stub_lookup *l = (struct stub_lookup *)op;

	deferred_cancel(&l->deferred);
	mem_free(l);
}

/* The views of the stub's only message; if set, has_more is always true. */
static const char *stub_views;
static const char *stub_calls;

static void on_stub_answer(void *owner)
{
	static const struct session session = {
		STUB_SESSION, "A title",   "2026-02-27T09:00:00.000Z", "2026-02-27T09:00:01.000Z",
		NULL,         STUB_SESSION};
	const struct message message = {.message_id = "0193b0a0-0000-7000-8000-000000000002",
					.session_id = STUB_SESSION,
					.turn_id = "0193b0a0-0000-7000-8000-000000000003",
					.role = "user",
					.content = "Hello",
					.texts = {.views = stub_views, .tool_calls = stub_calls},
					.created_at = "2026-02-27T09:00:00.000Z"};
	struct stub_lookup l = *(struct stub_lookup *)owner;
	struct err e;

	mem_free(owner);
	err_set(&e, ERR_NOT_FOUND, "no such session");
	if (l.session_cb)
		l.session_cb(l.owner, l.known ? &session : NULL, l.known ? NULL : &e);
	else if (l.sessions_cb)
		l.sessions_cb(l.owner, &session, 1, true, NULL);
	else
		l.messages_cb(l.owner, &message, l.known ? 1 : 0, stub_views != NULL,
			      l.known ? NULL : &e);
}

static struct stub_lookup *stub_lookup_new(struct store *s, const char *session_id, void *owner)
{
	struct stub_lookup *l = mem_alloc(sizeof(*l));

	l->op.cancel = on_stub_cancel;
	l->known = session_id && strcmp(session_id, STUB_SESSION) == 0;
	l->owner = owner;
	loop_defer(((struct turns *)s)->loop, &l->deferred, on_stub_answer, l);
	return l;
}

struct op *store_session(struct store *s, const struct principal *who, const char *session_id,
			 struct arena *a, store_session_cb cb, void *owner)
{
	struct stub_lookup *l = stub_lookup_new(s, session_id, owner);

	(void)who;
	(void)a;
	l->session_cb = cb;
	return &l->op;
}

struct op *store_sessions(struct store *s, const struct principal *who,
			  const struct sessions_page *page, struct arena *a, store_sessions_cb cb,
			  void *owner)
{
	struct stub_lookup *l = stub_lookup_new(s, page->after_id, owner);

	(void)who;
	(void)a;
	l->sessions_cb = cb;
	return &l->op;
}

struct op *store_messages(struct store *s, const struct principal *who, const char *session_id,
			  const char *after_id, size_t limit, struct arena *a, store_messages_cb cb,
			  void *owner)
{
	struct stub_lookup *l = stub_lookup_new(s, session_id, owner);

	(void)who;
	(void)after_id;
	(void)limit;
	(void)a;
	l->messages_cb = cb;
	return &l->op;
}

const json_t *store_text_json(const char *text, struct arena *a)
{
	return text ? json_own(a, json_loads(text, 0, NULL)) : NULL;
}

/* No test uses the results of the following functions. */
struct op *store_message(struct store *s, const struct principal *who, const char *message_id,
			 struct arena *a, store_messages_cb cb, void *owner)
{
	(void)message_id;
	return store_messages(s, who, stub_calls ? STUB_SESSION : "", NULL, 1, a, cb, owner);
}

struct op *store_receipts(struct store *s, const char *tenant, const struct receipts_page *page,
			  struct arena *a, store_receipts_cb cb, void *owner)
{
	(void)s;
	(void)tenant;
	(void)page;
	(void)a;
	(void)cb;
	(void)owner;
	return NULL;
}

struct op *store_session_new(struct store *s, const struct principal *who, const char *session_id,
			     const char *title, struct arena *a, store_session_cb cb, void *owner)
{
	(void)title;
	return store_session(s, who, session_id, a, cb, owner);
}

struct op *store_session_edit(struct store *s, const struct principal *who, const char *session_id,
			      const struct session_edit *edit, struct arena *a, store_session_cb cb,
			      void *owner)
{
	(void)edit;
	return store_session(s, who, session_id, a, cb, owner);
}

struct op *store_session_delete(struct store *s, const struct principal *who,
				const char *session_id, store_done_cb cb, void *owner)
{
	(void)s;
	(void)who;
	(void)session_id;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_feedback(struct store *s, const struct principal *who,
			  const struct feedback *feedback, struct arena *a, store_feedback_cb cb,
			  void *owner)
{
	(void)s;
	(void)who;
	(void)feedback;
	(void)a;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_feedback_page(struct store *s, const struct principal *who, const char *rating,
			       const char *after_id, size_t limit, struct arena *a,
			       store_feedback_cb cb, void *owner)
{
	(void)rating;
	(void)after_id;
	(void)limit;
	return store_feedback(s, who, NULL, a, cb, owner);
}

struct op *store_idempotent_begin(struct store *s, const struct principal *who,
				  const char *key_hash, const char *print, const char *request,
				  struct arena *a, store_idempotent_cb cb, void *owner)
{
	(void)s;
	(void)who;
	(void)key_hash;
	(void)print;
	(void)request;
	(void)a;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_idempotent_end(struct store *s, const struct principal *who, const char *request,
				const struct idempotent_answer *answer, store_done_cb cb,
				void *owner)
{
	(void)s;
	(void)who;
	(void)request;
	(void)answer;
	(void)cb;
	(void)owner;
	abort();
}

const char *message_status_name(enum message_status s)
{
	(void)s;
	return "complete";
}

/* Approved answers and tokens are not tested here. */
const char *flow_status_name(enum flow_status s)
{
	(void)s;
	abort();
}

struct op *store_turn_messages(struct store *s, const struct principal *who, const char *message_id,
			       struct arena *a, store_messages_cb cb, void *owner)
{
	return store_message(s, who, message_id, a, cb, owner);
}

struct op *store_own_turn(struct store *s, const struct principal *who, const char *turn_id,
			  struct arena *a, store_messages_cb cb, void *owner)
{
	return store_message(s, who, turn_id, a, cb, owner);
}

struct op *store_flows(struct store *s, const char *tenant, struct arena *a, store_flows_cb cb,
		       void *owner)
{
	(void)s;
	(void)tenant;
	(void)a;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_flow(struct store *s, const struct principal *who, const char *name,
		      struct arena *a, store_flows_cb cb, void *owner)
{
	(void)name;
	return store_flows(s, who->tenant, a, cb, owner);
}

struct op *store_flow_add(struct store *s, const struct principal *who,
			  const struct stored_flow *flow, struct arena *a, store_flows_cb cb,
			  void *owner)
{
	(void)flow;
	return store_flows(s, who->tenant, a, cb, owner);
}

struct op *store_flow_edit(struct store *s, const struct principal *who, const char *name,
			   const struct flow_edit *edit, struct arena *a, store_flows_cb cb,
			   void *owner)
{
	(void)edit;
	return store_flow(s, who, name, a, cb, owner);
}

struct op *store_flow_delete(struct store *s, const struct principal *who, const char *name,
			     store_done_cb cb, void *owner)
{
	(void)cb;
	return store_flow(s, who, name, NULL, NULL, owner);
}

struct op *store_token_find(struct store *s, const char *tenant, const char *hash, struct arena *a,
			    store_tokens_cb cb, void *owner)
{
	(void)s;
	(void)tenant;
	(void)hash;
	(void)a;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_tokens(struct store *s, const struct principal *who, bool all, struct arena *a,
			store_tokens_cb cb, void *owner)
{
	(void)all;
	return store_token_find(s, who->tenant, NULL, a, cb, owner);
}

struct op *store_token_add(struct store *s, const struct principal *who,
			   const struct stored_token *token, struct arena *a, store_tokens_cb cb,
			   void *owner)
{
	(void)token;
	return store_tokens(s, who, false, a, cb, owner);
}

struct op *store_token_delete(struct store *s, const struct principal *who, const char *token_id,
			      bool all, store_done_cb cb, void *owner)
{
	(void)token_id;
	(void)cb;
	return store_tokens(s, who, all, NULL, NULL, owner);
}

void store_token_used(struct store *s, const struct principal *who, const char *token_id)
{
	(void)token_id;
	store_tokens(s, who, false, NULL, NULL, NULL);
}

void store_signed_in(struct store *s, const struct principal *who, const char *permissions)
{
	(void)permissions;
	store_tokens(s, who, false, NULL, NULL, NULL);
}

struct op *store_saved_one(struct store *s, const struct principal *who, const char *saved_id,
			   struct arena *a, store_saved_cb cb, void *owner)
{
	(void)s;
	(void)who;
	(void)saved_id;
	(void)a;
	(void)cb;
	(void)owner;
	abort();
}

struct op *store_saved(struct store *s, const struct principal *who, struct arena *a,
		       store_saved_cb cb, void *owner)
{
	return store_saved_one(s, who, NULL, a, cb, owner);
}

struct op *store_saved_add(struct store *s, const struct principal *who,
			   const struct saved_view *view, struct arena *a, store_saved_cb cb,
			   void *owner)
{
	(void)view;
	return store_saved(s, who, a, cb, owner);
}

struct op *store_saved_delete(struct store *s, const struct principal *who, const char *saved_id,
			      store_done_cb cb, void *owner)
{
	(void)cb;
	return store_saved_one(s, who, saved_id, NULL, NULL, owner);
}

bool flow_approve(const struct catalog *c, const struct approval *from, struct arena *a,
		  const char **text, json_t **warnings, struct err *e)
{
	(void)c;
	(void)from;
	(void)a;
	(void)text;
	(void)warnings;
	(void)e;
	abort();
}

const char *flow_fingerprint(const struct catalog *c, const struct flow_def *f, struct arena *a)
{
	(void)c;
	(void)f;
	(void)a;
	abort();
}

bool flow_read(const struct catalog *c, const char *pack, const char *path, const char *text,
	       struct arena *a, struct flow_def *out, struct err *e)
{
	(void)c;
	(void)pack;
	(void)path;
	(void)text;
	(void)a;
	(void)out;
	(void)e;
	abort();
}

const struct flow_def *catalog_flow(const struct catalog *c, const char *name)
{
	(void)c;
	(void)name;
	abort();
}

const char *catalog_role_of(const struct catalog *c, const struct principal *who)
{
	(void)c;
	(void)who;
	abort();
}

struct catalog *catalog_ref(struct catalog *c)
{
	(void)c;
	abort();
}

void catalog_unref(struct catalog **c)
{
	(void)c;
	abort();
}

bool catalog_allows_step(const struct catalog_view *v, const struct tool_def *tool)
{
	(void)v;
	(void)tool;
	abort();
}

/* ---- The catalogue, for sign-in and tool lists ---- */

bool catalog_has_permission(const struct catalog *c, const char *permission)
{
	(void)c;
	(void)permission;
	return true;
}

const char *catalog_role_name(const struct catalog *c, size_t n)
{
	(void)c;
	return n == 0 ? "viewer" : NULL;
}

const char *const *catalog_role(const struct catalog *c, const char *role)
{
	static const char *const viewer[] = {"chat:use", "chat:read_projects", NULL};

	(void)c;
	return strcmp(role, "viewer") == 0 ? viewer : NULL;
}

void catalog_for(const struct catalog *c, const struct principal *who, struct arena *a,
		 struct catalog_view *out)
{
	(void)c;
	(void)who;
	(void)a;
	*out = (struct catalog_view){0};
}

void catalog_for_all(const struct catalog *c, struct arena *a, struct catalog_view *out)
{
	catalog_for(c, NULL, a, out);
}

const struct tool_def *catalog_tool(const struct catalog *c, const char *name)
{
	(void)c;
	(void)name;
	return NULL;
}

const struct report_def *catalog_report(const struct catalog *c, const char *key)
{
	(void)c;
	(void)key;
	return NULL;
}

const char *catalog_agent_for(const struct catalog *c, const struct tool_def *tool,
			      const struct principal *who, const char *agent)
{
	(void)c;
	(void)tool;
	(void)who;
	return agent;
}

json_t *catalog_tools_json(const struct catalog_view *v)
{
	(void)v;
	return json_array();
}

json_t *catalog_tool_json(const struct catalog_view *v, const char *name)
{
	(void)v;
	(void)name;
	return NULL;
}

json_t *catalog_output_schema(const struct tool_def *t, const struct principal *who)
{
	(void)t;
	(void)who;
	return json_object();
}

const char *tool_about(const struct toolbox *b, const struct tool_def *tool,
		       const struct principal *who, struct arena *a)
{
	(void)b;
	(void)tool;
	(void)who;
	(void)a;
	return "";
}

json_t *catalog_components_json(const struct catalog *c)
{
	(void)c;
	return json_array();
}

json_t *catalog_agents_json(const struct catalog_view *v, const struct principal *who)
{
	(void)v;
	(void)who;
	return json_array();
}

size_t tool_args_check(const struct tool_def *tool, const json_t *args, struct arena *a,
		       struct tool_arg_fault *out, size_t max)
{
	(void)tool;
	(void)args;
	(void)a;
	(void)out;
	(void)max;
	return 0;
}

struct op *turns_call_tool(struct turns *t, const struct tool_call_request *request,
			   struct arena *a, tool_called_cb cb, void *owner)
{
	(void)t;
	(void)request;
	(void)a;
	(void)cb;
	(void)owner;
	return NULL;
}

/* ---- The port with its replacements ---- */

struct stub {
	struct loop *loop;
	struct turns turns;
	struct identity *identity;
	struct transport *transport;
};

static inline bool stub_open(struct stub *s, const char *listen, struct err *e)
{
	static const char *const tenants[] = {"vesper", "acme", NULL};
	static const char *const origins[] = {"https://portal.example", NULL};
	static const char *const none[] = {NULL};
	struct identity_options identity = {
		.jwt = {.hs256_secret = STUB_SECRET, .tenants = tenants, .leeway_s = 1}};
	static struct transport_settings settings = {.public_url = "",
						     .issuer = "",
						     .scopes = none,
						     .base.refs = 1,
						     .origins = origins,
						     .per_address = STUB_PER_ADDRESS};
	struct transport_options options = {.settings = &settings,
					    .sockets = {-1, -1},
					    .listen = listen,
					    .admin_listen = "127.0.0.1:0",
					    .echo = true,
					    .demo = true};

	memset(s, 0, sizeof(*s));
	if (!loop_new(&s->loop, e))
		return false;
	identity.loop = s->loop;
	if (!identity_new(&identity, &s->identity, e))
		return false;
	s->turns.loop = s->loop;
	s->turns.hub = stream_hub_new(s->loop);
	list_init(&s->turns.running);
	options.loop = s->loop;
	options.identity = s->identity;
	options.streams = s->turns.hub;
	options.store = (struct store *)&s->turns;
	options.turns = &s->turns;
	return transport_open(&options, &s->transport, e);
}

static inline void stub_close(struct stub *s)
{
	transport_close(&s->transport);
	while (!list_empty(&s->turns.running)) {
		struct stub_turn *t = list_item(s->turns.running.next, struct stub_turn, node);

		stub_complete(t, "interrupted");
		stub_turn_end(t);
	}
	stream_hub_free(&s->turns.hub);
	identity_free(&s->identity);
	loop_free(&s->loop);
}

static inline char *stub_token(const char *user, const char *const *permissions, size_t count,
			       int64_t lifetime_s)
{
	const struct principal who = {.user = user,
				      .tenant = "vesper",
				      .permissions = permissions,
				      .permission_count = count};
	struct buf token;

	buf_init(&token, TOKEN_BYTES_MAX);
	jwt_mint(&token, &who, clock_now_ms(), lifetime_s, STUB_SECRET);
	return buf_take(&token);
}

#endif
