/* The kind of service by address, and the options of each model family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm_int.h"
#include "vesper/mem.h"

static void address_determines_the_service(void **state)
{
	static const struct {
		const char *kind, *url, *expected;
	} rows[] = {
		{"anthropic", "https://api.anthropic.com", "anthropic"},
		{"openai", NULL, "openai"},
		{"openai", "http://127.0.0.1:9", "openai"},
		{"openai", "https://NAME.openai.azure.com/openai/v1", "azure"},
		{"openai", "https://generativelanguage.googleapis.com/v1beta/openai", "gemini"},
		{"openai", "http://localhost:11434/v1", "ollama"},
		{"vllm", "https://generativelanguage.googleapis.com/v1beta/openai", "vllm"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(dialect_find(rows[i].kind, rows[i].url)->kind,
				    rows[i].expected);
	assert_null(dialect_find("gopher", NULL));
}

static void check_thinking(const char *model, enum llm_thinking thinking, const char *effort,
			   const char *expected)
{
	const struct llm_block q = {.kind = LLM_TEXT, .text = "q"};
	const struct llm_message m[] = {{LLM_USER, &q, 1}};
	const struct llm_call call = {.messages = m, .message_count = 1};
	const struct wire_role role = {.model = (char *)model,
				       .effort = (char *)effort,
				       .thinking = thinking,
				       .traits = model_traits_of(model)};
	char *start =
		mem_printf("{\"model\":\"%s\",\"max_tokens\":4096,\"stream\":true%s,\"messages\"",
			   model, expected);
	struct buf b;

	buf_init(&b, 65536);
	anthropic_body(&b, &call, &role, NULL);
	if (strncmp(b.p, start, strlen(start)) != 0)
		fail_msg("%s\n%s", start, b.p);
	buf_deinit(&b);
	mem_free(start);
}

/* The service would reject each of these combinations if it were sent as configured. */
static void unsupported_options_are_omitted(void **state)
{
#define EFFORT(e) ",\"output_config\":{\"effort\":\"" e "\"}"
#define THINK(t)  ",\"thinking\":{\"type\":\"" t "\"}"
	(void)state;
	check_thinking("claude-sonnet-5-5", LLM_THINKING_DEFAULT, NULL, "");
	check_thinking("claude-sonnet-5-5", LLM_THINKING_OFF, "low",
		       THINK("between_tools") EFFORT("low"));
	check_thinking("claude-sonnet-5-5", LLM_THINKING_OFF, "max", EFFORT("max"));
	check_thinking("claude-opus-5-5", LLM_THINKING_OFF, NULL, "");
	check_thinking("claude-haiku-5-5", LLM_THINKING_OFF, "high",
		       THINK("disabled") EFFORT("high"));
	check_thinking("claude-haiku-5-5", LLM_THINKING_OFF, "xhigh", EFFORT("xhigh"));
	check_thinking("claude-sonnet-5", LLM_THINKING_OFF, NULL, THINK("disabled"));
	check_thinking("claude-sonnet-4-6", LLM_THINKING_OFF, NULL, "");
	check_thinking("claude-sonnet-4-6", LLM_THINKING_ADAPTIVE, NULL, THINK("adaptive"));
	check_thinking("claude-haiku-4-5-20251001", LLM_THINKING_ADAPTIVE, "low", "");
	check_thinking("someone-elses", LLM_THINKING_ADAPTIVE, "low",
		       THINK("adaptive") EFFORT("low"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_determines_the_service),
		cmocka_unit_test(unsupported_options_are_omitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
