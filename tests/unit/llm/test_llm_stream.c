/* Recorded streams, whole and split at each byte, and all errors of services and proxies.
 */
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
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/sse.h"
#include "vesper/utf8.h"

#define EVENT(name, data) "event: " name "\ndata: " data "\n\n"
#define START                                                                                      \
	EVENT("message_start", "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_01\","       \
			       "\"type\":\"message\",\"role\":\"assistant\","                      \
			       "\"model\":\"claude-sonnet-5-5\",\"content\":[],\"stop_reason\":"   \
			       "null,\"usage\":{\"input_tokens\":472,"                             \
			       "\"cache_creation_input_tokens\":10,\"cache_read_input_tokens\":"   \
			       "9120,\"output_tokens\":2,"                                         \
			       "\"server_tool_use\":null}}}")
#define PING EVENT("ping", "{\"type\":\"ping\"}")
#define BLOCK(i, block)                                                                            \
	EVENT("content_block_start",                                                               \
	      "{\"type\":\"content_block_start\",\"index\":" #i ",\"content_block\":" block "}")
#define DELTA(i, delta)                                                                            \
	EVENT("content_block_delta",                                                               \
	      "{\"type\":\"content_block_delta\",\"index\":" #i ",\"delta\":" delta "}")
#define BLOCK_STOP(i)                                                                              \
	EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":" #i "}")
#define TEXT_BLOCK(i) BLOCK(i, "{\"type\":\"text\",\"text\":\"\",\"citations\":null}")
#define TEXT(i, t)    DELTA(i, "{\"type\":\"text_delta\",\"text\":\"" t "\"}")
#define TOOL_BLOCK(i)                                                                              \
	BLOCK(i, "{\"type\":\"tool_use\",\"id\":\"toolu_" #i                                       \
		 "\",\"name\":\"get\",\"input\":{},\"caller\":{\"type\":\"direct\"}}")
#define JSON(i, t) DELTA(i, "{\"type\":\"input_json_delta\",\"partial_json\":\"" t "\"}")
#define STOP(reason)                                                                               \
	EVENT("message_delta", "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason  \
			       "\",\"stop_sequence\":null},\"usage\":{\"input_tokens\":null,"      \
			       "\"output_tokens\":89}}")
#define END EVENT("message_stop", "{\"type\":\"message_stop\"}")

/* A complete answer as one line: the chunks of text between bars, then the blocks. */
struct reading {
	struct arena *arena;
	struct llm_stream stream;
	struct buf chunks;
	struct err err;
	struct llm_answer answer;
	bool is_complete;
};

static void on_text(void *owner, const char *text, size_t len)
{
	struct reading *r = owner;

	assert_true(len > 0 && utf8_valid(text, len));
	buf_add(&r->chunks, text, len);
	buf_char(&r->chunks, '|');
}

static bool on_event(void *owner, const char *event, const char *data, size_t len)
{
	struct reading *r = owner;

	return anthropic_event(&r->stream, event, data, len, &r->err);
}

/* Feeds the bytes in two parts (the second may be empty), each in a separate block, so that a
 * sanitizer detects reads past the end. */
static void read_split(struct reading *r, const char *bytes, size_t len, size_t split)
{
	struct sse_parser *sse = sse_new(on_event, r);
	const size_t at[] = {0, split, len};

	memset(r, 0, sizeof(*r));
	r->arena = arena_new(1 << 24);
	buf_init(&r->chunks, 1 << 22);
	stream_init(&r->stream, r->arena, on_text, r);
	for (size_t i = 0; i < 2 && r->err.code == ERR_NONE; i++) {
		char *part = mem_strndup(bytes + at[i], at[i + 1] - at[i]);
		struct err e;

		(void)!sse_feed(sse, part, at[i + 1] - at[i], &e);
		mem_free(part);
	}
	sse_free(&sse);
	struct err unfinished = {0};

	r->is_complete = stream_finish(&r->stream, &r->answer, &unfinished);
	if (r->err.code == ERR_NONE)
		r->err = unfinished;
}

static void read_free(struct reading *r)
{
	stream_deinit(&r->stream);
	buf_deinit(&r->chunks);
	arena_free(&r->arena);
}

static void print_reading(const struct reading *r, struct buf *out)
{
	buf_printf(out, "%s", buf_text(&r->chunks));
	for (size_t i = 0; i < r->answer.count; i++) {
		const struct llm_block *b = &r->answer.blocks[i];

		if (b->kind == LLM_TEXT)
			buf_printf(out, " text(%s)", b->text);
		else if (b->kind == LLM_TOOL_USE)
			buf_printf(out, " %s:%s(", b->id, b->name);
		else
			buf_str(out, " raw(");
		if (b->input || b->raw)
			buf_json(out, b->input ? b->input : b->raw);
		if (b->kind != LLM_TEXT)
			buf_char(out, ')');
	}
}

static void check_at(const char *bytes, size_t len, size_t split, const char *expected,
		     enum llm_stop stop)
{
	struct reading r;
	struct buf printed;

	buf_init(&printed, 1 << 20);
	read_split(&r, bytes, len, split);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_true(r.is_complete);
	print_reading(&r, &printed);
	assert_string_equal(buf_text(&printed), expected);
	assert_int_equal(r.answer.stop, stop);
	buf_deinit(&printed);
	read_free(&r);
}

static void check(const char *bytes, const char *expected, enum llm_stop stop)
{
	for (size_t split = 0; split <= strlen(bytes); split++)
		check_at(bytes, strlen(bytes), split, expected, stop);
}

static void check_error(const char *bytes, enum err_code code, bool retry, const char *expected)
{
	for (size_t split = 0; split <= strlen(bytes); split += 7) {
		struct reading r;

		read_split(&r, bytes, strlen(bytes), split);
		assert_int_equal(r.err.code, code);
		assert_int_equal(r.err.may_retry, retry);
		if (!strstr(r.err.text, expected))
			fail_msg("\"%s\" lacks \"%s\"", r.err.text, expected);
		read_free(&r);
	}
}

static void reads_recorded_stream(void **state)
{
	const char *bytes = START PING BLOCK(
		0, "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
		DELTA(0, "{\"type\":\"thinking_delta\",\"thinking\":\"The user\"}")
			DELTA(0, "{\"type\":\"thinking_delta\",\"thinking\":\" wants\"}") DELTA(
				0, "{\"type\":\"signature_delta\",\"signature\":\"EqQB\"}")
				BLOCK_STOP(0) TEXT_BLOCK(1) TEXT(1, "The average") TEXT(
					1, " was \\\"48.73\\\"\\n") TEXT(1, " \xE2\x82\xAC/MWh")
					TEXT(1, "\\u20ac") BLOCK_STOP(1) TOOL_BLOCK(2) JSON(2, "")
						JSON(2, "{\\\"hub_zone\\\": \\\"NP")
							JSON(2, "15\\\", \\\"year\\\": 2025}")
								BLOCK_STOP(2) TOOL_BLOCK(3)
									JSON(3, "") BLOCK_STOP(3)
										STOP("tool_use")
											END;

	(void)state;
	check(bytes,
	      "The average| was \"48.73\"\n| \xE2\x82\xAC/MWh|\xE2\x82\xAC|"
	      " raw({\"type\":\"thinking\",\"thinking\":\"The user wants\",\"signature\":\"EqQB\"})"
	      " text(The average was \"48.73\"\n \xE2\x82\xAC/MWh\xE2\x82\xAC)"
	      " toolu_2:get({\"hub_zone\":\"NP15\",\"year\":2025}) toolu_3:get({})",
	      LLM_STOP_TOOL_USE);
}

static void usage_is_cumulative(void **state)
{
	const char *bytes = START STOP("end_turn")
		EVENT("message_delta",
		      "{\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":120,"
		      "\"cache_read_input_tokens\":-4}}") END;
	struct reading r;

	(void)state;
	read_split(&r, bytes, strlen(bytes), 0);
	assert_true(r.is_complete);
	assert_int_equal(r.answer.usage.input_tokens, 472); /* null keeps the value */
	assert_int_equal(r.answer.usage.cache_read_tokens, 9120);
	assert_int_equal(r.answer.usage.cache_write_tokens, 10);
	assert_int_equal(r.answer.usage.output_tokens, 120);
	assert_string_equal(r.answer.model, "claude-sonnet-5-5");
	read_free(&r);
}

static void unknown_events_are_ignored(void **state)
{
	const char *bytes = START EVENT("weather_report",
					"not json at all") EVENT("future", "{\"type\":\"future\"}")
		BLOCK(0, "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\"}")
			JSON(0, "{") BLOCK_STOP(0) EVENT(
				"content_block_start",
				"{\"x\":{\"a\":[1]},\"type\":\"content_block_start\",\"index\":1,"
				"\"content_block\":{\"x\":1,\"type\":\"text\",\"text\":\"a\"}}")
				DELTA(1, "{\"type\":\"mood_delta\",\"mood\":\"calm\"}") DELTA(
					1, "{\"type\":\"citations_delta\",\"citation\":{}}")
					EVENT("content_block_delta",
					      "{\"x\":1,\"type\":\"content_block_delta\",\"index\":"
					      "1,\"delta\":"
					      "{\"type\":\"text_delta\",\"y\":2,\"text\":\"b\"}}")
						TEXT(7, "lost") JSON(1, "{}") STOP("end_turn")
							END TEXT(1, "after the end");

	(void)state;
	check(bytes,
	      "a|b| raw({\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web\"}) "
	      "text(ab)[{}]",
	      LLM_STOP_END);
}

static void unpaired_surrogates_are_replaced(void **state)
{
	(void)state;
	check(START TEXT_BLOCK(0) TEXT(0, "a\\ud83d") TEXT(0, "\\ude00") TEXT(0, "\\ud83d\\ude00")
		      STOP("end_turn") END,
	      "a\xEF\xBF\xBD|\xEF\xBF\xBD|\xF0\x9F\x98\x80| "
	      "text(a\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80)",
	      LLM_STOP_END);
}

static void optional_members_may_be_missing(void **state)
{
	(void)state;
	check("data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: "
	      "{\"type\":\"content_block_start\",\"index\":0,"
	      "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: "
	      "{\"type\":\"content_block_delta\",\"index\":0,"
	      "\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\ndata: "
	      "{\"type\":\"message_delta\",\"delta\":"
	      "{\"stop_reason\":\"end_turn\"}}\n\n",
	      "x| text(x)", LLM_STOP_END);
}

static void reads_interleaved_blocks(void **state)
{
	(void)state;
	check(START TEXT_BLOCK(0) TOOL_BLOCK(1) TEXT(0, "a") JSON(1, "{\\\"y\\\"") TEXT(0, "b")
		      JSON(1, ":1}") STOP("tool_use"),
	      "a|b| text(ab) toolu_1:get({\"y\":1})", LLM_STOP_TOOL_USE);
}

static void redacted_thinking_is_returned_unchanged(void **state)
{
	(void)state;
	check(START BLOCK(0, "{\"type\":\"redacted_thinking\",\"data\":\"EmwK\"}") BLOCK_STOP(0)
		      STOP("end_turn") END,
	      " raw({\"type\":\"redacted_thinking\",\"data\":\"EmwK\"})", LLM_STOP_END);
}

static void on_log(void *owner, const char *line)
{
	*(bool *)owner = strstr(line, "something_new") != NULL;
}

static void maps_stop_reasons(void **state)
{
	bool logged = false;

	(void)state;
	log_capture(on_log, &logged);
	check(START STOP("end_turn") END, "", LLM_STOP_END);
	check(START STOP("stop_sequence") END, "", LLM_STOP_END);
	check(START STOP("max_tokens") END, "", LLM_STOP_MAX_TOKENS);
	check(START STOP("refusal") END, "", LLM_STOP_REFUSAL);
	check(START STOP("pause_turn") END, "", LLM_STOP_PAUSE);
	check(START STOP("model_context_window_exceeded") END, "", LLM_STOP_CONTEXT);
	assert_false(logged);
	check(START STOP("something_new") END, "", LLM_STOP_END);
	assert_true(logged);
	log_capture(NULL, NULL);
	check(START STOP("end_turn"), "", LLM_STOP_END); /* complete without message_stop */
}

static void invalid_arguments_have_no_input(void **state)
{
	(void)state;
	/* Truncated by the length limit: no call. In another position, or with another stop
	 * reason: a call without input. */
	check(START TEXT_BLOCK(0) TEXT(0, "a") TOOL_BLOCK(1) JSON(1, "{\\\"y\\\"")
		      STOP("max_tokens") END,
	      "a| text(a)", LLM_STOP_MAX_TOKENS);
	check(START TOOL_BLOCK(0) JSON(0, "{\\\"y\\\"") STOP("tool_use") END, " toolu_0:get()",
	      LLM_STOP_TOOL_USE);
	check(START TOOL_BLOCK(0) JSON(0, "[1]") STOP("tool_use") END, " toolu_0:get()",
	      LLM_STOP_TOOL_USE);
	check(START TOOL_BLOCK(0) JSON(0, "{\\\"a\\\":1,\\\"a\\\":2}") STOP("tool_use") END,
	      " toolu_0:get()", LLM_STOP_TOOL_USE);
	check(START BLOCK(0,
			  "{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":{\"z\":1}}")
		      STOP("tool_use") END,
	      " i:n({\"z\":1})", LLM_STOP_TOOL_USE);
}

static void stream_errors_are_classified(void **state)
{
	(void)state;
	check_error("", ERR_UPSTREAM, true, "ended before");
	check_error(START, ERR_UPSTREAM, true, "ended before");
	check_error(START TEXT_BLOCK(0) TEXT(0, "half an"), ERR_UPSTREAM, true, "ended before");
	check_error(START TEXT_BLOCK(0) TEXT(0, "x") BLOCK_STOP(0), ERR_UPSTREAM, true,
		    "ended before");
	check_error(START EVENT("error", "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_"
					 "error\",\"message\":\"O\"}}"),
		    ERR_UPSTREAM, true, "529 overloaded_error");
	check_error(EVENT("error", "{\"type\":\"error\",\"error\":{\"type\":\"authentication_"
				   "error\",\"message\":\"O\"}}"),
		    ERR_UPSTREAM, false, "authentication_error");
	check_error(START EVENT("content_block_delta", "{\"type\":"), ERR_UPSTREAM, true,
		    "malformed");
	check_error(START "data: <html>\n\n", ERR_UPSTREAM, true, "malformed");
	check_error(START TEXT_BLOCK(0) TEXT(0, "\xE2\x82"), ERR_UPSTREAM, true,
		    "malformed"); /* truncated character */
	check_error(START BLOCK(0, "{\"type\":\"tool_use\",\"name\":\"n\"}"), ERR_UPSTREAM, true,
		    "without id");
}

/* Passes one event, as the parser does. */
static bool feed(struct reading *r, const char *event, const char *data)
{
	return anthropic_event(&r->stream, event, data, strlen(data), &r->err);
}

static void blocks_and_text_are_limited(void **state)
{
	struct reading r;
	char line[200];
	size_t n = 0;

	(void)state;
	read_split(&r, "", 0, 0);
	for (int i = 0; i <= LLM_BLOCKS_MAX; i++) {
		r.err = (struct err){0};
		snprintf(line, sizeof(line),
			 "{\"type\":\"content_block_start\",\"index\":%d,\"content_block\":{"
			 "\"type\":\"text\",\"text\":\"\"}}",
			 i);
		assert_int_equal(feed(&r, "content_block_start", line), i < LLM_BLOCKS_MAX);
	}
	assert_int_equal(r.err.code, ERR_LIMIT);
	read_free(&r);

	read_split(&r, START TOOL_BLOCK(0), strlen(START TOOL_BLOCK(0)), 0);
	r.err = (struct err){0};
	while (feed(&r, "content_block_delta",
		    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_"
		    "json_delta\",\"partial_json\":"
		    "\"0123456789abcdef\"}}"))
		n += 16;
	assert_int_equal(n, LLM_TOOL_INPUT_BYTES_MAX);
	assert_int_equal(r.err.code, ERR_LIMIT);
	read_free(&r);

	read_split(&r, START TEXT_BLOCK(0), strlen(START TEXT_BLOCK(0)), 0);
	r.err = (struct err){0};
	n = 0;
	while (feed(&r, "content_block_delta",
		    "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_"
		    "delta\",\"text\":"
		    "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}}"))
		n += 64;
	assert_int_equal(n, LLM_TEXT_BYTES_MAX);
	assert_int_equal(r.err.code, ERR_LIMIT);
	read_free(&r);
}

/* Without a text handler, the text is only in the blocks. */
static void text_is_kept_without_text_handler(void **state)
{
	const char *bytes = START TEXT_BLOCK(0) TEXT(0, "x") STOP("end_turn");
	struct arena *a = arena_new(1 << 20);
	struct reading r = {.arena = a};
	struct sse_parser *sse = sse_new(on_event, &r);
	struct llm_answer answer;

	(void)state;
	stream_init(&r.stream, a, NULL, NULL);
	assert_true(sse_feed(sse, bytes, strlen(bytes), NULL));
	assert_true(stream_finish(&r.stream, &answer, NULL));
	assert_string_equal(answer.blocks[0].text, "x");
	stream_deinit(&r.stream);
	sse_free(&sse);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_recorded_stream),
		cmocka_unit_test(usage_is_cumulative),
		cmocka_unit_test(unknown_events_are_ignored),
		cmocka_unit_test(unpaired_surrogates_are_replaced),
		cmocka_unit_test(optional_members_may_be_missing),
		cmocka_unit_test(reads_interleaved_blocks),
		cmocka_unit_test(redacted_thinking_is_returned_unchanged),
		cmocka_unit_test(maps_stop_reasons),
		cmocka_unit_test(invalid_arguments_have_no_input),
		cmocka_unit_test(stream_errors_are_classified),
		cmocka_unit_test(blocks_and_text_are_limited),
		cmocka_unit_test(text_is_kept_without_text_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
