/* Words of a question that nothing uses make code unsure, and are named. */
#include "nlu_test.h"
#include "route_bench.h"

struct account_case {
	const char *question, *unused; /* the first one; NULL: all words are used */
};

static void check(struct fixture *f, const struct account_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct understanding *u = fixture_ask(f, cases[i].question);
		const char *got = u->unused_count > 0 ? u->unused[0] : NULL;
		bool same = got && cases[i].unused ? strcmp(got, cases[i].unused) == 0
						   : !got && !cases[i].unused;

		if (!same)
			fail_msg("\"%s\": unused is \"%s\"", cases[i].question, got ? got : "");
		assert_true(u->tool_count > 0);
		assert_true(got ? u->confidence < NLU_CONFIDENT : u->confidence >= NLU_CONFIDENT);
	}
}

static void never_drops_narrowing_words(void **state)
{
	static const struct account_case cases[] = {
		{"average price EP10 2025 acorn", NULL},
		{"average price EP10 2025 acorn per month", "per month"},
		{"average price EP10 2025 acorn since the last audit", "since the last audit"},
		{"median price EP10 2025 acorn", "median"},
		{"average price EP10 2025 acorn without tariffs", "without tariffs"},
		{"average price EP10 2025 acorn in month 14", "month 14"},
		{"average price EP10 2025 acorn in minutes", "minutes"},
		{"average price EP10 2025 acorn for organic cheese", "organic cheese"},
		{"who is the manager of average price EP10 2025 acorn", "manager"},
		{"who made the average price EP10 2025 acorn", "who"},
		{"how long was the average price EP10 2025 acorn", "how"},
		{"average price EP10 2025 acorn in the mornings", "mornings"},
		{"why is the average price EP10 2025 acorn", "why"},
		{"average price EP10 2025 acorn and mail it to Bob", "mail"},
	};

	check(*state, cases, COUNT(cases));
}

static void harmless_words_do_not_count(void **state)
{
	static const struct account_case cases[] = {
		{"hi there, could you please give me the average price EP10 2025 acorn, thanks",
		 NULL},
		{"I'm preparing slides for my boss: average price EP10 2025 acorn", NULL},
		{"my manager wants the average price EP10 2025 acorn", NULL},
		{"by the way, whats the average price of EP10 in 2025 from acorn", NULL},
		{"plase show the averge price EP10 2025 acorn", NULL},
		{"shwo the averge price EP10 2025 acorn, pleease", NULL},
		{"no, average price EP10 2025 acorn", NULL},
		{"I'm a developer, average price EP10 2025 acorn", NULL},
		{"average price EP10 2025 acorn or not", NULL},
		{"no I meant the average price EP10 2025 acorn", NULL},
		{"good morning, average price EP10 2025 acorn", NULL},
		{"average price EP10 2025 acorn, mail it to me", NULL},
	};

	check(*state, cases, COUNT(cases));
}

/* What is named behind "minus" is not what is wanted, and how a thing is narrows. */
static void asked_of_the_real_catalogue(void **state)
{
	static const struct {
		const char *question, *left_out; /* NULL: it is not run surely */
	} cases[] = {
		{"show all projects minus solar", "Solar"},
		{"show all projects save the solar ones", "Solar"},
		{"show all projects less wind", "Wind"},
		{"show all projects bar wind", "Wind"},
		{"show all projects apart from wind", "Wind"},
		{"show all projects other than wind", "Wind"},
		{"show all projects minus the big ones", NULL},
		{"show all projects that are open", NULL},
		{"show all projects that are new", NULL},
		{"show all projects that are current", NULL},
		{"show all projects that are important", NULL},
		{"show all projects that are big", NULL},
		{"which projects are open", NULL},
		{"which projects are really important", NULL},
		{"top users in January minus Maria", NULL},
	};
	struct arena *a = arena_new(65536);
	struct catalog_view may;
	struct bench b = {.asked = 0};

	(void)state;
	bench_open(&b, a);
	catalog_for(b.catalog, &b.who, a, &may);
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *line = json_pack("{s:s}", "question", cases[i].question), *route;
		struct understanding u;
		bool sure;
		char *text;

		understand(&b, &may, line, a, &u);
		sure = u.tool_count > 0 && u.confidence >= NLU_CONFIDENT;
		route = nlu_route_json(&u);
		text = json_text(route);
		if (sure != (cases[i].left_out != NULL) ||
		    (sure && !strstr(text, arena_printf(a, "\"not_technology\":[\"%s\"]",
							cases[i].left_out))))
			fail_msg("\"%s\": %s", cases[i].question, text);
		mem_free(text);
		json_decref(route);
		json_decref(line);
	}
	bench_close(&b);
	arena_free(&a);
}

static void offers_question_without_unused_words(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		fixture_ask(f, "average price per month EP10 2025 acorn")->question_without_unused,
		"average price EP10 2025 acorn");
	assert_string_equal(fixture_ask(f, "average price EP10 2025 acorn for the organic cheese")
				    ->question_without_unused,
			    "average price EP10 2025 acorn");
	assert_null(fixture_ask(f, "average price EP10 2025 acorn")->question_without_unused);
}

/* Asked of the real catalogue, where users are ranked by how often they viewed reports: "most" says
 * so again, "never" at the very beginning is the opposite. */
static void ranking_is_not_reversed(void **state)
{
	static const struct account_case cases[] = {
		{"Who viewed the most Power BI reports on 2026-02-25?", NULL},
		{"Who viewed the largest Power BI reports on 2026-02-25?", "largest"},
		{"never viewed reports", "never"},
		{"Not viewed reports", "Not"},
		{"without views reports", "without"},
	};
	struct arena *a = arena_new(65536);
	struct catalog_view may;
	struct bench b = {.asked = 0};

	(void)state;
	bench_open(&b, a);
	catalog_for(b.catalog, &b.who, a, &may);
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *line = json_pack("{s:s}", "question", cases[i].question);
		struct understanding u;

		understand(&b, &may, line, a, &u);
		assert_int_equal(u.unused_count, cases[i].unused ? 1 : 0);
		if (cases[i].unused)
			assert_string_equal(u.unused[0], cases[i].unused);
		json_decref(line);
	}
	bench_close(&b);
	arena_free(&a);
}

/* Budgets are columns of the portfolio for those who may see them. Others are told that they may
 * not, which is what the query over the map ends in; a table without budgets would be no answer. */
static void hidden_column_leaves_word_unused(void **state)
{
	static const struct {
		const char *role, *tool;
	} cases[] = {{"analyst", "query_metrics"}, {"manager", "get_portfolio_summary"}};
	struct arena *a = arena_new(65536);
	struct bench b = {.asked = 0};

	(void)state;
	bench_open(&b, a);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct principal who = b.who;
		json_t *line = json_pack("{s:s}", "question", "Show the budget of all projects");
		struct catalog_view may;
		struct understanding u;

		who.permissions = catalog_role(b.catalog, cases[i].role);
		who.permission_count = 0;
		while (who.permissions[who.permission_count])
			who.permission_count++;
		catalog_for(b.catalog, &who, a, &may);
		understand(&b, &may, line, a, &u);
		assert_int_equal(u.tool_count, 1);
		assert_string_equal(u.tools[0].tool->name, cases[i].tool);
		json_decref(line);
	}
	bench_close(&b);
	arena_free(&a);
}

/* "Projected" has the stem of "project", and no tool that speaks of projects speaks of what is
 * forecast. */
static void chance_stem_does_not_merge_words(void **state)
{
	static const struct {
		const char *question, *tool, *unused;
	} cases[] = {
		{"What is the projection by month?", "get_views_trend", "projection"},
		{"Show the outlook by month", "get_views_trend", "outlook"},
		{"is there a projection of views", "project", NULL},
		{"Show the trend of views by month", "get_views_trend", NULL},
		{"How many projects do we have?", "query_metrics", NULL},
	};
	struct arena *a = arena_new(1 << 20);
	struct catalog_view may;
	struct bench b = {.asked = 0};

	(void)state;
	bench_open(&b, a);
	catalog_for(b.catalog, &b.who, a, &may);
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *line = json_pack("{s:s}", "question", cases[i].question);
		struct understanding u;

		understand(&b, &may, line, a, &u);
		assert_int_equal(u.tool_count, 1);
		assert_string_equal(u.tools[0].tool->name, cases[i].tool);
		assert_int_equal(u.unused_count, cases[i].unused ? 1 : 0);
		if (cases[i].unused)
			assert_string_equal(u.unused[0], cases[i].unused);
		json_decref(line);
	}
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranking_is_not_reversed),
		cmocka_unit_test(hidden_column_leaves_word_unused),
		cmocka_unit_test(chance_stem_does_not_merge_words),
		cmocka_unit_test(asked_of_the_real_catalogue),
		cmocka_unit_test_setup_teardown(never_drops_narrowing_words, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(harmless_words_do_not_count, fixture_setup,
						fixture_teardown),
		cmocka_unit_test_setup_teardown(offers_question_without_unused_words, fixture_setup,
						fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
