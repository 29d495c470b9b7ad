#include "text_test.h"

static int distance(const char *a, const char *b, int limit)
{
	return fuzzy_distance(a, strlen(a), b, strlen(b), limit);
}

static void edit_distance_counts_edits(void **state)
{
	(void)state;
	assert_int_equal(distance("ascend", "ascend", 2), 0);
	assert_int_equal(distance("ascned", "ascend", 2), 1); /* swapped */
	assert_int_equal(distance("acend", "ascend", 2), 1);
	assert_int_equal(distance("asscend", "ascend", 2), 1);
	assert_int_equal(distance("ascent", "ascend", 2), 1);
	assert_int_equal(distance("axcemd", "ascend", 2), 2);
	assert_int_equal(distance("", "ab", 2), 2);
	assert_int_equal(distance("", "", 0), 0);
}

static void stops_at_the_limit(void **state)
{
	char long_key[300];

	(void)state;
	assert_int_equal(distance("kitten", "sitting", 2), 3);
	assert_int_equal(distance("abcdef", "ghijkl", 2), 3);
	assert_int_equal(distance("a", "abcdef", 2), 3);
	memset(long_key, 'x', sizeof(long_key));
	assert_int_equal(fuzzy_distance(long_key, 300, long_key, 300, 2), 3);
}

static void digits_distinguish_names(void **state)
{
	(void)state;
	assert_true(fuzzy_same_digits("np15", 4, "sp15", 4));
	assert_false(fuzzy_same_digits("np99", 4, "np15", 4));
	assert_false(fuzzy_same_digits("np1", 3, "np15", 4));
	assert_true(fuzzy_same_digits("abc", 3, "xyz", 3));
}

static void short_names_need_exact_match(void **state)
{
	(void)state;
	assert_int_equal(fuzzy_limit("spp", 3), 0);
	assert_int_equal(fuzzy_limit("np15", 4), 1);
	assert_int_equal(fuzzy_limit("northern", 8), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edit_distance_counts_edits),
		cmocka_unit_test(stops_at_the_limit),
		cmocka_unit_test(digits_distinguish_names),
		cmocka_unit_test(short_names_need_exact_match),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
