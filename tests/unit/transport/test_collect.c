#include "fixture.h"

#include "collect.h"

static struct collector collector;

static void add(uint64_t seq, enum event_kind kind, const char *json)
{
	struct stream_entry entry = entry_of(seq, kind, json);

	collector_add(&collector, &entry);
	entry_done(&entry);
}

static void say(uint64_t seq, const char *text)
{
	struct stream_entry entry = token_of(seq, text);

	collector_add(&collector, &entry);
}

static void one_answer_of_all_frames(void **state)
{
	json_t *answer;
	json_t *expected = parsed(
		"{\"turn_id\":\"T\",\"session_id\":\"S\",\"message_id\":\"M\",\"text\":\"$48.73\","
		"\"views\":[{\"view_id\":\"v1\",\"rows\":2},{\"view_id\":\"v2\"}],"
		"\"filters\":[{\"name\":\"year\"}],\"status\":\"ok\",\"provider\":\"rules\"}");

	(void)state;
	collector_init(&collector);
	add(1, EVENT_THINKING, "{\"user_message_id\":\"U\"}");
	add(2, EVENT_FILTERS, "{\"filters\":[{\"name\":\"year\"}]}");
	add(3, EVENT_VIEW, "{\"view\":{\"view_id\":\"v1\",\"rows\":1}}");
	say(4, "$48");
	add(5, EVENT_VIEW, "{\"view\":{\"view_id\":\"v2\"}}");
	add(6, EVENT_VIEW, "{\"view\":{\"view_id\":\"v1\",\"rows\":2}}");
	say(7, ".73");
	add(8, EVENT_COMPLETE,
	    "{\"session_id\":\"S\",\"message_id\":\"M\",\"status\":\"ok\",\"provider\":\"rules\"}");
	answer = collector_answer(&collector, "T", "S");
	assert_true(json_equal(answer, expected));
	json_decref(answer);
	json_decref(expected);
	collector_deinit(&collector);
}

static const char *view_text(const json_t *answer, const char *name)
{
	const json_t *view = json_array_get(json_object_get(answer, "views"), 0);

	return json_string_value(json_object_get(view, name));
}

static void an_ask_comes_with_it(void **state)
{
	json_t *answer;

	(void)state;
	collector_init(&collector);
	add(1, EVENT_ASK, "{\"ask_id\":\"A\",\"prompt\":\"Which?\"}");
	add(2, EVENT_COMPLETE, "{\"message_id\":\"M\",\"status\":\"ask\"}");
	answer = collector_answer(&collector, "T", "S");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(answer, "ask"), "prompt")),
		"Which?");
	assert_string_equal(json_string_value(json_object_get(answer, "text")), "");
	assert_string_equal(json_string_value(json_object_get(answer, "status")), "ask");
	assert_string_equal(view_text(answer, "view_type"), "selection");
	assert_string_equal(view_text(answer, "text"), "Which?");
	assert_string_equal(view_text(answer, "ask_id"), "A");
	json_decref(answer);
	collector_deinit(&collector);
}

static void unreadable_events_are_a_problem(void **state)
{
	const struct stream_entry unreadable = {
		.seq = 1, .kind = EVENT_VIEW, .json = "{\"x\":1e999}", .json_len = 11};
	const struct stream_entry end = {
		.seq = 2, .kind = EVENT_COMPLETE, .json = "{\"x\":1e999}", .json_len = 11};
	enum problem problem;
	json_t *body;

	(void)state;
	collector_init(&collector);
	collector_add(&collector, &unreadable);
	collector_add(&collector, &end);
	assert_true(collector.failed);
	body = collector_problem(&collector, "T", "S", "/x", "R", &problem);
	assert_int_equal(problem, PROBLEM_INTERNAL);
	assert_non_null(strstr(json_string_value(json_object_get(body, "detail")), "Ask"));
	json_decref(body);
	collector_deinit(&collector);
}

static void a_failed_turn_is_a_problem(void **state)
{
	enum problem problem;
	json_t *body;

	(void)state;
	collector_init(&collector);
	say(1, "shown before");
	add(2, EVENT_ERROR,
	    "{\"code\":\"timeout\",\"message\":\"Too "
	    "slow.\",\"retryable\":true,\"suggestions\":[]}");
	assert_true(collector.failed);
	body = collector_problem(&collector, "T", "S", "/api/v1/chat", "R", &problem);
	assert_int_equal(problem, PROBLEM_TIMEOUT);
	assert_int_equal(json_integer_value(json_object_get(body, "status")), 504);
	assert_string_equal(json_string_value(json_object_get(body, "detail")), "Too slow.");
	assert_string_equal(json_string_value(json_object_get(body, "turn_id")), "T");
	assert_true(json_is_true(json_object_get(body, "retryable")));
	json_decref(body);
	collector_deinit(&collector);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_answer_of_all_frames),
		cmocka_unit_test(an_ask_comes_with_it),
		cmocka_unit_test(unreadable_events_are_a_problem),
		cmocka_unit_test(a_failed_turn_is_a_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
