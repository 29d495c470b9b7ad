#include "text_test.h"

static int top(const char *text)
{
	struct arena *a = arena_new(1 << 20);
	struct question q;
	int n;

	text_tokenize(english(a), text, a, &q);
	n = numbers_top_n(english(a), &q);
	arena_free(&a);
	return n;
}

static void top_n(void **state)
{
	(void)state;
	assert_int_equal(top("the top 5 depots"), 5);
	assert_int_equal(top("top ten"), 10);
	assert_int_equal(top("the three busiest, I mean 3 highest"), 3);
	assert_int_equal(top("five worst"), 5);
	assert_int_equal(top("top3 depots"), 3);
	assert_int_equal(top("top-10"), 10);
	assert_int_equal(top("top twenty-five"), 25);
	assert_int_equal(top("the ten biggest"), 10);
	assert_int_equal(top("worst 3"), 3);
	assert_int_equal(top("bottom three depots"), 3);
	assert_int_equal(top("a dozen biggest"), 12);
	assert_int_equal(top("which three depots sent the most"), 3);
	assert_int_equal(top("which 3 depots are there"), 0);
	assert_int_equal(top("which 3 depots? the most read"), 0);
	assert_int_equal(top("the three people with fewest report views"), 3);
	assert_int_equal(top("five depots that sent the most"), 5);
	assert_int_equal(top("the three depots with the worst delay"), 3);
	assert_int_equal(top("the three depots with a delay"), 0);
	assert_int_equal(top("at least 3 depots with the most parcels"), 0);
	assert_int_equal(top("top"), 0);
	assert_int_equal(top("top of 2025"), 0);
	assert_int_equal(top("top 99999"), 0);
	assert_int_equal(top(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(top_n)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
