/* Chat Completions: four turns, byte for byte. */
#include "dialect_story.h"

static void writes_all_turns(void **state)
{
	(void)state;
	check_stories(&wire_openai);
}

static void usage_is_sent_on_request(void **state)
{
	static const struct wire_head with_usage = {.model = "v", .include_usage = true};
	struct stream_log *log = story_answer();
	char *output = story_output(log, &wire_openai, &with_usage);

	(void)state;
	assert_non_null(strstr(
		output, "\"model\":\"v\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\".\"},"
			"\"finish_reason\":null}],\"usage\":null}"));
	assert_non_null(strstr(
		output, "\"choices\":[],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":3,"
			"\"total_tokens\":11}}\n\ndata: [DONE]"));
	mem_free(output);
	stream_release(&log);
}

static void whole_response_has_the_streamed_text(void **state)
{
	struct stream_log *log = story_answer();
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	assert_true(wire_openai_response(log, &story_head, &out));
	assert_non_null(strstr(
		buf_text(&out),
		"\"object\":\"chat.completion\",\"created\":1763750000,\"model\":\"vesper\","
		"\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
		"\"It was 48.73.\\n\\n| Hub\\\\|zone | P |\\n| --- | ---: |\\n| NP15 | 48.73 |"));
	buf_deinit(&out);
	stream_release(&log);
}

static void failed_turn_has_no_whole_response(void **state)
{
	struct stream_log *log = story_failed();
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 16);
	assert_false(wire_openai_response(log, &story_head, &out));
	assert_int_equal(out.n, 0);
	buf_deinit(&out);
	stream_release(&log);
}

/* A text that contains a table gets no second one. */
static void table_is_shown_once(void **state)
{
	struct stream_log *log = story_begin();
	char *output;

	(void)state;
	emit_view(log, "c1-v1", TABLE);
	emit_text(log, "Here:\n\n| a |\n| --- |\n| 1 |\n");
	story_end(log, "ok");
	output = story_output(log, &wire_openai, &story_head);
	assert_null(strstr(output, "Hub"));
	mem_free(output);
	stream_release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_all_turns),
		cmocka_unit_test_setup_teardown(usage_is_sent_on_request, setup, teardown),
		cmocka_unit_test_setup_teardown(whole_response_has_the_streamed_text, setup,
						teardown),
		cmocka_unit_test_setup_teardown(failed_turn_has_no_whole_response, setup, teardown),
		cmocka_unit_test_setup_teardown(table_is_shown_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
