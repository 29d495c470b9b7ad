/* What a wire format is: a table of how many items each kind of event gives, and a writer. */
#ifndef VESPER_PROJECTION_H
#define VESPER_PROJECTION_H

#include "vesper/event.h"
#include "vesper/json_out.h"
#include "vesper/str.h"
#include "vesper/wire.h"

/* The item that is written. */
struct wire_at {
	const char *turn_id, *session_id;
	const struct stream_log *log; /* up to the event and beyond; what came before may be read */
	const struct wire_head *head; /* what the client asked for; of dialects, never NULL */
	struct str text;              /* of the whole answer so far */
	uint64_t first, seq;          /* number of the item; first < seq: it stands for several */
	uint64_t frame;               /* number of the chat frame that the event gives */
	void *state;                  /* of a projection that has one */
};

/* A projection with state is read from the first event on: its clients keep no cursor. What one
 * event writes is one item, whatever it consists of. */
struct projection {
	const char *name;
	size_t state_bytes; /* at most WIRE_STATE_BYTES_MAX; zeroes before the first event, no
			       pointers */
	unsigned char items[EVENT_KIND_COUNT]; /* 0 or 1 item for each event of the kind */
	void (*event)(const struct wire_at *at, const struct event *e, struct buf *out);
};

/* What gives a chat frame. Server-sent events have it within, and tell of more. */
#define CHAT_ITEMS                                                                                 \
	{                                                                                          \
		[EVENT_RUN_STARTED] = 1, [EVENT_STATUS] = 1, [EVENT_FILTERS] = 1,                  \
		[EVENT_PLAN] = 1, [EVENT_STEP_STARTED] = 1, [EVENT_STEP_FINISHED] = 1,             \
		[EVENT_TEXT_DELTA] = 1, [EVENT_VIEW] = 1, [EVENT_ASK] = 1,                         \
		[EVENT_RUN_FINISHED] = 1, [EVENT_ERROR] = 1,                                       \
	}

/* The chat frame of an event; server-sent events hold it, too. */
void chat_frame(const struct wire_at *at, const struct event *e, struct buf *out);
/* Its members behind type, turn_id and seq. */
void chat_members(struct json_out *j, const struct event *e);
/* Of the closing events, what stands behind ids and code. */
void finished_rest(struct json_out *j, const struct event_run_finished *f);
/* The cited passages, an array; p NULL: the answer was not made of passages. */
struct str sources_of(const struct event_run_finished *f);
/* Takes the next one off the text inside that array. A document has no address on the web: its name
 * is a URN, whose fragment says the bytes that are quoted. */
#define URN_BYTES 128
bool next_source(struct str *rest, struct str *source, char urn[URN_BYTES]);
void error_rest(struct json_out *j, const struct event_error *e);
/* One block of a dialect: "data: {"type":…", closed by data_close. */
struct json_out data_open(struct buf *out, const char *type);
void data_close(struct json_out *j);
/* Of a checked number: where it stands in the whole text, what it is, where it comes from. */
void mark_at(struct json_out *j, const struct event_mark *mark);
/* The members of where a checked number comes from, as "ref". */
void mark_ref(struct json_out *j, const struct event_mark *mark);
/* A plan as a view, as the stored message has it. */
void plan_view(struct json_out *j, const struct event_plan *plan);
/* The newest event of a kind up to the item that is written. False: there is none. */
bool newest_event(const struct wire_at *at, enum event_kind kind, struct event *out);
bool is_view(struct str view, const char *type); /* its view_type */
/* A later view has the id of the view of event `seq`. */
bool view_is_replaced(const struct stream_log *log, uint64_t seq, const struct event_view *v);
/* As Markdown: the tables and components of the answer, unless its text has a table itself; the
 * options of a question that its text does not list. */
void said_views(const struct wire_at *at, struct buf *out);
void said_ask(const struct wire_at *at, const struct event_ask *ask, struct buf *out);
/* Members of a finished object under other names; those that it lacks are left out. */
struct renamed {
	const char *name, *from;
};
void renamed_members(struct json_out *j, struct str object, const struct renamed *list,
		     size_t count);
/* A clarifying question as a view. */
void ask_view(struct json_out *j, const struct event_ask *ask);

#endif
