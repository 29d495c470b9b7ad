/* The names of a turn's events and the few lines that hand one to its sink. */
#include "vesper/event.h"

#include <assert.h>

const char *event_type(enum event_kind kind)
{
	static const char *const types[EVENT_KIND_COUNT] = {
		[EVENT_THINKING] = "chat.thinking", [EVENT_STATUS] = "chat.status",
		[EVENT_FILTERS] = "chat.filters",   [EVENT_TOKEN] = "chat.token",
		[EVENT_VIEW] = "chat.view",         [EVENT_ASK] = "chat.ask",
		[EVENT_COMPLETE] = "chat.complete", [EVENT_ERROR] = "chat.error",
	};
	assert(kind < EVENT_KIND_COUNT);
	return types[kind];
}

void event_emit(const struct event_sink *sink, enum event_kind kind, json_t *body_take)
{
	assert(kind != EVENT_TOKEN);
	struct event event = {.kind = kind, .body = body_take};
	sink->emit(sink->owner, &event);
	json_decref(body_take);
}

void event_emit_token(const struct event_sink *sink, const char *text, size_t len)
{
	event_emit_marked(sink, text, len, NULL);
}

void event_emit_marked(const struct event_sink *sink, const char *text, size_t len,
		       json_t *mark_take)
{
	struct event event = {
		.kind = EVENT_TOKEN, .text = text, .text_len = len, .body = mark_take};
	sink->emit(sink->owner, &event);
	json_decref(mark_take);
}
