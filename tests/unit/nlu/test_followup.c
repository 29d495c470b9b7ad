#include "nlu_test.h"

#define FIRST   "What was the average price in EP10 for 2025 from Acorn?"
#define AVERAGE "get_average_price seller="

static void followup_carries_missing_values(void **state)
{
	static const struct {
		const char *question, *want;
	} cases[] = {
		{"and for EP20?", AVERAGE "Acorn zone=EP20 year=2025 region=EAST grade=Base"},
		{"same for Birchwood",
		 AVERAGE "Birchwood zone=EP10 year=2025 region=EAST grade=Base"},
		{"what about next year?",
		 AVERAGE "Acorn zone=EP10 year=2027 region=EAST grade=Base"},
		{"and 2026?", AVERAGE "Acorn zone=EP10 year=2026 region=EAST grade=Base"},
		{"EP20?", AVERAGE "Acorn zone=EP20 year=2025 region=EAST grade=Base"},
		{"how about WZ_BETA",
		 AVERAGE "Acorn zone=WZ_BETA year=2025 region=WEST grade=Base"},
		{"the year before?", AVERAGE "Acorn zone=EP10 year=2024 region=EAST grade=Base"},
		{"and with low grade?", AVERAGE "Acorn zone=EP10 year=2025 region=EAST grade=Low"},
		{"and alpha?", AVERAGE "Acorn zone=HUB_ALPHA year=2025 region=EAST grade=Base"},
		{"what's the average price in EP20?",
		 AVERAGE "Acorn zone=EP20 year=2025 region=EAST grade=Base"},
		{"vs Birchwood?", "compare_sellers zone=EP10 year=2025 sellers=Acorn,Birchwood "
				  "region=EAST grade=Base"},
		{"now by hour", "get_hourly_prices zone=EP10 year=2025 seller=Acorn region=EAST "
				"grade=Base"},
		{"and in July?", "get_hourly_prices zone=EP10 year=2025 seller=Acorn region=EAST "
				 "months=7 grade=Base"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *got;

		json_decref(f->standing);
		f->standing = NULL;
		fixture_ask_and_store(f, FIRST);
		got = fixture_calls(f, cases[i].question);
		if (strcmp(got, cases[i].want) != 0)
			fail_msg("\"%s\": got \"%s\" (%s), want \"%s\"", cases[i].question, got,
				 f->u.ask.text ? f->u.ask.text : "", cases[i].want);
	}
}

static void dropped_filters_are_not_carried(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u;

	fixture_ask_and_store(f, FIRST);
	u = fixture_ask(f, "never mind the seller");
	assert_null(filter_of(u, "seller"));
	assert_non_null(filter_of(u, "zone"));
}

/* A day with two readings is asked about, and the answer is taken whole. */
static void chosen_interpretation_is_range(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "average price EP10 Acorn on 3/4/2025");

	assert_non_null(u->ask.text);
	assert_string_equal(u->ask.filter, "date_range_start");
	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, "2025-03-04/2025-03-04");
	assert_string_equal(u->ask.options[1].label, "April 3, 2025");
}

/* Also one that is open at an end: "/2025-03-03" has no first day. */
static void chosen_interpretation_may_be_open(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "list price files before 3/4/2025");

	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, "/2025-03-03");
	assert_string_equal(u->ask.options[0].label, "until March 3, 2025");
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "1"), "list_price_files to=2025-03-03");
	u = fixture_ask(f, "list price files since 3/4/2052");
	assert_string_equal(u->ask.options[1].value, "2052-04-03/");
	assert_string_equal(u->ask.options[1].label, "from April 3, 2052 on");
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "2"), "list_price_files from=2052-04-03");
}

static void carried_values_have_their_source(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u;

	fixture_ask_and_store(f, FIRST);
	u = fixture_ask(f, "and for EP20?");
	assert_int_equal(filter_of(u, "seller")->source, SOURCE_CARRIED);
	assert_int_equal(filter_of(u, "zone")->source, SOURCE_EXPLICIT);
	assert_true(u->confidence >= NLU_CONFIDENT);
}

/* "Top depots" would be a tool of its own, but no word says depots. */
static void ordering_stays_with_its_subject(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, FIRST);
	assert_string_equal(fixture_ask(f, "which one is best")->intent, "price_question");
	assert_true(f->u.confidence < NLU_CONFIDENT);
	assert_string_equal(fixture_ask(f, "and the highest?")->intent, "price_question");
	assert_true(f->u.confidence < NLU_CONFIDENT);
}

static void demonstratives_refer_to_context(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "how many parcels did River Depot send last week");
	assert_non_null(
		filter_of(fixture_ask(f, "have these parcels been sent this week"), "depot"));
	assert_int_equal(filter_of(&f->u, "depot")->source, SOURCE_CARRIED);
}

static void requested_value_completes_question(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "average price 2025 from Acorn");
	assert_string_equal(f->u.ask.filter, "zone");
	assert_string_equal(fixture_calls(f, "EP10, average price"),
			    AVERAGE "Acorn zone=EP10 year=2025 region=EAST grade=Base");
}

static void complete_question_carries_nothing(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "average price EP10 2025 Acorn as of Jan_2025 low grade");
	assert_string_equal(fixture_calls(f, "What was the average price in WZ_BETA for 2026 from "
					     "Birchwood?"),
			    AVERAGE "Birchwood zone=WZ_BETA year=2026 region=WEST grade=Base");
	assert_string_equal(fixture_calls(f, "list all price files"), "list_price_files");
	assert_string_equal(fixture_calls(f, "top 3 depots with most parcels"),
			    "get_top_depots most=3");
}

static void new_parent_drops_carried_child(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u;

	fixture_ask_and_store(f, FIRST);
	u = fixture_ask(f, "and in WEST?");
	assert_string_equal(u->ask.filter, "zone");
	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, "WZ_ALPHA");
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "WZ_BETA"),
			    AVERAGE "Acorn zone=WZ_BETA year=2025 region=WEST grade=Base");
}

static void ask_accepts_number_value_or_label(void **state)
{
	static const char *const answers[] = {"2",         "option 2",      "the second one",
					      "Birchwood", "birchwood",     "Birchwood please",
					      "bw",        "from Birchwood"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(answers); i++) {
		const char *got;

		json_decref(f->standing);
		f->standing = NULL;
		fixture_ask_and_store(f, "What was the average price in EP10 for 2025?");
		assert_string_equal(f->u.ask.filter, "seller");
		got = fixture_calls(f, answers[i]);
		if (strcmp(got, AVERAGE "Birchwood zone=EP10 year=2025 region=EAST grade=Base") !=
		    0)
			fail_msg("\"%s\": got \"%s\"", answers[i], got);
	}
	assert_int_equal(fixture_ask(f, "7")->tool_count, 0);
}

static void confirmation_drops_unsupported_filter(void **state)
{
	static const char *const answers[] = {"yes", "Leave it out", "1", "ok"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(answers); i++) {
		json_decref(f->standing);
		f->standing = NULL;
		fixture_ask_and_store(f, "compare Acorn and Birchwood EP10 summer 2025");
		assert_string_equal(fixture_calls(f, answers[i]),
				    "compare_sellers zone=EP10 year=2025 sellers=Acorn,Birchwood "
				    "region=EAST grade=Base");
	}
}

static void ask_accepts_unique_word_of_option(void **state)
{
	static const struct {
		const char *said, *choice;
	} cases[] = {{"the oak one", "d2"},    {"oak", "d2"},  {"the oak depot please", "d2"},
		     {"the depot one", NULL},  {"the", NULL},  {"not the oak one", NULL},
		     {"the maple one", NULL},  {"oaks", NULL}, {"oak parcels", NULL},
		     {"the elm and oak", NULL}};
	struct fixture *f = *state;
	json_t *ask = json_pack("{s:[{s:s,s:s},{s:s,s:s}]}", "options", "value", "d1", "label",
				"Elm Depot", "value", "d2", "label", "Oak Depot");

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *choice = nlu_choice(f->nlu, cases[i].said, ask, f->arena);

		if (!choice || !cases[i].choice)
			assert_ptr_equal(choice, cases[i].choice);
		else
			assert_string_equal(choice, cases[i].choice);
	}
	json_decref(ask);
}

static void answer_resolves_contradiction(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "average price EP10 in WEST 2025 Acorn");
	assert_string_equal(fixture_calls(f, "1"),
			    AVERAGE "Acorn zone=EP10 year=2025 region=EAST grade=Base");
	assert_string_equal(fixture_ask(f, "2")->ask.filter, "zone");
	assert_string_equal(f->u.ask.options[0].value, "WZ_ALPHA");
}

static void edited_filters_replace_and_rerun(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u;

	fixture_ask_and_store(f, FIRST);
	u = fixture_edit(f, NULL, "{\"zone\":\"EP20\",\"year\":2026}");
	assert_string_equal(calls_text(f, u),
			    AVERAGE "Acorn zone=EP20 year=2026 region=EAST grade=Base");
	assert_int_equal(filter_of(u, "zone")->source, SOURCE_EDITED);
	assert_int_equal(filter_of(u, "seller")->source, SOURCE_CARRIED);
	assert_true(u->confidence == 1);
	u = fixture_edit(f, "", "{\"zone\":\"WZ_BETA\"}");
	assert_string_equal(calls_text(f, u),
			    AVERAGE "Acorn zone=WZ_BETA year=2025 region=WEST grade=Base");
	u = fixture_edit(f, NULL, "{\"years\":[2025,2026]}");
	assert_int_equal(u->tool_count, 2);
	u = fixture_edit(f, NULL, "{\"grade\":\"low\"}");
	assert_non_null(strstr(calls_text(f, u), "grade=Low"));
	u = fixture_edit(f, NULL, "{\"year\":null}");
	assert_string_equal(u->ask.filter, "year");
	u = fixture_edit(f, FIRST, "{\"seller\":\"bw\",\"year\":\"2026\"}");
	assert_string_equal(calls_text(f, u),
			    AVERAGE "Birchwood zone=EP10 year=2026 region=EAST grade=Base");
}

static void edited_filters_without_context(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(calls_text(f, fixture_edit(f, FIRST,
						       "{\"seller\":\"Acorn\",\"region\":\"EAST\","
						       "\"zone\":\"EP20\",\"year\":2025}")),
			    AVERAGE "Acorn zone=EP20 year=2025 region=EAST grade=Base");
}

static void hostile_filters_are_asked_about(void **state)
{
	static const char *const edits[] = {
		"{\"seller\":\"Acorn' OR '1'='1\"}",
		"{\"zone\":\"%\"}",
		"{\"year\":\"2025 OR 1=1\"}",
		"{\"seller\":[\"Acorn\",\"x' OR 1=1\"]}",
		"{\"seller\":{\"$ne\":\"\"}}",
		"{\"year\":1e300}",
		"{\"year\":true}",
		"{\"zone\":7}",
		"{\"year\":99999}",
	};
	struct fixture *f = *state;

	fixture_ask_and_store(f, FIRST);
	for (size_t i = 0; i < COUNT(edits); i++) {
		const struct understanding *u = fixture_edit(f, NULL, edits[i]);

		if (u->tool_count != 0 || !u->ask.text)
			fail_msg("%s: runs %s", edits[i], calls_text(f, u));
	}
	/* What is no filter changes nothing. */
	assert_string_equal(calls_text(f, fixture_edit(f, NULL, "{\"tenant_id\":\"other\"}")),
			    AVERAGE "Acorn zone=EP10 year=2025 region=EAST grade=Base");
}

static void ignores_malformed_session_context(void **state)
{
	static const char *const broken[] = {"{}", "[]", "{\"filters\":7,\"tools\":{}}",
					     "{\"filters\":{\"year\":{}},\"tools\":[7,\"none\"]}",
					     "{\"ask\":{\"options\":[1,null]}}"};
	struct fixture *f = *state;
	struct err e;

	for (size_t i = 0; i < COUNT(broken); i++) {
		json_decref(f->standing);
		assert_true(json_parse(broken[i], strlen(broken[i]), 4096, &f->standing, &e));
		assert_string_equal(fixture_calls(f, FIRST),
				    AVERAGE "Acorn zone=EP10 year=2025 region=EAST grade=Base");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(followup_carries_missing_values),
		TEST(dropped_filters_are_not_carried),
		TEST(chosen_interpretation_is_range),
		TEST(chosen_interpretation_may_be_open),
		TEST(carried_values_have_their_source),
		TEST(ordering_stays_with_its_subject),
		TEST(demonstratives_refer_to_context),
		TEST(requested_value_completes_question),
		TEST(complete_question_carries_nothing),
		TEST(new_parent_drops_carried_child),
		TEST(ask_accepts_number_value_or_label),
		TEST(ask_accepts_unique_word_of_option),
		TEST(confirmation_drops_unsupported_filter),
		TEST(answer_resolves_contradiction),
		TEST(edited_filters_replace_and_rerun),
		TEST(edited_filters_without_context),
		TEST(hostile_filters_are_asked_about),
		TEST(ignores_malformed_session_context),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
