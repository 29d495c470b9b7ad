/* The question-dependent part of the supervisor's prompt: tools and values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "answer_int.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static struct catalog *catalog;
static struct nlu *nlu;
static struct arena *arena;
static struct turn_core core;
static struct turn_context context;
static struct turn_reading reading;
static const struct answer_turn turn = {.core = &core, .context = &context, .reading = &reading};

static int setup(void **state)
{
	static struct principal who = {.user = "ann", .tenant = "vesper"};
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		return -1;
	nlu = nlu_new(catalog);
	arena = arena_new(1 << 24);
	who.permissions = catalog_role(catalog, "admin");
	who.permission_count = 0;
	while (who.permissions[who.permission_count])
		who.permission_count++;
	core = (struct turn_core){.nlu = nlu, .arena = arena, .who = &who, .today = {2026, 2, 27}};
	reading = (struct turn_reading){.known = json_own(arena, json_object())};
	catalog_for(catalog, &who, arena, &core.may);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	nlu_free(&nlu);
	catalog_unref(&catalog);
	return 0;
}

static const char *slice_for(const char *question)
{
	core.request.content = question;
	return slice_text(&turn);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void best_tools_are_described_in_full(void **state)
{
	const char *text = slice_for("seasonal shape of SP15 in 2026");
	const struct tool_def *first = catalog_tool(catalog, "get_seasonal_shape");

	(void)state;
	assert_ptr_equal(strstr(text, "- get_seasonal_shape:"), strstr(text, "- get_"));
	assert_non_null(strstr(text, first->about));
	assert_int_equal(count(text, " Filters:"), NLU_SLICE_TOOLS);
	assert_int_equal(count(text, "get_seasonal_shape"), 1);
	for (size_t i = 0, whole = 0; i < core.may.tool_count; i++) {
		whole += strstr(text, core.may.tools[i]->about) != NULL;
		assert_true(whole <= PROMPT_FULL_TOOLS_MAX);
	}
}

static void lists_values_of_unread_filters(void **state)
{
	const char *question = "seasonal shape of SP15 in 2026";

	(void)state;
	assert_non_null(strstr(slice_for(question), "- hub_zone: NP15"));
	assert_non_null(strstr(slice_for(question), "- market: "));
	json_set_str(reading.known, "hub_zone", "SP15");
	assert_null(strstr(slice_for(question), "- hub_zone:"));
	assert_non_null(strstr(slice_for(question), "- market: "));
}

static void truncates_long_value_lists(void **state)
{
	static const char *values[PROMPT_VALUES_MAX + 2];
	struct dimension_def *d = (struct dimension_def *)catalog_dimension(catalog, "vendor");
	const char *const *before = d->values;
	const char *text;

	(void)state;
	for (size_t i = 0; i <= PROMPT_VALUES_MAX; i++)
		values[i] = arena_printf(arena, "v%02zu", i);
	d->values = values;
	text = slice_for("average price of SP15 in 2026");
	assert_non_null(strstr(text, "v19, …\n"));
	assert_null(strstr(text, "v20"));
	values[PROMPT_VALUES_MAX] = NULL;
	text = slice_for("average price of SP15 in 2026");
	assert_non_null(strstr(text, "v19\n"));
	d->values = before;
}

static void lists_no_tools_for_caller_without_tools(void **state)
{
	(void)state;
	core.may.tool_count = core.may.domain_count = 0;
	assert_string_equal(slice_for("seasonal shape of SP15 in 2026"), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(best_tools_are_described_in_full),
		TEST(lists_values_of_unread_filters),
		TEST(truncates_long_value_lists),
		TEST(lists_no_tools_for_caller_without_tools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
