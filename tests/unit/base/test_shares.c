/* Shares: the oldest item of the largest owner is evicted first, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vesper/shares.h"

static struct shares shares;
static struct share items[64];

static int setup(void **state)
{
	(void)state;
	shares_init(&shares, 10, 100);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		if (items[i].owner)
			shares_remove(&shares, &items[i]);
		items[i] = (struct share){0};
	}
	shares_deinit(&shares);
	return 0;
}

static void add(int i, const char *owner, size_t bytes)
{
	shares_add(&shares, &items[i], str_of(owner), bytes);
}

/* Evicts the next item and returns its index; -1: none. */
static int evict_next(void)
{
	struct share *item = shares_next_to_evict(&shares);

	if (!item)
		return -1;
	shares_remove(&shares, item);
	item->owner = NULL;
	return (int)(item - items);
}

static void one_owner_may_use_the_whole_limit(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		add(i, "a", 10);
	assert_int_equal(evict_next(), -1);
	add(10, "a", 10);
	assert_int_equal(evict_next(), 0);
	assert_int_equal(evict_next(), -1);
	shares_touch(&items[1]);
	add(11, "a", 0);
	assert_int_equal(evict_next(), 2);
}

static void largest_owner_is_evicted_first(void **state)
{
	(void)state;
	add(0, "b", 1);
	for (int i = 1; i < 10; i++)
		add(i, "a", 1);
	for (int i = 10; i < 14; i++) {
		add(i, "b", 1);
		assert_int_equal(evict_next(), i - 9);
		assert_int_equal(evict_next(), -1);
	}
	add(14, "b", 1); /* five each: another item of b evicts one of b */
	assert_int_equal(evict_next(), 0);
	add(15, "a", 1);
	assert_int_equal(evict_next(), 5);
}

static void byte_limit_precedes_count_limit(void **state)
{
	(void)state;
	add(0, "b", 60);
	for (int i = 1; i < 9; i++)
		add(i, "a", 5);
	assert_int_equal(evict_next(), -1);
	add(9, "a", 5);
	assert_int_equal(evict_next(), 0);
	assert_int_equal(evict_next(), -1);
}

static void added_item_may_be_evicted(void **state)
{
	(void)state;
	add(0, "a", 40);
	add(1, "b", 40);
	add(2, "c", 50);
	assert_int_equal(evict_next(), 2);
	assert_int_equal(evict_next(), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_owner_may_use_the_whole_limit),
		TEST(largest_owner_is_evicted_first),
		TEST(byte_limit_precedes_count_limit),
		TEST(added_item_may_be_evicted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
