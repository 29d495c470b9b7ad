/* JSON output: exact decimals, integers, order of members, validity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "vesper/json.h"
#include "vesper/mem.h"

static void assert_json(json_t *value, const char *expected)
{
	char *text = json_text(value);
	assert_string_equal(text, expected);
	mem_free(text);
	json_decref(value);
}

static void missing_text_is_empty(void **state)
{
	(void)state;
	json_t *o = json_make({"name", json_str("Orders")}, {"rows", json_int(3)});

	assert_string_equal(json_text_at(o, "name"), "Orders");
	assert_string_equal(json_text_at(o, "rows"), "");
	assert_string_equal(json_text_at(o, "owner"), "");
	assert_string_equal(json_text_at(NULL, "name"), "");
	json_decref(o);
}

static void digits_stay_unchanged(void **state)
{
	(void)state;
	const char *const pairs[][2] = {
		{"48.7300", "48.7300"},
		{"-12.50", "-12.50"},
		{"0", "0"},
		{"0.0000", "0.0000"},
		{".5000", "0.5000"},
		{"-.5", "-0.5"},
		{"+1.20", "1.20"},
		{"5.", "5"},
		{"007.10", "7.10"},
		{"-0.00", "-0.00"},
		{"1e-05", "1e-05"},
		{"1.5E+3", "1.5E+3"},
		{"1.7e308", "1.7e308"},
		{"0e999", "0e999"},
		{"123456789012345", "123456789012345"},
		{"9007199254740992", "9007199254740992"},
		{"-9007199254740993", "\"-9007199254740993\""},
		{"99999999999999999999", "\"99999999999999999999\""},
		{"12345678901.2345", "12345678901.2345"},
		{"12345678901.23450000", "12345678901.23450000"},
		{"123456789012.34561", "\"123456789012.34561\""},
		{"0.000000123456789012345", "0.000000123456789012345"},
		{"0.1234567890123456", "\"0.1234567890123456\""},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_json(json_decimal(pairs[i][0]), pairs[i][1]);
}

static void non_numbers_are_text(void **state)
{
	(void)state;
	const char *const pairs[][2] = {
		{"", "\"\""},
		{"NaN", "\"NaN\""},
		{"inf", "\"inf\""},
		{"1.2.3", "\"1.2.3\""},
		{"1,5", "\"1,5\""},
		{"--1", "\"--1\""},
		{"1e", "\"1e\""},
		{"0x10", "\"0x10\""},
		{"1e999", "\"1e999\""},
		{"-1.5e400", "\"-1.5e400\""},
		{"1e-999", "\"1e-999\""},
		{"2.5e-310", "\"2.5e-310\""},
		{"1e99999999999999999999", "\"1e99999999999999999999\""},
		{"1.8e308", "\"1.8e308\""},
		{"1 ", "\"1 \""},
		{"-", "\"-\""},
		{".", "\".\""},
		{"1\"", "\"1\\\"\""},
	};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_json(json_decimal(pairs[i][0]), pairs[i][1]);
	char digits[300];
	memset(digits, '1', sizeof(digits) - 1);
	digits[sizeof(digits) - 1] = '\0';
	json_t *value = json_decimal(digits);
	assert_string_equal(json_string_value(value), digits);
	json_decref(value);
}

static void returns_text_of_decimal_node(void **state)
{
	(void)state;
	json_t *value = json_decimal("48.7300");
	assert_string_equal(json_decimal_text(value), "48.7300");
	json_decref(value);
	value = json_str("48.7300");
	assert_null(json_decimal_text(value));
	json_decref(value);
	value = json_integer(4);
	assert_null(json_decimal_text(value));
	json_decref(value);
}

static void text_never_becomes_a_number(void **state)
{
	(void)state;
	assert_json(json_str("48.7"), "\"48.7\"");
	assert_json(json_str("\xEE\x80\x80"
			     "48.7"),
		    "\"\xEF\xBF\xBD"
		    "48.7\"");
	assert_json(json_str("a\xFF\xEE\x80\x80"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
	json_t *o = json_object();
	json_set_str(o,
		     "\xEE\x80\x80"
		     "1",
		     "\xEE\x80\x80"
		     "1");
	assert_json(o, "{\"\xEF\xBF\xBD"
		       "1\":\"\xEF\xBF\xBD"
		       "1\"}");
	/* Even a forged node can only be a number or a string. */
	assert_json(json_string("\xEE\x80\x80"
				"1,\"x\":2"),
		    "\"\xEF\xBF\xBD"
		    "1,\\\"x\\\":2\"");
}

static void members_keep_their_order(void **state)
{
	(void)state;
	json_t *o = json_object();
	json_set_str(o, "z", "1");
	json_set_str(o, "absent", NULL);
	json_set_take(o, "none", NULL);
	json_set_int(o, "a", -5);
	json_set_bool(o, "m", true);
	json_set_bool(o, "k", false);
	json_set_take(o, "n", json_null());
	json_t *list = json_array();
	json_push_take(list, json_object());
	json_push_take(list, json_array());
	json_push_take(list, json_decimal("1.10"));
	json_set_take(o, "l", list);
	assert_json(o,
		    "{\"z\":\"1\",\"a\":-5,\"m\":true,\"k\":false,\"n\":null,\"l\":[{},[],1.10]}");
}

/* The constructors of jansson return NULL for each of these texts. */
static void constructors_accept_any_text(void **state)
{
	(void)state;
	assert_json(json_make({"a", json_str("\xC3")}, {"b", json_str(NULL)},
			      {"c", json_list_of(json_str("\xFF"))}),
		    "{\"a\":\"\xEF\xBF\xBD\",\"c\":[\"\xEF\xBF\xBD\"]}");
	assert_json(json_strn("ab", 1), "\"a\"");
	assert_json(json_strn("a\0b\xC3\xA4", 4), "\"a\xEF\xBF\xBD"
						  "b\xEF\xBF\xBD\"");
}

static void integers_beyond_doubles_are_strings(void **state)
{
	(void)state;
	assert_json(json_int(INT64_C(9007199254740992)), "9007199254740992");
	assert_json(json_int(INT64_C(-9007199254740992)), "-9007199254740992");
	assert_json(json_int(INT64_C(9007199254740993)), "\"9007199254740993\"");
	assert_json(json_int(INT64_MIN), "\"-9223372036854775808\"");
}

static void reals_survive_round_trip(void **state)
{
	(void)state;
	assert_json(json_real(48.73), "48.73");
	assert_json(json_real(1), "1.0");
	assert_json(json_real(-0.1), "-0.1");
	assert_json(json_real(0.1 + 0.2), "0.30000000000000004");
	assert_json(json_real(1e300), "1e+300");
}

static void text_is_escaped(void **state)
{
	(void)state;
	assert_json(json_str("a\nb\"\\\x02\xE2\x82\xAC"), "\"a\\nb\\\"\\\\\\u0002\xE2\x82\xAC\"");
	assert_json(json_stringn("a\0b", 3), "\"a\\u0000b\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_text_is_empty),
		cmocka_unit_test(digits_stay_unchanged),
		cmocka_unit_test(non_numbers_are_text),
		cmocka_unit_test(returns_text_of_decimal_node),
		cmocka_unit_test(text_never_becomes_a_number),
		cmocka_unit_test(members_keep_their_order),
		cmocka_unit_test(constructors_accept_any_text),
		cmocka_unit_test(integers_beyond_doubles_are_strings),
		cmocka_unit_test(reals_survive_round_trip),
		cmocka_unit_test(text_is_escaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
