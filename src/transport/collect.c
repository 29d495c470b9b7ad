/* Puts together what a client of the socket would have put together: no member of the answer comes
 * from elsewhere. */
#include "collect.h"

#include <assert.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/limits.h"

void collector_init(struct collector *c)
{
	*c = (struct collector){.views = json_array(), .filters = json_array()};
	buf_init(&c->text, EVENT_LOG_BYTES_MAX);
}

void collector_deinit(struct collector *c)
{
	buf_deinit(&c->text);
	json_decref(c->views);
	json_decref(c->filters);
	json_decref(c->ask);
	json_decref(c->end);
}

static bool same_view(const json_t *a, const json_t *b)
{
	const json_t *id = json_object_get(a, "view_id");

	return id && json_equal(id, json_object_get(b, "view_id"));
}

static void add_view(json_t *views, json_t *view)
{
	size_t i;
	json_t *earlier;

	json_array_foreach(views, i, earlier)
		if (same_view(earlier, view)) {
			json_array_set(views, i, view);
			return;
		}
	json_array_append(views, view);
}

/* A question back is a view as well, as in the stored message. */
static void add_selection(json_t *views, const json_t *ask)
{
	json_t *view = json_object();

	json_set_str(view, "view_type", "selection");
	json_set_str(view, "view_id", "ask-v1");
	json_set_str(view, "text", json_string_value(json_object_get(ask, "prompt")));
	json_object_update_missing(view, (json_t *)(uintptr_t)ask);
	json_push_take(views, view);
}

static void keep(json_t **slot, json_t *value)
{
	json_incref(value);
	json_decref(*slot);
	*slot = value;
}

static void end_unreadable(struct collector *c)
{
	json_decref(c->end);
	c->failed = true;
	c->end = json_make({"code", json_str("internal")},
			   {"message", json_str("The stored events of this answer cannot be read. "
						"Ask the question again.")},
			   {"retryable", json_false()});
}

void collector_add(struct collector *c, const struct stream_entry *entry)
{
	json_t *body = (json_t *)(uintptr_t)entry->body; /* only ever referenced, never changed */

	c->unreadable |= entry->json_len > 0 && !body;
	if (c->unreadable) {
		if (event_is_closing(entry->kind))
			end_unreadable(c);
		return;
	}
	switch (entry->kind) {
	case EVENT_TOKEN:
		buf_add(&c->text, entry->text, entry->text_len);
		break;
	case EVENT_VIEW:
		add_view(c->views, json_object_get(body, "view"));
		break;
	case EVENT_FILTERS:
		keep(&c->filters, json_object_get(body, "filters"));
		break;
	case EVENT_ASK:
		keep(&c->ask, body);
		add_selection(c->views, body);
		break;
	case EVENT_COMPLETE:
	case EVENT_ERROR:
		keep(&c->end, body);
		c->failed = entry->kind == EVENT_ERROR;
		break;
	default:
		break;
	}
}

json_t *collector_answer(const struct collector *c, const char *turn_id, const char *session_id)
{
	json_t *answer = json_object();

	assert(c->end && !c->failed);
	json_set_str(answer, "turn_id", turn_id);
	json_set_str(answer, "session_id", session_id);
	json_set_take(answer, "message_id", json_incref(json_object_get(c->end, "message_id")));
	json_set_take(answer, "text", json_strn(buf_text(&c->text), c->text.n));
	json_set_take(answer, "views", json_incref(c->views));
	json_set_take(answer, "ask", json_incref(c->ask));
	json_set_take(answer, "filters", json_incref(c->filters));
	json_object_update_missing(answer, c->end);
	return answer;
}

json_t *collector_problem(const struct collector *c, const char *turn_id, const char *session_id,
			  const char *instance, const char *request_id, enum problem *problem)
{
	const char *code = json_string_value(json_object_get(c->end, "code"));
	json_t *body;

	assert(c->end && c->failed);
	*problem = problem_of_code(code ? code : "internal");
	body = problem_json(*problem, json_string_value(json_object_get(c->end, "message")),
			    instance, request_id);
	json_set_str(body, "turn_id", turn_id);
	json_set_str(body, "session_id", session_id);
	json_object_update_missing(body, c->end); /* retryable, retry_after_ms, suggestions, view */
	return body;
}
