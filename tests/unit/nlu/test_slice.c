/* The tools that a supervisor is told of: the right one is among them. */
#include "route_bench.h"

#include "vesper/limits.h"

#define QUESTIONS VESPER_SOURCE_DIR "/tests/route/questions.jsonl"
#define BUSINESS  VESPER_SOURCE_DIR "/tests/route/business.jsonl"
#define LEAST     0.99 /* of the questions that are for a tool */

struct tally {
	int total, within;
	size_t tools; /* of all slices */
};

static size_t slice_of(struct bench *b, const struct catalog_view *may, const char *question,
		       const json_t *standing, struct arena *a, const struct tool_def *const **out)
{
	const struct nlu_input in = {.question = question,
				     .tenant = TENANT,
				     .may = may,
				     .today = {2026, 2, 27},
				     .session_context = standing};

	return nlu_slice(b->nlu, &in, a, out);
}

static bool holds(const struct tool_def *const *tools, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(tools[i]->name, name) == 0)
			return true;
	return false;
}

/* What stands after the questions before it. */
static json_t *standing_before(struct bench *b, const struct catalog_view *may, const json_t *line,
			       struct arena *a)
{
	json_t *before = json_deep_copy(line), *history = json_object_get(before, "history");
	size_t n = json_array_size(history);
	struct understanding u;
	json_t *standing = NULL;

	if (n > 0) {
		json_object_set(before, "question", json_array_get(history, n - 1));
		json_array_remove(history, n - 1);
		understand(b, may, before, a, &u);
		standing = json_own(a, standing_of(&u));
	}
	json_own(a, before);
	return standing;
}

static void judge(struct bench *b, const json_t *line, void *owner)
{
	const char *question = json_string_value(json_object_get(line, "question"));
	const json_t *want = json_object_get(line, "tools"), *name;
	struct arena *a = arena_new(1 << 24);
	const struct tool_def *const *tools;
	struct tally *tally = owner;
	struct catalog_view may;
	size_t count, i;
	bool within = true;

	catalog_for(b->catalog, &b->who, a, &may);
	count = slice_of(b, &may, question, standing_before(b, &may, line, a), a, &tools);
	assert_true(count <= NLU_SLICE_TOOLS);
	json_array_foreach((json_t *)want, i, name)
		within = within && holds(tools, count, json_string_value(name));
	if (json_array_size(want) > 0) {
		tally->total++;
		tally->within += within;
		tally->tools += count;
	}
	if (!within)
		print_message("%s: \"%s\"\n", json_string_value(json_object_get(line, "id")),
			      question);
	arena_free(&a);
}

static void is_within(const char *path)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	struct bench b = {0};
	struct tally t = {0};

	bench_open(&b, a);
	each_line(&b, path, a, judge, &t);
	print_message("%d of %d questions, %.1f tools\n", t.within, t.total,
		      (double)t.tools / t.total);
	assert_true(t.total > 100);
	assert_true(t.within >= LEAST * t.total);
	bench_close(&b);
	arena_free(&a);
}

static void slice_contains_labelled_tool(void **state)
{
	(void)state;
	is_within(QUESTIONS);
}

static void business_questions_are_within_slice(void **state)
{
	(void)state;
	is_within(BUSINESS);
}

static void slice_has_few_domains_and_context_tools(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 4);
	const struct tool_def *const *tools;
	struct catalog_view may;
	struct bench b = {0};
	json_t *standing;
	size_t n;

	(void)state;
	bench_open(&b, a);
	catalog_for(b.catalog, &b.who, a, &may);
	assert_true(may.tool_count > NLU_SLICE_TOOLS && may.domain_count > NLU_SLICE_DOMAINS);
	n = slice_of(&b, &may, "Who has opened the most reports this month?", NULL, a, &tools);
	assert_string_equal(tools[0]->name, "get_top_users");
	for (size_t d = 0, count = 0; d < may.domain_count; d++) {
		bool some = false;

		for (size_t i = 0; i < n; i++)
			some = some || catalog_agent_in(&may, tools[i]) == may.domains[d]->agent;
		count += some;
		assert_true(count <= NLU_SLICE_DOMAINS);
	}
	standing = json_own(a, json_make({"intent", json_str("project_execution")},
					 {"tools", json_list_of(json_str("get_task_risks"))}));
	n = slice_of(&b, &may, "Same please", standing, a, &tools);
	assert_string_equal(tools[0]->name, "get_task_risks");
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slice_contains_labelled_tool),
		cmocka_unit_test(business_questions_are_within_slice),
		cmocka_unit_test(slice_has_few_domains_and_context_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
