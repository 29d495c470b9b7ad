/*
 * The two writes of a turn. Conditions are in the statements, not between them: one request is one
 * transaction, so two sockets that send the same message at once can't both get in.
 */
#include "store_int.h"

#include <string.h>

struct accept {
	struct call call;
	const char *message_id;
	store_accept_cb cb;
	void *owner;
};

static void on_accepted(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct accept *a = list_item(c, struct accept, call);
	const struct table *stored = count > 0 ? tables[0] : NULL;
	struct err none = {0};

	if (e) {
		a->cb(a->owner, NULL, e);
	} else if (!stored || stored->row_count == 0) {
		err_set(&none, ERR_NOT_FOUND, "no such session");
		a->cb(a->owner, NULL, &none);
	} else if (strcmp(table_cell(stored, 0, "message_uid"), a->message_id) == 0) {
		a->cb(a->owner, NULL, NULL);
	} else {
		a->cb(a->owner, table_cell(stored, 0, "turn_id"), NULL);
	}
}

static void message_args(struct call *c, const struct message *m)
{
	call_text(c, "message_id", m->message_id);
	call_text(c, "session_id", m->session_id);
	call_text(c, "turn_id", m->turn_id);
	call_text(c, "client_msg_id", m->client_msg_id);
	call_text(c, "role", m->role);
	call_text(c, "content", m->content);
	call_text(c, "status", message_status_name(m->status));
	call_int(c, "token_count", m->token_count);
	call_int(c, "latency_ms", m->latency_ms);
	call_now(c);
}

struct op *store_accept(struct store *s, const struct principal *who, const struct message *m,
			store_accept_cb cb, void *owner)
{
	struct accept *a = call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->message_id = arena_strdup(c->arena, m->message_id);
	a->cb = cb;
	a->owner = owner;
	c->finish = on_accepted;
	message_args(c, m);
	call_text(c, "title", title_of(m->content, c->arena));
	call_add(c, "session_insert");
	call_add(c, "user_message_insert");
	call_add(c, "session_touch");
	call_add(c, "user_message_stored");
	return call_write(c);
}

struct answer {
	struct call call;
	store_done_cb cb;
	void *owner;
};

static void on_answered(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct answer *a = list_item(c, struct answer, call);
	struct err none = {0};

	if (!e && (count == 0 || tables[0]->row_count == 0)) {
		err_set(&none, ERR_NOT_FOUND, "no such session");
		e = &none;
	}
	a->cb(a->owner, e);
}

struct op *store_answer(struct store *s, const struct principal *who, const struct message *m,
			store_done_cb cb, void *owner)
{
	struct answer *a = call_new_for(s, who, sizeof(*a));
	struct call *c = &a->call;

	a->cb = cb;
	a->owner = owner;
	c->finish = on_answered;
	message_args(c, m);
	call_text(c, "intent", m->intent);
	call_text(c, "agents_used", m->agents_used);
	call_text(c, "provider", m->provider);
	call_text(c, "model", m->model);
	call_json(c, "tool_calls", m->tool_calls);
	call_json(c, "views", m->views);
	call_json(c, "pbi_deep_links", m->pbi_deep_links);
	call_json(c, "standing", m->standing);
	call_json(c, "checked", m->checked);
	call_json(c, "pending_ask", m->status == MESSAGE_ASK ? m->standing : NULL);
	call_add(c, "session_answer");
	call_add(c, "answer_insert");
	call_add(c, "answer_stored");
	return call_write(c);
}
