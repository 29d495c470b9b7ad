/*
 * Rounds of questions that somebody wrote and labelled who had seen the list of tools and the data
 * dictionary, but neither the code nor other questions. What a round gave when it was run first is
 * in docs/measured.md; since then it is a bar against falling back, not a measure of unseen
 * questions.
 *
 * A label is an answer (a tool with its arguments), or says that a clarifying question, a refusal
 * or a fixed reply is right, so that no tool may be run; `also` has labels that are right, too.
 * Without a model a call is run also when code is not sure, unless words are not used.
 *
 * With VESPER_POINTS set it prints how sure each call was and whether it is right, which
 * tests/bench/calibration.mjs draws.
 */
#include "route_bench.h"

/* Questions; a figure that is worse than its bar is a fall back. */
struct round {
	const char *path;
	int questions, surely_wrong_most;
	int right_least;    /* right and sure */
	int named_least;    /* with words that no tool takes, which are named or asked about */
	int sensible_least; /* right, or a clarifying question or reply that the label allows */
	int senseless_most; /* asked although a tool answers */
};

static const struct round rounds[] = {
	{VESPER_SOURCE_DIR "/tests/route/round1.jsonl", 232, 9, 118, 37, 217, 4},
	{VESPER_SOURCE_DIR "/tests/route/round2.jsonl", 160, 0, 101, 19, 151, 9},
	{VESPER_SOURCE_DIR "/tests/route/round3.jsonl", 160, 0, 82, 27, 141, 18},
	{VESPER_SOURCE_DIR "/tests/route/round4.jsonl", 160, 4, 73, 28, 133, 21},
	{VESPER_SOURCE_DIR "/tests/route/round5.jsonl", 160, 0, 78, 16, 130, 27},
	{VESPER_SOURCE_DIR "/tests/route/round6.jsonl", 160, 8, 78, 18, 130, 22},
	{VESPER_SOURCE_DIR "/tests/route/round7.jsonl", 160, 1, 76, 23, 135, 23},
	{VESPER_SOURCE_DIR "/tests/route/round8.jsonl", 160, 9, 70, 15, 117, 33},
	{VESPER_SOURCE_DIR "/tests/route/round9.jsonl", 160, 11, 52, 19, 96, 52},
	{VESPER_SOURCE_DIR "/tests/route/round10.jsonl", 160, 7, 60, 14, 100, 50},
	{VESPER_SOURCE_DIR "/tests/route/round11.jsonl", 160, 2, 111, 7, 142, 16},
	{VESPER_SOURCE_DIR "/tests/route/round12.jsonl", 160, 14, 72, 8, 106, 38},
};

struct tally {
	int total, right, surely_wrong, named, sensible, senseless;
};

/* What a call may have beyond its label: what the question need not say. */
static bool is_default(const char *name, const json_t *value)
{
	const char *text = json_string_value(value);

	if (strcmp(name, "market") == 0)
		return true;
	if (str_ends(str_of(name), STR("_incl"))) /* a bound itself counts by default */
		return json_integer_value(value) == 1;
	if (strcmp(name, "top_n") == 0)
		return json_integer_value(value) == 10;
	if (strcmp(name, "to") == 0 || strcmp(name, "until") == 0)
		return text && strcmp(text, "2026-02-27") == 0; /* today */
	if (strcmp(name, "order") == 0)
		return text && strcmp(text, ORDER_DESC) == 0;
	return text && (strcmp(text, "Base") == 0 || strcmp(text, "any") == 0);
}

static bool same_value(const json_t *want, const json_t *got)
{
	const char *a = json_string_value(want), *b = json_string_value(got);
	const json_t *item;
	size_t i;

	if (json_is_array(want) != json_is_array(got)) {
		const json_t *list = json_is_array(want) ? want : got;

		return json_array_size(list) == 1 &&
		       same_value(json_array_get(list, 0), json_is_array(want) ? got : want);
	}
	if (json_is_array(want)) {
		bool same = json_array_size(want) == json_array_size(got);

		json_array_foreach((json_t *)want, i, item) {
			bool there = false;

			for (size_t n = 0; n < json_array_size(got); n++)
				there = there || same_value(item, json_array_get(got, n));
			same = same && there;
		}
		return same;
	}
	if (json_decimal_text(got))
		return json_number_value(want) == atof(json_decimal_text(got));
	return a && b ? strcasestr(a, b) || strcasestr(b, a) : json_equal(want, got);
}

static bool same_call(const json_t *call, const char *tool, const json_t *args)
{
	const json_t *have = json_object_get(call, "args"), *value;
	const char *name;

	if (!tool || strcmp(json_string_value(json_object_get(call, "name")), tool) != 0)
		return false;
	json_object_foreach((json_t *)args, name, value) {
		const json_t *got = json_object_get(have, name);

		if (got ? !same_value(value, got) : !is_default(name, value))
			return false;
	}
	json_object_foreach((json_t *)have, name, value)
		if (!json_object_get(args, name) && !is_default(name, value))
			return false;
	return true;
}

static bool has_kind(const json_t *label, const char *kind)
{
	return strcmp(json_string_value(json_object_get(label, "kind")), kind) == 0;
}

static bool allows(const json_t *label, const char *kind)
{
	const json_t *other;
	size_t i;

	json_array_foreach(json_object_get(label, "also"), i, other)
		if (has_kind(other, kind))
			return true;
	return has_kind(label, kind);
}

static bool is_right_call(const json_t *call, const json_t *label)
{
	const json_t *other;
	size_t i;

	json_array_foreach(json_object_get(label, "also"), i, other)
		if (is_right_call(call, other))
			return true;
	return same_call(call, json_string_value(json_object_get(label, "tool")),
			 json_object_get(label, "args"));
}

/* Whether what is said is right, or the sensible thing to say. A call that code is not sure of is
 * run when all words are used. */
static bool is_sensible(const json_t *label, bool runs, bool right)
{
	if (runs)
		return right;
	return !has_kind(label, "answer") || allows(label, "clarify");
}

static void judge(struct bench *b, const json_t *line, void *owner)
{
	struct tally *tally = owner;
	const json_t *label = json_object_get(line, "label"), *calls, *call;
	struct arena *a = arena_new(1 << 24);
	struct catalog_view may;
	struct understanding u;
	bool runs, sure, right, sensible;
	json_t *route;
	size_t i;

	catalog_for(b->catalog, &b->who, a, &may);
	understand(b, &may, line, a, &u);
	route = nlu_route_json(&u);
	calls = json_object_get(route, "tools");
	runs = u.tool_count > 0 && !b->refused && !u.ask.text && u.unused_count == 0;
	sure = runs && u.confidence >= NLU_CONFIDENT;
	right = u.tool_count > 0;
	json_array_foreach((json_t *)calls, i, call)
		right = right && is_right_call(call, label);
	sensible = is_sensible(label, runs, right);
	tally->total++;
	tally->right += sure && right;
	tally->surely_wrong += sure && !right;
	tally->named += has_kind(label, "cannot") && !runs;
	tally->sensible += sensible;
	tally->senseless += has_kind(label, "answer") && !allows(label, "clarify") && !runs;
	if ((sure && !right) || (!sensible && getenv("VESPER_SHOW"))) {
		char *got = json_text(route), *wanted = json_text(label);

		print_message("%s%s: \"%s\"\n  wanted %s\n  got %s\n",
			      sure && !right ? "SURE AND WRONG " : "",
			      json_string_value(json_object_get(line, "id")),
			      json_string_value(json_object_get(line, "question")), wanted, got);
		mem_free(got);
		mem_free(wanted);
	}
	if (u.tool_count > 0 && getenv("VESPER_POINTS"))
		print_message("point %.3f %d\n", u.confidence, (int)right);
	if (u.unused_count > 0)
		assert_true(u.confidence < NLU_CONFIDENT);
	json_decref(route);
	arena_free(&a);
}

static void rounds_do_not_regress(void **state)
{
	struct arena *a = arena_new(FILE_CAP * 8);
	struct bench b = {0};

	(void)state;
	bench_open(&b, a);
	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		const struct round *r = &rounds[i];
		struct tally t = {0};

		each_line(&b, r->path, a, judge, &t);
		print_message("round %zu, %d questions: %d right and sure, %d wrong and sure (%.1f "
			      "%%), %d that "
			      "no tool takes named, %d right or sensible (%.1f %%), %d asked "
			      "without need\n",
			      i + 1, t.total, t.right, t.surely_wrong,
			      100.0 * t.surely_wrong / t.total, t.named, t.sensible,
			      100.0 * t.sensible / t.total, t.senseless);
		assert_int_equal(t.total, r->questions);
		assert_true(t.surely_wrong <= r->surely_wrong_most);
		assert_true(t.right >= r->right_least);
		assert_true(t.named >= r->named_least);
		assert_true(t.sensible >= r->sensible_least);
		assert_true(t.senseless <= r->senseless_most);
	}
	bench_close(&b);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rounds_do_not_regress)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
