#include "fixture.h"

#include "port/problem.h"

static void every_error_has_its_problem(void **state)
{
	(void)state;
	assert_int_equal(problem_row(problem_of_err(ERR_INPUT))->status, 400);
	assert_int_equal(problem_row(problem_of_err(ERR_AUTH))->status, 401);
	assert_int_equal(problem_row(problem_of_err(ERR_DENIED))->status, 403);
	assert_int_equal(problem_row(problem_of_err(ERR_NOT_FOUND))->status, 404);
	assert_int_equal(problem_row(problem_of_err(ERR_BUSY))->status, 409);
	assert_int_equal(problem_row(problem_of_err(ERR_LIMIT))->status, 429);
	assert_int_equal(problem_row(problem_of_err(ERR_TIMEOUT))->status, 504);
	assert_int_equal(problem_row(problem_of_err(ERR_UPSTREAM))->status, 503);
	assert_int_equal(problem_row(problem_of_err(ERR_CANCELLED))->status, 503);
	assert_int_equal(problem_row(problem_of_err(ERR_INTERNAL))->status, 500);
}

static void codes_of_the_wire_are_known(void **state)
{
	static const char *const codes[] = {"bad_frame",    "unknown_type", "too_long", "busy",
					    "rate_limited", "quota",        "denied",   "not_found",
					    "expired",      "upstream",     "timeout",  "draining",
					    "internal"};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_string_equal(problem_row(problem_of_code(codes[i]))->code, codes[i]);
	assert_int_equal(problem_of_code("dance"), PROBLEM_INTERNAL);
}

static void every_row_is_filled(void **state)
{
	(void)state;
	for (int p = 0; p < PROBLEM_COUNT; p++) {
		const struct problem_row *row = problem_row((enum problem)p);

		assert_true(row->code && row->title && row->sentence);
		assert_in_range(row->status, 400, 599);
	}
}

static void details_as_rfc_9457(void **state)
{
	json_t *body = problem_json(PROBLEM_NOT_FOUND, NULL, "/api/v1/x", "r1");

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(body, "status")), 404);
	assert_string_equal(json_string_value(json_object_get(body, "instance")), "/api/v1/x");
	assert_string_equal(json_string_value(json_object_get(body, "code")), "not_found");
	assert_string_equal(json_string_value(json_object_get(body, "request_id")), "r1");
	assert_non_null(json_object_get(body, "detail"));
	json_decref(body);
	body = problem_json(PROBLEM_INVALID, "content: missing", NULL, NULL);
	assert_string_equal(json_string_value(json_object_get(body, "detail")), "content: missing");
	assert_null(json_object_get(body, "instance"));
	json_decref(body);
}

static void frames_outside_of_a_turn(void **state)
{
	struct buf b;
	json_t *frame;

	(void)state;
	buf_init(&b, 1000);
	problem_frame(&b, PROBLEM_RATE_LIMITED, "say \"please\"", 1500);
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
	problem_frame(&b, PROBLEM_BUSY, NULL, 0);
	assert_null(strstr(buf_text(&b), "retry_after_ms"));
	buf_deinit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_error_has_its_problem),
		cmocka_unit_test(codes_of_the_wire_are_known),
		cmocka_unit_test(every_row_is_filled),
		cmocka_unit_test(details_as_rfc_9457),
		cmocka_unit_test(frames_outside_of_a_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
