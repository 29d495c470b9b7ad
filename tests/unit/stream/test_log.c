#include "stream_fixture.h"

static size_t wakes;
static size_t watchers;
static size_t watcher_calls;

static void on_wake(void *owner)
{
	(void)owner;
	wakes++;
}

static void on_watchers(void *owner, size_t n)
{
	assert_ptr_equal(owner, &watchers);
	watchers = n;
	watcher_calls++;
}

static struct stream_log *log_new(void)
{
	struct uuid turn = uuid_new();
	struct uuid session = uuid_new();

	wakes = watchers = watcher_calls = 0;
	return stream_open(hub, turn.text, session.text, &ann, on_watchers, &watchers);
}

static void log_end(struct stream_log **log)
{
	if (!stream_closed(*log))
		emit_json(*log, EVENT_COMPLETE, "{\"status\":\"ok\"}");
	stream_release(log);
}

static void numbers_from_one_without_gaps(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);
	const struct stream_entry *entry;

	(void)state;
	assert_null(stream_read(w));
	emit_json(log, EVENT_THINKING, "{\"user_message_id\":\"m\"}");
	emit_token(log, "Hel");
	emit_token(log, "lo");
	entry = stream_read(w);
	assert_int_equal(entry->seq, 1);
	assert_int_equal(entry->kind, EVENT_THINKING);
	assert_string_equal(json_string_value(json_object_get(entry->body, "user_message_id")),
			    "m");
	assert_int_equal(entry->json_len, strlen("{\"user_message_id\":\"m\"}"));
	assert_memory_equal(entry->json, "{\"user_message_id\":\"m\"}", entry->json_len);
	entry = stream_read(w);
	assert_int_equal(entry->seq, 2);
	assert_int_equal(entry->text_len, 3);
	assert_memory_equal(entry->text, "Hel", 3);
	assert_null(entry->body);
	assert_int_equal(stream_read(w)->seq, 3);
	assert_null(stream_read(w));
	assert_false(stream_ended(w));
	log_end(&log);
	assert_false(stream_ended(w));
	assert_int_equal(stream_read(w)->seq, 4);
	assert_true(stream_ended(w));
	stream_watch_free(&w);
	assert_null(w);
}

static void an_entry_may_be_put_back(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);

	(void)state;
	emit_token(log, "a");
	assert_int_equal(stream_read(w)->seq, 1);
	stream_unread(w);
	assert_int_equal(stream_read(w)->seq, 1);
	assert_null(stream_read(w));
	stream_watch_free(&w);
	log_end(&log);
}

static void wakes_from_the_loop_only(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);

	(void)state;
	emit_token(log, "a");
	emit_token(log, "b");
	assert_int_equal(wakes, 0);
	spin();
	assert_int_equal(wakes, 1);
	emit_token(log, "c");
	spin();
	assert_int_equal(wakes, 2);
	emit_token(log, "d");
	stream_watch_free(&w);
	spin();
	assert_int_equal(wakes, 2);
	log_end(&log);
}

static void late_watch_is_woken_for_what_is_there(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w;

	(void)state;
	emit_token(log, "a");
	emit_token(log, "b");
	w = stream_watch_new(log, 1, on_wake, NULL);
	spin();
	assert_int_equal(wakes, 1);
	assert_int_equal(stream_read(w)->seq, 2);
	stream_watch_free(&w);
	log_end(&log);
}

static void nothing_follows_the_closing_event(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	emit_json(log, EVENT_ERROR, "{\"code\":\"internal\"}");
	emit_token(log, "late");
	emit_json(log, EVENT_COMPLETE, "{\"status\":\"ok\"}");
	assert_int_equal(stream_last_seq(log), 1);
	assert_true(stream_closed(log));
	log_end(&log);
}

static void entries_are_bounded_with_room_for_the_end(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	for (int i = 0; i < EVENTS_PER_TURN_MAX - 1; i++)
		emit_token(log, "x");
	assert_false(stream_full(log));
	emit_token(log, "one too many");
	assert_true(stream_full(log));
	assert_int_equal(stream_last_seq(log), EVENTS_PER_TURN_MAX - 1);
	log_end(&log);
}

static void bytes_are_bounded_and_leave_no_gap(void **state)
{
	struct stream_log *log = log_new();
	size_t piece = EVENT_LOG_BYTES_MAX / 4;
	char *big = test_calloc(1, piece + 2);

	(void)state;
	memset(big, 'x', piece + 1);
	for (int i = 0; i < 3; i++)
		event_emit_token(stream_sink(log), big, piece);
	event_emit_token(stream_sink(log), big, piece + 1);
	assert_true(stream_full(log));
	emit_token(log, "small enough, but after a loss");
	assert_int_equal(stream_last_seq(log), 3);
	emit_json(log, EVENT_COMPLETE, "{\"status\":\"partial\"}");
	assert_true(stream_closed(log));
	assert_int_equal(stream_last_seq(log), 4);
	stream_release(&log);
	test_free(big);
}

static void owner_hears_who_watches_while_it_runs(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *a = stream_watch_new(log, 0, on_wake, NULL);
	struct stream_watch *b = stream_watch_new(log, 0, on_wake, NULL);

	(void)state;
	assert_int_equal(watcher_calls, 0);
	spin();
	assert_int_equal(watchers, 2);
	stream_watch_free(&a);
	stream_watch_free(&b);
	assert_int_equal(stream_watchers(log), 0);
	spin();
	assert_int_equal(watchers, 0);
	watcher_calls = 0;
	a = stream_watch_new(log, 0, on_wake, NULL);
	log_end(&log);
	spin();
	stream_watch_free(&a);
	spin();
	assert_int_equal(watcher_calls, 0);
}

static void a_released_log_still_has_its_bodies(void **state)
{
	struct stream_log *log = log_new();
	struct stream_log *same = log;
	struct stream_watch *w;
	const struct stream_entry *entry;
	json_t *mark = json_pack("{s:s}", "kind", "bound");
	struct event marked = {.kind = EVENT_TOKEN, .text = "48.73", .text_len = 5, .body = mark};

	(void)state;
	emit_json(log, EVENT_VIEW, "{\"view\":{\"view_id\":\"v1\"}}");
	stream_sink(log)->emit(stream_sink(log)->owner, &marked);
	json_decref(mark);
	emit_token(log, "");
	log_end(&log);
	w = stream_watch_new(same, 0, on_wake, NULL);
	entry = stream_read(w);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(entry->body, "view"), "view_id")),
		"v1");
	entry = stream_read(w);
	assert_memory_equal(entry->text, "48.73", 5);
	assert_string_equal(json_string_value(json_object_get(entry->body, "kind")), "bound");
	assert_memory_equal(entry->json, "{\"kind\":\"bound\"}", entry->json_len);
	entry = stream_read(w);
	assert_int_equal(entry->text_len, 0);
	assert_null(entry->body);
	stream_watch_free(&w);
}

/* The writer nests as deep as it is told, the parser does not. */
static void what_cannot_be_parsed_again_is_read_without_a_body(void **state)
{
	struct stream_log *log = log_new();
	struct stream_log *same = log;
	struct stream_watch *w;
	const struct stream_entry *entry;
	json_t *deep = json_array();

	(void)state;
	for (int i = 0; i < JSON_DEPTH_MAX; i++)
		deep = json_list_of(deep);
	event_emit(stream_sink(log), EVENT_VIEW, json_make({"view", deep}));
	log_end(&log);
	w = stream_watch_new(same, 0, on_wake, NULL);
	entry = stream_read(w);
	assert_null(entry->body);
	assert_true(entry->json_len > JSON_DEPTH_MAX);
	assert_non_null(stream_read(w)->body);
	assert_true(stream_ended(w));
	stream_watch_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_from_one_without_gaps, setup, teardown),
		cmocka_unit_test_setup_teardown(wakes_from_the_loop_only, setup, teardown),
		cmocka_unit_test_setup_teardown(late_watch_is_woken_for_what_is_there, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_follows_the_closing_event, setup, teardown),
		cmocka_unit_test_setup_teardown(entries_are_bounded_with_room_for_the_end, setup,
						teardown),
		cmocka_unit_test_setup_teardown(bytes_are_bounded_and_leave_no_gap, setup,
						teardown),
		cmocka_unit_test_setup_teardown(owner_hears_who_watches_while_it_runs, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_parsed_again_is_read_without_a_body,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_released_log_still_has_its_bodies, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_entry_may_be_put_back, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
