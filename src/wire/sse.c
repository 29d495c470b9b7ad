/*
 * Server-sent events of a turn's log: one per event, with the item's number as id. The event stream
 * is organized in turns, items and deltas. Events with a chat frame also include the frame and its
 * number, so that clients of frames need nothing else.
 */
#include "projection.h"
#include "vesper/clock.h"
#include "vesper/wire.h"

#include <inttypes.h>
#include <string.h>

static const char *event_type(enum event_kind kind)
{
	static const char *const types[EVENT_KIND_COUNT] = {
		[EVENT_RUN_STARTED] = "turn.started",
		[EVENT_STATUS] = "progress.update",
		[EVENT_FILTERS] = "progress.update",
		[EVENT_PLAN] = "progress.update",
		[EVENT_STEP_STARTED] = "item.started",
		[EVENT_STEP_FINISHED] = "item.completed",
		[EVENT_STAGE_STARTED] = "item.started",
		[EVENT_STAGE_FINISHED] = "item.completed",
		[EVENT_USAGE] = "token.count",
		[EVENT_TEXT_DELTA] = "item.updated",
		[EVENT_VIEW] = "response",
		[EVENT_ASK] = "response",
		[EVENT_RUN_FINISHED] = "turn.completed",
		[EVENT_ERROR] = "turn.failed",
	};

	return types[kind];
}

/* The item type for the kind of a step or stage. */
static const char *item_type(const char *kind)
{
	static const struct {
		const char *kind, *type;
	} types[] = {
		{"tool", "sql_execution"},
		{"document", "doc_retrieval"},
		{"guardrail", "guardrail_check"},
		{"chart", "chart_generation"},
	};

	for (size_t i = 0; kind && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].kind, kind) == 0)
			return types[i].type;
	return "reasoning";
}

static void item_head(struct json_out *j, const char *id, const char *kind, const char *text,
		      const char *status)
{
	jo_key(j, "item");
	jo_object(j);
	jo_set_str(j, "id", id);
	jo_set_str(j, "type", item_type(kind));
	jo_set_str(j, "description", text);
	jo_set_str(j, "status", status);
}

static void add_started(struct json_out *j, const struct event_step_started *s)
{
	item_head(j, s->step_id, s->kind, s->text, "in_progress");
	jo_object_end(j);
}

static void add_finished(struct json_out *j, const struct event_step_finished *s)
{
	item_head(j, s->step_id, s->kind, s->text, s->state);
	jo_key(j, "output");
	jo_object(j);
	jo_set_str(j, "outcome", s->outcome);
	if (s->rows >= 0)
		jo_set_int(j, "rows", s->rows);
	jo_object_end(j);
	jo_object_end(j);
}

static void add_stage_started(struct json_out *j, const struct event_stage_started *s)
{
	item_head(j, s->step_id, s->kind, s->text, "in_progress");
	jo_object_end(j);
}

static void add_stage_finished(struct json_out *j, const struct event_stage_finished *s)
{
	item_head(j, s->step_id, s->kind, s->text, s->state);
	jo_set_raw(j, "output", s->output);
	jo_object_end(j);
}

static void add_usage(struct json_out *j, const struct event_usage *u)
{
	jo_set_str(j, "role", u->role);
	jo_set_bool(j, "estimate", u->estimate);
	jo_set_int(j, "budget", u->budget);
	jo_set_int(j, "used", u->used);
	jo_set_raw(j, "by", u->by);
	if (u->estimate)
		return;
	jo_set_int(j, "output", u->output);
	jo_set_str(j, "model", u->model);
}

static void add_delta(struct json_out *j, struct str text)
{
	jo_key(j, "item");
	jo_raw(j, STR("{\"type\":\"message\"}"));
	jo_key(j, "delta");
	jo_str(j, text);
}

/* The response is a complete view, for clients that did not keep earlier events. */
static void add_completed(struct json_out *j, const struct event *e, struct str text)
{
	jo_key(j, "response");
	jo_object(j);
	jo_set_str(j, "view_type", "base");
	jo_key(j, "text");
	jo_str(j, text);
	chat_members(j, e);
	jo_object_end(j);
	jo_set_raw(j, "usage", e->u.run_finished.usage);
}

static void add_members(struct json_out *j, const struct wire_at *at, const struct event *e)
{
	switch (e->kind) {
	case EVENT_STEP_STARTED:
		add_started(j, &e->u.step_started);
		break;
	case EVENT_STEP_FINISHED:
		add_finished(j, &e->u.step_finished);
		break;
	case EVENT_STAGE_STARTED:
		add_stage_started(j, &e->u.stage_started);
		break;
	case EVENT_STAGE_FINISHED:
		add_stage_finished(j, &e->u.stage_finished);
		break;
	case EVENT_USAGE:
		add_usage(j, &e->u.usage);
		break;
	case EVENT_TEXT_DELTA:
		add_delta(j, e->u.text_delta.text);
		break;
	case EVENT_ASK:
		jo_key(j, "view");
		ask_view(j, &e->u.ask);
		break;
	case EVENT_RUN_FINISHED:
		add_completed(j, e, at->text);
		break;
	default:
		chat_members(j, e);
	}
}

static void sse_event(const struct wire_at *at, const struct event *e, struct buf *out)
{
	const char *type = event_type(e->kind);
	char time[CLOCK_RFC3339_BYTES];
	struct json_out j;

	buf_printf(out, "id: %" PRIu64 "\nevent: %s\ndata: ", at->seq, type);
	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "type", type);
	jo_set_str(&j, "turn_id", at->turn_id);
	jo_set_str(&j, "thread_id", at->session_id);
	jo_set_int(&j, "seq", (int64_t)at->seq);
	clock_rfc3339(e->at_ms, time);
	jo_set_str(&j, "timestamp", time);
	add_members(&j, at, e);
	if (wire_chat.items[e->kind]) {
		jo_key(&j, "frame");
		chat_frame(at, e, out);
	}
	jo_object_end(&j);
	buf_str(out, "\n\n");
}

#define SSE_ITEMS                                                                                  \
	{                                                                                          \
		[EVENT_RUN_STARTED] = 1, [EVENT_STATUS] = 1, [EVENT_FILTERS] = 1,                  \
		[EVENT_PLAN] = 1, [EVENT_STEP_STARTED] = 1, [EVENT_STEP_FINISHED] = 1,             \
		[EVENT_STAGE_STARTED] = 1, [EVENT_STAGE_FINISHED] = 1, [EVENT_USAGE] = 1,          \
		[EVENT_TEXT_DELTA] = 1, [EVENT_VIEW] = 1, [EVENT_ASK] = 1,                         \
		[EVENT_RUN_FINISHED] = 1, [EVENT_ERROR] = 1,                                       \
	}

const struct projection wire_sse = {
	.name = "sse",
	.items = SSE_ITEMS,
	.event = sse_event,
};
