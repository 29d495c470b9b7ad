/*
 * Replays a stored answer for clients of other formats that request a turn whose log was evicted.
 * Text, checked numbers, views, the clarifying question and the end are unchanged. Progress events
 * are not stored.
 */
#include "vesper/answer.h"

#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/utf8.h"

static struct str json_str_of(const json_t *value, struct arena *a)
{
	char *text = json_text(value);
	struct str copy = {arena_strdup(a, text), strlen(text)};

	mem_free(text);
	return copy;
}

static struct str stored_str(const char *text)
{
	return text ? str_of(text) : (struct str){0};
}

/* ---- Text and checked numbers ---- */

static void emit_chunk(struct answer_turn *t, struct str text, const struct event_mark *mark)
{
	struct event event = {.kind = EVENT_TEXT_DELTA, .u.text_delta = {.text = text}};

	if (text.n == 0)
		return;
	if (mark) {
		event.u.text_delta.marked = true;
		event.u.text_delta.mark = *mark;
	}
	event_emit(t->core->sink, &event);
}

/* Removes `count` characters from the start of the text, or fewer if it is shorter. */
static struct str take_characters(struct str *rest, int64_t count)
{
	struct str taken = {rest->p, 0};

	while (count-- > 0 && taken.n < rest->n) {
		taken.n++;
		while (taken.n < rest->n && (rest->p[taken.n] & 0xc0) == 0x80)
			taken.n++;
	}
	rest->p += taken.n;
	rest->n -= taken.n;
	return taken;
}

static struct event_mark mark_of(const json_t *item, int64_t start, int64_t len)
{
	const json_t *ref = json_object_get(item, "ref");
	const json_t *row = json_object_get(ref, "row");

	return (struct event_mark){
		.kind = json_string_value(json_object_get(item, "kind")),
		.why = json_string_value(json_object_get(item, "why")),
		.len = (size_t)len,
		.at = (size_t)start,
		.has_ref = ref != NULL,
		.call = json_string_value(json_object_get(ref, "call")),
		.column = json_string_value(json_object_get(ref, "column")),
		.formula = json_string_value(json_object_get(ref, "formula")),
		.row = row ? json_integer_value(row) : -1,
		.n = json_integer_value(json_object_get(item, "n")),
	};
}

/* Overlapping items come from a damaged cell and are skipped. */
static void emit_marked(struct answer_turn *t, struct str text, const json_t *checked)
{
	const json_t *item;
	int64_t at = 0;
	size_t i;

	json_array_foreach(json_object_get(checked, "items"), i, item) {
		int64_t start = json_integer_value(json_object_get(item, "start"));
		int64_t len = json_integer_value(json_object_get(item, "len"));
		struct event_mark mark = mark_of(item, start, len);

		if (start < at || len < 1 || !mark.kind)
			continue;
		emit_chunk(t, take_characters(&text, start - at), NULL);
		emit_chunk(t, take_characters(&text, len), &mark);
		at = start + len;
	}
	emit_chunk(t, text, NULL);
}

/* ---- Views ---- */

/* The body of a plan or clarifying-question event, without the members that made it a view. */
static struct str body_of(const json_t *view, struct arena *a)
{
	json_t *body = json_deep_copy(view);
	struct str text;

	json_object_del(body, "view_type");
	json_object_del(body, "view_id");
	json_object_del(body, "text");
	text = json_str_of(body, a);
	json_decref(body);
	return text;
}

static void emit_stored_view(struct answer_turn *t, const json_t *view, const char *type)
{
	const char *text = json_string_value(json_object_get(view, "text"));
	struct arena *a = t->core->arena;
	struct event event = {.kind = EVENT_VIEW};

	if (strcmp(type, "plan") == 0) {
		event.kind = EVENT_PLAN;
		event.u.plan.body = body_of(view, a);
	} else if (strcmp(type, "selection") == 0) {
		event.kind = EVENT_ASK;
		event.u.ask = (struct event_ask){text ? text : "", body_of(view, a)};
	} else {
		event.u.view.view_id = json_string_value(json_object_get(view, "view_id"));
		event.u.view.view = json_str_of(view, a);
	}
	event_emit(t->core->sink, &event);
}

/* Clarifying questions follow the text, as in the original order. */
static void emit_stored_views(struct answer_turn *t, const json_t *views, bool questions)
{
	const json_t *view;
	size_t i;

	json_array_foreach(views, i, view) {
		const char *type = json_string_value(json_object_get(view, "view_type"));

		if (type && (strcmp(type, "selection") == 0) == questions)
			emit_stored_view(t, view, type);
	}
}

void answer_emit_stored_turn(struct answer_turn *t, const struct message *question,
			     const struct message *answer)
{
	const json_t *views = store_text_json(answer->texts.views, t->core->arena);

	event_emit(t->core->sink,
		   &(struct event){.kind = EVENT_RUN_STARTED,
				   .u.run_started = {answer->session_id, question->message_id,
						     answer->message_id, question->client_msg_id}});
	emit_stored_views(t, views, false);
	emit_marked(t, str_of(answer->content),
		    store_text_json(answer->texts.checked, t->core->arena));
	emit_stored_views(t, views, true);
	event_emit(
		t->core->sink,
		&(struct event){.kind = EVENT_RUN_FINISHED,
				.u.run_finished = {
					.session_id = answer->session_id,
					.message_id = answer->message_id,
					.status = answer->status == MESSAGE_COMPLETE
							  ? "ok"
							  : message_status_name(answer->status),
					.provider = answer->provider ? answer->provider : "rules",
					.model = answer->model,
					.receipt_id = answer->receipt_id,
					.latency_ms = answer->latency_ms,
					.links = stored_str(answer->texts.pbi_deep_links),
					.checked = stored_str(answer->texts.checked),
				}});
}
