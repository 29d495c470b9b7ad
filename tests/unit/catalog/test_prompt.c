/* Prompts with slots. */
#include "catalog_test.h"

#include "vesper/limits.h"
#include "vesper/prompt.h"

static void fills_slots(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 16);
	const struct prompt_slot slots[] = {{"domains", "D {{company}}"}};

	temp_root_write(&root, "prompts/supervisor.md",
			"a {{domains}} b {{ domains }}{{rules}} {x} }}\n");
	temp_root_write(&root, "prompts/agent.md", "For {{company}} and {{ company }}.\n");
	load();
	assert_string_equal(prompt_fill(catalog, "agent", NULL, 0, a), "For a shop and a shop.\n");
	assert_string_equal(prompt_fill(catalog, "supervisor", slots, 1, a),
			    "a D {{company}} b D {{company}} {x} }}\n");
	assert_string_equal(prompt_fill(catalog, "synthesizer", NULL, 0, a), "Write.\n");
	arena_free(&a);
}

static void inserts_pack_rules_at_their_slot(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 16);

	temp_root_write(&root, "prompts/synthesizer.md", "How\n- Briefly.\n{{rules}}\nEnd.\n");
	load();
	assert_string_equal(prompt_fill(catalog, "synthesizer", NULL, 0, a),
			    "How\n- Briefly.\nEnd.\n");
	temp_root_write(&root, "config/energy/words.json",
			"{\"company\": \"a shop\", \"version\": 1, \"rules\": {\"synthesizer\":"
			" [\"Name the hub.\", \"Prices in $.\"], \"supervisor\": []}}");
	load();
	assert_string_equal(prompt_fill(catalog, "synthesizer", NULL, 0, a),
			    "How\n- Briefly.\n- Name the hub.\n- Prices in $.\nEnd.\n");
	arena_free(&a);
}

static void rejects_unknown_slots_at_start(void **state)
{
	(void)state;
	assert_rejected("prompts/synthesizer.md", "Write.\n",
			"prompts/synthesizer.md:1: {{rules}} is missing");
	assert_rejected("prompts/supervisor.md", "{{domains}}\n\n{{dimension}}",
			"prompts/supervisor.md:3: unknown slot {{dimension}}");
	assert_rejected("prompts/supervisor.md", "tools", "{{domains}} is missing");
	assert_rejected("prompts/supervisor.md", NULL, "prompts/supervisor.md");
}

static void limits_prompt_size(void **state)
{
	(void)state;
	char *text = mem_alloc(PROMPT_FILE_BYTES_MAX + 2);

	memset(text, 'x', PROMPT_FILE_BYTES_MAX);
	temp_root_write(&root, "prompts/agent.md", text);
	load();
	text[PROMPT_FILE_BYTES_MAX] = 'x';
	assert_rejected("prompts/agent.md", text, "larger than 65536 bytes");
	mem_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fills_slots),
		TEST(inserts_pack_rules_at_their_slot),
		TEST(rejects_unknown_slots_at_start),
		TEST(limits_prompt_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
