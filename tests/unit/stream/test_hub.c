#include "turn_log.h"

static struct uuid finished_by(const struct principal *who, const char *text)
{
	struct uuid turn = uuid_new();
	struct uuid session = uuid_new();
	struct stream_log *log = stream_open(hub, turn.text, session.text, who, NULL, NULL);

	emit_text(log, text);
	emit_end(log, "ok");
	stream_release(&log);
	assert_null(log);
	return turn;
}

static struct uuid finished(const char *text)
{
	return finished_by(&ann, text);
}

static void found_by_its_user_only(void **state)
{
	struct uuid turn = uuid_new();
	struct uuid session = uuid_new();
	struct stream_log *log = stream_open(hub, turn.text, session.text, &ann, NULL, NULL);

	(void)state;
	assert_ptr_equal(stream_find(hub, turn.text, &ann), log);
	assert_string_equal(stream_turn_id(log), turn.text);
	assert_string_equal(stream_session_id(log), session.text);
	assert_null(stream_find(hub, turn.text, &bob));
	assert_null(stream_find(hub, turn.text, &other_ann));
	assert_null(stream_find(hub, session.text, &ann));
	emit_end(log, "ok");
	stream_release(&log);
	assert_non_null(stream_find(hub, turn.text, &ann));
}

static void finished_logs_expire(void **state)
{
	struct uuid turn;

	(void)state;
	clock_freeze_ms(1000000);
	turn = finished("x");
	clock_advance_ms(EVENT_LOG_KEPT_MS - 1);
	assert_non_null(stream_find(hub, turn.text, &ann));
	clock_advance_ms(1);
	assert_null(stream_find(hub, turn.text, &ann));
}

static void a_reader_outlives_the_expiry(void **state)
{
	struct stream_watch *w;
	struct uuid turn;

	(void)state;
	clock_freeze_ms(1000000);
	turn = finished("still here");
	w = stream_watch_new(stream_find(hub, turn.text, &ann), 0, on_nothing, NULL);
	clock_advance_ms(EVENT_LOG_KEPT_MS);
	assert_null(stream_find(hub, turn.text, &ann));
	assert_true(str_eq(stream_read(w)->event->u.text_delta.text, STR("still here")));
	stream_watch_free(&w);
}

static void too_many_push_out_the_oldest(void **state)
{
	struct uuid first = finished("x");
	struct uuid second = finished("x");

	(void)state;
	for (int i = 2; i < EVENT_LOGS_MAX; i++)
		finished("x");
	assert_non_null(stream_find(hub, first.text, &ann));
	finished("x");
	assert_null(stream_find(hub, first.text, &ann));
	assert_non_null(stream_find(hub, second.text, &ann));
}

static void too_many_bytes_push_out_the_oldest(void **state)
{
	size_t piece = EVENT_LOG_BYTES_MAX / 2;
	char *big = test_calloc(1, piece + 1);
	struct uuid first;

	(void)state;
	memset(big, 'x', piece);
	first = finished(big);
	for (size_t total = 2 * piece; total < EVENT_LOGS_BYTES_MAX; total += piece)
		finished(big);
	assert_non_null(stream_find(hub, first.text, &ann));
	finished(big);
	assert_null(stream_find(hub, first.text, &ann));
	test_free(big);
}

/* However much one tenant keeps, another that holds less loses nothing. */
static void a_greedy_tenant_pushes_out_its_own(void **state)
{
	size_t piece = EVENT_LOG_BYTES_MAX / 2;
	char *big = test_calloc(1, piece + 1);
	struct uuid mine = finished_by(&other_ann, "mine"), large, own, last;

	(void)state;
	memset(big, 'x', piece);
	large = finished_by(&other_ann, big);
	own = finished(big);
	for (size_t total = 0; total < 3 * (size_t)EVENT_LOGS_BYTES_MAX; total += piece)
		last = finished(big);
	assert_non_null(stream_find(hub, mine.text, &other_ann));
	assert_non_null(stream_find(hub, large.text, &other_ann));
	assert_null(stream_find(hub, own.text, &ann));
	assert_non_null(stream_find(hub, last.text, &ann));
	for (int i = 0; i < 2 * EVENT_LOGS_MAX; i++)
		finished("x");
	assert_non_null(stream_find(hub, mine.text, &other_ann));
	test_free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found_by_its_user_only, setup, teardown),
		cmocka_unit_test_setup_teardown(finished_logs_expire, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_outlives_the_expiry, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_push_out_the_oldest, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_bytes_push_out_the_oldest, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_greedy_tenant_pushes_out_its_own, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
