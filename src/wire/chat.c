/* Chat frames of /ws/v1/chat. Tokens are the most frequent and use the shortest path. */
#include "projection.h"
#include "vesper/wire.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *wire_chat_type(enum event_kind kind)
{
	static const char *const types[EVENT_KIND_COUNT] = {
		[EVENT_RUN_STARTED] = "chat.thinking",
		[EVENT_STATUS] = "chat.status",
		[EVENT_FILTERS] = "chat.filters",
		[EVENT_PLAN] = "chat.plan",
		[EVENT_STEP_STARTED] = "chat.status",
		[EVENT_STEP_FINISHED] = "chat.status",
		[EVENT_TEXT_DELTA] = "chat.token",
		[EVENT_VIEW] = "chat.view",
		[EVENT_ASK] = "chat.ask",
		[EVENT_RUN_FINISHED] = "chat.complete",
		[EVENT_ERROR] = "chat.error",
	};

	assert(kind < EVENT_KIND_COUNT);
	return types[kind];
}

void mark_ref(struct json_out *j, const struct event_mark *m)
{
	if (!m->has_ref)
		return;
	jo_key(j, "ref");
	jo_object(j);
	jo_set_str(j, "call", m->call);
	if (m->row >= 0)
		jo_set_int(j, "row", m->row);
	jo_set_str(j, "column", m->column);
	jo_set_str(j, "formula", m->formula);
	jo_object_end(j);
}

struct json_out data_open(struct buf *out, const char *type)
{
	struct json_out j;

	buf_str(out, "data: ");
	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "type", type);
	return j;
}

void data_close(struct json_out *j)
{
	jo_object_end(j);
	buf_str(j->out, "\n\n");
}

void mark_at(struct json_out *j, const struct event_mark *m)
{
	jo_object(j);
	jo_set_int(j, "start", (int64_t)m->at);
	jo_set_int(j, "len", (int64_t)m->len);
	jo_set_str(j, "kind", m->kind);
	jo_set_str(j, "why", m->why);
	if (m->n > 0)
		jo_set_int(j, "n", m->n);
	mark_ref(j, m);
	jo_object_end(j);
}

static void mark_members(struct json_out *j, const struct event_mark *m)
{
	jo_key(j, "mark");
	jo_object(j);
	jo_set_str(j, "kind", m->kind);
	jo_set_str(j, "why", m->why);
	jo_set_int(j, "start", (int64_t)m->start);
	jo_set_int(j, "len", (int64_t)m->len);
	if (m->n > 0)
		jo_set_int(j, "n", m->n);
	mark_ref(j, m);
	jo_object_end(j);
}

static void step_started_members(struct json_out *j, const struct event_step_started *s)
{
	jo_set_str(j, "phase", "running");
	jo_set_str(j, "item_id", s->step_id);
	jo_set_str(j, "state", "started");
	jo_set_str(j, "agent", s->agent);
	jo_set_str(j, "tool", s->tool);
	jo_set_str(j, "task", s->task);
	jo_set_str(j, "parent", s->parent);
	jo_set_str(j, "text", s->text);
}

static void step_finished_members(struct json_out *j, const struct event_step_finished *s)
{
	jo_set_str(j, "phase", "running");
	jo_set_str(j, "item_id", s->step_id);
	jo_set_str(j, "state", s->state);
	jo_set_str(j, "agent", s->agent);
	jo_set_str(j, "tool", s->tool);
	jo_set_str(j, "task", s->task);
	jo_set_str(j, "parent", s->parent);
	jo_set_str(j, "outcome", s->outcome);
	if (s->rows >= 0)
		jo_set_int(j, "rows", s->rows);
	jo_set_str(j, "text", s->text);
}

struct str sources_of(const struct event_run_finished *f)
{
	struct str sources;

	return f->checked.p && json_member(f->checked, "sources", &sources) ? sources
									    : (struct str){0};
}

bool next_source(struct str *rest, struct str *source, char urn[URN_BYTES])
{
	struct str uid, start, end;

	while (json_item_next(rest, source)) {
		if (!json_member(*source, "uid", &uid) || !json_member(*source, "start", &start) ||
		    !json_member(*source, "end", &end))
			continue;
		uid = json_inside(uid);
		snprintf(urn, URN_BYTES, "urn:uuid:%.*s#%.*s-%.*s", STR_FMT(uid), STR_FMT(start),
			 STR_FMT(end));
		return true;
	}
	return false;
}

void finished_members(struct json_out *j, const struct event_run_finished *f)
{
	jo_set_str(j, "status", f->status);
	jo_set_str(j, "provider", f->provider);
	jo_set_str(j, "model", f->model);
	jo_set_raw(j, "pbi_deep_links", f->links);
	jo_set_raw(j, "suggestions", f->suggestions);
	jo_set_raw(j, "usage", f->usage);
	jo_set_raw(j, "checked", f->checked);
	jo_set_raw(j, "sources", sources_of(f));
	jo_set_raw(j, "outcomes", f->outcomes);
	jo_set_raw(j, "tasks", f->tasks);
	jo_set_str(j, "receipt_id", f->receipt_id);
	jo_set_raw(j, "approved", f->approved);
	jo_set_int(j, "latency_ms", f->latency_ms);
	jo_set_raw(j, "error", f->error);
}

void error_members(struct json_out *j, const struct event_error *e)
{
	jo_set_str(j, "message", e->message);
	jo_set_bool(j, "retryable", e->retryable);
	if (e->retry_after_ms > 0)
		jo_set_int(j, "retry_after_ms", e->retry_after_ms);
	jo_set_raw(j, "suggestions", e->suggestions);
	if (e->detail_turn_id) {
		jo_key(j, "details");
		jo_object(j);
		jo_set_str(j, "turn_id", e->detail_turn_id);
		jo_object_end(j);
	}
	jo_set_raw(j, "view", e->view);
}

bool newest_event(const struct wire_at *at, enum event_kind kind, struct event *out)
{
	for (uint64_t seq = stream_last_seq(at->log); seq > 0; seq--)
		if (stream_kind(at->log, seq) == kind) {
			stream_event(at->log, seq, out);
			return true;
		}
	return false;
}

bool is_view(struct str view, const char *type)
{
	struct str value;

	return json_member(view, "view_type", &value) && value.n == strlen(type) + 2 &&
	       strncmp(value.p + 1, type, strlen(type)) == 0;
}

void renamed_members(struct json_out *j, struct str object, const struct renamed *list,
		     size_t count)
{
	struct str value;

	for (size_t i = 0; object.p && i < count; i++)
		if (json_member(object, list[i].from, &value))
			jo_set_raw(j, list[i].name, value);
}

void plan_view(struct json_out *j, const struct event_plan *plan)
{
	jo_object(j);
	jo_set_str(j, "view_type", "plan");
	jo_set_str(j, "view_id", "plan-v1");
	jo_set_str(j, "text", "");
	jo_raw(j, json_inside(plan->body));
	jo_object_end(j);
}

void ask_view(struct json_out *j, const struct event_ask *ask)
{
	jo_object(j);
	jo_set_str(j, "view_type", "selection");
	jo_set_str(j, "view_id", "ask-v1");
	jo_set_str(j, "text", ask->prompt);
	jo_raw(j, json_inside(ask->body));
	jo_object_end(j);
}

void chat_members(struct json_out *j, const struct event *e)
{
	switch (e->kind) {
	case EVENT_RUN_STARTED:
		jo_set_str(j, "user_message_id", e->u.run_started.user_message_id);
		jo_set_str(j, "client_msg_id", e->u.run_started.client_msg_id);
		break;
	case EVENT_STATUS:
		jo_set_str(j, "phase", e->u.status.phase);
		jo_set_str(j, "text", e->u.status.text);
		break;
	case EVENT_FILTERS:
		jo_set_raw(j, "filters", e->u.filters.filters);
		break;
	case EVENT_PLAN:
		jo_raw(j, json_inside(e->u.plan.body));
		break;
	case EVENT_STEP_STARTED:
		step_started_members(j, &e->u.step_started);
		break;
	case EVENT_STEP_FINISHED:
		step_finished_members(j, &e->u.step_finished);
		break;
	case EVENT_TEXT_DELTA:
		jo_key(j, "token");
		jo_str(j, e->u.text_delta.text);
		if (e->u.text_delta.marked)
			mark_members(j, &e->u.text_delta.mark);
		break;
	case EVENT_VIEW:
		jo_set_raw(j, "view", e->u.view.view);
		jo_set_str(j, "agent", e->u.view.agent);
		jo_set_str(j, "task", e->u.view.task);
		break;
	case EVENT_ASK:
		jo_raw(j, json_inside(e->u.ask.body));
		break;
	case EVENT_RUN_FINISHED:
		jo_set_str(j, "session_id", e->u.run_finished.session_id);
		jo_set_str(j, "message_id", e->u.run_finished.message_id);
		finished_members(j, &e->u.run_finished);
		break;
	case EVENT_ERROR:
		jo_set_str(j, "code", e->u.error.code);
		error_members(j, &e->u.error);
		break;
	case EVENT_STAGE_STARTED: /* no frames */
	case EVENT_STAGE_FINISHED:
	case EVENT_USAGE:
	case EVENT_KIND_COUNT:
		break;
	}
}

void chat_frame(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct json_out j;

	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "type", wire_chat_type(e->kind));
	jo_set_str(&j, "turn_id", at->turn_id);
	jo_set_int(&j, "seq", (int64_t)at->frame);
	if (at->first < at->seq)
		jo_set_int(&j, "seq_first", (int64_t)(at->frame - (at->seq - at->first)));
	chat_members(&j, e);
	jo_object_end(&j);
}

const struct projection wire_chat = {
	.name = "chat",
	.items = CHAT_ITEMS,
	.event = chat_frame,
};
