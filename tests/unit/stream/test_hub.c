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

static void log_is_found_by_its_user_only(void **state)
{
	struct uuid turn = uuid_new();
	struct uuid session = uuid_new();
	struct stream_log *log = stream_open(hub, turn.text, session.text, &ann, NULL, NULL);

	(void)state;
	assert_ptr_equal(stream_find_readable(hub, turn.text, &ann), log);
	assert_string_equal(stream_turn_id(log), turn.text);
	assert_string_equal(stream_session_id(log), session.text);
	assert_null(stream_find_readable(hub, turn.text, &bob));
	assert_null(stream_find_readable(hub, turn.text, &other_ann));
	assert_null(stream_find_readable(hub, session.text, &ann));
	emit_end(log, "ok");
	stream_release(&log);
	assert_non_null(stream_find_readable(hub, turn.text, &ann));
}

static void finished_logs_expire(void **state)
{
	struct uuid turn;

	(void)state;
	clock_freeze_ms(1000000);
	turn = finished("x");
	clock_advance_ms(EVENT_LOG_TTL_MS - 1);
	assert_non_null(stream_find_readable(hub, turn.text, &ann));
	clock_advance_ms(1);
	assert_null(stream_find_readable(hub, turn.text, &ann));
}

static void reader_keeps_an_expired_log(void **state)
{
	struct stream_watch *w;
	struct uuid turn;

	(void)state;
	clock_freeze_ms(1000000);
	turn = finished("still here");
	w = stream_watch_new(stream_find_readable(hub, turn.text, &ann), 0, on_nothing, NULL);
	clock_advance_ms(EVENT_LOG_TTL_MS);
	assert_null(stream_find_readable(hub, turn.text, &ann));
	assert_true(str_eq(stream_read(w)->event->u.text_delta.text, STR("still here")));
	stream_watch_free(&w);
}

static void count_limit_evicts_oldest(void **state)
{
	struct uuid first = finished("x");
	struct uuid second = finished("x");

	(void)state;
	for (int i = 2; i < EVENT_LOGS_MAX; i++)
		finished("x");
	assert_non_null(stream_find_readable(hub, first.text, &ann));
	finished("x");
	assert_null(stream_find_readable(hub, first.text, &ann));
	assert_non_null(stream_find_readable(hub, second.text, &ann));
}

static void byte_limit_evicts_oldest(void **state)
{
	size_t piece = EVENT_LOG_BYTES_MAX / 2;
	char *big = test_calloc(1, piece + 1);
	struct uuid first;

	(void)state;
	memset(big, 'x', piece);
	first = finished(big);
	for (size_t total = 2 * piece; total < EVENT_LOGS_BYTES_MAX; total += piece)
		finished(big);
	assert_non_null(stream_find_readable(hub, first.text, &ann));
	finished(big);
	assert_null(stream_find_readable(hub, first.text, &ann));
	test_free(big);
}

/* Logs of a tenant with fewer log bytes are not evicted for one with more. */
static void largest_tenant_is_evicted_first(void **state)
{
	size_t piece = EVENT_LOG_BYTES_MAX / 2;
	char *big = test_calloc(1, piece + 1);
	struct uuid small = finished_by(&other_ann, "small"), large, evicted, last;

	(void)state;
	memset(big, 'x', piece);
	large = finished_by(&other_ann, big);
	evicted = finished(big);
	for (size_t total = 0; total < 3 * (size_t)EVENT_LOGS_BYTES_MAX; total += piece)
		last = finished(big);
	assert_non_null(stream_find_readable(hub, small.text, &other_ann));
	assert_non_null(stream_find_readable(hub, large.text, &other_ann));
	assert_null(stream_find_readable(hub, evicted.text, &ann));
	assert_non_null(stream_find_readable(hub, last.text, &ann));
	for (int i = 0; i < 2 * EVENT_LOGS_MAX; i++)
		finished("x");
	assert_non_null(stream_find_readable(hub, small.text, &other_ann));
	test_free(big);
}

/* ---- lookups on any replica ---- */

struct find_reply {
	bool done;
	struct stream_log *log;
	enum err_code code;
};

static void on_find_reply(void *owner, struct stream_log *log, const struct err *e)
{
	struct find_reply *h = owner;

	assert_false(h->done);
	assert_true((log == NULL) == (e != NULL));
	*h = (struct find_reply){true, log, e ? e->code : ERR_NONE};
}

static struct find_reply find(const char *turn_id, const struct principal *who)
{
	struct find_reply h = {0};

	stream_find(hub, turn_id, who, NULL, on_find_reply, &h);
	assert_false(h.done); /* never inside the call */
	while (!h.done)
		loop_run_once(loop);
	return h;
}

static void result_is_delivered_by_the_loop(void **state)
{
	struct uuid turn = finished("x");
	struct find_reply h = {0};
	struct op *op;

	(void)state;
	assert_ptr_equal(find(turn.text, &ann).log, stream_find_readable(hub, turn.text, &ann));
	assert_int_equal(find(turn.text, &bob).code, ERR_NOT_FOUND);
	assert_int_equal(find(uuid_new().text, &ann).code, ERR_NOT_FOUND);
	assert_int_equal(find("../../turns", &ann).code, ERR_NOT_FOUND);
	op = stream_find(hub, turn.text, &ann, NULL, on_find_reply, &h);
	op_cancel(&op);
	find(turn.text, &ann);
	assert_false(h.done);
}

/* The log is removed after the request: the lookup happens when the result is delivered. */
static void log_removed_meanwhile_is_not_found(void **state)
{
	struct uuid turn = finished("x");
	struct find_reply h = {0};

	(void)state;
	stream_find(hub, turn.text, &ann, NULL, on_find_reply, &h);
	stream_delete_logs(hub, NULL, &ann);
	while (!h.done)
		loop_run_once(loop);
	assert_int_equal(h.code, ERR_NOT_FOUND);
}

/* A driver that finds logs of other replicas. */
struct remote_driver {
	struct op op;
	int asked, cancelled;
	stream_found_cb cb;
	void *owner;
};

static void on_remote_cancel(struct op *op)
{
	list_item(op, struct remote_driver, op)->cancelled++;
}

static struct op *remote_find(void *self, const char *turn_id, const struct principal *who,
			      stream_found_cb cb, void *owner)
{
	struct remote_driver *remote = self;

	assert_true(uuid_valid(turn_id) && who == &ann);
	remote->asked++;
	remote->op.cancel = on_remote_cancel;
	remote->cb = cb;
	remote->owner = owner;
	return &remote->op;
}

static void driver_finds_logs_of_other_replicas(void **state)
{
	static const struct stream_driver driver = {.name = "elsewhere", .find = remote_find};
	struct remote_driver remote = {0};
	struct uuid here = finished("x");
	struct find_reply h = {0}, cancelled_find = {0};
	struct op *op;

	(void)state;
	stream_hub_set_driver(hub, &driver, &remote);
	assert_non_null(find(here.text, &ann).log);
	assert_int_equal(find("no id", &ann).code, ERR_NOT_FOUND);
	assert_int_equal(remote.asked, 0);
	stream_find(hub, uuid_new().text, &ann, NULL, on_find_reply, &h);
	while (remote.asked == 0)
		loop_run_once(loop);
	remote.cb(remote.owner, stream_find_readable(hub, here.text, &ann), NULL);
	assert_non_null(h.log);
	op = stream_find(hub, uuid_new().text, &ann, NULL, on_find_reply, &cancelled_find);
	while (remote.asked == 1)
		loop_run_once(loop);
	op_cancel(&op);
	assert_int_equal(remote.cancelled, 1);
	assert_false(cancelled_find.done);
}

/* ---- a client that has more items than the follower ---- */

static bool is_behind(void *owner, const struct stream_log *log)
{
	(void)owner;
	return stream_last_seq(log) < 2;
}

static void append(struct stream_log *log, enum event_kind kind)
{
	stream_append(log, &(struct event){.kind = kind});
}

static void lagging_follower_is_waited_for(void **state)
{
	struct uuid turn = uuid_new();
	struct stream_log *log = stream_follow(hub, turn.text, uuid_new().text, &ann, NULL, NULL);
	struct find_reply waiting = {0}, cancelled_find = {0}, any = find(turn.text, &ann);
	struct op *op;

	(void)state;
	assert_ptr_equal(any.log, log); /* a client with fewer items does not wait */
	append(log, EVENT_STATUS);
	stream_find(hub, turn.text, &ann, is_behind, on_find_reply, &waiting);
	op = stream_find(hub, turn.text, &ann, is_behind, on_find_reply, &cancelled_find);
	find(turn.text, &ann);
	assert_false(waiting.done);
	assert_int_equal(stream_watchers(log), 2); /* the waiting clients count as watchers */
	op_cancel(&op);
	append(log, EVENT_STATUS);
	while (!waiting.done)
		loop_run_once(loop);
	assert_ptr_equal(waiting.log, log);
	assert_int_equal(stream_watchers(log), 0);
	assert_false(cancelled_find.done);
	append(log, EVENT_RUN_FINISHED);
	stream_release(&log);
}

static void ended_or_local_log_is_not_waited_for(void **state)
{
	struct uuid ended = uuid_new(), local = uuid_new();
	struct stream_log *log = stream_follow(hub, ended.text, uuid_new().text, &ann, NULL, NULL);
	struct find_reply h = {0};

	(void)state;
	stream_find(hub, ended.text, &ann, is_behind, on_find_reply, &h);
	find(ended.text, &ann);
	assert_false(h.done);
	append(log, EVENT_RUN_FINISHED); /* shorter than the client expects: reported as it is */
	while (!h.done)
		loop_run_once(loop);
	assert_ptr_equal(h.log, log);
	stream_release(&log);
	log = stream_open(hub, local.text, uuid_new().text, &ann, NULL, NULL);
	h = (struct find_reply){0};
	stream_find(hub, local.text, &ann, is_behind, on_find_reply, &h);
	find(local.text, &ann);
	assert_ptr_equal(h.log, log);
	append(log, EVENT_RUN_FINISHED);
	stream_release(&log);
}

/* The other replica is unavailable: its events are unknown, so the log is not returned. */
static void log_abandoned_meanwhile_is_unavailable(void **state)
{
	struct uuid turn = uuid_new();
	struct stream_log *log = stream_follow(hub, turn.text, uuid_new().text, &ann, NULL, NULL);
	struct find_reply h = {0};

	(void)state;
	stream_find(hub, turn.text, &ann, is_behind, on_find_reply, &h);
	find(turn.text, &ann);
	append(log, EVENT_ERROR);
	stream_abandon(&log);
	while (!h.done)
		loop_run_once(loop);
	assert_int_equal(h.code, ERR_UPSTREAM);
}

/* Waits for STREAM_BEHIND_MS at most. */
static void lagging_follower_is_returned_after_timeout(void **state)
{
	struct uuid turn = uuid_new();
	struct stream_log *log = stream_follow(hub, turn.text, uuid_new().text, &ann, NULL, NULL);
	struct find_reply h = {0};

	(void)state;
	stream_find(hub, turn.text, &ann, is_behind, on_find_reply, &h);
	while (!h.done)
		loop_run_once(loop);
	assert_ptr_equal(h.log, log);
	append(log, EVENT_RUN_FINISHED);
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(log_abandoned_meanwhile_is_unavailable, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lagging_follower_is_returned_after_timeout, setup,
						teardown),
		cmocka_unit_test_setup_teardown(lagging_follower_is_waited_for, setup, teardown),
		cmocka_unit_test_setup_teardown(ended_or_local_log_is_not_waited_for, setup,
						teardown),
		cmocka_unit_test_setup_teardown(log_is_found_by_its_user_only, setup, teardown),
		cmocka_unit_test_setup_teardown(finished_logs_expire, setup, teardown),
		cmocka_unit_test_setup_teardown(reader_keeps_an_expired_log, setup, teardown),
		cmocka_unit_test_setup_teardown(count_limit_evicts_oldest, setup, teardown),
		cmocka_unit_test_setup_teardown(byte_limit_evicts_oldest, setup, teardown),
		cmocka_unit_test_setup_teardown(largest_tenant_is_evicted_first, setup, teardown),
		cmocka_unit_test_setup_teardown(result_is_delivered_by_the_loop, setup, teardown),
		cmocka_unit_test_setup_teardown(log_removed_meanwhile_is_not_found, setup,
						teardown),
		cmocka_unit_test_setup_teardown(driver_finds_logs_of_other_replicas, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
