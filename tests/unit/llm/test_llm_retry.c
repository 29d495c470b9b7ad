/* The table of errors and the waits between attempts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "vesper/json.h"

static struct err error_of(int status, const char *body, int should, int64_t after_ms)
{
	struct err e = {0};
	json_t *json = NULL;

	if (body)
		assert_true(json_parse(body, strlen(body), 65536, &json, NULL));
	assert_false(llm_error_set(&e, status, json, should, after_ms));
	json_decref(json);
	return e;
}

#define BODY(type)                                                                                 \
	"{\"type\":\"error\",\"error\":{\"type\":\"" type                                          \
	"\",\"message\":\"m\"},\"request_id\":\"req_1\"}"

static void status_and_type_determine_the_retry(void **state)
{
	const struct {
		int status;
		const char *body;
		enum err_code code;
		bool retry;
	} rows[] = {
		{400, BODY("invalid_request_error"), ERR_INPUT, false},
		{401, BODY("authentication_error"), ERR_UPSTREAM, false},
		{402, BODY("billing_error"), ERR_UPSTREAM, false},
		{403, BODY("permission_error"), ERR_UPSTREAM, false},
		{404, BODY("not_found_error"), ERR_UPSTREAM, false},
		{408, NULL, ERR_UPSTREAM, true},
		{409, BODY("conflict_error"), ERR_UPSTREAM, true},
		{413, BODY("request_too_large"), ERR_INPUT, false},
		{429, BODY("rate_limit_error"), ERR_UPSTREAM, true},
		{500, BODY("api_error"), ERR_UPSTREAM, true},
		{502, NULL, ERR_UPSTREAM, true},
		{503, "{\"error\":\"not an object\"}", ERR_UPSTREAM, true},
		{504, BODY("timeout_error"), ERR_UPSTREAM, true},
		{529, BODY("overloaded_error"), ERR_UPSTREAM, true},
		{302, NULL, ERR_UPSTREAM, false},
		/* inside a stream, only the type is known */
		{0, BODY("overloaded_error"), ERR_UPSTREAM, true},
		{0, BODY("api_error"), ERR_UPSTREAM, true},
		{0, BODY("rate_limit_error"), ERR_UPSTREAM, true},
		{0, BODY("invalid_request_error"), ERR_INPUT, false},
		{0, BODY("authentication_error"), ERR_UPSTREAM, false},
		{0, BODY("some_future_error"), ERR_UPSTREAM, true},
		{0, "[]", ERR_UPSTREAM, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = error_of(rows[i].status, rows[i].body, -1, -1);

		assert_int_equal(e.code, rows[i].code);
		assert_int_equal(e.may_retry, rows[i].retry);
		assert_int_equal(e.retry_after_ms, 0);
	}
}

static void header_overrides_the_status(void **state)
{
	(void)state;
	assert_false(error_of(500, NULL, 0, -1).may_retry);
	assert_false(error_of(429, NULL, 0, 1000).may_retry);
	assert_true(error_of(404, NULL, 1, -1).may_retry);
	assert_int_equal(error_of(400, NULL, 1, -1).code,
			 ERR_UPSTREAM); /* otherwise it would not be retried */
	assert_int_equal(error_of(429, NULL, -1, 1234).retry_after_ms, 1234);
}

static void exhausted_funds_are_not_retried(void **state)
{
	const char *codes[] = {"enforced_spend_limit_reached", "contract_spend_limit_reached",
			       "ramp_limit_exceeded"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char body[200];

		snprintf(body, sizeof(body),
			 "{\"error\":{\"type\":\"rate_limit_error\",\"details\":{\"error_code\":\"%"
			 "s\"}}}",
			 codes[i]);
		assert_int_equal(error_of(429, body, -1, 5).may_retry, i == 2);
		assert_int_equal(error_of(429, body, 1, 5).may_retry, i == 2);
		assert_int_equal(error_of(400, body, -1, -1).code,
				 i == 2 ? ERR_INPUT : ERR_UPSTREAM);
	}
}

/* Chat Completions uses error.code; one service wraps errors in a list and uses numeric codes.
 */
static void reads_errors_of_chat_completions(void **state)
{
	const struct {
		int status;
		const char *body;
		enum err_code code;
		bool retry;
		const char *expected;
	} rows[] = {
		{429,
		 "{\"error\":{\"message\":\"m\",\"type\":\"insufficient_quota\",\"param\":null,"
		 "\"code\":\"insufficient_quota\"}}",
		 ERR_UPSTREAM, false, "insufficient_quota"},
		{429,
		 "{\"error\":{\"message\":\"m\",\"type\":\"requests\",\"code\":"
		 "\"rate_limit_exceeded\"}}",
		 ERR_UPSTREAM, true, "rate_limit_exceeded"},
		{404, "{\"error\":{\"message\":\"no such model\",\"code\":\"model_not_found\"}}",
		 ERR_UPSTREAM, false, "model_not_found"},
		{400, "[{\"error\":{\"code\":400,\"message\":\"bad field\",\"status\":\"X\"}}]",
		 ERR_INPUT, false, "bad field"},
		{0, "[{\"error\":{\"code\":429,\"message\":\"slowly\",\"status\":\"X\"}}]",
		 ERR_UPSTREAM, true, "429: slowly"},
		{0, "{\"error\":{\"code\":403,\"message\":\"m\"}}", ERR_UPSTREAM, false, "403"},
		{404, "{\"error\":\"model 'x' not found\"}", ERR_UPSTREAM, false,
		 "404: model 'x' not found"},
		{0, "{\"error\":\"out of memory\"}", ERR_UPSTREAM, true, "500: out of memory"},
		{400,
		 "{\"object\":\"error\",\"message\":\"too long\",\"type\":\"BadRequestError\","
		 "\"code\":400}",
		 ERR_INPUT, false, "400 BadRequestError: too long"},
		{401, "{\"error\":{\"message\":\"Incorrect key: sk-12**yz\",\"type\":\"x\"}}",
		 ERR_UPSTREAM, false, "401 x: the key was rejected"},
		{403, "{\"error\":\"sk-12**yz\"}", ERR_UPSTREAM, false,
		 "403: the key lacks the permission"},
		{0, "{\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"code\":null}}",
		 ERR_UPSTREAM, true, "server_error"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = error_of(rows[i].status, rows[i].body, -1, -1);

		assert_int_equal(e.code, rows[i].code);
		assert_int_equal(e.may_retry, rows[i].retry);
		if (!strstr(e.text, rows[i].expected))
			fail_msg("\"%s\" lacks \"%s\"", e.text, rows[i].expected);
	}
}

static void error_text_names_status_and_type(void **state)
{
	struct err e =
		error_of(429,
			 "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"secret "
			 "words\",\"details\":"
			 "{\"error_code\":\"ramp_limit_exceeded\"}},\"request_id\":\"req_9\"}",
			 -1, -1);

	(void)state;
	assert_string_equal(e.text, "429 rate_limit_error (ramp_limit_exceeded) [req_9]");
	e = error_of(400,
		     "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"max_tokens: too "
		     "large\"}}",
		     -1, -1);
	assert_string_equal(e.text, "400 invalid_request_error: max_tokens: too large");
	e = error_of(502, NULL, -1, -1);
	assert_string_equal(e.text, "502");
	/* Messages are truncated between characters, and text that looks like a key is masked. */
	e = error_of(
		400,
		"{\"error\":{\"type\":\"x\",\"message\":\"bad sk-ant-api03-abcdefghijklmnop\"}}",
		-1, -1);
	assert_null(strstr(e.text, "abcdefghijklmnop"));
}

static void waits_grow_and_are_limited(void **state)
{
	struct err e = {.code = ERR_UPSTREAM, .may_retry = true};

	(void)state;
	assert_int_equal(retry_wait_ms(&e, 0, 500, 0), 375);
	assert_int_equal(retry_wait_ms(&e, 0, 500, 65535), 749);
	assert_int_equal(retry_wait_ms(&e, 1, 500, 0), 750);
	assert_int_equal(retry_wait_ms(&e, 1, 6000, 0), LLM_RETRY_BACKOFF_MAX_MS * 3 / 4);
	assert_int_equal(retry_wait_ms(&e, LLM_ATTEMPTS_MAX - 1, 500, 0), -1);
	e.retry_after_ms = 1500;
	assert_int_equal(retry_wait_ms(&e, 0, 500, 0), 1500); /* exactly the requested wait */
	e.retry_after_ms = LLM_RETRY_WAIT_MAX_MS;
	assert_int_equal(retry_wait_ms(&e, 1, 500, 0), LLM_RETRY_WAIT_MAX_MS);
	e.retry_after_ms = LLM_RETRY_WAIT_MAX_MS + 1;
	assert_int_equal(retry_wait_ms(&e, 0, 500, 0), -1);
	e.retry_after_ms = 0;
	e.may_retry = false;
	assert_int_equal(retry_wait_ms(&e, 0, 500, 0), -1);
}

/* Calls that fail at the same moment are retried evenly: no tenth of the time span has more than
 * three times the mean, for any start value of the jitter. */
static void check_spread(unsigned begin, int64_t after_ms)
{
	enum { CALLS = 40, BINS = 10, RETRIES = 2 * CALLS };
	const struct err e = {.may_retry = true, .retry_after_ms = (int)after_ms};
	unsigned spread[] = {begin, begin};
	int64_t at[RETRIES], first = INT64_MAX, last = 0;
	size_t bins[BINS] = {0};

	for (size_t i = 0; i < RETRIES; i++) {
		int wave = i >= CALLS;

		at[i] = retry_wait_ms(&e, wave, 500, retry_spread_next(&spread[wave])) +
			(wave ? at[i - CALLS] : 0);
		first = at[i] < first ? at[i] : first;
		last = at[i] > last ? at[i] : last;
	}
	for (size_t i = 0; i < RETRIES; i++)
		bins[(at[i] - first) * BINS / (last - first + 1)]++;
	for (size_t k = 0; k < BINS; k++)
		if (bins[k] > 3 * RETRIES / BINS)
			fail_msg("from %u, after %lld ms: %zu in tenth %zu", begin,
				 (long long)after_ms, bins[k], k);
}

static void simultaneous_retries_are_spread(void **state)
{
	(void)state;
	for (unsigned begin = 0; begin < 65536; begin += 97) {
		check_spread(begin, 0);
		check_spread(begin, 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_and_type_determine_the_retry),
		cmocka_unit_test(header_overrides_the_status),
		cmocka_unit_test(exhausted_funds_are_not_retried),
		cmocka_unit_test(reads_errors_of_chat_completions),
		cmocka_unit_test(error_text_names_status_and_type),
		cmocka_unit_test(waits_grow_and_are_limited),
		cmocka_unit_test(simultaneous_retries_are_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
