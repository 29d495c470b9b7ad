/* Questions with their calls that are like another one, of what the caller may use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "vesper/know.h"
#include "vesper/limits.h"

#define PRICE_CALL  "file:dayahead:1"
#define HEALTH_CALL "file:per:1"

static struct catalog *catalog;
static struct know *know;
static struct arena *arena;
static struct principal who = {.user = "ann", .tenant = "vesper"};
static const struct example_def *like[PROMPT_LIKE_MAX];

static int setup(void **state)
{
	struct err e = {0};

	(void)state;
	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &catalog, &e))
		return -1;
	know = know_new(catalog);
	arena = arena_new(1 << 24);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	know_free(&know);
	catalog_unref(&catalog);
	return 0;
}

static size_t ask(const char *role, const char *question)
{
	struct catalog_view may;

	who.permissions = catalog_role(catalog, role);
	who.permission_count = 0;
	while (who.permissions[who.permission_count])
		who.permission_count++;
	catalog_for(catalog, &who, arena, &may);
	return know_examples(know, &(struct know_input){.question = question, .may = &may}, arena,
			     like);
}

static void a_question_finds_the_one_that_is_like_it(void **state)
{
	size_t n = ask("admin", "How dear is the average day-ahead price for SP15 from Hitachi?");

	(void)state;
	assert_true(n >= 1);
	assert_string_equal(like[0]->id, PRICE_CALL);
	assert_string_equal(like[0]->tool->name, "get_average_annual_price");
	n = ask("admin", "What is the health status of Sierra Wind?");
	assert_true(n >= 1);
	assert_string_equal(like[0]->id, HEALTH_CALL);
}

static void another_question_finds_none(void **state)
{
	(void)state;
	assert_int_equal(ask("admin", "Which users opened reports about budgets yesterday?"), 0);
	assert_int_equal(ask("admin", ""), 0);
	assert_int_equal(ask("admin", "of the and"), 0);
}

static void what_a_caller_may_not_use_is_no_example(void **state)
{
	(void)state;
	assert_int_equal(ask("viewer", "What is the average day-ahead price for NP15 from Ascend?"),
			 0);
	assert_true(ask("viewer", "What is the health status of Sierra Wind?") >= 1);
	assert_string_equal(like[0]->id, HEALTH_CALL);
}

static void a_text_of_any_length_is_fine(void **state)
{
	char *text = arena_alloc(arena, 16384);

	(void)state;
	memset(text, 'x', 16383);
	assert_int_equal(ask("admin", text), 0);
	for (size_t i = 0; i + 7 < 16384; i += 7)
		memcpy(text + i, "price a", 7);
	assert_true(ask("admin", text) <= PROMPT_LIKE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_finds_the_one_that_is_like_it),
		cmocka_unit_test(another_question_finds_none),
		cmocka_unit_test(what_a_caller_may_not_use_is_no_example),
		cmocka_unit_test(a_text_of_any_length_is_fine),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
