/* Arenas: alignment, zeroed memory, soft limit, deferred frees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdalign.h>
#include <string.h>

#include "vesper/arena.h"

static void blocks_are_aligned_zeroed_and_disjoint(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 20);
	unsigned char *all[500];
	size_t sizes[500];
	for (size_t i = 0; i < 500; i++) {
		sizes[i] = i * 7 % 300;
		all[i] = arena_alloc(a, sizes[i]);
		assert_int_equal((uintptr_t)all[i] % alignof(max_align_t), 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(all[i][k], 0);
		memset(all[i], (int)(i & 0xFF), sizes[i]);
	}
	for (size_t i = 0; i < 500; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(all[i][k], i & 0xFF);
	arena_free(&a);
	assert_null(a);
}

static void large_allocations_do_not_waste_the_block(void **state)
{
	(void)state;
	struct arena *a = arena_new(1 << 30);
	char *small = arena_alloc(a, 16);
	char *large = arena_alloc(a, 1000000);
	memset(large, 1, 1000000);
	assert_ptr_equal(arena_alloc(a, 16), small + 16);
	arena_free(&a);
}

static void first_allocation_may_be_large(void **state)
{
	(void)state;
	struct arena *a = arena_new(1);
	memset(arena_alloc(a, 500000), 1, 500000);
	memset(arena_alloc(a, 10), 2, 10);
	arena_free(&a);
}

static void limit_is_soft(void **state)
{
	(void)state;
	struct arena *a = arena_new(1024);
	assert_int_equal(arena_bytes(a), 0);
	arena_alloc(a, 1024);
	assert_false(arena_over(a));
	assert_non_null(arena_alloc(a, 1));
	assert_true(arena_over(a));
	arena_free(&a);
}

static int freed[4];
static int freed_count;

static void on_free(void *thing)
{
	freed[freed_count++] = *(int *)thing;
}

static void runs_deferred_frees_in_reverse_order(void **state)
{
	(void)state;
	static int things[] = {1, 2, 3};
	struct arena *a = arena_new(100);
	for (int i = 0; i < 3; i++)
		arena_defer(a, on_free, &things[i]);
	assert_int_equal(freed_count, 0);
	arena_free(&a);
	assert_int_equal(freed_count, 3);
	assert_int_equal(freed[0], 3);
	assert_int_equal(freed[2], 1);
	arena_free(&a);
}

static void copies_and_formats_text(void **state)
{
	(void)state;
	struct arena *a = arena_new(100);
	assert_null(arena_strdup(a, NULL));
	assert_string_equal(arena_strdup(a, "abc"), "abc");
	assert_string_equal(arena_strndup(a, "abc", 2), "ab");
	assert_string_equal(arena_strndup(a, NULL, 0), "");
	char *wide = arena_printf(a, "%5000d|", 1);
	assert_int_equal(strlen(wide), 5001);
	assert_string_equal(wide + 4999, "1|");
	arena_free(&a);
}

static void arrays_grow_and_keep_their_items(void **state)
{
	struct arena *a = arena_new(1 << 20);
	int *items = NULL;
	size_t cap = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		items = arena_grow(a, items, (size_t)i, &cap, sizeof(*items));
		assert_true(cap > (size_t)i);
		items[i] = i;
	}
	for (int i = 0; i < 100; i++)
		assert_int_equal(items[i], i);
	int *same = arena_grow(a, items, 100, &cap, sizeof(*items));
	assert_ptr_equal(same, items); /* the array had capacity */
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow_and_keep_their_items),
		cmocka_unit_test(blocks_are_aligned_zeroed_and_disjoint),
		cmocka_unit_test(large_allocations_do_not_waste_the_block),
		cmocka_unit_test(first_allocation_may_be_large),
		cmocka_unit_test(limit_is_soft),
		cmocka_unit_test(runs_deferred_frees_in_reverse_order),
		cmocka_unit_test(copies_and_formats_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
