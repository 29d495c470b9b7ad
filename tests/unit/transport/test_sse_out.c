#include "fixture.h"

#include "sse_out.h"
#include "vesper/mem.h"

/* The data line of the event, parsed; checks the lines around it. */
static json_t *event_data(struct stream_entry *entry, const char *name)
{
	json_t *data;
	char *line;
	char head[100];
	struct buf b;

	buf_init(&b, 10000);
	sse_out_entry(&b, TURN, entry, STR("It is \"48.73\"."));
	snprintf(head, sizeof(head), "id: %d\nevent: %s\ndata: ", (int)entry->seq, name);
	assert_memory_equal(buf_text(&b), head, strlen(head));
	assert_string_equal(buf_text(&b) + b.n - 2, "\n\n");
	line = mem_strndup(buf_text(&b) + strlen(head), b.n - strlen(head) - 2);
	assert_null(strchr(line, '\n'));
	data = parsed(line);
	assert_string_equal(json_string_value(json_object_get(data, "type")), name);
	assert_string_equal(json_string_value(json_object_get(data, "turn_id")), TURN);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(data, "frame"), "type")),
		event_type(entry->kind));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(data, "frame"), "seq")),
			 entry->seq);
	mem_free(line);
	buf_deinit(&b);
	entry_done(entry);
	return data;
}

static const char *text_at(const json_t *value, const char *a, const char *b)
{
	return json_string_value(json_object_get(json_object_get(value, a), b));
}

static void items_of_a_status(void **state)
{
	struct stream_entry entry = entry_of(2, EVENT_STATUS,
					     "{\"phase\":\"running\",\"item_id\":\"c1\",\"state\":"
					     "\"started\",\"tool\":\"t\",\"text\":\"Reading\"}");
	json_t *data = event_data(&entry, "item.started");

	(void)state;
	assert_string_equal(text_at(data, "item", "id"), "c1");
	assert_string_equal(text_at(data, "item", "type"), "sql_execution");
	assert_string_equal(text_at(data, "item", "status"), "in_progress");
	assert_string_equal(text_at(data, "item", "description"), "Reading");
	assert_null(json_object_get(json_object_get(data, "item"), "output"));
	json_decref(data);

	entry = entry_of(3, EVENT_STATUS,
			 "{\"phase\":\"running\",\"item_id\":\"c1\",\"state\":\"failed\",\"tool\":"
			 "\"t\",\"outcome\":\"timeout\",\"rows\":0,\"text\":\"x\"}");
	data = event_data(&entry, "item.completed");
	assert_string_equal(text_at(data, "item", "status"), "failed");
	assert_string_equal(text_at(json_object_get(data, "item"), "output", "outcome"), "timeout");
	json_decref(data);

	entry = entry_of(4, EVENT_STATUS,
			 "{\"phase\":\"checking\",\"state\":\"completed\",\"text\":\"x\"}");
	data = event_data(&entry, "item.completed");
	assert_string_equal(text_at(data, "item", "type"), "guardrail_check");
	assert_string_equal(text_at(data, "item", "id"), "checking");
	json_decref(data);

	entry = entry_of(5, EVENT_STATUS, "{\"phase\":\"planning\",\"text\":\"Planning\"}");
	data = event_data(&entry, "progress.update");
	assert_string_equal(json_string_value(json_object_get(data, "phase")), "planning");
	json_decref(data);
}

static void deltas_of_tokens(void **state)
{
	struct stream_entry entry = token_of(6, "line\nbreak");
	json_t *data = event_data(&entry, "item.updated");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(data, "delta")), "line\nbreak");
	assert_string_equal(text_at(data, "item", "type"), "message");
	json_decref(data);
}

static void views_and_asks(void **state)
{
	struct stream_entry entry =
		entry_of(7, EVENT_VIEW, "{\"view\":{\"view_id\":\"v1\",\"view_type\":\"data\"}}");
	json_t *data = event_data(&entry, "response");

	(void)state;
	assert_string_equal(text_at(data, "view", "view_id"), "v1");
	json_decref(data);
	entry = entry_of(8, EVENT_ASK, "{\"ask_id\":\"a\",\"prompt\":\"Which?\"}");
	data = event_data(&entry, "response");
	assert_string_equal(text_at(data, "view", "view_type"), "selection");
	assert_string_equal(text_at(data, "view", "prompt"), "Which?");
	json_decref(data);
}

static void beginning_and_ends(void **state)
{
	struct stream_entry entry = entry_of(1, EVENT_THINKING, "{\"user_message_id\":\"m\"}");
	json_t *data = event_data(&entry, "turn.started");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(data, "user_message_id")), "m");
	json_decref(data);
	entry = entry_of(2, EVENT_FILTERS, "{\"filters\":[]}");
	data = event_data(&entry, "progress.update");
	assert_true(json_is_array(json_object_get(data, "filters")));
	json_decref(data);
	entry = entry_of(9, EVENT_COMPLETE, "{\"status\":\"ok\",\"usage\":{\"calls\":1}}");
	data = event_data(&entry, "turn.completed");
	assert_string_equal(text_at(data, "response", "status"), "ok");
	assert_string_equal(text_at(data, "response", "view_type"), "base");
	assert_string_equal(text_at(data, "response", "text"), "It is \"48.73\".");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(data, "usage"), "calls")), 1);
	json_decref(data);
	entry = entry_of(9, EVENT_ERROR, "{\"code\":\"upstream\",\"message\":\"x\"}");
	data = event_data(&entry, "turn.failed");
	assert_string_equal(json_string_value(json_object_get(data, "code")), "upstream");
	json_decref(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_of_a_status),
		cmocka_unit_test(deltas_of_tokens),
		cmocka_unit_test(views_and_asks),
		cmocka_unit_test(beginning_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
