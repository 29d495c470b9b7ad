/* Decimals: known hard cases, and small values compared with long double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/decimal.h"

static struct decimal dec(const char *text)
{
	struct decimal d;
	if (!decimal_parse(text, &d))
		fail_msg("%s", text);
	return d;
}

static void assert_decimal(struct decimal d, const char *expected)
{
	char text[DECIMAL_TEXT_BYTES];
	decimal_text(d, text);
	assert_string_equal(text, expected);
}

static void parses_and_prints(void **state)
{
	(void)state;
	const char *const pairs[][2] = {
		{"0", "0"},
		{"-12.50", "-12.50"},
		{".5", "0.5"},
		{"-.5", "-0.5"},
		{"5.", "5"},
		{"+7", "7"},
		{"007.10", "7.10"},
		{"48.7300", "48.7300"},
		{"1e-05", "0.00001"},
		{"1E+3", "1000"},
		{"4.873e1", "48.73"},
		{"2.5e-3", "0.0025"},
		{"0e500", "0"},
		{"0.000000000000000001", "0.000000000000000001"},
		{"170141183460469231731687303715884105727",
		 "170141183460469231731687303715884105727"},
		{"-170141183460469231731687303715884105727",
		 "-170141183460469231731687303715884105727"},
		{"-0.001", "-0.001"},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_decimal(dec(pairs[i][0]), pairs[i][1]);
}

static void surplus_digits_round_half_even(void **state)
{
	(void)state;
	const char *const pairs[][2] = {
		{"0.0000000000000000015", "0.000000000000000002"},
		{"0.0000000000000000025", "0.000000000000000002"},
		{"0.00000000000000000250", "0.000000000000000002"},
		{"0.00000000000000000251", "0.000000000000000003"},
		{"-0.0000000000000000035", "-0.000000000000000004"},
		{"1e-19", "0.000000000000000000"},
		{"5e-19", "0.000000000000000000"},
		{"6e-19", "0.000000000000000001"},
		{"9e-30", "0.000000000000000000"},
		{"9999e-30", "0.000000000000000000"},
		{"0.9999999999999999999", "1.000000000000000000"},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_decimal(dec(pairs[i][0]), pairs[i][1]);
}

static void rejects_invalid_text(void **state)
{
	(void)state;
	const char *bad[] = {"",
			     ".",
			     "-",
			     "+",
			     "48,7",
			     "1 ",
			     " 1",
			     "1.2.3",
			     "1e",
			     "1e+",
			     "e5",
			     "0x1",
			     "NaN",
			     "inf",
			     "--1",
			     "1e1000",
			     "1e99",
			     "1e5x",
			     "170141183460469231731687303715884105728",
			     "170141183460469231731.6873037158841057279",
			     "1e9999999999"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct decimal d = {.units = 77, .scale = 3};
		if (decimal_parse(bad[i], &d))
			fail_msg("accepted %s", bad[i]);
		assert_true(d.units == 77 && d.scale == 3);
	}
}

static void adds_at_the_larger_scale(void **state)
{
	(void)state;
	struct decimal d;
	assert_true(decimal_add(dec("54.80"), dec("-52.1"), &d));
	assert_decimal(d, "2.70");
	assert_true(decimal_sub(dec("54.80"), dec("52.14"), &d));
	assert_decimal(d, "2.66");
	assert_true(decimal_sub(dec("0"), dec("0.0"), &d));
	assert_decimal(d, "0.0");
	struct decimal largest = dec("170141183460469231731687303715884105727");
	assert_false(decimal_add(largest, dec("1"), &d));
	assert_false(decimal_add(largest, dec("0.1"), &d));
	assert_false(decimal_sub(dec("-2"), largest, &d));
	assert_false(decimal_sub(dec("-1"), largest, &d)); /* its magnitude would not fit */
}

static void multiplies_exactly_or_fails(void **state)
{
	(void)state;
	struct decimal d;
	assert_true(decimal_mul(dec("48.70"), dec("-2"), &d));
	assert_decimal(d, "-97.40");
	assert_true(decimal_mul(dec("0.000000001"), dec("0.0000000010"), &d));
	assert_decimal(d, "0.000000000000000001");
	assert_false(decimal_mul(dec("0.0000000001"), dec("0.000000001"), &d));
	assert_false(decimal_mul(dec("10000000000000000000"), dec("1e20"), &d));
	/* The product fits after insignificant zeros are removed. */
	assert_true(decimal_mul(dec("100000000000000000000.000000000000000000"), dec("3.00"), &d));
	assert_int_equal(decimal_cmp(d, dec("300000000000000000000")), 0);
}

static void divides_half_up(void **state)
{
	(void)state;
	const struct {
		const char *a, *b;
		int scale;
		const char *expected;
	} cases[] = {
		{"2.66", "52.14", 4, "0.0510"},
		{"1", "3", 6, "0.333333"},
		{"2", "3", 6, "0.666667"},
		{"-2", "3", 0, "-1"},
		{"1", "8", 2, "0.13"},
		{"-1", "8", 2, "-0.13"},
		{"1", "8", 3, "0.125"},
		{"0.0001", "20000", 6, "0.000000"},
		{"1", "-2", 0, "-1"},
		{"0", "7", 2, "0.00"},
		{"426874.80", "8760", 6, "48.730000"},
		{"1.000000000000000000", "3", 2, "0.33"},
		{"170141183460469231731687303715884105727", "1", 0,
		 "170141183460469231731687303715884105727"},
		{"5", "0.000000000000000001", 0, "5000000000000000000"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decimal d;
		if (!decimal_div(dec(cases[i].a), dec(cases[i].b), cases[i].scale, &d))
			fail_msg("%s / %s", cases[i].a, cases[i].b);
		assert_decimal(d, cases[i].expected);
	}
	struct decimal d;
	assert_false(decimal_div(dec("1"), dec("0.00"), 2, &d));
	assert_false(decimal_div(dec("170141183460469231731687303715884105727"), dec("1"), 1, &d));
}

static void rounds_half_up(void **state)
{
	(void)state;
	assert_decimal(decimal_round(dec("48.725"), 2), "48.73");
	assert_decimal(decimal_round(dec("-48.725"), 2), "-48.73");
	assert_decimal(decimal_round(dec("48.7249"), 2), "48.72");
	assert_decimal(decimal_round(dec("0.5"), 0), "1");
	assert_decimal(decimal_round(dec("9.99"), 1), "10.0");
	assert_decimal(decimal_round(dec("5"), 2), "5.00");
	assert_decimal(decimal_round(dec("0.000000000000000001"), 0), "0");
	struct decimal largest = dec("170141183460469231731687303715884105727");
	assert_int_equal(decimal_round(largest, 3).scale, 0);
}

static void compares_values(void **state)
{
	(void)state;
	const char *ascending[] = {"-170141183460469231731687303715884105727",
				   "-1.5",
				   "-1.2",
				   "-1",
				   "-0.5",
				   "0.000000000000000001",
				   "0.5",
				   "1",
				   "1.000000000000000001",
				   "1.5",
				   "170141183460469231731687303715884105727"};
	size_t n = sizeof(ascending) / sizeof(ascending[0]);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			assert_int_equal(decimal_cmp(dec(ascending[i]), dec(ascending[k])),
					 (i > k) - (i < k));
	assert_int_equal(decimal_cmp(dec("1.50"), dec("1.5")), 0);
	assert_int_equal(decimal_cmp(dec("-0.0"), dec("0")), 0);
}

static void converts_to_short_text_and_double(void **state)
{
	(void)state;
	char text[DECIMAL_TEXT_BYTES];
	decimal_text_short(dec("48.7000"), text);
	assert_string_equal(text, "48.7");
	decimal_text_short(dec("-100.00"), text);
	assert_string_equal(text, "-100");
	decimal_text_short(dec("0.00"), text);
	assert_string_equal(text, "0");
	assert_true(decimal_double(dec("48.73")) == 48.73);
	assert_true(decimal_double(dec("-0.1")) == -0.1);
	assert_true(decimal_double(decimal_int(INT64_MIN)) == -9223372036854775808.0);
}

static long double magnitude(long double x)
{
	return x < 0 ? -x : x;
}

static void agrees_with_long_double(void **state)
{
	(void)state;
	const long double tens[] = {1, 10, 100, 1000};
	uint32_t seed = 99;
	for (int round = 0; round < 20000; round++) {
		long v[2];
		int scale[2];
		for (int i = 0; i < 2; i++) {
			seed = seed * 1664525 + 1013904223;
			v[i] = (long)(seed >> 8) % 200000 - 100000;
			scale[i] = (int)(seed >> 5) & 3;
		}
		struct decimal a = {v[0], scale[0]};
		struct decimal b = {v[1], scale[1]};
		long double x = (long double)v[0] / tens[scale[0]];
		long double y = (long double)v[1] / tens[scale[1]];
		struct decimal d;
		assert_true(decimal_add(a, b, &d));
		assert_true(magnitude(decimal_double(d) - (x + y)) < 1e-9L);
		assert_true(decimal_mul(a, b, &d));
		assert_true(magnitude(decimal_double(d) - x * y) < 1e-4L);
		assert_int_equal(decimal_cmp(a, b), (x > y) - (x < y));
		if (v[1] == 0)
			continue;
		assert_true(decimal_div(a, b, 6, &d));
		assert_true(magnitude(decimal_double(d) - x / y) <=
			    0.5000001e-6L + magnitude(x / y) * 1e-12L);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_and_prints),
		cmocka_unit_test(surplus_digits_round_half_even),
		cmocka_unit_test(rejects_invalid_text),
		cmocka_unit_test(adds_at_the_larger_scale),
		cmocka_unit_test(multiplies_exactly_or_fails),
		cmocka_unit_test(divides_half_up),
		cmocka_unit_test(rounds_half_up),
		cmocka_unit_test(compares_values),
		cmocka_unit_test(converts_to_short_text_and_double),
		cmocka_unit_test(agrees_with_long_double),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
