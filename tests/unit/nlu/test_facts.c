#include "nlu_test.h"

static void values_share_one_filter(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct facts f = {0};

	(void)state;
	for (int i = 0; i < 10; i++)
		facts_add(&f, a, "year", NULL, value_int(2020 + i % 5), SOURCE_EXPLICIT);
	facts_add(&f, a, "seller", NULL, value_text("Acorn"), SOURCE_EXPLICIT);
	facts_add(&f, a, "seller", NULL, value_text("Birchwood"), SOURCE_ALIAS);
	assert_int_equal(f.count, 2);
	assert_int_equal(facts_get(&f, "year")->count, 5);
	assert_int_equal(facts_get(&f, "year")->values[4].number, 2024);
	assert_int_equal(facts_get(&f, "seller")->source, SOURCE_ALIAS);
	facts_drop(&f, "year");
	facts_drop(&f, "nothing");
	assert_null(facts_get(&f, "year"));
	assert_string_equal(facts_get(&f, "seller")->values[1].text, "Birchwood");
	arena_free(&a);
}

static void too_many_filters_are_safe(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct facts f = {0};

	(void)state;
	for (int i = 0; i < FACTS_MAX + 5; i++)
		facts_add(&f, a, arena_printf(a, "f%d", i), NULL, value_int(i), SOURCE_EXPLICIT);
	assert_int_equal(f.count, FACTS_MAX);
	arena_free(&a);
}

static void names_in_singular_and_plural(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(filter_singular("vendors", a), "vendor");
	assert_string_equal(filter_singular("vendor", a), "vendor");
	assert_string_equal(filter_singular("s", a), "s");
	assert_string_equal(filter_plural("year", a), "years");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_share_one_filter),
		cmocka_unit_test(too_many_filters_are_safe),
		cmocka_unit_test(names_in_singular_and_plural),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
