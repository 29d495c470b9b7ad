/* Emits the frames of a turn, each in one place. Members without a value are absent, never null. */
#include "answer_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/codes.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/json_out.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/stream.h"
#include "vesper/utf8.h"
#include "vesper/wire.h"

/* JSON texts borrowed by one event. */
struct texts {
	char *items[8];
	size_t count;
};

static struct str texts_add(struct texts *texts, const json_t *value)
{
	char *text;

	if (!value)
		return (struct str){0};
	assert(texts->count < sizeof(texts->items) / sizeof(texts->items[0]));
	text = json_text(value);
	texts->items[texts->count++] = text;
	return str_of(text);
}

static struct str texts_add_take(struct texts *texts, json_t *take)
{
	struct str text = texts_add(texts, take);

	json_decref(take);
	return text;
}

/* Emits the event and frees its texts. */
static void emit(struct answer_turn *t, const struct event *event, struct texts *texts)
{
	event_emit(t->core->sink, event);
	for (size_t i = 0; i < texts->count; i++)
		mem_free(texts->items[i]);
}

void answer_emit_ask_json(struct answer_turn *t, const char *prompt, json_t *body_take)
{
	struct texts texts = {0};

	emit(t,
	     &(struct event){.kind = EVENT_ASK,
			     .u.ask = {prompt, texts_add_take(&texts, body_take)}},
	     &texts);
}

void answer_emit_run_started(struct answer_turn *t)
{
	event_emit(t->core->sink,
		   &(struct event){.kind = EVENT_RUN_STARTED,
				   .u.run_started = {t->core->request.session_id,
						     t->core->user_message_id.text,
						     t->core->answer_id.text,
						     t->core->request.client_msg_id}});
}

void answer_emit_phase(struct answer_turn *t, const char *phase, const char *text)
{
	event_emit(t->core->sink, &(struct event){.kind = EVENT_STATUS, .u.status = {phase, text}});
}

void answer_emit_filters(struct answer_turn *t)
{
	struct buf filters;
	struct json_out j;

	buf_init(&filters, SIZE_MAX / 2);
	jo_init(&j, &filters);
	nlu_filters_write(&t->reading->understood, t->core->may.catalog->language, &j);
	event_emit(t->core->sink,
		   &(struct event){.kind = EVENT_FILTERS,
				   .u.filters.filters = {buf_text(&filters), filters.n}});
	buf_deinit(&filters);
}

/* A chunk that does not fit into the log is not shown and not part of the answer, and no chunk may
 * follow. */
static bool show(struct answer_turn *t, const struct event_text_delta *delta)
{
	if (!t->answer->log_full)
		event_emit(t->core->sink,
			   &(struct event){.kind = EVENT_TEXT_DELTA, .u.text_delta = *delta});
	t->answer->log_full = t->answer->log_full || stream_is_full(t->core->log);
	return !t->answer->log_full;
}

void answer_emit_text(struct answer_turn *t, const char *text, size_t len)
{
	show(t, &(struct event_text_delta){.text = {text, len}});
}

/* Templates stream chunks of about a line, so that a client can resume in the middle of an
 * answer. */
#define CHUNK_BYTES 48

void answer_emit_in_chunks(struct answer_turn *t, const char *text,
			   void (*say)(struct answer_turn *t, const char *text, size_t len))
{
	while (*text) {
		size_t n = strnlen(text, CHUNK_BYTES);

		while (text[n] && text[n - 1] != ' ' && text[n - 1] != '\n')
			n++;
		say(t, text, n);
		text += n;
	}
}

static struct event_mark mark_of(const struct guard_chunk *chunk, size_t chars_before)
{
	const struct guard_ref *ref = &chunk->ref;
	struct event_mark mark = {.kind = guard_kind_name(chunk->kind),
				  .why = guard_unchecked_reason_name(chunk->why),
				  .start = chunk->start,
				  .len = chunk->count,
				  .at = chars_before + chunk->start,
				  .row = -1};

	if (chunk->kind == GUARD_BOUND) {
		mark.has_ref = true;
		mark.call = ref->call;
		mark.column = ref->column;
		mark.formula = ref->formula;
		mark.row = ref->row;
	}
	return mark;
}

void answer_emit_checked(struct answer_turn *t, const struct guard_chunk *chunk)
{
	struct event_text_delta delta = {.text = {chunk->text, chunk->len},
					 .marked = chunk->marked};

	if (chunk->marked)
		delta.mark = mark_of(chunk, t->answer->checked.chars);
	if (!(t->answer->cites ? cites_show(t, &delta, show) : show(t, &delta)))
		return;
	if (chunk->marked)
		t->answer->checked.count[chunk->kind]++;
	if (!t->answer->cites)
		t->answer->checked.chars += utf8_count(chunk->text, chunk->len);
}

static void show_view(struct answer_turn *t, const struct result *r, const char *view_id,
		      struct str view)
{
	t->answer->views.count++;
	event_emit(t->core->sink, &(struct event){.kind = EVENT_VIEW,
						  .u.view = {.view_id = view_id,
							     .agent = r ? r->agent : NULL,
							     .task = r ? r->task : NULL,
							     .view = view}});
}

void answer_emit_component(struct answer_turn *t, const char *task, const char *view_id,
			   struct str view)
{
	t->answer->views.count++;
	t->answer->views.charts++; /* components draw */
	event_emit(
		t->core->sink,
		&(struct event){
			.kind = EVENT_VIEW,
			.u.view = {.view_id = view_id,
				   .agent = t->work->plan->flow ? t->work->plan->flow->agent : NULL,
				   .task = task,
				   .view = view}});
}

void answer_emit_view_json(struct answer_turn *t, const struct result *r, json_t *view_take)
{
	char *text = json_text(view_take);

	show_view(t, r, json_string_value(json_object_get(view_take, "view_id")), str_of(text));
	mem_free(text);
	json_decref(view_take);
}

static const char *next_view_id(const struct answer_turn *t, const struct result *r)
{
	return arena_printf(t->core->arena, "%s-v%zu", r->call, t->answer->views.count + 1);
}

/* A chart that the question asks for is a separate step in the event stream. */
static bool chart(struct answer_turn *t, const struct result *r, const char *view_id,
		  struct buf *view)
{
	enum view_chart_preference preference =
		view_chart_preference(r->language, t->core->request.content);
	struct str type = STR("null");
	bool drawn;

	if (t->options->no_charts)
		return false;
	if (preference == CHART_NO_PREFERENCE || preference == CHART_AS_TABLE)
		return view_chart(view, r, view_id, preference);
	stage_begin(t, STAGE_CHART);
	drawn = view_chart(view, r, view_id, preference);
	if (drawn)
		(void)json_member((struct str){buf_text(view), view->n}, "chart_type", &type);
	stage_end(t, STAGE_CHART,
		  arena_printf(t->core->arena, "{\"chart_type\":%.*s}", (int)type.n, type.p));
	return drawn;
}

void answer_emit_view(struct answer_turn *t, struct result *r)
{
	const char *view_id = next_view_id(t, r);
	struct view_truncation cut;
	struct buf view;

	buf_init(&view, SIZE_MAX / 2);
	cut = view_data(&view, r, r->tables[0], view_id, t->core->arena);
	/* A table may also be truncated for the client, not only by the query's row limit. */
	if (cut.truncated) {
		r->outcome.truncated = true;
		r->outcome.truncation = arena_strdup(t->core->arena, cut.reason);
	}
	show_view(t, r, view_id, (struct str){buf_text(&view), view.n});
	buf_reset(&view);
	view_id = next_view_id(t, r);
	if (chart(t, r, view_id, &view)) {
		show_view(t, r, view_id, (struct str){buf_text(&view), view.n});
		t->answer->views.charts++;
	}
	buf_deinit(&view);
}

void answer_emit_outcomes(struct answer_turn *t)
{
	for (size_t i = 0; i < t->work->result_count; i++) {
		json_t *view =
			view_outcome(t->work->results[i], next_view_id(t, t->work->results[i]));

		if (view)
			answer_emit_view_json(t, t->work->results[i], view);
	}
}

static void say_error(struct answer_turn *t, const struct turn_end *end)
{
	const struct view_error view = {.code = code_row(code_of_wire(end->error_code))->view,
					.text = end->error_text};
	struct texts texts = {0};
	struct event event = {.kind = EVENT_ERROR};

	event.u.error = (struct event_error){
		.code = end->error_code,
		.message = end->error_text,
		.retryable = end->retryable,
		.detail_turn_id = end->detail_turn_id,
		.suggestions = texts_add(&texts, t->dialog->suggestions),
		.view = texts_add_take(&texts, view_error(&view, "error-v1")),
	};
	emit(t, &event, &texts);
}

static json_t *end_error_json(const struct turn_end *end)
{
	return end->error_code ? json_make({"code", json_str(end->error_code)},
					   {"message", json_str(end->error_text)})
			       : NULL;
}

static const char *end_status(const struct turn_end *end)
{
	return end->status == MESSAGE_COMPLETE ? "ok" : message_status_name(end->status);
}

void answer_emit_end(struct answer_turn *t, const struct turn_end *end)
{
	struct texts texts = {0};
	struct event event = {.kind = EVENT_RUN_FINISHED};

	stages_end(t);
	if (end->failed) {
		say_error(t, end);
		return;
	}
	event.u.run_finished = (struct event_run_finished){
		.session_id = t->core->request.session_id,
		.message_id = t->core->answer_id.text,
		.status = end_status(end),
		.provider = t->answer->provider ? t->answer->provider : "rules",
		.model = t->answer->model,
		.receipt_id = t->answer->receipt_id,
		.approved = answer_approved_json(t),
		.latency_ms = clock_mono_ms() - t->core->began_ms,
		.links = t->answer->links,
		.suggestions = texts_add(&texts, t->dialog->suggestions),
		.usage = answer_usage_json(t, true),
		.checked = t->answer->checked.stored,
		.outcomes = answer_calls_json(t, false),
		.tasks = answer_tasks_json(t),
		.error = texts_add_take(&texts, end_error_json(end)),
	};
	emit(t, &event, &texts);
}
