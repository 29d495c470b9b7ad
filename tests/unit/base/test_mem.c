/* Memory: zeroed, growing by doubling, copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "vesper/mem.h"

static void allocation_is_zeroed_and_never_null(void **state)
{
	(void)state;
	unsigned char *p = mem_alloc(100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
	mem_free(p);
	p = mem_alloc(0);
	assert_non_null(p);
	mem_free(p);
	mem_free(NULL);
}

static void core_dumps_can_be_disabled(void **state)
{
	struct rlimit core;

	(void)state;
	assert_true(mem_disable_dumps());
	assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
	assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
	assert_int_equal(core.rlim_max, 0);
}

static void grows_to_required_size(void **state)
{
	(void)state;
	size_t cap = 0;
	int *items = NULL;
	for (size_t n = 0; n < 1000; n++) {
		items = mem_grow(items, &cap, n + 1, sizeof(*items));
		assert_true(cap >= n + 1);
		items[n] = (int)n;
	}
	for (int n = 0; n < 1000; n++)
		assert_int_equal(items[n], n);
	size_t before = cap;
	assert_ptr_equal(mem_grow(items, &cap, 3, sizeof(*items)), items);
	assert_int_equal(cap, before);
	mem_free(items);
}

static void copies_text(void **state)
{
	(void)state;
	assert_null(mem_strdup(NULL));
	char *copy = mem_strndup("hello", 2);
	assert_string_equal(copy, "he");
	mem_free(copy);
	copy = mem_printf("%s-%d", "a", 5);
	assert_string_equal(copy, "a-5");
	mem_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation_is_zeroed_and_never_null),
		cmocka_unit_test(core_dumps_can_be_disabled),
		cmocka_unit_test(grows_to_required_size),
		cmocka_unit_test(copies_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
