/* Results own their tables; facts are copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vesper/limits.h"
#include "vesper/result.h"

static void tables_are_freed_with_the_arena(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct result *r = result_new(a);
	for (int i = 0; i < 3; i++) {
		struct table *t = table_new(1000);
		t->name = i == 0 ? "main" : i == 1 ? "hours" : "more";
		result_add_table(r, a, t);
	}
	assert_int_equal(r->table_count, 3);
	assert_ptr_equal(result_table(r, "hours"), r->tables[1]);
	assert_null(result_table(r, "none"));
	arena_free(&a); /* a leaked table would be reported */
}

static void facts_are_copied_and_limited(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct result *r = result_new(a);
	char value[] = "2.66";
	result_add_fact(r, a, (struct fact){.name = "gap", .label = "Gap", .value = value});
	value[0] = '9';
	assert_string_equal(result_fact(r, "gap")->value, "2.66");
	assert_null(result_fact(r, "gap")->unit);
	assert_null(result_fact(r, "none"));
	for (int i = 1; i < RESULT_FACTS_MAX - 1; i++)
		result_add_fact(r, a, (struct fact){.name = "more", .label = "", .value = ""});
	assert_null(result_fact(r, RESULT_FACTS_LEFT_OUT));
	for (int i = 0; i < 3; i++)
		result_add_fact(r, a, (struct fact){.name = "many", .label = "", .value = ""});
	assert_int_equal(r->fact_count, RESULT_FACTS_MAX);
	assert_non_null(result_fact(r, RESULT_FACTS_LEFT_OUT));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_freed_with_the_arena),
		cmocka_unit_test(facts_are_copied_and_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
