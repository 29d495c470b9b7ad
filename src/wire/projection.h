/* What a wire format is: a table of how many items each kind of event gives, and a writer. */
#ifndef VESPER_PROJECTION_H
#define VESPER_PROJECTION_H

#include "vesper/event.h"
#include "vesper/json_out.h"
#include "vesper/str.h"

/* The item that is written. */
struct wire_at {
	const char *turn_id;
	struct str text;     /* of the whole answer so far */
	uint64_t first, seq; /* number of the item; first < seq: it stands for several */
};

struct projection {
	const char *name;
	unsigned char items[EVENT_KIND_COUNT]; /* 0 or 1 item for each event of the kind */
	void (*event)(const struct wire_at *at, const struct event *e, struct buf *out);
};

/* Every event gives a chat frame, and a server-sent event around it. */
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
void error_rest(struct json_out *j, const struct event_error *e);
/* The members of where a checked number comes from, as "ref". */
void mark_ref(struct json_out *j, const struct event_mark *mark);
/* A plan as a view, as the stored message has it. */
void plan_view(struct json_out *j, const struct event_plan *plan);
/* A clarifying question as a view. */
void ask_view(struct json_out *j, const struct event_ask *ask);

#endif
