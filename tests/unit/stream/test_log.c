#include "turn_log.h"

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
	if (!stream_is_closed(*log))
		emit_end(*log, "ok");
	stream_release(log);
}

static void numbers_from_one_without_gaps(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);
	const struct stream_entry *entry;

	(void)state;
	assert_null(stream_read(w));
	emit(log, &(struct event){.kind = EVENT_RUN_STARTED, .u.run_started.user_message_id = "m"});
	emit_text(log, "Hel");
	emit_text(log, "lo");
	entry = stream_read(w);
	assert_int_equal(entry->seq, 1);
	assert_int_equal(entry->event->kind, EVENT_RUN_STARTED);
	assert_true(entry->event->at_ms > 0);
	assert_string_equal(entry->event->u.run_started.user_message_id, "m");
	assert_null(entry->event->u.run_started.client_msg_id);
	entry = stream_read(w);
	assert_int_equal(entry->seq, 2);
	assert_true(str_eq(entry->event->u.text_delta.text, STR("Hel")));
	assert_false(entry->event->u.text_delta.marked);
	assert_int_equal(stream_read(w)->seq, 3);
	assert_true(str_eq(stream_text(log), STR("Hello")));
	assert_int_equal(stream_kind(log, 3), EVENT_TEXT_DELTA);
	assert_null(stream_read(w));
	assert_false(stream_watch_is_at_end(w));
	log_end(&log);
	assert_false(stream_watch_is_at_end(w));
	assert_int_equal(stream_read(w)->seq, 4);
	assert_true(stream_watch_is_at_end(w));
	stream_watch_free(&w);
	assert_null(w);
}

static void entry_may_be_unread(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w = stream_watch_new(log, 0, on_wake, NULL);

	(void)state;
	emit_text(log, "a");
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
	emit_text(log, "a");
	emit_text(log, "b");
	assert_int_equal(wakes, 0);
	spin();
	assert_int_equal(wakes, 1);
	emit_text(log, "c");
	spin();
	assert_int_equal(wakes, 2);
	emit_text(log, "d");
	stream_watch_free(&w);
	spin();
	assert_int_equal(wakes, 2);
	log_end(&log);
}

static void late_watch_is_woken_for_existing_events(void **state)
{
	struct stream_log *log = log_new();
	struct stream_watch *w;

	(void)state;
	emit_text(log, "a");
	emit_text(log, "b");
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
	emit_error(log, "internal", "Something went wrong.");
	emit_text(log, "late");
	emit_end(log, "ok");
	assert_int_equal(stream_last_seq(log), 1);
	assert_true(stream_is_closed(log));
	log_end(&log);
}

static void entry_limit_reserves_the_closing_event(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	for (int i = 0; i < EVENTS_PER_TURN_MAX - 1; i++)
		emit_text(log, "x");
	assert_false(stream_is_full(log));
	emit_text(log, "one too many");
	assert_true(stream_is_full(log));
	assert_int_equal(stream_last_seq(log), EVENTS_PER_TURN_MAX - 1);
	log_end(&log);
}

static void byte_limit_leaves_no_gap(void **state)
{
	struct stream_log *log = log_new();
	size_t piece = EVENT_LOG_BYTES_MAX / 4;
	char *big = test_calloc(1, piece + 2);

	(void)state;
	memset(big, 'x', piece);
	for (int i = 0; i < 3; i++)
		emit_text(log, big);
	big[piece] = 'x';
	emit_text(log, big);
	assert_true(stream_is_full(log));
	assert_int_equal(stream_text(log).n, 3 * piece);
	emit_text(log, "small enough, but after a loss");
	assert_int_equal(stream_last_seq(log), 3);
	emit_end(log, "partial");
	assert_true(stream_is_closed(log));
	assert_int_equal(stream_last_seq(log), 4);
	stream_release(&log);
	test_free(big);
}

static void owner_is_notified_of_watchers_while_running(void **state)
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

static void released_log_keeps_its_events(void **state)
{
	struct stream_log *log = log_new();
	struct stream_log *same = log;
	struct stream_watch *w;
	const struct event *event;
	const struct event marked = {
		.kind = EVENT_TEXT_DELTA,
		.u.text_delta = {.text = STR("48.73"),
				 .marked = true,
				 .mark = {.kind = "bound", .len = 5, .has_ref = true, .row = 2}}};

	(void)state;
	emit_view(log, "v1", "{\"view_id\":\"v1\"}");
	emit(log, &marked);
	emit_text(log, "");
	log_end(&log);
	w = stream_watch_new(same, 0, on_wake, NULL);
	event = stream_read(w)->event;
	assert_string_equal(event->u.view.view_id, "v1");
	assert_true(str_eq(event->u.view.view, STR("{\"view_id\":\"v1\"}")));
	event = stream_read(w)->event;
	assert_true(str_eq(event->u.text_delta.text, STR("48.73")));
	assert_true(event->u.text_delta.marked);
	assert_string_equal(event->u.text_delta.mark.kind, "bound");
	assert_int_equal(event->u.text_delta.mark.row, 2);
	assert_null(event->u.text_delta.mark.call);
	event = stream_read(w)->event;
	assert_int_equal(event->u.text_delta.text.n, 0);
	assert_false(event->u.text_delta.marked);
	stream_watch_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_from_one_without_gaps, setup, teardown),
		cmocka_unit_test_setup_teardown(wakes_from_the_loop_only, setup, teardown),
		cmocka_unit_test_setup_teardown(late_watch_is_woken_for_existing_events, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_follows_the_closing_event, setup, teardown),
		cmocka_unit_test_setup_teardown(entry_limit_reserves_the_closing_event, setup,
						teardown),
		cmocka_unit_test_setup_teardown(byte_limit_leaves_no_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(owner_is_notified_of_watchers_while_running, setup,
						teardown),
		cmocka_unit_test_setup_teardown(released_log_keeps_its_events, setup, teardown),
		cmocka_unit_test_setup_teardown(entry_may_be_unread, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
