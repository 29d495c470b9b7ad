/* Random numbers: the published sequence, and uniformity. */
#include "calc_test.h"

/* The first numbers of xoshiro256** from the state {1, 2, 3, 4}, computed by its authors' C code.
 */
static void matches_published_sequence(void **state)
{
	(void)state;
	struct calc_rng r = {{1, 2, 3, 4}};
	const uint64_t expected[] = {11520, 0, 1509978240, 1215971899390074240};

	for (size_t i = 0; i < COUNT(expected); i++)
		assert_true(calc_rng_next(&r) == expected[i]);
}

static void seeds_give_different_repeatable_sequences(void **state)
{
	(void)state;
	struct calc_rng a = calc_rng_new(0), b = calc_rng_new(1), again = calc_rng_new(0);

	for (int i = 0; i < 100; i++) {
		uint64_t x = calc_rng_next(&a);
		assert_true(x == calc_rng_next(&again) && x != calc_rng_next(&b));
	}
}

static void is_uniform(void **state)
{
	(void)state;
	struct calc_rng r = calc_rng_new(7);
	size_t in[7] = {0};
	double sum = 0;

	for (int i = 0; i < 70000; i++) {
		in[calc_rng_below(&r, 7)]++;
		double u = calc_rng_unit(&r);
		assert_true(u >= 0 && u < 1);
		sum += u;
	}
	for (int i = 0; i < 7; i++)
		assert_in_range(in[i], 9700, 10300);
	assert_near(sum / 70000, 0.5, 0.01);
	for (int i = 0; i < 100; i++)
		assert_int_equal(calc_rng_below(&r, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CALC_TEST(matches_published_sequence),
		CALC_TEST(seeds_give_different_repeatable_sequences),
		CALC_TEST(is_uniform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
