/* Events reach their sink and leave no reference behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/event.h"

static enum event_kind seen_kind;
static json_t *seen_body;
static char seen_text[16];

static void on_emit(void *owner, const struct event *event)
{
	assert_ptr_equal(owner, &seen_kind);
	seen_kind = event->kind;
	seen_body = json_incref(event->body);
	memcpy(seen_text, event->text ? event->text : "", event->text_len);
}

static void emits(void **state)
{
	(void)state;
	const struct event_sink sink = {on_emit, &seen_kind};
	event_emit(&sink, EVENT_STATUS, json_object());
	assert_int_equal(seen_kind, EVENT_STATUS);
	assert_int_equal(seen_body->refcount, 1); /* the sink's own; the giver's is gone */
	json_decref(seen_body);
	event_emit_token(&sink, "abcdef", 3);
	assert_int_equal(seen_kind, EVENT_TOKEN);
	assert_string_equal(seen_text, "abc");
}

static void types(void **state)
{
	(void)state;
	assert_string_equal(event_type(EVENT_THINKING), "chat.thinking");
	assert_string_equal(event_type(EVENT_ERROR), "chat.error");
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++)
		assert_int_equal(strncmp(event_type((enum event_kind)kind), "chat.", 5), 0);
	assert_true(event_is_closing(EVENT_COMPLETE) && event_is_closing(EVENT_ERROR));
	assert_false(event_is_closing(EVENT_ASK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(emits),
		cmocka_unit_test(types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
