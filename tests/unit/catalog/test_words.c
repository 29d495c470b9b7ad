/* A pack's words.json, and the language: reading, and errors with their line. */
#include "catalog_test.h"

#include "vesper/limits.h"

#define WORDS "config/energy/words.json"
#define HEAD  "{\"company\": \"a shop\",\n\"version\": 1,\n"

static void reads_words_file(void **state)
{
	(void)state;
	temp_root_write(&root, WORDS,
			HEAD "\"stop\": [\"retail\"],\n"
			     "\"synonyms\": [[\"price\", \"cost\"]],\n"
			     "\"nouns\": [\"hub\"], \"states\": [\"sold out\"],\n"
			     "\"outside\": [{\"words\": [\"stock price\"], \"answer\": \"No.\"}],\n"
			     "\"impossible\": [{\"words\": [\"actual\"], \"unless\": [\"budget\"],"
			     " \"takes\": \"year\", \"answer\": \"{term}?\"}],\n"
			     "\"glossary\": [{\"term\": \"hub\", \"about\": \"A place.\"}]}\n");
	load();
	assert_string_equal(catalog->words.company, "a shop");
	assert_string_equal(catalog->words.stop[0], "retail");
	assert_string_equal(catalog->words.synonyms[0][1], "cost");
	assert_string_equal(catalog->words.states[0], "sold out");
	assert_null(catalog->words.aspects[0]);
	assert_string_equal(catalog->words.outside[0].phrases[0], "stock price");
	assert_null(catalog->words.outside[0].required_filter);
	assert_string_equal(catalog->words.impossible[0].required_filter, "year");
	assert_string_equal(catalog->words.impossible[0].unless[0], "budget");
	assert_string_equal(catalog->words.glossary[0].about, "A place.");
	assert_non_null(catalog->language);
}

static void rejects_broken_words_with_line(void **state)
{
	(void)state;
	assert_rejected(WORDS, "{\n\"company\": \"a\",\n}", WORDS ":3: JSON");
	assert_rejected(WORDS, "[]", WORDS ":1: not an object");
	assert_rejected(WORDS, "{\"version\": 1}", WORDS ":1: company:");
	assert_rejected(WORDS, "{\"version\": 1,\n\"company\": \"\"}", WORDS ":2: company:");
	assert_rejected(WORDS, "{\"company\": \"a\"}", WORDS ":1: version: must be 1");
	assert_rejected(WORDS, HEAD "\"synonym\": []}", WORDS ":3: synonym: unknown member");
	assert_rejected(WORDS, HEAD "\"synonyms\": [[\"a\", \"b\"],\n[\"c\"]]}",
			WORDS ":4: synonyms[1]: must have at least two words");
	assert_rejected(WORDS, HEAD "\"synonyms\": [[\"a\", \"b\"],\n[\"c\",\n\"b\"]]}",
			WORDS ":5: synonyms[1][1]: \"b\" is also in another list");
	assert_rejected(WORDS, HEAD "\"nouns\": [\"a\",\n\"a\"]}",
			WORDS ":4: nouns[1]: \"a\" is listed twice");
	assert_rejected(WORDS, HEAD "\"outside\": [\n{\"words\": [\"x\"],\n\"answer\": \"\"}]}",
			WORDS ":5: outside[0].answer: is empty");
	assert_rejected(WORDS, HEAD "\"outside\": [\n{\"words\": [],\n\"answer\": \"y\"}]}",
			WORDS ":4: outside[0].words: is empty");
	assert_rejected(WORDS, HEAD "\"outside\": [\n{\"answer\": \"y\"}]}",
			WORDS ":4: outside[0].words: is missing");
	assert_rejected(WORDS, HEAD "\"impossible\": [\n{\"words\": [\"x\"]}]}",
			WORDS ":4: impossible[0]:");
	assert_rejected(WORDS,
			HEAD
			"\"impossible\": [{\"words\": [\"x\"], \"answer\": \"y\",\n\"when\": 1}]}",
			WORDS ":3: impossible[0]:");
	assert_rejected(WORDS, HEAD "\"outside\": {}}", WORDS ":3: outside: not a list");
	assert_rejected(WORDS,
			HEAD "\"glossary\": [{\"term\": \"a\", \"about\": \"b\"},\n"
			     "{\"term\": \"A\", \"about\": \"c\"}]}",
			WORDS ":4: glossary[1]: \"A\" appears twice");
	assert_rejected(WORDS, HEAD "\"glossary\": [{\"term\": \"a\", \"about\": \"\"}]}",
			WORDS ":3: glossary[0]: term and about must not be empty");
	assert_rejected(WORDS, HEAD "\"glossary\": [{\"term\": \"a\"}]}", WORDS ":3: glossary[0]:");
	assert_rejected(WORDS, NULL, WORDS);
}

static void rejects_broken_rules_with_line(void **state)
{
	struct arena *arena = arena_new(1 << 16);
	struct buf b;

	(void)state;
	assert_rejected(WORDS, HEAD "\"rules\": []}", WORDS ":3: rules: not an object");
	assert_rejected(WORDS, HEAD "\"rules\": {\n\"agent\": [\"Be brief.\"]}}",
			WORDS ":4: rules.agent: prompts/agent.md has no {{rules}} slot");
	assert_rejected(WORDS, HEAD "\"rules\": {\n\"synthesizer\": \"Be brief.\"}}",
			WORDS ":4: rules.synthesizer: expected a list of at most 16 rules");
	assert_rejected(
		WORDS, HEAD "\"rules\": {\"synthesizer\": [\"Be brief.\",\n\"a {{slot}}\"]}}",
		WORDS ":4: rules.synthesizer[1]: expected a line of 1 to 400 bytes without braces");
	assert_rejected(WORDS, HEAD "\"rules\": {\"synthesizer\": [\"two\\nlines\"]}}",
			WORDS ":3: rules.synthesizer[0]:");
	assert_rejected(WORDS, HEAD "\"rules\": {\"synthesizer\": [\"\"]}}",
			WORDS ":3: rules.synthesizer[0]:");
	buf_init(&b, 1 << 16);
	buf_str(&b, HEAD "\"rules\": {\"supervisor\": [\"x\"");
	for (int i = 1; i < RULES_MAX; i++)
		buf_str(&b, ", \"x\"");
	temp_root_write(&root, WORDS, arena_printf(arena, "%s]}}", buf_text(&b)));
	load();
	assert_rejected(WORDS, arena_printf(arena, "%s, \"x\"]}}", buf_text(&b)),
			WORDS ":3: rules.supervisor: expected a list of");
	buf_deinit(&b);
	arena_free(&arena);
}

static void rejects_missing_language(void **state)
{
	(void)state;
	assert_rejected("config/language/en.json", "{\"version\": 1}",
			"config/language/en.json:1: stop: is missing");
	assert_rejected("config/language/en.json", NULL, "config/language/en.json");
}

static void rejects_broken_units_with_line(void **state)
{
	(void)state;
	assert_rejected("config/units.json", "{\"version\": 1,\n\"units\": [{}]}",
			"config/units.json:2: units[0]:");
	assert_rejected("config/units.json", "{\"version\": 2, \"units\": []}",
			"config/units.json:1: version: must be 1");
	assert_rejected("config/units.json", "{\"version\": 1, \"unit\": []}",
			"config/units.json:1: ");
	assert_rejected("config/units.json", NULL, "config/units.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_words_file),
		TEST(rejects_broken_words_with_line),
		TEST(rejects_broken_rules_with_line),
		TEST(rejects_missing_language),
		TEST(rejects_broken_units_with_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
