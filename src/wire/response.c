/* Assembles the whole answer from the events, exactly as a WebSocket client would, and
 * from nothing else. */
#include "projection.h"
#include "vesper/wire.h"

#include <assert.h>
#include <string.h>

#include "vesper/arena.h"
#include "vesper/limits.h"

/* A later view with the same id replaces the earlier one in its position. */
struct shown_view {
	const char *view_id;
	struct str view;
};

/* Strings are copied, since events are only valid until the next one is read. */
struct wire_response {
	struct arena *arena;
	struct shown_view *views;
	size_t view_count, view_capacity;
	struct str filters, ask;
	enum event_kind end; /* EVENT_KIND_COUNT: the turn is running */
	struct str head, members;
	struct wire_problem problem;
};

struct wire_response *wire_response_new(void)
{
	struct arena *a = arena_new(EVENT_LOG_BYTES_MAX);
	struct wire_response *w = arena_alloc(a, sizeof(*w));

	w->arena = a;
	w->filters = STR("[]");
	w->end = EVENT_KIND_COUNT;
	return w;
}

void wire_response_free(struct wire_response **response)
{
	struct arena *a = *response ? (*response)->arena : NULL;

	*response = NULL;
	arena_free(&a);
}

static struct str copy_text(struct wire_response *w, struct str text)
{
	return (struct str){arena_strndup(w->arena, text.p ? text.p : "", text.n), text.n};
}

static void add_view(struct wire_response *w, const char *view_id, struct str view)
{
	struct shown_view *slot = NULL;

	for (size_t i = 0; i < w->view_count && view_id; i++)
		if (w->views[i].view_id && strcmp(w->views[i].view_id, view_id) == 0)
			slot = &w->views[i];
	if (!slot) {
		w->views = arena_grow(w->arena, w->views, w->view_count, &w->view_capacity,
				      sizeof(*w->views));
		slot = &w->views[w->view_count++];
	}
	*slot = (struct shown_view){arena_strdup(w->arena, view_id), copy_text(w, view)};
}

/* As in the stored message. */
static void add_plan(struct wire_response *w, const struct event_plan *plan)
{
	struct buf view;
	struct json_out j;

	buf_init(&view, EVENT_LOG_BYTES_MAX);
	jo_init(&j, &view);
	plan_view(&j, plan);
	add_view(w, NULL, (struct str){buf_text(&view), view.n});
	buf_deinit(&view);
}

/* A clarifying question is also a view, as in the stored message. */
static void add_ask(struct wire_response *w, const struct event_ask *ask)
{
	struct buf view;
	struct json_out j;

	w->ask = copy_text(w, ask->body);
	buf_init(&view, EVENT_LOG_BYTES_MAX);
	jo_init(&j, &view);
	ask_view(&j, ask);
	add_view(w, NULL, (struct str){buf_text(&view), view.n});
	buf_deinit(&view);
}

static void add_end(struct wire_response *w, const struct event *e)
{
	struct buf members;
	struct json_out j;

	w->end = e->kind;
	buf_init(&members, SIZE_MAX / 2);
	jo_init(&j, &members);
	if (e->kind == EVENT_ERROR) {
		error_members(&j, &e->u.error);
		w->problem.code = arena_strdup(w->arena, e->u.error.code);
		w->problem.message = arena_strdup(w->arena, e->u.error.message);
		w->problem.retry_after_ms = e->u.error.retry_after_ms;
	} else {
		jo_set_str(&j, "message_id", e->u.run_finished.message_id);
		w->head = copy_text(w, (struct str){buf_text(&members), members.n});
		buf_reset(&members);
		jo_init(&j, &members);
		finished_members(&j, &e->u.run_finished);
	}
	w->members = copy_text(w, (struct str){buf_text(&members), members.n});
	w->problem.members = w->members;
	buf_deinit(&members);
}

void wire_response_add(struct wire_response *w, const struct event *e)
{
	switch (e->kind) {
	case EVENT_VIEW:
		add_view(w, e->u.view.view_id, e->u.view.view);
		break;
	case EVENT_FILTERS:
		w->filters = copy_text(w, e->u.filters.filters);
		break;
	case EVENT_PLAN:
		add_plan(w, &e->u.plan);
		break;
	case EVENT_ASK:
		add_ask(w, &e->u.ask);
		break;
	case EVENT_RUN_FINISHED:
	case EVENT_ERROR:
		add_end(w, e);
		break;
	default:
		break;
	}
}

bool wire_response_ok(const struct wire_response *w)
{
	assert(w->end != EVENT_KIND_COUNT);
	return w->end == EVENT_RUN_FINISHED;
}

struct wire_problem wire_response_problem(const struct wire_response *w)
{
	assert(w->end == EVENT_ERROR);
	return w->problem;
}

void wire_response_write(const struct wire_response *w, const struct stream_log *log,
			 struct buf *out)
{
	struct json_out j;

	assert(w->end == EVENT_RUN_FINISHED);
	jo_init(&j, out);
	jo_object(&j);
	jo_set_str(&j, "turn_id", stream_turn_id(log));
	jo_set_str(&j, "session_id", stream_session_id(log));
	jo_raw(&j, w->head);
	jo_key(&j, "text");
	jo_str(&j, stream_text(log));
	jo_key(&j, "views");
	jo_array(&j);
	for (size_t i = 0; i < w->view_count; i++)
		jo_raw(&j, w->views[i].view);
	jo_array_end(&j);
	jo_set_raw(&j, "ask", w->ask);
	jo_set_raw(&j, "filters", w->filters);
	jo_raw(&j, w->members);
	jo_object_end(&j);
}
