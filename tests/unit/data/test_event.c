/* Events survive encoding and decoding, and invalid bytes are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vesper/event.h"

static const struct event finished = {
	.kind = EVENT_RUN_FINISHED,
	.at_ms = 1234567890123,
	.u.run_finished = {.session_id = "s",
			   .message_id = "m",
			   .status = "ok",
			   .provider = "rules",
			   .latency_ms = -5,
			   .usage = {"{\"calls\":1}", 11},
			   .error = {"", 0}},
};

static void encode(const struct event *event, struct buf *out)
{
	buf_init(out, 1 << 20);
	event_encode(out, event);
}

static void members_survive_encoding(void **state)
{
	struct event decoded;
	struct buf b;

	(void)state;
	encode(&finished, &b);
	assert_true(event_decode(b.p, b.n, &decoded, NULL));
	assert_int_equal(decoded.kind, EVENT_RUN_FINISHED);
	assert_int_equal(decoded.at_ms, finished.at_ms);
	assert_string_equal(decoded.u.run_finished.status, "ok");
	assert_null(decoded.u.run_finished.model);
	assert_int_equal(decoded.u.run_finished.latency_ms, -5);
	assert_true(str_eq(decoded.u.run_finished.usage, finished.u.run_finished.usage));
	assert_null(decoded.u.run_finished.links.p);
	assert_non_null(decoded.u.run_finished.error.p);
	buf_deinit(&b);
}

static void empty_events_survive_encoding(void **state)
{
	(void)state;
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		const struct event event = {.kind = (enum event_kind)kind};
		struct event decoded;
		struct buf b;

		encode(&event, &b);
		assert_true(event_decode(b.p, b.n, &decoded, NULL));
		assert_memory_equal(&decoded, &event, sizeof(event));
		assert_true(strlen(event_name(event.kind)) > 0);
		buf_deinit(&b);
	}
}

static void every_truncation_is_rejected(void **state)
{
	struct event decoded;
	struct err e;
	struct buf b;

	(void)state;
	encode(&finished, &b);
	for (size_t n = 0; n < b.n; n++) {
		char *part = malloc(n + 1); /* a sanitizer detects reads past the end */

		memcpy(part, b.p, n);
		assert_false(event_decode(part, n, &decoded, &e));
		assert_int_equal(e.code, ERR_INPUT);
		free(part);
	}
	buf_char(&b, 0);
	assert_false(event_decode(b.p, b.n, &decoded, &e));
	buf_deinit(&b);
}

/* Any byte may be wrong: decoding returns an event or fails, and reads no other bytes. */
static void invalid_bytes_are_read_safely(void **state)
{
	struct event decoded;
	struct buf b;

	(void)state;
	encode(&finished, &b);
	for (size_t i = 0; i < b.n; i++)
		for (int value = 0; value < 256; value += 5) {
			char *bytes = malloc(b.n);

			memcpy(bytes, b.p, b.n);
			bytes[i] = (char)value;
			if (event_decode(bytes, b.n, &decoded, NULL))
				assert_true(decoded.kind < EVENT_KIND_COUNT);
			free(bytes);
		}
	buf_deinit(&b);
}

static void only_finished_and_error_events_are_closing(void **state)
{
	(void)state;
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
		assert_int_equal(event_is_closing((enum event_kind)kind),
				 kind == EVENT_RUN_FINISHED || kind == EVENT_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_survive_encoding),
		cmocka_unit_test(empty_events_survive_encoding),
		cmocka_unit_test(every_truncation_is_rejected),
		cmocka_unit_test(invalid_bytes_are_read_safely),
		cmocka_unit_test(only_finished_and_error_events_are_closing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
