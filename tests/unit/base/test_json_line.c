/* Line numbers of values in a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/json.h"

static const char text[] = "\n"
			   "{\n"
			   " \"a\": [1, \"x]}\\\"\",\n"
			   "  {\"b\": {},\n"
			   "   \"c\": [[], [\n"
			   "    2, 3]]}],\n"
			   " \"a.b\": 1, \"d\": {\"a\": {\"a\": [\n"
			   "  true\n"
			   " ]}}}\n";

static void returns_line_of_path(void **state)
{
	(void)state;
	assert_int_equal(json_line(text, ""), 2);
	assert_int_equal(json_line(text, "a"), 3);
	assert_int_equal(json_line(text, "a[1]"), 3);
	assert_int_equal(json_line(text, "a[2]"), 4);
	assert_int_equal(json_line(text, "a[2].b"), 4);
	assert_int_equal(json_line(text, "a[2].c"), 5);
	assert_int_equal(json_line(text, "a[2].c[1][0]"), 6);
	assert_int_equal(json_line(text, "d.a.a[0]"), 8);
}

static void unknown_path_returns_last_known_line(void **state)
{
	(void)state;
	assert_int_equal(json_line(text, "x"), 2);
	assert_int_equal(json_line(text, "a[9]"), 3);
	assert_int_equal(json_line(text, "a[2].x.y"), 4);
	assert_int_equal(json_line(text, "a[2].c.y"), 5);
	assert_int_equal(json_line("[", "a[0].b["), 1);
	assert_int_equal(json_line("\"", "[0]"), 1);
	assert_int_equal(json_line("{\"a\":", "a.b"), 1);
	assert_int_equal(json_line("", "a"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_line_of_path),
		cmocka_unit_test(unknown_path_returns_last_known_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
