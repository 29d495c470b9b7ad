/* Chat Completions requests, byte for byte, and the differences between services. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "vesper/json.h"
#include "vesper/mem.h"

static json_t *parsed(const char *text)
{
	json_t *json;

	assert_true(json_parse(text, strlen(text), 65536, &json, NULL));
	return json;
}

static char *body_text(const struct llm_call *call, const struct wire_role *role, const char *kind)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	openai_body(&b, call, role, dialect_find(kind, NULL));
	return buf_take(&b);
}

static const struct llm_block question = {.kind = LLM_TEXT, .text = "q"};
static const struct llm_message question_messages[] = {{LLM_USER, &question, 1}};
static const struct llm_call smallest = {.messages = question_messages, .message_count = 1};
static const struct wire_role role = {.model = "m", .effort = (char *)"max"};

static void check(const struct llm_call *call, const char *kind, const char *expected)
{
	char *got = body_text(call, &role, kind);

	assert_string_equal(got, expected);
	mem_free(got);
}

static void each_service_gets_its_parameters(void **state)
{
	struct llm_call call = smallest;

	(void)state;
	call.user_hash = "u";
	check(&call, "openai",
	      "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
	      "\"max_completion_tokens\":4096,\"reasoning_effort\":\"high\",\"user\":\"u\","
	      "\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}");
	check(&call, "gemini",
	      "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
	      "\"max_tokens\":4096,\"reasoning_effort\":\"high\","
	      "\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}");
	check(&call, "ollama",
	      "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
	      "\"max_tokens\":4096,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}");
}

static void full_call_has_the_expected_bytes(void **state)
{
	json_t *schema =
		parsed("{\"type\":\"object\",\"properties\":{\"y\":{\"type\":\"integer\"}}}");
	json_t *input = parsed("{\"y\":2025}");
	const struct llm_tool tools[] = {{"first", "One.", schema}, {"second", NULL, schema}};
	const struct llm_block system[] = {{.kind = LLM_TEXT, .text = "rules", .cache = true},
					   {.kind = LLM_TEXT, .text = " "},
					   {.kind = LLM_TEXT, .text = "domain"}};
	const struct llm_block assistant_blocks[] = {
		{.kind = LLM_OPAQUE, .raw = input},
		{.kind = LLM_TEXT, .text = "Let me look."},
		{.kind = LLM_TOOL_USE, .id = "c1", .name = "first", .input = input},
		{.kind = LLM_TOOL_USE, .id = "c2", .name = "second"}};
	const struct llm_block results[] = {
		{.kind = LLM_TEXT, .text = "and a word"},
		{.kind = LLM_TOOL_RESULT, .id = "c1", .text = "48.73", .cache = true},
		{.kind = LLM_TOOL_RESULT, .id = "c2", .is_error = true}};
	const struct llm_message m[] = {{LLM_USER, &question, 1},
					{LLM_ASSISTANT, assistant_blocks, 4},
					{LLM_USER, results, 3}};
	const struct llm_call call = {.role = LLM_AGENT,
				      .system = system,
				      .system_count = 3,
				      .tools = tools,
				      .tool_count = 2,
				      .tools_forbidden = true,
				      .messages = m,
				      .message_count = 3,
				      .max_tokens = 7};

	(void)state;
	check(&call, "vllm",
	      "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
	      "\"max_tokens\":7,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"first\","
	      "\"description\":\"One.\",\"parameters\":{\"type\":\"object\",\"properties\":{\"y\":{"
	      "\"type\":\"integer\"}}}}},{\"type\":\"function\",\"function\":{\"name\":\"second\","
	      "\"description\":\"\",\"parameters\":{\"type\":\"object\",\"properties\":{\"y\":{"
	      "\"type\":\"integer\"}}}}}],\"tool_choice\":\"none\",\"messages\":["
	      "{\"role\":\"system\",\"content\":\"rules\\n\\ndomain\"},"
	      "{\"role\":\"user\",\"content\":\"q\"},"
	      "{\"role\":\"assistant\",\"content\":\"Let me look.\",\"tool_calls\":["
	      "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"first\","
	      "\"arguments\":\"{\\\"y\\\":2025}\"}},"
	      "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"second\","
	      "\"arguments\":\"{}\"}}]},"
	      "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"48.73\"},"
	      "{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"\"},"
	      "{\"role\":\"user\",\"content\":\"and a word\"}]}");
	json_decref(schema);
	json_decref(input);
}

static void check_format(const char *schema, const char *kind, bool strict)
{
	json_t *format = parsed(schema);
	struct llm_call call = smallest;
	char *got;

	call.format = format;
	got = body_text(&call, &role, kind);
	assert_non_null(strstr(got, "\"response_format\":{\"type\":\"json_schema\","
				    "\"json_schema\":{\"name\":\"route\","));
	assert_non_null(strstr(got, schema));
	assert_int_equal(strstr(got, "\"strict\":true") != NULL, strict);
	mem_free(got);
	json_decref(format);
}

/* Strict only if the service supports it and the schema allows it. */
static void schema_is_strict_only_if_supported(void **state)
{
	const char *closed =
		"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"a\"],"
		"\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
		"\"string\"}}}}";
	const char *open =
		"{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"a\"],"
		"\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
		"\"object\",\"properties\":{\"b\":{\"type\":\"string\"}}}}}}";

	(void)state;
	check_format(closed, "openai", true);
	check_format(closed, "azure", true);
	check_format(closed, "ollama", false);
	check_format(open, "openai", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_service_gets_its_parameters),
		cmocka_unit_test(full_call_has_the_expected_bytes),
		cmocka_unit_test(schema_is_strict_only_if_supported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
