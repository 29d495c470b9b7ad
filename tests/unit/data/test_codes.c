/* The table of error codes: statuses, wire codes, and views. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/codes.h"

static void every_request_error_has_a_row(void **state)
{
	(void)state;
	assert_int_equal(code_row(code_of_request(ERR_INPUT))->status, 400);
	assert_int_equal(code_row(code_of_request(ERR_AUTH))->status, 401);
	assert_int_equal(code_row(code_of_request(ERR_DENIED))->status, 403);
	assert_int_equal(code_row(code_of_request(ERR_NOT_FOUND))->status, 404);
	assert_int_equal(code_row(code_of_request(ERR_BUSY))->status, 409);
	assert_int_equal(code_row(code_of_request(ERR_LIMIT))->status, 429);
	assert_int_equal(code_row(code_of_request(ERR_TIMEOUT))->status, 504);
	assert_int_equal(code_row(code_of_request(ERR_UPSTREAM))->status, 503);
	assert_int_equal(code_row(code_of_request(ERR_CANCELLED))->status, 503);
	assert_int_equal(code_row(code_of_request(ERR_INTERNAL))->status, 500);
}

static void finds_each_wire_code(void **state)
{
	static const char *const codes[] = {"bad_frame",    "unknown_type", "too_long", "busy",
					    "rate_limited", "quota",        "denied",   "not_found",
					    "expired",      "upstream",     "timeout",  "draining",
					    "internal"};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_string_equal(code_row(code_of_wire(codes[i]))->wire, codes[i]);
	assert_int_equal(code_of_wire("dance"), CODE_INTERNAL);
}

static void only_listed_views_are_recoverable(void **state)
{
	static const char *const recoverable[] = {"INPUT_VALIDATION_FAILED", "AMBIGUOUS_REFERENCE",
						  "SQL_GENERATION_FAILED",   "SQL_EXECUTION_FAILED",
						  "RETRIEVAL_FAILED",        "TIMEOUT"};
	static const char *const permanent[] = {"TOKEN_BUDGET_EXCEEDED", "CIRCULAR_DEPENDENCY",
						"NOT_PERMITTED", "NOT_FOUND", "nothing"};

	(void)state;
	for (size_t i = 0; i < sizeof(recoverable) / sizeof(recoverable[0]); i++)
		assert_true(code_view_is_recoverable(recoverable[i]));
	for (size_t i = 0; i < sizeof(permanent) / sizeof(permanent[0]); i++)
		assert_false(code_view_is_recoverable(permanent[i]));
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (int p = 0; p < CODE_COUNT; p++) {
		const struct code_row *row = code_row((enum code)p);

		assert_true(row->wire && row->view && row->title && row->sentence);
		assert_in_range(row->status, 400, 599);
	}
}

/* Errors in requests to models or tools are internal errors for the user. */
static void turn_errors_have_fewer_codes(void **state)
{
	static const enum err_code internal[] = {ERR_NONE, ERR_INPUT, ERR_AUTH, ERR_CANCELLED,
						 ERR_INTERNAL};

	(void)state;
	for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++)
		assert_int_equal(code_of_turn(internal[i]), CODE_INTERNAL);
	assert_string_equal(code_row(code_of_turn(ERR_LIMIT))->wire, "upstream");
	assert_string_equal(code_row(code_of_turn(ERR_BUSY))->wire, "busy");
	assert_string_equal(code_row(code_of_turn(ERR_TIMEOUT))->view, "TIMEOUT");
	assert_int_equal(code_of_turn(ERR_NOT_FOUND), CODE_NO_SESSION);
}

/* Each error has at most one row in each column. A turn's row and the row found by its wire code
 * have the same status, the same view, and may both be retried or not. */
static void rows_are_consistent(void **state)
{
	(void)state;
	for (int c = 0; c < CODE_COUNT; c++) {
		const struct code_row *row = code_row((enum code)c);
		const struct code_row *first = code_row(code_of_wire(row->wire));

		assert_string_equal(first->view, row->view);
		if (row->turn != ERR_NONE) {
			assert_int_equal(first->status, row->status);
			assert_int_equal(first->retryable, row->retryable);
		}
		for (int d = 0; d < c; d++) {
			const struct code_row *other = code_row((enum code)d);

			assert_true(row->request == ERR_NONE || row->request != other->request);
			assert_true(row->turn == ERR_NONE || row->turn != other->turn);
		}
	}
	assert_int_equal(code_of_request(ERR_NONE), CODE_INTERNAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_error_has_a_row),
		cmocka_unit_test(turn_errors_have_fewer_codes),
		cmocka_unit_test(finds_each_wire_code),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(only_listed_views_are_recoverable),
		cmocka_unit_test(rows_are_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
