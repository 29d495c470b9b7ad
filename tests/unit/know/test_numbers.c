#include "know_catalog.h"

static int top(const char *text)
{
	struct arena *a = arena_new(1 << 20);
	struct question q;
	int n;

	text_read(text, a, &q);
	n = numbers_top_n(&q);
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
