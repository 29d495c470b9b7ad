/* Arguments: setting, replacing, finding, copying. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vesper/bind.h"

static void sets_and_replaces_arguments(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct args args = {0};
	char name[16] = "vendor";
	char text[16] = "Ascend";
	args_set(&args, a, name, value_text(text));
	memset(name, 'x', 6);
	memset(text, 'x', 6);
	const struct arg *arg = args_find(&args, "vendor");
	assert_non_null(arg);
	assert_false(arg->is_list);
	assert_string_equal(arg->values[0].text, "Ascend");
	args_set(&args, a, "vendor", value_int(5));
	assert_int_equal(args.count, 1);
	assert_string_equal(args_text(&args, "vendor", a), "5");
	assert_null(args_find(&args, "xxxxxx"));
	arena_free(&a);
}

static void stores_many_arguments_and_lists(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct args args = {0};
	for (int i = 0; i < 100; i++) {
		char name[16];
		snprintf(name, sizeof(name), "p%d", i);
		args_set(&args, a, name, value_int(i));
	}
	assert_int_equal(args.count, 100);
	assert_string_equal(args_text(&args, "p99", a), "99");
	const struct value years[] = {value_int(2025), value_int(2026)};
	args_set_list(&args, a, "years", years, 2);
	const struct arg *arg = args_find(&args, "years");
	assert_true(arg->is_list);
	assert_int_equal(arg->count, 2);
	assert_int_equal(arg->values[1].number, 2026);
	assert_null(args_text(&args, "years", a));
	args_set_list(&args, a, "none", NULL, 0);
	assert_int_equal(args_find(&args, "none")->count, 0);
	arena_free(&a);
}

static void formats_values_as_text(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	struct args args = {0};
	args_set(&args, a, "d", value_date("2026-02-27"));
	args_set(&args, a, "n", value_decimal("48.7300"));
	args_set(&args, a, "b", value_bool(true));
	args_set(&args, a, "z", value_null());
	args_set(&args, a, "i", value_int(INT64_MIN));
	assert_string_equal(args_text(&args, "d", a), "2026-02-27");
	assert_string_equal(args_text(&args, "n", a), "48.7300");
	assert_string_equal(args_text(&args, "b", a), "true");
	assert_null(args_text(&args, "z", a));
	assert_string_equal(args_text(&args, "i", a), "-9223372036854775808");
	assert_null(args_text(&args, "absent", a));
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_and_replaces_arguments),
		cmocka_unit_test(stores_many_arguments_and_lists),
		cmocka_unit_test(formats_values_as_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
