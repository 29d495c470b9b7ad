/* The request body: its bytes, its cache marks, and omitted members. */
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

static const struct wire_role role = {.model = "claude-sonnet-5-5"};

static json_t *parse(const char *text)
{
	json_t *out = NULL;

	assert_true(json_parse(text, strlen(text), 65536, &out, NULL));
	return out;
}

static char *body_text(const struct llm_call *call, const struct wire_role *r)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	anthropic_body(&b, call, r, NULL);
	json_decref(parse(buf_text(&b))); /* valid JSON without duplicate members */
	return buf_take(&b);
}

static void check(const struct llm_call *call, const char *expected)
{
	char *got = body_text(call, &role);

	assert_string_equal(got, expected);
	free(got);
}

#define USER(...)                                                                                  \
	{                                                                                          \
		.speaker = LLM_USER, .blocks = (const struct llm_block[]){__VA_ARGS__},            \
		.count =                                                                           \
			sizeof((const struct llm_block[]){__VA_ARGS__}) / sizeof(struct llm_block) \
	}
#define ASSISTANT(...)                                                                             \
	{                                                                                          \
		.speaker = LLM_ASSISTANT, .blocks = (const struct llm_block[]){__VA_ARGS__},       \
		.count =                                                                           \
			sizeof((const struct llm_block[]){__VA_ARGS__}) / sizeof(struct llm_block) \
	}
#define TEXT(t)                                                                                    \
	{                                                                                          \
		.kind = LLM_TEXT, .text = t                                                        \
	}
#define STABLE(t)                                                                                  \
	{                                                                                          \
		.kind = LLM_TEXT, .text = t, .cache = true                                         \
	}

static void smallest_call_has_the_expected_bytes(void **state)
{
	const struct llm_message m[] = {USER(TEXT("say \"hi\"\n"))};
	const struct llm_call call = {.messages = m, .message_count = 1};

	(void)state;
	check(&call, "{\"model\":\"claude-sonnet-5-5\",\"max_tokens\":4096,\"stream\":true,"
		     "\"messages\":[{\"role\":\"user\","
		     "\"content\":[{\"type\":\"text\",\"text\":\"say \\\"hi\\\"\\n\"}]}]}");
}

static void full_call_has_the_expected_bytes(void **state)
{
	json_t *schema = parse("{\"type\":\"object\",\"properties\":{\"year\":{\"type\":"
			       "\"integer\"}},\"required\":[\"year\"]}");
	json_t *input = parse("{\"year\":2025}");
	json_t *thinking =
		parse("{\"type\":\"thinking\",\"thinking\":\"h\\u00e4?\",\"signature\":\"EqQB\"}");
	json_t *format = parse("{\"type\":\"object\"}");
	const struct llm_tool tools[] = {{"first", "One.", schema}, {"second", "Two.", schema}};
	const struct llm_block system[] = {STABLE("rules"), STABLE("domain"),
					   TEXT("today's extras")};
	const struct llm_message m[] = {
		USER(TEXT("question")),
		ASSISTANT({.kind = LLM_OPAQUE, .raw = thinking, .cache = true},
			  {.kind = LLM_TOOL_USE, .id = "toolu_1", .name = "first", .input = input},
			  {.kind = LLM_TOOL_USE, .id = "toolu_2", .name = "second"}),
		USER(TEXT("and a word"),
		     {.kind = LLM_TOOL_RESULT, .id = "toolu_1", .text = "48.73"},
		     {.kind = LLM_TOOL_RESULT,
		      .id = "toolu_2",
		      .text = "no",
		      .is_error = true,
		      .cache = true}),
	};
	const struct llm_call call = {
		.system = system,
		.system_count = 3,
		.tools = tools,
		.tool_count = 2,
		.tools_forbidden = true,
		.messages = m,
		.message_count = 3,
		.format = format,
		.max_tokens = 100,
		.user_hash = "abc",
	};
	const struct wire_role low = {
		.model = "m", .max_tokens = 7, .effort = "low", .traits = {.effort = true}};
	char *got = body_text(&call, &low);

	(void)state;
	assert_string_equal(
		got,
		"{\"model\":\"m\",\"max_tokens\":100,\"stream\":true,\"output_config\":{\"effort\":"
		"\"low\",\"format\":"
		"{\"type\":\"json_schema\",\"schema\":{\"type\":\"object\"}}},\"metadata\":{\"user_"
		"id\":\"abc\"},"
		"\"tools\":[{\"name\":\"first\",\"description\":\"One.\",\"input_schema\":{"
		"\"type\":\"object\",\"properties\":"
		"{\"year\":{\"type\":\"integer\"}},\"required\":[\"year\"]}},{\"name\":\"second\","
		"\"description\":\"Two.\","
		"\"input_schema\":{\"type\":\"object\",\"properties\":{\"year\":{\"type\":"
		"\"integer\"}},\"required\":[\"year\"]},"
		"\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}],\"tool_choice\":{"
		"\"type\":\"none\"},"
		"\"system\":[{\"type\":\"text\",\"text\":\"rules\"},{\"type\":\"text\",\"text\":"
		"\"domain\","
		"\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}},{\"type\":\"text\","
		"\"text\":\"today's extras\"}],"
		"\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":"
		"\"question\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
		"\"h\xC3\xA4?\",\"signature\":\"EqQB\"},"
		"{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"first\",\"input\":{\"year\":"
		"2025}},"
		"{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"second\",\"input\":{}}]},"
		"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_"
		"1\",\"content\":\"48.73\"},"
		"{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_2\",\"content\":\"no\",\"is_"
		"error\":true,"
		"\"cache_control\":{\"type\":\"ephemeral\"}},{\"type\":\"text\",\"text\":\"and a "
		"word\"}]}]}");
	free(got);
	json_decref(schema);
	json_decref(input);
	json_decref(thinking);
	json_decref(format);
}

/* The service rejects the whole request if a text has no visible character. */
static void blank_text_is_omitted(void **state)
{
	const struct llm_block system[] = {TEXT(""),
					   {.kind = LLM_TEXT, .text = " ", .cache = true}};
	const struct llm_message m[] = {USER(TEXT("q")),
					ASSISTANT(TEXT(" \n\t"), {.kind = LLM_TEXT}),
					USER(TEXT(""), TEXT("r"))};
	const struct llm_call call = {
		.system = system, .system_count = 2, .messages = m, .message_count = 3};

	(void)state;
	check(&call,
	      "{\"model\":\"claude-sonnet-5-5\",\"max_tokens\":4096,\"stream\":true,\"messages\":["
	      "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"q\"}]},"
	      "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"r\"}]}]}");
}

static size_t count_marks(const struct llm_call *call, const char *mark)
{
	char *got = body_text(call, &role);
	size_t n = 0;

	for (const char *p = got; (p = strstr(p, mark)); p++)
		n++;
	free(got);
	return n;
}

#define MARK_5M "\"cache_control\":{\"type\":\"ephemeral\"}"
#define MARK_1H "\"ttl\":\"1h\""

static void sends_at_most_four_cache_marks(void **state)
{
	json_t *schema = parse("{\"type\":\"object\"}");
	const struct llm_tool tools[] = {{"t", "", schema}};
	const struct llm_block system[] = {STABLE("a"), STABLE("b")};
	const struct llm_message m[] = {USER(STABLE("1"), STABLE("2"), STABLE("")),
					ASSISTANT(STABLE("3")),
					USER(STABLE("4"), STABLE("5"), TEXT("6"))};
	struct llm_call call = {.messages = m, .message_count = 3};
	char *got;

	(void)state;
	assert_int_equal(count_marks(&call, MARK_5M), 4);
	call.system = system;
	call.system_count = 2;
	assert_int_equal(count_marks(&call, MARK_5M), 3);
	assert_int_equal(count_marks(&call, MARK_1H), 1);
	call.tools = tools;
	call.tool_count = 1;
	assert_int_equal(count_marks(&call, MARK_5M), 2);
	assert_int_equal(count_marks(&call, MARK_1H), 2);
	got = body_text(&call, &role); /* only the newest are marked */
	assert_non_null(strstr(got, "\"text\":\"4\"," MARK_5M));
	assert_non_null(strstr(got, "\"text\":\"5\"," MARK_5M));
	free(got);
	json_decref(schema);
}

static void no_sampling_parameters_are_sent(void **state)
{
	const struct llm_message m[] = {USER(TEXT("q"))};
	const struct llm_call call = {.messages = m, .message_count = 1};
	char *got = body_text(&call, &role);

	(void)state;
	assert_null(strstr(got, "temperature"));
	assert_null(strstr(got, "top_"));
	free(got);
}

/* Later rounds of a tool loop only append bytes, so the beginning of the prompt stays cached. */
static void prefix_is_stable(void **state)
{
	const struct llm_block system[] = {STABLE("rules")};
	const struct llm_message m[] = {USER(TEXT("q")), ASSISTANT(TEXT("a")), USER(TEXT("r"))};
	struct llm_call call = {
		.system = system, .system_count = 1, .messages = m, .message_count = 1};
	char *one = body_text(&call, &role), *two;

	(void)state;
	call.message_count = 3;
	two = body_text(&call, &role);
	assert_memory_equal(one, two, strlen(one) - 2);
	free(one);
	free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smallest_call_has_the_expected_bytes),
		cmocka_unit_test(full_call_has_the_expected_bytes),
		cmocka_unit_test(blank_text_is_omitted),
		cmocka_unit_test(sends_at_most_four_cache_marks),
		cmocka_unit_test(no_sampling_parameters_are_sent),
		cmocka_unit_test(prefix_is_stable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
