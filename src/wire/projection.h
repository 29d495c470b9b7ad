/* A wire format (projection): the number of items per event kind, and a function that writes
 * them. */
#ifndef VESPER_PROJECTION_H
#define VESPER_PROJECTION_H

#include "vesper/event.h"
#include "vesper/json_out.h"
#include "vesper/str.h"
#include "vesper/wire.h"

/* The item being written. */
struct wire_at {
	const char *turn_id, *session_id;
	const struct stream_log *log; /* may extend past the event; earlier events may be read */
	const struct wire_head *head; /* the client's request; never NULL for dialects */
	struct str text;              /* whole text of the answer so far */
	uint64_t first, seq;          /* number of the item; first < seq: it merges several items */
	uint64_t frame;               /* number of the event's chat frame */
	void *state;                  /* state of the projection, if it has one */
};

/* A projection with state is read from the first event on, since its clients have no cursor. The
 * output of one event is one item, even if it has several parts. */
struct projection {
	const char *name;
	/* At most WIRE_STATE_BYTES_MAX; zeroed before the first event, without pointers. */
	size_t state_bytes;
	unsigned char items[EVENT_KIND_COUNT]; /* 0 or 1 item per event of the kind */
	void (*event)(const struct wire_at *at, const struct event *e, struct buf *out);
};

/* Events with a chat frame. Server-sent events include the frame, and cover more events. */
#define CHAT_ITEMS                                                                                 \
	{                                                                                          \
		[EVENT_RUN_STARTED] = 1, [EVENT_STATUS] = 1, [EVENT_FILTERS] = 1,                  \
		[EVENT_PLAN] = 1, [EVENT_STEP_STARTED] = 1, [EVENT_STEP_FINISHED] = 1,             \
		[EVENT_TEXT_DELTA] = 1, [EVENT_VIEW] = 1, [EVENT_ASK] = 1,                         \
		[EVENT_RUN_FINISHED] = 1, [EVENT_ERROR] = 1,                                       \
	}

/* Writes the chat frame of an event; server-sent events include it, too. */
void chat_frame(const struct wire_at *at, const struct event *e, struct buf *out);
/* Writes the members after type, turn_id and seq. */
void chat_members(struct json_out *j, const struct event *e);
/* Writes the members of a closing event after ids and code. */
void finished_members(struct json_out *j, const struct event_run_finished *f);
/* The array of cited passages; p NULL: the answer is not based on passages. */
struct str sources_of(const struct event_run_finished *f);
/* Cuts the next source off the text inside that array. Documents have no web address: their name is
 * a URN, whose fragment is the quoted byte range. */
#define URN_BYTES 128
bool next_source(struct str *rest, struct str *source, char urn[URN_BYTES]);
void error_members(struct json_out *j, const struct event_error *e);
/* Starts a block of a dialect, "data: {"type":…"; data_close ends it. */
struct json_out data_open(struct buf *out, const char *type);
void data_close(struct json_out *j);
/* Writes a checked number: position in the whole text, kind and origin. */
void mark_at(struct json_out *j, const struct event_mark *mark);
/* Writes the origin of a checked number as "ref". */
void mark_ref(struct json_out *j, const struct event_mark *mark);
/* Writes a plan as a view, as in the stored message. */
void plan_view(struct json_out *j, const struct event_plan *plan);
/* The last event of a kind up to the current item. False: there is none. */
bool newest_event(const struct wire_at *at, enum event_kind kind, struct event *out);
bool is_view(struct str view, const char *type); /* compares its view_type */
/* Returns true when a later view has the same id as the view of event `seq`. */
bool view_is_replaced(const struct stream_log *log, uint64_t seq, const struct event_view *v);
/* Writes Markdown: the answer's tables and components, unless its text has a table; for a
 * clarifying question, the options that its text does not list. */
void markdown_views(const struct wire_at *at, struct buf *out);
void markdown_ask(const struct wire_at *at, const struct event_ask *ask, struct buf *out);
/* Copies members of a complete object under other names; missing ones are skipped. */
struct renamed {
	const char *name, *from;
};
void renamed_members(struct json_out *j, struct str object, const struct renamed *list,
		     size_t count);
/* Writes a clarifying question as a view. */
void ask_view(struct json_out *j, const struct event_ask *ask);

#endif
