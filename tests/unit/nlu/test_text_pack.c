/*
 * A pack of text alone, in another root: its labelled questions are understood by its own words,
 * its own refusals are said, and nothing of the product's packs is known to it.
 */
#include "route_bench.h"

#define PACKS        VESPER_SOURCE_DIR "/tests/packs"
#define QUESTIONS    PACKS "/config/hospital/route.jsonl"
#define LEAST        40
#define LEAST_SHARE  0.95
#define SURELY_WRONG 0 /* share of questions that may be */

struct tally {
	int total, right, surely_wrong;
};

static const char *const roots[] = {VESPER_SOURCE_DIR, PACKS, NULL};

static void open_hospital(struct bench *b, struct arena *a)
{
	static const char *const names[] = {"hospital", NULL};
	struct pack_list list;
	struct packs *packs;
	struct err e = {0};

	if (!packs_read(roots, a, &packs, &e) || !packs_list(packs, names, a, &list, &e))
		fail_msg("%s", e.text);
	bench_open_packs(b, roots, &list);
}

/* "refused": what is said; "" leaves that open. */
static bool is_refused(struct bench *b, const struct catalog_view *may, const json_t *line,
		       const struct understanding *u, struct arena *a)
{
	const char *want = json_string_value(json_object_get(line, "refused"));
	const struct nlu_input in = {.question =
					     json_string_value(json_object_get(line, "question")),
				     .tenant = TENANT,
				     .may = may,
				     .today = {2026, 2, 27}};
	struct refusal r;

	return nlu_refuse(b->nlu, &in, u, a, &r) && strstr(r.text, want);
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
	bool sure, right;

	catalog_for(b->catalog, &b->who, a, &may);
	understand(b, &may, line, a, &u);
	nothing_is_made_up(b, &u, question);
	route = nlu_route_json(&u);
	sure = u.tool_count > 0 && u.confidence >= NLU_CONFIDENT;
	if (json_object_get(line, "refused"))
		right = is_refused(b, &may, line, &u, a);
	else
		right = (u.intent && strcmp(u.intent, intent) == 0 && right_tools(&u, line) &&
			 right_rest(&u, line, route)) ||
			(!sure && json_is_true(json_object_get(line, "may_ask")));
	tally->total++;
	tally->right += right;
	tally->surely_wrong += sure && !right;
	if (!right) {
		char *got = json_text(route);

		print_message("%s%s: \"%s\"\n  got %s\n",
			      json_string_value(json_object_get(line, "id")), sure ? " SURE" : "",
			      question, got);
		mem_free(got);
	}
	json_decref(route);
	arena_free(&a);
}

static void questions_are_understood(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	struct bench b = {0};
	struct tally tally = {0};

	(void)state;
	open_hospital(&b, a);
	each_line(&b, QUESTIONS, a, judge, &tally);
	print_message("%d questions, %.1f %% right, %.1f %% wrong and sure\n", tally.total,
		      100.0 * tally.right / tally.total, 100.0 * tally.surely_wrong / tally.total);
	assert_int_equal(tally.total, LEAST);
	assert_true(tally.right >= LEAST_SHARE * tally.total);
	assert_true(tally.surely_wrong <= SURELY_WRONG * tally.total);
	bench_close(&b);
	arena_free(&a);
}

/* A tool that tells what was most, and takes no order, is not for the least. */
static void asks_when_tool_ranks_only_top(void **state)
{
	static const char *const names[] = {"library", NULL};
	struct arena *a = arena_new(1 << 24);
	struct catalog_view may;
	struct pack_list list;
	struct packs *packs;
	struct understanding u;
	struct bench b;
	struct err e = {0};
	json_t *line;

	(void)state;
	if (!packs_read(roots, a, &packs, &e) || !packs_list(packs, names, a, &list, &e))
		fail_msg("%s", e.text);
	bench_open_packs(&b, roots, &list);
	catalog_for(b.catalog, &b.who, a, &may);
	line = json_pack("{s:s}", "question", "Which genre had the most loans of Oldtown in 2025?");
	understand(&b, &may, line, a, &u);
	assert_int_equal(u.tool_count, 1);
	assert_null(u.ask.text);
	json_decref(line);
	line = json_pack("{s:s}", "question",
			 "Which genre had the least loans of Oldtown in 2025?");
	understand(&b, &may, line, a, &u);
	assert_true(u.tool_count == 0 || u.confidence < NLU_CONFIDENT);
	assert_non_null(u.ask.text);
	assert_non_null(strstr(u.ask.text, "least"));
	json_decref(line);
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(questions_are_understood),
					   cmocka_unit_test(asks_when_tool_ranks_only_top)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
