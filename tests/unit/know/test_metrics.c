/* Questions that become queries over the shipped packs' map, and questions that must not. */
#include "route_bench.h"

static struct arena *arena;
static struct bench bench;

static int open_all(void **state)
{
	(void)state;
	arena = arena_new(FILE_CAP * 8);
	bench_open(&bench, arena);
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	bench_close(&bench);
	arena_free(&arena);
	return 0;
}

/* The query that code is sure of; NULL: it is none. */
static const char *query_of(const char *question)
{
	json_t *line = json_own(arena, json_object());
	struct catalog_view may;
	struct understanding u;

	json_set_str(line, "question", question);
	catalog_for(bench.catalog, &bench.who, arena, &may);
	understand(&bench, &may, line, arena, &u);
	if (u.confidence < KNOW_SURE || u.tool_count != 1 || !u.tools[0].tool ||
	    !u.tools[0].tool->map)
		return NULL;
	return args_text(&u.tools[0].args, u.tools[0].tool->map, arena);
}

static void whole_questions_become_queries(void **state)
{
	static const char *const cases[][2] = {
		{"How many projects are there?", "{\"where\":[],\"metrics\":[\"projects\"]}"},
		{"top 3 markets by budget",
		 "{\"top\":3,\"where\":[],\"metrics\":[\"budget\"],\"by\":"
		 "[\"market_of_project\"]}"},
		{"which market has the highest budget", /* one is asked for */
		 "{\"where\":[],\"metrics\":[\"budget\"],\"by\":[\"market_of_project\"],\"top\":"
		 "1}"},
		{"How many solar projects are there?",
		 "{\"where\":[{\"name\":\"technology\",\"op\":\"is\",\"values\":[\"Solar\"]}],"
		 "\"metrics\":[\"projects\"]}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *query = query_of(cases[i][0]);

		if (!query || strcmp(query, cases[i][1]) != 0)
			fail_msg("%s: %s", cases[i][0], query ? query : "none");
	}
}

/* A word that nothing takes, a direction back, a bound, a comparison: code is not sure. */
static void a_word_too_much_leaves_the_question_unread(void **state)
{
	static const char *const questions[] = {
		"How many projects did we win?",
		"How many of their projects are there?",
		"How many projects are above 60?",
		"projects per market compared to last year",
		"top 3 and bottom 3 markets by budget",
		"projects by",
		"number of",
		"budget by risk level", /* a project has several */
		"How many projects changed hands?",
		"projects per flux capacitor",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		const char *query = query_of(questions[i]);

		if (query)
			fail_msg("%s: %s", questions[i], query);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_questions_become_queries),
		cmocka_unit_test(a_word_too_much_leaves_the_question_unread),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
