/* Parsing text as parameter values. */
#include "catalog_test.h"

#include "vesper/limits.h"

static struct arena *arena;

static void assert_parsed(const struct param_def *p, const char *text, struct value expected)
{
	struct value v = {0};
	struct err e = {0};

	if (!param_parse(p, text, arena, &v, &e))
		fail_msg("%s", e.text);
	assert_int_equal(v.type, expected.type);
	assert_int_equal(v.number, expected.number);
	if (expected.text)
		assert_string_equal(v.text, expected.text);
}

static void assert_invalid(const struct param_def *p, const char *text, const char *why)
{
	struct value v = {0};
	struct err e = {0};

	assert_false(param_parse(p, text, arena, &v, &e));
	assert_int_equal(e.code, ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not contain \"%s\"", e.text, why);
}

static void parses_each_type(void **state)
{
	(void)state;
	arena = arena_new(1 << 16);
	struct param_def text = {.name = "t", .type = PARAM_TEXT};
	struct param_def number = {.name = "n",
				   .type = PARAM_INT,
				   .has_min = true,
				   .min = -2,
				   .has_max = true,
				   .max = 9};
	struct param_def decimal = {.name = "d",
				    .type = PARAM_DECIMAL,
				    .has_min = true,
				    .min = 0,
				    .has_max = true,
				    .max = 10};
	struct param_def date = {.name = "day", .type = PARAM_DATE};
	struct param_def boolean = {.name = "b", .type = PARAM_BOOL};

	assert_parsed(&text, "a' --", value_text("a' --"));
	assert_invalid(&text, "", "must not be empty");
	assert_parsed(&number, "-2", value_int(-2));
	assert_parsed(&number, "9", value_int(9));
	assert_invalid(&number, "-3", "at least -2");
	assert_invalid(&number, "10", "at most 9");
	assert_invalid(&number, "1.0", "whole number");
	assert_invalid(&number, " 1", "whole number");
	assert_invalid(&number, "+1", "whole number");
	assert_invalid(&number, "-", "whole number");
	assert_invalid(&number, "99999999999999999999", "whole number");
	assert_parsed(&decimal, "1.50", value_decimal("1.50"));
	assert_invalid(&decimal, "-0.01", "at least 0");
	assert_invalid(&decimal, "10.01", "at most 10");
	assert_invalid(&decimal, "1,5", "must be a number");
	assert_parsed(&date, "2024-02-29", value_date("2024-02-29"));
	assert_invalid(&date, "2025-02-29", "must be a date");
	assert_invalid(&date, "27.2.2026", "must be a date");
	assert_parsed(&boolean, "true", value_bool(true));
	assert_parsed(&boolean, "false", value_bool(false));
	assert_invalid(&boolean, "yes", "true or false");

	char *longest = mem_alloc(TEXT_ARG_BYTES_MAX + 2);
	memset(longest, 'x', TEXT_ARG_BYTES_MAX);
	assert_parsed(&text, longest, value_text(longest));
	longest[TEXT_ARG_BYTES_MAX] = 'x';
	assert_invalid(&text, longest, "longer than");
	mem_free(longest);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_each_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
