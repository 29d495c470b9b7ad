/*
 * UI message stream of the AI SDK (package `ai`). An unknown part type ends the client's stream, so
 * all our extensions are data-*. A text has one start and one end. Tool parts are dynamic, since
 * the client declares no tools. Steps do not nest: parallel tools share one step, and a started
 * text keeps its step open.
 */
#include "projection.h"
#include "vesper/wire.h"

#include <string.h>

#define TEXT_ID "x1"

struct ai_state {
	bool step_open, text_open;
	unsigned tools_open;
};

static void part(struct buf *out, const char *type)
{
	struct json_out j = data_open(out, type);

	data_close(&j);
}

/* Writes an extension part. The client replaces data with the same ID. */
static void data_part(struct buf *out, const char *type, const char *id, struct str data)
{
	struct json_out j = data_open(out, type);

	jo_set_str(&j, "id", id);
	jo_set_raw(&j, "data", data);
	data_close(&j);
}

static void step_open(struct ai_state *s, struct buf *out)
{
	if (!s->step_open)
		part(out, "start-step");
	s->step_open = true;
}

static void step_close(struct ai_state *s, struct buf *out)
{
	if (s->step_open)
		part(out, "finish-step");
	s->step_open = false;
}

static void started(const struct wire_at *at, const struct event_run_started *r, struct buf *out)
{
	struct json_out j = data_open(out, "start");

	jo_set_str(&j, "messageId", r->answer_id);
	jo_key(&j, "messageMetadata");
	jo_object(&j);
	jo_set_str(&j, "sessionId", at->session_id);
	jo_set_str(&j, "turnId", at->turn_id);
	jo_object_end(&j);
	data_close(&j);
}

/* Transient: shown meanwhile, not stored with the message. */
static void status(struct buf *out, const struct event *e)
{
	struct json_out j = data_open(out, "data-status");

	jo_key(&j, "data");
	jo_object(&j);
	chat_members(&j, e);
	jo_object_end(&j);
	jo_set_bool(&j, "transient", true);
	data_close(&j);
}

static void tool_input(struct buf *out, const char *id, const char *tool, const char *title,
		       struct str input)
{
	struct json_out j = data_open(out, "tool-input-available");

	jo_set_str(&j, "toolCallId", id);
	jo_set_str(&j, "toolName", tool);
	jo_set_raw(&j, "input", input);
	jo_set_bool(&j, "dynamic", true);
	jo_set_str(&j, "title", title);
	data_close(&j);
}

static void step_started(struct ai_state *s, const struct event *e, struct buf *out)
{
	const struct event_step_started *step = &e->u.step_started;

	if (!step->tool) {
		status(out, e);
		return;
	}
	step_open(s, out);
	s->tools_open++;
	tool_input(out, step->step_id, step->tool, step->text,
		   step->args.p ? step->args : STR("{}"));
}

static void step_finished(struct ai_state *s, const struct event *e, struct buf *out)
{
	const struct event_step_finished *step = &e->u.step_finished;
	bool failed = strcmp(step->state, "failed") == 0;
	struct json_out j;

	if (!step->tool) {
		status(out, e);
		return;
	}
	s->tools_open -= s->tools_open > 0;
	j = data_open(out, failed ? "tool-output-error" : "tool-output-available");
	jo_set_str(&j, "toolCallId", step->step_id);
	if (failed) {
		jo_set_str(&j, "errorText", step->text);
	} else {
		jo_key(&j, "output");
		jo_object(&j);
		jo_set_str(&j, "outcome", step->outcome);
		if (step->rows >= 0)
			jo_set_int(&j, "rows", step->rows);
		jo_object_end(&j);
	}
	jo_set_bool(&j, "dynamic", true);
	data_close(&j);
}

static void mark(const struct event_mark *m, uint64_t seq, struct buf *out)
{
	struct json_out j = data_open(out, "data-mark");
	char id[24];

	snprintf(id, sizeof(id), "m%llu", (unsigned long long)seq);
	jo_set_str(&j, "id", id);
	jo_key(&j, "data");
	mark_at(&j, m);
	data_close(&j);
}

static void text(const struct wire_at *at, const struct event_text_delta *delta, struct buf *out)
{
	struct ai_state *s = at->state;
	struct json_out j;

	if (!s->text_open) {
		if (s->tools_open == 0)
			step_close(s, out);
		step_open(s, out);
		j = data_open(out, "text-start");
		jo_set_str(&j, "id", TEXT_ID);
		data_close(&j);
		s->text_open = true;
	}
	j = data_open(out, "text-delta");
	jo_set_str(&j, "id", TEXT_ID);
	jo_key(&j, "delta");
	jo_str(&j, delta->text);
	data_close(&j);
	if (delta->marked)
		mark(&delta->mark, at->seq, out);
}

/* Components are tool parts, since clients render those by name. */
static void view(struct ai_state *s, const struct event_view *v, struct buf *out)
{
	struct json_out j;

	if (!is_view(v->view, "component")) {
		data_part(out, "data-view", v->view_id, v->view);
		return;
	}
	step_open(s, out);
	tool_input(out, v->view_id, "render_ui_component", NULL, v->view);
	j = data_open(out, "tool-output-available");
	jo_set_str(&j, "toolCallId", v->view_id);
	jo_set_raw(&j, "output", STR("{}"));
	jo_set_bool(&j, "dynamic", true);
	data_close(&j);
}

static void ask(struct ai_state *s, const struct event_ask *a, struct buf *out)
{
	struct json_out j;
	struct str id;

	step_open(s, out);
	j = data_open(out, "tool-input-available");
	if (json_member(a->body, "ask_id", &id))
		jo_set_raw(&j, "toolCallId", id);
	jo_set_str(&j, "toolName", "request_user_selection");
	jo_set_raw(&j, "input", a->body);
	jo_set_bool(&j, "dynamic", true);
	data_close(&j);
}

static void text_close(struct ai_state *s, struct buf *out)
{
	struct json_out j;

	if (s->text_open) {
		j = data_open(out, "text-end");
		jo_set_str(&j, "id", TEXT_ID);
		data_close(&j);
	}
	s->text_open = false;
}

static void links(struct str all, struct buf *out)
{
	static const struct renamed members[] = {
		{"sourceId", "report_key"}, {"url", "url"}, {"title", "report_name"}};
	struct str rest = all.p ? json_inside(all) : (struct str){0}, link;
	struct json_out j;

	while (json_item_next(&rest, &link)) {
		j = data_open(out, "source-url");
		renamed_members(&j, link, members, sizeof(members) / sizeof(members[0]));
		data_close(&j);
	}
}

/* The source's ID is the number of its citation. */
static void sources(struct str all, struct buf *out)
{
	struct str rest = all.p ? json_inside(all) : (struct str){0}, source, n, title;
	char urn[URN_BYTES], id[16];
	struct json_out j;

	while (next_source(&rest, &source, urn)) {
		if (!json_member(source, "n", &n) || !json_member(source, "document", &title))
			continue;
		snprintf(id, sizeof(id), "%.*s", STR_FMT(n));
		j = data_open(out, "source-document");
		jo_set_str(&j, "sourceId", id);
		jo_set_str(&j, "mediaType", "text/plain");
		jo_set_raw(&j, "title", title);
		jo_key(&j, "providerMetadata");
		jo_object(&j);
		jo_set_raw(&j, "vesper", source);
		jo_object_end(&j);
		data_close(&j);
	}
}

static void usage(struct json_out *j, struct str all)
{
	static const struct renamed members[] = {{"inputTokens", "input_tokens"},
						 {"outputTokens", "output_tokens"}};

	if (!all.p)
		return;
	jo_key(j, "usage");
	jo_object(j);
	renamed_members(j, all, members, sizeof(members) / sizeof(members[0]));
	jo_object_end(j);
}

static void finish(const struct event_run_finished *f, struct buf *out)
{
	struct json_out j = data_open(out, "finish");

	jo_set_str(&j, "finishReason", strcmp(f->status, "ask") == 0 ? "other" : "stop");
	jo_key(&j, "messageMetadata");
	jo_object(&j);
	jo_set_str(&j, "status", f->status);
	jo_set_str(&j, "provider", f->provider);
	jo_set_str(&j, "receiptId", f->receipt_id);
	jo_set_raw(&j, "suggestions", f->suggestions);
	jo_set_raw(&j, "outcomes", f->outcomes);
	jo_set_raw(&j, "checked", f->checked);
	usage(&j, f->usage);
	jo_object_end(&j);
	data_close(&j);
}

static void finished(struct ai_state *s, const struct event_run_finished *f, struct buf *out)
{
	bool ended_early =
		strcmp(f->status, "cancelled") == 0 || strcmp(f->status, "interrupted") == 0;
	struct json_out j;

	text_close(s, out);
	links(f->links, out);
	sources(sources_of(f), out);
	step_close(s, out);
	if (ended_early) {
		j = data_open(out, "abort");
		jo_set_str(&j, "reason", f->status);
		data_close(&j);
	} else {
		finish(f, out);
	}
	buf_str(out, "data: [DONE]\n\n");
}

static void failed(struct ai_state *s, const struct event_error *e, struct buf *out)
{
	struct json_out j;

	text_close(s, out);
	step_close(s, out);
	j = data_open(out, "error");
	jo_set_str(&j, "errorText", e->message);
	data_close(&j);
	buf_str(out, "data: [DONE]\n\n");
}

static void ai_event(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct ai_state *s = at->state;

	switch (e->kind) {
	case EVENT_RUN_STARTED:
		started(at, &e->u.run_started, out);
		break;
	case EVENT_STATUS:
		status(out, e);
		break;
	case EVENT_FILTERS:
		data_part(out, "data-filters", "filters", e->u.filters.filters);
		break;
	case EVENT_PLAN:
		data_part(out, "data-plan", "plan", e->u.plan.body);
		break;
	case EVENT_STEP_STARTED:
		step_started(s, e, out);
		break;
	case EVENT_STEP_FINISHED:
		step_finished(s, e, out);
		break;
	case EVENT_TEXT_DELTA:
		text(at, &e->u.text_delta, out);
		break;
	case EVENT_VIEW:
		view(s, &e->u.view, out);
		break;
	case EVENT_ASK:
		ask(s, &e->u.ask, out);
		break;
	case EVENT_RUN_FINISHED:
		finished(s, &e->u.run_finished, out);
		break;
	case EVENT_ERROR:
		failed(s, &e->u.error, out);
		break;
	case EVENT_STAGE_STARTED: /* no items */
	case EVENT_STAGE_FINISHED:
	case EVENT_USAGE:
	case EVENT_KIND_COUNT:
		break;
	}
}

const struct projection wire_ai = {
	.name = "ai",
	.state_bytes = sizeof(struct ai_state),
	.items = CHAT_ITEMS,
	.event = ai_event,
};
