/* The stored message, as shown when the session is read again. */
#include "projection.h"
#include "vesper/wire.h"

#include "vesper/limits.h"

/* Stores the clarifying question, so that its buttons reappear after a reload. */
static void add_ask(struct json_out *j, const struct event_ask *ask)
{
	jo_object(j);
	jo_raw(j, json_inside(ask->body));
	jo_set_str(j, "view_type", "selection");
	jo_set_str(j, "view_id", "ask-v1");
	jo_set_str(j, "text", ask->prompt);
	jo_object_end(j);
}

static void add_number(struct json_out *j, const struct event_text_delta *delta)
{
	jo_object(j);
	jo_set_str(j, "kind", delta->mark.kind);
	jo_set_str(j, "why", delta->mark.why);
	jo_set_int(j, "start", (int64_t)delta->mark.at);
	jo_set_int(j, "len", (int64_t)delta->mark.len);
	if (delta->mark.n > 0)
		jo_set_int(j, "n", delta->mark.n);
	mark_ref(j, &delta->mark);
	jo_key(j, "text");
	jo_str(j, delta->text);
	jo_object_end(j);
}

void wire_stored(const struct stream_log *log, struct buf *views, struct buf *numbers)
{
	struct json_out of_views, of_numbers;
	size_t number_count = 0;
	struct event e;

	jo_init(&of_views, views);
	jo_init(&of_numbers, numbers);
	jo_array(&of_views);
	jo_array(&of_numbers);
	for (uint64_t seq = 1; seq <= stream_last_seq(log); seq++) {
		stream_event(log, seq, &e);
		if (e.kind == EVENT_VIEW)
			jo_raw(&of_views, e.u.view.view);
		else if (e.kind == EVENT_PLAN)
			plan_view(&of_views, &e.u.plan);
		else if (e.kind == EVENT_ASK)
			add_ask(&of_views, &e.u.ask);
		else if (e.kind == EVENT_TEXT_DELTA && e.u.text_delta.marked &&
			 number_count++ < CHECKED_ITEMS_MAX)
			add_number(&of_numbers, &e.u.text_delta);
	}
	jo_array_end(&of_views);
	jo_array_end(&of_numbers);
}
