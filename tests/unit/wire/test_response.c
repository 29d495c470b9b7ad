/* The response equals what a client would assemble from the frames. */
#include "turn_log.h"

#include "vesper/mem.h"
#include "vesper/wire.h"

static struct stream_log *log_of(void (*story)(struct stream_log *log))
{
	struct uuid turn = uuid_new(), session = uuid_new();
	struct stream_log *log = stream_open(hub, turn.text, session.text, &ann, NULL, NULL);

	story(log);
	return log;
}

static struct wire_response *response_of(struct stream_log *log)
{
	struct stream_watch *w = stream_watch_new(log, 0, on_nothing, NULL);
	struct wire_response *whole = wire_response_new();
	const struct stream_entry *entry;

	while ((entry = stream_read(w)))
		wire_response_add(whole, entry->event);
	stream_watch_free(&w);
	return whole;
}

/* The text after both ids, which differ between runs. */
static void check_answer(void (*story)(struct stream_log *log), const char *expected)
{
	struct stream_log *log = log_of(story);
	struct wire_response *whole = response_of(log);
	struct buf out;

	buf_init(&out, 1 << 16);
	assert_true(wire_response_ok(whole));
	wire_response_write(whole, log, &out);
	assert_memory_equal(buf_text(&out), "{\"turn_id\":\"", 12);
	assert_string_equal(strstr(buf_text(&out), ",\"message_id\""), expected);
	buf_deinit(&out);
	wire_response_free(&whole);
	stream_release(&log);
}

static void emit_answer(struct stream_log *log)
{
	emit(log, &(struct event){.kind = EVENT_FILTERS, .u.filters.filters = STR("[{\"a\":1}]")});
	emit_view(log, "v1", "{\"view_id\":\"v1\",\"rows\":1}");
	emit_text(log, "$48");
	emit_view(log, "v2", "{\"view_id\":\"v2\"}");
	emit_view(log, "v1", "{\"view_id\":\"v1\",\"rows\":2}");
	emit_text(log, ".73");
	emit_end(log, "ok");
}

static void later_view_replaces_the_earlier(void **state)
{
	(void)state;
	check_answer(emit_answer,
		     ",\"message_id\":\"m\",\"text\":\"$48.73\",\"views\":[{\"view_id\":\"v1\","
		     "\"rows\":2},{\"view_id\":\"v2\"}],\"filters\":[{\"a\":1}],\"status\":\"ok\","
		     "\"provider\":\"rules\",\"usage\":{\"calls\":1},\"latency_ms\":0}");
}

static void emit_question(struct stream_log *log)
{
	emit(log,
	     &(struct event){.kind = EVENT_ASK, .u.ask = {"Which?", STR("{\"ask_id\":\"A\"}")}});
	emit_end(log, "ask");
}

static void clarifying_question_is_also_a_view(void **state)
{
	(void)state;
	check_answer(emit_question,
		     ",\"message_id\":\"m\",\"text\":\"\",\"views\":[{\"view_type\":\"selection\","
		     "\"view_id\":\"ask-v1\",\"text\":\"Which?\",\"ask_id\":\"A\"}],\"ask\":"
		     "{\"ask_id\":\"A\"},\"filters\":[],\"status\":\"ask\",\"provider\":\"rules\","
		     "\"usage\":{\"calls\":1},\"latency_ms\":0}");
}

static void emit_failure(struct stream_log *log)
{
	emit_text(log, "shown before");
	emit_error(log, "timeout", "Too slow.");
}

static void failed_turn_gives_a_problem(void **state)
{
	struct stream_log *log = log_of(emit_failure);
	struct wire_response *whole = response_of(log);
	struct wire_problem problem;

	(void)state;
	assert_false(wire_response_ok(whole));
	problem = wire_response_problem(whole);
	assert_string_equal(problem.code, "timeout");
	assert_string_equal(problem.message, "Too slow.");
	assert_true(str_eq(problem.members,
			   STR("\"message\":\"Too slow.\",\"retryable\":true,\"suggestions\":[]")));
	wire_response_free(&whole);
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(later_view_replaces_the_earlier, setup, teardown),
		cmocka_unit_test_setup_teardown(clarifying_question_is_also_a_view, setup,
						teardown),
		cmocka_unit_test_setup_teardown(failed_turn_gives_a_problem, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
