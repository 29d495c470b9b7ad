#include "fixture.h"

#include "port/problem.h"

static void writes_problem_details_of_rfc_9457(void **state)
{
	json_t *body = problem_json(CODE_NOT_FOUND, NULL, "/api/v1/x", "r1");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(body, "status")), 404);
	assert_string_equal(json_string_value(json_object_get(body, "instance")), "/api/v1/x");
	assert_string_equal(json_string_value(json_object_get(body, "code")), "not_found");
	assert_string_equal(json_string_value(json_object_get(body, "request_id")), "r1");
	assert_non_null(json_object_get(body, "detail"));
	json_decref(body);
	body = problem_json(CODE_INVALID, "content: missing", NULL, NULL);
	assert_string_equal(json_string_value(json_object_get(body, "detail")), "content: missing");
	assert_null(json_object_get(body, "instance"));
	json_decref(body);
}

static void writes_error_frames_outside_a_turn(void **state)
{
	struct buf b;
	json_t *frame;

	(void)state;
	buf_init(&b, 1000);
	problem_frame(&b, CODE_RATE_LIMITED, "say \"please\"", 1500);
	frame = parsed(buf_text(&b));
	assert_string_equal(json_string_value(json_object_get(frame, "type")), "chat.error");
	assert_string_equal(json_string_value(json_object_get(frame, "message")), "say \"please\"");
	assert_int_equal(json_integer_value(json_object_get(frame, "retry_after_ms")), 1500);
	assert_true(json_is_true(json_object_get(frame, "retryable")));
	assert_true(json_is_array(json_object_get(frame, "suggestions")));
	assert_null(json_object_get(frame, "turn_id"));
	assert_null(json_object_get(frame, "seq"));
	json_decref(frame);
	buf_reset(&b);
	problem_frame(&b, CODE_BUSY, NULL, 0);
	assert_null(strstr(buf_text(&b), "retry_after_ms"));
	buf_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_problem_details_of_rfc_9457),
		cmocka_unit_test(writes_error_frames_outside_a_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
