/* Parsing text as parameter values. */
#include "catalog_test.h"

#include "vesper/limits.h"

static struct arena *arena;

static void good(const struct param_def *p, const char *text, struct value want)
{
	struct value v = {0};
	struct err e = {0};

	if (!param_parse(p, text, arena, &v, &e))
		fail_msg("%s", e.text);
	assert_int_equal(v.type, want.type);
	assert_int_equal(v.number, want.number);
	if (want.text)
		assert_string_equal(v.text, want.text);
}

static void bad(const struct param_def *p, const char *text, const char *why)
{
	struct value v = {0};
	struct err e = {0};

	assert_false(param_parse(p, text, arena, &v, &e));
	assert_int_equal(e.code, ERR_INPUT);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" does not say \"%s\"", e.text, why);
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
	struct param_def yes = {.name = "b", .type = PARAM_BOOL};

	good(&text, "a' --", value_text("a' --"));
	bad(&text, "", "must not be empty");
	good(&number, "-2", value_int(-2));
	good(&number, "9", value_int(9));
	bad(&number, "-3", "at least -2");
	bad(&number, "10", "at most 9");
	bad(&number, "1.0", "whole number");
	bad(&number, " 1", "whole number");
	bad(&number, "+1", "whole number");
	bad(&number, "-", "whole number");
	bad(&number, "99999999999999999999", "whole number");
	good(&decimal, "1.50", value_decimal("1.50"));
	bad(&decimal, "-0.01", "at least 0");
	bad(&decimal, "10.01", "at most 10");
	bad(&decimal, "1,5", "must be a number");
	good(&date, "2024-02-29", value_date("2024-02-29"));
	bad(&date, "2025-02-29", "must be a date");
	bad(&date, "27.2.2026", "must be a date");
	good(&yes, "true", value_bool(true));
	good(&yes, "false", value_bool(false));
	bad(&yes, "yes", "true or false");

	char *longest = mem_alloc(TEXT_ARG_BYTES_MAX + 2);
	memset(longest, 'x', TEXT_ARG_BYTES_MAX);
	good(&text, longest, value_text(longest));
	longest[TEXT_ARG_BYTES_MAX] = 'x';
	bad(&text, longest, "longer than");
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
