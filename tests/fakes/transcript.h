/*
 * A wire format for tests only: the turn as plain text. It shows what a new dialect needs: one file
 * and its row in all_wires.h. Phases are not items. Chunks of the answer are written unchanged,
 * everything else as a paragraph.
 */
#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include <inttypes.h>

#include "projection.h"

static inline void transcript_started(const struct event_step_started *s, struct buf *out)
{
	buf_printf(out, "\n> %s: %s", s->step_id, s->text);
	if (s->tool)
		buf_printf(out, " (%s of %s)", s->tool, s->agent ? s->agent : "nobody");
	buf_str(out, "\n");
}

static inline void transcript_finished(const struct event_step_finished *s, struct buf *out)
{
	buf_printf(out, "\n> %s: %s [%s", s->step_id, s->text, s->state);
	if (s->outcome)
		buf_printf(out, ", %s", s->outcome);
	if (s->rows >= 0)
		buf_printf(out, ", %" PRId64 " rows", s->rows);
	buf_str(out, "]\n");
}

/* A checked number includes its reference: "$48.73{bound c1 AvgPrice[0]}". */
static inline void transcript_text(const struct event_text_delta *delta, struct buf *out)
{
	const struct event_mark *m = &delta->mark;

	buf_printf(out, "%.*s", STR_FMT(delta->text));
	if (!delta->marked)
		return;
	buf_printf(out, "{%s", m->kind);
	if (m->has_ref && m->call)
		buf_printf(out, " %s", m->call);
	if (m->has_ref && m->column)
		buf_printf(out, " %s", m->column);
	if (m->has_ref && m->row >= 0)
		buf_printf(out, "[%" PRId64 "]", m->row);
	if (m->has_ref && m->formula)
		buf_printf(out, " = %s", m->formula);
	buf_str(out, "}");
}

static inline void transcript_event(const struct wire_at *at, const struct event *e,
				    struct buf *out)
{
	switch (e->kind) {
	case EVENT_RUN_STARTED:
		buf_printf(out, "turn %s\n", at->turn_id);
		break;
	case EVENT_FILTERS:
		buf_printf(out, "\nfilters %.*s\n", STR_FMT(e->u.filters.filters));
		break;
	case EVENT_STEP_STARTED:
		transcript_started(&e->u.step_started, out);
		break;
	case EVENT_STEP_FINISHED:
		transcript_finished(&e->u.step_finished, out);
		break;
	case EVENT_TEXT_DELTA:
		transcript_text(&e->u.text_delta, out);
		break;
	case EVENT_VIEW:
		buf_printf(out, "\nview %s\n", e->u.view.view_id);
		break;
	case EVENT_ASK:
		buf_printf(out, "\n? %s\n", e->u.ask.prompt);
		break;
	case EVENT_RUN_FINISHED:
		buf_printf(out, "\nended: %s, by %s, %zu bytes in %" PRIu64 " items\n",
			   e->u.run_finished.status, e->u.run_finished.provider, at->text.n,
			   at->seq);
		break;
	case EVENT_ERROR:
		buf_printf(out, "\nfailed: %s: %s\n", e->u.error.code, e->u.error.message);
		break;
	case EVENT_STATUS:
	case EVENT_PLAN:
	case EVENT_STAGE_STARTED:
	case EVENT_STAGE_FINISHED:
	case EVENT_USAGE:
	case EVENT_KIND_COUNT:
		break;
	}
}

static const struct projection wire_transcript = {
	.name = "transcript",
	.items = {[EVENT_RUN_STARTED] = 1,
		  [EVENT_FILTERS] = 1,
		  [EVENT_STEP_STARTED] = 1,
		  [EVENT_STEP_FINISHED] = 1,
		  [EVENT_TEXT_DELTA] = 1,
		  [EVENT_VIEW] = 1,
		  [EVENT_ASK] = 1,
		  [EVENT_RUN_FINISHED] = 1,
		  [EVENT_ERROR] = 1},
	.event = transcript_event,
};

#endif
