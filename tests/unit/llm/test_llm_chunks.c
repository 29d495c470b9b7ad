/* Chat Completions streams as services of each kind send them, whole and split at each byte, and
 * their possible errors. */
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

#define DATA(json) "data: " json "\n\n"
#define CHUNK(delta, finish)                                                                       \
	DATA("{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1763750000," \
	     "\"model\":\"m-1\",\"system_fingerprint\":\"fp_1\",\"choices\":[{\"index\":0,"        \
	     "\"delta\":" delta ",\"logprobs\":null,\"finish_reason\":" finish                     \
	     "}],\"usage\":null,\"obfuscation\":\"xyz\"}")
#define TEXT(t)   CHUNK("{\"content\":\"" t "\"}", "null")
#define ROLE      CHUNK("{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null")
#define CALLS(c)  CHUNK("{\"tool_calls\":[" c "]}", "null")
#define FINISH(r) CHUNK("{}", "\"" r "\"")
#define USAGE                                                                                      \
	DATA("{\"id\":\"chatcmpl-1\",\"model\":\"m-1\",\"choices\":[],\"usage\":{"                 \
	     "\"prompt_tokens\":30,\"completion_tokens\":12,\"total_tokens\":42,"                  \
	     "\"prompt_tokens_details\":{\"cached_tokens\":20},"                                   \
	     "\"completion_tokens_details\":{\"reasoning_tokens\":3}}}")
#define DONE DATA("[DONE]")

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

	return openai_event(&r->stream, event, data, len, &r->err);
}

/* Feeds two parts, each in a separate block, so that a sanitizer detects reads past the end. */
static void read_split(struct reading *r, const char *bytes, size_t len, size_t split)
{
	struct sse_parser *sse = sse_new(on_event, r);
	const size_t ends[] = {split, len};
	size_t from = 0;
	bool ok = true;

	memset(r, 0, sizeof(*r));
	r->arena = arena_new(1 << 24);
	buf_init(&r->chunks, 1 << 20);
	stream_init(&r->stream, r->arena, on_text, r);
	r->stream.origin = "m";
	for (size_t i = 0; ok && i < 2; from = ends[i++]) {
		char *part = mem_alloc(ends[i] - from + 1);

		memcpy(part, bytes + from, ends[i] - from);
		ok = sse_feed(sse, part, ends[i] - from, NULL);
		mem_free(part);
	}
	sse_free(&sse);
	r->is_complete = stream_finish(&r->stream, &r->answer, r->err.code ? NULL : &r->err);
	for (size_t i = 0; i < r->answer.count; i++) {
		const struct llm_block *b = &r->answer.blocks[i];
		char *json = b->input ? json_text(b->input) : mem_strdup("no object");

		if (b->kind == LLM_TEXT)
			buf_printf(&r->chunks, " text(%s)", b->text);
		else
			buf_printf(&r->chunks, " %s:%s(%s)", b->id, b->name, json);
		mem_free(json);
	}
}

static void read_free(struct reading *r)
{
	stream_deinit(&r->stream);
	buf_deinit(&r->chunks);
	arena_free(&r->arena);
}

static void check(const char *bytes, const char *expected_text, enum llm_stop stop)
{
	for (size_t split = 0; split <= strlen(bytes); split++) {
		struct reading r;

		read_split(&r, bytes, strlen(bytes), split);
		if (!r.is_complete || strcmp(buf_text(&r.chunks), expected_text) != 0)
			fail_msg("split at %zu: %s\n%s", split, r.err.text, buf_text(&r.chunks));
		assert_int_equal(r.answer.stop, stop);
		read_free(&r);
	}
}

static void check_error(const char *bytes, enum err_code code, bool retry, const char *expected)
{
	for (size_t split = 0; split <= strlen(bytes); split += 5) {
		struct reading r;

		read_split(&r, bytes, strlen(bytes), split);
		assert_false(r.is_complete);
		assert_int_equal(r.err.code, code);
		assert_int_equal(r.err.may_retry, retry);
		if (!strstr(r.err.text, expected))
			fail_msg("\"%s\" lacks \"%s\"", r.err.text, expected);
		read_free(&r);
	}
}

static void reads_text_and_usage(void **state)
{
	const char *bytes = ROLE TEXT("The average") TEXT(" was \\\"48.73\\\"\\n")
		TEXT(" \xE2\x82\xAC/MWh") TEXT("\\u20ac") FINISH("stop") USAGE DONE;
	struct reading r;

	(void)state;
	check(bytes,
	      "The average| was \"48.73\"\n| \xE2\x82\xAC/MWh|\xE2\x82\xAC|"
	      " text(The average was \"48.73\"\n \xE2\x82\xAC/MWh\xE2\x82\xAC)",
	      LLM_STOP_END);
	read_split(&r, bytes, strlen(bytes), 0);
	assert_string_equal(r.answer.model, "m-1");
	assert_int_equal(r.answer.usage.input_tokens, 10);
	assert_int_equal(r.answer.usage.cache_read_tokens, 20);
	assert_int_equal(r.answer.usage.output_tokens, 12);
	assert_true(r.stream.has_ended);
	read_free(&r);
}

/* Usage in every chunk, in a late chunk, out of range, or missing. */
static void reads_usage_of_other_services(void **state)
{
#define COUNTED(prompt, out)                                                                       \
	DATA("{\"choices\":[],\"usage\":{\"prompt_tokens\":" prompt ",\"completion_tokens\":" out  \
	     "}}")
	static const struct {
		const char *bytes;
		int64_t input, output;
	} rows[] = {
		{COUNTED("30", "1") TEXT("a") COUNTED("30", "2") FINISH("stop") DONE, 30, 2},
		{TEXT("a") FINISH("stop") COUNTED("30", "2") COUNTED("30", "2") DONE, 30, 2},
		{TEXT("a") FINISH("stop") COUNTED("9223372036854775807", "-3") DONE, 0, 0},
		{TEXT("a") FINISH("stop") DONE, 0, 0},
		{TEXT("a") FINISH("stop") DONE COUNTED("30", "2"), 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reading r;

		read_split(&r, rows[i].bytes, strlen(rows[i].bytes), 0);
		assert_true(r.is_complete);
		assert_int_equal(r.answer.usage.input_tokens, rows[i].input);
		assert_int_equal(r.answer.usage.output_tokens, rows[i].output);
		read_free(&r);
	}
}

/* A gateway that splits a surrogate pair, or sends an unpaired surrogate. */
static void unpaired_surrogates_are_replaced(void **state)
{
	(void)state;
	check(TEXT("a\\ud83d") TEXT("\\ude00b") TEXT("\\u0000") TEXT("\\ud83d\\ude00 \\\\ud83d")
		      FINISH("stop") DONE,
	      "a\xEF\xBF\xBD|\xEF\xBF\xBD"
	      "b|\xEF\xBF\xBD|\xF0\x9F\x98\x80 \\ud83d|"
	      " text(a\xEF\xBF\xBD\xEF\xBF\xBD"
	      "b\xEF\xBF\xBD\xF0\x9F\x98\x80 \\ud83d)",
	      LLM_STOP_END);
	check_error(TEXT("a") DATA("{\"x\":\"\\ud8\"}"), ERR_UPSTREAM, true, "not JSON");
	check_error(TEXT("a") DATA("{\"x\":\"\\ud83d\\"), ERR_UPSTREAM, true, "not JSON");
}

static void accepts_all_line_ends_and_comments(void **state)
{
	(void)state;
	check("\xEF\xBB\xBF: hello\r\n\r\ndata: "
	      "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n"
	      "event: x\rdata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":"
	      "\"stop\"}]}\r\rdata: [DONE] \n\n",
	      "a|b| text(ab)", LLM_STOP_END);
}

/* The answer ends with [DONE], or with the body after a finish reason. */
static void stream_ends_with_done_or_finish_reason(void **state)
{
	struct reading r;

	(void)state;
	check(TEXT("a") FINISH("stop"), "a| text(a)", LLM_STOP_END);
	check(TEXT("a") FINISH("length") DONE, "a| text(a)", LLM_STOP_MAX_TOKENS);
	check(TEXT("a") FINISH("content_filter") DONE, "a| text(a)", LLM_STOP_REFUSAL);
	check(TEXT("a") FINISH("out_of_ink") DONE, "a| text(a)", LLM_STOP_END);
	check(CHUNK("{\"refusal\":\"I can't\"}", "null") FINISH("stop") DONE, "", LLM_STOP_REFUSAL);
	check(TEXT("a") FINISH("stop") DONE TEXT("late"), "a| text(a)", LLM_STOP_END);
	read_split(&r, TEXT("a"), strlen(TEXT("a")), 0);
	assert_false(r.is_complete);
	assert_true(r.err.may_retry);
	read_free(&r);
}

static void tool_calls_arrive_in_chunks(void **state)
{
	(void)state;
	check(ROLE CALLS(
		      "{\"index\":0,\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":"
		      "\"get\",\"arguments\":\"\"}}") CALLS("{\"index\":0,\"function\":{"
							    "\"arguments\":\"{\\\"h\\\":\"}}")
		      CALLS("{\"index\":1,\"id\":\"call_b\",\"type\":\"function\",\"function\":{"
			    "\"name\":\"put\",\"arguments\":\"{}\"}}")
			      CALLS("{\"index\":0,\"function\":{\"arguments\":\"\\\"NP15\\\"}\"}}")
				      FINISH("tool_calls") USAGE DONE,
	      " call_a:get({\"h\":\"NP15\"}) call_b:put({})", LLM_STOP_TOOL_USE);
}

/* All calls have index 0, and arguments are objects rather than text. */
static void reads_tool_calls_without_index_or_id(void **state)
{
	(void)state;
	check(CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"get\",\"arguments\":"
		    "\"{\\\"h\\\":1}\"}},"
		    "{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"put\",\"arguments\":"
		    "\"{\"}}") CALLS("{\"index\":0,\"function\":{\"arguments\":\"}\"}}")
		      FINISH("stop") DONE,
	      " a:get({\"h\":1}) b:put({})", LLM_STOP_TOOL_USE);
	check(CALLS("{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"get\",\"arguments\":"
		    "{\"h\":\"NP15\"}}}") FINISH("stop") DONE,
	      " a:get({\"h\":\"NP15\"})", LLM_STOP_TOOL_USE);
}

/* Generated ids differ from those of earlier rounds; an out-of-range index is ignored. */
static void generated_ids_are_unique(void **state)
{
	static const char bytes[] = CALLS("{\"index\":9223372036854775807,\"function\":{\"name\":"
					  "\"get\",\"arguments\":\"{}\"}},"
					  "{\"index\":-1,\"function\":{\"name\":\"put\"}},"
					  "{\"function\":{\"name\":\"put\"}}") FINISH("stop");
	struct arena *a = arena_new(1 << 20);

	(void)state;
	for (int64_t message_count = 1; message_count < 4; message_count += 2) {
		struct reading r = {0};
		struct sse_parser *sse = sse_new(on_event, &r);
		struct llm_answer answer;

		stream_init(&r.stream, a, NULL, NULL);
		r.stream.origin = "m";
		r.stream.message_count = message_count;
		assert_true(sse_feed(sse, bytes, sizeof(bytes) - 1, NULL));
		assert_true(stream_finish(&r.stream, &answer, NULL));
		assert_int_equal(answer.count, 3);
		assert_string_equal(answer.blocks[0].id,
				    message_count == 1 ? "call_100" : "call_300");
		assert_string_equal(answer.blocks[2].id,
				    message_count == 1 ? "call_102" : "call_302");
		stream_deinit(&r.stream);
		sse_free(&sse);
	}
	arena_free(&a);
}

/* Complete calls in one chunk, without index or id, with the finish reason "stop". */
static void reads_tool_calls_of_compatible_services(void **state)
{
	(void)state;
	check(CALLS("{\"function\":{\"name\":\"get\",\"arguments\":\"{\\\"h\\\":1}\"}},"
		    "{\"function\":{\"name\":\"put\",\"arguments\":\"{}\"}}") FINISH("stop") DONE,
	      " call_0:get({\"h\":1}) call_1:put({})", LLM_STOP_TOOL_USE);
	check(CALLS("{\"id\":\"x\",\"function\":{\"name\":\"get\",\"arguments\":\"{\"}}")
		      CALLS("{\"id\":\"x\",\"function\":{\"arguments\":\"}\"}}")
			      CALLS("{\"id\":\"y\",\"function\":{\"name\":\"put\"}}")
				      FINISH("stop"),
	      " x:get({}) y:put({})", LLM_STOP_TOOL_USE);
	check(TEXT("Let me look.")
		      CALLS("{\"index\":0,\"function\":{\"name\":\"get\",\"arguments\":"
			    "\"{}\"}}") FINISH("tool_calls") DONE,
	      "Let me look.| text(Let me look.) call_0:get({})", LLM_STOP_TOOL_USE);
	check(CHUNK("{\"reasoning_content\":\"hm\",\"reasoning\":\"hm\",\"content\":null}", "null")
		      TEXT("a") FINISH("stop"),
	      "a| text(a)", LLM_STOP_END);
}

/* A call truncated by the limit is dropped; arguments that are not an object are reported. */
static void truncated_tool_calls_are_dropped(void **state)
{
	(void)state;
	check(TEXT("a") CALLS(
		      "{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"get\",\"arguments\":"
		      "\"{\\\"h\"}}") FINISH("length") DONE,
	      "a| text(a)", LLM_STOP_MAX_TOKENS);
	check(CALLS("{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"get\",\"arguments\":"
		    "\"[1]\"}}") FINISH("tool_calls") DONE,
	      " c:get(no object)", LLM_STOP_TOOL_USE);
}

/* Extra members of a call are returned unchanged to the same model, and to no other. */
static void signatures_are_returned_unchanged(void **state)
{
	const char *bytes =
		CALLS("{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{"
		      "\"name\":\"get\",\"arguments\":\"{\\\"h\\\":1}\"},"
		      "\"extra_content\":{\"google\":{\"thought_signature\":\"S+/=\"}}}")
			FINISH("stop") DONE;
	struct wire_role same = {.model = "m"}, other = {.model = "n"};
	const struct dialect *d = dialect_find("gemini", NULL);
	struct reading r;

	(void)state;
	read_split(&r, bytes, strlen(bytes), 0);
	for (int i = 0; i < 2; i++) {
		const struct llm_block q = {.kind = LLM_TEXT, .text = "q"};
		const struct llm_message m[] = {{LLM_USER, &q, 1},
						{LLM_ASSISTANT, r.answer.blocks, r.answer.count}};
		const struct llm_call call = {.messages = m, .message_count = 2};
		struct buf b;

		buf_init(&b, 1 << 16);
		openai_body(&b, &call, i ? &other : &same, d);
		assert_int_equal(strstr(b.p, "\"extra_content\":{\"google\":{\"thought_signature\":"
					     "\"S+/=\"}}}]") != NULL,
				 i == 0);
		buf_deinit(&b);
	}
	read_free(&r);
}

static void stream_errors_are_classified(void **state)
{
	(void)state;
	check_error(TEXT("a")
			    DATA("{\"error\":{\"message\":\"m\",\"type\":\"server_error\",\"code\":"
				 "null}}"),
		    ERR_UPSTREAM, true, "server_error");
	check_error(DATA("{\"error\":{\"message\":\"too long\",\"type\":\"invalid_request_error\","
			 "\"code\":\"context_length_exceeded\"}}"),
		    ERR_INPUT, false, "context_length_exceeded");
	check_error(TEXT("a") DATA("{\"error\":\"the runner is gone\"}"), ERR_UPSTREAM, true,
		    "the runner is gone");
	check_error(DATA("{\"object\":\"error\",\"message\":\"m\",\"type\":\"X\",\"code\":404}"),
		    ERR_UPSTREAM, false, "404 X");
	check_error(TEXT("a") DATA("{\"choices\":[{\"del"), ERR_UPSTREAM, true, "not JSON");
	check_error(CALLS("{\"index\":0,\"function\":{\"arguments\":\"{}\"}}"), ERR_UPSTREAM, true,
		    "without a name");
	check_error(TEXT("a"), ERR_UPSTREAM, true, "ended before");
}

static void calls_and_arguments_are_limited(void **state)
{
	struct buf bytes;
	struct reading r;

	(void)state;
	buf_init(&bytes, 1 << 22);
	for (int i = 0; i <= LLM_BLOCKS_MAX; i++)
		buf_printf(&bytes,
			   DATA("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,"
				"\"id\":\"c%d\",\"function\":{\"name\":\"f\"}}]}}]}"),
			   i, i);
	read_split(&r, bytes.p, bytes.n, 0);
	assert_int_equal(r.err.code, ERR_LIMIT);
	read_free(&r);
	buf_reset(&bytes);
	for (int i = 0; i < 70; i++)
		buf_printf(&bytes,
			   DATA("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
				"\"function\":{\"name\":\"f\",\"arguments\":\"%01000d\"}}]}}]}"),
			   0);
	read_split(&r, bytes.p, bytes.n, 0);
	assert_int_equal(r.err.code, ERR_LIMIT);
	read_free(&r);
	buf_deinit(&bytes);
}

/* Chunks of any shape are ignored or fail, but never crash. */
static void chunks_of_any_shape_are_safe(void **state)
{
	static const char *const odd[] = {
		"[]",
		"3",
		"null",
		"\"text\"",
		"{\"choices\":3}",
		"{\"choices\":[3]}",
		"{\"choices\":[{\"delta\":[]}]}",
		"{\"choices\":[{\"delta\":{\"content\":7}}]}",
		"{\"choices\":[{\"delta\":{\"tool_calls\":{}}}]}",
		"{\"usage\":[1]}",
		"{\"choices\":[{\"finish_reason\":7}]}",
		"{\"error\":null}",
		"{\"choices\":[{\"delta\":null,\"finish_reason\":\"\"}]}"};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char *bytes = mem_printf("data: %s\n\n" TEXT("a") FINISH("stop"), odd[i]);
		struct reading r;

		read_split(&r, bytes, strlen(bytes), 0);
		assert_true(r.is_complete);
		assert_string_equal(buf_text(&r.chunks), "a| text(a)");
		read_free(&r);
		mem_free(bytes);
	}
}

static void on_log(void *owner, const char *line)
{
	(void)owner;
	(void)line;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_text_and_usage),
		cmocka_unit_test(accepts_all_line_ends_and_comments),
		cmocka_unit_test(stream_ends_with_done_or_finish_reason),
		cmocka_unit_test(tool_calls_arrive_in_chunks),
		cmocka_unit_test(reads_tool_calls_of_compatible_services),
		cmocka_unit_test(reads_tool_calls_without_index_or_id),
		cmocka_unit_test(reads_usage_of_other_services),
		cmocka_unit_test(unpaired_surrogates_are_replaced),
		cmocka_unit_test(generated_ids_are_unique),
		cmocka_unit_test(truncated_tool_calls_are_dropped),
		cmocka_unit_test(signatures_are_returned_unchanged),
		cmocka_unit_test(stream_errors_are_classified),
		cmocka_unit_test(calls_and_arguments_are_limited),
		cmocka_unit_test(chunks_of_any_shape_are_safe),
	};

	log_capture(on_log, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
