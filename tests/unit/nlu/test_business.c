/*
 * Questions as business users type them, labelled before anybody asked them: abbreviations, typing
 * errors, follow-ups, what is not wanted. "open" ones nobody can answer well: code has to ask a
 * clarifying question or leave them to a model, as it may with those that "may_ask". What is wrong
 * and sure is counted apart: nothing is worse.
 */
#include "route_bench.h"

#define QUESTIONS    VESPER_SOURCE_DIR "/tests/route/business.jsonl"
#define LEAST        120
#define LEAST_SHARE  0.9
#define SURELY_WRONG 0.03 /* share of questions that may be */

struct tally {
	int total, right, surely_wrong;
};

static bool holds(const json_t *line, const char *name)
{
	return json_is_true(json_object_get(line, name));
}

/* Of a query over the map: the same members, in any order. */
static bool right_query(const struct understanding *u, const json_t *line)
{
	const json_t *want = json_object_get(line, "query");
	const struct tool_def *tool = u->tool_count == 1 ? u->tools[0].tool : NULL;
	const struct arg *query =
		want && tool && tool->map ? args_find(&u->tools[0].args, tool->map) : NULL;
	json_t *got;
	bool same;

	if (!want)
		return true;
	got = query ? json_loads(query->values[0].text, 0, NULL) : NULL;
	same = json_equal(want, got);
	json_decref(got);
	return same;
}

static void judge(struct bench *b, const json_t *line, void *owner)
{
	struct tally *tally = owner;
	const char *question = json_string_value(json_object_get(line, "question"));
	const char *intent = json_string_value(json_object_get(line, "intent"));
	struct arena *a = arena_new(1 << 24);
	struct catalog_view may;
	struct understanding u;
	json_t *route;
	bool sure, exact, right;

	catalog_for(b->catalog, &b->who, a, &may);
	understand(b, &may, line, a, &u);
	nothing_is_made_up(b, &u, question);
	route = nlu_route_json(&u);
	sure = u.tool_count > 0 && u.confidence >= NLU_CONFIDENT;
	exact = !holds(line, "open") && intent && strcmp(u.intent, intent) == 0 &&
		right_tools(&u, line) && right_rest(&u, line, route) && right_query(&u, line);
	right = exact || (!sure && (holds(line, "open") || holds(line, "may_ask")));
	tally->total++;
	tally->right += right;
	tally->surely_wrong += sure && !right;
	if (!right && getenv("VESPER_SHOW")) {
		char *got = json_text(route);

		print_message("%s%s: \"%s\"\n  got %s\n",
			      json_string_value(json_object_get(line, "id")), sure ? " SURE" : "",
			      question, got);
		mem_free(got);
	}
	json_decref(route);
	arena_free(&a);
}

static void business_questions_are_understood(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	struct bench b = {0};
	struct tally tally = {0};

	(void)state;
	bench_open(&b, a);
	each_line(&b, QUESTIONS, a, judge, &tally);
	print_message("%d questions, %.1f %% right, %.1f %% wrong and sure\n", tally.total,
		      100.0 * tally.right / tally.total, 100.0 * tally.surely_wrong / tally.total);
	assert_true(tally.total >= LEAST);
	assert_true(tally.right >= LEAST_SHARE * tally.total);
	assert_true(tally.surely_wrong <= SURELY_WRONG * tally.total);
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(business_questions_are_understood)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
