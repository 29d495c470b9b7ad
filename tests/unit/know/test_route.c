/*
 * The labelled questions of tests/route against the real catalogue. Each line has what a person
 * would say is right: intent, tools, filters, what is asked back. Shares are printed by group and
 * may not fall below the thresholds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/know.h"
#include "vesper/mem.h"

#define QUESTIONS      VESPER_SOURCE_DIR "/tests/route/questions.jsonl"
#define FILE_CAP       (1 << 20)
#define SURE_WRONG_MAX 3

struct group {
	const char *name;
	double least_intent, least_call; /* shares that may not be missed */
	int total, intent, call;
};

static struct group groups[] = {
	{"easy", 0.97, 0.95, 0, 0, 0}, {"hard", 0.95, 0.95, 0, 0, 0},
	{"ask", 0.95, 0.95, 0, 0, 0},  {"followup", 0.95, 0.95, 0, 0, 0},
	{"trap", 0.95, 0.95, 0, 0, 0},
};

struct bench {
	struct catalog *catalog;
	struct know *know;
	struct principal who;
	int64_t spent_us;
	int asked;
	int sure_wrong; /* sure of its calls, and wrong: the worst that can happen */
};

static json_t *standing_of(const struct understanding *u)
{
	json_t *standing = know_standing(u), *ask = json_object(), *options = json_array();

	for (size_t i = 0; i < u->ask.option_count; i++)
		json_push_take(options, json_pack("{s:s,s:s}", "value", u->ask.options[i].value,
						  "label", u->ask.options[i].label));
	json_set_str(ask, "filter", u->ask.filter);
	json_set_take(ask, "options", options);
	if (u->ask.text)
		json_set_take(standing, "ask", ask);
	else
		json_decref(ask);
	return standing;
}

static void understand(struct bench *b, const struct catalog_view *may, const json_t *line,
		       struct arena *a, struct understanding *u)
{
	const json_t *history = json_object_get(line, "history");
	size_t n = json_array_size(history);
	json_t *standing = NULL;

	for (size_t i = 0; i <= n; i++) {
		const json_t *text =
			i < n ? json_array_get(history, i) : json_object_get(line, "question");
		struct know_input in = {.question = json_string_value(text),
					.may = may,
					.today = {2026, 2, 27},
					.standing = standing};
		int64_t began = clock_mono_us();

		know_understand(b->know, &in, a, u);
		b->spent_us += clock_mono_us() - began;
		b->asked++;
		if (i < n) {
			json_decref(standing);
			standing = standing_of(u);
		}
	}
	json_decref(standing);
}

static bool right_tools(const struct understanding *u, const json_t *line)
{
	const json_t *want = json_object_get(line, "tools");
	json_int_t calls = json_integer_value(json_object_get(line, "calls"));

	if (calls > 0 ? u->tool_count != (size_t)calls : u->tool_count != json_array_size(want))
		return false;
	for (size_t i = 0; i < u->tool_count; i++)
		if (strcmp(u->tools[i].tool->name,
			   json_string_value(json_array_get(want, calls > 0 ? 0 : i))) != 0)
			return false;
	return true;
}

static bool right_rest(const struct understanding *u, const json_t *line, const json_t *route)
{
	const json_t *filters = json_object_get(line, "filters");
	const char *ask = json_string_value(json_object_get(line, "ask"));
	bool unknown = json_is_true(json_object_get(line, "unknown"));

	if (filters && !json_equal(filters, json_object_get(route, "filters")))
		return false;
	if (!ask)
		return u->ask.text == NULL;
	return u->ask.text && u->ask.filter && strcmp(u->ask.filter, ask) == 0 &&
	       u->ask.unknown == unknown;
}

static struct group *group_of(const json_t *line)
{
	const char *name = json_string_value(json_object_get(line, "group"));

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (name && strcmp(groups[i].name, name) == 0)
			return &groups[i];
	fail_msg("a question without a known group");
	return NULL;
}

static void judge(struct bench *b, const json_t *line)
{
	struct arena *a = arena_new(1 << 24);
	struct group *g = group_of(line);
	struct catalog_view may;
	struct understanding u;
	json_t *route;
	bool intent, call;

	catalog_for(b->catalog, &b->who, a, &may);
	understand(b, &may, line, a, &u);
	route = know_route_json(&u);
	intent = strcmp(u.intent, json_string_value(json_object_get(line, "intent"))) == 0;
	call = intent && right_tools(&u, line) && right_rest(&u, line, route);
	g->total++;
	g->intent += intent;
	g->call += call;
	if (!call) {
		char *got = json_text(route);

		print_message("%s: \"%s\"\n  got %s\n",
			      json_string_value(json_object_get(line, "id")),
			      json_string_value(json_object_get(line, "question")), got);
		mem_free(got);
	}
	b->sure_wrong += !call && u.tool_count > 0 && u.confidence >= KNOW_SURE;
	if (u.tool_count == 0 && u.kind == KNOW_DATA)
		assert_non_null(u.ask.text);
	json_decref(route);
	arena_free(&a);
}

static void questions_are_understood(void **state)
{
	struct bench b = {.who = {.user = "u", .tenant = "t"}};
	struct arena *a = arena_new(FILE_CAP * 2);
	struct str rest, row;
	const char *text;
	struct err e;

	(void)state;
	if (!catalog_load(VESPER_SOURCE_DIR, &b.catalog, &e))
		fail_msg("%s", e.text);
	b.who.permissions = catalog_role(b.catalog, "admin");
	while (b.who.permissions && b.who.permissions[b.who.permission_count])
		b.who.permission_count++;
	b.know = know_new(b.catalog);
	assert_true(file_read(QUESTIONS, FILE_CAP, a, &text, &e));
	rest = str_of(text);
	while (str_split(&rest, '\n', &row)) {
		json_t *line;

		if (str_trim(row).n == 0)
			continue;
		assert_true(json_parse(row.p, row.n, FILE_CAP, &line, &e));
		judge(&b, line);
		json_decref(line);
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		const struct group *g = &groups[i];

		print_message("%-9s %3d questions: intent %5.1f %%, calls and filters %5.1f %%\n",
			      g->name, g->total, 100.0 * g->intent / g->total,
			      100.0 * g->call / g->total);
		assert_true(g->intent >= g->least_intent * g->total);
		assert_true(g->call >= g->least_call * g->total);
	}
	assert_true(b.sure_wrong <= SURE_WRONG_MAX);
	print_message("%.1f us a question\n", (double)b.spent_us / b.asked);
	know_free(&b.know);
	catalog_unref(&b.catalog);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(questions_are_understood)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
