/*
 * What a turn says while it runs. Steps of the turn, tools and the synthesizer write events to a
 * sink; the sink (the turn's log) numbers and keeps them; every wire (WebSocket, SSE, REST) is a
 * projection of that log and adds nothing.
 *
 * Tokens are text because there are thousands of them; every other kind carries the members of its
 * frame as one JSON object (contract: "Frames" in README.md), without type, turn_id and seq.
 */
#ifndef VESPER_EVENT_H
#define VESPER_EVENT_H

#include <jansson.h>
#include <stddef.h>

enum event_kind {
	EVENT_THINKING, /* the user's message is stored */
	EVENT_STATUS,   /* a phase or an item started, completed or failed */
	EVENT_FILTERS,  /* what the question was understood to mean */
	EVENT_TOKEN,    /* a piece of the answer */
	EVENT_VIEW,     /* a table, chart or error to show */
	EVENT_ASK,      /* a question back to the user */
	EVENT_COMPLETE, /* the turn's end: answered, asked back, cancelled, … */
	EVENT_ERROR,    /* the turn's end: failed */
	EVENT_KIND_COUNT,
};

struct event {
	enum event_kind kind;
	const char *text; /* EVENT_TOKEN: UTF-8, whole characters */
	size_t text_len;
	json_t *body; /* every other kind; an optional "mark" object for a token. Borrowed: the sink
			 takes its own reference */
};

/* "chat.thinking", "chat.status", … */
const char *event_type(enum event_kind kind);

static inline int event_is_closing(enum event_kind kind)
{
	return kind == EVENT_COMPLETE || kind == EVENT_ERROR;
}

struct event_sink {
	void (*emit)(void *owner, const struct event *event);
	void *owner;
};

void event_emit(const struct event_sink *sink, enum event_kind kind, json_t *body_take);
void event_emit_token(const struct event_sink *sink, const char *text, size_t len);
/* A piece that holds one checked number; NULL: none. */
void event_emit_marked(const struct event_sink *sink, const char *text, size_t len,
		       json_t *mark_take);

#endif
