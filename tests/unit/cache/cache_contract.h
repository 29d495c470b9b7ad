/*
 * What every driver has to keep, as tests. The including file says how its cache is made and how
 * time passes in it, and adds the tests to its list with CONTRACT_TESTS.
 */
#ifndef CACHE_CONTRACT_H
#define CACHE_CONTRACT_H

#include "cache_test.h"

static int set_up(void **state);
static int tear_down(void **state);
static void let_pass(int64_t ms);

static void keeps_bytes_for_a_while(void **state)
{
	(void)state;
	assert_false(get("acme", "a"));
	cache_set(cache, key("acme", "a"), "x\0y", 3, 60000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 3);
	assert_memory_equal(got, "x\0y", 3);
	let_pass(30000);
	assert_true(get("acme", "a"));
	let_pass(30000); /* reading does not prolong */
	assert_false(get("acme", "a"));
}

static void an_empty_value_is_a_value(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), NULL, 0, 60000);
	assert_true(get("acme", "a"));
	assert_int_equal(got_len, 0);
}

static void setting_replaces_and_removing_removes(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "old", 3, 40000);
	cache_set(cache, key("acme", "a"), "newer", 5, 90000);
	let_pass(60000);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "newer", 5);
	cache_remove(cache, key("acme", "a"));
	assert_false(get("acme", "a"));
	cache_remove(cache, key("acme", "a"));
}

static void tenants_never_meet(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a:b"), "1", 1, 60000);
	assert_false(get("globex", "a:b"));
	assert_false(get("acmea", ":b"));
	assert_false(get("acme:a", "b"));
	cache_remove(cache, key("globex", "a:b"));
	assert_true(get("acme", "a:b"));
}

/* Nor does the answer that was not wanted any more reach the next one who asks. */
static void cancelling_ends_it(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "1", 1, 60000);
	answers = 0;
	struct op *op = cache_get(cache, key("acme", "a"), on_value, NULL);
	struct op *lock_op = cache_lock(cache, key("acme", "l"), "t", 60000, on_lock, NULL);
	op_cancel(&op);
	op_cancel(&lock_op);
	assert_false(get("acme", "b"));
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "1", 1);
}

/* Whoever is given a value may change the cache meanwhile. */
static void on_value_that_removes(void *owner, struct str value)
{
	(void)owner;
	cache_remove(cache, key("acme", "a"));
	cache_set(cache, key("acme", "a"), "other", 5, 60000);
	answers++;
	assert_int_equal(value.n, 5);
	assert_memory_equal(value.p, "first", 5);
}

static void a_value_outlives_its_place(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "first", 5, 60000);
	answers = 0;
	cache_get(cache, key("acme", "a"), on_value_that_removes, NULL);
	cache_remove(cache, key("acme", "a"));
	wait_for(1);
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "other", 5);
}

/* On a busy machine so much takes longer than a cache is waited for, which is a miss; patience is
 * only new in a new one. */
static bool comes_back(void **state, const char *value, size_t n)
{
	for (int i = 0; i < 50; i++) {
		cache_set(cache, key("acme", "a"), value, n, 60000);
		if (get("acme", "a"))
			return true;
		tear_down(state);
		set_up(state);
	}
	return false;
}

static void a_value_has_a_largest_size(void **state)
{
	char *large = mem_alloc(CACHE_VALUE_BYTES_MAX + 1);

	assert_true(comes_back(state, large, CACHE_VALUE_BYTES_MAX));
	assert_int_equal(got_len, CACHE_VALUE_BYTES_MAX);
	cache_set(cache, key("acme", "a"), large, CACHE_VALUE_BYTES_MAX + 1, 60000);
	assert_false(get("acme", "a")); /* nor what stood there before */
	mem_free(large);
}

static void a_lock_has_one_owner(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 60000));
	assert_false(lock("a", "yours", 60000));
	assert_true(lock("b", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "yours");
	assert_false(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "mine");
	assert_true(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "none"), "mine");
}

static void a_lock_ends_by_itself_and_is_prolonged(void **state)
{
	(void)state;
	assert_true(lock("a", "mine", 60000));
	let_pass(40000);
	assert_true(lock("a", "mine", 60000));
	let_pass(40000);
	assert_false(lock("a", "yours", 60000));
	let_pass(20000);
	assert_true(lock("a", "yours", 60000));
	cache_unlock(cache, key("acme", "a"), "mine"); /* too late: it is another's */
	assert_false(lock("a", "mine", 60000));
}

static void locks_and_values_never_meet(void **state)
{
	(void)state;
	cache_set(cache, key("acme", "a"), "mine", 4, 60000);
	assert_true(lock("a", "yours", 60000));
	assert_true(get("acme", "a"));
	assert_memory_equal(got, "mine", 4);
	cache_remove(cache, key("acme", "a"));
	assert_false(lock("a", "mine", 60000));
}

static void what_is_kept_is_taken_once(void **state)
{
	(void)state;
	assert_true(keep("a", "x\0y", 3, 60000));
	assert_true(get("acme", "a"));
	answers = 0;
	cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	assert_int_equal(answers, 0);
	wait_for(1);
	assert_true(found);
	assert_memory_equal(got, "x\0y", 3);
	assert_false(get("acme", "a"));
	answers = 0;
	cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	wait_for(1);
	assert_false(found);
	assert_true(keep("a", "1", 1, 60000));
	let_pass(60000);
	assert_false(get("acme", "a"));
}

static void of_all_who_take_at_once_one_is_given(void **state)
{
	(void)state;
	assert_true(keep("a", "1", 1, 60000));
	answers = taken = 0;
	for (int i = 0; i < 8; i++)
		cache_get_delete(cache, key("acme", "a"), on_taken, NULL);
	wait_for(8);
	assert_int_equal(taken, 1);
}

/* Cancelled: taken all the same, and nobody hears of it. */
static void taking_can_be_cancelled(void **state)
{
	(void)state;
	assert_true(keep("a", "1", 1, 60000));
	answers = 0;
	struct op *op = cache_get_delete(cache, key("acme", "a"), on_value, NULL);
	struct op *keeping =
		cache_set_confirmed(cache, key("acme", "b"), "1", 1, 60000, on_lock, NULL);
	op_cancel(&op);
	op_cancel(&keeping);
	assert_false(get("acme", "a"));
	assert_true(get("acme", "b"));
}

static void a_meter_empties_and_fills(void **state)
{
	(void)state;
	assert_true(draw("m", 2, NULL, 0));
	assert_in_range((int)(drawn.left[0] * 100), 100, 110);
	assert_true(draw("m", 2, NULL, 0));
	assert_false(draw("m", 2, NULL, 0));
	assert_true(drawn.left[0] < 1);
	assert_true(draw("other", 2, NULL, 0));
	cache_set(cache, key("acme", "m"), "1", 1, 60000);
	cache_remove(cache, key("acme", "m"));
	assert_false(draw("m", 2, NULL, 0));
	let_pass(60000);
	assert_true(draw("m", 2, NULL, 0));
	assert_in_range((int)(drawn.left[0] * 100), 100, 110);
}

/* One that is short leaves the others as they are. */
static void two_meters_give_together_or_not_at_all(void **state)
{
	(void)state;
	assert_true(draw("user", 1, "all", 3));
	assert_false(draw("user", 1, "all", 3));
	assert_in_range((int)(drawn.left[1] * 100), 200, 220);
	assert_true(draw("guest", 5, "all", 3));
	assert_true(draw("guest", 5, "all", 3));
	assert_false(draw("guest", 5, "all", 3));
	assert_in_range((int)(drawn.left[0] * 100), 300, 330);
}

static void drawing_can_be_cancelled(void **state)
{
	const struct cache_bucket meter = {key("acme", "m"), 2};

	(void)state;
	answers = 0;
	struct op *op = cache_consume(cache, &meter, 1, 60000, on_draw, NULL);
	op_cancel(&op);
	assert_true(draw("m", 2, NULL, 0));
	assert_false(draw("m", 2, NULL, 0)); /* it counts all the same */
}

#define CONTRACT_TESTS                                                                             \
	TEST(keeps_bytes_for_a_while), TEST(an_empty_value_is_a_value),                            \
		TEST(setting_replaces_and_removing_removes), TEST(tenants_never_meet),             \
		TEST(cancelling_ends_it), TEST(a_value_outlives_its_place),                        \
		TEST(a_value_has_a_largest_size), TEST(a_lock_has_one_owner),                      \
		TEST(a_lock_ends_by_itself_and_is_prolonged), TEST(locks_and_values_never_meet),   \
		TEST(what_is_kept_is_taken_once), TEST(of_all_who_take_at_once_one_is_given),      \
		TEST(taking_can_be_cancelled), TEST(a_meter_empties_and_fills),                    \
		TEST(two_meters_give_together_or_not_at_all), TEST(drawing_can_be_cancelled)

#endif
