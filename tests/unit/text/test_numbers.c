#include "text_test.h"

#include "shipped_units.h"

static int top(const char *text)
{
	struct arena *a = arena_new(1 << 20);
	struct question q;
	int n;

	text_read(english(a), text, a, &q);
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
	assert_int_equal(top("top"), 0);
	assert_int_equal(top("top of 2025"), 0);
	assert_int_equal(top("top 99999"), 0);
	assert_int_equal(top(""), 0);
}

/* The threshold as it was written, "" when there is none. */
static const char *bound(const char *text, struct arena *a)
{
	struct question q;
	struct dict units;
	const char *out;

	text_read(english(a), text, a, &q);
	dict_init(&units, a);
	numbers_unit_words(shipped_units(), &units);
	out = numbers_threshold(&units, &q, a);
	return out ? out : "";
}

static void thresholds(void **state)
{
	struct arena *a = arena_new(1 << 20);

	(void)state;
	assert_string_equal(bound("hours above $60 in EP10", a), "above $60");
	assert_string_equal(bound("gaps over 5%", a), "over 5");
	assert_string_equal(bound("costs between 40 and 50", a), "between 40 and 50");
	assert_string_equal(bound("with more than 100 views", a), "more than 100");
	assert_string_equal(bound("at least 3 million dollars", a), "at least 3 million dollars");
	assert_string_equal(bound("at most twenty", a), "at most twenty");
	assert_string_equal(bound("over the last week", a), "");
	assert_string_equal(bound("between EP10 and EP20", a), "");
	assert_string_equal(bound("above", a), "");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(top_n), cmocka_unit_test(thresholds)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
