/*
 * What is added to a question is never dropped in silence: each labelled question once more with a
 * sentence behind it that narrows it or asks for what no tool does. Where code was sure before and
 * calls the same after, that sentence was lost.
 *
 * Some calls are the same because hours were named beside it, or because the tool tells reasons
 * ("why" of a project's health has notes); how many may be is each sentence's bar.
 */
#include "route_bench.h"

#define QUESTIONS   VESPER_SOURCE_DIR "/tests/route/questions.jsonl"
#define ASKED_LEAST 400

static struct added {
	const char *text;
	bool never; /* nothing that can be called gives it, so no call may be sure */
	int most;   /* that may be lost */
	int lost, asked;
} added[] = {
	{" Explain why.", true, 52, 0, 0},
	{" Just the mornings.", true, 20, 0, 0},
	{" At night only.", true, 20, 0, 0},
	{" Mail it to Bob's assistant.", true, 0, 0, 0},
	{" Compared to the year before.", false, 8, 0, 0},
	{" Only look at the last quarter of the year.", false, 0, 0, 0},
	{" Leave out March.", false, 0, 0, 0},
	{" Only above 40 dollars.", false, 0, 0, 0},
};

#define ADDED (sizeof(added) / sizeof(*added))

/* What is called, where code is sure of it; else NULL. */
static char *sure_calls(struct bench *b, const struct catalog_view *may, const char *question,
			struct arena *a)
{
	json_t *line = json_pack("{s:s}", "question", question), *route;
	struct understanding u;
	char *text = NULL;

	understand(b, may, line, a, &u);
	json_decref(line);
	if (b->refused || u.tool_count == 0 || u.confidence < NLU_CONFIDENT || u.unused_count > 0)
		return NULL;
	route = nlu_route_json(&u);
	text = json_text(json_object_get(route, "tools"));
	json_decref(route);
	return text;
}

static void ask(struct bench *b, const json_t *line, void *owner)
{
	const char *question = json_string_value(json_object_get(line, "question"));
	struct arena *a = arena_new(1 << 24);
	struct catalog_view may;
	char *before;

	(void)owner;
	catalog_for(b->catalog, &b->who, a, &may);
	before = json_object_get(line, "history") ? NULL : sure_calls(b, &may, question, a);
	for (size_t i = 0; before && i < ADDED; i++) {
		const char *end = strchr(".?!", question[strlen(question) - 1]) ? "" : ".";
		char *longer = mem_printf("%s%s%s", question, end, added[i].text);
		char *after = sure_calls(b, &may, longer, a);

		added[i].asked++;
		if (after && (added[i].never || strcmp(before, after) == 0)) {
			added[i].lost++;
			if (getenv("VESPER_SHOW"))
				print_message("%s\n", longer);
		}
		mem_free(after);
		mem_free(longer);
	}
	mem_free(before);
	arena_free(&a);
}

static void keeps_added_values(void **state)
{
	struct arena *a = arena_new(1 << 24);
	struct bench b = {.asked = 0};
	int over = 0;

	(void)state;
	bench_open(&b, a);
	each_line(&b, QUESTIONS, a, ask, NULL);
	for (size_t i = 0; i < ADDED; i++) {
		print_message("\"%s\": %d of %d lost, %d may be\n", added[i].text + 1,
			      added[i].lost, added[i].asked, added[i].most);
		assert_in_range(added[i].asked, ASKED_LEAST, 100000);
		over += added[i].lost > added[i].most;
	}
	bench_close(&b);
	arena_free(&a);
	assert_int_equal(over, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_added_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
