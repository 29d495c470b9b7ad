/* Views and clarifying questions as text, for text-only clients. */
#include "markdown.h"
#include "projection.h"

#include <string.h>

/* A later view with the same id replaces the earlier one. */
bool view_is_replaced(const struct stream_log *log, uint64_t seq, const struct event_view *v)
{
	struct event later;

	for (uint64_t i = seq + 1; i <= stream_last_seq(log); i++) {
		if (stream_kind(log, i) != EVENT_VIEW)
			continue;
		stream_event(log, i, &later);
		if (v->view_id && later.u.view.view_id &&
		    strcmp(v->view_id, later.u.view.view_id) == 0)
			return true;
	}
	return false;
}

void markdown_views(const struct wire_at *at, struct buf *out)
{
	struct event e;

	if (memmem(at->text.p, at->text.n, "\n| ", 3))
		return;
	for (uint64_t seq = 1; seq <= stream_last_seq(at->log); seq++) {
		if (stream_kind(at->log, seq) != EVENT_VIEW)
			continue;
		stream_event(at->log, seq, &e);
		if (!is_view(e.u.view.view, "data") && !is_view(e.u.view.view, "component"))
			continue;
		if (view_is_replaced(at->log, seq, &e.u.view))
			continue;
		buf_str(out, "\n\n");
		markdown_view(out, e.u.view.view);
	}
}

void markdown_ask(const struct wire_at *at, const struct event_ask *ask, struct buf *out)
{
	struct str all;

	if (json_member(ask->body, "options", &all))
		markdown_options(out, json_inside(all), at->text);
}
