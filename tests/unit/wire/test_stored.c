/* The stored message contains the views and checked numbers of the log, in the same order. */
#include "turn_log.h"

#include "vesper/wire.h"

static struct buf views, numbers;

static struct stream_log *log_new(void)
{
	struct uuid turn = uuid_new(), session = uuid_new();

	return stream_open(hub, turn.text, session.text, &ann, NULL, NULL);
}

static void check_stored(struct stream_log *log, const char *its_views, const char *its_numbers)
{
	buf_init(&views, 1 << 20);
	buf_init(&numbers, 1 << 20);
	wire_stored(log, &views, &numbers);
	assert_string_equal(buf_text(&views), its_views);
	if (its_numbers)
		assert_string_equal(buf_text(&numbers), its_numbers);
	emit_end(log, "ok");
	stream_release(&log);
}

static void emit_number(struct stream_log *log, const char *text, size_t at, const char *call)
{
	emit(log, &(struct event){.kind = EVENT_TEXT_DELTA,
				  .u.text_delta = {.text = str_of(text),
						   .marked = true,
						   .mark = {.kind = call ? "bound" : "unbound",
							    .start = 1,
							    .len = 2,
							    .at = at,
							    .has_ref = call != NULL,
							    .call = call,
							    .column = "Price",
							    .row = call ? 0 : -1}}});
}

static void turn_without_views(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	emit_text(log, "only words");
	check_stored(log, "[]", "[]");
	buf_deinit(&views);
	buf_deinit(&numbers);
}

static void views_and_numbers(void **state)
{
	struct stream_log *log = log_new();

	(void)state;
	emit_view(log, "v1", "{\"view_id\":\"v1\"}");
	emit_text(log, "It was ");
	emit_number(log, "$48", 8, "c1");
	emit_number(log, " 49", 11, NULL);
	emit(log, &(struct event){
			  .kind = EVENT_TEXT_DELTA,
			  .u.text_delta = {.text = STR("[2]"),
					   .marked = true,
					   .mark = {.kind = "cite", .len = 3, .at = 13, .n = 2}}});
	emit(log,
	     &(struct event){.kind = EVENT_ASK, .u.ask = {"Which?", STR("{\"ask_id\":\"A\"}")}});
	emit_view(log, "v2", "{\"view_id\":\"v2\"}");
	check_stored(log,
		     "[{\"view_id\":\"v1\"},{\"ask_id\":\"A\",\"view_type\":\"selection\","
		     "\"view_id\":\"ask-v1\",\"text\":\"Which?\"},{\"view_id\":\"v2\"}]",
		     "[{\"kind\":\"bound\",\"start\":8,\"len\":2,\"ref\":{\"call\":\"c1\","
		     "\"row\":0,\"column\":\"Price\"},\"text\":\"$48\"},{\"kind\":\"unbound\","
		     "\"start\":11,\"len\":2,\"text\":\" 49\"},{\"kind\":\"cite\",\"start\":13,"
		     "\"len\":3,\"n\":2,\"text\":\"[2]\"}]");
	buf_deinit(&views);
	buf_deinit(&numbers);
}

static void stored_numbers_are_limited(void **state)
{
	struct stream_log *log = log_new();
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < CHECKED_ITEMS_MAX + 5; i++)
		emit_number(log, " 49", i, NULL);
	check_stored(log, "[]", NULL);
	for (const char *at = buf_text(&numbers); (at = strstr(at, "\"start\"")); at++)
		count++;
	assert_int_equal(count, CHECKED_ITEMS_MAX);
	buf_deinit(&views);
	buf_deinit(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(turn_without_views, setup, teardown),
		cmocka_unit_test_setup_teardown(views_and_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(stored_numbers_are_limited, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
