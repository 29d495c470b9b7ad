/* The bytes of events that a WebSocket sends in another form, or not at all. */
#include "turn_log.h"

#include "vesper/mem.h"
#include "vesper/wire.h"

#define NOW_MS 1772193600214 /* 2026-02-27T12:00:00.214Z */

/* The data of the only event, after the common members. */
static char *event_data(const struct event *e)
{
	struct uuid turn = uuid_new(), session = uuid_new();
	struct stream_log *log = stream_open(hub, turn.text, session.text, &ann, NULL, NULL);
	struct wire_reader *r = wire_reader_new(log, &wire_sse, 0, on_nothing, NULL);
	const char *same, *rest;
	struct str item;
	char *copy;

	clock_freeze_ms(NOW_MS);
	emit(log, e);
	assert_true(wire_next(r, false, &item));
	assert_non_null(strstr(item.p, turn.text));
	assert_non_null(strstr(item.p, session.text));
	same = "\"seq\":1,\"timestamp\":\"2026-02-27T12:00:00.214Z\",";
	rest = strstr(item.p, same);
	assert_non_null(rest);
	rest += strlen(same);
	copy = mem_strndup(rest, strcspn(rest, "\n"));
	assert_false(wire_next(r, false, &item));
	emit(log, &(struct event){.kind = EVENT_RUN_FINISHED, .u.run_finished = {.status = "ok"}});
	wire_reader_free(&r);
	stream_release(&log);
	return copy;
}

static void check(const struct event *e, const char *want)
{
	char *have = event_data(e);

	assert_string_equal(have, want);
	mem_free(have);
}

static void stage_is_an_item(void **state)
{
	(void)state;
	check(&(struct event){.kind = EVENT_STAGE_STARTED,
			      .u.stage_started = {"s1", "guardrail", "Checking the question"}},
	      "\"item\":{\"id\":\"s1\",\"type\":\"guardrail_check\",\"description\":\"Checking the "
	      "question\",\"status\":\"in_progress\"}}");
	check(&(struct event){.kind = EVENT_STAGE_FINISHED,
			      .u.stage_finished = {"s2", "planning", "Planning", "completed",
						   STR("{\"tasks\":2}")}},
	      "\"item\":{\"id\":\"s2\",\"type\":\"reasoning\",\"description\":\"Planning\","
	      "\"status\":\"completed\",\"output\":{\"tasks\":2}}}");
	check(&(struct event){.kind = EVENT_STAGE_FINISHED,
			      .u.stage_finished = {"s3", "chart", "Drawing", "failed", {0}}},
	      "\"item\":{\"id\":\"s3\",\"type\":\"chart_generation\",\"description\":\"Drawing\","
	      "\"status\":\"failed\"}}");
}

static void requests_to_models_are_counted_before_and_after(void **state)
{
	struct event e = {.kind = EVENT_USAGE,
			  .u.usage = {.role = "answer",
				      .budget = 16000,
				      .used = 1830,
				      .estimate = true,
				      .by = STR("{\"prompt\":1830}")}};

	(void)state;
	check(&e, "\"role\":\"answer\",\"estimate\":true,\"budget\":16000,\"used\":1830,"
		  "\"by\":{\"prompt\":1830}}");
	e.u.usage.estimate = false;
	e.u.usage.used = 1700;
	e.u.usage.output = 40;
	e.u.usage.model = "m";
	check(&e, "\"role\":\"answer\",\"estimate\":false,\"budget\":16000,\"used\":1700,"
		  "\"by\":{\"prompt\":1830},\"output\":40,\"model\":\"m\"}");
}

static void item_type_follows_the_step_kind(void **state)
{
	static const struct {
		const char *kind, *type;
	} kinds[] = {{"tool", "sql_execution"},
		     {"reasoning", "reasoning"},
		     {"agent", "reasoning"},
		     {"document", "doc_retrieval"},
		     {NULL, "reasoning"}};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event e = {
			.kind = EVENT_STEP_STARTED,
			.u.step_started = {.step_id = "c1", .kind = kinds[i].kind, .text = "Look"}};
		char want[64], *have = event_data(&e);

		snprintf(want, sizeof(want), "\"type\":\"%s\"", kinds[i].type);
		assert_non_null(strstr(have, want));
		mem_free(have);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stage_is_an_item, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_to_models_are_counted_before_and_after,
						setup, teardown),
		cmocka_unit_test_setup_teardown(item_type_follows_the_step_kind, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
