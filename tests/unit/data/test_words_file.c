/* Shared by language files and word files of packs: lists, synonyms, topics. */
#include "language_test.h"

static void lists_contain_distinct_texts(void **state)
{
	(void)state;
	assert_rejected("\"never mind\"", "\"\"", 0,
			"lets_go[0]: must be a text of 1 to 100 bytes");
	assert_rejected("\"never mind\"", "7", 0, "lets_go[0]");
	assert_rejected("\"never mind\"", "\"drop\"", 0, "lets_go[1]: \"drop\" is listed twice");
	assert_rejected("\"never mind\"", "\"a b c d e f g h i\"", 0, "at most 8 words");
	assert_rejected("\"lets_go\": [", "\"lets_go\": {}, \"x\": [", 0, "unknown member");
	assert_rejected(
		"\"never mind\"",
		"\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxx"
		"xxxxxxxxxxxxxxxxxxxxx\"",
		0, "1 to 100 bytes");
}

static void synonym_lists_need_two_words_without_overlap(void **state)
{
	(void)state;
	assert_rejected("[\"count\", \"many\"]", "[\"count\"]", 0, "must have at least two words");
	assert_rejected("[\"count\", \"many\"]", "[]", 0, "must have at least two words");
	assert_rejected("[\"count\", \"many\"]", "[\"count\", \"average\"]", 0,
			"\"average\" is also in another list");
}

static void topics_need_words_and_an_answer(void **state)
{
	(void)state;
	assert_rejected(
		"\"I only answer questions about your company's data; there is nothing about "
		"\\\"{term}\\\" in it.\"",
		"\"\"", 0, "outside.answer: is empty");
	assert_rejected("\"weather\", ", "\"weather\", \"weather\", ", 0, "is listed twice");
	assert_rejected("\"outside\": {", "\"outside\": {\"takes\": \"x\", ", 0, "takes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists_contain_distinct_texts),
		TEST(synonym_lists_need_two_words_without_overlap),
		TEST(topics_need_words_and_an_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
