/* Lists that end with NULL: absent, empty, and with texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/strlist.h"

static void absent_list_is_empty(void **state)
{
	static const char *const none[] = {NULL};

	(void)state;
	assert_false(strlist_has(NULL, "a"));
	assert_false(strlist_has(none, "a"));
	assert_int_equal(strlist_len(NULL), 0);
	assert_int_equal(strlist_len(none), 0);
}

static void list_matches_whole_texts(void **state)
{
	static const char *const list[] = {"alpha", "beta", NULL};

	(void)state;
	assert_true(strlist_has(list, "beta"));
	assert_false(strlist_has(list, "bet"));
	assert_false(strlist_has(list, ""));
	assert_int_equal(strlist_len(list), 2);
}

static void copy_owns_its_texts(void **state)
{
	struct arena *a = arena_new(10000);
	char text[] = "alpha";
	const char *list[] = {text, NULL};
	const char *const *copy = strlist_copy(list, a);

	(void)state;
	text[0] = 'x';
	assert_string_equal(copy[0], "alpha");
	assert_null(copy[1]);
	assert_null(strlist_copy(NULL, a)[0]);
	arena_free(&a);
}

static void list_always_ends_with_null(void **state)
{
	struct arena *a = arena_new(100000);
	struct strlist list = {0};

	(void)state;
	strlist_add(&list, a, NULL);
	assert_non_null(list.items);
	for (size_t n = 0; n < 100; n++) {
		assert_int_equal(strlist_len(list.items), n);
		strlist_add(&list, a, "x");
	}
	assert_int_equal(list.count, 100);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absent_list_is_empty),
		cmocka_unit_test(list_matches_whole_texts),
		cmocka_unit_test(copy_owns_its_texts),
		cmocka_unit_test(list_always_ends_with_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
