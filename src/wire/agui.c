/*
 * AG-UI projection of a turn. The client's verifier rejects runs with unclosed messages, tool calls
 * or steps, and members that are null. A clarifying question that ends the turn is an interrupt:
 * the client starts no other run before it is answered.
 */
#include "projection.h"
#include "vesper/limits.h"
#include "vesper/wire.h"

#include <string.h>

/* Maximum of parallel steps: as many as a plan has tasks. */
#define STEPS_MAX     16
#define STEP_ID_BYTES 24 /* "c12", or the task's ID for an agent */

struct agui_step {
	char id[STEP_ID_BYTES]; /* "": free slot */
	uint8_t agent;          /* number of the agent in the run, from 1; 0: a tool */
	uint8_t parent_agent;   /* agent that uses the tool; 0: the turn */
};

struct agui_state {
	bool text_open, has_state;
	uint8_t agents;                    /* number of agents started */
	struct agui_step steps[STEPS_MAX]; /* open steps */
};

static void event_named(struct buf *out, const char *type, const char *member, const char *value)
{
	struct json_out j = data_open(out, type);

	jo_set_str(&j, member, value);
	data_close(&j);
}

static void custom(struct buf *out, const char *name, struct str value)
{
	struct json_out j = data_open(out, "CUSTOM");

	jo_set_str(&j, "name", name);
	jo_set_raw(&j, "value", value);
	data_close(&j);
}

static const char *thread_of(const struct wire_at *at)
{
	return at->head->external_id ? at->head->external_id : at->session_id;
}

static const char *run_of(const struct wire_at *at)
{
	struct event e;

	if (newest_event(at, EVENT_RUN_STARTED, &e) && e.u.run_started.client_msg_id)
		return e.u.run_started.client_msg_id;
	return at->turn_id;
}

static void run_members(struct json_out *j, const struct wire_at *at)
{
	jo_set_str(j, "threadId", thread_of(at));
	jo_set_str(j, "runId", run_of(at));
}

static void started(const struct wire_at *at, struct buf *out)
{
	struct json_out j = data_open(out, "RUN_STARTED");

	run_members(&j, at);
	data_close(&j);
}

static void status(const struct event *e, struct buf *out)
{
	struct json_out j = data_open(out, "CUSTOM");

	jo_set_str(&j, "name", "vesper.status");
	jo_key(&j, "value");
	jo_object(&j);
	chat_members(&j, e);
	jo_object_end(&j);
	data_close(&j);
}

/* The first value is sent as a snapshot, later ones as patches. */
static void state_add(struct agui_state *s, const char *name, struct str value, struct buf *out)
{
	struct json_out j = data_open(out, s->has_state ? "STATE_DELTA" : "STATE_SNAPSHOT");
	char path[32];

	if (!s->has_state) {
		jo_key(&j, "snapshot");
		jo_object(&j);
		jo_set_raw(&j, name, value);
		jo_object_end(&j);
	} else {
		snprintf(path, sizeof(path), "/%s", name);
		jo_key(&j, "delta");
		jo_array(&j);
		jo_object(&j);
		jo_set_str(&j, "op", "add"); /* also replaces an existing value */
		jo_set_str(&j, "path", path);
		jo_set_raw(&j, "value", value);
		jo_object_end(&j);
		jo_array_end(&j);
	}
	data_close(&j);
	s->has_state = true;
}

static struct agui_step *step_find(struct agui_state *s, const char *id)
{
	for (size_t i = 0; i < STEPS_MAX; i++)
		if (strcmp(s->steps[i].id, id) == 0)
			return &s->steps[i];
	return NULL;
}

/* An agent that runs again has the same step ID, but the client accepts each ID once. */
static void subagent_id(struct json_out *j, const struct agui_step *step)
{
	char id[STEP_ID_BYTES + 8];

	snprintf(id, sizeof(id), "%s.%d", step->id, step->agent);
	jo_set_str(j, "subagentRunId", id);
}

static struct json_out subagent_open(struct buf *out, const char *type,
				     const struct agui_step *step)
{
	struct json_out j = data_open(out, type);

	subagent_id(&j, step);
	return j;
}

/* Adds the agent of the tool; none for the turn's tools or agents without a slot. */
static void tool_close(const struct agui_state *s, const struct agui_step *step, struct json_out *j)
{
	for (size_t i = 0; i < STEPS_MAX && step->parent_agent; i++)
		if (s->steps[i].agent == step->parent_agent)
			subagent_id(j, &s->steps[i]);
	data_close(j);
}

static void tool_event(const struct agui_state *s, const struct agui_step *step, const char *type,
		       const char *member, struct buf *out)
{
	struct json_out j = data_open(out, type);

	jo_set_str(&j, member, step->id);
	tool_close(s, step, &j);
}

static void subagent_started(const struct agui_step *slot, const struct event_step_started *step,
			     struct buf *out)
{
	struct json_out j = subagent_open(out, "SUBAGENT_STARTED", slot);

	jo_set_str(&j, "name", step->agent);
	jo_set_str(&j, "description", step->text);
	data_close(&j);
}

/* `error`: message of a failed agent; NULL: success. */
static void step_close(const struct agui_state *s, struct agui_step *step, const char *error,
		       struct buf *out)
{
	struct json_out j;

	if (step->agent == 0) {
		tool_event(s, step, "STEP_FINISHED", "stepName", out);
	} else {
		j = subagent_open(out, error ? "SUBAGENT_ERROR" : "SUBAGENT_FINISHED", step);
		jo_set_str(&j, "message", error);
		data_close(&j);
	}
	*step = (struct agui_step){0};
}

/* A step without a free slot is omitted, both start and end. */
static void step_started(struct agui_state *s, const struct event_step_started *step,
			 struct buf *out)
{
	struct agui_step *slot = strlen(step->step_id) < STEP_ID_BYTES ? step_find(s, "") : NULL;
	const struct agui_step *parent;
	struct json_out j;

	if (!slot || (!step->tool && s->agents == UINT8_MAX))
		return;
	snprintf(slot->id, STEP_ID_BYTES, "%s", step->step_id);
	if (!step->tool) {
		slot->agent = ++s->agents;
		subagent_started(slot, step, out);
		return;
	}
	parent = step->parent && *step->parent ? step_find(s, step->parent) : NULL;
	slot->parent_agent = parent ? parent->agent : 0;
	tool_event(s, slot, "STEP_STARTED", "stepName", out);
	j = data_open(out, "TOOL_CALL_START");
	jo_set_str(&j, "toolCallId", step->step_id);
	jo_set_str(&j, "toolCallName", step->tool);
	tool_close(s, slot, &j);
	j = data_open(out, "TOOL_CALL_ARGS");
	jo_set_str(&j, "toolCallId", step->step_id);
	jo_key(&j, "delta");
	jo_str(&j, step->args.p ? step->args : STR("{}"));
	tool_close(s, slot, &j);
	tool_event(s, slot, "TOOL_CALL_END", "toolCallId", out);
}

/* The result content is a string with JSON. */
static void tool_result(const struct agui_state *s, const struct agui_step *slot,
			const struct event_step_finished *step, struct buf *out)
{
	struct json_out j = data_open(out, "TOOL_CALL_RESULT"), content;
	struct buf text;
	char id[STEP_ID_BYTES + 8];

	buf_init(&text, STATUS_ARGS_BYTES_MAX);
	jo_init(&content, &text);
	jo_object(&content);
	jo_set_str(&content, "outcome", step->outcome);
	if (step->rows >= 0)
		jo_set_int(&content, "rows", step->rows);
	jo_object_end(&content);
	snprintf(id, sizeof(id), "%s-result", step->step_id);
	jo_set_str(&j, "messageId", id);
	jo_set_str(&j, "toolCallId", step->step_id);
	jo_key(&j, "content");
	jo_str(&j, (struct str){buf_text(&text), text.n});
	jo_set_str(&j, "role", "tool");
	tool_close(s, slot, &j);
	buf_deinit(&text);
}

static void step_finished(struct agui_state *s, const struct event_step_finished *step,
			  struct buf *out)
{
	struct agui_step *slot = *step->step_id ? step_find(s, step->step_id) : NULL;

	if (!slot)
		return;
	if (step->tool)
		tool_result(s, slot, step, out);
	if (strcmp(step->state, "failed") != 0)
		step_close(s, slot, NULL, out);
	else
		step_close(s, slot, step->text ? step->text : step->state, out);
}

static void mark(const struct event_mark *m, struct buf *out)
{
	struct json_out j = data_open(out, "CUSTOM");

	jo_set_str(&j, "name", "vesper.mark");
	jo_key(&j, "value");
	mark_at(&j, m);
	data_close(&j);
}

static void text(const struct wire_at *at, const struct event_text_delta *delta, struct buf *out)
{
	struct agui_state *s = at->state;
	struct json_out j;

	if (delta->text.n == 0) /* the client rejects empty deltas */
		return;
	if (!s->text_open) {
		j = data_open(out, "TEXT_MESSAGE_START");
		jo_set_str(&j, "messageId", at->turn_id);
		jo_set_str(&j, "role", "assistant");
		data_close(&j);
	}
	s->text_open = true;
	j = data_open(out, "TEXT_MESSAGE_CONTENT");
	jo_set_str(&j, "messageId", at->turn_id);
	jo_key(&j, "delta");
	jo_str(&j, delta->text);
	data_close(&j);
	if (delta->marked)
		mark(&delta->mark, out);
}

static void view(const struct event_view *v, struct buf *out)
{
	struct json_out j;

	if (is_view(v->view, "component")) {
		custom(out, "vesper.component", v->view);
		return;
	}
	j = data_open(out, "ACTIVITY_SNAPSHOT");
	jo_set_str(&j, "messageId", v->view_id);
	jo_set_str(&j, "activityType", "vesper.view");
	jo_set_raw(&j, "content", v->view);
	data_close(&j);
}

static void close_all(const struct wire_at *at, struct buf *out)
{
	struct agui_state *s = at->state;

	if (s->text_open)
		event_named(out, "TEXT_MESSAGE_END", "messageId", at->turn_id);
	s->text_open = false;
	for (size_t i = 0; i < STEPS_MAX; i++)
		if (*s->steps[i].id && s->steps[i].agent == 0)
			step_close(s, &s->steps[i], NULL, out);
	for (size_t i = 0; i < STEPS_MAX; i++) /* agents after their tools */
		if (*s->steps[i].id)
			step_close(s, &s->steps[i], NULL, out);
}

/* Number of values of a clarifying question: one, the given limits, or two for a range. */
static void value_bounds(struct json_out *j, struct str ask, struct str input)
{
	static const struct renamed bounds[] = {{"minItems", "min"}, {"maxItems", "max"}};
	bool range = str_eq(input, STR("\"date_range\""));

	if (str_eq(input, STR("\"multiple\""))) {
		renamed_members(j, ask, bounds, sizeof(bounds) / sizeof(bounds[0]));
		return;
	}
	jo_set_int(j, "minItems", 1 + range);
	jo_set_int(j, "maxItems", 1 + range);
}

static void options(struct json_out *j, struct str all)
{
	struct str rest = json_inside(all), option, value;

	jo_key(j, "enum");
	jo_array(j);
	while (json_item_next(&rest, &option))
		if (json_member(option, "value", &value))
			jo_raw(j, value);
	jo_array_end(j);
}

/* Schema of {values: [one of the options, …]}, or of dates. */
static void response_schema(struct json_out *j, struct str ask)
{
	struct str input = STR(""), all;
	bool known = json_member(ask, "input", &input);

	jo_key(j, "responseSchema");
	jo_object(j);
	jo_set_str(j, "type", "object");
	jo_key(j, "properties");
	jo_object(j);
	jo_key(j, "values");
	jo_object(j);
	jo_set_str(j, "type", "array");
	jo_key(j, "items");
	jo_object(j);
	jo_set_str(j, "type", "string");
	if (json_member(ask, "options", &all))
		options(j, all);
	else if (known && strncmp(input.p, "\"date", 5) == 0)
		jo_set_str(j, "format", "date");
	jo_object_end(j);
	value_bounds(j, ask, input);
	jo_object_end(j);
	jo_object_end(j);
	jo_set_raw(j, "required", STR("[\"values\"]"));
	jo_object_end(j);
}

static void interrupt(struct json_out *j, const struct event_ask *ask)
{
	static const struct renamed members[] = {{"id", "ask_id"}, {"expiresAt", "expires_at"}};

	jo_key(j, "interrupts");
	jo_array(j);
	jo_object(j);
	renamed_members(j, ask->body, members, sizeof(members) / sizeof(members[0]));
	jo_set_str(j, "reason", "input_required");
	jo_set_str(j, "message", ask->prompt);
	response_schema(j, ask->body);
	jo_object_end(j);
	jo_array_end(j);
}

static void outcome(struct json_out *j, const struct wire_at *at, const char *status)
{
	struct event ask;

	jo_key(j, "outcome");
	jo_object(j);
	if (strcmp(status, "ask") == 0 && newest_event(at, EVENT_ASK, &ask)) {
		jo_set_str(j, "type", "interrupt");
		interrupt(j, &ask.u.ask);
	} else if (strcmp(status, "cancelled") == 0 || strcmp(status, "interrupted") == 0) {
		jo_set_str(j, "type", "cancelled");
	} else {
		jo_set_str(j, "type", "success");
	}
	jo_object_end(j);
}

static void usage(struct json_out *j, const struct event_run_finished *f)
{
	static const struct renamed members[] = {{"inputTokens", "input_tokens"},
						 {"outputTokens", "output_tokens"},
						 {"cachedInputTokens", "cache_read_tokens"},
						 {"cacheWriteInputTokens", "cache_write_tokens"}};

	if (!f->usage.p || !f->model)
		return;
	jo_key(j, "usage");
	jo_array(j);
	jo_object(j);
	jo_set_str(j, "provider", f->provider);
	jo_set_str(j, "model", f->model);
	renamed_members(j, f->usage, members, sizeof(members) / sizeof(members[0]));
	jo_object_end(j);
	jo_array_end(j);
}

static void finished(const struct wire_at *at, const struct event *e, struct buf *out)
{
	const struct event_run_finished *f = &e->u.run_finished;
	struct json_out j;

	close_all(at, out);
	if (f->links.p && f->links.n > 2)
		custom(out, "vesper.links", f->links);
	if (sources_of(f).n > 2)
		custom(out, "vesper.sources", sources_of(f));
	j = data_open(out, "RUN_FINISHED");
	run_members(&j, at);
	jo_key(&j, "result");
	jo_object(&j);
	jo_set_str(&j, "sessionId", at->session_id);
	jo_set_str(&j, "turnId", at->turn_id);
	jo_set_str(&j, "status", f->status);
	jo_set_str(&j, "receiptId", f->receipt_id);
	jo_set_raw(&j, "approved", f->approved);
	jo_set_raw(&j, "suggestions", f->suggestions);
	jo_set_raw(&j, "outcomes", f->outcomes);
	jo_set_raw(&j, "checked", f->checked);
	jo_object_end(&j);
	outcome(&j, at, f->status);
	usage(&j, f);
	data_close(&j);
}

/* An error may be the first event, before any run has started. */
static void failed(const struct wire_at *at, const struct event_error *e, struct buf *out)
{
	struct json_out j;

	close_all(at, out);
	j = data_open(out, "RUN_ERROR");
	jo_set_str(&j, "message", e->message);
	jo_set_str(&j, "code", e->code);
	data_close(&j);
}

static void agui_event(const struct wire_at *at, const struct event *e, struct buf *out)
{
	struct agui_state *s = at->state;

	switch (e->kind) {
	case EVENT_RUN_STARTED:
		started(at, out);
		break;
	case EVENT_STATUS:
		status(e, out);
		break;
	case EVENT_FILTERS:
		state_add(s, "filters", e->u.filters.filters, out);
		break;
	case EVENT_PLAN:
		state_add(s, "plan", e->u.plan.body, out);
		break;
	case EVENT_STEP_STARTED:
		step_started(s, &e->u.step_started, out);
		break;
	case EVENT_STEP_FINISHED:
		step_finished(s, &e->u.step_finished, out);
		break;
	case EVENT_TEXT_DELTA:
		text(at, &e->u.text_delta, out);
		break;
	case EVENT_VIEW:
		view(&e->u.view, out);
		break;
	case EVENT_RUN_FINISHED:
		finished(at, e, out);
		break;
	case EVENT_ERROR:
		failed(at, &e->u.error, out);
		break;
	case EVENT_ASK:           /* sent with the end, as its reason */
	case EVENT_STAGE_STARTED: /* no items */
	case EVENT_STAGE_FINISHED:
	case EVENT_USAGE:
	case EVENT_KIND_COUNT:
		break;
	}
}

const struct projection wire_agui = {
	.name = "agui",
	.state_bytes = sizeof(struct agui_state),
	.items = CHAT_ITEMS,
	.event = agui_event,
};
