/*
 * Clients of the event stream think in turns, items and deltas; each event also carries the
 * WebSocket frame, so that a client which knows the frames needs nothing else. Bodies are spliced
 * in as they were logged, digits unchanged.
 */
#include "sse_out.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "vesper/json.h"
#include "wire.h"

static const char *text_of(const json_t *body, const char *name)
{
	return json_string_value(json_object_get(body, name));
}

static bool is(const char *a, const char *b)
{
	return a && strcmp(a, b) == 0;
}

static const char *event_name(const struct stream_entry *entry)
{
	const char *state;

	switch (entry->kind) {
	case EVENT_THINKING:
		return "turn.started";
	case EVENT_STATUS:
		state = text_of(entry->body, "state");
		return !state                 ? "progress.update"
		       : is(state, "started") ? "item.started"
					      : "item.completed";
	case EVENT_FILTERS:
		return "progress.update";
	case EVENT_TOKEN:
		return "item.updated";
	case EVENT_VIEW:
	case EVENT_ASK:
		return "response";
	case EVENT_COMPLETE:
		return "turn.completed";
	case EVENT_ERROR:
	case EVENT_KIND_COUNT:
		break;
	}
	return "turn.failed";
}

/* ,"name":value… as they stand in the body. */
static void add_members(struct buf *out, const struct stream_entry *entry)
{
	if (entry->json_len <= 2)
		return;
	buf_char(out, ',');
	buf_add(out, entry->json + 1, entry->json_len - 2);
}

static void add_text(struct buf *out, const json_t *body, const char *name)
{
	const char *text = text_of(body, name);

	buf_json_str(out, text ? text : "", text ? strlen(text) : 0);
}

static const char *item_type(const json_t *body)
{
	const char *phase = text_of(body, "phase");

	if (json_object_get(body, "tool"))
		return "sql_execution";
	if (is(phase, "checking"))
		return "guardrail_check";
	if (is(phase, "writing"))
		return "message";
	return "reasoning";
}

static void add_item(struct buf *out, const json_t *body)
{
	const char *id = text_of(body, "item_id");
	const char *state = text_of(body, "state");
	json_t *item = json_object();
	json_t *output = json_object();

	json_set_str(item, "id", id ? id : text_of(body, "phase"));
	json_set_str(item, "type", item_type(body));
	json_set_str(item, "description", text_of(body, "text"));
	json_set_str(item, "status", is(state, "started") ? "in_progress" : state);
	json_set_take(output, "outcome", json_incref(json_object_get(body, "outcome")));
	json_set_take(output, "rows", json_incref(json_object_get(body, "rows")));
	if (json_object_size(output) > 0)
		json_set_take(item, "output", json_incref(output));
	json_decref(output);
	buf_str(out, ",\"item\":");
	buf_json(out, item);
	json_decref(item);
}

/* The response is a view of its own: a client that has kept nothing can show it. */
static void add_completed(struct buf *out, const struct stream_entry *entry, struct str words)
{
	const json_t *usage = json_object_get(entry->body, "usage");

	buf_str(out, ",\"response\":{\"view_type\":\"base\",\"text\":");
	buf_json_str(out, words.p, words.n);
	add_members(out, entry);
	buf_char(out, '}');
	if (usage) {
		buf_str(out, ",\"usage\":");
		buf_json(out, usage);
	}
}

static void add_event(struct buf *out, const struct stream_entry *entry, struct str words)
{
	switch (entry->kind) {
	case EVENT_STATUS:
		if (json_object_get(entry->body, "state"))
			add_item(out, entry->body);
		else
			add_members(out, entry);
		break;
	case EVENT_TOKEN:
		buf_str(out, ",\"item\":{\"type\":\"message\"},\"delta\":");
		buf_json_str(out, entry->text, entry->text_len);
		break;
	case EVENT_ASK:
		buf_str(out, ",\"view\":{\"view_type\":\"selection\",\"view_id\":\"ask-v1\","
			     "\"text\":");
		add_text(out, entry->body, "prompt");
		add_members(out, entry);
		buf_char(out, '}');
		break;
	case EVENT_COMPLETE:
		add_completed(out, entry, words);
		break;
	default:
		add_members(out, entry);
	}
}

void sse_out_entry(struct buf *out, const char *turn_id, const struct stream_entry *entry,
		   struct str words)
{
	const char *name = event_name(entry);

	buf_printf(out,
		   "id: %" PRIu64
		   "\nevent: %s\ndata: {\"type\":\"%s\",\"turn_id\":\"%s\",\"seq\":%" PRIu64,
		   entry->seq, name, name, turn_id, entry->seq);
	add_event(out, entry, words);
	buf_str(out, ",\"frame\":");
	wire_entry(out, turn_id, entry);
	buf_str(out, "}\n\n");
}
