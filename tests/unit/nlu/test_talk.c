#include "nlu_test.h"

static void check(enum small_talk want, const char *const *texts)
{
	struct arena *a = arena_new(1 << 20);

	for (; *texts; texts++) {
		struct question q;

		text_tokenize(english(a), *texts, a, &q);
		if (small_talk_of(&q) != want)
			fail_msg("\"%s\": %d", *texts, (int)small_talk_of(&q));
	}
	arena_free(&a);
}

static void greetings(void **state)
{
	(void)state;
	check(TALK_GREETING, (const char *const[]){"hi", "Hello there!", "good evening", "bye",
						   "hey, how are you?", NULL});
}

static void thanks(void **state)
{
	(void)state;
	check(TALK_THANKS,
	      (const char *const[]){"Thanks a lot", "thanks!", "ok thank you", "great, thx", NULL});
}

static void help(void **state)
{
	(void)state;
	check(TALK_HELP, (const char *const[]){"help", "Help me please", "what can you do?",
					       "Who are you", "What can I ask you about?", NULL});
}

static void uploads(void **state)
{
	(void)state;
	check(TALK_UPLOAD,
	      (const char *const[]){"How can I upload a file?", "upload my data", NULL});
	check(TALK_NONE, (const char *const[]){"which reports were uploaded", NULL});
}

static void questions_are_not_small_talk(void **state)
{
	(void)state;
	check(TALK_NONE, (const char *const[]){"average price for NP15", "hi average price", "",
					       "?!", "can I see the policy rules",
					       "help me compare the vendors for 2025", NULL});
}

/* "Acorn" is a seller, which a tool would take; what it means is no question for a tool. */
static void meaning_of_value_needs_no_tool(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(fixture_ask(f, "What is an Acorn?")->reply,
			    "\"Acorn\" is a value of seller in the data. The glossary does not "
			    "say what it stands for.");
	assert_int_equal(f->u.kind, NLU_DEFINITION);
	assert_int_equal(fixture_ask(f, "what does Acorn mean")->kind, NLU_DEFINITION);
	assert_int_equal(fixture_ask(f, "what does the average price mean")->tool_count, 0);
	assert_int_equal(fixture_ask(f, "what does it mean")->tool_count, 0);
}

static void mean_price_is_not_a_definition(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fixture_ask(f, "what does the mean price for EP10 2025 from Acorn look "
					"like")
				 ->kind,
			 NLU_DATA);
	assert_int_equal(
		fixture_ask(f, "what is a good average price for EP10 2025 from Acorn")->kind,
		NLU_DATA);
	assert_int_equal(fixture_ask(f, "what does the mean price of Acorn look like")->kind,
			 NLU_DATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(greetings),
		cmocka_unit_test(thanks),
		cmocka_unit_test(help),
		cmocka_unit_test(uploads),
		cmocka_unit_test(questions_are_not_small_talk),
		cmocka_unit_test_setup_teardown(meaning_of_value_needs_no_tool, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(mean_price_is_not_a_definition, fixture_setup,
						fixture_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
