/* Dictionaries: adding, replacing and finding words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "vesper/dict.h"

static void finds_added_words(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct dict d;

	(void)state;
	dict_init(&d, a);
	assert_int_equal(dict_find(&d, "x", 1), -1);
	for (int i = 0; i < 1000; i++) {
		char word[16];
		int n = snprintf(word, sizeof(word), "w%d", i);

		dict_put(&d, word, (size_t)n, i);
	}
	assert_int_equal(d.count, 1000);
	assert_int_equal(dict_find(&d, "w0", 2), 0);
	assert_int_equal(dict_find(&d, "w999", 4), 999);
	assert_int_equal(dict_find(&d, "w9999", 4), 999);
	assert_int_equal(dict_find(&d, "w1000", 5), -1);
	arena_free(&a);
}

static void repeated_put_replaces(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct dict d;

	(void)state;
	dict_init(&d, a);
	dict_put(&d, "a", 1, 1);
	dict_put(&d, "a", 1, 2);
	assert_int_equal(d.count, 1);
	assert_int_equal(dict_find(&d, "a", 1), 2);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_added_words),
		cmocka_unit_test(repeated_put_replaces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
